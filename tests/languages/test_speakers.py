"""What a speaker sees at a glance: models of languages read ten sentences of our own."""

from __future__ import annotations

import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

import dodona
from dodona.languages.identifier import identify
from dodona.languages.names import NAMES
from dodona.models import SUFFIX, find
from dodona.models.wheel_names import module_of
from dodona.parsing.parser import Parser
from dodona.segmentation.foreign import ForeignTextWarning
from dodona.treebank.universal import RELATIONS
from support.speaker_checks import (
    FOLDER,
    SpeakerChecks,
    codes,
    wrong_relations,
    wrong_sentences,
    wrong_tokens,
)

WHEELS = FOLDER.parents[1] / "models"
CHECKS = {"ends": wrong_sentences, "tokens": wrong_tokens, "pass": wrong_relations}


def load(code: str, folder: Path) -> Parser:
    """Load the model of a language: an installed one, else that of a wheel in `models/`."""
    if (path := find(code)) is not None:
        return dodona.load(path)
    for wheel in sorted(WHEELS.glob(f"{module_of(code)}-*.whl")):
        with zipfile.ZipFile(wheel) as file:
            member = f"{module_of(code)}/{code}{SUFFIX}"
            with file.open(member) as source, (folder / f"{code}{SUFFIX}").open("wb") as target:
                shutil.copyfileobj(source, target)
        return dodona.load(folder / f"{code}{SUFFIX}")
    pytest.skip(f"no model for {NAMES[code]}: neither installed nor a wheel in models/")


@pytest.mark.parametrize("code", codes())
def test_checks_agree_with_the_sentences(code: str) -> None:
    checks = SpeakerChecks.load(code)
    assert len(checks.texts) == len(checks.tokens) == 10
    for text, tokens in zip(checks.texts, checks.tokens, strict=True):
        assert "".join(text.split()) == "".join(tokens)
    for tokens, relations in zip(checks.tokens, checks.relations, strict=True):
        assert relations
        for relation, form in relations:
            assert relation in RELATIONS
            assert any(form in token for token in tokens)  # a clitic is part of a token


@pytest.mark.parametrize("code", codes())
def test_the_language_of_the_sentences_is_recognised(code: str) -> None:
    assert identify(SpeakerChecks.load(code).text) == code


def test_a_model_of_another_language_fails() -> None:
    checks, english = SpeakerChecks.load("fr"), dodona.load("en-small")
    with pytest.warns(ForeignTextWarning):
        assert wrong_tokens(checks, english)[1] < checks.limits["tokens"]
        assert wrong_relations(checks, english)[1] < checks.limits["pass"]
    merged = replace(checks, texts=["An oak and another one.", "It"])
    assert wrong_sentences(merged, english) == ([], 100)
    cut = replace(checks, texts=["An oak", "and another one."])
    assert wrong_sentences(cut, english) == (cut.texts, 0)


@pytest.mark.thorough
@pytest.mark.parametrize("code", codes())
def test_a_model_reads_its_language(code: str, tmp_path: Path) -> None:
    checks, parser = SpeakerChecks.load(code), load(code, tmp_path)
    for name, wrong in CHECKS.items():
        missed, share = wrong(checks, parser)
        assert share >= checks.limits[name], missed
