"""Conversion of pictures to PNG and PDF by CairoSVG (the extra `pictures`)."""

from __future__ import annotations

from dodona.drawing.svg import in_fixed_colours
from dodona.errors import DodonaError
from dodona.extras import require

SCALE = 2.0  # pixels of a PNG per pixel of the drawing


class NoCairoError(DodonaError, OSError):
    """The cairo library is not installed."""


def to_png(svg: str, *, scale: float = SCALE) -> bytes:
    """Convert a standalone picture to PNG on a white background."""
    return _convert("svg2png", svg, scale)


def to_pdf(svg: str) -> bytes:
    """Convert a standalone picture to a PDF page of its size."""
    return _convert("svg2pdf", svg, 1.0)


def _convert(name: str, svg: str, scale: float) -> bytes:
    try:
        convert = getattr(require("cairosvg", "pictures"), name)
    except OSError as error:  # the Python package is installed, the library is not
        raise NoCairoError(
            "this needs the library cairo (libcairo2, or `brew install cairo`), or draw SVG"
        ) from error
    data = in_fixed_colours(svg).encode()
    return bytes(convert(bytestring=data, scale=scale, background_color="white"))
