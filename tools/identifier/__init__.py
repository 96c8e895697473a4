"""Training of the language identifier."""
