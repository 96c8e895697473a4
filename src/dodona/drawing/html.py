"""HTML pages of drawings, one below the other."""

from collections.abc import Iterable

from dodona.drawing.svg import STYLE, safe

PAGE_STYLE = """\
:root{color-scheme:light dark}
body{font-family:"Helvetica Neue",Helvetica,Arial,"Liberation Sans","Noto Sans",sans-serif;\
margin:2rem auto;max-width:72rem;padding:0 1rem}
figure{margin:0 0 2.5rem;overflow-x:auto}
figcaption{font-size:.85rem;opacity:.7;margin-bottom:.5rem}
"""


def opening(title: str) -> str:
    """Return the beginning of a page, up to the first drawing."""
    return (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{safe(title)}</title>\n<style>\n{PAGE_STYLE}{STYLE}</style>\n"
        "</head>\n<body>\n"
    )


def figure(svg: str, caption: str = "") -> str:
    """Return a drawing (made with `standalone=False`) below its caption."""
    above = f'<figcaption dir="auto">{safe(caption)}</figcaption>\n' if caption else ""
    return f"<figure>\n{above}{svg}\n</figure>\n"


CLOSING = "</body>\n</html>\n"


def page(figures: Iterable[tuple[str, str]], title: str = "Dodona") -> str:
    """Return a page of drawings, each with its caption.

    >>> from dodona.drawing.svg import draw
    >>> page([(draw(["Speak"], [], standalone=False), "sentence 1")]).splitlines()[-4]
    '</svg>'
    """
    return "".join([opening(title), *(figure(*each) for each in figures), CLOSING])
