"""Changes words and lines of a YAML file where that is certain, and not a byte beside them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
import os
from pathlib import Path
import shutil
import tempfile

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode


@dataclass(frozen=True, kw_only=True)
class NewValue:
    """Another word as the value of `key`."""

    line: int
    key: str
    old: str
    new: str


@dataclass(frozen=True, kw_only=True)
class NewKey:
    """Another name for the key on this line, and another value if one is given."""

    line: int
    key: str
    new: str
    value: str | None = None


@dataclass(frozen=True, kw_only=True)
class CommentedOut:
    """The key on this line, with all that stands under it, as a comment."""

    line: int
    key: str


@dataclass(frozen=True, kw_only=True)
class AddedKey:
    """One more key beside `key: value`, or in the mapping that `inside` names beside it."""

    line: int
    key: str
    value: str
    added: str
    text: str
    inside: tuple[str, ...] = ()


type Change = NewValue | NewKey | CommentedOut | AddedKey


@dataclass(frozen=True, kw_only=True)
class _Pair:
    """A key and its value, in their mapping."""

    mapping: MappingNode
    key: ScalarNode
    value: Node


@dataclass(frozen=True, order=True)
class _Splice:
    """Other text in the place of a part of the file."""

    start: int
    end: int
    text: str


class _UncertainError(Exception):
    """The change cannot be made without touching something else."""


def rewrite(
    text: str, changes: Mapping[tuple[Change, ...], int]
) -> tuple[str, set[tuple[Change, ...]]]:
    """Return the text with the changes made, and the changes left to the user.

    Changes that belong together are made together or not at all. Each comes with how many
    entries need it: an alias or an included file uses a word several times, but more words
    than entries are too many.
    """
    try:
        root = YAML().compose(text)
    except YAMLError:
        root = None
    pairs = list(_pairs(root, set()))
    splices: set[_Splice] = set()
    left: set[tuple[Change, ...]] = set()
    for together, count in changes.items():
        try:
            splices |= {
                splice
                for change in together
                for pair in _matching_pairs(pairs, change, count)
                for splice in _splices(text, pair, change)
            }
        except _UncertainError:
            left.add(together)
    for splice in sorted(splices, reverse=True):
        text = text[: splice.start] + splice.text + text[splice.end :]
    return text, left


def replace_file(path: Path, text: str, backup: Path) -> None:
    """Write a file anew at one stroke, keeping owner and mode, after copying it to `backup`."""
    backup.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(path, backup)
    before = path.stat()
    handle, name = tempfile.mkstemp(prefix=".migrate-", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        shutil.copymode(path, name)
        os.chown(name, before.st_uid, before.st_gid)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def read_file(path: Path) -> str:
    """Read a file with its line ends as they are."""
    with path.open(encoding="utf-8", newline="") as file:
        return file.read()


def _pairs(node: Node | None, seen: set[int]) -> Iterator[_Pair]:
    """Yield every key with its value; an alias leads to a node seen before."""
    if node is None or id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, MappingNode):
        for key, value in node.value:
            if isinstance(key, ScalarNode):
                yield _Pair(mapping=node, key=key, value=value)
            yield from _pairs(value, seen)
    elif isinstance(node, SequenceNode):
        for item in node.value:
            yield from _pairs(item, seen)


def _matching_pairs(pairs: list[_Pair], change: Change, count: int) -> list[_Pair]:
    matching = [pair for pair in pairs if _matches(pair, change)]
    if not 0 < len(matching) <= count:
        raise _UncertainError
    return matching


def _matches(pair: _Pair, change: Change) -> bool:
    if pair.key.value != change.key:
        return False
    match change:
        case NewKey() | CommentedOut():
            return bool(pair.key.start_mark.line + 1 == change.line)
        case NewValue(old=word) | AddedKey(value=word):
            here = isinstance(pair.value, ScalarNode) and pair.value.value == word
            return here and bool(pair.value.start_mark.line + 1 == change.line)


def _splices(text: str, pair: _Pair, change: Change) -> list[_Splice]:
    match change:
        case NewValue(old=old, new=new):
            return [_other_word(text, pair.value, old, new)]
        case NewKey(new=new, value=value):
            splices = [_other_word(text, pair.key, pair.key.value, new)]
            if value is not None:
                if not isinstance(pair.value, ScalarNode):
                    raise _UncertainError
                splices.append(_other_word(text, pair.value, pair.value.value, value))
            return splices
        case CommentedOut():
            return _comment_out(text, pair)
        case AddedKey():
            return [_added_key(text, pair, change)]


def _other_word(text: str, node: Node, old: str, new: str) -> _Splice:
    """Replace a word within its quotes, or after its anchor."""
    start, end = node.start_mark.index, node.end_mark.index
    head, found, tail = text[start:end].rpartition(old)
    if not found or tail not in {"", "'", '"'}:
        raise _UncertainError
    return _Splice(start, end, head + new + tail)


def _comment_out(text: str, pair: _Pair) -> list[_Splice]:
    """Put a # before each line of a key and its value."""
    start: int = pair.key.start_mark.index
    first = text.rfind("\n", 0, start) + 1
    end = _last_index(pair)
    after = _line_end(text, end)
    rest = text[end:after].strip(": ")
    # other keys on these lines would go too, and an alias elsewhere would lead nowhere
    alone = not text[first:start].strip("\ufeff ") and (not rest or rest.startswith("#"))
    if not alone or pair.mapping.flow_style or _has_anchor(pair.value):
        raise _UncertainError
    splices = []
    column = start - first
    line = first
    while line <= end:
        if text[line : _line_end(text, line)].strip():
            splices.append(_Splice(line + column, line + column, "# "))
        line = text.find("\n", line) + 1 or len(text) + 1
    return splices


