"""A reply as a tree, which the browser loads in parts."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import islice
import re
from typing import Any, Final, override

from homeassistant.const import CONF_NAME, CONF_VALUE_TEMPLATE, Platform
from homeassistant.helpers.json import json_bytes

from ..const import CONF_SELECT
from ..reply.block import text_proposed
from ..reply.page import TextOfPage, texts_of
from ..reply.proposals import CONF_PLATFORM, Path, part_of, proposed, proposed_for_each
from ..reply.reply import ABSENT, Content

NODES: Final = 100
"""Maximum number of nodes sent at a time."""
SHOWN: Final = 120
"""Maximum length of a text sent, in characters."""
MAX_LOOKED_AT: Final = 200_000
"""Maximum number of parts of a reply searched for a text."""

MAX_PATH: Final = 50
"""Maximum depth of a value; Jinja cannot parse arbitrarily long templates."""
MAX_LABEL: Final = 40
"""Maximum length, in characters, of a text used as name of the text after it."""

_MEASURED = re.compile(
    r"([-+]?\d+(?:[.,]\d+)?)\s*([^\W\d]{1,4}|%|°[CF]|[^\W\d]{1,3}/[^\W\d]{1,3}[³3]?)?"
)
_NUMBER_OF_TEXT = (
    "{{ value | regex_findall('[-+]?[0-9]+(?:[.,][0-9]+)?') | first | replace(',', '.') }}"
)

type Node = dict[str, Any]
"""Keys `path`, `label`, `kind`; a value has `text`, a container has `count`."""


class Tree(ABC):
    """The content of a reply."""

    kind: str
    """One of json, xml, text, page."""

    @abstractmethod
    def children(self, path: Path, start: int) -> tuple[list[Node], int]:
        """Return nodes below a path, and the number of those left out. Raise LookupError."""

    @abstractmethod
    def with_text(self, text: str) -> list[Node]:
        """Return the first values that contain a text, in the value or its key. Slow."""

    @abstractmethod
    def proposals(self, path: Path) -> list[dict[str, str]]:
        """Return the keys of an entity for a value, then of one with `for_each`, if possible.

        Raise LookupError.
        """


class JsonTree(Tree):
    """A reply in JSON, or XML converted to it."""

    def __init__(self, root: object, kind: str) -> None:
        self.kind = kind
        self._root = root

    @override
    def children(self, path: Path, start: int) -> tuple[list[Node], int]:
        part = part_of(self._root, path)
        if not isinstance(part, dict | list):
            return [_node((), part, "")], 0  # the whole reply is a value
        count = len(part)
        inner = islice(_inner(part), start, start + NODES)
        nodes = [_node((*path, step), value, str(step)) for step, value in inner]
        return nodes, max(count - start - len(nodes), 0)

    @override
    def with_text(self, text: str) -> list[Node]:
        sought = text.casefold()
        nodes: list[Node] = []
        stack: list[tuple[tuple[str | int, ...], object]] = [((), self._root)]
        for _ in range(MAX_LOOKED_AT):
            if not stack or len(nodes) == NODES:
                break
            path, part = stack.pop()
            if isinstance(part, dict | list):
                stack += reversed([((*path, step), value) for step, value in _inner(part)])
            elif sought in _text(part).casefold() or sought in _last_step(path).casefold():
                nodes.append(_node(path, part, " / ".join(map(str, path))))
        return nodes

    @override
    def proposals(self, path: Path) -> list[dict[str, str]]:
        value = part_of(self._root, path)
        if isinstance(value, dict | list) or len(path) > MAX_PATH:
            raise LookupError(path)
        single = proposed(path, value, part_of(self._root, path[:-1]) if path else None)
        for_each = proposed_for_each(path, self._root)
        return [single, for_each] if for_each else [single]


class TextTree(Tree):
    """A reply that is a single text."""

    kind = "text"

    def __init__(self, text: str) -> None:
        self._text = text

    @override
    def children(self, path: Path, start: int) -> tuple[list[Node], int]:
        return [_node((), self._text, "")], 0

    @override
    def with_text(self, text: str) -> list[Node]:
        return self.children((), 0)[0] if text.casefold() in self._text.casefold() else []

    @override
    def proposals(self, path: Path) -> list[dict[str, str]]:
        return [text_proposed()]


class PageTree(Tree):
    """The texts of a web page."""

    kind = "page"

    def __init__(self, texts: Sequence[TextOfPage]) -> None:
        self._texts = texts

    @override
    def children(self, path: Path, start: int) -> tuple[list[Node], int]:
        nodes = [self._node(number) for number in range(start, len(self._texts))[:NODES]]
        return nodes, max(len(self._texts) - start - len(nodes), 0)

    @override
    def with_text(self, text: str) -> list[Node]:
        sought = text.casefold()
        fitting = (
            n
            for n, text_of_page in enumerate(self._texts)
            if sought in text_of_page.text.casefold()
        )
        return [self._node(number) for number in islice(fitting, NODES)]

    @override
    def proposals(self, path: Path) -> list[dict[str, str]]:
        match path:
            case [int() as number] if 0 <= number < len(self._texts):
                text = self._texts[number]
            case _:
                raise LookupError(path)
        preceding = self._texts[number - 1].text if number else ""
        label = preceding if preceding[:1].isalpha() and len(preceding) <= MAX_LABEL else text.css
        measured = _MEASURED.fullmatch(text.text)
        if measured is None:
            name = proposed([label], None)[CONF_NAME]
            return [{CONF_PLATFORM: Platform.SENSOR.value, CONF_NAME: name, CONF_SELECT: text.css}]
        number_, unit = measured.groups()
        entity = proposed([label], number_.replace(",", "."), {"unit": unit or ""})
        is_number = number_ == text.text and "," not in number_
        value_template = {} if is_number else {CONF_VALUE_TEMPLATE: _NUMBER_OF_TEXT}
        del entity[CONF_VALUE_TEMPLATE]
        return [{**entity, CONF_SELECT: text.css, **value_template}]

    def _node(self, number: int) -> Node:
        return _node((number,), self._texts[number].text, "")


def tree_of(content: Content) -> Tree:
    """Return the tree of a reply. Raise ValueError if it cannot be parsed. Slow."""
    if content.is_html:
        return PageTree(texts_of(content.value))
    if content.json is ABSENT:
        return TextTree(content.value)
    return JsonTree(content.json, "xml" if content.is_xml else "json")


def _inner(part: dict[str, Any] | list[Any]) -> Iterator[tuple[str | int, Any]]:
    return iter(part.items()) if isinstance(part, dict) else enumerate(part)


def _node(path: Path, part: object, label: str) -> Node:
    node: Node = {"path": [*path], "label": label}
    match part:
        case dict() | list():
            kind = "object" if isinstance(part, dict) else "list"
            return node | {"kind": kind, "count": len(part)}
        case bool():
            kind = "boolean"
        case int() | float():
            kind = "number"
        case None:
            kind = "null"
        case _:
            kind = "text"
    text = _text(part)
    return node | {"kind": kind, "text": text if len(text) <= SHOWN else f"{text[:SHOWN]}…"}


def _text(value: object) -> str:
    return value if isinstance(value, str) else json_bytes(value).decode()


def _last_step(path: Path) -> str:
    return str(path[-1]) if path else ""
