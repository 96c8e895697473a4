"""Form fields from a query string or a body, URL-encoded or multipart.

A body may be large, so it is decoded slice by slice: Python's own functions make an object of each
escape or line, 90 times the size of the body.
"""

from __future__ import annotations

from email.message import Message
from urllib.parse import unquote_to_bytes

from dodona.server.errors import Refused, bad

MAX_FIELDS = 100
MAX_PART_HEAD = 4096  # bytes of the headers of a part
MAX_OPTIONS = 1000  # characters of a header with options
SLICE = 1 << 14  # bytes that are decoded at a time
BOM = b"\xef\xbb\xbf"

Fields = dict[str, bytes]  # the values are UTF-8


def read_urlencoded(data: bytes | bytearray) -> Fields:
    """Read URL-encoded fields; a field without a value is empty.

    >>> read_urlencoded(b"tokenizer&tagger=&data=An%20oak+speaks")
    {'tokenizer': b'', 'tagger': b'', 'data': b'An oak speaks'}
    """
    if data.count(b"&") >= MAX_FIELDS:
        raise bad(f"the form has more than {MAX_FIELDS} fields")
    fields = {}
    for pair in data.split(b"&"):
        name, _, value = pair.partition(b"=")
        if pair:
            found = check_utf8("the form", unquote(value))
            fields[check_utf8("the form", unquote(name)).decode()] = found
    return fields


def unquote(data: bytes | bytearray) -> bytes:
    """Decode a URL-encoded value, slice by slice.

    >>> unquote(b"An%20oak+speaks%2")
    b'An oak speaks%2'
    """
    found, start = [], 0
    while start < len(data):
        end = start + SLICE
        end += data[end - 2 : end].rfind(b"%") + 1  # an escape is not cut
        found.append(unquote_to_bytes(bytes(data[start:end].replace(b"+", b" "))))
        start = end
    return b"".join(found)


def check_utf8(name: str, data: bytes) -> bytes:
    """Return data in UTF-8, or refuse the request; no string of the whole size is made."""
    start = 0
    while start < len(data):
        piece = data[start : start + SLICE]
        try:
            piece.decode()
        except UnicodeDecodeError as error:
            # a character that the slice cuts is decoded with the next one
            is_cut = error.end == len(piece) and error.start > len(piece) - 4
            if not is_cut or not error.start or start + len(piece) == len(data):
                where = start + error.start
                raise bad(f"{name} is not in UTF-8: {error.reason} at byte {where}") from error
            piece = piece[: error.start]
        start += len(piece)
    return data


def read_form(content_type: str, body: bytearray) -> Fields:
    kind, options = read_options(content_type)
    if kind == "multipart/form-data":
        if not options.get("boundary"):
            raise bad("the multipart form has no boundary")
        return read_multipart(options["boundary"].encode(), body)
    if kind in ("application/x-www-form-urlencoded", "") or not body:
        return read_urlencoded(body)
    why = f"unsupported Content-Type {kind[:100]!r}"
    wanted = "send application/x-www-form-urlencoded or multipart/form-data"
    raise Refused(415, f"{why}; {wanted}", reason="media_type")


def read_options(header: str) -> tuple[str, dict[str, str]]:
    """Return the value of a header and its options.

    >>> read_options('Form-Data; filename="a;b.txt"; name=data')
    ('form-data', {'filename': 'a;b.txt', 'name': 'data'})
    """
    if len(header) > MAX_OPTIONS:
        raise bad(f"a header has more than {MAX_OPTIONS:,} characters")
    message = Message()
    message["content-type"] = header if header.isprintable() else ""
    (value, _), *options = message.get_params() or [("", "")]
    return value.lower(), {name.lower(): text for name, text in options}


def read_multipart(boundary: bytes, body: bytes | bytearray) -> Fields:
    """Read the parts of a multipart form by name; the value of a file is its content.

    >>> part = b'--x\\r\\nContent-Disposition: form-data; name="data"\\r\\n\\r\\nAn oak\\r\\n'
    >>> read_multipart(b"x", part + b"--x--\\r\\n")
    {'data': b'An oak'}
    """
    line = b"\r\n--" + boundary
    at = 0 if body.startswith(line[2:]) else body.find(line) + 2
    if not body.startswith(line[2:], at):
        raise bad("malformed multipart form: it has no part")
    fields: Fields = {}
    end = at + len(line) - 2
    while not body.startswith(b"--", end):
        if len(fields) >= MAX_FIELDS:
            raise bad(f"the form has more than {MAX_FIELDS} fields")
        start = body.find(b"\r\n", end, end + MAX_PART_HEAD)
        content = body.find(b"\r\n\r\n", start, start + MAX_PART_HEAD)
        if start < 0 or content < 0 or body[end:start].strip(b" \t"):
            raise bad(f"malformed multipart form at byte {end}")
        after = body.find(line, content + 2)
        if after < 0:
            raise bad("malformed multipart form: its end is missing")
        name = _name_of(bytes(body[start:content]))
        value = bytes(body[content + 4 : after]).removeprefix(BOM)
        fields[name] = check_utf8(name, value)
        end = after + len(line)
    return fields


def _name_of(head: bytes) -> str:
    """Return the name of a part with these headers."""
    for line in head.decode(errors="replace").split("\r\n"):
        header, _, value = line.partition(":")
        if header.strip().lower() == "content-disposition":
            return read_options(value.strip())[1].get("name", "")
    return ""
