"""Conversions to and from the objects of other libraries, each of them an extra."""
