"""A reply and what it says: text, JSON, XML, worked out once, until it is forgotten.

Nothing here does I/O or knows Home Assistant. `parse` may run in a thread.
"""

from functools import lru_cache
import re
from typing import Final
from xml.parsers.expat import ExpatError

import orjson
import xmltodict

ABSENT: Final = object()
"""What `Reply.json` is when the body is no JSON; JSON's null is None."""

LARGE = 128 * 1024  # bytes; beyond, parsing takes more than a millisecond
LARGE_XML = 8 * 1024  # bytes; the same for XML, which Python reads itself

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
        # By their beginning, as core reads them: `application/xml-dtd` is one of them.
        self._is_xml = content_type.startswith(_XML_TYPES)
        self._parsed: tuple[str, object] | None = None

    def same_content(self, other: Reply) -> bool:
        """Return whether the other reply says the very same."""
        return (
            self.body == other.body
            and self.content_type == other.content_type
            and self._charset == other._charset
        )

    @property
    def needs_thread(self) -> bool:
        """Return whether `parse` is still to be called, and would stop the event loop too long."""
        return self._parsed is None and len(self.body) > (LARGE_XML if self._is_xml else LARGE)

    @property
    def value(self) -> str:
        """Return the text that templates see as `value`: the body, or the JSON of its XML."""
        return self.value_and_json[0]

    @property
    def json(self) -> object:
        """Return the parsed body, or ABSENT when it is no JSON. Shared: never change it."""
        return self.value_and_json[1]

    @property
    def value_and_json(self) -> tuple[str, object]:
        """Return both, worked out when first asked for."""
        if (parsed := self._parsed) is None:
            text = self._text()
            from_xml = self._xml(text) if self._is_xml else None
            parsed = self._parsed = from_xml or (text, self._json(text))
        return parsed

    def parse(self) -> None:
        """Work both out now; a thread that returned them would hold them for a while."""
        self.value_and_json  # noqa: B018  (evaluated for its effect)

    def forget(self) -> None:
        """Keep the body alone, to be parsed anew if need be: values take many times the memory."""
        self._parsed = None

    def _text(self) -> str:
        """Return the body as text.

        In the server's encoding, in the one that XML names itself, or in the configured one.
        """
        declared = None
        if self._is_xml and not self._charset and (match := _XML_ENCODING.match(self.body)):
            declared = match[1].decode()
        names = [n for n in (self._charset, declared, self._encoding) if n and is_encoding(n)]
        for name in names:
            try:
                return self.body.decode(name)
            except UnicodeError:
                continue
        name = names[0] if names else "utf-8"
        if len(self.body) > LARGE and name.lower() not in _FAST_ENCODINGS:
            name = "utf-8"
        return self.body.decode(name, "replace")

    def _json(self, text: str) -> object:
        try:
            return orjson.loads(self.body)
        except ValueError:
            pass
        # Another encoding, a byte order mark, or a byte that no encoding fits?
        if (data := text.removeprefix("\ufeff").encode("utf-8", "replace")) == self.body:
            return ABSENT
        try:
            return orjson.loads(data)
        except ValueError:
            return ABSENT

    def _xml(self, text: str) -> tuple[str, object] | None:
        """Return XML as JSON and as a dictionary; None, with `xml_error`, when it is broken."""
        try:
            parsed = xmltodict.parse(text)
            # What is too deep for JSON is as good as broken.
            return orjson.dumps(parsed).decode(), parsed
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
