"""A reply with its text, JSON or XML, and headers; parsed once and cached until `forget`.

This module does no I/O and does not import Home Assistant. `parse` may run in a thread.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, override
from xml.parsers.expat import ExpatError

from multidict import CIMultiDictProxy
import orjson
import xmltodict
from yarl import URL

from .encoding import declared_encodings, is_encoding, is_html, is_xml
from .html import Selector, select_elements

ABSENT: Final = object()
"""Value of `Content.json` if the body is not JSON; None is JSON's null."""

LARGE = 128 * 1024  # bytes; parsing more takes more than a millisecond
LARGE_XML = 8 * 1024  # bytes; the same for XML, which is parsed in Python

_XML_TYPES = ("application/rss+xml", "application/xhtml+xml", "application/xml", "text/xml")
# Replacing invalid bytes is fast with these; others take a microsecond per byte.
_FAST_ENCODINGS = frozenset({"utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin-1"})


class Content:
    """The body of a reply and its parsed content. `content_type` is the media type in lower case.

    Encodings are tried in this order: `charset` of the server, the configured `encoding`, those
    that the document declares, UTF-8. If none fits, invalid bytes are replaced (U+FFFD). Texts
    never contain surrogates: they cannot be stored or sent, and crash the process in the library
    that parses dates.
    """

    def __init__(
        self,
        body: bytes,
        *,
        content_type: str = "",
        charset: str | None = None,
        encoding: str | None = None,
    ) -> None:
        self.body = body
        self.content_type = content_type
        self.xml_error: str | None = None
        self._charset = charset
        self._encoding = encoding
        # By prefix, as in core, so `application/xml-dtd` is included.
        self._is_xml = content_type.startswith(_XML_TYPES)
        self._parsed: tuple[str, object] | None = None
        self._elements: dict[Selector, str | ValueError] = {}

    def is_same_as(self, other: Content) -> bool:
        """Return whether body, media type and charset are the same."""
        return (
            self.body == other.body
            and self.content_type == other.content_type
            and self._charset == other._charset
        )

    @property
    def _begins_as_xml(self) -> bool:
        return is_xml(self.body) and not is_html(self.body)

    @property
    def is_xml(self) -> bool:
        """Return whether it is XML, by its media type or its beginning."""
        return self._is_xml or self._begins_as_xml

    @property
    def is_html(self) -> bool:
        """Return whether it is a web page, as logins and errors often are.

        JSON and XML are not, even if the server sends them as `text/html`.
        """
        is_page = self.content_type == "text/html" or is_html(self.body)
        return is_page and self.json is ABSENT

    def needs_thread(self, selectors: Collection[Selector] = ()) -> bool:
        """Return whether parsing is still to do and would block the event loop too long."""
        size = len(self.body)
        is_large = size > LARGE or (size > LARGE_XML and self.is_xml)
        return (is_large and self._parsed is None) or any(
            selector not in self._elements for selector in selectors
        )

    @property
    def value(self) -> str:
        """Return the text that templates see as `value`: the body, or XML converted to JSON.

        As in core, XML is converted only if its media type says that it is XML.
        """
        return self.value_and_json[0]

    @property
    def json(self) -> object:
        """Return the parsed body, or ABSENT if it is not JSON. Shared, so never modify it."""
        return self.value_and_json[1]

    @property
    def value_and_json(self) -> tuple[str, object]:
        """Return both, parsed at first access."""
        if self._parsed is None:
            self._parsed = self._xml() if self._is_xml else self._text_and_json()
        return self._parsed

    def parse(self, selectors: Collection[Selector] = ()) -> None:
        """Parse everything now. Return nothing, since an executor would keep a result alive."""
        self.value_and_json  # noqa: B018  (evaluated for its effect)
        if selectors:
            self._elements |= select_elements(self._text(), selectors)

    def selected(self, selector: Selector) -> str:
        """Return the text of a selected HTML element. Raise ValueError with the reason."""
        if selector not in self._elements:
            self.parse([selector])
        text = self._elements[selector]
        if isinstance(text, ValueError):
            raise text
        return text

    def forget(self) -> None:
        """Drop the parsed values, which take many times the memory; they can be parsed again."""
        self._parsed = None

    def _text(self) -> str:
        """Return the body as text."""
        is_page = self.content_type == "text/html" or is_html(self.body)
        candidates = (
            self._charset,
            self._encoding,
            *declared_encodings(self.body, is_page=is_page),
        )
        names = [name for name in candidates if name and is_encoding(name)] or ["utf-8"]
        for name in names:
            try:
                return without_surrogates(self.body.decode(name))
            except UnicodeError:
                continue
        name = names[0]
        if len(self.body) > LARGE and name.lower() not in _FAST_ENCODINGS:
            name = "utf-8"
        return without_surrogates(self.body.decode(name, "replace"))

    def _text_and_json(self) -> tuple[str, object]:
        try:
            parsed = orjson.loads(self.body)
            return self.body.decode(), parsed  # JSON is UTF-8, regardless of the charset
        except ValueError:
            text = self._text()
        # Try again without another encoding, a byte order mark or invalid bytes.
        if (data := text.removeprefix("\ufeff").encode("utf-8")) != self.body:
            try:
                return text, orjson.loads(data)
            except ValueError:
                pass
        if self._begins_as_xml and not self._is_xml:
            try:
                return text, xmltodict.parse(text)
            except ExpatError, ValueError, TypeError, RecursionError:
                pass
        return text, ABSENT

    def _xml(self) -> tuple[str, object]:
        """Return XML as JSON text and dictionary; if it is broken, as text, and set `xml_error`."""
        text = self._text()
        try:
            parsed = xmltodict.parse(text)
            # XML too deep for JSON counts as broken.
            return orjson.dumps(parsed).decode(), parsed
        except ExpatError as err:
            self.xml_error = f"it is broken: {err}"
        except (ValueError, TypeError, RecursionError) as err:
            is_entity = "entities are disabled" in str(err)
            error = "it declares entities, which are not read" if is_entity else "it is too deep"
            self.xml_error = error
        return self._text_and_json()


