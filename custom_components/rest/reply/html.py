"""Elements of a web page, picked by CSS selectors.

By the parsers that core's `scrape` brings: ours has none, and needs none unless there is a
`select`. Simple selectors are found by lxml alone, which is many times as fast.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
import re
from typing import TYPE_CHECKING, Any

from .css import xpath_of

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

MAX_PAGE_OF_ALL_SELECTORS = 2 * 1024 * 1024
"""Characters: four seconds on a PC, and 40 times the memory."""
NO_PARSER = "there is no parser of HTML; add the Scrape integration, which has it"
_NO_ELEMENT = "no element of the page fits"
_XML_DECLARATION = re.compile(r"<\?xml\s[^>]*>")

# What is in these is no text of an element around them, and code if they are picked.
_CODE = frozenset({"script", "style", "template"})
# Their values are lists of words to the parser that knows all selectors.
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
# What is in these counts as something else to the parser that knows all selectors.
_OF_THEIR_OWN = re.compile(r"<(?:iframe|rp|rt|template)\b", re.IGNORECASE)

type Picked = str | ValueError


@dataclass(frozen=True, kw_only=True)
class Selector:
    """Which element of a page, and which attribute of it, or None for its text."""

    css: str
    index: int
    attribute: str | None


def parsed_page(page: str) -> BeautifulSoup:
    """Return a page for selectors. Raise ValueError that says that there is no parser."""
    try:
        from bs4 import BeautifulSoup  # noqa: PLC0415  (only if it is there)

        # XML is read as HTML, too. With its declaration, that would be a warning in the log.
        if declaration := _XML_DECLARATION.match(page):
            page = page[declaration.end() :]
        return BeautifulSoup(page, "lxml")
    except ImportError, ValueError:  # the latter without lxml
        raise ValueError(NO_PARSER) from None


def select_elements(page: str, selectors: Iterable[Selector]) -> dict[Selector, Picked]:
    """Return the text that each selector picks, or what is wrong with it. Slow: for a thread."""
    picked = _picked_by_lxml(page, selectors)
    left = [selector for selector in selectors if selector not in picked]
    return picked | _picked_by_all_selectors(page, left) if left else picked


def _picked_by_lxml(page: str, selectors: Iterable[Selector]) -> dict[Selector, Picked]:
    """Return what simple selectors pick."""
    paths = {
        selector: path
        for selector in selectors
        if selector.attribute not in _LISTS and (path := xpath_of(selector.css))
    }
    if not paths or _OF_THEIR_OWN.search(page):
        return {}
    try:
        from lxml import etree  # type: ignore[import-untyped]  # noqa: PLC0415  (if it is there)

        # Built of the same events as by the other parser, which is told of a broken page's.
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
    # The text of these is what they hold, as core has it.
    return (element.string or "") if element.name in _CODE else element.text


def _attribute(element: Tag, name: str) -> str | None:
    value = element.get(name)
    return " ".join(value) if isinstance(value, list) else value


def text_of_element(element: Any) -> str:  # noqa: ANN401  (lxml has no types)
    """Return the text of an element of lxml's, with that of the ones in it."""
    if element.tag in _CODE:
        return "" if len(element) else element.text or ""
    return "".join(_texts(element))


def _texts(element: Any) -> Iterator[str]:  # noqa: ANN401  (lxml has no types)
    """Yield the texts in an element, but for comments and what stands apart."""
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
