"""The attributes that a sensor reads from a reply."""

from ast import literal_eval
from collections.abc import Mapping, Sequence
from typing import Any

from homeassistant.helpers.json import json_bytes
from homeassistant.helpers.template import Template
from homeassistant.util.json import JSON_DECODE_EXCEPTIONS, json_loads
from jsonpath import (  # type: ignore[import-untyped]  # it has no stubs
    ExprSyntaxError,
    JSONPathTypeError,
    search,
)

from ..const import CONF_JSON_ATTRS, CONF_JSON_ATTRS_PATH, CONF_JSON_ATTRS_TEMPLATE
from .reply import ABSENT, Content
from .templates import ReplyTemplate, Report


class Attributes:
    """Reads json_attributes (with json_attributes_path), merged with json_attributes_template."""

    def __init__(
        self, *, keys: Sequence[str], path: str | None, template: Template | None, report: Report
    ) -> None:
        self._report = report
        self._keys = keys
        self._path = path
        self._template = (
            None if template is None else ReplyTemplate(CONF_JSON_ATTRS_TEMPLATE, template, report)
        )

    def read(
        self, content: Content, variables: dict[str, Any], item: object = ABSENT
    ) -> dict[str, Any]:
        """Return the attributes that the reply, or `item` of it, has."""
        attributes = self._picked(content, item) if self._keys else {}
        return attributes | self._rendered(variables) if self._template else attributes

    def _picked(self, content: Content, item: object) -> dict[str, Any]:
        try:
            part = _json_of(content) if item is ABSENT else item
            attributes = pick(part, self._keys, self._path)
        except ValueError as err:
            self._report(CONF_JSON_ATTRS, f"json_attributes: {err}")
            return {}
        self._report(CONF_JSON_ATTRS)
        return attributes

    def _rendered(self, variables: dict[str, Any]) -> dict[str, Any]:
        if self._template is None or (text := self._template.text(variables)) is None:
            return {}
        if (attributes := _dictionary(text)) is None:
            self._report(CONF_JSON_ATTRS_TEMPLATE, "json_attributes_template gave no dictionary")
            return {}
        self._report(CONF_JSON_ATTRS_TEMPLATE)
        return attributes


def _json_of(content: Content) -> object:
    if not content.body:
        raise ValueError("Empty reply found when expecting JSON data")
    if content.json is ABSENT:
        raise ValueError("REST result could not be parsed as JSON")
    return content.json


def pick(part: object, keys: Sequence[str], path: str | None) -> dict[str, Any]:
    """Return those `keys` that a part, or its element 0, has; nested values stay nested.

    `path`, a JSONPath, first selects a part of it. Raise ValueError if that is not a dictionary.
    """
    if path is not None:
        try:
            part = search(path, part)
        except (ExprSyntaxError, JSONPathTypeError, TypeError, ValueError) as err:
            raise ValueError(f"{CONF_JSON_ATTRS_PATH} does not fit the reply") from err
    if isinstance(part, list) and part:
        part = part[0]
    if not isinstance(part, dict):
        raise ValueError(  # noqa: TRY004  (one error for every wrong reply)
            "JSON result was not a dictionary or list with 0th element a dictionary"
        )
    return {key: part[key] for key in keys if key in part}


def _dictionary(text: str) -> dict[str, Any] | None:
    """Return a dictionary from JSON or from Python syntax, which Jinja prints; else None."""
    parsed: object
    try:
        parsed = json_loads(text)
    except JSON_DECODE_EXCEPTIONS:
        try:
            parsed = literal_eval(text)
        except ValueError, TypeError, SyntaxError, MemoryError, RecursionError:
            return None
    if not isinstance(parsed, Mapping):
        return None
    attributes = {str(key): value for key, value in parsed.items()}
    try:
        json_bytes(attributes)
    except TypeError, ValueError:  # not allowed in a state, such as a surrogate
        return None
    return attributes
