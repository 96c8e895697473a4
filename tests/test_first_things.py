"""Some twenty things that newcomers type first, through the real command or import.

They are what the issue trackers of spaCy, Stanza and UDPipe are full of: text on stdin, wrong model
names, wrong encodings, lists of texts, names of other libraries.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import dodona
from dodona import Doc, Parser

TEXT = "Zeus saw the oak trees. They didn't speak.\n"
COMMAND = [sys.executable, "-c", "from dodona.cli import main; main()"]


def run(*words: str, stdin: str | bytes = "", cwd: Path | None = None) -> tuple[int, str, str]:
    data = stdin.encode() if isinstance(stdin, str) else stdin
    utf8 = os.environ | {"PYTHONIOENCODING": "utf-8"}
    done = subprocess.run([*COMMAND, *words], input=data, capture_output=True, cwd=cwd, env=utf8)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture(scope="module")
def parser() -> Parser:
    return dodona.load("en")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "notes.txt").write_text(TEXT, encoding="utf-8")
    return tmp_path


def test_1_text_is_piped_into_the_parser() -> None:
    code, out, err = run("parse", "en", stdin=TEXT)
    assert (code, err, len(Doc.from_conllu(out))) == (0, "", 2)


def test_2_nothing_but_the_name_gives_help() -> None:
    code, out, _ = run()
    assert code == 2 and "Verbs:" in out and "parse" in out


def test_3_the_version() -> None:
    assert run("--version")[1] == f"dodona {dodona.__version__}\n"


def test_4_a_file_of_text_becomes_a_file_of_trees(notes: Path) -> None:
    assert run("parse", "en", "notes.txt", "-o", "notes.conllu", cwd=notes)[0] == 0
    assert len(list(dodona.read(notes / "notes.conllu"))) == 2


def test_5_the_model_of_another_library_is_not_found_but_ours_are_named() -> None:
    code, _, err = run("parse", "en_core_web_sm", stdin=TEXT)
    assert code == 1 and "models that ship: en" in err
    with pytest.raises(FileNotFoundError, match="models that ship: en"):
        dodona.load("english")


def test_6_a_sentence_as_an_argument_is_told_to_be_piped() -> None:
    code, _, err = run("parse", "en", "Zeus saw the oak trees.")
    assert code == 1 and 'To parse a text, pipe it: echo "…" | dodona parse en' in err


def test_7_a_list_of_tweets_is_a_list_of_documents(parser: Parser) -> None:
    tweets = ["oaks speak", "zeus sees", "listen"]
    assert [doc.text for doc in parser.docs(tweets)] == tweets
    with pytest.raises(TypeError, match="docs"):
        list(parser.pipe(tweets))  # type: ignore[type-var]


def test_8_a_tweet_a_line() -> None:
    code, out, _ = run("parse", "en", "--input", "lines", stdin="oaks speak\nzeus sees\n")
    assert (code, len(Doc.from_conllu(out))) == (0, 2)


def test_9_latin_1_is_not_turned_to_garbage(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_bytes("Un café.".encode("latin-1"))
    code, out, err = run("parse", "en", "old.txt", cwd=tmp_path)
    assert (code, out) == (1, "") and "--encoding latin-1" in err
    assert "café" in run("parse", "en", "old.txt", "--encoding", "latin-1", cwd=tmp_path)[1]


def test_10_a_folder_of_files(notes: Path) -> None:
    (notes / "texts").mkdir()
    for name in ("a.txt", "b.txt"):
        (notes / "texts" / name).write_text(TEXT)
    assert run("parse", "en", "texts", "-o", "out/", cwd=notes)[0] == 0
    assert sorted(p.name for p in (notes / "out").iterdir()) == ["a.conllu", "b.conllu"]


def test_11_json_lines() -> None:
    out = run("parse", "en", "--output", "json", stdin=TEXT)[1]
    word = json.loads(out.splitlines()[0])["words"][0]
    assert (word["form"], word["feats"], word["start"]) == ("Zeus", {"Number": "Sing"}, 0)


def test_12_the_words_of_a_document_as_in_spacy(parser: Parser) -> None:
    doc = parser(TEXT)
    assert [(w.text, w.upos) for w in doc.words][:2] == [("Zeus", "PROPN"), ("saw", "VERB")]


@pytest.mark.parametrize(
    ("name", "ours"), [("pos_", "upos"), ("dep_", "deprel"), ("lemma_", "lemma"), ("idx", "start")]
)
def test_13_names_of_spacy_are_told_in_ours(parser: Parser, name: str, ours: str) -> None:
    with pytest.raises(AttributeError, match=f"here that is {ours}"):
        getattr(parser(TEXT).words[0], name)
    with pytest.raises(AttributeError, match="here that is sentences"):
        _ = parser(TEXT).sents
    assert not hasattr(parser(TEXT), "nothing_like_it")


def test_14_as_in_stanza(parser: Parser) -> None:
    word = parser(TEXT).sentences[0].words[0]
    assert (word.text, word.head, word.deprel, word.lemma) == ("Zeus", 2, "nsubj", "Zeus")


def test_15_offsets_within_contractions(parser: Parser) -> None:
    doc = parser("They didn't speak.")
    assert [(w.text, w.start, w.end) for w in doc.words][1:3] == [("did", 5, 8), ("n't", 8, 11)]


def test_16_nothing_empty_and_none(parser: Parser) -> None:
    assert len(parser("")) == len(parser(" \n")) == 0
    with pytest.raises(TypeError, match="expected a text, not NoneType"):
        parser(None)  # type: ignore[arg-type]


def test_17_words_that_are_split_already(parser: Parser) -> None:
    (sentence,) = parser.pipe([dodona.Sentence.from_columns(["Zeus", "saw", "trees"])])
    assert sentence.heads == [2, 0, 2]
    code, out, _ = run("parse", "en", "--input", "tokens", stdin="Zeus saw trees\n")
    assert code == 0 and Doc.from_conllu(out)[0].heads == [2, 0, 2]


def test_18_a_picture(notes: Path) -> None:
    assert run("parse", "en", "notes.txt", "-o", "n.conllu", cwd=notes)[0] == 0
    assert run("draw", "n.conllu", "-o", "n.html", cwd=notes)[0] == 0
    assert (notes / "n.html").read_text(encoding="utf-8").count("<figure>") == 2


def test_19_is_my_file_all_right(notes: Path) -> None:
    (notes / "bad.conllu").write_text("1\tOak\t_\tFOO\t_\tCase\t0\troot\t_\t_\n\n")
    code, out, _ = run("validate", "bad.conllu", cwd=notes)
    assert code == 1
    assert "bad.conllu:1: error [2 upos]" in out and "[2 feats]" in out


def test_20_a_mistyped_verb_or_flag() -> None:
    assert "did you mean parse?" in run("parze")[2]
    assert "did you mean --threads" in run("parse", "--treads", "2")[2]


@pytest.mark.parametrize("verb", ["evaluate", "grep", "draw"])
def test_21_text_where_trees_are_expected(verb: str, notes: Path) -> None:
    files = ["notes.txt"] * 2 if verb == "evaluate" else ["notes.txt"]
    words = ["upos=VERB", *files] if verb == "grep" else files
    code, _, err = run(verb, *words, cwd=notes)
    assert code == 1
    assert err.startswith("notes.txt:1: expected 10") and "dodona parse en --input text" in err


def test_22_a_file_is_tagged_without_a_word_about_the_model(notes: Path) -> None:
    code, out, err = run("tag", "notes.txt", cwd=notes)
    assert (code, err) == (0, "")
    assert out == run("tag", "en", "notes.txt", cwd=notes)[1]


def test_23_a_text_as_the_value_of_a_flag() -> None:
    code, _, err = run("parse", "en", "--text", "Zeus saw the oak trees.")
    assert code == 2 and 'pipe it: echo "…" | dodona parse en' in err


def test_24_the_version_as_a_word() -> None:
    assert run("version") == run("--version")
