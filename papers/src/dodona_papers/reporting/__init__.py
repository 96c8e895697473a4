"""Tables, plots and pages of what came of it."""
