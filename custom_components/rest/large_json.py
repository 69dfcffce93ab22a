"""JSON, however large, without keeping Python's lock for long.

orjson holds the lock from the first byte to the last: 16 MiB are 0.1 to 0.5 s in which no other
thread runs, the event loop's neither. A large document is therefore cut at the commas of its
outer containers and parsed in pieces; between them others get their turn.
"""

from collections.abc import Iterator
import re

import orjson

WHOLE = 2 * 1024 * 1024  # bytes up to which a document is parsed at once
PIECE = 512 * 1024  # bytes of a piece, about
MAX_DEPTH = 4  # containers cut into; what is large deeper inside is parsed at once

_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[\]{},]', re.DOTALL)
_BLANK = b" \t\r\n"


def loads(data: bytes) -> object:
    """Parse JSON (RFC 8259: no NaN, no infinities); ValueError when it is none."""
    return _value(data, 0) if len(data) > WHOLE else orjson.loads(data)


def _value(data: bytes, depth: int) -> object:
    data = data.strip(_BLANK)
    match data[:1], data[-1:]:
        case _ if len(data) <= PIECE or depth >= MAX_DEPTH:
            return orjson.loads(data)
        case b"[", b"]":
            items: list[object] = []
            for piece, is_large in _pieces(data):
                if is_large:
                    items.append(_value(piece, depth + 1))
                else:
                    items += orjson.loads(b"[%b]" % piece)
            return items
        case b"{", b"}":
            members: dict[str, object] = {}
            for piece, is_large in _pieces(data):
                if is_large:
                    key, value = _member(piece)
                    members[key] = _value(value, depth + 1)
                else:
                    members |= orjson.loads(b"{%b}" % piece)
            return members
    return orjson.loads(data)


def _pieces(data: bytes) -> Iterator[tuple[bytes, bool]]:
    """Cut what stands between a container's brackets at its own commas.

    Yields one or more elements of about PIECE bytes together, or a large one by itself and True.
    """
    if not data[1:-1].strip(_BLANK):
        return
    start = element = 1
    for end in _ends(data):
        if not data[element:end].strip(_BLANK):
            raise ValueError("a comma without an element")
        if end - element > PIECE:
            if element > start:
                yield data[start : element - 1], False
            yield data[element:end], True
            start = end + 1
        elif end - start > PIECE or end == len(data) - 1:
            yield data[start:end], False
            start = end + 1
        element = end + 1


def _ends(data: bytes) -> Iterator[int]:
    """Yield where the elements of the outer container end: its commas, its closing bracket."""
    depth = 0
    for found in _TOKEN.finditer(data):
        match data[found.start()]:
            case 0x5B | 0x7B:  # [ {
                depth += 1
            case 0x2C if depth == 1:  # ,
                yield found.start()
            case 0x5D | 0x7D:  # ] }
                depth -= 1
                if depth == 0:
                    break
    if depth or found.end() != len(data):
        raise ValueError("the brackets do not match")
    yield found.start()


def _member(piece: bytes) -> tuple[str, bytes]:
    """Split a large `"key": value`."""
    key = _TOKEN.search(piece)
    if key is None:
        raise ValueError("a member without a key")
    colon = piece.find(b":", key.end())
    name = orjson.loads(piece[:colon]) if colon > 0 else None
    if not isinstance(name, str):
        raise ValueError("a member without a key")  # noqa: TRY004  (it is the document's mistake)
    return name, piece[colon + 1 :]
