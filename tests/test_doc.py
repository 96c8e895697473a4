"""Documents: sequences of sentences and their conversions."""

from __future__ import annotations

import json
import pickle
from xml.etree import ElementTree

import pytest

from dodona import Doc, Sentence
from dodona.treebank.conllu.errors import TreebankError

OAKS = Sentence.from_columns(
    ["Oaks", "speak", "."],
    upos=["NOUN", "VERB", "PUNCT"],
    heads=[2, 0, 2],
    deprels=["nsubj", "root", "punct"],
    misc=["_", "SpaceAfter=No", "_"],
    comments=["# sent_id = 1"],
)
LISTEN = Sentence.from_columns(
    ["Listen", "!"],
    upos=["VERB", "PUNCT"],
    heads=[0, 1],
    deprels=["root", "punct"],
    misc=["SpaceAfter=No", "_"],
)


def test_a_document_is_a_sequence_of_sentences() -> None:
    doc = Doc(iter([OAKS, LISTEN]))
    assert len(doc) == 2 and list(doc) == [OAKS, LISTEN]
    assert doc[0] is OAKS and doc[-1] is LISTEN
    assert doc[1:] == Doc([LISTEN]) and isinstance(doc[1:], Doc)
    assert LISTEN in doc and doc.index(LISTEN) == 1
    assert repr(doc) == "<Doc of 2 sentences, 5 words>"
    with pytest.raises(IndexError):
        doc[2]
    with pytest.raises(TypeError, match="consists of sentences, not of 'Oaks'"):
        Doc(["Oaks"])  # type: ignore[list-item]


def test_words_of_all_sentences() -> None:
    assert [(w.id, w.form) for w in Doc([OAKS, LISTEN]).words] == [
        (1, "Oaks"),
        (2, "speak"),
        (3, "."),
        (1, "Listen"),
        (2, "!"),
    ]


def test_the_text_is_given_or_put_together() -> None:
    assert Doc([OAKS, LISTEN]).text == "Oaks speak. Listen!"
    assert Doc([OAKS, LISTEN], "Oaks  speak.\n\nListen!").text == "Oaks  speak.\n\nListen!"
    assert Doc([LISTEN, OAKS])[:1].text == "Listen!"
    glued = Sentence.from_columns(["So"], misc=["SpaceAfter=No"])
    assert Doc([glued, LISTEN]).text == "SoListen!"
    assert Doc([]).text == ""


def test_equality_asks_for_sentences_and_text() -> None:
    assert Doc([OAKS]) == Doc([OAKS]) and hash(Doc([OAKS])) == hash(Doc([OAKS]))
    assert Doc([OAKS]) == Doc([OAKS], "Oaks speak.")
    assert Doc([OAKS]) != Doc([OAKS], "Oaks speak .") and Doc([OAKS]) != Doc([LISTEN])
    assert Doc([OAKS]) != [OAKS]


def test_conllu_there_and_back() -> None:
    doc = Doc([OAKS, LISTEN])
    text = doc.to_conllu()
    assert text == (bytes(OAKS) + bytes(LISTEN)).decode()
    assert Doc.from_conllu(text) == doc == Doc.from_conllu(text.encode())
    assert Doc.from_conllu("") == Doc([])
    without_end = Doc.from_conllu(text.rstrip("\n"))
    assert Doc([*without_end, OAKS]).to_conllu() == text + bytes(OAKS).decode()


def test_conllu_is_checked() -> None:
    with pytest.raises(TreebankError, match="<text>:1: expected 10"):
        Doc.from_conllu("1\tx\n\n")
    circle = "1\ta\t_\t_\t_\t_\t2\tx\t_\t_\n2\tb\t_\t_\t_\t_\t1\tx\t_\t_\n\n"
    with pytest.raises(TreebankError, match="<text>:1"):
        Doc.from_conllu(circle)
    assert len(Doc.from_conllu(circle, trees="ignored")) == 1


def test_one_picture_of_all_sentences() -> None:
    svg = Doc([OAKS, LISTEN]).to_svg()
    picture = ElementTree.fromstring(svg)
    inner = picture.findall("{http://www.w3.org/2000/svg}svg")
    assert len(inner) == 2 and svg.count("<style") == 1 and svg.count('class="word"') == 5
    first, second = ([float(i.get(key, "")) for key in ("y", "width", "height")] for i in inner)
    assert first[0] == 0 and second[0] == first[2]
    assert float(picture.get("height", "")) == pytest.approx(first[2] + second[2])
    assert float(picture.get("width", "")) == max(first[1], second[1])
    assert ElementTree.fromstring(Doc([]).to_svg()) is not None


def test_a_notebook_shows_the_first_sentences() -> None:
    assert Doc([OAKS, LISTEN])._repr_html_() == Doc([OAKS, LISTEN]).to_svg()
    shown = Doc([OAKS] * 1025)._repr_html_()
    assert shown.count("<svg") == 21 and shown.endswith("… and 1,005 more sentences</p>")


def test_a_page_of_all_sentences() -> None:
    page = Doc([OAKS, LISTEN]).to_html(title="Oaks & co", tags=None)
    assert page.count("<svg") == page.count("<figure>") == 2 and page.count("<style") == 1
    assert "<title>Oaks &amp; co</title>" in page and ">Oaks speak.</figcaption>" in page
    assert 'class="tag"' not in page


def test_a_document_as_json() -> None:
    doc = Doc([OAKS, LISTEN])
    found = json.loads(doc.to_json())
    assert found == doc.to_dict() == json.loads(doc.to_json(indent=2))
    assert found["text"] == doc.text
    assert [len(s["words"]) for s in found["sentences"]] == [3, 2]
    assert found["sentences"][0]["words"][0]["deprel"] == "nsubj"


def test_documents_survive_pickle() -> None:
    doc = Doc([OAKS, LISTEN], "Oaks speak.\nListen!")
    again = pickle.loads(pickle.dumps(doc))
    assert again == doc and again.text == doc.text and again.to_conllu() == doc.to_conllu()


def test_a_document_prints_as_its_text() -> None:
    assert str(Doc([OAKS, LISTEN])) == Doc([OAKS, LISTEN]).text == "Oaks speak. Listen!"
    assert f"{Doc([OAKS], 'Oaks  speak.')}" == "Oaks  speak."


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("sents", "sentences"),
        ("noun_chunks", "noun_phrases()"),
        ("iter_words", "words"),
        ("num_tokens", "len(doc.words)"),
        ("heads", "sentence.heads, for each sentence"),
        ("tree", "sentence.tree()"),
        ("ents", "no named entities"),
    ],
)
def test_habits_from_other_libraries_are_answered(name: str, ours: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(Doc([OAKS]), name)
    assert str(caught.value).startswith(f"a document has no attribute {name!r}; here that is ")
    assert ours in str(caught.value)
