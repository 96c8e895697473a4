"""UDPipe's output formats: conllu, epe, horizontal, vertical, plaintext, matxin."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from itertools import count
from typing import Any
from xml.sax.saxutils import quoteattr

from dodona.treebank.raw_text import original_text
from dodona.treebank.sentence import Sentence

SentenceWriter = Callable[[Sentence], str]

MAX_INDENT = 64  # spaces before a node; otherwise a long chain would be mostly spaces

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML 1.0
_TOKEN_RANGE = re.compile(r"(?:^|\|)TokenRange=(\d+):(\d+)")
_PARAGRAPH = re.compile(r"# new(?:doc|par)\b")


def write_horizontal(sentence: Sentence) -> str:
    """Write a sentence on a line, words separated by spaces; spaces in words become no-break.

    >>> write_horizontal(Sentence.from_columns(["10 000", "oaks"]))
    '10\\xa0000 oaks\\n'
    """
    return " ".join(form.replace(" ", "\xa0") for form in sentence.forms) + "\n"


def write_vertical(sentence: Sentence) -> str:
    """Write a word per line, and a blank line after the sentence."""
    return "\n".join(sentence.forms) + "\n\n"


def write_plaintext(sentence: Sentence) -> str:
    """Write the original text of a sentence with its white space.

    >>> misc = ["SpaceAfter=No", r"SpacesAfter=\\n"]
    >>> write_plaintext(Sentence.from_columns(["Ask", "!"], misc=misc))
    'Ask!\\n'
    """
    return original_text([sentence])


def write_plaintext_normalized(sentence: Sentence) -> str:
    """Write the text of a sentence on a line, with single spaces."""
    return " ".join(sentence.text.split()) + "\n"


def in_paragraphs(write: SentenceWriter) -> SentenceWriter:
    """Return a writer that adds a blank line before each paragraph and document but the first.

    >>> write = in_paragraphs(write_horizontal)
    >>> oaks = Sentence.from_columns(["Oaks"], comments=["# newpar"])
    >>> write(oaks) + write(oaks)
    'Oaks\\n\\nOaks\\n'
    """
    is_first = True

    def write_next(sentence: Sentence) -> str:
        nonlocal is_first
        begins = not is_first and any(map(_PARAGRAPH.match, sentence.comments))
        is_first = False
        return ("\n" if begins else "") + write(sentence)

    return write_next


def make_epe(*, ranges: bool) -> SentenceWriter:
    """Return a writer of JSON lines in the format of the EPE task (Oepen et al. 2017).

    >>> write = make_epe(ranges=True)
    >>> line = write(Sentence.from_columns(["Ask"], heads=[0], deprels=["root"], lemmas=["ask"]))
    >>> json.loads(line)["nodes"][0]["properties"]
    {'lemma': 'ask', 'upos': '', 'xpos': ''}
    """
    numbers = count(1)

    def write(sentence: Sentence) -> str:
        nodes = list(_epe_nodes(sentence, ranges=ranges))
        return json.dumps({"id": next(numbers), "nodes": nodes}, ensure_ascii=False) + "\n"

    return write


def _epe_nodes(sentence: Sentence, *, ranges: bool) -> Iterator[dict[str, Any]]:
    edges: dict[int, list[dict[str, Any]]] = {}
    for word, (head, label) in enumerate(zip(sentence.heads, sentence.deprels, strict=True), 1):
        edges.setdefault(head or 0, []).append({"label": _filled(label), "target": word})
    for word, head in enumerate(sentence.heads, start=1):
        row = sentence[word - 1]
        node: dict[str, Any] = {"id": word, "form": row.form}
        span = _TOKEN_RANGE.search(row.misc) if ranges else None
        if span:
            node |= {"start": int(span[1]), "end": int(span[2])}
        if head == 0:
            node["top"] = True
        properties = {name: _filled(getattr(row, name)) for name in ("lemma", "upos", "xpos")}
        pairs = (feature.partition("=") for feature in _filled(row.feats).split("|"))
        node["properties"] = properties | {name: value for name, _, value in pairs if value}
        if word in edges:
            node["edges"] = edges[word]
        yield node


def _filled(value: str) -> str:
    return "" if value == "_" else value


def write_matxin(sentence: Sentence) -> str:
    """Write the tree as XML, each node inside its head.

    >>> print(write_matxin(Sentence.from_columns(["Ask"], heads=[0], deprels=["root"])), end="")
    <SENTENCE ord="1" alloc="0">
     <NODE ord="1" alloc="0" form="Ask" lem="_" mi="_" si="root"/>
    </SENTENCE>
    """
    children: list[list[int]] = [[] for _ in range(len(sentence) + 1)]
    for word, head in enumerate(sentence.heads, start=1):
        children[head or 0].append(word)
    number = sentence.sent_id or "1"
    nodes = "".join(_nodes(sentence, children))
    return f'<SENTENCE ord={_quote(number)} alloc="0">\n{nodes}</SENTENCE>\n'


def _quote(text: str) -> str:
    """Quote an attribute value; U+FFFD replaces characters that XML does not allow.

    >>> _quote("\\x01oak & \\uffff") == '"\\ufffdoak &amp; \\ufffd"'
    True
    """
    return quoteattr(_FORBIDDEN.sub("\ufffd", text))


def _nodes(sentence: Sentence, children: list[list[int]]) -> Iterator[str]:
    """Yield opening and closing lines, without recursion: trees may be as deep as they are long."""
    columns = sentence.forms, sentence.lemmas, sentence.feats, sentence.deprels
    todo = [(word, 1, False) for word in reversed(children[0])]
    while todo:
        word, depth, is_end = todo.pop()
        if is_end:
            yield " " * min(depth, MAX_INDENT) + "</NODE>\n"
            continue
        form, lemma, feats, label = (_quote(column[word - 1]) for column in columns)
        end = ">" if children[word] else "/>"
        yield (
            f'{" " * min(depth, MAX_INDENT)}<NODE ord="{word}" alloc="0" '
            f"form={form} lem={lemma} mi={feats} si={label}{end}\n"
        )
        if children[word]:
            todo.append((word, depth, True))
            todo += [(child, depth + 1, False) for child in reversed(children[word])]


# the writers of the formats, and what they write around all sentences
FORMATS: dict[str, SentenceWriter] = {
    "conllu": Sentence.to_conllu,
    "horizontal": write_horizontal,
    "vertical": write_vertical,
    "plaintext": write_plaintext,
    "matxin": write_matxin,
}
AROUND = {"matxin": ("<corpus>\n", "</corpus>\n")}


def find_format(name: str, how: Collection[str] = (), *, ranges: bool = True) -> SentenceWriter:
    """Return the writer for the sentences of one answer.

    >>> find_format("horizontal")(Sentence.from_columns(["Oaks", "whisper"]))
    'Oaks whisper\\n'
    """
    if name == "epe":
        return make_epe(ranges=ranges)
    if "normalized_spaces" in how:
        return in_paragraphs(write_plaintext_normalized)
    return in_paragraphs(FORMATS[name]) if "paragraphs" in how else FORMATS[name]
