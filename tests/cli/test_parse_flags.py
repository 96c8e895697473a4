"""Every flag of `dodona parse`, for every kind of input: it takes effect, or is refused."""

from __future__ import annotations

import concurrent.futures
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: dodona[arrow]")

from pyarrow import parquet  # noqa: E402

from dodona.cli import main  # noqa: E402
from dodona.cli.flags import parameters  # noqa: E402
from dodona.cli.verbs.parse import parse  # noqa: E402
from dodona.parsing.parser import Parser  # noqa: E402
from dodona.storage import container  # noqa: E402
from support.shell import BAD  # noqa: E402
from support.text_models import some_text, text_model  # noqa: E402

TEXT, OTHER = some_text(1), some_text(2)
TAGGED = """\
1\tvun\t_\tX\t_\t_\t_\t_\t_\t_
2\tlen\t_\tX\t_\t_\t_\t_\t_\t_

"""


class Outcome(NamedTuple):
    """What a command wrote, and how it ended."""

    code: int
    files: dict[str, bytes]
    err: str


class Lab:
    """A folder with an input of each kind, and a record of what the parser is asked for."""

    def __init__(self, here: Path, capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        self.here, self.capfd, self.monkeypatch = here, capfd, monkeypatch
        self.seen: set[str] = set()
        self.n_runs = 0
        texts = {"text": [TEXT, OTHER], "other": [OTHER, TEXT], "d": [1, 2]}
        rows = [dict(zip(texts, row, strict=True)) for row in zip(*texts.values(), strict=True)]
        (here / "m.dodona").write_bytes(text_model(1))
        (here / "folder").mkdir()
        self.write("a.txt", f"{TEXT}\n\n{OTHER}\n".encode())
        self.write("folder/b.txt", TEXT.encode())
        self.write("a.conllu", TAGGED.encode())
        self.write("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())
        tokens = {"words": [TEXT.split(), OTHER.split()]}
        parquet.write_table(pa.table(texts | tokens), here / "a.parquet")

    def write(self, name: str, data: bytes) -> None:
        (self.here / name).write_bytes(data)

    def spy(self, owner: Any, name: str, note: Callable[..., str]) -> None:
        real = getattr(owner, name)

        def call(*args: Any, **keywords: Any) -> Any:
            self.seen.add(note(*args, **keywords))
            return real(*args, **keywords)

        self.monkeypatch.setattr(owner, name, call)

    def run(self, kind: str, *words: str, out: str | None = None) -> Outcome:
        """Run the command into a new folder, or into a file of it."""
        self.n_runs += 1
        target = Path(out or f"out{self.n_runs}")
        is_stdin = kind == "stdin"
        if is_stdin:
            data = io.BytesIO((self.here / "a.txt").read_bytes())
            self.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(data))
        name = "-" if is_stdin else kind
        self.seen.clear()
        with pytest.raises(SystemExit) as left:
            main(["parse", "m.dodona", name, "-o", f"{target}/", *words])
        files = sorted(path for path in target.rglob("[!_]*") if path.is_file())
        found = {path.name: path.read_bytes() for path in files}
        return Outcome(int(left.value.code or 0), found, self.capfd.readouterr().err)


@pytest.fixture
def lab(tmp_path: Path, capfd: Any, monkeypatch: pytest.MonkeyPatch) -> Lab:
    monkeypatch.chdir(tmp_path)
    return Lab(tmp_path, capfd, monkeypatch)


Check = Callable[[Lab, str], None]


def changes(*words: str, of: tuple[str, ...] = ()) -> Check:
    """Return a check that the output is another one than without the flag."""

    def check(lab: Lab, kind: str) -> None:
        before, after = lab.run(kind, *of), lab.run(kind, *of, *words)
        assert before.code == after.code == 0, after.err
        assert before.files and after.files and before.files != after.files

    return check


def refused(*words: str, says: str) -> Check:
    """Return a check that the flag is refused, and nothing is written."""

    def check(lab: Lab, kind: str) -> None:
        found = lab.run(kind, *words)
        assert found.code in (1, 2) and not found.files
        assert says in found.err and "Traceback" not in found.err

    return check


def asks(note: str, *words: str) -> Check:
    """Return a check that the flag reaches the search, the threads or the file of the model."""

    def check(lab: Lab, kind: str) -> None:
        pool = concurrent.futures.ThreadPoolExecutor
        lab.spy(Parser, "_search", lambda *args, **_: repr(args[1:]))
        lab.spy(pool, "__init__", lambda *args, **_: f"{args[1]} threads")
        lab.spy(container, "_map", lambda *_, **__: "mapped")
        assert lab.run(kind).code == 0 and note not in lab.seen
        found = lab.run(kind, *words)
        assert found.code == 0 and found.files, found.err
        assert note in lab.seen, lab.seen

    return check


def converts(lab: Lab, kind: str) -> None:
    text = "vun é len.\n" if kind != "a.conllu" else TAGGED.replace("vun", "vuné")
    lab.write(
        "folder/b.txt" if kind == "folder" else "a.txt" if kind == "stdin" else kind,
        text.encode("latin-1"),
    )
    assert lab.run(kind).code == 1
    found = lab.run(kind, "--encoding", "latin-1")
    assert found.code == 0 and any("é".encode() in data for data in found.files.values())


def skips(lab: Lab, kind: str) -> None:
    lab.write(kind, BAD + TAGGED.encode())
    assert lab.run(kind).code == 1
    assert lab.run(kind, "--skip-bad").code == 0


def keeps_heads(lab: Lab, kind: str) -> None:
    for head in (0, 2):
        lab.write(kind, TAGGED.replace("vun\t_\tX\t_\t_\t_", f"vun\t_\tX\t_\t_\t{head}").encode())
        found = lab.run(kind, "--given")
        assert found.code == 0, found.err
        (data,) = found.files.values()
        assert data.split(b"\t")[6] == str(head).encode()


def resumes(*words: str) -> Check:
    """Return a check that a second run is refused without --resume, and then parses nothing."""

    def check(lab: Lab, kind: str) -> None:
        assert lab.run(kind, *words, out="o").code == 0
        assert lab.run(kind, *words, out="o").code == 1
        lab.spy(Parser, "pipe", lambda _, sentences, **__: str(sentences and "parsed"))
        found = lab.run(kind, *words, "--resume", out="o")
        assert found.code == 0 and found.files and "parsed" not in lab.seen

    return check


def is_empty(lab: Lab, kind: str) -> None:
    found = lab.run(kind, "--shard", "1/2")
    assert found.code == 0 and not found.files, "there is one part, that of shard 0"


def leaves_out(lab: Lab, kind: str) -> None:
    """Check that a bad file stops a run without the flag only."""
    both = lab.here / "both"
    both.mkdir()
    (both / kind).write_bytes((lab.here / kind).read_bytes())
    (both / "bad.csv").write_bytes(b"oak\n")
    assert lab.run("both").code == 1
    found = lab.run("both", "--max-errors", "1")
    assert found.code == 0 and found.files and "1 file could not be read" in found.err


def plans(lab: Lab, kind: str) -> None:
    found = lab.run(kind, "--plan", out="o")
    assert found.code == 0 and not found.files and Path("o/_schema.json").exists()


def shows_help(lab: Lab, kind: str) -> None:
    assert lab.run(kind, "--help") == (0, {}, "")


def raises(lab: Lab, kind: str) -> None:
    with pytest.raises(ValueError, match="thread"):
        main(
            [
                "parse",
                "m.dodona",
                "a.txt" if kind == "stdin" else kind,
                "-o",
                "o/",
                "--debug",
                "--threads",
                "0",
            ]
        )


def shows_no_speed(lab: Lab, kind: str) -> None:
    lab.monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert "words/s" in lab.run(kind).err
    assert "words/s" not in lab.run(kind, "--quiet").err


def goes_elsewhere(lab: Lab, kind: str) -> None:
    assert lab.run(kind, out="one").files == lab.run(kind, out="two").files != {}


SENTENCES = ("a.txt", "a.conllu", "folder", "stdin")
CORPORA = ("a.jsonl", "a.parquet")
KINDS = (*SENTENCES, *CORPORA)


def of_corpora(
    flag: str, *values: str, texts: Check, tables: Check | None = None
) -> dict[str, Check]:
    """Return the checks of a flag that turns texts into a corpus, where they can be one."""
    no_stdin = "a corpus on stdin is JSON lines, Parquet or Arrow, but this is text"
    no_treebank = f"{flag} is for a corpus of tables or plain texts; a.conllu is a treebank"
    return {
        "a.txt": texts,
        "folder": texts,
        "a.conllu": refused(flag, *values, says=no_treebank),
        "stdin": refused(flag, *values, says=no_stdin),
        **dict.fromkeys(CORPORA, tables or changes(flag, *values)),
    }


def everywhere(check: Check) -> dict[str, Check]:
    return dict.fromkeys(KINDS, check)


def only_sentences(flag: str, *values: str, **checks: Check) -> dict[str, Check]:
    """Return the checks of a flag that a corpus refuses; others are given by kind."""
    unfit = refused(flag, *values, says=f"{flag} does not apply to a corpus")
    by_kind = {name.replace("_", "."): check for name, check in checks.items()}
    return {**dict.fromkeys(CORPORA, unfit), **by_kind}


NO_WORKERS = refused("--workers", "0", says="at least one worker is needed, not 0")
NO_SHARD = refused("--shard", "2/2", says="a shard is I/N, from 0/N to (N-1)/N")
NO_BUDGET = refused("--max-errors", "-1", says="max_errors is at least 0, not -1")
NO_TAGS = refused("--retag", says="--retag does not apply to")
NO_BAD = refused("--skip-bad", says="--skip-bad does not apply to")
NO_HEADS = refused("--given", says="--given does not apply to")
NOT_LINES = refused("--input", "lines", says="--input lines does not apply to a corpus")
WORDS = changes("--input", "tokens", "--text", "words")
FLAGS: dict[str, dict[str, Check]] = {
    "out": everywhere(goes_elsewhere),
    "input": dict.fromkeys(SENTENCES, changes("--input", "tokens"))
    | {"a.jsonl": NOT_LINES, "a.parquet": WORDS},
    "encoding": only_sentences("--encoding", "latin-1", **dict.fromkeys(SENTENCES, converts)),
    "output": everywhere(changes("--output", "json")),
    "threads": everywhere(asks("2 threads", "--threads", "2")),
    "roots": everywhere(asks("('many', None, None)", "--roots", "many")),
    "beam": everywhere(asks("(None, 3, None)", "--beam", "3")),
    "constraints": everywhere(asks("(None, None, 'ud')", "--constraints", "ud")),
    "graph": everywhere(refused("--graph", says="the model makes no enhanced graphs")),
    "confidence": everywhere(changes("--confidence")),
    "given": only_sentences(
        "--given", a_txt=NO_HEADS, folder=NO_HEADS, stdin=NO_HEADS, a_conllu=keeps_heads
    ),
    "k_best": only_sentences(
        *("--k-best", "2"), **dict.fromkeys(SENTENCES, changes("--k-best", "2"))
    ),
    "mapped": everywhere(asks("mapped", "--mapped")),
    "keep_tags": only_sentences("--keep-tags", **dict.fromkeys(SENTENCES, changes("--keep-tags"))),
    "retag": only_sentences(
        "--retag", a_txt=NO_TAGS, folder=NO_TAGS, stdin=NO_TAGS, a_conllu=changes("--retag")
    ),
    "skip_bad": only_sentences(
        "--skip-bad", a_txt=NO_BAD, folder=NO_BAD, stdin=NO_BAD, a_conllu=skips
    ),
    "rules": everywhere(refused("--rules", "none.toml", says="none.toml")),
    "else_": everywhere(refused("--else", "en", says="--else is for auto")),
    "text": of_corpora(
        *("--text", "other"), texts=refused("--text", "other", says="--text does not apply to it")
    ),
    "keep": of_corpora(
        *("--keep", "d"), texts=refused("--keep", "d", says="a plain text has no column 'd'")
    ),
    "level": of_corpora("--level", "sentence", texts=changes("--level", "sentence")),
    "resume": of_corpora(
        "--resume", texts=resumes("--output", "parquet"), tables=resumes("--keep", "d")
    ),
    "workers": of_corpora("--workers", "2", texts=NO_WORKERS, tables=NO_WORKERS),
    "shard": of_corpora("--shard", "1/2", texts=NO_SHARD, tables=is_empty),
    "max_errors": of_corpora("--max-errors", "1", texts=NO_BUDGET, tables=leaves_out),
    "plan": of_corpora("--plan", texts=plans, tables=plans),
    "quiet": everywhere(shows_no_speed),
    "debug": everywhere(raises),
    "help": everywhere(shows_help),
}


def test_no_flag_and_no_kind_is_left_out() -> None:
    assert {*FLAGS, "inputs"} == {parameter.name for parameter in parameters(parse)}
    assert all(checks.keys() == {*KINDS} for checks in FLAGS.values())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("flag", FLAGS)
def test_a_flag_takes_effect_or_is_refused(lab: Lab, flag: str, kind: str) -> None:
    FLAGS[flag][kind](lab, kind)


def test_constraints_are_in_the_manifest(lab: Lab) -> None:
    assert lab.run("a.jsonl", "--constraints", "ud", out="o").code == 0
    [header, *_] = Path("o/_dodona.jsonl").read_text().splitlines()
    assert json.loads(header)["settings"]["constraints"] == "ud"
    again = lab.run("a.jsonl", "--resume", out="o")
    assert again.code == 1 and "another settings.constraints: 'ud', now None" in again.err


@pytest.mark.parametrize("encoding", ["utf8", "UTF-8", "u8"])
def test_the_encoding_of_a_corpus_may_be_named(lab: Lab, encoding: str) -> None:
    assert lab.run("a.jsonl", "--encoding", encoding).code == 0


def test_flags_for_treebanks_fit_a_folder_with_one(lab: Lab) -> None:
    lab.write("folder/c.conllu", BAD)
    assert lab.run("folder", "--skip-bad").code == 0


def test_the_output_of_a_corpus_is_no_file(lab: Lab) -> None:
    lab.write("o", b"precious")
    with pytest.raises(SystemExit) as left:
        main(["parse", "m.dodona", "a.jsonl", "-o", "o"])
    assert left.value.code == 2 and "o is a file, but the output" in lab.capfd.readouterr().err


@pytest.mark.parametrize("kind", ["a.txt", "a.jsonl"])
@pytest.mark.parametrize("words", ["--text=", "--keep=", "--keep=,", "--keep=d,", "--keep=d,,x"])
def test_an_empty_name_of_a_column_is_refused(lab: Lab, kind: str, words: str) -> None:
    found = lab.run(kind, words)
    assert found.code == 2 and not found.files and "column" in found.err
