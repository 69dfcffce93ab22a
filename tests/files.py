"""Find files of the repository by pattern, and read them."""

from collections.abc import Iterator
from functools import cache
import json
from pathlib import Path
import re
import string
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
INTEGRATIONS = sorted(path.parent for path in ROOT.glob("custom_components/*/manifest.json"))
NAMES = [path.name for path in INTEGRATIONS]
NEWEST = ROOT / ".venv-host/bin/python"
"""The newest Home Assistant, made by `scripts/setup host`; scripts/test calls it."""

CODE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
"""A block of code in a page."""

every = pytest.mark.parametrize("folder", INTEGRATIONS, ids=NAMES)


@cache
def read(path: Path) -> dict[str, Any]:
    """Return the content of a JSON file; empty if it does not exist."""
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return data


def texts(integration: str, language: str = "en") -> dict[str, Any]:
    """Return the texts of an integration."""
    return read(ROOT / "custom_components" / integration / "translations" / f"{language}.json")


def leaves(value: object, path: str = "") -> Iterator[tuple[str, Any]]:
    """Walk through nested dictionaries: yield each value with its path, as in `services.learn`."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else key)
    else:
        yield path, value


def placeholders(text: str) -> set[str]:
    """Return the names of the placeholders in a text."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub creates for the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", CODE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
