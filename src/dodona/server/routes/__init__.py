"""The addresses that are answered."""
