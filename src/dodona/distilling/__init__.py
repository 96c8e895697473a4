"""Teachers, what they annotate, and students that learn from it: `dodona distil`."""
