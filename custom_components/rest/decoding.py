"""Bytes to text and back, however many, without keeping Python's lock for long.

A codec holds the lock from the first byte to the last, and some take a microsecond for each byte
that they cannot read: 16 MiB would be many seconds. They get the bytes in pieces.
"""

import codecs
from collections.abc import Iterator, Sequence
import sys

PIECE = 16 * 1024  # bytes or characters
PLAIN = frozenset({"utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1"})  # fast, whatever comes
# It takes the square of the length in time, and reads no text in pieces.
_REFUSED = "punycode"
_MARKS = {
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
}


def is_encoding(name: str) -> bool:
    """Whether Python knows a text encoding of that name that can replace bad bytes."""
    try:
        b"x".decode(name, "replace")
        return codecs.lookup(name).name != _REFUSED
    except LookupError, ValueError:
        return False


def decode(data: bytes, names: Sequence[str]) -> str:
    """Return the text by the first encoding that fits, without a byte order mark.

    If none fits, the first one's, with what it cannot read replaced (U+FFFD).
    """
    for name in names:
        try:
            return _decode(data, name, "strict")
        except UnicodeError:
            continue
    return _decode(data, names[0], "replace")


def _decode(data: bytes, name: str, errors: str) -> str:
    decoder = codecs.getincrementaldecoder(_with_order(data, name))(errors)

    def texts() -> Iterator[str]:
        for at in range(0, len(data), PIECE):
            yield decoder.decode(data[at : at + PIECE])
        yield decoder.decode(b"", final=True)

    return "".join(texts()).removeprefix("\ufeff")


def _with_order(data: bytes, name: str) -> str:
    """Name the byte order where a text does not: by itself, decoding in pieces would insist."""
    marks = _MARKS.get(codecs.lookup(name).name)
    return name if marks is None or data.startswith(marks) else f"{name}-{sys.byteorder[0]}e"


def encode(text: str) -> bytes:
    """Return UTF-8; a lone surrogate becomes a question mark."""
    return b"".join(
        text[at : at + PIECE].encode("utf-8", "replace") for at in range(0, len(text), PIECE)
    )
