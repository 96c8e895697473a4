"""`dodona draw`: a picture of every kind, by the name of the file."""

from pathlib import Path

import pytest

import dodona
from support.shell import Shell


@pytest.fixture
def file(data: Path) -> Path:
    return data / "projective.conllu"


def test_trees_go_to_the_terminal(shell: Shell, file: Path) -> None:
    result = shell("draw", file)
    trees = [sentence.tree() for sentence in dodona.read(file)]
    assert (result.code, result.out) == (0, "\n\n".join(trees) + "\n\n")
    assert shell("draw", file, "-m", "1").out == trees[0] + "\n\n"


def test_the_name_says_the_format(shell: Shell, file: Path, tmp_path: Path) -> None:
    for suffix, start in ((".html", b"<!DOCTYPE"), (".svg", b"<svg"), (".txt", b"")):
        out = tmp_path / f"trees{suffix}"
        assert shell("draw", file, "-o", out).code == 0
        assert out.read_bytes().startswith(start) and out.stat().st_size > 100
    refused = shell("draw", file, "-o", tmp_path / "trees.doc")
    assert (refused.code, "unknown format" in refused.err) == (2, True)


def test_pixels_and_pages(shell: Shell, file: Path, tmp_path: Path) -> None:
    try:
        import cairosvg  # noqa: F401
    except (ImportError, OSError) as error:  # the package, or the library that it calls
        pytest.skip(f"no PNG and PDF here: {error}")
    for suffix, start in ((".png", b"\x89PNG"), (".pdf", b"%PDF")):
        out = tmp_path / f"trees{suffix}"
        assert shell("draw", file, "-o", out).code == 0
        assert out.read_bytes().startswith(start)
    doc = dodona.Doc(dodona.read(file))
    assert doc.to_png(compact=True).startswith(b"\x89PNG")
    assert doc.to_pdf(width=300).startswith(b"%PDF")


def width_of(svg: str) -> float:
    return float(svg.split('width="', 1)[1].split('"', 1)[0])


def test_compact_margins_and_rows(shell: Shell) -> None:
    long = dodona.Sentence.from_columns(
        [f"word{i}" for i in range(40)], heads=[0, *range(1, 40)], deprels=["root", *["dep"] * 39]
    )
    draw = ("draw", "--output", "svg")
    wide, compact, free = (
        shell(*draw, "--width", "0", *more, stdin=bytes(long)).out
        for more in ([], ["--compact"], ["--margin", "50"])
    )
    assert width_of(compact) < 0.75 * width_of(wide)
    assert width_of(free) == pytest.approx(width_of(wide) + 2 * (50 - 12))
    page = shell(*draw, stdin=bytes(long)).out
    assert 0.85 * 1120 <= width_of(page) <= 1120
    plain = shell(*draw, "--tags", "none", stdin=bytes(long)).out
    assert 'class="tag"' not in plain


@pytest.mark.parametrize(
    "options", [["--width", "-1"], ["--compact"], ["-o", "x.svg", "--margin", "-2"]]
)
def test_misuse(shell: Shell, file: Path, options: list[str]) -> None:
    assert shell("draw", file, *options).code == 2
