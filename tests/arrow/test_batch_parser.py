"""Parsing of record batches of texts into record batches of trees."""

from __future__ import annotations

import pickle
import sys
import threading
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: dodona[arrow]")

import dodona  # noqa: E402
import dodona.arrow as da  # noqa: E402
from dodona.arrow import documents, model_cache  # noqa: E402
from dodona.enhancing.training import train_enhancer  # noqa: E402
from dodona.parsing.parser import Parser  # noqa: E402
from dodona.segmentation import pieces  # noqa: E402
from support.arrow_texts import NAMES, TEXTS, batch, parser, words_of  # noqa: E402
from support.small import enhanced, treebank  # noqa: E402
from support.small import parser as small_parser  # noqa: E402

KEPT = pa.schema({"doc_id": pa.int64()})


def table(made: Any) -> pa.Table:
    found = pa.Table.from_batches(made)
    found.validate(full=True)
    return found


@pytest.mark.parametrize("threads", [1, 2])
def test_words_are_those_of_the_parser(threads: int) -> None:
    made = table(da.mapper("en", keep=["doc_id"], threads=threads)([batch(), batch()]))
    assert made.to_pylist() == 2 * words_of(TEXTS)


@pytest.mark.parametrize("level", da.LEVELS)
def test_what_comes_out_is_what_the_schema_says(level: str) -> None:
    made = table(da.mapper("en", keep=["doc_id"], level=level)([batch([*TEXTS, None])]))
    assert made.schema == da.schema("en", level=level, keep=KEPT)
    assert made.column("error").to_pylist()[-1] == "the text is null"
    assert made.column("error").null_count == len(made) - 1


def test_a_table_says_what_made_it() -> None:
    made = da.Mapper("en", level="conllu")(batch())
    about = {b"dodona.version": version("dodona").encode(), b"dodona.model": b"en"}
    assert made.schema.metadata == about


def test_word_level_has_the_columns_of_the_contract() -> None:
    names = "sent_id id form lemma upos xpos feats head deprel start end error"
    assert da.schema("en").names == names.split()


@pytest.mark.parametrize("level", da.LEVELS)
def test_confidences_are_columns_if_asked_for(level: str) -> None:
    given = [batch([*TEXTS, None])]
    made = table(da.mapper("en", keep=["doc_id"], level=level, confidence=True)(given))
    assert made.schema == da.schema("en", level=level, keep=KEPT, confidence=True)
    if level == "word":
        docs = [parser()(text, confidence=True) for text in TEXTS]
        rows = [[word.confidence for word in doc.words] or [None] for doc in docs]
        assert made.column("confidence").to_pylist() == [
            *(one for row in rows for one in row),
            None,
        ]
        assert made.column("xpos_confidence").null_count == made.column("id").null_count == 3
    plain = table(da.mapper("en", keep=["doc_id"], level=level)(given))
    assert made.column("error") == plain.column("error")


def test_sentences_hold_their_words() -> None:
    made = table(da.mapper("en", keep=["doc_id"], level="sentence")([batch()])).to_pylist()
    docs = [parser()(text) for text in TEXTS]
    texts = [[s.text for s in doc] or [None] for doc in docs]  # a row for those without words
    assert [row["text"] for row in made] == [one for row in texts for one in row]
    nothing = [dict.fromkeys((*NAMES, "start", "end"))]
    flat = [
        {"doc_id": row["doc_id"], "sent_id": row["sent_id"]} | word | {"error": None}
        for row in made
        for word in row["words"] or nothing
    ]
    assert flat == words_of(TEXTS)
    for row in (row for row in made if row["words"]):
        assert row["start"] == row["words"][0]["start"] and row["end"] == row["words"][-1]["end"]


