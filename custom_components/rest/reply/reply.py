"""A reply and what it says: text, JSON, XML, each worked out once, until it is forgotten.

Nothing here does I/O or knows Home Assistant. `parse` may run in a thread.
"""

from functools import cached_property, lru_cache
import re
from typing import Final
from xml.parsers.expat import ExpatError

import orjson
import xmltodict

ABSENT: Final = object()
"""What `Reply.json` is when the body is no JSON; JSON's null is None."""

LARGE = 128 * 1024  # bytes; beyond, parsing takes more than a millisecond
LARGE_XML = 8 * 1024  # bytes; the same for XML, which Python reads itself

# By their beginning, as core reads them: `application/xml-dtd` is one of them.
_XML_TYPES = ("application/rss+xml", "application/xhtml+xml", "application/xml", "text/xml")
_XML_ENCODING = re.compile(rb"\s*<\?xml[^>]*?\sencoding\s*=\s*[\"']([\w.:-]+)[\"']")
# Replacing the bytes that do not fit is fast with these; others take a microsecond for each.
_FAST_ENCODINGS = frozenset({"utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin-1"})
_SLOW_TO_READ = "punycode"  # takes the square of the length


class Reply:
    """One reply's body. `content_type` is the media type alone, in lower case.

    `charset` is the encoding that the server named, if any; `encoding` the configured one, used
    when the server named none, or one that is unknown or does not fit the bytes. Bytes that no
    encoding fits are replaced (U+FFFD).
    """

    def __init__(
        self,
        *,
        body: bytes,
        content_type: str = "",
        charset: str | None = None,
        encoding: str = "utf-8",
        etag: str | None = None,
        last_modified: str | None = None,
    ) -> None:
        self.body = body
        self.content_type = content_type
        self.etag = etag
        self.last_modified = last_modified
        self.xml_error: str | None = None
        self._charset = charset
        self._encoding = encoding
        self._is_parsed = False

    def same_content(self, other: Reply) -> bool:
        """Return whether the other reply says the very same."""
        return (
            self.body == other.body
            and self.content_type == other.content_type
            and self._charset == other._charset
        )

    @property
    def needs_thread(self) -> bool:
        """Whether `parse` is still to be called, and would stop the event loop for too long."""
        return not self._is_parsed and len(self.body) > (LARGE_XML if self._is_xml else LARGE)

    def parse(self) -> None:
        """Work everything out now."""
        self.value  # noqa: B018  (evaluated for its effect)
        self.json  # noqa: B018  (evaluated for its effect)
        self._is_parsed = True

    def forget(self) -> None:
        """Keep the body alone, to be parsed anew if need be: values take many times the memory."""
        for name in ("value", "json", "_text", "_xml"):
            self.__dict__.pop(name, None)
        self._is_parsed = False

    @cached_property
    def value(self) -> str:
        """The text that templates see as `value`: the body, or the JSON of its XML."""
        return self._text if self._xml is None else self._xml[1]

    @cached_property
    def json(self) -> object:
        """The parsed body, or ABSENT when it is no JSON. Shared: never change it."""
        if self._xml is not None:
            return self._xml[0]
        try:
            return orjson.loads(self.body)
        except ValueError:
            pass
        # Another encoding, a byte order mark, or a byte that no encoding fits?
        if (data := self._text.encode("utf-8", "replace")) == self.body:
            return ABSENT
        try:
            return orjson.loads(data)
        except ValueError:
            return ABSENT

    @property
    def _is_xml(self) -> bool:
        return self.content_type.startswith(_XML_TYPES)

    @cached_property
    def _text(self) -> str:
        """The body as text, without a byte order mark."""
        names = [name for name in self._encodings() if name and is_encoding(name)] or ["utf-8"]
        for name in names:
            try:
                return self.body.decode(name).removeprefix("\ufeff")
            except UnicodeError:
                continue
        is_slow = len(self.body) > LARGE and names[0].lower() not in _FAST_ENCODINGS
        name = "utf-8" if is_slow else names[0]
        return self.body.decode(name, "replace").removeprefix("\ufeff")

    def _encodings(self) -> list[str | None]:
        """Return what to try, best first: the server's, what XML says of itself, the configured."""
        declared = None
        if self._is_xml and not self._charset and (match := _XML_ENCODING.match(self.body)):
            declared = match[1].decode()
        return [self._charset, declared, self._encoding]

    @cached_property
    def _xml(self) -> tuple[object, str] | None:
        """An XML reply as a dictionary, and as JSON; None, with `xml_error`, when it is broken."""
        if not self._is_xml:
            return None
        try:
            parsed = xmltodict.parse(self._text)
            # What is too deep for JSON is as good as broken.
            return parsed, orjson.dumps(parsed).decode()
        except (ExpatError, ValueError, TypeError, RecursionError) as err:
            self.xml_error = str(err) if isinstance(err, ExpatError) else type(err).__name__
            return None


@lru_cache(maxsize=64)
def is_encoding(name: str) -> bool:
    """Return whether Python knows a text encoding of that name, able to replace bad bytes."""
    try:
        b"x".decode(name, "replace")
    except LookupError, ValueError:
        return False
    return name.lower() != _SLOW_TO_READ
