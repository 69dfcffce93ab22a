"""The way in that the pages describe is the one that each Home Assistant has."""

import json
import re
import subprocess
import sys
from typing import Any

import pytest

from .files import NEWEST, ROOT

PAGES = ("README.md", "docs/install.md", "docs/irhub.md", "docs/releasing.md", "scripts/release")


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.fixture(
    name="installer", scope="module", params=[sys.executable, str(NEWEST)], ids=["this", "newest"]
)
def installer_fixture(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return what installs integrations of others on this host, and on the newest."""
    script = ROOT / "tests" / "installer.py"
    done = subprocess.run([request.param, str(script)], check=True, capture_output=True, timeout=60)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", PAGES)
def test_every_page_names_it(installer: dict[str, Any], name: str) -> None:
    assert installer["name"] in page(name)


def test_the_steps_use_the_texts_of_the_installer(installer: dict[str, Any]) -> None:
    section = page("docs/install.md").partition(f"\n## {installer['name']}\n")[2]
    section = section.partition("\n## ")[0]
    assert section, f"docs/install.md has no section {installer['name']}"
    steps = {word for words in re.findall(r"\*([^*]+)\*", section) for word in words.split(" → ")}
    if installer["texts"]:  # HACS is not here to be asked
        elsewhere = {"Settings", "System", "the power symbol", "Integration"}
        assert steps - elsewhere <= {*installer["texts"]}
    major, minor = map(int, installer["version"].split(".")[:2])
    versions = [
        (int(year), int(month)) for year, month in re.findall(r"\b(20\d\d)\.(\d+)\b", section)
    ]
    assert min(versions) <= (major, minor)
    if len(versions) > 1:
        assert (major, minor) <= max(versions)