def test_documents_hold_their_sentences_and_none_is_lost() -> None:
    documents = table(da.mapper("en", keep=["doc_id"], level="document")([batch()])).to_pylist()
    sentences = table(da.mapper("en", keep=["doc_id"], level="sentence")([batch()])).to_pylist()
    assert [row["doc_id"] for row in documents] == list(range(len(TEXTS)))
    flat = [
        {"doc_id": row["doc_id"]} | sentence | {"error": None}
        for row in documents
        for sentence in row["sentences"]
    ]
    assert flat == [row for row in sentences if row["words"]]
    assert {row["doc_id"] for row in sentences} == {*range(len(TEXTS))}


def test_conllu_is_that_of_the_parser() -> None:
    made = table(da.mapper("en", level="conllu")([batch()]))
    assert made.column("conllu").to_pylist() == [parser()(text).to_conllu() for text in TEXTS]


@pytest.mark.parametrize("level", da.LEVELS)
def test_bad_rows_are_alone_with_their_errors(level: str) -> None:
    texts = [b"Oaks speak.", None, b"caf\xe9", b"x" * 50, b"They do."]
    made = da.mapper("en", keep=["doc_id"], level=level, max_chars=40)
    rows = table(made([batch(texts, pa.binary())])).to_pylist()
    errors = {row["doc_id"]: row["error"] for row in rows}
    assert errors == {
        0: None,
        1: "the text is null",
        2: "the text is not UTF-8: byte 3 is 0xe9",
        3: "the text is too long: 50 characters, at most 40",
        4: None,
    }
    for row in rows:
        found = {name for name, value in row.items() if value is not None}
        assert (found == {"doc_id", "error"}) == (row["doc_id"] in (1, 2, 3))


def test_a_string_that_is_not_utf8_is_an_error_of_its_row() -> None:
    bad = pa.array([b"good", b"\xff"], pa.binary()).view(pa.string())
    made = table(da.mapper("en", keep=[])([pa.record_batch({"text": bad})])).to_pylist()
    assert [row["error"] for row in made] == [None, "the text is not UTF-8: byte 0 is 0xff"]


def test_what_fails_in_the_parser_takes_nothing_else_along(monkeypatch: Any) -> None:
    whole = Parser.annotate

    def annotate(self: Any, *given: Any) -> Iterator[Any]:
        for part in whole(self, *given):
            if any("poison" in sentence.forms for block in part.found for sentence in block):
                raise RuntimeError("out of order")
            yield part

    texts = ["Oaks speak.", "Water and poison.", "They do."]
    expected = [row for row in words_of(texts) if row["doc_id"] != 1]
    monkeypatch.setattr(Parser, "annotate", annotate)
    made = table(da.mapper("en", keep=["doc_id"])([batch(texts)])).to_pylist()
    assert [row for row in made if row["doc_id"] != 1] == expected
    [bad] = [row for row in made if row["doc_id"] == 1]
    assert bad["error"] == "RuntimeError: out of order" and bad["form"] is None


