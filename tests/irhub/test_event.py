"""Remote controls that are followed: their presses are events."""

import asyncio

from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.irhub.hub.recent_signals import ONE_PRESS_S
from custom_components.irhub.ircodes import from_timings
from custom_components.irhub.ircodes.protocols import learned
from tests.home import Home, until
from virtual_home.hub import VirtualHub

from .dialogue import add, configure
from .followed import TV, pressed, teach
from .home import FAN, HDMI, POWER, entry, set_up
from .ircodes.code_files import Codes

pytestmark = pytest.mark.usefixtures("quick_reading")

YAML = "event.tv_remote"


async def follow(home: Home, hub: VirtualHub, **keys: object) -> None:
    """Follow the television in YAML."""
    await set_up(home.hass, "remote", entry(hub))
    await teach(home, "remote.broadlink", tv=TV, fan={"off": FAN.hex()})
    item = entry(hub, device="tv", name="TV remote", **keys)
    await set_up(home.hass, "event", item)
    await until(lambda: home.value(YAML) != "unavailable")


async def presses(home: Home, hub: VirtualHub, entity_id: str, packet: bytes) -> str:
    """Press a button; return the event that it fires."""
    before = (await home.wait_for(entity_id, lambda state: state.state != "unavailable")).state
    await hub.press_when_listening(pressed(packet))
    state = await home.wait_for(entity_id, lambda state: state.state != before)
    return str(state.attributes["event_type"])


async def test_the_buttons_of_a_remote_are_events(home: Home, virtual_hub: VirtualHub) -> None:
    await follow(home, virtual_hub)
    state = home.hass.states.get(YAML)
    assert state is not None
    assert state.attributes["event_types"] == [
        *("hdmi", "hdmi held"),
        *("power", "power held"),
    ]
    for toggled in (*learned([POWER]), POWER):
        assert await presses(home, virtual_hub, YAML, toggled) == "power"
    assert await presses(home, virtual_hub, YAML, HDMI) == "hdmi"
    assert home.log() == []


async def test_a_button_that_is_held_fires_once_and_then_says_so(
    home: Home, lounge: VirtualHub
) -> None:
    await follow(home, lounge)
    assert await presses(home, lounge, YAML, HDMI) == "hdmi"
    for count in (1, 2):
        assert await presses(home, lounge, YAML, HDMI) == "hdmi held"
        state = home.hass.states.get(YAML)
        assert state is not None
        assert (state.attributes["command"], state.attributes["held"]) == ("hdmi", count)
        assert state.attributes["hub"] == f"{lounge.host}:{lounge.port}"
    await asyncio.sleep(ONE_PRESS_S)
    assert await presses(home, lounge, YAML, HDMI) == "hdmi"
    assert await presses(home, lounge, YAML, POWER) == "power"


async def test_repeats_alone_hold_what_was_pressed_before_them(
    home: Home, virtual_hub: VirtualHub
) -> None:
    repeat = from_timings([9000, -2250, 560, -96000] * 3)
    await follow(home, virtual_hub)
    changes = home.changes(YAML)
    await virtual_hub.press_when_listening(repeat)  # its beginning was not heard
    assert await presses(home, virtual_hub, YAML, HDMI) == "hdmi"
    assert await presses(home, virtual_hub, YAML, repeat) == "hdmi held"
    assert len(changes) == 2


async def test_neighbours_fire_nothing(home: Home, virtual_hub: VirtualHub) -> None:
    await follow(home, virtual_hub)
    changes = home.changes(YAML)
    await virtual_hub.press_when_listening(from_timings([9000, -4500, 560, -560, 560, -90000]))
    assert await presses(home, virtual_hub, YAML, HDMI) == "hdmi"
    assert len(changes) == 1


