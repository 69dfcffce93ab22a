"""Select elements of a web page by CSS selectors.

Uses the parsers that core's `scrape` requires: this integration has no requirements, and needs a
parser only for `select`. Simple selectors are evaluated by lxml alone, which is many times faster.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
import re
from typing import TYPE_CHECKING, Any

from .css import xpath_of

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

MAX_PAGE_OF_ALL_SELECTORS = 2 * 1024 * 1024
"""Maximum length in characters; parsing takes four seconds on a PC, and 40 times the memory."""
NO_PARSER = "there is no parser of HTML; add the Scrape integration, which has it"
_NO_ELEMENT = "no element of the page fits"
_XML_DECLARATION = re.compile(r"<\?xml\s[^>]*>")

# Their content is not part of an outer element's text; it is code if they are selected.
_CODE = frozenset({"script", "style", "template"})
# Attributes whose values BeautifulSoup splits into lists of words.
_LISTS = frozenset(
    [
        "accept-charset",
        "accesskey",
        "archive",
        "dropzone",
        "for",
        "headers",
        "rel",
        "rev",
        "sandbox",
        "sizes",
    ]
)
# Elements whose content BeautifulSoup treats differently from lxml.
_OF_THEIR_OWN = re.compile(r"<(?:iframe|rp|rt|template)\b", re.IGNORECASE)

type Picked = str | ValueError


@dataclass(frozen=True, kw_only=True)
class Selector:
    """An element of a page, and its attribute to read; None for its text."""

    css: str
    index: int
    attribute: str | None


def parsed_page(page: str) -> BeautifulSoup:
    """Return a parsed page. Raise ValueError if no parser is installed."""
    try:
        from bs4 import BeautifulSoup  # noqa: PLC0415  (only if it is there)

        # XML is parsed as HTML, too, which would log a warning because of the declaration.
        if declaration := _XML_DECLARATION.match(page):
            page = page[declaration.end() :]
        return BeautifulSoup(page, "lxml")
    except ImportError, ValueError:  # ValueError if lxml is missing
        raise ValueError(NO_PARSER) from None


def select_elements(page: str, selectors: Iterable[Selector]) -> dict[Selector, Picked]:
    """Return the text of each selector, or its error. Slow: run it in a thread."""
    picked = _picked_by_lxml(page, selectors)
    remaining = [selector for selector in selectors if selector not in picked]
    return picked | _picked_by_all_selectors(page, remaining) if remaining else picked


def _picked_by_lxml(page: str, selectors: Iterable[Selector]) -> dict[Selector, Picked]:
    """Return the results of simple selectors."""
    paths = {
        selector: path
        for selector in selectors
        if selector.attribute not in _LISTS and (path := xpath_of(selector.css))
    }
    if not paths or _OF_THEIR_OWN.search(page):
        return {}
    try:
        from lxml import etree  # type: ignore[import-untyped]  # noqa: PLC0415  (if it is there)

        # With a target, lxml builds a broken page from the same events as BeautifulSoup does.
        parser = etree.HTMLParser(target=etree.TreeBuilder())
        root = etree.fromstring(page, parser)  # nosec B320  (HTML has no entities)
    except ImportError, ValueError, SyntaxError:
        return {}  # such as an empty page
    if root is None:
        return {}
    picked: dict[Selector, Picked] = {}
    for selector, path in paths.items():
        elements = root.xpath(path)
        picked[selector] = _pick(selector, elements, text_of_element, _lxml_attribute)
    return picked


def _picked_by_all_selectors(page: str, selectors: list[Selector]) -> dict[Selector, Picked]:
    if len(page) > MAX_PAGE_OF_ALL_SELECTORS:
        too_large = ValueError(
            "the page is too large for this selector; one of tags, classes, ids, attributes, "
            "`>` and `:nth-of-type(2)` alone has no limit"
        )
        return dict.fromkeys(selectors, too_large)
    try:
        parsed = parsed_page(page)
    except ValueError as err:
        return dict.fromkeys(selectors, err)
    picked: dict[Selector, Picked] = {}
    for selector in selectors:
        try:
            elements = parsed.select(selector.css, limit=selector.index + 1)
        except Exception:  # noqa: BLE001  (its parser of selectors has errors of its own)
            picked[selector] = ValueError("it is no CSS selector")
            continue
        picked[selector] = _pick(selector, elements, _text, _attribute)
    return picked


def _pick[E](
    selector: Selector,
    elements: list[E],
    text: Callable[[E], str],
    attribute: Callable[[E, str], str | None],
) -> Picked:
    if len(elements) <= selector.index:
        return ValueError(_NO_ELEMENT)
    element = elements[selector.index]
    if selector.attribute is None:
        return text(element).strip()
    if (value := attribute(element, selector.attribute)) is None:
        return ValueError(f"the element has no '{selector.attribute}'")
    return value


def _text(element: Tag) -> str:
    # The text of such an element is its content, as in core.
    return (element.string or "") if element.name in _CODE else element.text


def _attribute(element: Tag, name: str) -> str | None:
    value = element.get(name)
    return " ".join(value) if isinstance(value, list) else value


def text_of_element(element: Any) -> str:  # noqa: ANN401  (lxml has no types)
    """Return the text of an lxml element, including its descendants."""
    if element.tag in _CODE:
        return "" if len(element) else element.text or ""
    return "".join(_texts(element))


def _texts(element: Any) -> Iterator[str]:  # noqa: ANN401  (lxml has no types)
    """Yield the texts in an element, except for comments and code."""
    stack = [(element, False)]
    while stack:
        node, is_tail = stack.pop()
        if is_tail:
            yield node.tail or ""
            continue
        is_text = isinstance(node.tag, str) and (node is element or node.tag not in _CODE)
        if node is not element:
            stack.append((node, True))
        if is_text:
            stack += [(child, False) for child in reversed(node)]
            yield node.text or ""


def _lxml_attribute(element: Any, name: str) -> str | None:  # noqa: ANN401  (lxml has no types)
    value: str | None = element.get(name)
    return " ".join(value.split()) if name == "class" and value is not None else value
