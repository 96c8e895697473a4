"""Encoding of sentences as integers for the core."""
