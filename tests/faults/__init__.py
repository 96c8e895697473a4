"""Fault injection: the N-th allocation, write, … fails."""
