"""Logging under the name `dodona`, silent unless the application configures it.

`logging` is used only if the application has imported it: its import takes 6 ms, longer than
parsing a sentence.

>>> import logging
>>> logging.getLogger("dodona").setLevel("INFO")  # and a handler: logging.basicConfig()
>>> logging.getLogger("dodona").setLevel("NOTSET")
"""

import sys
from typing import Any

NAME = "dodona"


def info(message: str, *values: Any) -> None:
    """Log an event, such as a loaded model or a finished epoch."""
    _log("info", message, *values)


def warning(message: str, *values: Any) -> None:
    """Log a possible problem."""
    _log("warning", message, *values)


def _log(level: str, message: str, *values: Any) -> None:
    logging = sys.modules.get("logging")
    if logging is None or not hasattr(logging, "getLogger"):  # not imported, or only partly
        return
    logger = logging.getLogger(NAME)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    getattr(logger, level)(message, *values)
