"""What tables of the documentation say of keys: which there are, and what holds without them."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
import re
from typing import Any

import voluptuous as vol

from .files import CODE, ROOT

REQUIRED = "required"
NOTHING = {"", "\N{EN DASH}", "none"}
"""Cells that say that nothing holds without the key."""
_LINK = re.compile(r"\[[^]]*\]\([^)]*\)")
_KEY = re.compile(r"`(\w+)`")


def section(page: str, heading: str) -> str:
    """Return what stands under a heading of a page, up to the next heading."""
    text = (ROOT / page).read_text(encoding="utf-8")
    _, found, rest = text.partition(f"\n{heading}\n")
    assert found, f"{page} has no {heading}"
    return re.split(r"^#+ ", CODE.sub("", rest), maxsplit=1, flags=re.MULTILINE)[0]


def tables(text: str) -> Iterator[tuple[list[str], list[list[str]]]]:
    """Yield the head and the rows of each table."""
    for table in re.findall(r"(?:^\|.*\n)+", f"{text}\n", re.MULTILINE):
        lines = table.splitlines()
        head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
        yield head, rows


def documented(page: str, heading: str, column: int = 1) -> dict[str, str]:
    """Return the keys of the tables of a section, with the cell of what holds without them."""
    return {
        key: row[column].strip("`")
        for head, rows in tables(section(page, heading))
        if head[0].casefold().startswith("key") and head[1].casefold() == "default"
        for row in rows
        for key in _KEY.findall(_LINK.sub("", row[0]))
    }


def defaults(schema: Mapping[Any, Any]) -> dict[str, str]:
    """Return the keys of a schema, with what holds without them, as a page writes that."""
    return {str(key): _default(key) for key in schema if isinstance(key, vol.Marker)}


def _default(key: vol.Marker) -> str:
    if isinstance(key, vol.Required):
        return REQUIRED
    default = getattr(key, "default", vol.UNDEFINED)
    if isinstance(default, vol.Undefined):
        return ""
    return written(default())


def written(value: object) -> str:
    """Return a value as a page writes it."""
    match value:
        case bool():
            return str(value).lower()
        case timedelta():
            return f"{value.total_seconds():g}"
        case float():
            return f"{value:g}"
        case dict() | list():
            return "" if not value else str(value)
        case _:
            return str(value)
