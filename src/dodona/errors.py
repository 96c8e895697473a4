"""The base class of errors in the user's input, for `except dodona.DodonaError`.

Each subclass also derives from a built-in error, mostly ValueError. Misuse of the API (a value of
the wrong type, an index out of range) raises plain built-in errors.
"""


class DodonaError(Exception):
    """An error in a file, a model, a setting or a pattern, with a message for the user.

    >>> from dodona import Pattern
    >>> try:
    ...     Pattern("upos=")
    ... except DodonaError as error:
    ...     print(isinstance(error, ValueError))
    True
    """
