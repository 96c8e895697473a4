"""Sentences as columns, templates, and the feature keys of a state."""
