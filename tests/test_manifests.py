"""What Home Assistant's own checker (hassfest, not in its package) asks of an integration."""

from collections.abc import Awaitable, Callable
from functools import cache
from http import HTTPStatus
from importlib import import_module
import json
from pathlib import Path
import re
import struct
import subprocess
import sys
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestClient
from awesomeversion import AwesomeVersion, AwesomeVersionStrategy
import homeassistant
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.selector import validate_selector
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import load_yaml_dict

from .files import INTEGRATIONS, ROOT, every, leaves, placeholders, read, texts

CORE = Path(homeassistant.__file__).parent / "components"
BASICS = {*Platform, "homeassistant", "persistent_notification", "system_health"} | {
    "device_automation"  # loads device_trigger.py and its like, as hassfest knows
}
"""Part of every Home Assistant: using them needs no word in the manifest."""
MDI = re.compile(r"mdi:[a-z0-9]+(-[a-z0-9]+)*")
IMAGES = {"icon.png": 256, "icon@2x.png": 512, "logo.png": 128, "logo@2x.png": 256}
"""What Home Assistant serves from an integration's `brand` folder, and the height of each."""


def actions(folder: Path) -> dict[str, Any]:
    path = folder / "services.yaml"
    return load_yaml_dict(path) if path.exists() else {}


@cache
def imports(folder: Path) -> dict[Path, list[Path]]:
    """Return what each file of a folder imports, from this repository and from elsewhere."""
    ruff = Path(sys.executable).with_name("ruff")
    flags = ("--python", sys.prefix, "--detect-string-imports")
    graph = subprocess.run(
        [ruff, "analyze", "graph", *flags, folder], cwd=ROOT, stdout=subprocess.PIPE, check=True
    )
    return {
        ROOT / file: [ROOT / target for target in targets]
        for file, targets in json.loads(graph.stdout).items()
    }


@every
def test_manifest(folder: Path) -> None:
    manifest = read(folder / "manifest.json")
    assert [*manifest] == ["domain", "name", *sorted(manifest.keys() - {"domain", "name"})]
    assert manifest["domain"] == folder.name
    assert all(owner.startswith("@") for owner in manifest["codeowners"])
    assert manifest["codeowners"]
    for link in ("documentation", "issue_tracker"):
        assert manifest[link].startswith("https://")
    assert manifest["integration_type"] in {"hub", "service"}
    assert manifest["iot_class"] in {"local_polling", "local_push"}
    AwesomeVersion(manifest["version"], ensure_strategy=[AwesomeVersionStrategy.SEMVER])
    dependencies = manifest.get("dependencies", [])
    after = manifest.get("after_dependencies", [])
    assert not {*dependencies} & {*after}
    for name in (*dependencies, *after):
        assert (CORE / name).is_dir(), name
    for requirement in manifest["requirements"]:
        assert "==" not in requirement, "an exact pin fights with core's"


@every
def test_every_component_used_is_in_the_manifest(folder: Path) -> None:
    manifest = read(folder / "manifest.json")
    allowed = {
        *BASICS,
        folder.name,
        *manifest.get("dependencies", []),
        *manifest.get("after_dependencies", []),
    }
    for path, targets in imports(folder).items():
        # a platform for another integration may use that one: it loads us
        loaded_by = {path.stem, path.parent.name}
        for target in targets:
            if target.is_relative_to(CORE):
                component = target.relative_to(CORE).parts[0]
                assert component in allowed | loaded_by, f"{path}: {component}"


@every
def test_what_is_set_up_from_yaml_has_a_schema(folder: Path) -> None:
    integration = import_module(f"custom_components.{folder.name}")
    assert hasattr(integration, "async_setup")
    assert hasattr(integration, "CONFIG_SCHEMA")


@every
def test_actions_have_texts_selectors_and_icons(folder: Path) -> None:
    described = texts(folder.name).get("services", {})
    icons = read(folder / "icons.json").get("services", {})
    assert described.keys() == actions(folder).keys() == icons.keys()
    for action, content in actions(folder).items():
        assert described[action]["name"]
        assert described[action]["description"]
        fields = (content or {}).get("fields", {})
        assert described[action].get("fields", {}).keys() == fields.keys(), action
        for field, form in fields.items():
            assert {*form} <= {"example", "default", "required", "advanced", "selector"}
            assert validate_selector(form["selector"])
            text = described[action]["fields"][field]
            assert text["name"], field
            assert text["description"], field
            choice = form["selector"].get("select") or {}
            if key := choice.get("translation_key"):
                options = texts(folder.name)["selector"][key]["options"]
                assert options.keys() == {*choice["options"]}, field


