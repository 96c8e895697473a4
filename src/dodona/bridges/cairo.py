"""Pictures as PNG and PDF, by CairoSVG (the extra `pictures`)."""

from __future__ import annotations

from dodona.drawing.svg import in_fixed_colours
from dodona.errors import DodonaError
from dodona.extras import require

SCALE = 2.0  # pixels of a PNG for each of the drawing, for sharp letters


class NoCairoError(DodonaError, OSError):
    """The library of cairo is not on this machine."""


def to_png(svg: str, *, scale: float = SCALE) -> bytes:
    """A picture of ours, which stands alone, in pixels on white."""
    return _convert("svg2png", svg, scale)


def to_pdf(svg: str) -> bytes:
    """A picture of ours, which stands alone, as a page of its size."""
    return _convert("svg2pdf", svg, 1.0)


def _convert(name: str, svg: str, scale: float) -> bytes:
    try:
        convert = getattr(require("cairosvg", "pictures"), name)
    except OSError as error:  # the Python package is here, what it calls is not
        said = "this needs the library cairo (libcairo2, or `brew install cairo`), or draw SVG"
        raise NoCairoError(said) from error
    data = in_fixed_colours(svg).encode()
    return bytes(convert(bytestring=data, scale=scale, background_color="white"))
