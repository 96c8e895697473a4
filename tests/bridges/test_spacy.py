"""Conversion to and from spaCy documents, and the spaCy pipeline component."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dodona import Doc, Sentence
from support.repository import LINEAR
from support.sentences import ORACLE
from support.small import train, treebank

spacy = pytest.importorskip("spacy", reason="spaCy is not installed: dodona[spacy]")


def sample() -> Doc:
    first = Sentence.from_columns(
        ["Oaks", "speak", "softly", "."],
        lemmas=["oak", "speak", "softly", "."],
        upos=["NOUN", "VERB", "ADV", "PUNCT"],
        xpos=["NNS", "VBP", "RB", "."],
        feats=["Number=Plur|NumType=Card", "Mood=Ind|Tense=Pres", "_", "_"],
        heads=[2, 0, 2, 2],
        deprels=["nsubj", "root", "advmod", "punct"],
        misc=["_", "_", "SpaceAfter=No", r"SpacesAfter=\s\n\n"],
    )
    second = Sentence.from_columns(
        ["Listen", "!"],
        upos=["VERB", "PUNCT"],
        heads=[0, 1],
        deprels=["root", "punct"],
        misc=["SpaceAfter=No", "SpaceAfter=No"],
    )
    return Doc([first, second])


def test_what_spacy_gets() -> None:
    doc = sample().to_spacy()
    assert doc.text == "Oaks speak softly. \n\nListen!"
    words = [token for token in doc if not token.is_space]
    assert [token.text for token in words] == ["Oaks", "speak", "softly", ".", "Listen", "!"]
    assert [token.head.text for token in words] == [
        "speak",
        "speak",
        "speak",
        "speak",
        "Listen",
        "Listen",
    ]
    assert [token.dep_ for token in words] == ["nsubj", "ROOT", "advmod", "punct", "ROOT", "punct"]
    assert [token.pos_ for token in words] == ["NOUN", "VERB", "ADV", "PUNCT", "VERB", "PUNCT"]
    assert [token.tag_ for token in words] == ["NNS", "VBP", "RB", ".", "", ""]
    assert str(words[1].morph) == "Mood=Ind|Tense=Pres" and words[0].lemma_ == "oak"
    assert [sent.root.text for sent in doc.sents] == ["speak", "Listen"]
    assert [token.text for token in doc if token.is_space] == ["\n\n"]


def columns(doc: Doc) -> list[Any]:
    names = ("forms", "lemmas", "upos", "xpos", "feats", "heads", "deprels")
    spaces = [[token.white_space for token in sentence.tokens] for sentence in doc]
    return [[getattr(sentence, name) for name in names] for sentence in doc] + spaces


def test_there_and_back() -> None:
    again = Doc.from_spacy(sample().to_spacy())
    assert columns(again) == columns(sample())
    assert again.text == "Oaks speak softly. \n\nListen!"
    for word in again.words:
        assert again.text[word.start : word.end] == word.form


@pytest.mark.parametrize("nonprojective", [0.0, 0.5])
def test_a_treebank_there_and_back(nonprojective: float) -> None:
    doc = Doc(treebank(30, 4, nonprojective))
    again = Doc.from_spacy(doc.to_spacy())
    assert [s.heads for s in again] == [s.heads for s in doc]
    assert [s.deprels for s in again] == [s.deprels for s in doc]
    assert [s.feats for s in again] == [s.feats for s in doc]


def test_the_words_of_a_token_have_no_space_between_them() -> None:
    doc = Doc.from_conllu(ORACLE).to_spacy()
    assert doc.text == "Allez-y àle chêne, vite! "
    assert [token.text for token in doc][2:4] == ["à", "le"]


def test_words_without_a_tree() -> None:
    bare = Doc([Sentence.from_columns(["Oaks", "speak"]), Sentence.from_columns(["Listen"])])
    doc = bare.to_spacy()
    assert not doc.has_annotation("DEP")
    assert [sent.text for sent in doc.sents] == ["Oaks speak", "Listen"]
    assert [s.heads for s in Doc.from_spacy(doc)] == [[None, None], [None]]
    blank = spacy.blank("en")("Oaks speak.")
    assert [s.forms for s in Doc.from_spacy(blank)] == [["Oaks", "speak", "."]]


def test_tags_that_spacy_does_not_know() -> None:
    doc = Doc([Sentence.from_columns(["a", "b"], upos=["XYZ", "_"], feats=["sg", "_"])]).to_spacy()
    assert [token.pos_ for token in doc] == ["X", ""]
    assert [str(token.morph) for token in doc] == ["", ""]


def test_white_space_of_spacy_is_no_word() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    text = "  Oaks  speak.\n\n \nListen !\t"
    doc = Doc.from_spacy(nlp(text))
    assert [s.forms for s in doc] == [["Oaks", "speak", "."], ["Listen", "!"]]
    assert doc.text == text
    assert doc[0].tokens[0].white_space == "  " and doc[0].tokens[-1].white_space == "\n\n \n"


def test_an_existing_vocabulary_is_used() -> None:
    vocab = spacy.blank("en").vocab
    assert sample().to_spacy(vocab).vocab is vocab


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("model") / "small.dodona"
    train(treebank(60, 1), tags="predicted").save(path)
    return str(path)


def pipeline(model: str) -> Any:
    nlp = spacy.blank("xx")
    nlp.tokenizer = spacy.tokenizer.Tokenizer(nlp.vocab)  # at spaces only
    nlp.add_pipe("dodona", config={"model": model})
    return nlp


def text_of(sentence: Sentence) -> str:
    return " ".join(sentence.forms)


def test_the_component_parses_as_the_parser_does(model: str) -> None:
    import dodona

    nlp, parser = pipeline(model), dodona.load(model)
    sentences = treebank(20, 5)
    docs = list(nlp.pipe(map(text_of, sentences), batch_size=7))
    for doc, sentence in zip(docs, sentences, strict=True):
        expected = parser.parse(Sentence.from_columns(sentence.forms))
        (found,) = Doc.from_spacy(doc)
        assert (found.forms, found.heads) == (expected.forms, expected.heads)
        assert found.deprels == expected.deprels
        assert (found.upos, found.feats) == (expected.upos, expected.feats)
    assert nlp(text_of(sentences[0])).to_bytes() == docs[0].to_bytes()


def test_sentences_found_before_are_kept(model: str) -> None:
    nlp = pipeline(model)
    nlp.add_pipe("sentencizer", before="dodona", config={"punct_chars": ["|"]})
    forms = [text_of(sentence) for sentence in treebank(3, 6)]
    doc = nlp(f"{forms[0]} |  {forms[1]} |\n\n{forms[2]}")
    assert [len(sent.text.split()) for sent in doc.sents] == [
        len(form.split()) + extra for form, extra in zip(forms, (1, 1, 0), strict=True)
    ]
    assert all(token.head.sent == token.sent for token in doc)
    assert doc.has_annotation("TAG") == any(word.xpos != "_" for word in Doc.from_spacy(doc).words)


def test_white_space_is_in_the_sentence_of_a_word(model: str) -> None:
    nlp = spacy.blank("xx")
    nlp.add_pipe("dodona", config={"model": model})
    doc = nlp("\n\n  oaks\n\nspeak\n")
    assert [token.text for token in doc if token.is_space] == ["\n\n  ", "\n\n", "\n"]
    assert len(list(doc.sents)) == 1
    assert [token.head.text for token in doc if token.is_space] == ["oaks", "oaks", "speak"]


def test_a_pipeline_is_saved_by_the_name_of_the_model(model: str, tmp_path: Path) -> None:
    nlp = pipeline(model)
    text = text_of(treebank(1, 7)[0])
    nlp.to_disk(tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    assert again.config["components"]["dodona"]["model"] == model
    assert again(text).to_bytes() == nlp(text).to_bytes()


def test_empty_documents_pass(model: str) -> None:
    nlp = pipeline(model)
    assert len(nlp("")) == 0
    assert [len(doc) for doc in nlp.pipe(["", "\n \n", ""])] == [0, len(nlp.make_doc("\n \n")), 0]


TEXT = "The old priests slept. They didn't sleep!\n\nZeus saw the oak trees."


@pytest.fixture(scope="module")
def english() -> Any:
    nlp = spacy.blank("en")
    nlp.add_pipe("dodona")
    return nlp


def test_the_english_model_is_there_without_a_word(english: Any) -> None:
    doc = english(TEXT)
    assert doc.text == TEXT and doc.lang_ == "en"
    sentences = [sent.text.strip() for sent in doc.sents]
    assert sentences == [
        "The old priests slept.",
        "They didn't sleep!",
        "Zeus saw the oak trees.",
    ]
    assert [sent.root.text for sent in doc.sents] == ["slept", "sleep", "saw"]
    assert {token.dep_ for token in doc if token.head.i == token.i} == {"ROOT"}
    assert [chunk.text for chunk in doc.noun_chunks] == [
        "The old priests",
        "They",
        "Zeus",
        "the oak trees",
    ]
    assert [chunk.text for chunk in list(doc.sents)[2].noun_chunks] == ["Zeus", "the oak trees"]
    assert all(doc.has_annotation(name) for name in ("TAG", "POS", "LEMMA", "MORPH", "DEP"))


def test_spacys_own_serialisation_keeps_everything(english: Any, tmp_path: Path) -> None:
    doc = english(TEXT)
    again = spacy.tokens.Doc(english.vocab).from_bytes(doc.to_bytes())
    assert Doc.from_spacy(again) == Doc.from_spacy(doc)
    (binned,) = spacy.tokens.DocBin(docs=[doc]).get_docs(english.vocab)
    assert Doc.from_spacy(binned) == Doc.from_spacy(doc)
    assert spacy.tokens.Doc(english.vocab).from_json(doc.to_json()).to_json() == doc.to_json()
    assert Doc.from_spacy(Doc.from_spacy(doc).to_spacy(lang="en")) == Doc.from_spacy(doc)


def test_a_pipeline_takes_its_model_along(model: str, tmp_path: Path) -> None:
    copy = tmp_path / "copy.dodona"
    copy.write_bytes(Path(model).read_bytes())
    nlp = pipeline(str(copy))
    text = text_of(treebank(1, 7)[0])
    expected = nlp(text).to_bytes()
    nlp.to_disk(tmp_path / "pipeline")
    data = nlp.to_bytes()
    copy.unlink()
    assert spacy.load(tmp_path / "pipeline")(text).to_bytes() == expected
    other = pipeline(str(copy))
    assert other.from_bytes(data)(text).to_bytes() == expected


def test_a_pipeline_takes_its_rules_along(tmp_path: Path) -> None:
    copy, beside = tmp_path / "copy.dodona", tmp_path / "copy.rules.toml"
    copy.write_bytes(LINEAR.read_bytes())
    beside.write_text('[[tags]]\nform = "Zeus"\nlemma = "Ζεύς"\n', encoding="utf-8")
    nlp = pipeline(str(copy))
    assert nlp("Zeus slept.")[0].lemma_ == "Ζεύς"
    nlp.to_disk(tmp_path / "pipeline")
    data = nlp.to_bytes()
    beside.unlink()
    other = pipeline(str(copy))
    assert other("Zeus slept.")[0].lemma_ == "Zeus"
    assert other.from_bytes(data)("Zeus slept.")[0].lemma_ == "Ζεύς"
    assert spacy.load(tmp_path / "pipeline")("Zeus slept.")[0].lemma_ == "Ζεύς"


def test_options_of_the_factory() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("dodona", config={"sentences": False, "threads": 2})
    assert len(list(nlp(TEXT).sents)) == 1
    with pytest.raises(ValueError, match="modle"):
        spacy.blank("en").add_pipe("dodona", config={"modle": "en"})
    nlp = spacy.blank("en")
    nlp.add_pipe("dodona", config={"constraints": "sud"})
    with pytest.raises(ValueError, match="constraints are one of none, ud, not 'sud'"):
        nlp(TEXT)


def test_a_document_of_a_language(english: Any) -> None:
    import dodona

    doc = dodona.load("en")(TEXT).to_spacy(lang="en")
    assert doc.lang_ == "en"
    assert next(doc.noun_chunks).text == "The old priests"
