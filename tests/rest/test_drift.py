"""What a new core adds to its rest, ours must have, too: on this host and on the newest."""

from importlib import import_module
import json
from pathlib import Path
import subprocess
import sys
from typing import Any

from homeassistant.util.yaml import parse_yaml
import pytest

from custom_components.rest.schema import BINARY_SENSOR_KEYS, REQUEST_KEYS, SENSOR_KEYS
from tests.files import NEWEST, ROOT

OURS = ROOT / "custom_components/rest"
# Core's inner modules; ours has its own where it needs them.
INNER = {"__init__", "const", "coordinator", "data", "entity", "schema", "services", "util"}


@pytest.fixture(name="core", scope="module", params=["this", "newest"])
def core_fixture(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return what core's rest offers, on this host or on the newest."""
    python = sys.executable
    if request.param == "newest":
        python = str(NEWEST)
    done = subprocess.run(
        [python, str(Path(__file__).with_name("core_surface.py"))],
        check=True,
        capture_output=True,
        timeout=120,
    )
    surface: dict[str, Any] = json.loads(done.stdout)
    return surface


def names(value: Any, prefix: str = "") -> set[str]:  # noqa: ANN401  (JSON)
    """Return the paths of all leaves."""
    if not isinstance(value, dict):
        return {prefix}
    return set().union(*(names(inner, f"{prefix}/{key}") for key, inner in value.items()))


def ours(name: str) -> Any:  # noqa: ANN401  (JSON)
    return json.loads((OURS / name).read_text())


def test_platform_files(core: dict[str, Any]) -> None:
    for module, functions in core["modules"].items():
        if module in INNER:
            continue
        assert (OURS / f"{module}.py").exists(), f"core's rest has a new platform: {module}"
        if module == "config_flow":
            continue  # ours is core's
        mine = vars(import_module(f"custom_components.rest.{module}"))
        for function in functions:
            known = {*mine, *mine.get("OF_ENTRIES", ())}
            assert function in known, f"core's rest.{module} has {function}"


def test_config_flow(core: dict[str, Any]) -> None:
    """What is static waits for a core that has it; the functions pass through already."""
    assert ours("manifest.json").get("config_flow", False) is core["config_flow"], (
        "core's rest has a config flow: add it to our manifest, its texts to our translations"
    )


def test_keys(core: dict[str, Any]) -> None:
    platform = {"platform", "entity_namespace", "sensor", "binary_sensor"}
    for kind, keys in core["keys"].items():
        own = {"sensor": SENSOR_KEYS, "binary_sensor": BINARY_SENSOR_KEYS, "block": {}}[kind]
        missing = set(keys) - platform - {str(key) for key in {**REQUEST_KEYS, **own}}
        assert not missing, f"core's rest has new keys in a {kind}: {missing}"


def test_requirements(core: dict[str, Any]) -> None:
    assert set(core["requirements"]) <= set(ours("manifest.json")["requirements"])
    assert set(core["dependencies"]) <= set(ours("manifest.json").get("dependencies", []))


def test_texts_services_and_icons(core: dict[str, Any]) -> None:
    assert names(core["texts"]) <= names(ours("translations/en.json"))
    assert names(core["icons"]) <= names(ours("icons.json"))
    theirs: Any = parse_yaml(core["services"])
    mine: Any = parse_yaml((OURS / "services.yaml").read_text())
    assert set(theirs) <= set(mine)


def test_texts_say_what_cores_say(core: dict[str, Any]) -> None:
    mine = ours("translations/en.json")["exceptions"]
    for key, text in core["texts"]["exceptions"].items():
        assert mine[key] == text