def test_too_little_memory_is_no_error_of_a_row(monkeypatch: Any) -> None:
    def annotate(*_: Any, **__: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(Parser, "annotate", annotate)
    with pytest.raises(MemoryError):
        list(da.mapper("en")([batch()]))


KINDS = [pa.large_string(), pa.binary(), pa.large_binary(), pa.dictionary(pa.int32(), pa.string())]
KINDS += [getattr(pa, name)() for name in ("string_view", "binary_view") if hasattr(pa, name)]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_texts_of_every_kind(kind: pa.DataType) -> None:
    column = pa.array([*TEXTS, None]).cast(kind)
    sliced = pa.record_batch({"text": column}).slice(3)
    made = table(da.mapper("en", level="conllu")([sliced])).column("conllu").to_pylist()
    assert made == [*(parser()(text).to_conllu() for text in TEXTS[3:]), None]


def test_a_column_of_nothing_is_all_null() -> None:
    made = table(da.mapper("en")([pa.record_batch({"text": pa.nulls(2)})]))
    assert made.column("error").to_pylist() == ["the text is null"] * 2


def test_long_texts_are_read_in_pieces_and_come_out_whole(monkeypatch: Any) -> None:
    monkeypatch.setattr(pieces, "PIECE", 200)
    monkeypatch.setattr(documents, "CHUNK_CHARS", 300)
    texts = [" ".join(TEXTS[0] for _ in range(n)) for n in (1, 30, 2, 0, 3)]
    made = table(da.mapper("en", keep=["doc_id"])([batch(texts)]))
    assert made.to_pylist() == words_of(texts)
    assert made.column("form").num_chunks > 1, "several batches, so that memory stays small"


def test_kept_columns_get_other_names() -> None:
    rows = pa.record_batch({"id": ["a"], "text": ["Speak!"]})
    with pytest.raises(
        ValueError, match=r"'id' has the name of an output column.* keep=\{\"id\": \"doc_id\"\}"
    ):
        list(da.mapper("en", keep=["id"])([rows]))
    made = table(da.mapper("en", keep={"id": "doc_id"})([rows]))
    assert made.column("doc_id").to_pylist() == ["a", "a"] and made.column_names[0] == "doc_id"


def test_mistakes_are_told_at_once() -> None:
    for options, said in (
        ({"level": "words"}, "level is one of word, sentence"),
        ({"threads": 0}, "at least one thread"),
        ({"max_chars": 0}, "max_chars"),
        ({"text": "a", "tokens": "b"}, "either text or tokens"),
        ({"keep": ["a", "a"]}, "kept twice"),
    ):
        with pytest.raises(ValueError, match=said):
            da.mapper("en", **options)
    with pytest.raises(TypeError, match=r"list of columns: \['doc_id'\]"):
        da.mapper("en", keep="doc_id")
    with pytest.raises(ValueError, match="constraints are one of none, ud, not 'sud'"):
        list(da.mapper("en", constraints="sud")([batch()]))
    with pytest.raises(ValueError, match="roots is one of one, many, not 'two'"):
        list(da.mapper("en", roots="two")([batch()]))
    with pytest.raises(ValueError, match=r"no column 'body'.*there are: doc_id, text"):
        list(da.mapper("en", text="body")([batch()]))
    with pytest.raises(TypeError, match="'doc_id' holds int64; expected text"):
        list(da.mapper("en", text="doc_id")([batch()]))
    with pytest.raises(TypeError, match=r"list<string>"):
        list(da.mapper("en", tokens="text")([batch()]))
    with pytest.raises(TypeError, match='batch_format="pyarrow"'):
        da.Mapper("en")({"text": ["a"]})  # type: ignore[arg-type]


def test_a_table_in_a_table_out() -> None:
    parse = da.Mapper("en", keep=["doc_id"])
    given = pa.Table.from_batches([batch(), batch()])
    assert parse(given).to_pylist() == 2 * words_of(TEXTS)
    assert parse(batch()).to_pylist() == words_of(TEXTS)
    assert parse(given.slice(0, 0)).schema == da.schema("en", keep=KEPT)


def test_mappers_travel_light() -> None:
    for made in (da.mapper("en", keep=["doc_id"]), da.Mapper("en", keep=["doc_id"])):
        assert len(pickle.dumps(made)) < 1000
        again = pickle.loads(pickle.dumps(made))
        assert again.options == made.options and "'en'" in repr(again)


def test_a_model_is_loaded_once_and_again_when_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "my.dodona"
    parser().save(path)
    loaded: list[Parser] = []
    threads = [
        threading.Thread(target=lambda: loaded.append(model_cache.load_cached(str(path))))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({*map(id, loaded)}) == 1
    path.unlink()
    dodona.train(treebank(20, 1), epochs=1).save(path)
    assert model_cache.load_cached(str(path)).segmenter is None
    with pytest.raises(ValueError, match="no segmenter"):
        list(da.mapper(path)([batch()]))
    assert model_cache.load_cached(path.as_uri()).segmenter is None


def test_tokens_are_parsed_as_they_are() -> None:
    tokens = [["The", "oak", "speaks", "."], ["Don't", "listen"], [], None, ["a", None], ["a\tb"]]
    given = pa.record_batch({"doc_id": range(6), "t": pa.array(tokens)})
    made = table(da.mapper("en", tokens="t", keep=["doc_id"])([given.slice(1), given])).to_pylist()
    by_hand = list(
        parser().pipe(
            [dodona.Sentence.from_columns(tokens[0]), dodona.Sentence.from_columns(tokens[1])]
        )
    )
    good = [row for row in made[-10:] if row["id"] is not None]
    expected = [(word.form, word.upos, word.head, word.deprel) for s in by_hand for word in s]
    assert [(row["form"], row["upos"], row["head"], row["deprel"]) for row in good] == expected
    assert {row["start"] for row in good} == {None}
    assert {row["doc_id"]: row["error"] for row in made if row["error"]} == {
        3: "the tokens are null",
        4: "a token is null",
        5: "token 1 is empty or holds a tab or a line end",
    }


def test_tokens_of_several_sentences() -> None:
    tokens = [[["The", "oak"], [], ["speaks"]], [["One"]]]
    given = pa.record_batch({"t": pa.array(tokens)})
    made = table(da.mapper("en", tokens="t", level="sentence")([given])).to_pylist()
    assert [(row["sent_id"], row["text"]) for row in made] == [
        (1, "The oak"),
        (2, "speaks"),
        (1, "One"),
    ]


def test_graphs_have_a_column_of_their_own(tmp_path: Path) -> None:
    sentences = [enhanced(sentence) for sentence in treebank(30, 3)]
    made = dodona.train(sentences, graph="basic+enhanced", epochs=1)
    made.save(tmp_path / "graphs.dodona")
    schema = da.schema(tmp_path / "graphs.dodona")
    assert schema.names.index("deps") == schema.names.index("deprel") + 1
    forms = [sentence.forms for sentence in sentences[:5]]
    given = pa.record_batch({"t": pa.array(forms)})
    found = table(da.mapper(tmp_path / "graphs.dodona", tokens="t")([given])).column("deps")
    parsed = made.pipe(dodona.Sentence.from_columns(words) for words in forms)
    assert found.to_pylist() == [deps for sentence in parsed for deps in sentence.deps]
    assert {*found.to_pylist()} != {"_"}


def test_graphs_from_trees_have_a_column_on_demand(tmp_path: Path) -> None:
    enhancer = train_enhancer([enhanced(sentence) for sentence in treebank(30, 3)])
    made, path = small_parser().with_enhancer(enhancer), tmp_path / "enhancing.dodona"
    made.save(path)
    assert "deps" not in da.schema(path).names and "deps" in da.schema(path, graph=True).names
    forms = [sentence.forms for sentence in treebank(5, 4)]
    given = pa.record_batch({"t": pa.array(forms)})
    found = table(da.mapper(path, tokens="t", graph=True)([given])).column("deps")
    parsed = made.pipe((dodona.Sentence.from_columns(words) for words in forms), graph=True)
    assert found.to_pylist() == [deps for sentence in parsed for deps in sentence.deps]
    with pytest.raises(ValueError, match="no enhanced graphs"):
        da.mapper("en-linear", tokens="t", graph=True)([given])


@pytest.mark.parametrize("text", [*TEXTS, "  leading.\n \nand more"])
def test_words_and_text_give_the_same_conllu(text: str) -> None:
    made = table(da.mapper("en")([batch([text])]))
    assert da.to_conllu(made, text) == parser()(text).to_conllu()


def test_without_the_text_words_are_still_conllu() -> None:
    made = table(da.mapper("en")([batch([TEXTS[0]])]))
    again = dodona.Doc.from_conllu(da.to_conllu(made))
    for name in ("form", "upos", "head", "deprel"):
        expected = [getattr(word, name) for word in parser()(TEXTS[0]).words]
        assert [getattr(word, name) for word in again.words] == expected, name


def test_without_arrow_the_extra_is_named(monkeypatch: Any) -> None:
    for name in [name for name in sys.modules if name.startswith("dodona.arrow")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'pip install "dodona\[arrow\]"'):
        import dodona.arrow  # noqa: F401