async def test_what_is_learned_later_is_followed(home: Home, virtual_hub: VirtualHub) -> None:
    await set_up(home.hass, "remote", entry(virtual_hub))
    await set_up(home.hass, "event", entry(virtual_hub, device="tv", name="TV remote"))
    await until(lambda: home.value(YAML) == "unknown")
    [line] = home.log()
    assert line.endswith("has no commands of the device tv")
    assert virtual_hub.count("learn") == 0
    await teach(home, "remote.broadlink", tv=TV)
    assert await presses(home, virtual_hub, YAML, HDMI) == "hdmi"


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_radio_is_followed_on_its_frequency(home: Home, virtual_hub: VirtualHub) -> None:
    await set_up(home.hass, "remote", entry(virtual_hub))
    await teach(home, "remote.broadlink", fan={"off": FAN.hex()})
    item = entry(virtual_hub, device="fan", frequency=433.92)
    await set_up(home.hass, "event", item)
    await virtual_hub.until(lambda: virtual_hub.receiver.asked_khz == 433920)
    await virtual_hub.press_when_listening(FAN)
    await home.wait_for("event.fan", lambda state: state.attributes.get("event_type") == "off")


async def test_a_removed_entity_listens_no_more(home: Home, virtual_hub: VirtualHub) -> None:
    await follow(home, virtual_hub)
    await virtual_hub.until(lambda: virtual_hub.receiver.listening == "ir")
    home.write({"remote": [entry(virtual_hub)]})
    await home.hass.services.async_call("irhub", "reload", blocking=True)
    assert virtual_hub.receiver.listening is None


async def test_indistinguishable_commands_are_ten_lines_and_a_count(
    home: Home, lounge: VirtualHub
) -> None:
    ours = await add(home.hass, lounge)
    packets = Codes()
    twins = {f"tv {n}": {"one": (code := packets.packet()), "two": code} for n in range(13)}
    many = {f"c{n:02}": HDMI.hex() for n in range(15)}
    await teach(home, "remote.lounge", **{"a wall": many}, **twins)
    dialogue = await (await configure(home.hass, ours)).choose("follow")
    first, *lines = dialogue.texts["alike"].split("\n- ")
    assert first.startswith("Commands that cannot be told apart")
    assert lines[0].startswith("a wall: c00 = c01 = ")
    assert lines[0].endswith("c09 = \N{HORIZONTAL ELLIPSIS}")
    assert {line.partition(": ")[2] for line in lines[1:10]} == {"one = two"}
    assert lines[10:] == ["\N{HORIZONTAL ELLIPSIS} and 4 more groups"]


async def test_a_box_in_the_dialogue(home: Home, lounge: VirtualHub) -> None:
    ours = await add(home.hass, lounge)
    await teach(home, "remote.lounge", tv={**TV, "on": HDMI.hex()}, fan={"off": FAN.hex()})
    dialogue = await (await configure(home.hass, ours)).choose("follow")
    assert dialogue.texts["alike"].endswith("first is fired:\n\n- tv: hdmi = on")
    await dialogue.submit(followed=["tv"])
    await until(lambda: lounge.receiver.listening == "ir")
    assert await presses(home, lounge, "event.tv_remote_control", POWER) == "power"

    await dialogue.wait(lambda: dialogue.type is FlowResultType.ABORT)
    assert dialogue.shown["reason"] == "finished"

    # Settings that are saved later do not end it.
    dialogue = await (await configure(home.hass, ours)).choose("settings")
    await dialogue.submit(timeout=2)
    assert ours.options == {"timeout": 2}

    # Renamed, the device is followed under its new name, by the same entity.
    await home.hass.async_block_till_done()
    await until(lambda: ours.runtime_data.hub.available)
    await home.hass.services.async_call(
        "irhub",
        "rename_code",
        {"entity_id": "remote.lounge", "device": "tv", "new_device": "television"},
        blocking=True,
    )
    await home.hass.async_block_till_done()
    assert await presses(home, lounge, "event.tv_remote_control", HDMI) == "hdmi"

    # Without its tick the entity goes, and the hub stops.
    dialogue = await (await configure(home.hass, ours)).choose("follow")
    await dialogue.submit(followed=[])
    await home.hass.async_block_till_done()
    assert er.async_get(home.hass).async_get("event.tv_remote_control") is None
    assert lounge.receiver.listening is None
