"""JSON, however large, without keeping Python's lock for long.

orjson holds the lock from the first byte to the last: 16 MiB are 0.1 to 0.5 s in which no other
thread runs, the event loop's neither. A large document is therefore cut at the commas of its
containers, however deep, and parsed in pieces; between them others get their turn.
"""

from collections.abc import Iterator
import re

import orjson

from .open_container import BLANK, OpenContainer

WHOLE = 2 * 1024 * 1024  # bytes up to which a document is parsed at once
PIECE = 512 * 1024  # bytes of a piece, about
WINDOW = 64 * 1024  # bytes searched at a time
MAX_DEPTH = 1024  # orjson's own limit
# More would be too many to delete, or to walk through in a garbage collection, in one go.
MAX_CONTAINERS = 1_000_000

_SCALAR = b'"-0123456789tfn'
_QUOTE, _COMMA, _LIST, _LIST_END, _MAP, _MAP_END = b'",[]{}'
_TOKEN = re.compile(rb'[\[\]{},]|"(?:[^"\\]++|\\.)*+("?)', re.DOTALL)
_STRING = re.compile(rb'(?:[^"\\]++|\\.)*+("?)', re.DOTALL)


class TooManyError(Exception):
    """The document holds more lists and dictionaries than anyone needs."""


def loads(data: bytes) -> object:
    """Parse JSON (RFC 8259: no NaN, no infinities).

    ValueError when it is none; TooManyError when it is large and holds more than
    MAX_CONTAINERS lists and dictionaries.
    """
    if len(data) <= WHOLE:
        return orjson.loads(data)
    data = data.strip(BLANK)
    if data[:1] in (b"[", b"{"):
        return _in_pieces(data)
    if data[:1] not in _SCALAR:  # orjson would copy all of it into its error: 16 MiB, 0.1 s
        raise ValueError("no JSON begins like that")
    return orjson.loads(data)


def _in_pieces(data: bytes) -> object:
    containers = 0
    stack: list[OpenContainer] = []
    for at in _tokens(data):
        token = data[at]
        if token in (_LIST, _MAP):
            containers += 1
            if containers > MAX_CONTAINERS:
                raise TooManyError(
                    f"the reply holds more than {MAX_CONTAINERS} lists and dictionaries"
                )
            if len(stack) == MAX_DEPTH:
                raise ValueError("too deep")
            stack.append(OpenContainer(data, at, is_map=token == _MAP))
        elif token == _COMMA:
            stack[-1].comma = at
            if at - stack[-1].start > PIECE:
                stack[-1].take(at)
        else:
            inner = stack.pop()
            if inner.is_map != (token == _MAP_END):
                raise ValueError("the brackets do not match")
            if not stack:
                return _whole(data, inner, at)
            if inner.value is not None or at - inner.start > PIECE:
                inner.take(at, closing=True)
                stack[-1].put(inner, at + 1)
    raise ValueError("a bracket is not closed")


def _whole(data: bytes, root: OpenContainer, end: int) -> object:
    if end + 1 != len(data):
        raise ValueError("something follows the end")
    root.take(end, closing=True)
    return root.value


def _tokens(data: bytes) -> Iterator[int]:
    """Yield where brackets and commas stand that belong to no string."""
    at = 0
    in_string = False
    while at < len(data):
        stop = at + WINDOW
        if in_string:
            found = _STRING.match(data, at, stop)
            if found is None or found.end() == at:
                break
            at = found.end()
            in_string = not found[1]
            continue
        for found in _TOKEN.finditer(data, at, stop):
            if data[found.start()] != _QUOTE:
                yield found.start()
            elif not found[1]:
                in_string = True
                stop = found.end()
                break
        at = stop
    if in_string:
        raise ValueError("a string is not closed")
