"""TEI, brat and WebAnno TSV, read back by readers of the tests' own."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import dodona
from dodona.bridges.brat import to_brat
from dodona.bridges.tei import NAMESPACE, to_tei
from dodona.bridges.webanno import to_webanno
from dodona.synthetic.generator import write_treebank
from dodona.treebank.sentence import Sentence
from support.shell import Shell

ID = "{http://www.w3.org/XML/1998/namespace}id"
TEI = f"{{{NAMESPACE}}}"
Row = tuple[str, str, str, str, str, int, str]  # form, lemma, UPOS, XPOS, FEATS, head, label
ODD = """\
# sent_id = odd<1>
1\tA&B\t"a"\tX\tN*\tA=1\t4\tnsubj:pass\t_\tSpaceAfter=No
2\t<x>\t_\tPUNCT\t_\t_\t1\tpunct\t_\t_
3-4\t\U0001d54fdu\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
3\t\U0001d54fde\tde\tADP\t_\t_\t4\tcase\t_\t_
4\tle_[le]\tle\tDET\tP;DAT\tB=2\t0\troot\t_\t_
5\t.\t.\tPUNCT\t_\t_\t4\tpunct\t_\t_

"""


@pytest.fixture
def sentences(tmp_path: Path) -> list[Sentence]:
    write_treebank(tmp_path / "gold.conllu", 15, seed=4, nonprojective=0.3)
    return [*dodona.Doc.from_conllu(ODD), *dodona.read(tmp_path / "gold.conllu")]


def rows(sentence: Sentence) -> list[Row]:
    return [
        (w.form, w.lemma, w.upos, w.xpos, w.feats, w.head or 0, w.deprel) for w in sentence.words
    ]


def test_tei_has_words_tags_and_arcs(sentences: list[Sentence]) -> None:
    root = ElementTree.fromstring(to_tei(sentences))
    elements = root.findall(f".//{TEI}s")
    assert [read_tei(element) for element in elements] == [rows(s) for s in sentences]
    assert elements[0].get("n") == "odd<1>"
    texts = ["".join(tei_tokens(element)).rstrip() for element in elements]
    assert texts == [sentence.text for sentence in sentences]


def read_tei(element: ElementTree.Element) -> list[Row]:
    words = [w for w in element.iter() if w.tag in (f"{TEI}w", f"{TEI}pc") and w.get(ID)]
    number = {f"#{w.get(ID)}": i for i, w in enumerate(words, 1)} | {f"#{element.get(ID)}": 0}
    arcs = {}
    for link in element.iter(f"{TEI}link"):
        head, dependent = link.attrib["target"].split()
        arcs[number[dependent]] = number[head], link.attrib["ana"].removeprefix("ud-syn:")
    found: list[Row] = []
    for i, word in enumerate(words, 1):
        upos, _, feats = word.get("msd", "UPosTag=_").removeprefix("UPosTag=").partition("|")
        head, label = arcs[i]
        form, label = word.get("norm", word.text or ""), label.replace("_", ":")
        lemma, xpos = word.get("lemma", "_"), word.get("pos", "_")
        found.append((form, lemma, upos, xpos, feats or "_", head, label))
    return found


def tei_tokens(element: ElementTree.Element) -> list[str]:
    tokens = [w for w in element if w.tag in (f"{TEI}w", f"{TEI}pc")]
    return [(w.text or "") + (" " if w.get("join") != "right" else "") for w in tokens]


def test_characters_that_xml_cannot_contain_are_replaced() -> None:
    found = ElementTree.fromstring(to_tei([Sentence.from_columns(["a\x01b"])]))
    assert next(found.iter(f"{TEI}w")).text == "a\ufffdb"


def test_brat_offsets_lead_to_the_tokens(sentences: list[Sentence]) -> None:
    text, annotations = to_brat(sentences)
    assert len(text.splitlines()) == len(sentences)
    words, arcs, notes = {}, {}, {}
    for line in annotations.splitlines():
        name, middle, *last = line.split("\t")
        if name.startswith("T"):
            kind, start, end = middle.split()
            assert text[int(start) : int(end)] == last[0]
            words[name] = kind
        elif name.startswith("R"):
            label, head, dependent = re.split(" Arg[12]:", middle)
            arcs[dependent] = label, head
        else:
            notes[middle.split()[1]] = last[0]
    names = iter(words)
    for sentence in sentences:
        own = [next(names) for _ in sentence]
        for name, row in zip(own, rows(sentence), strict=True):
            assert words[name] == row[2]
            assert notes.get(name, "_ _ _") == " ".join((row[1], row[3], row[4]))
            head = own[row[5] - 1] if row[5] else None
            expected = (row[6].replace(":", "-"), head) if head else None
            assert arcs.get(name) == expected


def test_webanno_positions_lead_to_heads_and_offsets_to_forms(sentences: list[Sentence]) -> None:
    lines = to_webanno(sentences).splitlines()
    assert lines[0] == "#FORMAT=WebAnno TSV 3.3"
    layers = [line for line in lines if line.startswith(("#T_SP=", "#T_RL="))]
    assert sum(line.count("|") for line in layers) == 7
    texts = [line.removeprefix("#Text=") for line in lines if line.startswith("#Text=")]
    whole = "\n".join(texts).encode("utf-16-le")
    found: list[list[Row]] = [[] for _ in sentences]
    for line in lines:
        if not re.match(r"\d+-\d+\t", line):
            continue
        position, span, form, *cells, nothing = line.split("\t")
        assert nothing == ""
        feats, upos, xpos, lemma, label, flavor, head = map(unescape, cells)
        start, end = (2 * int(number) for number in span.split("-"))
        assert whole[start:end].decode("utf-16-le") == form
        assert flavor == "basic"
        sentence, word = map(int, position.split("-"))
        of, above = map(int, head.split("-"))
        assert of == sentence
        row = (form, lemma, upos, xpos, feats, 0 if above == word else above, label)
        found[sentence - 1].append(row)
    assert found == [rows(sentence) for sentence in sentences]


def unescape(cell: str) -> str:
    return "_" if cell == "*" else re.sub(r"\\(->|.)", r"\1", cell)


@pytest.mark.parametrize(("name", "start"), [("x.tei.xml", "<?xml"), ("x.tsv", "#FORMAT=WebAnno")])
def test_the_name_of_the_output_chooses_the_format(
    shell: Shell, tmp_path: Path, name: str, start: str
) -> None:
    (tmp_path / "in.conllu").write_text(ODD)
    assert shell("convert", tmp_path / "in.conllu", "-o", tmp_path / name).code == 0
    assert (tmp_path / name).read_text().startswith(start)


def test_brat_writes_two_files_and_never_replaces_another_text(
    shell: Shell, tmp_path: Path
) -> None:
    (tmp_path / "in.conllu").write_text(ODD)
    assert shell("convert", tmp_path / "in.conllu", "-o", tmp_path / "x.ann").code == 0
    assert (tmp_path / "x.txt").read_text() == "A&B<x> \U0001d54fdu.\n"
    assert shell("convert", tmp_path / "in.conllu", "-o", tmp_path / "x.ann").code == 0
    (tmp_path / "y.txt").write_text("precious")
    refused = shell("convert", tmp_path / "in.conllu", "-o", tmp_path / "y.ann")
    assert refused.code != 0
    assert "y.txt has another text" in refused.err
    assert (tmp_path / "y.txt").read_text() == "precious"
    assert not (tmp_path / "y.ann").exists()
    assert "give a name" in shell("convert", tmp_path / "in.conllu", "--to", "brat").err


def test_convert_does_not_write_onto_what_it_reads(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "in.conllu"
    path.write_text(ODD)
    assert "would be overwritten" in shell("convert", path, "-o", path).err
    assert path.read_text() == ODD
