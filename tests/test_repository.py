"""Rules that hold for the whole repository, found by glob."""

import json
from pathlib import Path
import re
import tomllib

from homeassistant.core import HomeAssistant
from homeassistant.loader import async_get_integration
from homeassistant.util.yaml import load_yaml_dict
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
    for path in folder.rglob("*.py"):
        outside = "." * (len(path.relative_to(folder).parts) + 1)
        pattern = re.compile(rf"custom_components\.|^from {re.escape(outside)}", re.MULTILINE)
        assert not pattern.search(path.read_text()), f"{path} imports from outside {folder.name}"


def test_versions_agree() -> None:
    versions = {
        json.loads((folder / "manifest.json").read_text())["version"] for folder in INTEGRATIONS
    }
    versions.add(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"])
    [version] = versions
    # the newest chapter of the changelog is this version's
    assert re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0] == version


def test_github_runs_every_line_of_the_ci_script() -> None:
    workflow = load_yaml_dict(ROOT / ".github" / "workflows" / "ci.yml")
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    commands = [line for line in lines if line.startswith("scripts/")]
    assert "scripts/test" in commands
    assert workflow["jobs"]["run"]["strategy"]["matrix"]["command"] == commands


@pytest.mark.parametrize("folder", INTEGRATIONS, ids=NAMES)
def test_what_is_shared_is_the_same_everywhere(folder: Path) -> None:
    original, copy = (
        {path.name: path.read_text() for path in place.glob("*.py")}
        for place in (ROOT / "common", folder / "_common")
    )
    assert copy == original, "run scripts/lint --fix"
