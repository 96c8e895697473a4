"""What is read from a request."""
