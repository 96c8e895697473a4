"""Sentences that come as plain words, as UDPipe's formats and people write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from dodona.server.errors import bad
from dodona.treebank.sentence import Sentence

_NO_BREAK_SPACE = "\xa0"  # stands for a space inside a word


def read_horizontal(text: str) -> Iterator[Sentence]:
    """A sentence a line, words between spaces; a blank line begins a paragraph.

    >>> [sentence.forms for sentence in read_horizontal("Oaks whisper\\n10\\xa0000 answers")]
    [['Oaks', 'whisper'], ['10 000', 'answers']]
    """
    return _number(line.replace("\t", " ").split(" ") for line in _lines(text))


def read_vertical(text: str) -> Iterator[Sentence]:
    """A word a line, up to its first tab; a blank line ends a sentence.

    >>> [sentence.forms for sentence in read_vertical("Oaks\\nwhisper\\n\\nAsk\\n")]
    [['Oaks', 'whisper'], ['Ask']]
    """
    return _number(_paragraphs(_lines(text)))


def read_tokens(sentences: object) -> Iterator[Sentence]:
    """Lists of words, as in JSON.

    >>> [sentence.forms for sentence in read_tokens([["Oaks", "whisper"]])]
    [['Oaks', 'whisper']]
    """
    for words in sentences if isinstance(sentences, list) else [None]:
        if not isinstance(words, list) or not words or not all(map(_is_word, words)):
            raise bad('tokens are lists of words, none of them empty: [["Oaks", "whisper"]]')
        yield _sentence(words)


def _is_word(word: object) -> bool:
    return isinstance(word, str) and bool(word.strip())


def _lines(text: str) -> list[str]:
    """Lines as files have them; `splitlines` knows more kinds of ends, which may be in words."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _paragraphs(lines: Iterable[str]) -> Iterator[list[str]]:
    words: list[str] = []
    for line in lines:
        word = line.lstrip("\t").partition("\t")[0].strip(" ")
        if word:
            words.append(word)
        else:
            yield words
            words = []
    yield words


def _number(found: Iterable[Sequence[str]]) -> Iterator[Sentence]:
    """Sentences with the comments that UDPipe gives them."""
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
