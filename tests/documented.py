"""Read the keys and their defaults from tables in the documentation."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
import re
from typing import Any

import voluptuous as vol

from .files import CODE, ROOT

REQUIRED = "required"
NOTHING = {"", "\N{EN DASH}", "none"}
"""Cells that mean that a key has no default."""
_LINK = re.compile(r"\[[^]]*\]\([^)]*\)")
_KEY = re.compile(r"`(\w+)`")


def section(page: str, heading: str) -> str:
    """Return the text under a heading of a page, up to the next heading."""
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
    """Return the keys in the tables of a section → the cell with the default."""
    return {
        key: row[column].strip("`")
        for head, rows in tables(section(page, heading))
        if head[0].casefold().startswith("key") and head[1].casefold() == "default"
        for row in rows
        for key in _KEY.findall(_LINK.sub("", row[0]))
    }


def defaults(schema: Mapping[Any, Any]) -> dict[str, str]:
    """Return the keys of a schema → the default as a page writes it."""
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
