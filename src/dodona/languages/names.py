"""Codes and names of languages, as in the names and cards of models.

>>> name_of("nb"), code_of("Ancient Greek"), code_of("Klingon")
('Norwegian Bokmål', 'grc', None)
"""

from __future__ import annotations

_TABLE = """\
af:Afrikaans ar:Arabic be:Belarusian bg:Bulgarian br:Breton ca:Catalan cop:Coptic cs:Czech
cu:Old_Church_Slavonic cy:Welsh da:Danish de:German el:Greek en:English es:Spanish et:Estonian
eu:Basque fa:Persian fi:Finnish fo:Faroese fr:French fro:Old_French ga:Irish gd:Scottish_Gaelic
gl:Galician got:Gothic grc:Ancient_Greek he:Hebrew hi:Hindi hr:Croatian hu:Hungarian hy:Armenian
id:Indonesian is:Icelandic it:Italian ja:Japanese ka:Georgian kk:Kazakh ko:Korean la:Latin
lt:Lithuanian lv:Latvian mr:Marathi mt:Maltese nb:Norwegian_Bokmål nl:Dutch nn:Norwegian_Nynorsk
no:Norwegian pl:Polish pt:Portuguese ro:Romanian ru:Russian sa:Sanskrit sk:Slovak sl:Slovenian
sr:Serbian sv:Swedish ta:Tamil te:Telugu th:Thai tr:Turkish ug:Uyghur uk:Ukrainian ur:Urdu
vi:Vietnamese wo:Wolof zh:Chinese"""
NAMES = {code: name.replace("_", " ") for code, name in (p.split(":") for p in _TABLE.split())}
_CODES = {name.lower(): code for code, name in NAMES.items()}


def name_of(code: str) -> str:
    """Return the English name of a language; an unknown code stands for itself."""
    return NAMES.get(code, code)


def code_of(name: str) -> str | None:
    """Return the code of a language by its English name, or None."""
    return _CODES.get(name.lower())
