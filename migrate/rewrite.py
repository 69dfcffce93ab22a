"""Changes single words in YAML files, and not a byte beside them."""

from collections.abc import Iterator
import os
from pathlib import Path
import shutil
import tempfile

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode


def rename(text: str, renames: dict[tuple[int, str], tuple[str, int]]) -> tuple[str, set[int]]:
    """Change platform names: `renames` maps (line, old) to (new, how often there).

    Gives the new text, and the lines of those that could not be found for
    certain: they are for the user to change.
    """
    try:
        root = YAML().compose(text)
    except YAMLError:
        root = None
    found: dict[tuple[int, str], set[tuple[int, int]]] = {}
    for node in _platforms(root, set()):
        span = (node.start_mark.index, node.end_mark.index)
        found.setdefault((node.start_mark.line + 1, node.value), set()).add(span)

    missed = set()
    edits: list[tuple[int, int, str]] = []
    for (line, old), (new, count) in renames.items():
        spans = found.get((line, old), set())
        words = [(start, end, _replaced(text[start:end], old, new)) for start, end in spans]
        # a word that an alias uses twice is one word, but more words than entries are too many
        if not words or len(words) > count or not all(word for _, _, word in words):
            missed.add(line)
            continue
        edits += [(start, end, word) for start, end, word in words if word]
    for start, end, word in sorted(edits, reverse=True):
        text = text[:start] + word + text[end:]
    return text, missed


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


def _platforms(node: Node | None, seen: set[int]) -> Iterator[ScalarNode]:
    """Find the values of every key `platform`; an alias leads to a node seen before."""
    if node is None or id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, MappingNode):
        for key, value in node.value:
            if isinstance(value, ScalarNode) and key.value == "platform":
                yield value
            yield from _platforms(value, seen)
    elif isinstance(node, SequenceNode):
        for item in node.value:
            yield from _platforms(item, seen)


def _replaced(source: str, old: str, new: str) -> str | None:
    """Replace the word within its quotes, or after its anchor."""
    head, found, tail = source.rpartition(old)
    return head + new + tail if found and tail in {"", "'", '"'} else None
