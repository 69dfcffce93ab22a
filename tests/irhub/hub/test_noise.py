"""Ambient infrared (lamps, motion sensors, cameras): heard by a hub, and told to nobody."""

import asyncio
from random import Random

from homeassistant.components import infrared
from homeassistant.components.infrared import InfraredReceivedSignal
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity_component import async_update_entity
import pytest

from custom_components.irhub.diagnostics import async_get_config_entry_diagnostics
from custom_components.irhub.entities.use import IrhubConfigEntry
from custom_components.irhub.hub import following as following_module, receiver, recent_signals
from custom_components.irhub.hub.arming import INFRARED
from custom_components.irhub.hub.following import Following
from custom_components.irhub.hub.receiver import Capture
from custom_components.irhub.hub.recent_signals import ONE_PRESS_S
from tests.home import until
from virtual_home.hub import VirtualHub
from virtual_home.hub.remote import noise

from ..dialogue import add, configure
from ..dialogues.remotes import begin, code_of_button, wait_for_button
from ..home import HDMI, POWER, commands, known

pytestmark = pytest.mark.usefixtures("quick_reading")

NOISES = [noise(Random(seed)) for seed in range(5)]
BROKEN = b"\x26\x00\x40\x00" + b"\x10" * 8
"""Of this packet most is missing."""
BROKEN = b"\x26\x00\x40\x00" + b"\x10" * 8
"""Of this packet most is missing."""


async def hear_noise(hub: VirtualHub, *packets: bytes) -> None:
    """Let a hub hear one capture after the other, each when it listens again."""
    for packet in packets:
        await hub.press_when_listening(packet)
    await hub.until(lambda: hub.receiver.listening == "ir")


async def counted(hass: HomeAssistant) -> int:
    """Return how many captures the diagnostics call noise."""
    [entry] = hass.config_entries.async_entries("irhub")
    report = await async_get_config_entry_diagnostics(hass, entry)
    count = report["hub"]["captures"]["noise"]
    assert isinstance(count, int)
    return count


@pytest.mark.usefixtures("entry")
async def test_a_command_is_what_the_button_says(hass: HomeAssistant, lounge: VirtualHub) -> None:
    learning = asyncio.create_task(
        hass.services.async_call(
            "remote",
            "learn_command",
            {"entity_id": "remote.lounge", "device": "tv", "command": ["power", "hdmi"]},
            blocking=True,
        )
    )
    for packet in (POWER, HDMI):
        for each in NOISES:
            await lounge.press_when_listening(each)
        await lounge.press_when_listening(packet)
    await learning
    assert {name: packets[0] for name, packets in commands(known(hass))["tv"].items()} == {
        "power": POWER,
        "hdmi": HDMI,
    }
    assert await counted(hass) == 2 * len(NOISES) + 1  # and the hub's own, at first


@pytest.mark.usefixtures("entry")
async def test_nothing_but_noise_is_no_signal(hass: HomeAssistant, lounge: VirtualHub) -> None:
    learning = asyncio.create_task(
        hass.services.async_call(
            "remote",
            "learn_command",
            {"entity_id": "remote.lounge", "device": "tv", "command": "power", "timeout": 2},
            blocking=True,
        )
    )
    await hear_noise(lounge, *NOISES[:2])
    with pytest.raises(HomeAssistantError, match="No signal was received"):
        await learning
    assert known(hass) == {}
    assert await counted(hass) == 3


async def test_the_buttons_of_a_remote_control_are_not_shifted(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    names = ["power", "mute", "home"]
    dialogue = await begin(hass, lounge, names=names)
    for number, name in enumerate(names):
        await wait_for_button(dialogue, name)
        for each in NOISES:
            await lounge.press_when_listening(each)
        await lounge.press_when_listening(code_of_button(number))
        await dialogue.arrive("ready" if name == "home" else "let_go")
    [entry] = hass.config_entries.async_entries("irhub")
    assert commands(entry.runtime_data.devices)["television"] == {
        name: [code_of_button(number)] for number, name in enumerate(names)
    }


async def test_noise_is_not_shown_not_followed_and_not_passed_on(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    ours = entry.runtime_data.own_hub
    signals: list[InfraredReceivedSignal] = []
    end = infrared.async_subscribe_receiver(hass, "infrared.lounge_receiver", signals.append)
    pressed: list[object] = []
    following: Following[str] = Following(ours, None, "tv", pressed.append)
    # even where a command was learned from noise before
    await following.follow(lambda: [("noise", NOISES[0])])
    await hear_noise(lounge, *NOISES)
    dialogue = await (await configure(hass, entry)).choose("last_heard")
    await hear_noise(lounge, NOISES[0])
    assert dialogue.shown["menu_options"] == ["last_heard", "init"]
    assert not ours.receiver.remembered
    assert (signals, pressed) == ([], [])
    assert await counted(hass) == len(NOISES) + 2
    await lounge.press_when_listening(HDMI)
    await until(lambda: len(signals) == 1)
    assert len(ours.receiver.remembered) == 1
    following.end()
    end()


async def test_noise_does_not_make_two_presses_of_a_button_held_down(
    lounge: VirtualHub, entry: IrhubConfigEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    pressed: list[object] = []
    held: list[int] = []
    following: Following[str] = Following(
        entry.runtime_data.own_hub,
        None,
        "tv",
        pressed.append,
        lambda _, count: held.append(count),
    )
    await following.follow(lambda: [("hdmi", HDMI)])
    await hear_noise(lounge)
    with monkeypatch.context() as patch:  # a busy machine may take longer from frame to frame
        for module in (following_module, receiver, recent_signals):
            patch.setattr(module, "ONE_PRESS_S", 60)
        for each in NOISES:
            await lounge.press_when_listening(HDMI)
            await lounge.press_when_listening(each)  # in the moment in which it listens again
        await lounge.press_when_listening(HDMI)
        await until(lambda: len(held) == len(NOISES))
    assert pressed == [["hdmi"]]
    assert len(entry.runtime_data.own_hub.receiver.remembered) == 1
    await asyncio.sleep(ONE_PRESS_S)
    await lounge.press_when_listening(HDMI)
    await until(lambda: len(pressed) == 2)
    following.end()


async def test_diagnostic_sensors_count_what_was_captured(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    """They are there for those who enable them: presses, noise, and what cannot be read."""
    registry = er.async_get(hass)
    names = ["presses_received", "ambient_infrared_received", "unreadable_signals_received"]
    sensors = [f"sensor.lounge_{name}" for name in names]

    def shown() -> list[str]:
        return [state.state for sensor in sensors if (state := hass.states.get(sensor))]

    entry = await add(hass, lounge)
    assert not shown()
    for sensor in sensors:
        registered = registry.async_get(sensor)
        assert registered is not None
        assert registered.disabled_by is er.RegistryEntryDisabler.INTEGRATION
        assert registered.entity_category is EntityCategory.DIAGNOSTIC
        registry.async_update_entity(sensor, disabled_by=None)
    await hass.config_entries.async_reload(entry.entry_id)
    await until(lambda: len(shown()) == len(sensors))
    ours = entry.runtime_data.own_hub
    end = ours.receiver.async_subscribe(INFRARED, lambda _packet: None, listener="a test")
    await hear_noise(lounge, *NOISES[:2], BROKEN, POWER)
    await until(lambda: ours.receiver.counts[Capture.PRESS])
    for sensor in sensors:
        await async_update_entity(hass, sensor)
    assert shown() == ["1", "3", "1"]  # the hub's own noise, at first, among them
    end()
