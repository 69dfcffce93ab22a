"""JSON, YAML and XML as they are written: all names are texts, and one may stand twice."""

from collections.abc import Iterable, Iterator, Mapping
import json
import re
from typing import Any, Final, override
from xml.etree import ElementTree as ET  # nosec B405  (without a document type, see read_xml)

import yaml

from ..codes.reasons import RefusedError

try:
    from yaml import CBaseLoader as FastestBaseLoader
except ImportError:
    from yaml import BaseLoader as FastestBaseLoader  # type: ignore[assignment]

MAX_YAML: Final = 4 * 1024 * 1024
"""Characters, of what is not JSON: YAML takes ten times as long."""
_WEB_PAGE: Final = re.compile(
    r"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+)?html\b", re.IGNORECASE | re.DOTALL
)


class Twice(tuple[object, ...]):
    """The values of a name that stands several times in one place."""

    __slots__ = ()


class _Loader(FastestBaseLoader):
    """Makes texts only: to a loader that knows types, the command off is False."""

    @override
    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Refuse what stands under an alias: with aliases of aliases, a text has no end."""
        if node in self.constructed_objects:
            raise yaml.YAMLError("aliases (*) are not read; write out what they stand for")
        return super().construct_object(node, deep=deep)

    @override
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Keep all values of a name."""
        if not all(isinstance(name, yaml.ScalarNode) for name, _ in node.value):
            raise yaml.YAMLError("a name is a list or a mapping")
        return _merged(
            (self.construct_object(name), self.construct_object(value, deep=deep))
            for name, value in node.value
        )


def read_notation(text: str) -> object:
    """Return what JSON or YAML say. Raise ValueError if a text is neither."""
    problem: Exception | None = None
    if text.startswith(("{", "[")):
        try:
            return json.loads(text, object_pairs_hook=_merged)
        except (json.JSONDecodeError, RecursionError) as err:
            problem = err  # It may be YAML all the same.
    if len(text) > MAX_YAML:
        raise RefusedError("long_yaml", count=len(text), limit=MAX_YAML)
    try:
        return yaml.load(text, _Loader)  # noqa: S506  # nosec B506  (makes texts only)
    except (yaml.YAMLError, RecursionError) as err:
        reason = str(problem or err).partition("\n")[0]
        raise RefusedError("no_notation", error=reason) from err


def read_xml(text: str) -> ET.Element:
    """Return what XML says. Raise ValueError if it is none, or has a document type."""
    if _WEB_PAGE.match(text):
        raise RefusedError("web_page")
    # No entities are declared without a document type, so none can multiply or name a file.
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise RefusedError("document_type")
    try:
        return ET.fromstring(text)  # noqa: S314  # nosec B314
    except ET.ParseError as err:
        line, column = err.position
        raise RefusedError("no_xml", line=line, column=column + 1) from err


def pairs(mapping: Mapping[object, object]) -> Iterator[tuple[object, object]]:
    """Yield names and values; a name that stands twice comes twice."""
    for name, value in mapping.items():
        if isinstance(value, Twice):
            yield from ((name, each) for each in value)
        else:
            yield name, value


def _merged(read: Iterable[tuple[str, object]]) -> dict[str, object]:
    values: dict[str, list[object]] = {}
    for name, value in read:
        values.setdefault(name, []).append(value)
    return {name: of[0] if len(of) == 1 else Twice(of) for name, of in values.items()}
