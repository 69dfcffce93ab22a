"""What 0.2.0 stored, taken over by the present version: nothing is lost."""

import json
from pathlib import Path
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.setup import async_setup_component
import pytest

from custom_components.irhub.ircodes import to_base64
from tests.home import until
from virtual_home.hub import VirtualHub

from ..dialogue import entry_of
from ..home import FAN, HDMI, POWER
from ..yaml.configuration import configure, item, reload, start

MAC, REVERSED = "34ea34000001", "01000034ea34"
CODES = {
    "tv": {"power": [to_base64(POWER), to_base64(HDMI)], "hdmi": to_base64(HDMI)},
    "fan": {"slow": to_base64(FAN)},
}
ENTITIES = {
    "remote.sofa": "",
    "sensor.sofa_warmth": "-temperature",
    "button.tele_on": "-tv/power",
    "button.tele_input": "-tv/hdmi",
    "button.breeze": "-fan/slow",
}
"""Entity ids, as the user has changed them, and the ends of their unique ids."""


def store(config_dir: Path, mac: str) -> None:
    """Write the files of 0.2.0: commands, which packet comes next, types of devices."""
    folder = config_dir / ".storage"
    folder.mkdir(exist_ok=True)
    for name, data in (
        (f"irhub_remote_{mac}_codes", CODES),
        (f"irhub_remote_{mac}_flags", {"tv": {"power": 1}}),
        ("irhub.device_types", {MAC: 0x2712}),
    ):
        content = {"version": 1, "minor_version": 1, "key": name, "data": data}
        (folder / name).write_text(json.dumps(content))


def register(hass: HomeAssistant, mac: str, **of_entry: Any) -> None:  # noqa: ANN401  (the registry's)
    """Register the entities as 0.2.0 did, under the user's entity ids."""
    registry = er.async_get(hass)
    for entity_id, key in ENTITIES.items():
        domain, _, object_id = entity_id.partition(".")
        registered = registry.async_get_or_create(
            domain, "irhub", f"{mac}{key}", suggested_object_id=object_id, **of_entry
        )
        registry.async_update_entity(registered.entity_id, name=object_id, icon="mdi:sofa")


async def check(hass: HomeAssistant, hub: VirtualHub) -> None:
    """See that every entity is there under its id and works, and every command is stored."""
    registry = er.async_get(hass)
    await until(lambda: hass.states.is_state("sensor.sofa_warmth", "21.5"))
    ours = {e.entity_id for e in registry.entities.values() if e.platform == "irhub"}
    assert {*ENTITIES} <= ours
    for entity_id in ENTITIES:
        state, registered = hass.states.get(entity_id), registry.async_get(entity_id)
        assert state is not None
        assert registered is not None
        assert state.state != "unavailable"
        assert "restored" not in state.attributes
        assert (registered.name, registered.icon) == (entity_id.partition(".")[2], "mdi:sofa")
    buttons = {entity_id for entity_id in ours if entity_id.startswith("button.")}
    assert buttons <= {*ENTITIES, "button.lounge_listen_for_others"}  # the hub's own is new
    exported = await hass.services.async_call(
        "irhub",
        "export_codes",
        {"entity_id": "remote.sofa"},
        blocking=True,
        return_response=True,
    )
    assert exported is not None
    assert exported["codes"] == CODES
    await hass.services.async_call(
        "remote",
        "send_command",
        {"entity_id": "remote.sofa", "device": "tv", "command": "power"},
        blocking=True,
    )
    await hass.services.async_call(
        "button", "press", {"entity_id": "button.tele_on"}, blocking=True
    )
    assert hub.transmitted == [HDMI, POWER]  # the second packet's turn has come


async def test_a_hub_of_the_user_interface(
    hass: HomeAssistant, lounge: VirtualHub, config_dir: Path
) -> None:
    store(config_dir, MAC)
    entry = entry_of(lounge, scan_interval=60, frequency=433.92)
    entry.add_to_hass(hass)
    devices = dr.async_get(hass)
    owner = devices.async_get_or_create(
        config_entry_id=entry.entry_id, identifiers={("irhub", MAC)}, name="Lounge"
    )
    fan = devices.async_get_or_create(
        config_entry_id=entry.entry_id, identifiers={("irhub", f"{MAC}-fan")}, name="fan"
    )
    devices.async_update_device(fan.id, name_by_user="Breeze", area_id="attic")
    register(hass, MAC, config_entry=entry, device_id=owner.id)
    assert await async_setup_component(hass, "irhub", {})
    await hass.async_block_till_done()
    await check(hass, lounge)
    kept = devices.async_get(fan.id)
    assert kept is not None
    assert (kept.name_by_user, kept.area_id) == ("Breeze", "attic")
    assert entry.options == {
        "timeout": 1,
        "min_gap": 0,
        "scan_interval": 60,
        "frequency": 433.92,
    }


@pytest.mark.parametrize("mac", [MAC, REVERSED])
async def test_a_hub_of_yaml(
    hass: HomeAssistant, lounge: VirtualHub, config_dir: Path, mac: str
) -> None:
    """Its MAC address is written in either byte order, as its files and unique ids are."""
    store(config_dir, mac)
    register(hass, mac)
    await start(hass, config_dir, *_yaml(lounge, mac))
    await check(hass, lounge)


async def test_a_hub_of_yaml_with_a_reversed_address_that_moves_to_the_user_interface(
    hass: HomeAssistant, lounge: VirtualHub, config_dir: Path
) -> None:
    store(config_dir, REVERSED)
    register(hass, REVERSED)
    await start(hass, config_dir, *_yaml(lounge, REVERSED))
    entry = entry_of(lounge)
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(entry.entry_id)
    configure(config_dir)
    await reload(hass)
    await check(hass, lounge)
    [registered] = {
        e.config_entry_id for e in er.async_get(hass).entities.values() if e.platform == "irhub"
    }
    assert registered == entry.entry_id


def _yaml(hub: VirtualHub, mac: str) -> list[str]:
    lines = (
        "remote:",
        item(hub, "name: Lounge"),
        "sensor:",
        item(hub, "name: Lounge", "monitored_conditions: [temperature]"),
        "button:",
        item(hub),
    )
    return [line.replace(hub.mac, mac) for line in lines]
