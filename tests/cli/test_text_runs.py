"""`dodona parse` on texts in threads: the same files, whatever the number of threads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dodona
from dodona.segmentation import pieces
from support.shell import Shell
from support.small import treebank


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "text.dodona"
    dodona.train(treebank(30, 1), pipeline="text", epochs=1).save(path)
    return path


def text_of(n_sentences: int, seed: int) -> str:
    found = (" ".join(sentence.forms) for sentence in treebank(n_sentences, seed))
    return "".join(f"{one}{' ' if i % 3 else chr(10) * (1 + i % 2)}" for i, one in enumerate(found))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small texts, an empty one, a longer one, and a treebank among them."""
    made = tmp_path_factory.mktemp("texts")
    for i in range(24):
        (made / f"{i:02}.txt").write_text(text_of(2 + i % 5, i), encoding="utf-8")
    (made / "07.txt").write_text("", encoding="utf-8")
    (made / "12.txt").write_text(text_of(150, 3), encoding="utf-8")
    (made / "18b.conllu").write_bytes(b"".join(map(bytes, treebank(5, 4))))
    return made


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("format", ["conllu", "conllx", "json"])
def test_files_do_not_depend_on_threads_and_pieces(
    shell: Shell, model: Path, folder: Path, tmp_path: Path, format: str, monkeypatch: Any
) -> None:
    made: list[dict[str, bytes]] = []
    for threads, piece in ((1, 20_000), (2, 500), (3, 3000), (5, 120)):
        monkeypatch.setattr(pieces, "PIECE", piece)
        out = tmp_path / f"{threads}"
        out.mkdir()
        run = shell("parse", model, folder, "-o", out, "--output", format, "--threads", threads)
        assert run.code == 0, run.err
        made.append(files_in(out))
    assert made[1:] == made[:1] * 3
    assert len(made[0]) == 25 and sum(not data for data in made[0].values()) == 1


def test_one_file_of_many_texts_is_what_the_parser_makes_of_each(
    shell: Shell, model: Path, folder: Path, tmp_path: Path
) -> None:
    parser, parts = dodona.load(model), []
    for path in sorted(folder.iterdir()):
        if path.suffix == ".conllu":
            parts += [bytes(s) for s in parser.pipe(dodona.read(path, trees="ignored"))]
        else:
            text = parser(path.read_text(encoding="utf-8")).to_conllu()
            text = text.replace("# newdoc\n", f"# newdoc id = {path.stem}\n")
            parts.append(text.replace("# sent_id = ", f"# sent_id = {path.stem}-").encode())
    out = tmp_path / "all.conllu"
    assert shell("parse", model, folder, "-o", out, "--threads", "3").code == 0
    assert out.read_bytes() == b"".join(parts)


@pytest.mark.parametrize("threads", ["1", "3"])
def test_files_before_a_bad_one_are_written_and_the_bad_one_is_not(
    shell: Shell, model: Path, folder: Path, tmp_path: Path, threads: str
) -> None:
    texts, out = tmp_path / "in", tmp_path / "out"
    texts.mkdir()
    out.mkdir()
    for name in ("a", "b", "d"):
        (texts / f"{name}.txt").write_text(text_of(4, 1), encoding="utf-8")
    (texts / "c.txt").write_bytes(text_of(4, 1).encode() + b"\xff\xfe")
    run = shell("parse", model, texts, "-o", out, "--threads", threads)
    assert run.code == 1 and "c.txt:" in run.err
    assert sorted(files_in(out)) == ["a.conllu", "b.conllu"]
