"""`dodona draw`: draw trees as a page, a picture, or text."""

from pathlib import Path
from typing import Annotated, Any

from dodona.cli.errors import UsageError
from dodona.cli.flags import Flag, Treebanks
from dodona.cli.inputs import BadSentences, read_treebanks
from dodona.cli.output_names import choose_format
from dodona.cli.outputs import PICTURES, open_writer
from dodona.models import find
from dodona.treebank.conllu.reader import FORMATS

PAGE_WIDTH = 1120  # pixels, the width of the HTML page
TAGS = ("upos", "xpos", "none")


def draw(
    files: Treebanks = None,
    out: Annotated[
        str,
        Flag("file to write; its suffix selects the format: .html, .svg, .png, .pdf", short="-o"),
    ] = "-",
    output: Annotated[
        str | None,
        Flag(
            "format of the output", choices=PICTURES, default="by the suffix of the output, or tree"
        ),
    ] = None,
    width: Annotated[
        int | None,
        Flag(
            "maximum width of a row in pixels (in text, columns); 0: a single row",
            default=f"{PAGE_WIDTH}, the width of the page",
        ),
    ] = None,
    tags: Annotated[str, Flag("tags below the words", choices=TAGS)] = "upos",
    compact: Annotated[bool, Flag("draw smaller, for long sentences")] = False,
    margin: Annotated[
        int | None, Flag("margin around each sentence in pixels", default="12")
    ] = None,
    most: Annotated[
        int | None, Flag("draw only the first N sentences", short="-m", default="all")
    ] = None,
    skip_bad: Annotated[bool, Flag("pass invalid sentences over instead of stopping")] = False,
    input: Annotated[str, Flag("format of the files", choices=FORMATS)] = "conllu",
) -> None:
    """Draw the trees of a file.

    Without -o, trees are printed as plain text. -o trees.html writes a page, -o tree.svg a picture
    for papers and slides; .png and .pdf require the extra `pictures`.
    """
    if files and not Path(files[0]).exists() and find(files[0]) is not None:
        raise UsageError(
            f"{files[0]}: a model, but draw reads trees; to parse a text and draw it: dodona parse "
            f"{' '.join(files)} -o trees.html"
        )
    format = _format(out, output)
    how = _options(format, width, tags, compact, margin)
    bad = BadSentences()
    read = read_treebanks(files or ["-"], input, "optional", skip_bad, task="drawing")
    items = bad.watch(read)
    with open_writer(out, format, how) as writer:
        for number, item in enumerate(items):
            if number == most:
                break
            writer.write(item)
    bad.report("left out" if format in ("svg", "png", "pdf") else "passed through unchanged")


def _format(out: str, output: str | None) -> str:
    """Return the format that is given, or that the suffix of the output selects."""
    if found := choose_format(out, output, PICTURES, "tree" if out == "-" else "", plain="tree"):
        return found
    raise UsageError(
        f"-o {out}: unknown format; use the suffix .html, .svg, .png, .pdf or .txt, or --output"
    )


def _options(
    format: str, width: int | None, tags: str, compact: bool, margin: int | None
) -> dict[str, Any]:
    for name, value in (("width", width), ("margin", margin)):
        if value is not None and value < 0:
            raise UsageError(f"--{name} must be at least 0, not {value}")
    if format == "tree":
        if compact or margin is not None or tags != "upos":
            raise UsageError("--compact, --margin and --tags do not apply to plain text")
        return {"width": width or None}
    return {
        "width": float(PAGE_WIDTH if width is None else width) or None,
        "tags": None if tags == "none" else tags,
        "compact": compact,
        "margin": margin,
    }
