"""Language codes and names, as they occur in the names of treebanks and models.

>>> language_of("en_ewt"), language_of("french-sequoia-251115"), language_of("my-model")
('en', 'fr', None)
"""

from __future__ import annotations

import re

_TABLE = """\
af:afrikaans ar:arabic be:belarusian bg:bulgarian br:breton ca:catalan cop:coptic cs:czech
cu:old_church_slavonic cy:welsh da:danish de:german el:greek en:english es:spanish et:estonian
eu:basque fa:persian fi:finnish fo:faroese fr:french fro:old_french ga:irish gd:scottish_gaelic
gl:galician got:gothic grc:ancient_greek he:hebrew hi:hindi hr:croatian hu:hungarian hy:armenian
id:indonesian is:icelandic it:italian ja:japanese ka:georgian kk:kazakh ko:korean la:latin
lt:lithuanian lv:latvian mr:marathi mt:maltese nl:dutch no:norwegian nb:norwegian pl:polish
pt:portuguese ro:romanian ru:russian sa:sanskrit sk:slovak sl:slovenian sr:serbian sv:swedish
ta:tamil te:telugu th:thai tr:turkish ug:uyghur uk:ukrainian ur:urdu vi:vietnamese wo:wolof
zh:chinese"""
LANGUAGES = dict(pair.split(":") for pair in _TABLE.split())
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
