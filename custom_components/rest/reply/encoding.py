"""Detect the type of a document and its declared encodings from its first bytes."""

from collections.abc import Iterator
from functools import lru_cache
import re

BEGINNING = 1024  # bytes in which browsers search for the encoding of a page

_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_UTF_8_MARK = rb"(?:\xef\xbb\xbf)?"
_XML = re.compile(_UTF_8_MARK + rb"\s*<\?xml\s")
_XML_ENCODING = re.compile(_UTF_8_MARK + rb"\s*<\?xml[^>]*?\sencoding\s*=\s*[\"']([\w.:-]+)[\"']")
_HTML = re.compile(
    _UTF_8_MARK
    + rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
# `<meta charset="…">`, and `<meta http-equiv="Content-Type" content="text/html; charset=…">`.
_META_CHARSET = re.compile(
    rb"<meta\b[^>]*?[\s;\"']charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE
)
# Web pages mean larger encodings by these names (https://encoding.spec.whatwg.org/).
_OF_PAGES = {
    "ascii": "cp1252",
    "big5": "big5hkscs",
    "euc-kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso-8859-1": "cp1252",
    "iso-8859-9": "cp1254",
    "ks_c_5601-1987": "cp949",
    "latin1": "cp1252",
    "shift-jis": "cp932",
    "shift_jis": "cp932",
    "us-ascii": "cp1252",
    "utf-16": "utf-8",  # otherwise the declaration could not have been read
    "x-sjis": "cp932",
}
_SLOW_TO_READ = "punycode"  # decoding takes quadratic time


def is_xml(body: bytes) -> bool:
    """Return whether a body begins like XML, regardless of its media type."""
    if body.startswith(_UTF_16_MARKS):
        body = body[:BEGINNING].decode("utf-16", "ignore").encode()
    return bool(_XML.match(body))


def is_html(body: bytes) -> bool:
    """Return whether a body begins like a web page."""
    return bool(_HTML.match(body[:BEGINNING]))


def declared_encodings(body: bytes, *, is_page: bool) -> Iterator[str]:
    """Yield the encodings that a document declares, in the order to try them."""
    if body.startswith(_UTF_16_MARKS):
        yield "utf-16"
    if match := _XML_ENCODING.match(body):
        yield match[1].decode()
    if is_page and (match := _META_CHARSET.search(body[:BEGINNING])):
        name = match[1].decode().lower()
        yield _OF_PAGES.get(name, name)


@lru_cache(maxsize=64)
def is_encoding(name: str) -> bool:
    """Return whether Python has a text encoding of this name that can replace invalid bytes."""
    try:
        b"x".decode(name, "replace")
    except LookupError, ValueError:
        return False
    return name.lower() != _SLOW_TO_READ
