"""What we log, under `dodona`: silent unless somebody listens.

`logging` is imported by whoever listens: where nobody has imported it there is nobody to tell, and
parsing a sentence need not wait for it (6 ms).

>>> import logging
>>> logging.getLogger("dodona").setLevel("INFO")  # and a handler: logging.basicConfig()
>>> logging.getLogger("dodona").setLevel("NOTSET")
"""

import sys
from typing import Any

NAME = "dodona"


def info(message: str, *values: Any) -> None:
    """Log what may interest: a model that was loaded, an epoch that is done."""
    _log("info", message, *values)


def warning(message: str, *values: Any) -> None:
    """Log what may be wrong though it can be gone on with."""
    _log("warning", message, *values)


def _log(level: str, message: str, *values: Any) -> None:
    logging = sys.modules.get("logging")
    if logging is None or not hasattr(logging, "getLogger"):  # not there, or just being imported
        return
    logger = logging.getLogger(NAME)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    getattr(logger, level)(message, *values)
