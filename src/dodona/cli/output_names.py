"""The format of an output by the suffix of its name, where no flag gives it."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from dodona.cli.errors import UsageError

# suffixes that name one format; others, such as .out, name none
FORMAT_OF = {
    **{".conllu": "conllu", ".conllx": "conllx", ".json": "json", ".jsonl": "json"},
    **{".xml": "tei", ".ann": "brat", ".tsv": "webanno"},
    **{".svg": "svg", ".html": "html", ".htm": "html", ".png": "png", ".pdf": "pdf"},
}
# suffixes of formats that no verb writes to a single file: CoNLL-U in such a file is a mistake
FOREIGN = (
    *(".txt", ".csv", ".md", ".tex", ".parquet", ".arrow", ".dodona"),
    *(".jpg", ".jpeg", ".gif", ".xlsx", ".docx", ".toml", ".yaml", ".py"),
)


def choose_format(
    out: str,
    given: str | None,
    formats: Collection[str],
    default: str,
    *,
    plain: str = "",
    flag: str = "--output",
) -> str:
    """Return the format that a flag gives, or else the one that the suffix of the output names.

    `plain` is what a verb writes to .txt, if there is such a format; `flag` is "" for a verb that
    writes one format only. Without a suffix that names a format, the format is `default`. A name
    that contradicts the format is refused.

    >>> choose_format("oaks.svg", None, ["conllu", "svg"], "conllu")
    'svg'
    >>> choose_format("oaks.csv", None, ["conllu", "svg"], "conllu")
    Traceback (most recent call last):
    dodona.cli.errors.UsageError: -o oaks.csv: .csv is not among the formats of the output; give \
another name, or --output (conllu, svg)
    """
    if out == "-" or out.endswith(("/", os.sep)) or Path(out).is_dir():
        return given or default
    suffix = Path(out.removesuffix(".gz")).suffix.lower()
    known = FORMAT_OF | ({".txt": plain} if plain else {})
    named = known.get(suffix)
    if given is None:
        if named in formats:
            return str(named)
        if named is None and suffix not in FOREIGN:
            return default
        instead = f"give another name, or {flag} ({', '.join(formats)})" if flag else ""
        raise UsageError(
            f"-o {out}: {suffix} is not among the formats of the output; "
            + (instead or f"it is {default}, so give another name")
        )
    if FORMAT_OF.get(suffix, given) != given:
        raise UsageError(f"-o {out}: the name says {named}, but {flag} is {given}; change one")
    return given
