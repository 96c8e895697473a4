"""Writers of pictures: what `open_writer` gives for the formats svg, html and tree."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from dodona.cli.outputs import PICTURES, open_writer
from dodona.treebank.conllu.errors import BadSentence, TreebankError
from support.small import treebank

BAD = BadSentence(b"1\n\n", TreebankError("x.conllu", 3, "expected <10> columns"))


def written(path: Path, format: str) -> str:
    with open_writer(str(path), format) as writer:
        for item in (*treebank(2, 1), BAD):
            writer.write(item)
    return path.read_text(encoding="utf-8")


def test_trees_as_text(tmp_path: Path) -> None:
    one, other = treebank(2, 1)
    text = written(tmp_path / "trees.txt", "tree")
    assert text == f"{one.tree()}\n\n{other.tree()}\n\nx.conllu:3: expected <10> columns\n\n"


def test_a_page(tmp_path: Path) -> None:
    text = written(tmp_path / "page.html", "html")
    assert text.startswith("<!DOCTYPE html>") and text.endswith("</html>\n")
    assert text.count("<svg") == 2 and text.count("<figure>") == 3
    assert "x.conllu:3: expected &lt;10&gt; columns" in text


def test_one_picture_of_all(tmp_path: Path) -> None:
    picture = ElementTree.fromstring(written(tmp_path / "all.svg", "svg"))
    assert len(picture.findall("{http://www.w3.org/2000/svg}svg")) == 2


@pytest.mark.parametrize("format", PICTURES)
def test_nothing_half_written_replaces_a_file(format: str, tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(RuntimeError), open_writer(str(path), format) as writer:
        writer.write(treebank(2, 1)[0])
        raise RuntimeError
    assert [file.name for file in tmp_path.iterdir()] == ["out"]
    assert path.read_text(encoding="utf-8") == "old"
