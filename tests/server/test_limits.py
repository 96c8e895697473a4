"""Every limit of the server is a flag of `dodona serve` and a row of the manual's table."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from dodona.cli.flags import Parameter, parameters
from dodona.cli.verbs.serve import serve
from dodona.server.limits import Limits

LIMITS = {limit.name: limit for limit in fields(Limits)}
FLAGS: dict[str, Parameter] = {parameter.name: parameter for parameter in parameters(serve)}
DOCS = Path(__file__).parents[2] / "docs"
EVERY_LIMIT = pytest.mark.parametrize("name", LIMITS)


@EVERY_LIMIT
def test_a_limit_is_a_flag_with_the_same_default(name: str) -> None:
    flag, limit = FLAGS[name], LIMITS[name]
    assert flag.flag.help == limit.metadata["help"]
    if flag.default is None:
        assert flag.flag.default == limit.metadata["shown"]
    else:
        assert flag.default * limit.metadata["scale"] == limit.default


@EVERY_LIMIT
def test_the_manual_has_the_default_of_a_limit(name: str) -> None:
    text = "\n".join(path.read_text() for path in DOCS.rglob("*.md"))
    rows = dict(re.findall(r"^\| `(--[\w-]+)` \| ([^|]*) \|", text, re.MULTILINE))
    limit = LIMITS[name]
    number = f"{limit.default / limit.metadata['scale']:,.0f} {limit.metadata['unit']}"
    assert rows[FLAGS[name].long].startswith(limit.metadata["shown"] or number)


@pytest.mark.parametrize("value", [0, -1, float("inf"), float("nan")])
def test_a_limit_is_a_positive_number(value: float) -> None:
    with pytest.raises(ValueError, match="patience must be a number above 0"):
        Limits(patience=value)
