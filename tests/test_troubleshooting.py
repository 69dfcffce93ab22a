"""docs/troubleshooting.md has a row for every message of the three integrations."""

import ast
from collections.abc import Iterator
import json
from pathlib import Path
import re

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/troubleshooting.md"
INTEGRATIONS = sorted(path.parent for path in ROOT.glob("custom_components/*/manifest.json"))

COLUMNS = 3
LEVELS = {"warning", "error", "exception", "log"}
# Errors of ours whose text becomes part of a log line.
REASONS = {"PollError", "BadPayloadError", "DuplicateUniqueIdError"}
# Methods that warn, once: topic, message.
COMPLAINTS = {"_complain", "say"}
_FORMAT = re.compile(r"(?:0x)?%[0-9.]*[sdrfx]")
_PLACEHOLDER = re.compile(r"\{\w+\}")


def text_of(node: ast.expr) -> str | None:
    """Return a string of the source with … for what is filled in; None if it is none."""
    match node:
        case ast.Constant(value=str(text)):
            return _FORMAT.sub("…", text).replace("%%", "%")
        case ast.JoinedStr(values=parts):
            return "".join(
                str(part.value) if isinstance(part, ast.Constant) else "…" for part in parts
            )
        case _:
            return None


def logged(tree: ast.Module) -> Iterator[str]:
    """Give what a module logs as a warning or an error, and the reasons it may give."""
    texts = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and isinstance(target := node.target, ast.Name)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="_LOGGER"), attr=level), args=args):
                if level not in LEVELS:
                    continue
                message = args[1] if level == "log" else args[0]
                if isinstance(message, ast.Subscript) and isinstance(message.value, ast.Name):
                    table = texts[message.value.id]
                    assert isinstance(table, ast.Dict)
                    found = [text_of(value) for value in table.values]
                else:
                    found = [text_of(message)]
                assert None not in found, f"line {node.lineno}: no text"
                yield from map(str, found)
            case ast.Call(func=ast.Name(id=name), args=[reason, *_]) if name in REASONS:
                if text := text_of(reason):
                    yield text
            case ast.Call(func=ast.Attribute(attr=name), args=[_, told]) if name in COMPLAINTS:
                if text := text_of(told):
                    yield text
            case _:
                pass


def messages(integration: Path) -> Iterator[str]:
    """Give every message of an integration, with … for what is filled in."""
    texts = json.loads((integration / "translations/en.json").read_text(encoding="utf-8"))
    for issue in texts.get("issues", {}).values():
        yield issue["title"]
    for exception in texts.get("exceptions", {}).values():
        yield _PLACEHOLDER.sub("…", exception["message"])
    for module in sorted(integration.glob("*.py")):
        yield from logged(ast.parse(module.read_text(encoding="utf-8")))


def rows(integration: Path) -> set[str]:
    """Return the messages that begin the rows of the integration's section."""
    page = PAGE.read_text(encoding="utf-8")
    section = page.partition(f"\n## {integration.name}\n")[2].partition("\n## ")[0]
    cells = (line.split(" | ") for line in section.splitlines() if line.startswith("| `"))
    return {cell[0].strip("| `") for cell in cells if len(cell) == COLUMNS}


@pytest.mark.parametrize("integration", INTEGRATIONS, ids=lambda path: path.name)
def test_every_message_has_a_row_and_every_row_a_message(integration: Path) -> None:
    told = {message for message in messages(integration) if message.strip("… :;,")}
    assert len(told) > 10
    assert rows(integration) == told
