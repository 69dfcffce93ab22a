"""YAML of appliances: where the commands come from, SmartIR's entries, and what is wrong."""

import json
from pathlib import Path
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    MockEntity,
    MockEntityPlatform,
)

from custom_components.irhub.devices.code_file import understand
from tests.home import until
from virtual_home.hub import VirtualHub

from ..dialogue import add
from ..home import entry, our_hub, set_up, start
from ..ircodes.code_files import Codes, air_conditioner, bytes_of, code_file, write
from .configuration import configure as write_yaml, item, living, reload, start as start_yaml

CODES = Codes()
FILE = air_conditioner(
    {"off": CODES.packet(), "cool": CODES.nest(["20", "21"])}, operationModes=["cool"]
)
OTHER = air_conditioner(
    {"off": CODES.packet(), "heat": CODES.nest(["20", "21"])}, operationModes=["heat"]
)
SMARTIR: dict[str, Any] = {
    "platform": "irhub",
    "name": "Office AC",
    "unique_id": "office_ac",
    "device_code": 1000,
    "delay": 0.5,
    "temperature_sensor": "sensor.t",
    "humidity_sensor": "sensor.h",
    "power_sensor": "binary_sensor.p",
    "power_sensor_restore_state": True,
    "power_sensor_delay": 10,
}
CONTROLLERS: list[Any] = [
    "remote.broadlink",
    {
        "controller_type": "Broadlink",
        "remote_entity": "remote.broadlink",
        "delay_secs": 0.1,
        "num_repeats": 1,
    },
]


@pytest.fixture
def model() -> str:
    """Return the model of the hub of these tests."""
    return "rm4_mini"


async def turn_on(hass: HomeAssistant, entity_id: str) -> None:
    await hass.services.async_call("climate", "turn_on", {"entity_id": entity_id}, blocking=True)


@pytest.mark.parametrize("controller", CONTROLLERS, ids=["entity id", "mapping"])
async def test_an_entry_of_smartir_with_another_platform(
    hass: HomeAssistant, config_dir: Path, controller: object, virtual_hub: VirtualHub
) -> None:
    # What SmartIR has left: its id, history and settings go on under the same unique id.
    registry = er.async_get(hass)
    left = registry.async_get_or_create(
        "climate", "smartir", "office_ac", suggested_object_id="office_ac"
    )
    registry.async_update_entity(left.entity_id, name="Cold")
    write(config_dir, "custom_components/smartir/codes/climate/1000.json", FILE)
    await start(hass, virtual_hub)
    await set_up(hass, "climate", {**SMARTIR, "controller_data": controller})
    registered = registry.async_get("climate.office_ac")
    assert registered is not None
    assert (registered.platform, registered.unique_id) == ("irhub", "office_ac")
    assert (registered.name, registered.id) == ("Cold", left.id)
    assert hass.states.async_entity_ids("climate") == ["climate.office_ac"]
    await turn_on(hass, "climate.office_ac")
    assert virtual_hub.transmitted == [bytes_of(FILE["commands"]["cool"]["21"])]


