"""A reply and what it says: text, JSON, XML, headers, worked out once, until it is forgotten.

Nothing here does I/O or knows Home Assistant. `parse` may run in a thread.
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
"""What `Content.json` is when the body is no JSON; JSON's null is None."""

LARGE = 128 * 1024  # bytes; beyond, parsing takes more than a millisecond
LARGE_XML = 8 * 1024  # bytes; the same for XML, which Python reads itself

_XML_TYPES = ("application/rss+xml", "application/xhtml+xml", "application/xml", "text/xml")
# Replacing the bytes that do not fit is fast with these; others take a microsecond for each.
_FAST_ENCODINGS = frozenset({"utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin-1"})


class Content:
    """The body of a reply and what it says. `content_type` is the media type, in lower case.

    `charset` is the encoding that the server named, if any; `encoding` the configured one, if
    any, used when the server named none, or one that is unknown or does not fit the bytes; the
    last resorts are what the document names itself, and UTF-8. Bytes that no encoding fits are
    replaced (U+FFFD). No text of a reply has a surrogate in it: those cannot be stored or sent
    on, and end the process in the library that parses dates.
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
        # By their beginning, as core reads them: `application/xml-dtd` is one of them.
        self._is_xml = content_type.startswith(_XML_TYPES)
        self._parsed: tuple[str, object] | None = None
        self._elements: dict[Selector, str | ValueError] = {}

    def is_same_as(self, other: Content) -> bool:
        """Return whether the other one says the very same."""
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
        """Return whether it is XML: the server says so, or it begins so."""
        return self._is_xml or self._begins_as_xml

    @property
    def is_html(self) -> bool:
        """Return whether it is a web page, which is what a login or an error often looks like.

        Some servers say so of JSON or XML.
        """
        is_page = self.content_type == "text/html" or is_html(self.body)
        return is_page and self.json is ABSENT

    def needs_thread(self, selectors: Collection[Selector] = ()) -> bool:
        """Return whether `parse` is still to be called, and would stop the event loop too long."""
        size = len(self.body)
        is_large = size > LARGE or (size > LARGE_XML and self.is_xml)
        return (is_large and self._parsed is None) or any(
            selector not in self._elements for selector in selectors
        )

    @property
    def value(self) -> str:
        """Return the text that templates see as `value`: the body, or the JSON of its XML.

        What is XML although the server calls it something else stays as it is, as in core.
        """
        return self.value_and_json[0]

    @property
    def json(self) -> object:
        """Return the parsed body, or ABSENT when it is no JSON. Shared: never change it."""
        return self.value_and_json[1]

    @property
    def value_and_json(self) -> tuple[str, object]:
        """Return both, worked out when first asked for."""
        if self._parsed is None:
            self._parsed = self._xml() if self._is_xml else self._text_and_json()
        return self._parsed

    def parse(self, selectors: Collection[Selector] = ()) -> None:
        """Work all out now; a thread that returned it would hold it for a while."""
        self.value_and_json  # noqa: B018  (evaluated for its effect)
        if selectors:
            self._elements |= select_elements(self._text(), selectors)

    def selected(self, selector: Selector) -> str:
        """Return the element of a web page. Raise ValueError that says what is wrong."""
        if selector not in self._elements:
            self.parse([selector])
        text = self._elements[selector]
        if isinstance(text, ValueError):
            raise text
        return text

    def forget(self) -> None:
        """Keep the body alone, to be parsed anew if need be: values take many times the memory."""
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
            return self.body.decode(), parsed  # JSON is UTF-8, whatever the server calls it
        except ValueError:
            text = self._text()
        # Another encoding, a byte order mark, or a byte that no encoding fits?
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
        """Return XML as JSON and as a dictionary; as it is, with `xml_error`, when it is broken."""
        text = self._text()
        try:
            parsed = xmltodict.parse(text)
            # What is too deep for JSON is as good as broken.
            return orjson.dumps(parsed).decode(), parsed
        except ExpatError as err:
            self.xml_error = f"it is broken: {err}"
        except (ValueError, TypeError, RecursionError) as err:
            is_entity = "entities are disabled" in str(err)
            what = "it declares entities, which are not read" if is_entity else "it is too deep"
            self.xml_error = what
        return self._text_and_json()


class Headers(Mapping[str, str | list[str]]):
    """Headers for templates, by names in any case.

    One that came twice is joined by commas, as HTTP has it; `Set-Cookie`, whose values have
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
    """A reply: what it says, and what came around that."""

    content: Content
    url: URL
    """Where it came from, after redirects."""
    status: int
    headers: CIMultiDictProxy[str]
    cookies: Mapping[str, str]

    def variables(self, **more: object) -> dict[str, Any]:
        """Return what templates may use, and `more`; `value_json` is there if it is JSON."""
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
    """Return a part of JSON as a text: as it is, or as JSON."""
    return part if isinstance(part, str) else orjson.dumps(part).decode()


def without_surrogates(text: str) -> str:
    """Return the text with pairs of surrogates joined and single ones replaced (U+FFFD)."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
