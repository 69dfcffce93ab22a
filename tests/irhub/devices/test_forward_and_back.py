"""0.3.0's storage, taken over: forward, back to 0.3.0, and forward again, with nothing lost."""

import json
from pathlib import Path
from types import MappingProxyType
from typing import Any

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr, entity_registry as er
import pytest

from custom_components.irhub.devices.kinds import Kind
from custom_components.irhub.devices.store import DATA_DEVICES
from custom_components.irhub.ircodes import to_base64
from tests.home import until
from virtual_home.hub import VirtualHub

from ..buttons import buttons
from ..dialogue import entry_of
from ..home import FAN, HDMI, POWER, commands, known
from ..yaml.configuration import item, start

MAC, REVERSED = "34ea34000001", "01000034ea34"
IR, OTHER, RADIO = map(to_base64, (POWER, HDMI, FAN))
CODES: dict[str, dict[str, Any]] = {
    "tv": {"power": [IR, OTHER], "vol up": IR, "Ärger/1": OTHER},
    "ac": {"off": IR, "cool auto 24": OTHER, "cool auto 25": IR},
    "ceiling fan": {"off": IR, "low": OTHER, "high": IR},
    "lamp": {"on": IR, "off": OTHER, "brighter": IR, "darker": OTHER},
    "screen": {"up": IR, "down": OTHER},
    "gate": {"open": RADIO},
}
APPLIANCES: dict[str, dict[str, Any]] = {
    "S1": {
        "kind": "media_player",
        "device": "tv",
        "device_class": "tv",
        "functions": {"toggle": "power", "volume_up": "vol up"},
        "buttons": ["Ärger/1"],
        "power_sensor": "binary_sensor.tv",
        "follow": True,
    },
    "S2": {
        "kind": "climate",
        "device": "ac",
        "levels": {
            "modes": ["cool"],
            "presets": [],
            "fans": ["auto"],
            "swings": [],
            "speeds": [],
            "brightnesses": [],
            "kelvins": [],
            "step": 1.0,
            "unit": "C",
        },
        "manufacturer": "Acme",
        "model": "X1",
    },
    "S3": {"kind": "fan", "device": "ceiling fan"},
    "S4": {"kind": "light", "device": "lamp", "buttons": None},
    "S5": {
        "kind": "climate",
        "device": "bedroom",
        "protocol": "Gree AC",
        "protocol_fields": {},
    },
}
OPTIONS = {"emitters": {"gate": "infrared.other"}, "followed": ["gate"]}
BUTTONS = {
    "tv/%C3%84rger%2F1": "button.trouble",
    "screen/up": "button.screen_up_by_hand",
    "screen/down": "button.screen_down",
    "gate/open": "button.gate",
}
ENTITIES = {
    "S1": "media_player.den",
    "S2": "climate.office",
    "S3": "fan.ceiling",
    "S4": "light.lamp_by_the_bed",
}


def write_store(config_dir: Path, mac: str, codes: dict[str, dict[str, Any]]) -> list[Path]:
    """Write the files of 0.3.0."""
    folder = config_dir / ".storage"
    folder.mkdir(exist_ok=True)
    paths = []
    for name, data in (
        (f"irhub_remote_{mac}_codes", codes),
        (f"irhub_remote_{mac}_flags", {"tv": {"power": 1}}),
    ):
        content = {"version": 1, "minor_version": 1, "key": name, "data": data}
        paths.append(folder / name)
        paths[-1].write_text(json.dumps(content))
    return paths


def entry_of_before(hass: HomeAssistant, hub: VirtualHub) -> ConfigEntry:
    """Return the entry as 0.3.0 has left it, with what stands in the registries."""
    mocked = entry_of(hub, **OPTIONS)
    mocked.add_to_hass(hass)
    entry: ConfigEntry = mocked
    for id_, data in APPLIANCES.items():
        subentry = ConfigSubentry(
            data=MappingProxyType(data),
            subentry_id=id_,
            subentry_type="appliance",
            title=data["device"],
            unique_id=data["device"],
        )
        hass.config_entries.async_add_subentry(entry, subentry)
    registry, devices = er.async_get(hass), dr.async_get(hass)
    for name in CODES:
        of = next((id_ for id_, data in APPLIANCES.items() if data["device"] == name), None)
        device = devices.async_get_or_create(
            config_entry_id=entry.entry_id,
            config_subentry_id=of,
            identifiers={("irhub", f"{MAC}-{name.replace(' ', '%20')}")},
            name=name,
        )
        devices.async_update_device(device.id, name_by_user=f"My {name}", area_id=f"area_{name}")
    for end, entity_id in BUTTONS.items():
        domain, _, object_id = entity_id.partition(".")
        registry.async_get_or_create(
            domain, "irhub", f"{MAC}-{end}", suggested_object_id=object_id, config_entry=entry
        )
    for id_, entity_id in ENTITIES.items():
        domain, _, object_id = entity_id.partition(".")
        registry.async_get_or_create(
            domain,
            "irhub",
            id_,
            suggested_object_id=object_id,
            config_entry=entry,
            config_subentry_id=id_,
        )
        registry.async_update_entity(entity_id, name=object_id, icon="mdi:sofa")
    return entry


def what_0_3_0_finds(hass: HomeAssistant, entry: ConfigEntry) -> dict[str, Any]:
    """Return all that 0.3.0 reads of Home Assistant."""
    return {
        "options": dict(entry.options),
        "subentries": {
            each.subentry_id: (each.title, each.unique_id, dict(each.data))
            for each in entry.subentries.values()
        },
        "entities": {
            each.entity_id: (each.unique_id, each.name, each.icon)
            for each in er.async_get(hass).entities.values()
            if each.entity_id in {*BUTTONS.values(), *ENTITIES.values()}
        },
        "devices": {
            (min(each.identifiers), each.name, each.name_by_user, each.area_id)
            for each in dr.async_entries_for_config_entry(dr.async_get(hass), entry.entry_id)
            if each.name in CODES
        },
    }


