"""The explorer as data: what a system can do in a state, what it costs, what is out of reach."""
