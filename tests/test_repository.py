"""Rules that hold for the whole repository, found by glob."""

from pathlib import Path
import re
import tomllib

from homeassistant.core import HomeAssistant
from homeassistant.loader import async_get_integration
from homeassistant.util.yaml import load_yaml_dict
import pytest

from .files import CODE, INTEGRATIONS, ROOT, anchors, every, read

PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]


@every
async def test_home_assistant_loads_ours(hass: HomeAssistant, folder: Path) -> None:
    integration = await async_get_integration(hass, folder.name)
    assert integration.pkg_path == f"custom_components.{folder.name}"


def test_versions_agree() -> None:
    versions = {read(folder / "manifest.json")["version"] for folder in INTEGRATIONS}
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


@pytest.mark.parametrize("suite", ["e2e", "reliability"])
def test_scripts_test_leaves_out_only_files_of_another_suite(suite: str) -> None:
    mark = re.compile(rf"^pytestmark = .*?pytest\.mark\.{suite}\b", re.MULTILINE | re.DOTALL)
    for path in ROOT.glob(f"tests/{suite}/**/test_*.py"):
        assert mark.search(path.read_text()), path


def test_no_test_file_is_imported() -> None:
    """What several need stands in a file without tests."""
    ours = r"(?:\.+|tests\.)"
    importing = re.compile(
        rf"^\s*from {ours}\S*\btest_\w+ import|^\s*from {ours}\S* import .*\btest_", re.MULTILINE
    )
    assert not [path for path in ROOT.glob("tests/**/*.py") if importing.search(path.read_text())]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)]*)\)", CODE.sub("", page.read_text())):
        if link.startswith("https://"):
            continue
        file, _, anchor = link.partition("#")
        target = page.parent / file if file else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_every_picture_is_shown() -> None:
    link = re.compile(r"pictures/([\w-]+\.(?:png|svg))")
    shown = {name for page in PAGES for name in link.findall(page.read_text())}
    assert shown == {path.name for path in ROOT.glob("docs/pictures/*")}


ARCHITECTURE = ROOT / "docs/architecture.md"
CODE_FOLDERS = [ROOT, ROOT / "custom_components", *INTEGRATIONS]
CODE_FOLDERS.append(ROOT / "custom_components/irhub/ircodes")
PATH = re.compile(r"(?<![\w./-])((?:[a-z_]+/)+[a-z_][\w-]*(?:\.\w+)?)")
"""A module or a file, as the page names it: `hub/hub_receiver`, `devices/rules.CommandRule`."""


def test_the_architecture_names_what_is_there() -> None:
    """Whatever moves, a reader finds it where the page says."""
    text = re.sub(r"\]\([^)]*\)", "]", ARCHITECTURE.read_text(encoding="utf-8"))
    missing = [path for path in PATH.findall(text) if not is_there(path)]
    assert not missing


NAMED = re.compile(r"`(_?[A-Z][A-Z_]*[a-z]\w*(?:\.\w+)?)`")
"""A class, or something of it, as the page names it: `Hub`, `Devices.label`."""


def test_the_architecture_names_classes_that_are_there() -> None:
    """What is renamed is renamed there, too."""
    sources = [
        path.read_text(encoding="utf-8")
        for folder in (ROOT / "custom_components", ROOT / "virtual_home")
        for path in folder.rglob("*.py")
    ]
    words = {word for source in sources for word in re.findall(r"\w+", source)}
    named = set(NAMED.findall(ARCHITECTURE.read_text(encoding="utf-8")))
    assert len(named) > 50
    assert {name for name in named if not words.issuperset(name.split("."))} == set()


def is_there(path: str) -> bool:
    """Return whether a file, a folder or a module is there, with the name that may follow it."""
    module, _, name = path.partition(".")
    for folder in CODE_FOLDERS:
        if (folder / path).exists() or (folder / f"{path}.py").exists():
            return True
        if name and (file := folder / f"{module}.py").exists():
            return re.search(rf"\b{name}\b", file.read_text(encoding="utf-8")) is not None
    return False
