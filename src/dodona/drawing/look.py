"""Sizes and distances of a drawing, in pixels: the usual ones, and those for long sentences."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Look:
    """How large letters are, and how far things stand from each other."""

    name: str = ""  # a class of the picture, by which its style finds the sizes of letters
    form_size: float = 16
    tag_size: float = 11
    label_size: float = 11
    margin: float = 12
    level_height: float = 19  # between lines …
    first_level: float = 20  # … and of the lowest above the words
    above_form: float = 19  # baselines
    form_to_tag: float = 16
    below: float = 7
    row_gap: float = 22
    corner: float = 8
    word_gap: float = 18
    port_gap: float = 9  # between the ends of arcs at a word
    label_room: float = 16  # of an arc beside its label: two corners and a bit of line


USUAL = Look()
COMPACT = Look(
    name="compact",
    form_size=13,
    tag_size=9,
    label_size=9,
    level_height=14,
    first_level=15,
    above_form=15,
    form_to_tag=12,
    below=5,
    row_gap=14,
    corner=5,
    word_gap=8,
    port_gap=6,
    label_room=9,
)
