"""Forms and texts that are decoded slice by slice equal those decoded as a whole."""

from __future__ import annotations

import sys
from unicodedata import combining, normalize
from urllib.parse import parse_qsl, quote_plus

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')

from hypothesis import given
from hypothesis import strategies as st

from dodona.server.errors import Refused
from dodona.server.requests import composition, forms
from dodona.server.requests.composition import AFTER_MARKS, FIRST_MARK, MOST_MARKS, compose
from dodona.server.requests.forms import read_multipart, read_urlencoded

VALUES = st.dictionaries(st.sampled_from("abcd"), st.text(max_size=60), min_size=1)
SLICES = st.integers(4, 30)


@given(values=VALUES, n_bytes=SLICES)
def test_url_encoded_values(values: dict[str, str], n_bytes: int) -> None:
    body = "&".join(f"{name}={quote_plus(value)}" for name, value in values.items()).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forms, "SLICE", n_bytes)
        assert read_urlencoded(body) == {name: text.encode() for name, text in values.items()}


@given(body=st.text("%26&=+a3Ez", max_size=60), n_bytes=SLICES)
def test_escapes_are_decoded_as_by_the_library(body: str, n_bytes: int) -> None:
    try:
        pairs = parse_qsl(body, keep_blank_values=True, errors="strict")
        expected = {name: value.encode() for name, value in pairs}
    except UnicodeDecodeError:
        expected = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forms, "SLICE", n_bytes)
        try:
            assert read_urlencoded(body.encode()) == expected
        except Refused:
            assert expected is None


@given(values=VALUES, n_bytes=SLICES)
def test_multipart_values(values: dict[str, str], n_bytes: int) -> None:
    body = "".join(
        f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in values.items()
    )
    expected = {name: text.encode().removeprefix(forms.BOM) for name, text in values.items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forms, "SLICE", n_bytes)
        assert read_multipart(b"x", f"preamble\r\n{body}--x--\r\n".encode()) == expected


@given(data=st.binary(max_size=40), n_bytes=SLICES)
def test_utf8_is_checked_across_slices(data: bytes, n_bytes: int) -> None:
    try:
        data.decode()
        is_good = True
    except UnicodeDecodeError:
        is_good = False
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forms, "SLICE", n_bytes)
        try:
            assert forms.check_utf8("data", data) == data
            assert is_good
        except Refused:
            assert not is_good


@given(text=st.text("ae \n\u0301\u0323\u00e9\u1100\u1161\u11a8\u0915\u093c\u3099\u304b"))
def test_texts_are_composed_as_a_whole(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(composition, "PIECE", 3)
        try:
            assert compose(text.encode()).decode() == normalize("NFC", text)
        except Refused:
            marks = "".join("m" if combining(c) else " " for c in text)
            assert "m" * (MOST_MARKS + 1) in marks


def test_all_combining_marks_are_where_they_are_looked_for() -> None:
    marks = [code for code in range(sys.maxunicode + 1) if combining(chr(code))]
    assert marks[0] >= FIRST_MARK
    assert marks[-1] < AFTER_MARKS
    with pytest.raises(Refused, match="more than 30 combining marks"):
        compose(("a" + "\u0301" * (MOST_MARKS + 1)).encode())
    assert compose(("b" + "\u0301" * MOST_MARKS).encode()).decode() == "b" + "\u0301" * MOST_MARKS
