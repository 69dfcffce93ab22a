"""Elements of a web page, picked by CSS selectors.

By the parser that core's `scrape` brings: ours has none, and needs none unless there is a `select`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bs4 import BeautifulSoup


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

        return BeautifulSoup(page, "lxml")
    except ImportError, ValueError:  # the latter without lxml
        raise ValueError(
            "there is no parser of HTML; add the Scrape integration, which has it"
        ) from None


def select_elements(page: str, selectors: Iterable[Selector]) -> dict[Selector, str | ValueError]:
    """Return the text that each selector picks, or what is wrong with it. Slow: for a thread."""
    try:
        parsed = parsed_page(page)
    except ValueError as err:
        return dict.fromkeys(selectors, err)
    picked: dict[Selector, str | ValueError] = {}
    for selector in selectors:
        try:
            elements = parsed.select(selector.css, limit=selector.index + 1)
        except Exception:  # noqa: BLE001  (its parser of selectors has errors of its own)
            picked[selector] = ValueError("it is no CSS selector")
            continue
        if len(elements) <= selector.index:
            picked[selector] = ValueError("no element of the page fits")
        elif selector.attribute is None:
            element = elements[selector.index]
            # The text of these is what they hold, as core has it.
            is_code = element.name in ("style", "script", "template")
            picked[selector] = ((element.string or "") if is_code else element.text).strip()
        elif (value := elements[selector.index].get(selector.attribute)) is None:
            picked[selector] = ValueError(f"the element has no '{selector.attribute}'")
        else:
            picked[selector] = value if isinstance(value, str) else " ".join(value)
    return picked
