"""Language codes and names, as they occur in the names of treebanks and models.

>>> language_of("en_ewt"), language_of("french-sequoia-251115"), language_of("my-model")
('en', 'fr', None)
"""

from __future__ import annotations

import re

from dodona.languages.names import NAMES

LANGUAGES = {code: name.lower().replace(" ", "_") for code, name in NAMES.items()}
LANGUAGES["nb"] = LANGUAGES["no"]  # UDPipe's name of Bokmål
_CODES = {name: code for code, name in reversed(LANGUAGES.items())}
_ENDS = re.compile(r"[-_.]")


def language_of(model: str) -> str | None:
    """Return the language code with which, or with whose language, a model's name begins."""
    name = model.lower()
    first = _ENDS.split(name)[0]
    if first in LANGUAGES:
        return first
    known = [language for language in _CODES if name == language or name.startswith(f"{language}-")]
    return _CODES[known[0]] if known else None


def full_name(model: str) -> str | None:
    """Return a model's name in UDPipe's form, with the full language name; None without a code.

    >>> full_name("en_ewt-251115"), full_name("en"), full_name("czech-pdt")
    ('english-ewt-251115', 'english', None)
    """
    first, *rest = _ENDS.split(model, maxsplit=1)
    if first.lower() not in LANGUAGES:
        return None
    return "-".join([LANGUAGES[first.lower()], *rest])
