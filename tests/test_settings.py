"""Settings in groups: flat keywords and saved values, nested records in between."""

from __future__ import annotations

import inspect
import json
from dataclasses import asdict, replace
from typing import Any

import pytest

import dodona
from dodona.records import fields, flat_fields
from dodona.settings import BeamSettings, LinearSettings, NetworkSettings, Settings
from dodona.storage.json_fields import read_settings

GROUPS = {"search": BeamSettings, "linear": LinearSettings, "network": NetworkSettings}


def test_every_setting_has_one_place_in_the_order() -> None:
    inner = [part.name for kind in GROUPS.values() for part in fields(kind)]
    own = [part.name for part in fields(Settings) if part.name not in GROUPS]
    assert sorted(own + inner) == sorted(Settings.ORDER)
    assert [part.name for part in flat_fields(Settings)] == list(Settings.ORDER)


def test_keywords_are_flat() -> None:
    settings = dodona.Settings("arc-hybrid", beam=8, prune=3)
    assert (settings.system, settings.search.beam, settings.linear.prune) == ("arc-hybrid", 8, 3)
    assert settings == Settings(
        "arc-hybrid", search=BeamSettings(beam=8), linear=LinearSettings(prune=3)
    )
    assert list(inspect.signature(Settings).parameters) == list(Settings.ORDER)


def test_fields_of_groups_are_read_from_the_groups() -> None:
    for kind in GROUPS.values():
        for part in fields(kind):
            assert not hasattr(Settings(), part.name), part.name


def test_flat_values_give_the_settings_back() -> None:
    settings = Settings(scorer="neural", width=64, seed=3).resolved()
    saved = json.loads(json.dumps({"settings": settings.flat()}))
    assert list(saved["settings"]) == list(Settings.ORDER)
    assert read_settings(saved, Settings) == Settings(**settings.flat()) == settings


def test_a_copy_with_changes_keeps_the_rest() -> None:
    settings = Settings(beam=8, update="early", prune=3)
    changed = settings.replace(beam=4, seed=2)
    assert changed == Settings(beam=4, update="early", prune=3, seed=2)
    assert replace(settings, seed=2) == settings.replace(seed=2)
    assert asdict(settings)["search"]["beam"] == 8


@pytest.mark.parametrize(
    ("scorer", "group", "given"),
    [("linear", NetworkSettings(), {"width": 64}), ("neural", LinearSettings(), {"prune": 3})],
)
def test_a_group_belongs_to_its_scorer(scorer: str, group: Any, given: dict[str, Any]) -> None:
    assert Settings(scorer=scorer).unused == group
    message = f"is for the {group.scorer} scorer, but scorer='{scorer}'"
    with pytest.raises(dodona.DodonaError, match=message):
        Settings(scorer=scorer, **given)


@pytest.mark.parametrize("given", [{"bream": 3}, {"search": {"beam": 3}}, {"linear": "svm"}])
def test_unknown_keywords_and_groups_of_other_types_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Settings(**given)
    with pytest.raises(TypeError):
        read_settings({"settings": given}, Settings)


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (BeamSettings, {"beam": 0}),
        (BeamSettings, {"oracle": "static", "restart": "bad"}),
        (LinearSettings, {"aggressiveness": 0.0}),
        (LinearSettings, {"learner": "oak"}),
        (NetworkSettings, {"width": 33}),
        (NetworkSettings, {"dropout": 1.0}),
    ],
)
def test_a_group_checks_its_own_values(kind: Any, given: dict[str, Any]) -> None:
    with pytest.raises(dodona.DodonaError):
        kind(**given)
