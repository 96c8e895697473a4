"""Training and scoring many parsers, and storing the results."""
