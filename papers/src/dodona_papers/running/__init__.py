"""Training and scoring many parsers, and remembering what came of it."""
