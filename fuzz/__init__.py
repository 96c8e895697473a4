"""Inputs of all kinds, made up by the million: nothing may crash, hang or answer wrongly.

    python -m fuzz [TARGET…] --seconds 60

A target is a module of `fuzz.targets`: a function of bytes that returns, or raises what
it declares.
"""
