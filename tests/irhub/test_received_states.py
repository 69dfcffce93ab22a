"""What the remote control of an air conditioner sets it to: in events, and for automations."""

from dataclasses import replace
import logging
from typing import Any

from homeassistant.components.device_automation import DeviceAutomationType
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    async_get_device_automation_capabilities,
)

from custom_components.irhub.ircodes import OFF, State
from tests.home import Home, until
from virtual_home.hub import VirtualHub

from .dialogue import add, configure
from .followed import pressed
from .ircodes.code_files import bytes_of
from .received import CODES, House

pytestmark = pytest.mark.usefixtures("quick_reading")

EVENT = "event.acme_a1_remote_control"
COOL = State(mode="cool", fan="low", swing="on", temperature=24.0)


async def test_what_a_rule_reads_is_an_event(home: Home, lounge: VirtualHub) -> None:
    house = House(home.hass, lounge)
    await house.start(events=True)
    state = await home.wait_for(EVENT, "unknown")
    modes = ["cool", "dry", "heat", "off"]
    assert state.attributes["event_types"] == sorted([*modes, *(f"{mode} held" for mode in modes)])
    await house.press(COOL)
    state = await home.wait_for(EVENT, lambda state: state.state != "unknown")
    assert (
        state.attributes.items()
        >= {
            "event_type": "cool",
            "hvac_mode": "cool",
            "temperature": 24.0,
            "fan_mode": "low",
            "swing_mode": "on",
            "held": 0,
        }.items()
    )
    assert state.attributes["hub"].startswith("Lounge")
    assert not state.attributes.keys() & {"preset_mode", "command", "mode"}
    await house.press(OFF)
    state = await home.wait_for(EVENT, lambda state: state.attributes["event_type"] == "off")
    assert state.attributes["hvac_mode"] == "off"
    assert not state.attributes.keys() & {"temperature", "fan_mode", "swing_mode"}


async def test_degrees_are_those_that_home_assistant_shows(home: Home, lounge: VirtualHub) -> None:
    home.hass.config.units = US_CUSTOMARY_SYSTEM
    house = House(home.hass, lounge)
    await house.start(events=True)
    await house.press(COOL)
    state = await home.wait_for(EVENT, lambda state: "temperature" in state.attributes)
    assert state.attributes["temperature"] == 75


async def test_commands_say_what_they_set(home: Home, lounge: VirtualHub) -> None:
    """What a command is for whatever of is not invented."""
    entry = await add(home.hass, lounge)
    states = {
        "cool 24": {"mode": "cool", "temperature": 24},
        "heat low 22": {"mode": "heat", "fan": "low", "temperature": 22},
        "off": None,
        "display": None,
    }
    codes = {name: CODES.packet() for name in states}
    device = {
        "id": "ac",
        "name": "ac",
        "kind": "air_conditioner",
        "commands": [
            {"id": name, "name": name, "packets": [codes[name]]}
            | ({"state": state} if state else {})
            for name, state in states.items()
        ],
        "functions": {"off": "off"},
    }
    data = {"entity_id": "remote.lounge", "codes": {"devices": [device]}}
    await home.hass.services.async_call("irhub", "import_codes", data, blocking=True)
    dialogue = await (await configure(home.hass, entry)).choose("follow")
    await dialogue.submit(followed=["ac"])
    await home.wait_for("event.ac_remote_control", "unknown")
    seen: dict[str, dict[str, object]] = {}
    for name, code in codes.items():
        await lounge.press_when_listening(pressed(bytes_of(code)))
        state = await home.wait_for(
            "event.ac_remote_control",
            lambda state, name=name: state.attributes.get("command") == name,  # type: ignore[misc]
        )
        seen[name] = {
            key: value
            for key, value in state.attributes.items()
            if key.endswith("mode") or key == "temperature"
        }
    assert seen == {
        "cool 24": {"hvac_mode": "cool", "temperature": 24},
        "heat low 22": {"hvac_mode": "heat", "fan_mode": "low", "temperature": 22},
        "off": {"hvac_mode": "off"},
        "display": {},
    }


@pytest.mark.parametrize("settings", [{"events": True}, {"follow": True}])
async def test_the_editor_offers_what_can_be_set(
    home: Home, lounge: VirtualHub, settings: dict[str, bool]
) -> None:
    house = House(home.hass, lounge)
    await house.start(**settings)
    offered = await house.offered()
    subtypes = [subtype for kind, subtype in offered if kind == "set_to"]
    assert subtypes == ["any", "cool", "heat", "dry", "off"]
    fields = {
        subtype: await capabilities(home.hass, offered["set_to", subtype]) for subtype in subtypes
    }
    assert {*fields["cool"]} == {"temperature", "above", "below", "fan_mode", "swing_mode"}
    assert fields["any"].keys() == fields["cool"].keys()
    assert fields["cool"]["fan_mode"]["options"] == [
        (fan, fan) for fan in ("auto", "low", "medium", "high")
    ]
    assert fields["off"] == {}