async def forward(hass: HomeAssistant, entry: ConfigEntry) -> None:
    """Start the present version."""
    hass.data.pop(DATA_DEVICES, None)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await until(lambda: entry.runtime_data.hub.available)
    await hass.async_block_till_done()


async def press(hass: HomeAssistant, domain: str, service: str, entity_id: str) -> None:
    await hass.services.async_call(domain, service, {"entity_id": entity_id}, blocking=True)


async def test_a_hub_of_the_user_interface(
    hass: HomeAssistant, lounge: VirtualHub, config_dir: Path
) -> None:
    files = write_store(config_dir, MAC, CODES)
    written = [path.read_bytes() for path in files]
    hass.states.async_set("infrared.other", "unknown")
    entry = entry_of_before(hass, lounge)
    before = what_0_3_0_finds(hass, entry)

    await forward(hass, entry)
    kinds = {device.name: device.kind for device in known(hass).values()}
    assert kinds == {
        "tv": Kind.TELEVISION,
        "ac": Kind.AIR_CONDITIONER,
        "ceiling fan": Kind.FAN,
        "lamp": Kind.LIGHT,
        "screen": Kind.OTHER,
        "gate": Kind.OTHER,
        "bedroom": Kind.AIR_CONDITIONER,
    }
    tv, gate, ac = (known(hass).named(name) for name in ("tv", "gate", "ac"))
    assert (tv.settings.power_sensor, tv.settings.follow) == ("binary_sensor.tv", True)
    assert (gate.settings.emitter, gate.settings.events) == ("infrared.other", True)
    assert (ac.manufacturer, ac.model, [*ac.capabilities]) == ("Acme", "X1", ["cool"])
    there = {state.entity_id for state in hass.states.async_all() if not _restored(state)}
    assert {*BUTTONS.values(), *ENTITIES.values()} <= there
    assert {*buttons(hass)} == {*BUTTONS.values()}
    await press(hass, "media_player", "turn_on", "media_player.den")
    await press(hass, "climate", "turn_on", "climate.office")
    await press(hass, "button", "press", "button.trouble")
    assert lounge.transmitted == [HDMI, HDMI, HDMI]  # the second packet's turn has come
    lounge.logs.transmitted.clear()

    # What is changed now, 0.3.0 does not see; it finds what it left.
    await hass.services.async_call(
        "irhub",
        "rename_code",
        {"entity_id": "remote.lounge", "device": "screen", "command": "up", "new_command": "^"},
        blocking=True,
    )
    await hass.services.async_call(
        "irhub",
        "delete_codes",
        {"entity_id": "remote.lounge", "device": "tv", "command": "vol up"},
        blocking=True,
    )
    await hass.async_block_till_done()
    assert await hass.config_entries.async_unload(entry.entry_id)
    assert [path.read_bytes() for path in files] == written
    assert what_0_3_0_finds(hass, entry) == before

    # It learns one command more, and gets another sensor.
    codes = {**CODES, "screen": {**CODES["screen"], "stop": RADIO}}
    write_store(config_dir, MAC, codes)
    [_, second, *_] = entry.subentries.values()
    data = {**second.data, "temperature_sensor": "sensor.office"}
    hass.config_entries.async_update_subentry(entry, second, data=data)

    await forward(hass, entry)
    assert commands(known(hass))["screen"] == {"^": [POWER], "down": [HDMI], "stop": [FAN]}
    assert "vol up" not in commands(known(hass))["tv"]
    assert len(known(hass).deleted) == 1
    assert known(hass).named("ac").settings.temperature_sensor == "sensor.office"
    assert known(hass).named("tv").settings == tv.settings
    await press(hass, "button", "press", "button.screen_up_by_hand")
    assert lounge.transmitted == [POWER]


def _restored(state: Any) -> bool:  # noqa: ANN401  (State, whose attributes are anything)
    return bool(state.attributes.get("restored"))


@pytest.mark.parametrize("mac", [MAC, REVERSED])
async def test_a_hub_of_yaml(
    hass: HomeAssistant, lounge: VirtualHub, config_dir: Path, mac: str
) -> None:
    files = write_store(config_dir, mac, CODES)
    written = [path.read_bytes() for path in files]
    registry = er.async_get(hass)
    for end, entity_id in BUTTONS.items():
        domain, _, object_id = entity_id.partition(".")
        registry.async_get_or_create(domain, "irhub", f"{mac}-{end}", suggested_object_id=object_id)
    lines = ("remote:", item(lounge, "name: Lounge"), "button:", item(lounge))
    await start(hass, config_dir, *(line.replace(lounge.mac, mac) for line in lines))
    for entity_id in BUTTONS.values():
        registered = registry.async_get(entity_id)
        assert registered is not None
        state = hass.states.get(entity_id)
        assert state is not None
        assert not _restored(state)
    assert commands(known(hass, mac)).keys() == CODES.keys()
    assert [path.read_bytes() for path in files] == written
    # Back, where another command is learned, and forward again.
    codes = {**CODES, "gate": {**CODES["gate"], "close": IR}}
    write_store(config_dir, mac, codes)
    [devices] = hass.data[DATA_DEVICES].values()
    devices._loaded = False  # noqa: SLF001  (a restart of Home Assistant, in short)
    await devices.load()
    await hass.async_block_till_done()
    assert commands(devices)["gate"] == {"open": [FAN], "close": [POWER]}
    assert {each.entity_id for each in registry.entities.values()} >= {*BUTTONS.values()}
