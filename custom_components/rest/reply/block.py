"""Write the `rest:` block in YAML that would read a reply, with an entity per value."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from homeassistant.const import CONF_NAME, CONF_VALUE_TEMPLATE, MAX_LENGTH_STATE_STATE, Platform
from homeassistant.helpers.json import json_bytes
from homeassistant.util.yaml import dump

from ..const import DOMAIN
from .proposals import CONF_PLATFORM, proposed
from .reply import ABSENT, Content

MAX_VALUES = 50
MAX_DEPTH = 10
BEGINNING = f"{{{{ value[:{MAX_LENGTH_STATE_STATE}] }}}}"
"""Template for a text that may be longer than a state."""


@dataclass(frozen=True, kw_only=True)
class Value:
    """A value of a reply: its current value, its path, and its parent."""

    path: tuple[str | int, ...]
    current: object
    parent: object


def block(request: Mapping[str, Any], content: Content, *, search_text: str | None = None) -> str:
    """Return the YAML with the keys of the request and the first 50 values of the reply.

    With `search_text`, only values that equal this text or, if none does, that contain it.
    """
    return yaml_of_block(request, _proposals(content, search_text))


def yaml_of_block(request: Mapping[str, Any], entities: list[dict[str, Any]]) -> str:
    """Return the YAML of a block with these entities, each with the key `platform`."""
    by_platform: dict[str, list[dict[str, Any]]] = {}
    for entity in entities:
        keys = dict(entity)
        by_platform.setdefault(keys.pop(CONF_PLATFORM), []).append(keys)
    return dump({DOMAIN: [{**request, **by_platform}]})


def text_proposed() -> dict[str, str]:
    """Return the keys of a sensor that shows the beginning of a text."""
    return {
        CONF_PLATFORM: Platform.SENSOR.value,
        CONF_NAME: "Value",
        CONF_VALUE_TEMPLATE: BEGINNING,
    }


def _proposals(content: Content, search_text: str | None) -> list[dict[str, str]]:
    """Return entities for values that fit into a state; for a web page, with `select`."""
    if content.is_html:
        return []
    if content.json is ABSENT:
        return [text_proposed()]
    values: Iterable[Value] = filter(_fits, _values(content.json, (), None))
    if search_text is not None:
        with_text = [value for value in values if search_text in _text(value)]
        values = [value for value in with_text if _text(value) == search_text] or with_text
    return [
        proposed(value.path, value.current, value.parent) for value in islice(values, MAX_VALUES)
    ]


def _text(value: Value) -> str:
    return value.current if isinstance(value.current, str) else json_bytes(value.current).decode()


def leaves_out_values(content: Content) -> bool:
    """Return whether `block` has no entity for some values of JSON."""
    return content.json is not ABSENT and any(
        number >= MAX_VALUES or not _fits(value)
        for number, value in enumerate(_values(content.json, (), None))
    )


def _fits(value: Value) -> bool:
    """Return whether a value fits into a state."""
    match value.current:
        case str() as text:
            return len(text) <= MAX_LENGTH_STATE_STATE
        case current:
            return not isinstance(current, dict | list)


def _values(part: object, path: tuple[str | int, ...], parent: object) -> Iterator[Value]:
    """Yield all values; what is nested deeper than MAX_DEPTH as one."""
    match part:
        case dict() | list() if part and len(path) > MAX_DEPTH:
            yield Value(path=path, current=part, parent=parent)
        case dict():
            for key, inner in part.items():
                yield from _values(inner, (*path, key), part)
        case list():
            for number, inner in enumerate(part):
                yield from _values(inner, (*path, number), part)
        case _:
            yield Value(path=path, current=part, parent=parent)
