"""Rules that hold for the whole repository, found by glob."""

import json
from pathlib import Path
import re

from homeassistant.core import HomeAssistant
from homeassistant.loader import async_get_integration
import pytest

ROOT = Path(__file__).parent.parent
INTEGRATIONS = sorted(path.parent for path in ROOT.glob("custom_components/*/manifest.json"))
NAMES = [path.name for path in INTEGRATIONS]


@pytest.mark.parametrize("folder", INTEGRATIONS, ids=NAMES)
async def test_home_assistant_loads_ours(hass: HomeAssistant, folder: Path) -> None:
    integration = await async_get_integration(hass, folder.name)
    assert integration.pkg_path == f"custom_components.{folder.name}"


@pytest.mark.parametrize("folder", INTEGRATIONS, ids=NAMES)
def test_each_is_installed_alone(folder: Path) -> None:
    others = "|".join(name for name in NAMES if name != folder.name)
    pattern = re.compile(rf"custom_components\.({others})\b|from \.\.({others})?\b")
    for path in folder.rglob("*.py"):
        assert not pattern.search(path.read_text()), f"{path} imports another integration"


def test_versions_agree() -> None:
    versions = {
        json.loads((folder / "manifest.json").read_text())["version"] for folder in INTEGRATIONS
    }
    assert len(versions) == 1
