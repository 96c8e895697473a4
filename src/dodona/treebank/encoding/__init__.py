"""Sentences as the core sees them: integers."""
