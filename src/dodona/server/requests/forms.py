"""Form fields from a query string or a body, URL-encoded or multipart."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qsl

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from dodona.server.errors import Refused, bad

MAX_FIELDS = 100

Fields = dict[str, str]


def read_urlencoded(data: bytes | bytearray) -> Fields:
    """Read URL-encoded fields; a field without a value is empty.

    >>> read_urlencoded(b"tokenizer&tagger=&data=An%20oak+speaks")
    {'tokenizer': '', 'tagger': '', 'data': 'An oak speaks'}
    """
    try:
        pairs = parse_qsl(
            data.decode(), keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS
        )
    except UnicodeDecodeError as error:
        raise bad(f"the form is not in UTF-8: {error.reason} at byte {error.start}") from error
    except ValueError as error:
        raise bad(f"the form has more than {MAX_FIELDS} fields") from error
    return dict(pairs)


def read_form(content_type: str, body: bytearray) -> Fields:
    kind, options = parse_options_header(content_type)
    if kind == b"multipart/form-data":
        if not options.get(b"boundary"):
            raise bad("the multipart form has no boundary")
        return read_multipart(options[b"boundary"], bytes(body))
    if kind in (b"application/x-www-form-urlencoded", b"") or not body:
        return read_urlencoded(body)
    raise Refused(
        415,
        f"unsupported Content-Type {kind.decode(errors='replace')!r}; "
        "send application/x-www-form-urlencoded or multipart/form-data",
    )


def read_multipart(boundary: bytes, body: bytes) -> Fields:
    """Read the parts of a multipart form by name; the value of a file is its content.

    >>> part = b'--x\\r\\nContent-Disposition: form-data; name="data"\\r\\n\\r\\nAn oak\\r\\n'
    >>> read_multipart(b"x", part + b"--x--\\r\\n")
    {'data': 'An oak'}
    """
    parts = _Parts()
    try:
        parser = MultipartParser(boundary, parts.callbacks())  # type: ignore[arg-type]
        parser.write(body)
        parser.finalize()
    except FormParserError as error:
        where = getattr(error, "offset", -1)
        raise bad(
            "malformed multipart form" + (f" at byte {where}" if where >= 0 else "")
        ) from error
    if not parts.is_whole:
        raise bad("malformed multipart form: its end is missing")
    return parts.fields


class _Parts:
    """Collects the events of the multipart parser."""

    def __init__(self) -> None:
        self.fields: Fields = {}
        self.is_whole = False
        self._name: list[bytes] = []
        self._value: list[bytes] = []
        self._headers: dict[bytes, bytes] = {}
        self._data: list[bytes] = []

    def callbacks(self) -> dict[str, Callable[..., None]]:
        return {
            "on_part_begin": self._begin,
            "on_header_field": lambda data, i, end: self._name.append(data[i:end]),
            "on_header_value": lambda data, i, end: self._value.append(data[i:end]),
            "on_header_end": self._header_end,
            "on_part_data": lambda data, i, end: self._data.append(data[i:end]),
            "on_part_end": self._part_end,
            "on_end": self._end,
        }

    def _begin(self) -> None:
        if len(self.fields) >= MAX_FIELDS:
            raise bad(f"the form has more than {MAX_FIELDS} fields")
        self._headers, self._data = {}, []

    def _header_end(self) -> None:
        self._headers[b"".join(self._name).lower()] = b"".join(self._value)
        self._name, self._value = [], []

    def _part_end(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition"))
        name = options.get(b"name", b"").decode(errors="replace")
        try:
            self.fields[name] = b"".join(self._data).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise bad(f"{name} is not in UTF-8: {error.reason} at byte {error.start}") from error

    def _end(self) -> None:
        self.is_whole = True