@every
def test_icons(folder: Path) -> None:
    icons = read(folder / "icons.json")
    assert icons.keys() <= {"services", "entity"}
    for path, icon in leaves(icons):
        assert isinstance(icon, str), path
        assert MDI.fullmatch(icon), path
    for platform, keys in icons.get("entity", {}).items():
        assert {folder / f"{platform}.py", folder / platform} & {*folder.iterdir()}, platform
        assert keys, platform


@every
def test_texts_are_written_out(folder: Path) -> None:
    for path in sorted((folder / "translations").glob("*.json")):
        for key, text in leaves(read(path)):
            where = f"{path.name}: {key}"
            assert isinstance(text, str), where
            assert text, where
            assert text == text.strip(), where
            assert "[%key:" not in text, where
            assert not re.search(r"<\w+", text), f"{where}: HTML"
            assert not re.search(r"'\{\w+\}'", text), f"{where}: quotes keep the value out"
            assert not re.search(r"https?://", text), f"{where}: a link is a placeholder"
            assert all(name.isidentifier() for name in placeholders(text)), where


@every
def test_quality_scale(folder: Path) -> None:
    """Every rule of core's is answered; what is not done has its reason."""
    rules = load_yaml_dict(CORE / "peblar" / "quality_scale.yaml")["rules"]
    answers = load_yaml_dict(folder / "quality_scale.yaml")["rules"]
    assert rules.keys() <= answers.keys()
    for rule, answer in answers.items():
        if answer == "done":
            continue
        assert answer.keys() == {"status", "comment"}, rule
        assert answer["status"] in {"exempt", "todo"}, rule
        assert answer["comment"].strip(), rule
    for rule, is_so in {
        "config-flow": read(folder / "manifest.json").get("config_flow"),
        "diagnostics": (folder / "diagnostics.py").exists(),
        "icon-translations": "entity" in read(folder / "icons.json"),
        "repair-issues": "issues" in texts(folder.name),
    }.items():
        assert (answers[rule] == "done") == bool(is_so), rule


@every
def test_no_platform_lets_home_assistant_wait_in_a_row(folder: Path) -> None:
    """Home Assistant would serialise actions over all entities of the platform."""
    for platform in {*Platform} & {path.stem for path in folder.iterdir()}:
        module = import_module(f"custom_components.{folder.name}.{platform}")
        set_up = getattr(module, "async_setup_platform", None)
        if set_up and set_up.__module__.startswith("custom_components"):  # not core's, passed on
            assert module.PARALLEL_UPDATES == 0, platform


@every
def test_brand_images(folder: Path) -> None:
    brand = folder / "brand"
    assert {path.name for path in brand.iterdir()} == {*IMAGES}
    for name, height in IMAGES.items():
        data = (brand / name).read_bytes()
        assert data.startswith(b"\x89PNG\r\n\x1a\n")
        size = struct.unpack(">II", data[16:24])
        assert size[1] == height, name
        assert size[0] == height if name.startswith("icon") else size[0] > height, name
        assert len(data) < 20_000, name


@every
async def test_home_assistant_serves_the_brand_images(
    hass: HomeAssistant,
    hass_client: Callable[[], Awaitable[TestClient[web.Request, web.Application]]],
    folder: Path,
) -> None:
    assert await async_setup_component(hass, "brands", {})
    client = await hass_client()
    for name in IMAGES:
        reply = await client.get(f"/api/brands/integration/{folder.name}/{name}")
        assert reply.status == HTTPStatus.OK, name
        assert await reply.read() == (folder / "brand" / name).read_bytes(), name


def test_hacs_file() -> None:
    """HACS manages the first folder of a repository only, which is irhub."""
    assert INTEGRATIONS[0].name == "irhub"
    hacs = read(ROOT / "hacs.json")
    assert hacs["name"] == read(INTEGRATIONS[0] / "manifest.json")["name"]
    assert hacs["content_in_root"] is False
    oldest = (ROOT / "requirements" / "oldest.in").read_text()
    major_minor = re.search(r"Home Assistant (\d+\.\d+)", oldest)
    assert major_minor
    assert hacs["homeassistant"] == f"{major_minor[1]}.0"
