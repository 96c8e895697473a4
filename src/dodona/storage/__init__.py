"""What was learned, as a file."""
