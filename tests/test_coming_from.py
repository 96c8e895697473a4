"""The page for people who come from other tools: what its tables say is run, cell by cell."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import dodona
from dodona.synthetic.generator import write_treebank
from support.repository import ROOT
from support.shell import Shell

PAGE = (ROOT / "docs" / "how-to" / "coming-from.md").read_text(encoding="utf-8")
TEXT = "The old oaks speak. Two priestesses quickly told the king's men their answers, in verse."
WORD = 7  # "men": it has children, and words above it
LEAST_FEATURES = 20
NOT_RUN = ("dodona serve",)  # it would not end
CODE = re.compile(r"`([^`]+)`")


def rows(title: str) -> list[list[str]]:
    section = PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ") and "`" in line]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


FEATURES = rows("Twenty features of spaCy, Stanza and UDPipe")
IDS = [row[0] for row in FEATURES]


@pytest.fixture(scope="module")
def parser() -> dodona.Parser:
    return dodona.load("en")


@pytest.fixture(scope="module")
def doc(parser: dodona.Parser) -> dodona.Doc:
    return parser(TEXT)


@pytest.fixture(scope="module")
def ours(doc: dodona.Doc) -> dict[str, Any]:
    return {"doc": doc, "sentence": doc[1], "word": doc[1][WORD]}


def code(cell: str) -> str:
    found = CODE.fullmatch(cell)
    assert found, cell
    return found[1]


def test_twenty_features_stand_in_the_table() -> None:
    assert len(FEATURES) >= LEAST_FEATURES
    assert all(len(row) == 5 for row in FEATURES)


@pytest.mark.parametrize("row", FEATURES, ids=IDS)
def test_our_line_gives_a_value(row: list[str], ours: dict[str, Any]) -> None:
    value = eval(code(row[4]), dict(ours))
    assert value
    assert isinstance(value, str | int | list | dict | tuple)


@pytest.mark.parametrize("row", FEATURES, ids=IDS)
def test_spacy_gives_the_same(row: list[str], ours: dict[str, Any], doc: dodona.Doc) -> None:
    pytest.importorskip("spacy", reason="spaCy is not installed")
    theirs = doc.to_spacy()
    sent = list(theirs.sents)[1]
    value = eval(code(row[1]), {"doc": theirs, "sent": sent, "token": sent[WORD]})
    assert value == eval(code(row[4]), dict(ours))


@pytest.mark.parametrize("row", FEATURES, ids=IDS)
def test_documents_of_stanzas_shape_give_the_same(
    row: list[str], ours: dict[str, Any], doc: dodona.Doc
) -> None:
    if not CODE.fullmatch(row[2]):
        pytest.skip("Stanza has no such attribute")
    theirs = stanza_shape(doc)
    sentence = theirs.sentences[1]
    given = {"doc": theirs, "sentence": sentence, "word": sentence.words[WORD]}
    assert eval(code(row[2]), given) == eval(code(row[4]), dict(ours))


def stanza_shape(doc: dodona.Doc) -> SimpleNamespace:
    """Return an object with the attributes that Stanza documents for documents and words."""
    sentences = []
    for sentence in doc:
        words = [
            SimpleNamespace(
                id=i,
                text=sentence.forms[i - 1],
                lemma=sentence.lemmas[i - 1],
                upos=sentence.upos[i - 1],
                xpos=sentence.xpos[i - 1],
                feats=None if sentence.feats[i - 1] == "_" else sentence.feats[i - 1],
                head=sentence.heads[i - 1],
                deprel=sentence.deprels[i - 1],
                start_char=sentence[i - 1].start,
                end_char=sentence[i - 1].end,
            )
            for i in range(1, len(sentence) + 1)
        ]
        root = SimpleNamespace(id=0, text="ROOT")
        arcs = [([root, *words][w.head or 0], w.deprel, w) for w in words]
        sentences.append(SimpleNamespace(text=sentence.text, words=words, dependencies=arcs))
    return SimpleNamespace(text=doc.text, sentences=sentences)


def test_to_dict_has_stanzas_fields_under_our_names(doc: dodona.Doc) -> None:
    (line,) = (row[1] for row in rows("Stanza") if row[0] == "`doc.to_dict()`")
    words = eval(code(line), {"doc": doc})[1]
    expected = stanza_shape(doc).sentences[1].words
    for word, theirs in zip(words, expected, strict=True):
        feats = "|".join(f"{name}={value}" for name, value in word["feats"].items()) or None
        assert (word["id"], word["form"], word["lemma"], word["upos"], word["xpos"], feats) == (
            *(theirs.id, theirs.text, theirs.lemma, theirs.upos, theirs.xpos, theirs.feats),
        )
        assert (word["head"], word["deprel"], word["start"], word["end"]) == (
            *(theirs.head, theirs.deprel, theirs.start_char, theirs.end_char),
        )


def test_every_other_line_runs(
    parser: dodona.Parser,
    doc: dodona.Doc,
    shell: Shell,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("spacy", reason="spaCy is not installed")
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(("train", "dev")):
        write_treebank(tmp_path / f"{name}.conllu", 60, seed)
    (tmp_path / "notes.txt").write_text(TEXT)
    names: dict[str, Any] = {"dodona": dodona, "parser": parser, "doc": doc, "sentence": doc[1]}
    names |= {"text": TEXT, "texts": [TEXT], "pairs": [(TEXT, 1)], "words": ["Oaks", "speak"]}
    n_run = 0
    for title in ("spaCy", "Stanza", "UDPipe"):
        for row in rows(title):
            for line in CODE.findall(row[1]):
                if line.startswith("dodona "):
                    if line not in NOT_RUN:
                        result = shell(*shlex.split(line)[1:])
                        assert result.code == 0, (line, result.err)
                elif re.match(r"[\w.]+ ?[\[(=]|\[|print", line):
                    exec(line, names)
                else:
                    continue
                n_run += 1
    assert n_run >= LEAST_FEATURES