async def test_an_entity_that_is_still_smartirs_stays_with_it(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    name = write(config_dir, "codes/1000.json", FILE)
    smartir = MockEntityPlatform(hass, domain="climate", platform_name="smartir")
    await smartir.async_add_entities([MockEntity(unique_id="office_ac", name="Office AC")])
    keys = {"name": "Office AC", "unique_id": "office_ac", "file": name}
    await set_up(hass, "climate", entry(virtual_hub, **keys))
    platforms = {each.entity_id: each.platform for each in er.async_get(hass).entities.values()}
    assert platforms == {"climate.office_ac": "smartir", "climate.office_ac_2": "irhub"}


async def test_without_a_name_it_is_called_by_maker_and_model(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    named = write(config_dir, "codes/1000.json", FILE)
    of_nobody = OTHER | {"manufacturer": "", "supportedModels": []}
    nameless = write(config_dir, "codes/heater.json", of_nobody)
    entries = ({"file": named}, {"file": nameless}, {"device": "old one"})
    await set_up(hass, "climate", *(entry(virtual_hub, **keys) for keys in entries))
    shown = {state.entity_id: state.name for state in hass.states.async_all("climate")}
    assert shown == {
        "climate.acme_a1": "Acme A1",
        "climate.heater": "heater",
        "climate.old_one": "old one",
    }


async def test_a_file_of_the_users_own_goes_before_smartirs(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    write(config_dir, "custom_components/smartir/codes/climate/1000.json", FILE)
    write(config_dir, "custom_components/smartir/custom_codes/climate/1000.json", OTHER)
    await start(hass, virtual_hub)
    await set_up(hass, "climate", {**SMARTIR, "controller_data": CONTROLLERS[0]})
    await turn_on(hass, "climate.office_ac")
    assert virtual_hub.transmitted == [bytes_of(OTHER["commands"]["heat"]["21"])]


async def test_the_remote_may_come_later(
    hass: HomeAssistant, config_dir: Path, lounge: VirtualHub
) -> None:
    write(config_dir, "custom_components/smartir/codes/climate/1000.json", FILE)
    await set_up(hass, "climate", {**SMARTIR, "controller_data": "remote.lounge"})
    assert hass.states.get("climate.office_ac") is None
    await add(hass, lounge)
    await until(lambda: hass.states.get("climate.office_ac"))
    await turn_on(hass, "climate.office_ac")
    assert len(lounge.transmitted) == 1


@pytest.mark.parametrize(
    ("controller", "problem"),
    [
        ("remote.television", "there is no remote remote.television of irhub"),
        (
            "192.168.1.99",
            "there is no one hub of irhub at 192.168.1.99; write host and mac of the hub",
        ),
    ],
    ids=["a remote of another integration", "an address without a hub"],
)
async def test_a_controller_that_is_no_hub_is_named(
    *,
    hass: HomeAssistant,
    config_dir: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    controller: str,
    problem: str,
) -> None:
    monkeypatch.setattr("custom_components.irhub.yaml.appliances.REMOTE_PATIENCE_S", 0)
    write(config_dir, "custom_components/smartir/codes/climate/1000.json", FILE)
    await set_up(hass, "climate", {**SMARTIR, "controller_data": controller})
    await until(lambda: f"Office AC: {problem}" in caplog.text)


async def test_the_address_of_a_configured_hub_says_which_it_is(
    hass: HomeAssistant, config_dir: Path, monkeypatch: pytest.MonkeyPatch, virtual_hub: VirtualHub
) -> None:
    monkeypatch.setattr("custom_components.irhub.yaml.appliances.REMOTE_PATIENCE_S", 0.5)
    write(config_dir, "custom_components/smartir/codes/climate/1000.json", FILE)
    await set_up(hass, "climate", {**SMARTIR, "controller_data": virtual_hub.host})
    await start(hass, virtual_hub)
    await until(lambda: hass.states.get("climate.office_ac"))
    await turn_on(hass, "climate.office_ac")
    assert virtual_hub.transmitted == [bytes_of(FILE["commands"]["cool"]["21"])]


def test_what_an_editor_puts_before_a_file() -> None:
    text = json.dumps(FILE)
    assert understand(f"\ufeff\n{text}") == understand(text)
    assert understand(text).head is not None


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("codes/none.json", "There is no such code file in the configuration folder: codes/none"),
        ("../secret.json", "../secret.json is not in the configuration folder"),
        ("/etc/hostname", "/etc/hostname is not in the configuration folder"),
        ("link.json", "link.json is not in the configuration folder"),
        ("codes", "codes cannot be read as a code file"),
        ("a\0b", "cannot be read as a code file: the file is damaged, or cannot be read"),
        ("broken.json", "broken.json cannot be read as a code file"),
        ("two.json", "2 devices with commands; expected one"),
    ],
)
async def test_a_file_that_cannot_be_used(
    hass: HomeAssistant,
    config_dir: Path,
    caplog: pytest.LogCaptureFixture,
    name: str,
    problem: str,
    *,
    virtual_hub: VirtualHub,
) -> None:
    (config_dir / "codes").mkdir()
    (config_dir / "broken.json").write_text('{"commands": {"cool"')
    outside = config_dir.parent / "secret.json"
    outside.write_text("{}")
    (config_dir / "link.json").symlink_to(outside)
    write(config_dir, "two.json", {"a": {"b": CODES.packet()}, "c": {"d": CODES.packet()}})
    good = write(config_dir, "codes/good.json", FILE)
    await set_up(
        hass,
        "climate",
        entry(virtual_hub, name="Wrong", file=name),
        entry(virtual_hub, name="Right", file=good),
    )
    assert f"Wrong: {problem}" in caplog.text or problem in caplog.text
    assert hass.states.async_entity_ids("climate") == ["climate.right"]


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({}, "one of file, device, device_code says where the commands are"),
        ({"file": "a", "device": "b"}, "here are file, device"),
        ({"file": "a", "mac": None}, "say which hub it is, or controller_data"),
        ({"file": "a", "controller_data": "light.kitchen"}, "controller_data"),
        ({"file": "a", "delay": -1}, "delay"),
    ],
)
async def test_an_entry_that_is_wrong(
    hass: HomeAssistant,
    caplog: pytest.LogCaptureFixture,
    keys: dict[str, Any],
    problem: str,
    virtual_hub: VirtualHub,
) -> None:
    keys_of_entry = {
        key: value for key, value in entry(virtual_hub, **keys).items() if value is not None
    }
    await set_up(hass, "climate", keys_of_entry)
    assert problem in caplog.text
    assert hass.states.async_entity_ids("climate") == []


async def test_a_reload_reads_the_files_again(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    name = write(config_dir, "codes/ac.json", FILE)
    lines = ("climate:", item(virtual_hub, "name: Office", f"file: {name}"))
    await start_yaml(hass, config_dir, "remote:", item(virtual_hub, "name: Lounge"), *lines)
    await until(lambda: our_hub(hass, virtual_hub).available)
    assert hass.states.get("climate.office").attributes["hvac_modes"] == ["off", "cool"]  # type: ignore[union-attr]
    write(config_dir, "codes/ac.json", OTHER)
    await reload(hass)
    assert hass.states.get("climate.office").attributes["hvac_modes"] == ["off", "heat"]  # type: ignore[union-attr]
    write_yaml(config_dir, "remote:", item(virtual_hub, "name: Lounge"))
    await reload(hass)
    assert living(hass) == ["remote.lounge"]


async def test_yaml_beside_the_same_hub_in_the_user_interface(
    hass: HomeAssistant, config_dir: Path, lounge: VirtualHub
) -> None:
    name = write(config_dir, "codes/fan.json", code_file(CODES.nest(["power"])))
    await set_up(hass, "light", entry(lounge, name="Attic", file=name))
    await add(hass, lounge)
    await hass.services.async_call("light", "turn_on", {"entity_id": "light.attic"}, blocking=True)
    assert len(lounge.transmitted) == 1
    assert hass.states.get("remote.lounge") is not None
