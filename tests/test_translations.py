"""The texts: the same in every language."""

from pathlib import Path
import re

import homeassistant
import pytest

from .files import ROOT, every, leaves, read

CORE = Path(homeassistant.__file__).parent / "components"
LANGUAGES = {"de", "en", "es", "fr", "nl"}
OTHERS = sorted(
    path for path in ROOT.glob("custom_components/*/translations/*.json") if path.stem != "en"
)


def kept(text: str) -> list[str]:
    """Return what is the same in every language: what is filled in, and `code`."""
    return sorted(re.findall(r"\{\w+\}|`[^`]*`", text))


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
