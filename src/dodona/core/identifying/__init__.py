"""The language of a text, from its character n-grams."""
