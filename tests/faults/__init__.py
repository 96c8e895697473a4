"""Faults on demand: the N-th allocation, write, … fails."""
