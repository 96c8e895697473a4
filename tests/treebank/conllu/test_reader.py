"""The reader is lossless, rejects invalid trees, and names file and line."""

import gzip
import io
import pickle
import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dodona.treebank.conllu.errors import BadSentence, TreebankError
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence
from support.treebanks import DATA

TREEBANKS = sorted(DATA.glob("*/*.conllu"))

ORACLE = b"""\
# sent_id = 1
# text = L'oak's voice spoke.
1-2\tL'oak\t_\t_\t_\t_\t_\t_\t_\t_
1\tL'\tle\tDET\tD\tDefinite=Def\t2\tdet\t2:det\t_
2\toak\toak\tNOUN\tN\t_\t4\tnmod\t4:nmod\tSpaceAfter=No
3\t's\t's\tPART\tP\t_\t2\tcase\t2:case\t_
4\tvoice of old\tvoice\tNOUN\tN\tNumber=Sing\t5\tnsubj\t5:nsubj\t_
5\tspoke\tspeak\tVERB\tV\tTense=Past\t0\troot\t0:root\t_
5.1\tspoke\tspeak\tVERB\tV\t_\t_\t_\t5:conj\t_
6\t.\t.\tPUNCT\t.\t_\t5\tpunct\t5:punct\t_

"""


def words(*heads: object, ids: list[str] | None = None) -> str:
    ids = ids or [str(i + 1) for i in range(len(heads))]
    return "".join(f"{i}\tw\t_\t_\t_\t_\t{h}\td\t_\t_\n" for i, h in zip(ids, heads, strict=True))


def sentences(text: str | bytes, **options: object) -> list[Sentence | BadSentence]:
    data = text.encode() if isinstance(text, str) else text
    return list(read(io.BytesIO(data), name="x.conllu", **options))


# --- every byte comes back

FIELD = st.text(
    st.characters(exclude_characters="\t\n\r", exclude_categories=["Cs"]), min_size=1, max_size=5
)
COMMENT = FIELD.map(lambda text: f"#{text}")


@st.composite
def blocks(draw: st.DrawFn) -> list[str]:
    """The lines of one sentence: comments, words with a random tree, ranges, empty nodes."""
    n = draw(st.integers(1, 12))
    rng = random.Random(draw(st.integers(0, 2**32)))
    order = rng.sample(range(1, n + 1), n)
    heads = {word: rng.choice([0, *order[:k]]) for k, word in enumerate(order)}
    lines = draw(st.lists(COMMENT, max_size=2))
    range_end = 0
    for word in range(n + 1):
        if word:
            if word > range_end and draw(st.integers(0, 4)) == 0:
                range_end = draw(st.integers(word, n))
                lines.append(f"{word}-{range_end}" + f"\t{draw(FIELD)}" * 9)
            lines.append("\t".join([f"{word}", draw(FIELD), *"____", f"{heads[word]}", *"___"]))
        for k in range(draw(st.sampled_from([0, 0, 0, 0, 1, 2]))):
            lines.append(f"{word}.{k + 1}" + "\t_" * 8 + f"\t{draw(FIELD)}")
    return lines


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    lines: list[str] = []
    for block in draw(st.lists(blocks(), min_size=1, max_size=4)):
        lines += [""] * draw(st.sampled_from([0, 0, 1, 2]))
        lines += draw(st.sampled_from([[], [], ["# alone", ""]]))
        lines += [*block, ""]
    lines += draw(st.sampled_from([[], [""], ["", "# the end"], ["# the end", "", ""]]))
    ends = draw(st.sampled_from([["\n"], ["\r\n"], ["\n", "\r\n"]]))
    text = "".join(line + draw(st.sampled_from(ends)) for line in lines)
    text = draw(st.sampled_from(["", "\ufeff"])) + text
    return draw(st.sampled_from([text, text.rstrip("\r\n"), text.rstrip("\r\n") + "\r\n"])).encode()


@settings(max_examples=300, deadline=None)
@given(documents(), st.sampled_from([1, 2, 3, 7, 64, 1 << 18]))
def test_reading_and_writing_keeps_every_byte(document, chunk_size):
    found = sentences(document, chunk_size=chunk_size)
    assert b"".join(map(bytes, found)) == document
    assert [bytes(s) for s in found] == [bytes(s) for s in sentences(document)]
    same = [s.replace(heads=s.heads, lemmas=s.lemmas, feats=s.feats) for s in found]
    assert b"".join(map(bytes, same)) == document
    text = document.decode().removeprefix("\ufeff").replace("\r\n", "\n")
    lines = [line.split("\t") for line in text.split("\n") if line[:1] != "#"]
    assert [f for s in found for f in s.forms] == [f[1] for f in lines if f[0].isdigit()]
    assert [h for s in found for h in s.heads] == [int(f[6]) for f in lines if f[0].isdigit()]


