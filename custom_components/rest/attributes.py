"""Attributes out of a parsed reply."""

from collections.abc import Sequence
from typing import Any

from jsonpath import (  # type: ignore[import-untyped]  # it has no stubs
    ExprSyntaxError,
    JSONPath,
    JSONPathTypeError,
)

from .reply import ABSENT

NOT_A_DICTIONARY = "JSON result was not a dictionary or list with 0th element a dictionary"
NOT_JSON = "REST result could not be parsed as JSON"
EMPTY = "Empty reply found when expecting JSON data"


def pick(parsed: object, keys: Sequence[str], path: JSONPath | None) -> dict[str, Any]:
    """Return those `keys` that the reply, or its element 0, has; nested values stay nested.

    `path`, when given, first picks the part of the reply to look into. ValueError says what
    the reply is instead.
    """
    if parsed is ABSENT:
        raise ValueError(NOT_JSON)
    if path is not None:
        try:
            parsed = path.parse(parsed)
        except (ExprSyntaxError, JSONPathTypeError, TypeError, ValueError) as err:
            raise ValueError(NOT_JSON) from err
    if isinstance(parsed, list) and parsed:
        parsed = parsed[0]
    if not isinstance(parsed, dict):
        raise ValueError(NOT_A_DICTIONARY)  # noqa: TRY004  (one error for every wrong reply)
    return {key: parsed[key] for key in keys if key in parsed}
