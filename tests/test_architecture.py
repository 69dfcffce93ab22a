"""docs/architecture.md names every module, and none that is gone."""

from pathlib import Path
import re

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/architecture.md"
INTEGRATIONS = sorted(path.parent for path in ROOT.glob("custom_components/*/manifest.json"))


@pytest.mark.parametrize("integration", INTEGRATIONS, ids=lambda path: path.name)
def test_the_table_has_every_module(integration: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    section = page.partition(f"\n## {integration.name}\n")[2].partition("\n## ")[0]
    named = re.findall(r"^\| `(\w+\.py)` \| \w", section, re.MULTILINE)
    assert named == sorted(path.name for path in integration.glob("*.py"))


def test_the_files_it_names_are_there() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for path in re.findall(
        r"`((?:tests|scripts|requirements|docs|demo|benchmarks)/[\w./]*)`", page
    ):
        assert (ROOT / path).exists(), path
    for target in re.findall(r"\]\(([^)#]+)", page):
        assert (PAGE.parent / target).exists(), target
