"""A followed air conditioner shows what was pressed, also what its file does not have."""

from collections.abc import Callable
from dataclasses import replace
import json
from pathlib import Path
from typing import Any

from homeassistant.core import HomeAssistant, State as HassState
import pytest

from benchmarks.virtual_remotes import VirtualRemote
from custom_components.irhub.devices.device import Device, Settings, Taught
from custom_components.irhub.devices.kinds import Kind
from custom_components.irhub.entities.registries import async_show_devices
from custom_components.irhub.ircodes import OFF, State, read
from custom_components.irhub.ircodes.known import KnownAirConditioners, KnownReading
from tests.home import until
from virtual_home.hub import VirtualHub

from .dialogue import add
from .dialogues.appliances import act, begin
from .followed import pressed
from .home import POWER, entry, set_up
from .ircodes.code_files import write
from .remotes_of_protocols import file_of, shows, with_a_lamp

pytestmark = pytest.mark.usefixtures("quick_reading")

NAME = "COOLIX"
OFF_PACKET = VirtualRemote(NAME).packet(OFF)
AC = "climate.acme_a1"
EVENT = "event.acme_a1_remote_control"


class House:
    """An air conditioner of a code file, whose remote control is followed."""

    def __init__(self, hass: HomeAssistant, hub: VirtualHub) -> None:
        self.hass = hass
        self.hub = hub

    async def add(self, file: dict[str, Any], *, events: bool = False) -> None:
        """Add it in the dialogue."""
        entry = await add(self.hass, self.hub)
        dialogue = await (await begin(self.hass, entry)).choose("file")
        await dialogue.submit(text=json.dumps(file))
        more = {"follow": True, "events": events}
        await dialogue.submit(**{**dialogue.suggested, "then": "finish", "more": more})
        await until(lambda: self.hass.states.get(AC) is not None)

    async def press(self, packet: bytes) -> None:
        """Press a button of its remote control, once it is listened to."""
        await self.hub.until(lambda: self.hub.receiver.listening == "ir")
        await self.hub.press_when_listening(pressed(packet))

    async def shows(self, **expected: object) -> HassState:
        """Wait until the thermostat shows this."""

        def shown() -> dict[str, object]:
            state = self.hass.states.get(AC)
            return {} if state is None else {"state": state.state, **state.attributes}

        try:
            await until(lambda: shown().items() >= expected.items())
        except TimeoutError:
            actual = {key: shown().get(key) for key in expected}
            pytest.fail(f"{actual} instead of {expected}")
        state = self.hass.states.get(AC)
        assert state is not None
        return state


