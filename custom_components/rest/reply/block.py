"""The `rest:` block in YAML that would read a reply: an entity for each value in it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
import re
from typing import Any

from homeassistant.const import (
    CONF_NAME,
    CONF_VALUE_TEMPLATE,
    MAX_LENGTH_STATE_STATE,
    Platform,
)
from homeassistant.helpers.json import json_bytes
from homeassistant.util.yaml import dump

from ..const import DOMAIN
from .reply import ABSENT, Content

MAX_VALUES = 50
MAX_DEPTH = 10
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_NO_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True, kw_only=True)
class Value:
    """One value of a reply: what it could be called, how a template reads it, what it is now."""

    name: str
    expression: str
    now: object


def block(request: Mapping[str, Any], content: Content, *, shown: str | None = None) -> str:
    """Return the YAML: the keys of the request, and the first 50 values of the reply.

    With `shown`, those that are this text; if none is, those with it. Names are made of letters
    and digits: what a server says must not be a template.
    """
    values = _first(content)
    if shown is not None:
        values = [value for value in values if _text(value) == shown] or [
            value for value in values if shown in _text(value)
        ]
    entities: dict[str, list[dict[str, str]]] = {}
    for value in values:
        platform = Platform.BINARY_SENSOR if isinstance(value.now, bool) else Platform.SENSOR
        entity = {CONF_NAME: value.name, CONF_VALUE_TEMPLATE: f"{{{{ {value.expression} }}}}"}
        entities.setdefault(platform.value, []).append(entity)
    return dump({DOMAIN: [{**request, **entities}]})


def _text(value: Value) -> str:
    return value.now if isinstance(value.now, str) else json_bytes(value.now).decode()


def _first(content: Content) -> list[Value]:
    """Return the values that fit into states; of a web page, `select` picks them."""
    if content.is_html:
        return []
    if content.json is ABSENT:
        return [Value(name="Value", expression=f"value[:{MAX_LENGTH_STATE_STATE}]", now="")]
    values = []
    for value in _values(content.json, "value_json", ()):
        if not isinstance(value.now, str) or len(value.now) <= MAX_LENGTH_STATE_STATE:
            values.append(value)
        if len(values) == MAX_VALUES:
            break
    return values


def _values(part: object, expression: str, path: tuple[str, ...]) -> Iterator[Value]:
    if len(path) > MAX_DEPTH:
        return
    match part:
        case dict():
            for key, inner in part.items():
                yield from _values(inner, expression + _step(key), (*path, key))
        case list():
            for number, inner in enumerate(part):
                yield from _values(inner, f"{expression}[{number}]", (*path, str(number + 1)))
        case _:
            words = _NO_WORD.sub(" ", " ".join(path)).strip()
            yield Value(name=words.capitalize() or "Value", expression=expression, now=part)


def _step(key: str) -> str:
    """Return how a template reads a key; `items` and the like are functions of a dictionary."""
    return f".{key}" if _NAME.fullmatch(key) and not hasattr(dict, key) else f"[{key!r}]"
