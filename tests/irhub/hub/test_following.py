"""Appliances that follow their own remote control, without sending anything."""

from pathlib import Path
from random import Random

from homeassistant.core import HomeAssistant, State
import pytest

from custom_components.irhub.ircodes import encode, from_timings, to_timings
from tests.home import until
from virtual_home.hub import VirtualHub

from ..home import entry, our_hub, set_up
from ..ircodes.code_files import Codes, air_conditioner, bytes_of, temperatures, write
from ..jitter import jittered

pytestmark = pytest.mark.usefixtures("quick_reading")

CODES = Codes()


def press(number: int) -> bytes:
    """Return the packet of a button of a remote control."""
    packet = encode("NEC", address=0x20, command=number)
    assert packet is not None
    return packet


async def hear(hub: VirtualHub, packet: bytes) -> None:
    """Press a button; return when the hub has been asked for it and listens for the next."""
    await hub.press_when_listening(from_timings(jittered(to_timings(packet), Random(3))))
    await hub.until(lambda: hub.receiver.listening == "ir")


async def follow(hass: HomeAssistant, hub: VirtualHub, kind: str, commands: dict[str, int]) -> None:
    """Have an appliance of learned commands that follows its remote control."""
    await set_up(hass, "remote", entry(hub))
    codes = {"thing": {name: press(number).hex() for name, number in commands.items()}}
    await hass.services.async_call(
        "irhub", "import_codes", {"entity_id": "remote.broadlink", "codes": codes}, blocking=True
    )
    await set_up(hass, kind, entry(hub, name="Thing", device="thing", follow=True))
    await hub.until(lambda: hub.receiver.listening == "ir")


def state(hass: HomeAssistant, entity_id: str) -> State:
    found = hass.states.get(entity_id)
    assert found is not None
    return found


async def test_an_air_conditioner_takes_over_mode_and_temperature(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    file = air_conditioner(
        {
            "off": CODES.packet(),
            "cool": CODES.nest(["auto", "low"], temperatures(18, 24)),
            "fan_only": CODES.nest(["low"], ["-"]),
        },
        fanModes=["auto", "low"],
    )
    commands = file["commands"]
    name = write(config_dir, "codes/ac.json", file)
    await set_up(hass, "climate", entry(virtual_hub, name="Office", file=name, follow=True))
    await virtual_hub.until(lambda: virtual_hub.receiver.listening == "ir")
    await hear(virtual_hub, bytes_of(commands["cool"]["low"]["21"]))
    office = state(hass, "climate.office")
    assert office.state == "cool"
    assert (office.attributes["temperature"], office.attributes["fan_mode"]) == (21, "low")
    await hear(virtual_hub, bytes_of(commands["fan_only"]["low"]["-"]))
    assert state(hass, "climate.office").state == "fan_only"
    await hear(virtual_hub, bytes_of(commands["off"]))
    assert state(hass, "climate.office").state == "off"
    assert virtual_hub.transmitted == []


async def turn_off(hass: HomeAssistant, hub: VirtualHub, entity_id: str) -> None:
    """Turn a new player off: until then nobody knows what its toggle does."""
    assert state(hass, entity_id).state == "unknown"
    data = {"entity_id": entity_id}
    await hass.services.async_call("media_player", "turn_off", data, blocking=True)
    assert state(hass, entity_id).state == "off"
    assert len(hub.transmitted) == 1


async def test_a_television_takes_over_power_source_and_muting(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    buttons = {"power": 1, "mute": 2, "volume up": 3, "source HDMI 1": 4, "next": 5}
    await follow(hass, virtual_hub, "media_player", buttons)
    tv = "media_player.thing"
    await turn_off(hass, virtual_hub, tv)
    await hear(virtual_hub, press(1))
    assert state(hass, tv).state == "on"
    await hear(virtual_hub, press(4))
    assert state(hass, tv).attributes["source"] == "HDMI 1"
    await hear(virtual_hub, press(2))
    assert state(hass, tv).attributes["is_volume_muted"] is True
    await hear(virtual_hub, press(3))
    assert state(hass, tv).attributes["is_volume_muted"] is False
    await hear(virtual_hub, press(5))
    await hear(virtual_hub, press(99))  # a neighbour's
    await hear(virtual_hub, press(1))
    assert state(hass, tv).state == "off"
    assert len(virtual_hub.transmitted) == 1, "more than was sent to turn it off"


async def test_a_press_just_before_an_action_counts(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    """The hub still holds it when the action begins: what toggles is not sent once more."""
    await follow(hass, virtual_hub, "media_player", {"power": 1})
    await turn_off(hass, virtual_hub, "media_player.thing")
    await virtual_hub.press_when_listening(press(1))
    tv = {"entity_id": "media_player.thing"}
    await hass.services.async_call("media_player", "turn_on", tv, blocking=True)
    assert state(hass, "media_player.thing").state == "on"
    assert len(virtual_hub.transmitted) == 1, "more than was sent to turn it off"


async def test_a_fan(hass: HomeAssistant, virtual_hub: VirtualHub) -> None:
    buttons = {"off": 1, "speed low": 2, "speed high": 3, "oscillate": 4}
    await follow(hass, virtual_hub, "fan", buttons)
    await hear(virtual_hub, press(3))
    await hear(virtual_hub, press(4))
    fan = state(hass, "fan.thing")
    assert (fan.state, fan.attributes["percentage"]) == ("on", 100)
    assert fan.attributes["oscillating"] is True
    await hear(virtual_hub, press(1))
    assert state(hass, "fan.thing").state == "off"


async def test_a_light(hass: HomeAssistant, virtual_hub: VirtualHub) -> None:
    buttons = {"on": 1, "off": 2, "brighten": 3, "dim": 4, "night": 5}
    await follow(hass, virtual_hub, "light", buttons)
    await hear(virtual_hub, press(1))
    await hear(virtual_hub, press(4))
    assert state(hass, "light.thing").attributes["brightness"] is None  # darker than what?
    data = {"entity_id": "light.thing", "brightness": 128}
    await hass.services.async_call("light", "turn_on", data, blocking=True)
    before = state(hass, "light.thing").attributes["brightness"]
    await hear(virtual_hub, press(4))
    assert state(hass, "light.thing").attributes["brightness"] < before
    await hear(virtual_hub, press(3))
    assert state(hass, "light.thing").attributes["brightness"] == before
    await hear(virtual_hub, press(5))
    assert state(hass, "light.thing").attributes["effect"] == "night"
    await hear(virtual_hub, press(2))
    assert state(hass, "light.thing").state == "off"


async def test_a_cover(hass: HomeAssistant, virtual_hub: VirtualHub) -> None:
    await follow(hass, virtual_hub, "cover", {"open": 1, "close": 2, "stop": 3})
    for button, shown in ((1, "open"), (2, "closed"), (3, "open")):
        await hear(virtual_hub, press(button))
        assert state(hass, "cover.thing").state == shown


async def test_what_is_not_followed_is_not_listened_to(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "cover", entry(virtual_hub, name="Thing", device="thing"))
    await until(lambda: our_hub(hass, virtual_hub).available)
    assert virtual_hub.count("learn") == 0
