"""The texts: the same in every language, and each can be shown."""

import ast
from collections.abc import Iterator
from pathlib import Path
import re
from typing import Any

import homeassistant
from homeassistant import config_entries, const
from homeassistant.const import Platform
import pytest

from .files import NAMES, ROOT, every, leaves, read, texts

CORE = Path(homeassistant.__file__).parent / "components"
LANGUAGES = {"de", "en", "es", "fr", "nl"}
OTHERS = sorted(
    path for path in ROOT.glob("custom_components/*/translations/*.json") if path.stem != "en"
)
NAMED_BY_CODE = {
    *("exceptions", "issues", "error", "abort", "progress", "step", "menu_options"),
    *("data", "data_description", "selector", "info", *Platform),
}
"""The parts of a file of texts in which the code looks a key up by its name."""


def literals(*paths: Path) -> set[str]:
    """Return every text that stands in Python files, or in those of folders."""
    files = [file for path in paths for file in ([path] if path.suffix else path.rglob("*.py"))]
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files]
    nodes = (node for tree in trees for node in ast.walk(tree))
    return {str(node.value) for node in nodes if isinstance(node, ast.Constant)}


def kept(text: str) -> list[str]:
    """Return what is the same in every language: what is filled in, and `code`."""
    return sorted(re.findall(r"\{\w+\}|`[^`]*`", text))


def looked_up(part: dict[str, Any]) -> Iterator[str]:
    """Walk through the keys by which the code looks texts up."""
    for key, inner in part.items():
        if isinstance(inner, dict):
            if key in NAMED_BY_CODE:
                yield from inner
            yield from looked_up(inner)


def never_shown(folder: Path) -> set[str]:
    """Return the keys that stand nowhere in the code, nor in what Home Assistant does for it."""
    code = literals(folder, *(Path(str(module.__file__)) for module in (config_entries, const)))
    return {*looked_up(texts(folder.name))} - code


@every
def test_languages(folder: Path) -> None:
    assert {path.stem for path in (folder / "translations").glob("*.json")} == LANGUAGES


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: f"{path.parents[1].name}-{path.stem}")
def test_same_texts_and_placeholders_as_in_english(path: Path) -> None:
    english, translated = (dict(leaves(read(file))) for file in (path.with_name("en.json"), path))
    assert {*translated} == {*english}
    for key, text in english.items():
        assert kept(translated[key]) == kept(text), key
        assert translated[key].count("\n") == text.count("\n"), key


@pytest.mark.parametrize("name", [name for name in NAMES if not (CORE / name).exists()])
def test_every_text_can_be_shown(name: str) -> None:
    """For one that stands in for core's, see tests/rest/test_drift.py."""
    assert never_shown(ROOT / "custom_components" / name) == set()
