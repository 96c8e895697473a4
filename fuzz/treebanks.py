"""What is promised of every file of sentences, good or bad, in either format."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Literal
from zlib import crc32

import dodona
from dodona.treebank.conllu.errors import BadSentence, TreebankError
from dodona.treebank.conllu.writer import to_conllu, to_conllx
from dodona.treebank.graphs.enhanced import enhanced_graph
from dodona.treebank.trees.projectivity import is_projective, is_tree
from fuzz.parses import check_readable
from fuzz.target import promise

Item = dodona.Sentence | BadSentence
Format = Literal["conllu", "conllx"]

IDS = ["1", "2", "3", "9", "0", "1-2", "2-1", "2-4", "1.1", "0.1", "1.2", "1.0", "1-1", "01", "x"]
# form, lemma, upos, xpos, feats, head, deprel
VALUES: list[list[str]] = [
    ["oak", "_", " ", "#", "1\u20282", "a\x85b", "\x0b", "e\u0301", ""],
    ["oak", "_", "\x1c", ""],
    ["NOUN", "VERB", "_", "X", ""],
    ["NN", "_", ""],
    ["_", "Case=Nom", "Case=Nom|Number=Sing", "=", "|", "A=B|A=B", "Case", ""],
    ["0", "1", "2", "3", "4", "_", "-1", "00", "1.1", "99", "9" * 30, ""],
    ["root", "dep", "_", "a:b", "a|b", "dep\u2028", ""],
]


def read_treebank(data: bytes, format: Format) -> tuple[object, ...]:
    """Read in every way; tells how it went: what was found, and how the heads were."""
    found = list(dodona.read(io.BytesIO(data), format=format, trees="ignored", bad="pass"))
    promise(b"".join(map(bytes, found)) == data, "what is read is the file, byte for byte")
    good = [item for item in found if isinstance(item, dodona.Sentence)]
    number = crc32(data)
    if number % 4 == 0:
        _check_chunks(data, format, found, 1 + number // 4 % 9)
    looks = [_look(sentence, number % 16) for sentence in good]
    bad = [item.error.message[:30] for item in found if isinstance(item, BadSentence)]
    return min(len(good), 3), tuple(bad[:2]), _read_trees(data, format), tuple(looks[:2])


def _read_trees(data: bytes, format: Format) -> tuple[str, ...]:
    """Whether the file is one of trees; an error names the line."""
    said = []
    trees: Literal["required", "optional"]
    for trees in ("required", "optional"):
        try:
            for sentence in dodona.read(io.BytesIO(data), format=format, trees=trees):
                heads = sentence.heads
                if trees == "required":
                    known = [-1 if head is None else head for head in heads]
                    promise(is_tree(known), "with trees required, there are only trees")
                    is_projective(known)
            said.append("")
        except TreebankError as error:
            promise(error.line is None or error.line > 0, "an error names a line")
            said.append(error.message.partition(":")[0][:12])
    return tuple(said)


def _check_chunks(data: bytes, format: Format, found: Sequence[Item], size: int) -> None:
    """Bytes that come a few at a time are the same sentences."""
    again = list(
        dodona.read(io.BytesIO(data), format=format, trees="ignored", bad="pass", chunk_size=size)
    )
    promise(list(map(bytes, again)) == list(map(bytes, found)), "chunks change nothing")


def _look(sentence: dodona.Sentence, rare: int) -> tuple[object, ...]:
    """At all that a sentence can tell, at what is slow only now and then."""
    tokens = sentence.tokens
    promise(len(sentence) == len(sentence.forms) == len(sentence.heads), "as many as there are")
    promise(tokens[0].first == 1 and tokens[-1].last == len(sentence), "all words are in tokens")
    _ = sentence.text, sentence.sent_id, sentence.root, [word.children for word in sentence]
    if rare == 1:
        check_readable([sentence], "ignored")
        check_readable([to_conllu(sentence)], "ignored")
        to_conllx(sentence)
        sentence.to_dict()
    elif rare == 2:
        sentence.to_svg()
        if None not in sentence.heads and is_tree([head or 0 for head in sentence.heads]):
            sentence.tree(width=60)
    return (
        min(len(sentence), 4),
        len(tokens) < len(sentence),
        any(token.space_after for token in tokens),
        _graph(sentence),
        len(sentence.comments) > 0,
    )


def _graph(sentence: dodona.Sentence) -> object:
    """Whether there is one in DEPS, or what is wrong with it."""
    try:
        return len(enhanced_graph(sentence)) > 0 if sentence.format == "conllu" else None
    except TreebankError as error:
        return error.message[:12]
