"""Lookup of rules: given as such, in a file, or in a file beside a model.

Loading a model without rules should not wait for what reads them, so that is imported on demand.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dodona.models import find_rules

if TYPE_CHECKING:
    from dodona.rules.rules import Rules


def get_rules(rules: Rules | str | Path | None, model: Path | None = None) -> Rules | None:
    """Return rules that are given, or read them from a file: one given, or one beside the model."""
    if rules is None:
        rules = None if model is None else find_rules(model)
        if rules is None:
            return None
    if not isinstance(rules, (str, Path)):
        return rules
    from dodona.rules.rules_file import read_rules

    return read_rules(rules)
