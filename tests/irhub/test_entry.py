"""A hub as a config entry: its device, its entities, its end."""

from dataclasses import replace
import json
import re

from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr, entity_registry as er, issue_registry as ir
from homeassistant.helpers.translation import async_get_translations
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.components.diagnostics import (  # type: ignore[import-untyped]
    get_diagnostics_for_config_entry,
)
from pytest_homeassistant_custom_component.typing import (  # type: ignore[import-untyped]
    ClientSessionGenerator,
)

from custom_components.irhub.entities.use import IrhubConfigEntry
from custom_components.irhub.hub.hubs import DATA_HUBS
from tests.home import until
from virtual_home.hub import VirtualHub

from .buttons import learn
from .dialogue import add, configure
from .home import FAN, POWER, RC5, RF
from .switches import turn, value

MAC = "34ea34000001"


def unique_ids(hass: HomeAssistant, entry_id: str) -> dict[str, str]:
    """Return the entities of an entry: entity id → unique id, without the MAC address."""
    return {
        registered.entity_id: registered.unique_id.replace(MAC, "")
        for registered in er.async_entries_for_config_entry(er.async_get(hass), entry_id)
    }


def device(hass: HomeAssistant, entry_id: str, name: str) -> dr.DeviceEntry:
    [found] = [
        registered
        for registered in dr.async_entries_for_config_entry(dr.async_get(hass), entry_id)
        if registered.name == name
    ]
    return found


DISABLED = {
    "sensor.lounge_presses_received": "-captured_press",
    "sensor.lounge_ambient_infrared_received": "-captured_noise",
    "sensor.lounge_unreadable_signals_received": "-captured_unreadable",
}
"""Until somebody enables them."""
REMOTE = {
    **DISABLED,
    "remote.lounge": "",
    "infrared.lounge_infrared": "",
    "infrared.lounge_receiver": "-receiver",
    "button.lounge_listen_for_others": "-listen",
    "sensor.lounge_listening_for": "-listening",
}
RADIO = {**REMOTE, "radio_frequency.lounge_radio": ""}
TEMPERATURE = {"sensor.lounge_temperature": "-temperature"}
HUMIDITY = {"sensor.lounge_humidity": "-humidity"}


