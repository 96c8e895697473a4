"""The family of our errors, so that `except dodona.DodonaError` catches what is wrong with input.

Each member is also the built-in error that it is a case of, mostly a ValueError; what is wrong with
a call (a value of the wrong type, an index out of range) is a plain built-in error.
"""


class DodonaError(Exception):
    """What is wrong with a file, a model, a setting or a pattern, in words for people.

    >>> from dodona import Pattern
    >>> try:
    ...     Pattern("upos=")
    ... except DodonaError as error:
    ...     print(isinstance(error, ValueError))
    True
    """
