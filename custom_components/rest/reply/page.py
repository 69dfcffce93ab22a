"""Extract the texts of a web page, each with a CSS selector for it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
import re
from typing import Any

from homeassistant.const import MAX_LENGTH_STATE_STATE

from .html import NO_PARSER, text_of_element

MAX_TEXTS = 2000
_ID = re.compile(r"-?[A-Za-z_][\w-]*", re.ASCII)
_APART = frozenset({"head", "script", "style", "template", "noscript"})


@dataclass(frozen=True, kw_only=True)
class TextOfPage:
    """The text of an element, and its CSS selector."""

    css: str
    text: str


def texts_of(page: str) -> list[TextOfPage]:
    """Return the texts of a page in order. Raise ValueError if no parser is installed. Slow."""
    try:
        from lxml import etree  # type: ignore[import-untyped]  # noqa: PLC0415  (if it is there)

        root = etree.fromstring(page, etree.HTMLParser(target=etree.TreeBuilder()))  # nosec B320
    except ImportError:
        raise ValueError(NO_PARSER) from None
    except ValueError, SyntaxError:
        return []  # an empty page
    if root is None:
        return []
    ids = Counter(element.get("id") for element in root.iter() if element.get("id"))
    texts: list[TextOfPage] = []
    for element in _with_text(root):
        text = text_of_element(element).strip()
        css = _selector(element, ids)
        if css and 0 < len(text) <= MAX_LENGTH_STATE_STATE:
            texts.append(TextOfPage(css=css, text=text))
        if len(texts) == MAX_TEXTS:
            break
    return texts


def _with_text(root: Any) -> Iterator[Any]:  # noqa: ANN401  (lxml has no types)
    """Yield the elements that directly contain a text."""
    stack = [root]
    while stack:
        element = stack.pop()
        if not isinstance(element.tag, str) or element.tag in _APART:
            continue
        own = [element.text, *(child.tail for child in element)]
        if any(text and text.strip() for text in own):
            yield element
        stack += reversed(element)


def _selector(element: Any, ids: Counter[str]) -> str | None:  # noqa: ANN401  (lxml has no types)
    """Return a selector of the element, starting at the nearest unique id or at the root."""
    steps: list[str] = []
    while element is not None:
        if not _ID.fullmatch(element.tag):
            return None
        id_ = element.get("id")
        if id_ and ids[id_] == 1 and _ID.fullmatch(id_):
            return " > ".join([f"#{id_}", *reversed(steps)])
        parent = element.getparent()
        same = [] if parent is None else [child for child in parent if child.tag == element.tag]
        place = f":nth-of-type({same.index(element) + 1})" if len(same) > 1 else ""
        steps.append(f"{element.tag}{place}")
        element = parent
    return " > ".join(reversed(steps))
