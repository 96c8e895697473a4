"""How the time of every operation grows with its input, the nasty ones included."""