def _added_key(text: str, pair: _Pair, change: AddedKey) -> _Splice:
    addition = f"{change.added}: {change.text}"
    if change.inside:
        for key, value in pair.mapping.value:
            if getattr(key, "value", None) in change.inside:
                return _added_first(text, value, key, addition)
        addition = f"{change.inside[0]}: {{{addition}}}"
    end: int = pair.value.end_mark.index
    if pair.mapping.flow_style:
        return _Splice(end, end, f", {addition}")
    line_end = _line_end(text, end)
    if (rest := text[end:line_end].strip()) and not rest.startswith("#"):
        raise _UncertainError
    new_line = _new_line(text) + " " * pair.key.start_mark.column
    return _Splice(line_end, line_end, new_line + addition)


def _added_first(text: str, mapping: Node, key: ScalarNode, addition: str) -> _Splice:
    """Put one more key at the start of a mapping."""
    elsewhere = mapping.start_mark.index < key.end_mark.index  # the value is an alias
    if not isinstance(mapping, MappingNode) or not mapping.value or elsewhere:
        raise _UncertainError
    first, _ = mapping.value[0]
    start: int = first.start_mark.index
    if mapping.flow_style:
        return _Splice(start, start, f"{addition}, ")
    new_line = _new_line(text) + " " * first.start_mark.column
    return _Splice(start, start, addition + new_line)


def _last_index(pair: _Pair) -> int:
    """Return where the text of a pair ends: the parser's mark may lie behind blank lines."""
    nodes = [pair.value]
    end: int = pair.key.end_mark.index
    while nodes:
        node = nodes.pop()
        if isinstance(node, ScalarNode) and node.style in {"|", ">"}:
            raise _UncertainError
        if node.start_mark.index == node.end_mark.index:
            continue  # nothing stands there: the mark is at the next key
        if not isinstance(node, CollectionNode) or node.flow_style:
            end = max(end, node.end_mark.index)
        elif isinstance(node, MappingNode):
            nodes += [part for item in node.value for part in item]
        elif isinstance(node, SequenceNode):
            nodes += node.value
    return end


def _has_anchor(node: Node) -> bool:
    if node.anchor:
        return True
    parts = node.value if isinstance(node, (MappingNode, SequenceNode)) else []
    flat = [part for item in parts for part in (item if isinstance(item, tuple) else [item])]
    return any(_has_anchor(part) for part in flat)


def _line_end(text: str, index: int) -> int:
    """Return where the line ends, before its line break."""
    end = text.find("\n", index)
    if end < 0:
        return len(text)
    return end - 1 if text[end - 1] == "\r" else end


def _new_line(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
