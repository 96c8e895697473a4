"""What is written in answer to a request."""
