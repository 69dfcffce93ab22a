"""Parse JSON, YAML and XML without interpreting values: names are texts and may be repeated."""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator, Mapping
import json
import re
from typing import Any, Final, override
from xml.etree import ElementTree as ET  # nosec B405  (without a document type, see read_xml)

import yaml

from ..reasons import RefusedError

try:
    from yaml import CBaseLoader as FastestBaseLoader
except ImportError:
    from yaml import BaseLoader as FastestBaseLoader  # type: ignore[assignment]

MAX_YAML: Final = 4 * 1024 * 1024
"""Characters if the text is not JSON: parsing YAML takes ten times as long."""
_NO_TEXT: Final = re.compile(r"[\0-\x08\x0e-\x1a\x1c-\x1f]")
"""Control characters except those in logs: 1b is used for terminal colours."""
_REMARK: Final = r"//[^\n]*+|/\*.*?(?:\*/|\Z)"
_STRING_OR_EXTRA: Final = re.compile(
    rf'"(?:[^"\\]|\\.)*+(?:"|\Z)|{_REMARK}|,(?=(?:\s|{_REMARK})*+[}}\]])', re.DOTALL
)
"""Strings in JSON; and comments and trailing commas, which files contain but JSON forbids."""
_PREFIX: Final = re.compile(rf"((?:\s|{_REMARK})*+)([{{\[]?)", re.DOTALL)
"""Comments before JSON, and its first bracket."""
_WEB_PAGE: Final = re.compile(
    r"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+)?html\b", re.IGNORECASE | re.DOTALL
)


class RepeatedValues(tuple[object, ...]):
    """The values of a key that occurs several times in one mapping."""

    __slots__ = ()


class _Loader(FastestBaseLoader):
    """YAML loader that produces only strings: a typed loader reads the command off as False."""

    @override
    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Refuse aliases: nested aliases can expand without limit."""
        if node in self.constructed_objects:
            raise RefusedError("alias")
        return super().construct_object(node, deep=deep)

    @override
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Keep all values of repeated keys."""
        for name, _ in node.value:
            if not isinstance(name, yaml.ScalarNode):
                raise RefusedError(
                    "no_name", name="{…}" if isinstance(name, yaml.MappingNode) else "[…]"
                )
        return _merged(
            (self.construct_object(name), self.construct_object(value, deep=deep))
            for name, value in node.value
        )


def text_of(content: bytes) -> str:
    """Return the text of a file. Raise RefusedError if it is binary.

    Text that is not UTF-8 is decoded as Latin-1: old files have accents in comments.
    """
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return content.decode("utf-16", errors="replace")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    if _NO_TEXT.search(text):
        raise RefusedError("no_text_file")
    return text


def read_json(text: str) -> object:
    """Parse JSON, tolerating comments and trailing commas. Raise RefusedError."""
    if (front := _PREFIX.match(text)) is None or not front[2]:
        raise RefusedError("no_notation", line=1, column=1)
    try:
        try:
            return json.loads(text, object_pairs_hook=_merged)
        except json.JSONDecodeError as err:
            if (repaired := _STRING_OR_EXTRA.sub(_repaired, text)) == text:
                raise
            try:
                return json.loads(repaired, object_pairs_hook=_merged)
            except json.JSONDecodeError:
                raise err from None
    except json.JSONDecodeError as err:
        raise RefusedError("no_notation", line=err.lineno, column=err.colno) from err
    except ValueError as err:  # a number with thousands of digits
        raise RefusedError("no_notation", line=1, column=1) from err
    except RecursionError as err:
        raise RefusedError("too_deep") from err


def _repaired(match: re.Match[str]) -> str:
    """Keep strings; remove comments and trailing commas."""
    return match[0] if match[0].startswith('"') else ""


def read_notation(text: str) -> object:
    """Parse JSON or YAML. Raise RefusedError if the text is neither."""
    place: Mapping[str, object] = {}
    try:
        return read_json(text)
    except RefusedError as err:
        if err.reason.key != "no_notation":
            raise
        if text.startswith(("{", "[")):
            place = err.reason.values  # may still be valid YAML
    if len(text) > MAX_YAML:
        raise RefusedError("long_yaml", count=len(text), limit=MAX_YAML)
    try:
        return yaml.load(text, _Loader)  # noqa: S506  # nosec B506  (makes texts only)
    except RecursionError as err:
        raise RefusedError("too_deep") from err
    except yaml.YAMLError as err:
        mark = err.problem_mark if isinstance(err, yaml.MarkedYAMLError) else None
        if not place and mark is not None:
            place = {"line": mark.line + 1, "column": mark.column + 1}
        if not place:  # YAML gives no position for invalid characters
            raise RefusedError("no_text_file") from err
        raise RefusedError("no_notation", **place) from err


def is_web_page(text: str) -> bool:
    """Return whether a text is a web page saved instead of a file."""
    return _WEB_PAGE.match(text) is not None


def read_xml(text: str) -> ET.Element:
    """Parse XML. Raise RefusedError if it is invalid or has a document type."""
    # Without a document type there are no entities that could expand or read files.
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise RefusedError("document_type")
    try:
        return ET.fromstring(text)  # noqa: S314  # nosec B314
    except ET.ParseError as err:
        raise RefusedError("line", line=err.position[0], notation="XML") from err


def pairs(mapping: Mapping[object, object]) -> Iterator[tuple[object, object]]:
    """Yield keys and values; a repeated key is yielded with each of its values."""
    for name, value in mapping.items():
        if isinstance(value, RepeatedValues):
            yield from ((name, repeated) for repeated in value)
        else:
            yield name, value


def _merged(items: Iterable[tuple[str, object]]) -> dict[str, object]:
    """Return a mapping of all items; the values of a repeated key become RepeatedValues."""
    values: dict[str, list[object]] = {}
    for name, value in items:
        values.setdefault(name, []).append(value)
    return {
        name: repeated[0] if len(repeated) == 1 else RepeatedValues(repeated)
        for name, repeated in values.items()
    }