async def capabilities(hass: HomeAssistant, trigger: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that the editor shows beside a trigger."""
    shown = await async_get_device_automation_capabilities(
        hass, DeviceAutomationType.TRIGGER, trigger
    )
    return {field["name"]: field for field in shown.get("extra_fields", [])}


@pytest.mark.parametrize(
    "settings", [{"events": True}, {"follow": True}, {"events": True, "follow": True}]
)
async def test_what_it_is_set_to_starts_an_automation_once(
    home: Home, lounge: VirtualHub, settings: dict[str, bool]
) -> None:
    house = House(home.hass, lounge)
    await house.start(**settings)
    await house.automate("any", "cool", "off")
    await house.press(COOL)
    await until(lambda: len(house.heard) == 2)
    assert {event_data["what"] for event_data in house.heard} == {"any", "cool"}
    assert house.heard[0]["description"] == "set to cool, 24.0, low, on"
    assert house.heard[0]["received"]["temperature"] == 24
    house.heard.clear()
    await house.press(OFF)
    await until(lambda: len(house.heard) == 2)
    assert {event_data["what"] for event_data in house.heard} == {"any", "off"}
    assert lounge.transmitted == []


@pytest.mark.parametrize(
    ("filters", "degrees"),
    [
        ({"temperature": 24}, [24.0]),
        ({"above": 24}, [25.0, 30.0]),
        ({"above": 20, "below": 25}, [24.0]),
        ({"fan_mode": "high"}, []),
        ({"fan_mode": "low", "swing_mode": "on", "below": 24}, [18.0]),
        ({"preset_mode": "eco"}, []),
    ],
)
async def test_what_is_asked_for_besides_is_so(
    home: Home, lounge: VirtualHub, filters: dict[str, object], degrees: list[float]
) -> None:
    house = House(home.hass, lounge)
    await house.start(events=True)
    await house.automate("any", **filters)
    for temperature in (18.0, 24.0, 25.0, 30.0):
        await house.press(replace(COOL, temperature=temperature))
        await home.wait_for(
            EVENT,
            lambda state, t=temperature: state.attributes.get("temperature") == t,  # type: ignore[misc]
        )
    await house.press(OFF)
    await home.wait_for(EVENT, lambda state: state.attributes["event_type"] == "off")
    await home.hass.async_block_till_done()
    assert [event_data["received"]["temperature"] for event_data in house.heard] == degrees


async def test_what_home_assistant_itself_sends_starts_nothing(
    home: Home, lounge: VirtualHub
) -> None:
    house = House(home.hass, lounge)
    await house.start(follow=True)
    await house.automate("any")
    data = {"entity_id": "climate.acme_a1", "hvac_mode": "heat"}
    await home.hass.services.async_call("climate", "set_hvac_mode", data, blocking=True)
    await home.hass.async_block_till_done()
    assert house.heard == []


@pytest.mark.parametrize(
    ("wrong", "reasons"),
    [
        ({"subtype": "purple"}, ["value must be one of ['any', 'auto', 'cool'"]),
        ({"above": "warm"}, ["expected float", "'above'"]),
        ({"type": "put"}, ["Unexpected value for type: 'put'. Expected pressed, set_to"]),
    ],
)
async def test_a_trigger_that_cannot_be_is_refused(
    home: Home, lounge: VirtualHub, wrong: dict[str, str], reasons: list[str]
) -> None:
    house = House(home.hass, lounge)
    await house.start(follow=True)
    trigger = {
        "platform": "device",
        "domain": "irhub",
        "device_id": house.device,
        "type": "set_to",
        "subtype": "cool",
        **wrong,
    }
    automation = {"triggers": [trigger], "actions": [{"event": "told"}]}
    assert await async_setup_component(home.hass, "automation", {"automation": [automation]})
    [line] = home.log(logging.ERROR, "homeassistant.components.automation")
    assert [reason for reason in reasons if reason not in line] == []


async def test_one_that_is_not_followed_offers_nothing(home: Home, lounge: VirtualHub) -> None:
    house = House(home.hass, lounge)
    await house.start()
    assert await house.offered() == {}
