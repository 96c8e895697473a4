"""One module or folder a paper; each has a `PAPER`, by which `dodona experiment` finds it."""
