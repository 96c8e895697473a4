"""The template language: what it understands, and what it says about what it does not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dodona.core.features.features import Features
from dodona.core.features.templates import (
    MAX_PARTS,
    MAX_TEMPLATES,
    RELATIONS,
    STARTS,
    STATE_ATTRIBUTES,
    WORD_ATTRIBUTES,
    TemplateError,
    TemplatePart,
    load_templates,
    parse_templates,
    template_names,
    word_columns,
)
from dodona.core.weights.linear import Weights


def test_comments_and_blank_lines_are_ignored() -> None:
    text = "# words\n\n  s0.form   # the top\n\ts0.form+b0.head.tag\n"
    assert parse_templates(text) == [
        (TemplatePart(("s0",), "form"),),
        (TemplatePart(("s0",), "form"), TemplatePart(("b0", "head"), "tag")),
    ]


def test_every_slot_relation_and_attribute_can_be_said() -> None:
    for start in STARTS:
        for relation in RELATIONS:
            for attribute in (*WORD_ATTRIBUTES, *STATE_ATTRIBUTES, "feats:Case"):
                [[part]] = parse_templates(f"{start}.{relation}.{attribute}")
                assert part == TemplatePart((start, relation), attribute)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("s9.form", ["no slot 's9' in 's9.form'", "s0", "b3"]),
        ("x0.form", ["no slot 'x0' in 'x0.form'", "s0", "b3"]),
        ("s0.uncle.form", ["no relation 'uncle' in 's0.uncle.form'", "head", "right2"]),
        ("s0.shape", ["no attribute 'shape' in 's0.shape'", "form", "feats:NAME", "left_labels"]),
        ("s0.feats:", ["no attribute 'feats:' in 's0.feats:'", "feats:NAME"]),
        ("s0.distance", ["no attribute 'distance' in 's0.distance'"]),
        ("form", ["'form' is not a slot and an attribute such as s0.form"]),
        ("s0.form +", ["'' is not a slot and an attribute such as s0.form"]),
        ("+".join(["s0.form"] * 9), [f"at most {MAX_PARTS} parts, this one 9"]),
    ],
)
def test_a_mistake_is_told_with_file_line_and_what_would_be_right(
    line: str, said: list[str]
) -> None:
    for make in (parse_templates, Features):
        with pytest.raises(TemplateError) as caught:
            make(f"s0.form\n# all is well up to here\nb0.form + {line}\n", "mine.txt")
        message = str(caught.value)
        assert message.startswith("mine.txt:3: ")
        assert all(piece in message for piece in said[1:])
        assert said[0] in message or "at most" in message


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing but a comment\n"])
def test_a_file_without_templates_is_an_error(text: str) -> None:
    with pytest.raises(TemplateError, match=r"mine\.txt: contains no template"):
        parse_templates(text, "mine.txt")


def test_there_are_no_more_templates_than_weights_can_have_features() -> None:
    assert Features("s0.form\n" * MAX_TEMPLATES).n_templates == MAX_TEMPLATES
    with pytest.raises(TemplateError, match=f"my.txt: more than {MAX_TEMPLATES} templates"):
        Features("s0.form\n" * (MAX_TEMPLATES + 1), "my.txt")
    Weights(1).scores([1] * MAX_TEMPLATES)
    with pytest.raises(ValueError, match=f"at most {MAX_TEMPLATES}"):
        Weights(1).scores([1] * (MAX_TEMPLATES + 1))


def test_templates_of_your_own_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("s0.form + b0.feats:Case\n", encoding="utf-8")
    for name in (path, str(path)):
        assert Features(load_templates(name)).columns == ("form", "feats:Case")


def test_a_name_that_is_neither_shipped_nor_a_file_is_answered_with_the_names() -> None:
    with pytest.raises(TemplateError) as caught:
        load_templates("zn12")
    assert "zn12" in str(caught.value)
    assert all(name in str(caught.value) for name in template_names())


@pytest.mark.parametrize("name", template_names())
def test_shipped_templates_can_be_compiled(name: str) -> None:
    templates = parse_templates(load_templates(name))
    assert Features(load_templates(name)).n_templates == len(templates)
    assert len(set(templates)) == len(templates), "a template stands there twice"


def test_columns_stand_in_one_order_whatever_the_templates() -> None:
    one = parse_templates("s0.feats:Z + s0.tag\nb0.form + s0.feats:A")
    other = parse_templates("s0.form\nb0.feats:A\nb0.feats:Z + b0.tag")
    assert word_columns(one) == word_columns(other) == ["form", "tag", "feats:A", "feats:Z"]


def test_zn11_unlabelled_is_zn11_without_labels() -> None:
    all_of_it = parse_templates(load_templates("zn11"))
    unlabelled = [
        template
        for template in all_of_it
        if not any("label" in part.attribute for part in template)
    ]
    assert parse_templates(load_templates("zn11-unlabelled")) == unlabelled
    assert 0 < len(unlabelled) < len(all_of_it)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("RELATIONS = templates.RELATIONS[::-1]", "relations: {'tree_head': 0"),
        ("STATE_INTS = templates.STATE_INTS[:-1]", "numbers of a state: {'label': 0"),
        ("STATE_SETS += ('all_labels',)", "sets of a state: {'left_labels': 0"),
        ("MAX_PARTS = 9", "parts of a template: 9 in templates.py, but 8 in features.pyx"),
        ("ACTIONS += ('action3',)", "last actions: 3 in templates.py, but 2 in features.pyx"),
    ],
)
def test_compiled_code_that_knows_other_names_is_not_imported(change: str, said: str) -> None:
    program = f"""
from dodona.core.features import templates
templates.{change}
import dodona.core.features.features
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert f"ImportError: {said}" in ended.stderr
