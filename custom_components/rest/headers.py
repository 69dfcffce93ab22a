"""Request headers, in every form people write them in."""

from collections.abc import Mapping
import re
from typing import Any

_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")  # RFC 9110, token
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def is_header_value(value: str) -> bool:
    """Can the value be sent as it stands? Line breaks and control codes cannot."""
    return not _CONTROL.search(value)


def pairs(value: object) -> dict[str, Any]:
    """Return name/value pairs from a map, a list of maps or lines, or lines of text.

    A line is "Name: value". ValueError names the entry that is none by its number, never by
    its text, which may be a token.
    """
    match value:
        case Mapping():
            entries: list[object] = [{name: text} for name, text in value.items()]
        case str():
            entries = [line for line in value.splitlines() if line.strip()]
        case list():
            entries = value
        case _:
            raise ValueError("expected a map, a list or lines of the form 'Name: value'")
    found: dict[str, Any] = {}
    for number, entry in enumerate(entries, 1):
        name, text = _pair(entry, number)
        if not _NAME.fullmatch(name):
            raise ValueError(f"entry {number} has no valid header name before the colon")
        found[name] = text
    return found


def _pair(entry: object, number: int) -> tuple[str, Any]:
    match entry:
        case Mapping() if len(entry) == 1:
            ((name, text),) = entry.items()
            return str(name).strip(), text
        case str() if ":" in entry:
            name, _, text = entry.partition(":")
            return name.strip(), text.strip()
        case str() if len(words := entry.split()) > 1:
            raise ValueError(f"entry {number} ('{words[0]} …') has no colon after the name")
    raise ValueError(f"entry {number} is not of the form 'Name: value'")
