"""Font sizes and distances of a drawing, in pixels: normal, and compact for long sentences."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Dimensions:
    """Font sizes and distances of a drawing, in pixels."""

    css_class: str = ""  # class of the SVG element, which selects the font sizes in the style
    form_size: float = 16
    tag_size: float = 11
    label_size: float = 11
    margin: float = 12
    level_height: float = 19  # between the horizontal lines of two levels
    first_level: float = 20  # between the words and the lowest level
    above_form: float = 19  # from the ends of the arcs to the baseline of the words
    form_to_tag: float = 16  # between the two baselines
    below: float = 7
    row_gap: float = 22
    corner: float = 8
    word_gap: float = 18
    port_gap: float = 9  # between the ends of arcs at one word
    label_padding: float = 16  # length of an arc beyond its label: two corners and some line


NORMAL = Dimensions()
COMPACT = Dimensions(
    css_class="compact",
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
    label_padding=9,
)