@pytest.mark.skipif(not TREEBANKS, reason="no treebanks: set DODONA_DATA to their folder")
def test_real_treebanks_keep_every_byte():
    for path in TREEBANKS:
        assert b"".join(map(bytes, read(path))) == path.read_bytes(), path


def test_odd_but_legal_spaces_are_kept():
    text = "1\t a  b\u00a0\t\u3000\t\x0b\t\r\t\x85\t0\t \u2028\t\x1c\t\0\n\n"
    (s,) = sentences(text)
    assert s.forms == [" a  b\u00a0"] and s.upos == ["\x0b"] and s.misc == ["\0"]
    assert bytes(s).decode() == text


def test_line_is_that_of_the_first_comment_or_word():
    text = "\n\n# a\n" + words(0) + "\n\n# lost\n\n# b\n" + words(0) + "\n"
    assert [(s.line, s.comments) for s in sentences(text)] == [(3, ["# a"]), (7, ["# lost", "# b"])]


def test_an_empty_file_has_no_sentences():
    assert sentences(b"") == []


def test_memory_does_not_grow_with_the_file():
    """The peak of a fresh process, so that what C++ holds counts too."""
    resource = pytest.importorskip("resource")
    code = (
        "import io, resource, sys; from dodona.treebank.conllu.reader import read\n"
        "class File(io.RawIOBase):\n"
        "    def read(self, size): self.n -= 1; return BLOCK if self.n >= 0 else b''\n"
        "def peak(n):\n"
        "    file = File(); file.n = n\n"
        "    assert sum(len(s) for s in read(file)) == 6000 * n\n"
        "    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        f"BLOCK = {ORACLE!r} * 1000\n"
        "print(peak(20), peak(400))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    small, large = map(int, run.stdout.split())
    assert resource and large < 1.25 * small


# --- files


def test_gz_is_read_by_name_and_damage_is_reported(tmp_path):
    path = tmp_path / "a.conllu.gz"
    path.write_bytes(gzip.compress(ORACLE * 5000))
    assert b"".join(map(bytes, read(path))) == ORACLE * 5000
    path.write_bytes(path.read_bytes()[:-300])
    with pytest.raises(TreebankError, match=r"a\.conllu\.gz:\d+: the file is damaged"):
        list(read(path))
    path.write_bytes(ORACLE)
    with pytest.raises(TreebankError, match=r"a\.conllu\.gz:1: .*Not a gzipped file"):
        list(read(path))
    broken = bytearray(gzip.compress(ORACLE * 5000))
    broken[30:60] = bytes(30)
    path.write_bytes(broken)
    with pytest.raises(TreebankError, match="the file is damaged"):
        list(read(path))


def test_missing_files_and_folders_are_reported(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.conllu"):
        read(tmp_path / "none.conllu")
    with pytest.raises(TreebankError, match="this is a folder; expected a file"):
        read(tmp_path)


def test_text_files_are_refused():
    with pytest.raises(TypeError, match="opened in binary mode"):
        list(read(io.StringIO("1\t")))


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"format": "xml"}, "format is one of conllu, conllx; found 'xml'"),
        ({"trees": "no"}, "trees is one of required, optional, ignored; found 'no'"),
        ({"bad": "skip"}, "bad is one of raise, pass; found 'skip'"),
        ({"max_words": 0}, "max_words is from 1 to 10,000,000; found 0"),
        ({"chunk_size": 0}, "chunk_size is from 1 to 536,870,912; found 0"),
    ],
)
def test_unknown_options_are_refused(option, message):
    with pytest.raises(ValueError) as caught:
        read(io.BytesIO(), **option)
    assert str(caught.value) == message


def test_stdin_and_stdout_are_a_dash():
    code = (
        "from dodona import Writer, read\n"
        "with Writer('-') as w:\n    for s in read('-'): w.write(s)"
    )
    run = subprocess.run([sys.executable, "-c", code], input=ORACLE, capture_output=True)
    assert (run.stdout, run.stderr) == (ORACLE, b"")


def test_files_are_closed_when_read_or_left(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_bytes(ORACLE * 3)
    with read(path) as found:
        assert len(next(found)) == 6
    assert list(found) == []
    memory = io.BytesIO(ORACLE)
    assert len(list(read(memory))) == 1 and not memory.closed


def test_errors_survive_pickling():
    error = TreebankError("x", None, "m")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.source, copy.line, copy.message) == ("x: m", "x", None, "m")
