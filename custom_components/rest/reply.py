"""A reply and what it says: text, JSON, XML, each worked out at most once and only when asked for.

Nothing here does I/O or knows Home Assistant. `parse` may run in a thread; the reply is not
touched by anyone else meanwhile.
"""

from functools import cached_property
from typing import Final
from xml.parsers.expat import ExpatError

import orjson
import xmltodict

from .const import XML_CONTENT_TYPES
from .decoding import PLAIN, decode, encode, is_encoding
from .large_json import loads
from .no_collection import no_collection

ABSENT: Final = object()
"""What `Reply.json` is when the body is no JSON; JSON's null is None."""

# Above these, parsing takes more than about a millisecond: not on the event loop.
LARGE = 128 * 1024
LARGE_XML = LARGE_ENCODED = 8 * 1024


class Reply:
    """One reply's body. `content_type` is the media type alone, in lower case.

    `charset` is the one the server named, if any; `encoding` the configured one, used when
    the server named none, or one that is unknown or does not fit the bytes. Bytes that no
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

    @property
    def is_xml(self) -> bool:
        """Whether the body is XML, by its content type."""
        return self.content_type in XML_CONTENT_TYPES

    @property
    def is_large(self) -> bool:
        """Whether `parse` should run in a thread."""
        size = len(self.body)
        if size <= LARGE_ENCODED or self.is_xml:
            return size > LARGE_XML
        return size > LARGE or (self._charset or self._encoding).lower() not in PLAIN

    def same_content(self, other: Reply) -> bool:
        """Whether the other reply says the very same."""
        return (
            self.body == other.body
            and self.content_type == other.content_type
            and self._charset == other._charset
        )

    def is_parsed(self, *, text: bool) -> bool:
        """Whether `parse` has been called, with `text` if that is asked for."""
        return "json" in vars(self) and (not text or "value" in vars(self))

    def parse(self, *, text: bool) -> None:
        """Work everything out now, `value` only with `text`. TooManyError when it is too much."""
        with no_collection():
            self.json  # noqa: B018  (evaluated for its effect)
            if text:
                self.value  # noqa: B018  (evaluated for its effect)

    def forget(self) -> None:
        """Keep the body only; the rest is worked out again should anyone ask."""
        for name in ("text", "value", "json", "_xml"):
            vars(self).pop(name, None)

    @cached_property
    def text(self) -> str:
        """The body as text, without a byte order mark."""
        names = [name for name in (self._charset, self._encoding) if name and is_encoding(name)]
        return decode(self.body, names or ["utf-8"])

    @cached_property
    def value(self) -> str:
        """The text that templates see as `value`: the body, XML as JSON."""
        if (parsed := self._xml) is ABSENT:
            return self.text
        return orjson.dumps(parsed).decode()

    @cached_property
    def json(self) -> object:
        """The parsed body, or ABSENT when it is no JSON. Shared: never change it."""
        if self._xml is not ABSENT:
            return self._xml
        try:
            return loads(self.body)
        except ValueError:
            pass
        # Another encoding, a byte order mark, or a byte that no encoding fits?
        if (data := encode(self.text)) == self.body:
            return ABSENT
        try:
            return loads(data)
        except ValueError:
            return ABSENT

    @cached_property
    def _xml(self) -> object:
        """The body of an XML reply as a dictionary; ABSENT with `xml_error` when it is broken."""
        if not self.is_xml:
            return ABSENT
        try:
            # There and back through JSON: what is too deep for it is as good as broken.
            parsed = loads(orjson.dumps(xmltodict.parse(self.text)))
        except (ExpatError, ValueError, TypeError, RecursionError) as err:
            self.xml_error = str(err) if isinstance(err, ExpatError) else type(err).__name__
            return ABSENT
        return parsed