class Headers(Mapping[str, str | list[str]]):
    """Headers for templates, with case-insensitive names.

    Repeated headers are joined by commas, as HTTP defines; `Set-Cookie`, whose values contain
    commas, is a list.
    """

    def __init__(self, headers: CIMultiDictProxy[str]) -> None:
        self._headers = headers

    @override
    def __getitem__(self, name: str) -> str | list[str]:
        texts = [without_surrogates(text) for text in self._headers.getall(name)]
        return texts if name.lower() == "set-cookie" else ", ".join(texts)

    @override
    def __iter__(self) -> Iterator[str]:
        return iter({name.lower(): name for name in reversed([*self._headers])}.values())

    @override
    def __len__(self) -> int:
        return len({name.lower() for name in self._headers})

    @override
    def __repr__(self) -> str:
        return repr(dict(self))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Reply:
    """A reply: content, URL, status, headers and cookies."""

    content: Content
    url: URL
    """The URL after redirects."""
    status: int
    headers: CIMultiDictProxy[str]
    cookies: Mapping[str, str]

    def variables(self, **more: object) -> dict[str, Any]:
        """Return the variables for templates and `more`; `value_json` exists only for JSON."""
        value, value_json = self.content.value_and_json
        variables = {
            "value": value,
            "status": self.status,
            "headers": Headers(self.headers),
            "cookies": self.cookies,
            **more,
        }
        if value_json is not ABSENT:
            variables["value_json"] = value_json
        return variables


def text_of(part: object) -> str:
    """Return a part of JSON as text: a string unchanged, anything else as JSON."""
    return part if isinstance(part, str) else orjson.dumps(part).decode()


def without_surrogates(text: str) -> str:
    """Return the text with surrogate pairs joined and lone surrogates replaced (U+FFFD)."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
