"""A file is written whole or not at all, and converting keeps what the other format can hold."""

import gzip
import io
import os
import stat
from pathlib import Path

import pytest

from dodona.treebank.conllu.errors import BadSentence, TreebankError
from dodona.treebank.conllu.reader import read
from dodona.treebank.conllu.writer import Writer, to_conllu, to_conllx
from dodona.treebank.sentence import Sentence

SPEAK = Sentence.from_columns(["Oaks", "speak"], heads=[2, 0], deprels=["nsubj", "root"])


def from_bytes(text: bytes, **options: object) -> Sentence:
    (found,) = read(io.BytesIO(text), **options)
    return found


def test_a_path_is_written_and_replaced_whole(tmp_path):
    path = tmp_path / "out.conllu"
    for n in (1, 3):
        with Writer(path) as writer:
            for _ in range(n):
                writer.write(SPEAK)
        assert path.read_bytes() == bytes(SPEAK) * n
    assert [p.name for p in tmp_path.iterdir()] == ["out.conllu"]


def test_a_missing_folder_is_named(tmp_path):
    with (
        pytest.raises(FileNotFoundError, match=r"the folder .*nowhere does not exist"),
        Writer(tmp_path / "nowhere" / "out.conllu"),
    ):
        pass


@pytest.mark.parametrize("name", ["out.conllu", "out.conllu.gz"])
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"old")
    with pytest.raises(RuntimeError), Writer(path) as writer:
        writer.write(SPEAK)
        raise RuntimeError
    assert path.read_bytes() == b"old" and [p.name for p in tmp_path.iterdir()] == [name]


def test_gz_is_written_by_name_and_always_alike(tmp_path):
    for name in ("a.conllu.gz", "b.conllu.gz"):
        with Writer(tmp_path / name) as writer:
            writer.write(SPEAK)
    a, b = ((tmp_path / name).read_bytes() for name in ("a.conllu.gz", "b.conllu.gz"))
    assert a == b and gzip.decompress(a) == bytes(SPEAK)


@pytest.mark.skipif(os.name == "nt", reason="modes and links are POSIX")
def test_modes_links_and_devices_stay(tmp_path):
    real, link = tmp_path / "real.conllu", tmp_path / "link.conllu"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to(real)
    with Writer(link) as writer:
        writer.write(SPEAK)
    assert link.is_symlink() and real.read_bytes() == bytes(SPEAK)
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    with Writer(os.devnull) as writer:
        writer.write(SPEAK)
    assert not Path(os.devnull).is_file()


def test_sentences_of_several_files_stay_apart():
    bom = b"\xef\xbb\xbf"
    raw = bytes(SPEAK)
    memory = io.BytesIO()
    with Writer(memory) as writer:
        for text in (
            bom + raw,
            bom + raw.rstrip(b"\n"),
            raw[:-1],
            raw.replace(b"\n", b"\r\n"),
            raw,
        ):
            writer.write(from_bytes(text))
    assert memory.getvalue() == bom + raw * 3 + raw.replace(b"\n", b"\r\n") + raw


def test_bad_sentences_are_written_as_they_are():
    memory = io.BytesIO()
    with Writer(memory, format="conllx") as writer:
        writer.write(BadSentence(b"junk\n\n", TreebankError("x", 1, "junk")))
    assert memory.getvalue() == b"junk\n\n"


def test_a_closed_writer_is_refused():
    with pytest.raises(ValueError, match="with statement"):
        Writer(io.BytesIO()).write(SPEAK)
    with pytest.raises(ValueError, match="format is conllu or conllx; found 'xml'"):
        Writer(io.BytesIO(), format="xml")


def test_conllx_keeps_the_words_alone():
    text = (
        b"# c\r\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\r\n1\ta\tl\tU\tX\tF\t2\td\t2:d\tm\r\n"
        b"1.1\te\t_\t_\t_\t_\t_\t_\t0:x\t_\r\n2\tb\t_\tU\t_\t_\t0\tr\t_\t_\r\n\r\n"
    )
    expected = b"1\ta\tl\tU\tX\tF\t2\td\t_\t_\n2\tb\t_\tU\t_\t_\t0\tr\t_\t_\n\n"
    memory = io.BytesIO()
    with Writer(memory, format="conllx") as writer:
        writer.write(from_bytes(text))
    assert memory.getvalue() == expected == bytes(to_conllx(from_bytes(text)))
    assert from_bytes(expected, format="conllx").forms == ["a", "b"]


def test_conllx_becomes_conllu_and_each_format_stays_itself():
    x = from_bytes(b"1\ta\tl\tU\tX\tF\t0\tr\t0\tpr\n", format="conllx")
    u = to_conllu(x)
    assert bytes(u) == b"1\ta\tl\tU\tX\tF\t0\tr\t_\t_\n\n" and u.format == "conllu"
    assert to_conllu(u) is u and to_conllx(x) is x
