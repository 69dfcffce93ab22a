"""Every text of translations/en.json is there in the other languages, with its placeholders."""

from collections.abc import Iterator
import json
from pathlib import Path
import re

import pytest

ROOT = Path(__file__).parent.parent / "custom_components"
ENGLISH = sorted(ROOT.glob("*/translations/en.json"))
OTHERS = sorted(set(ROOT.glob("*/translations/*.json")) - set(ENGLISH))
LANGUAGES = {"de", "en", "es", "fr", "nl"}
NAMES = [path.parents[1].name for path in ENGLISH]

type Texts = dict[str, Texts | str]


def load(path: Path) -> dict[str, str]:
    """Return the texts of a file by their path, as in `services.learn.name`."""
    return dict(flatten(json.loads(path.read_text())))


def flatten(texts: Texts, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Walk the texts with their paths."""
    for key, value in texts.items():
        if isinstance(value, str):
            yield prefix + key, value
        else:
            yield from flatten(value, f"{prefix}{key}.")


def placeholders(text: str) -> list[str]:
    """Return the placeholders of a text, and what must not be translated: `code`."""
    return sorted(re.findall(r"\{\w+\}|`[^`]*`", text))


@pytest.mark.parametrize("english", ENGLISH, ids=NAMES)
def test_languages(english: Path) -> None:
    assert {path.stem for path in english.parent.glob("*.json")} == LANGUAGES


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: f"{path.parents[1].name}-{path.stem}")
def test_same_texts_and_placeholders_as_in_english(path: Path) -> None:
    english, translated = load(path.with_name("en.json")), load(path)
    assert translated.keys() == english.keys()
    for key, text in english.items():
        assert placeholders(translated[key]) == placeholders(text), key
        assert translated[key].count("\n") == text.count("\n"), key
        assert translated[key] == translated[key].strip(), key
