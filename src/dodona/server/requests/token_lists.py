"""Tokenised sentences without annotation: UDPipe's formats, and lists in JSON."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence

from dodona.server.errors import bad
from dodona.server.requests.sentences import MAX_WORDS, too_long
from dodona.treebank.sentence import Sentence

MAX_SPACES = 10 * MAX_WORDS  # in a sentence

_NO_BREAK_SPACE = "\xa0"  # stands for a space inside a word


def read_horizontal(data: bytes) -> Iterator[Sentence]:
    """Read a sentence per line, words separated by spaces; a blank line begins a paragraph.

    >>> data = "Oaks whisper\\n10\\xa0000 answers".encode()
    >>> [sentence.forms for sentence in read_horizontal(data)]
    [['Oaks', 'whisper'], ['10 000', 'answers']]
    """
    return _number(map(_split, _lines(data)))


def read_vertical(data: bytes) -> Iterator[Sentence]:
    """Read a word per line, up to its first tab; a blank line ends a sentence.

    >>> [sentence.forms for sentence in read_vertical(b"Oaks\\nwhisper\\n\\nAsk\\n")]
    [['Oaks', 'whisper'], ['Ask']]
    """
    return _number(_paragraphs(_lines(data)))


def read_tokens(sentences: object) -> Iterator[Sentence]:
    """Read lists of words, as in JSON.

    >>> [sentence.forms for sentence in read_tokens([["Oaks", "whisper"]])]
    [['Oaks', 'whisper']]
    """
    for words in sentences if isinstance(sentences, list) else [None]:
        if not isinstance(words, list) or not words or not all(map(_is_word, words)):
            raise bad('tokens must be lists of non-empty words: [["Oaks", "whisper"]]')
        if len(words) > MAX_WORDS:
            raise too_long(f"{len(words):,} words")
        yield _sentence(words)


def _is_word(word: object) -> bool:
    return isinstance(word, str) and bool(word.strip())


def _lines(data: bytes) -> Iterator[str]:
    """Yield lines as files have them; `splitlines` also splits at characters within words."""
    for line in io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"):
        yield line.removesuffix("\n")


def _split(line: str) -> list[str]:
    """Split a line into words; the number of spaces is checked first to save memory."""
    words = line.replace("\t", " ")
    if words.count(" ") > MAX_SPACES:
        raise too_long(f"more than {MAX_WORDS:,} words")
    return words.split(" ")


def _paragraphs(lines: Iterable[str]) -> Iterator[list[str]]:
    words: list[str] = []
    for line in lines:
        word = line.lstrip("\t").partition("\t")[0].strip(" ")
        if word:
            words.append(word)
            if len(words) > MAX_WORDS:
                raise too_long(f"more than {MAX_WORDS:,} words")
        else:
            yield words
            words = []
    yield words


def _number(found: Iterable[Sequence[str]]) -> Iterator[Sentence]:
    """Yield sentences with UDPipe's comments."""
    number, comments = 0, ["# newdoc", "# newpar"]
    for words in found:
        forms = [word.replace(_NO_BREAK_SPACE, " ").strip() for word in words]
        forms = [form for form in forms if form]
        if not forms:
            comments = comments or ["# newpar"]
            continue
        number += 1
        yield _sentence(forms, [*comments, f"# sent_id = {number}"])
        comments = []


def _sentence(forms: Sequence[str], comments: Sequence[str] = ()) -> Sentence:
    try:
        return Sentence.from_columns(forms, comments=comments)
    except ValueError as error:
        raise bad(str(error)) from error
