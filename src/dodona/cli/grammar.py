"""The parser of command lines."""

import re
from collections.abc import Iterable
from typing import Any

from dodona.cli.errors import UsageError
from dodona.cli.flags import REQUIRED, Parameter
from dodona.core.base.values import LARGEST, show

# what other tools call these
ELSEWHERE = {"--format": "--output", "--outfile": "--out", "--heldout": "--dev"}
ELSEWHERE |= {"download": "get", "process": "parse"}


class CommandLine:
    """A command line, split into flags with their values and positional words.

    >>> from dodona.cli.flags import Flag
    >>> threads = Parameter("threads", int, False, 1, Flag("…"))
    >>> CommandLine(["--threads", "2"], [threads]).values(), CommandLine([], [threads]).values()
    ({'threads': 2}, {'threads': 1})
    >>> CommandLine(["--treads", "2"], [threads])
    Traceback (most recent call last):
    dodona.cli.errors.UsageError: unknown option --treads; did you mean --threads?
    """

    def __init__(self, words: Iterable[str], parameters: Iterable[Parameter]) -> None:
        self.parameters = list(parameters)
        self.texts: dict[str, str | bool] = {}  # values of flags, by parameter
        self.words: list[str] = []  # positional
        self.waiting: Parameter | None = None  # the flag whose value is the next word
        self.takes_flags = True  # until `--`
        self.flags = {name: p for p in self.parameters for name in p.spellings}
        for word in words:
            self._add(word)

    def values(self) -> dict[str, Any]:
        """Return the value of every parameter, checked, or its default."""
        if self.waiting is not None:
            self._fill(self.waiting, None)
        texts = self.texts | self._place_words()
        return {p.name: _convert(p, texts.get(p.name)) for p in self.parameters}

    def _add(self, word: str) -> None:
        waiting, self.waiting = self.waiting, None
        if waiting is not None and self._fill(waiting, word):
            return
        if not self.takes_flags or not word.startswith("-") or word == "-":
            self.words.append(word)
        elif word == "--":
            self.takes_flags = False
        else:
            self._add_flag(word)

    def _fill(self, parameter: Parameter, word: str | None) -> bool:
        """Set the value of a flag, and return whether the word was used for it."""
        # -1 can be the value of a flag, `--word` only after `=`
        is_value = word is not None and word not in self.flags and not word.startswith("--")
        fits = parameter.flag.fits
        if word is not None and is_value and (not fits or re.fullmatch(fits, word)):
            self.texts[parameter.name] = word
            return True
        if not parameter.flag.alone:
            name = parameter.long
            raise UsageError(f"{name} needs a value: {name} {parameter.metavar}")
        self.texts[parameter.name] = parameter.flag.alone
        return False

    def _add_flag(self, word: str) -> None:
        """Add a flag: `--out FILE`, `--out=FILE`, `-o FILE` or `-oFILE`."""
        name, is_joined, value = word.partition("=")
        if name not in self.flags and word[:2] in self.flags:
            name, is_joined, value = word[:2], "=", word[2:]
        parameter = self.flags.get(name)
        if parameter is None:
            raise UsageError(f"unknown option {name}{suggest(name, self.flags)}")
        if parameter.type is not bool:
            if is_joined:
                self.texts[parameter.name] = value
            else:
                self.waiting = parameter
        elif is_joined:
            raise UsageError(f"{name} takes no value; found {value!r}")
        else:
            self.texts[parameter.name] = parameter.spellings[name]

    def _place_words(self) -> dict[str, Any]:
        """Assign the positional words to parameters."""
        words, placed = self.words, dict[str, Any]()
        for parameter in self.parameters:
            if parameter.flag.positional and words:
                n_words = len(words) if parameter.is_list else 1
                placed[parameter.name] = words[:n_words] if parameter.is_list else words[0]
                words = words[n_words:]
        if words:
            by_flag = f"; --train {words[0]} trains on a file" if "--train" in self.flags else ""
            raise UsageError(f"unexpected argument {words[0]!r}{by_flag}")
        return placed


def _convert(parameter: Parameter, text: Any) -> Any:
    """Return the value of a text, or the default if there is none."""
    if text is None:
        if parameter.default is REQUIRED:
            raise UsageError(f"{parameter.title} is missing: {parameter.flag.help}")
        return parameter.default
    if isinstance(text, list):
        return [_convert(parameter, one) for one in text]
    try:
        value = parameter.type(text)
    except ValueError:
        value = None
    if not parameter.accepts(value):
        raise UsageError(f"{parameter.title} must be {parameter.expected}, not {show(text)}")
    if isinstance(value, (int, float)) and not abs(value) <= LARGEST:
        raise UsageError(f"{parameter.title}: the number is too large or not finite: {show(text)}")
    return value


def suggest(word: str, known: Iterable[str]) -> str:
    """Return the known words that resemble this one as the end of a message, or "".

    >>> suggest("--treads", ["--threads", "--out"]), suggest("pray", ["info"])
    ('; did you mean --threads?', '')
    """
    from difflib import get_close_matches

    names = list(known)
    same = ELSEWHERE.get(word)
    found = [same] if same in names else get_close_matches(word, names, n=2)
    return f"; did you mean {' or '.join(found)}?" if found else ""