@pytest.mark.parametrize(
    ("model", "entities"),
    [
        ("rm_mini", REMOTE),
        ("rm_pro", RADIO | TEMPERATURE),
        ("rm4_mini", REMOTE | TEMPERATURE | HUMIDITY),
        ("rm4_pro", RADIO | TEMPERATURE | HUMIDITY),
        (
            "a1",
            TEMPERATURE
            | HUMIDITY
            | {
                "sensor.lounge_air_quality": "-air_quality",
                "sensor.lounge_light": "-light",
                "sensor.lounge_noise": "-noise",
            },
        ),
        ("sp1", {"switch.lounge": ""}),
        ("sp2", {"switch.lounge": ""}),
        ("mp1", {f"switch.lounge_slot_{n}": f"-slot_{n}" for n in (1, 2, 3, 4)}),
    ],
)
async def test_a_hub_has_the_entities_of_its_capabilities(
    hass: HomeAssistant, entry: IrhubConfigEntry, entities: dict[str, str]
) -> None:
    shown = entities.keys() - DISABLED.keys()
    await until(lambda: {state.entity_id for state in hass.states.async_all()} == shown)
    assert unique_ids(hass, entry.entry_id) == entities
    [registered] = dr.async_entries_for_config_entry(dr.async_get(hass), entry.entry_id)
    assert {er.async_get(hass).entities[e].device_id for e in entities} == {registered.id}


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_the_device_says_who_it_is(hass: HomeAssistant, entry: IrhubConfigEntry) -> None:
    await until(lambda: device(hass, entry.entry_id, "Lounge").sw_version == "52079")
    registered = device(hass, entry.entry_id, "Lounge")
    assert registered.model == "RM4 pro"
    assert registered.manufacturer == "Broadlink"
    assert registered.connections == {(dr.CONNECTION_NETWORK_MAC, "34:ea:34:00:00:01")}


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_a_hub_that_is_off_has_its_entities_all_the_same(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    await until(lambda: hass.states.get("sensor.lounge_temperature") is not None)
    assert await hass.config_entries.async_unload(entry.entry_id)
    lounge.faults.silent = True
    assert await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    for entity_id in (RADIO | TEMPERATURE | HUMIDITY).keys() - DISABLED.keys():
        state = hass.states.get(entity_id)
        assert state is not None
        assert state.state == "unavailable"
        assert "restored" not in state.attributes


@pytest.mark.parametrize("model", ["rm4_mini"])
async def test_a_cable_that_is_plugged_in_later_brings_its_sensors(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    lounge.state.temperature = lounge.state.humidity = 0
    await add(hass, lounge, scan_interval=1)
    await until(lambda: lounge.count("sensors") > 1)
    assert hass.states.get("sensor.lounge_temperature") is None
    lounge.state.temperature, lounge.state.humidity = 21.5, 45.0
    await until(
        lambda: (state := hass.states.get("sensor.lounge_temperature")) and state.state == "21.5"
    )


async def test_it_sends_and_switches(hass: HomeAssistant) -> None:
    async with VirtualHub("mp1", name="Desk") as hub:
        await add(hass, hub)
        await turn(hass, "on", "switch.desk_slot_2")
        assert hub.state.slots == [False, True, False, False]
        assert value(hass, "switch.desk_slot_2") == "on"


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_nothing_is_left_of_an_entry_that_is_removed(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    ours = entry.runtime_data.own_hub
    assert await hass.config_entries.async_reload(entry.entry_id)
    await until(lambda: entry.runtime_data.own_hub.available)
    assert ours.closed
    ours = entry.runtime_data.own_hub
    await hass.config_entries.async_remove(entry.entry_id)
    await hass.async_block_till_done()
    assert ours.closed
    assert hass.data[DATA_HUBS].hubs == []
    assert hass.states.async_all() == []
    assert not ir.async_get(hass).issues


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_settings(hass: HomeAssistant, entry: IrhubConfigEntry) -> None:
    dialogue = await configure(hass, entry)
    await dialogue.choose("settings")
    assert dialogue.fields.keys() == {
        "timeout",
        "min_gap",
        "scan_interval",
        "frequency",
        "listen_for_others",
        "collection",
    }
    await dialogue.submit(timeout=3, min_gap=0.5, scan_interval=60, frequency=433.92)
    # In words of its own: of what is created, the frontend says that options were saved.
    assert dialogue.shown["reason"] == "settings_kept"
    await hass.async_block_till_done()
    assert entry.state is ConfigEntryState.LOADED
    settings = entry.runtime_data.own_hub.settings
    assert (settings.timeout, settings.min_gap) == (3, 0.5)


@pytest.mark.parametrize(
    ("settings", "parts_of_error"),
    [
        ({"timeout": 301}, ("301", "from 0.1 to 300")),
        ({"timeout": 5, "min_gap": -1}, ("-1", "from 0 to 300")),
        ({"scan_interval": 86401}, ("86401", "from 1 to 86400")),
        ({"frequency": 1001}, ("1001", "from 100 to 1000")),
    ],
)
@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_a_number_beyond_the_limits_names_them(
    hass: HomeAssistant,
    settings: dict[str, float],
    parts_of_error: tuple[str, str],
    entry: IrhubConfigEntry,
) -> None:
    dialogue = await (await configure(hass, entry)).choose("settings")
    await dialogue.submit(**settings)
    assert all(part in dialogue.error for part in parts_of_error)
    assert {
        str(key): key.description["suggested_value"]
        for key in dialogue.shown["data_schema"].schema  # type: ignore[union-attr]
        if key.description
    } == settings
    await dialogue.submit(timeout=300)
    await hass.async_block_till_done()
    assert entry.runtime_data.own_hub.settings.timeout == 300


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_errors_call_a_hub_by_its_name(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    """Also by the one that the pencil gives, and when YAML has named its host first."""
    address = f"{lounge.host}:{lounge.port}"
    ours = entry.runtime_data.own_hub
    assert ours.label == f"Lounge ({address})"
    registered = device(hass, entry.entry_id, "Lounge")
    dr.async_get(hass).async_update_device(registered.id, name_by_user="Den")
    assert await hass.config_entries.async_unload(entry.entry_id)
    unnamed = replace(ours.settings, name=None)
    unnamed_hub, _ = hass.data[DATA_HUBS].use(unnamed)
    assert unnamed_hub.label == address
    assert await hass.config_entries.async_setup(entry.entry_id)
    await until(lambda: entry.runtime_data.own_hub.available)
    with pytest.raises(HomeAssistantError, match=re.escape(f"Den ({address}) has no radio")):
        await hass.services.async_call(
            "irhub", "send", {"hub": registered.id, "packet": RF}, blocking=True
        )
    await hass.data[DATA_HUBS].release([unnamed])
    assert entry.runtime_data.own_hub.label == f"Den ({address})"
    with pytest.raises(HomeAssistantError, match=re.escape(address)) as error:
        await hass.services.async_call(
            "irhub", "send", {"host": "192.0.2.7", "packet": RF}, blocking=True
        )
    assert "Den" not in str(error.value)  # a host is asked for


@pytest.mark.parametrize("model", ["a1"])
async def test_levels_are_words(hass: HomeAssistant, lounge: VirtualHub) -> None:
    """Numbers stay numbers in YAML: `test_the_air_sensor_shows_five_conditions_of_a_poll`."""
    await add(hass, lounge, scan_interval=1)
    shown = {
        "sensor.lounge_air_quality": ("good", ["excellent", "good", "normal", "bad"]),
        "sensor.lounge_light": ("normal", ["dark", "dim", "normal", "bright"]),
        "sensor.lounge_noise": ("quiet", ["quiet", "normal", "noisy"]),
    }
    texts = await async_get_translations(hass, "de", "entity", ["irhub"])
    await until(lambda: hass.states.is_state("sensor.lounge_noise", "quiet"))
    for entity_id, (word, words) in shown.items():
        state = hass.states.get(entity_id)
        assert state is not None
        assert state.state == word
        assert state.attributes["device_class"] == "enum"
        assert state.attributes["options"] == words
        assert "state_class" not in state.attributes
        key = entity_id.removeprefix("sensor.lounge_")
        prefix = f"component.irhub.entity.sensor.{key}.state."
        assert {text.removeprefix(prefix) for text in texts if text.startswith(prefix)} == set(
            words
        )
    lounge.state.air_quality, lounge.state.light, lounge.state.noise = 3, 0, 9
    await until(lambda: hass.states.is_state("sensor.lounge_air_quality", "bad"))
    assert value(hass, "sensor.lounge_light") == "dark"
    assert value(hass, "sensor.lounge_noise") == "quiet"  # 9 was never measured


async def test_settings_that_mean_nothing_are_not_offered(hass: HomeAssistant) -> None:
    async with VirtualHub("sp2", name="Lamp") as hub:
        entry = await add(hass, hub)
        dialogue = await configure(hass, entry)
        assert dialogue.step == "settings"
        assert dialogue.fields.keys() == {"timeout", "scan_interval"}
    async with VirtualHub("rm_mini", mac="34:EA:34:00:00:02") as hub:
        dialogue = await configure(hass, await add(hass, hub))
        await dialogue.choose("settings")
        assert dialogue.fields.keys() == {
            "timeout",
            "min_gap",
            "listen_for_others",
            "collection",
        }


async def test_an_entry_that_is_not_loaded_has_nothing_to_configure(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    entry = await add(hass, virtual_hub)
    await hass.config_entries.async_unload(entry.entry_id)
    dialogue = await configure(hass, entry)
    assert dialogue.shown["reason"] == "not_loaded"


async def test_a_hub_that_moved_is_followed(hass: HomeAssistant) -> None:
    async with VirtualHub(host="127.0.0.2", name="Lounge") as hub:
        entry = await add(hass, hub)
        device = entry.runtime_data.own_hub.connection.device
        assert device is not None
        device.host = ("127.0.0.3", hub.port)  # as a broadcast may have found it
        await hub.move("127.0.0.3")
        entry.runtime_data.own_hub._notify(entry.runtime_data.own_hub._listeners)  # noqa: SLF001
        await hass.async_block_till_done()
        assert entry.data["host"] == "127.0.0.3"
        await until(lambda: entry.runtime_data.own_hub.available)
        assert not ir.async_get(hass).issues


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_diagnostics_hold_no_packets_and_half_of_the_mac_address(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    lounge: VirtualHub,
    entry: IrhubConfigEntry,
) -> None:
    await learn(hass, tv={"power": RC5}, fan={"off": RF})
    assert await async_setup_component(hass, "diagnostics", {})
    report = await get_diagnostics_for_config_entry(hass, hass_client, entry)
    assert report["mac"] == "34:EA:34:…"
    assert report["device"]["model"] == "RM4 pro"
    assert report["hub"]["available"]
    assert {device["name"]: device["commands"] for device in report["devices"]} == {
        "tv": {"power": [f"ir, {len(POWER)} bytes, RC-5 0x00/0x3f"]},
        "fan": {"off": [f"rf, {len(FAN)} bytes"]},
    }
    assert report["devices"][0]["settings"]["repeats"] == 1
    text = json.dumps(report)
    for secret in (RC5[:16], MAC, "34:ea:34:00:00:01", "34:EA:34:00:00:01"):
        assert secret not in text
    lounge.faults.silent = True
    entry.runtime_data.own_hub.connection.check_now()
    await until(lambda: not entry.runtime_data.own_hub.available)
    report = await get_diagnostics_for_config_entry(hass, hass_client, entry)
    assert report["device"] is None