async def test_a_state_that_the_file_lacks_is_shown(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    """A temperature that it does not have, a fan speed that it has no word for, another mode."""
    house = House(hass, lounge)
    await house.add(file_of(NAME, OFF_PACKET))
    await house.press(shows(NAME, "cool", 23, "high"))
    await house.shows(state="cool", temperature=23, fan_mode="level2")
    await house.press(shows(NAME, "cool", 27, "low"))
    await house.shows(state="cool", temperature=27, fan_mode="level1")
    await house.press(shows(NAME, "cool", 24, "medium"))
    await house.shows(state="cool", temperature=24, fan_mode=None)
    await house.press(shows(NAME, "heat", 24, "high"))
    await house.shows(state="unknown")
    await house.press(OFF_PACKET)
    await house.shows(state="off")
    assert lounge.transmitted == []


async def test_what_follows_such_a_state_can_be_sent(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    """Changed by the user, it becomes a state of the file."""
    house = House(hass, lounge)
    await house.add(file_of(NAME, OFF_PACKET))
    await house.press(shows(NAME, "cool", 27, "high"))
    await house.shows(state="cool", temperature=27)
    await act(hass, "climate", "set_temperature", entity_id=AC, temperature=24)
    await house.shows(state="cool", temperature=24, fan_mode="level2")
    assert [read(sent).key for sent in lounge.transmitted] == [
        read(shows(NAME, "cool", 24, "high")).key
    ]
    await house.press(shows(NAME, "heat", 24, "high"))
    await house.shows(state="unknown")
    await act(hass, "climate", "set_hvac_mode", entity_id=AC, hvac_mode="cool")
    await house.shows(state="cool")


async def test_it_is_kept_over_a_reload(hass: HomeAssistant, lounge: VirtualHub) -> None:
    house = House(hass, lounge)
    await house.add(file_of(NAME, OFF_PACKET))
    await house.press(shows(NAME, "cool", 27, "medium"))
    await house.shows(state="cool", temperature=27, fan_mode=None)
    [loaded] = hass.config_entries.async_entries("irhub")
    await hass.config_entries.async_reload(loaded.entry_id)
    await hass.async_block_till_done()
    await house.shows(state="cool", temperature=27, fan_mode=None)


@pytest.mark.parametrize("degrees", [range(22, 24), range(22, 27)])
async def test_a_handful_of_codes_is_enough(
    hass: HomeAssistant, lounge: VirtualHub, degrees: range
) -> None:
    """Two states say which protocol it is."""
    house = House(hass, lounge)
    await house.add(file_of(NAME, OFF_PACKET, levels={"auto": "auto"}, degrees=degrees))
    await house.press(shows(NAME, "cool", 29))
    await house.shows(state="cool", temperature=29, fan_mode="auto")


async def test_packets_of_another_protocol_set_nothing(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    house = House(hass, lounge)
    await house.add(file_of(NAME, OFF_PACKET))
    await house.press(shows(NAME, "cool", 27, "high"))
    await house.shows(temperature=27)
    for packet in (POWER, shows("PANASONIC_AC", "cool", 20), shows("ELECTRA_AC", "heat", 20)):
        await house.press(packet)
    await house.press(shows(NAME, "cool", 26, "high"))
    await house.shows(state="cool", temperature=26)


async def test_packets_that_differ_from_the_temperatures_of_the_file_set_nothing(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    """Nobody knows which of the two is right."""
    shifted = file_of(NAME, OFF_PACKET)
    of_level = shifted["commands"]["cool"]
    for level, codes in of_level.items():
        of_level[level] = {f"{int(warm) - 2}": code for warm, code in codes.items()}
    house = House(hass, lounge)
    await house.add({**shifted, "minTemperature": 20})
    await house.press(shows(NAME, "cool", 30, "high"))
    await house.press(shows(NAME, "cool", 22, "high"))
    state = await house.shows(state="cool")
    assert state.attributes["temperature"] == 20


async def test_the_event_and_the_trigger_say_all_of_it(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    """Also where the thermostat has no word for it."""
    heat = shows(NAME, "heat", 25, "medium")
    house = House(hass, lounge)
    await house.add(file_of(NAME, OFF_PACKET), events=True)
    await until(lambda: "cool" in _types(hass))
    assert {"cool", "off"} <= _types(hass)
    await house.press(heat)
    await until(lambda: _event(hass).get("event_type") == "heat")
    assert (
        _event(hass).items()
        >= {
            "hvac_mode": "heat",
            "temperature": 25,
            "fan_mode": "medium",
            "held": 0,
        }.items()
    )


def _types(hass: HomeAssistant) -> set[str]:
    return {*_event(hass).get("event_types", ())}


def _event(hass: HomeAssistant) -> dict[str, Any]:
    state = hass.states.get(EVENT)
    return {} if state is None else {**state.attributes}


async def test_a_learned_button_says_what_it_sets(hass: HomeAssistant, lounge: VirtualHub) -> None:
    """It was learned under a name of the user's own, which says no state."""
    house = House(hass, lounge)
    await house.add(file_of(NAME, OFF_PACKET), events=True)
    cosy = {"Acme A1": {"cosy": shows(NAME, "heat", 25, "high").hex()}}
    await act(hass, "irhub", "import_codes", entity_id="remote.lounge", codes=cosy)
    await until(lambda: "cosy" in _types(hass))
    await house.press(shows(NAME, "heat", 25, "high"))
    await until(lambda: _event(hass).get("event_type") == "cosy")
    assert (
        _event(hass).items()
        >= {
            "command": "cosy",
            "hvac_mode": "heat",
            "temperature": 25,
            "fan_mode": "level2",
        }.items()
    )


async def test_yaml_follows_it_too(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    name = write(config_dir, "codes/ac.json", file_of(NAME, OFF_PACKET))
    await set_up(hass, "climate", entry(virtual_hub, name="Acme A1", file=name, follow=True))
    house = House(hass, virtual_hub)
    await house.press(shows(NAME, "cool", 28, "low"))
    await house.shows(state="cool", temperature=28, fan_mode="level1")


def of_rule(reading: KnownReading) -> Device:
    """Return the air conditioner that presses of a known protocol make."""
    rule = reading.rule()
    return Device(
        id="ac",
        name="Acme A1",
        kind=Kind.AIR_CONDITIONER,
        rule=Taught(data=rule.as_data()),
        capabilities=rule.capabilities.listed,
        settings=Settings(follow=True),
        entity="ac",
    )


@pytest.mark.parametrize("change", [with_a_lamp, lambda packet: packet])
async def test_a_rule_is_followed_whatever_its_lamp_is(
    hass: HomeAssistant, lounge: VirtualHub, change: Callable[[bytes], bytes]
) -> None:
    """The rule knows the bits of the two presses alone that have made it."""
    [reading, *_] = KnownAirConditioners.shipped().identify(shows("GREE", "cool", 24))
    house = House(hass, lounge)
    devices = (await add(hass, lounge)).runtime_data.devices
    await devices.load()
    await devices.put(of_rule(reading))
    async_show_devices(hass, devices)
    await until(lambda: hass.states.get(AC) is not None)
    packet = change(shows("GREE", "heat", 27, "high"))
    await house.press(packet)
    await house.shows(state="heat", temperature=27, fan_mode="high")


def test_it_is_read_in_the_words_of_its_rule() -> None:
    """A state that both know is called as the rule calls it."""
    [reading, *_] = KnownAirConditioners.shipped().identify(shows("GREE", "cool", 24))
    assert isinstance(reading.state, State)
    assert replace(reading.state, temperature=25) in reading.rule().states
