"""The last presses that a hub heard: on a page, as a command, in the diagnostics."""

from homeassistant.core import HomeAssistant
import pytest

from benchmarks.virtual_remotes import VirtualRemote
from custom_components.irhub.diagnostics import async_get_config_entry_diagnostics
from custom_components.irhub.entities.use import IrhubConfigEntry
from custom_components.irhub.ircodes import OFF, State, encode
from tests.home import until
from virtual_home.hub import VirtualHub

from ..devices.taught import CONTROL, taught
from ..dialogue import Dialogue, configure
from ..home import HDMI, commands, known


def nec(number: int) -> bytes:
    packet = encode("NEC", address=0x20, command=number)
    assert packet is not None
    return packet


async def receive(hass: HomeAssistant, hub: VirtualHub, *packets: bytes) -> Dialogue:
    """Open the dialogue, press buttons, and look."""
    await hass.services.async_call(
        "irhub",
        "import_codes",
        {"entity_id": "remote.lounge", "codes": {"tv": {"hdmi": HDMI.hex()}}},
        blocking=True,
    )
    entry = hass.config_entries.async_entries("irhub")[0]
    dialogue = await (await configure(hass, entry)).choose("last_heard")
    assert dialogue.shown["menu_options"] == ["last_heard", "init"]
    for packet in packets:
        await hub.press_when_listening(packet)
    await hub.until(lambda: hub.receiver.listening == "ir")
    return await dialogue.choose("last_heard")


async def test_presses_are_shown_with_their_meaning_and_their_device(
    hass: HomeAssistant,
    lounge: VirtualHub,
    entry: IrhubConfigEntry,
) -> None:
    dialogue = await receive(hass, lounge, HDMI, HDMI, nec(7))
    unknown, hdmi = dialogue.texts["heard"].splitlines()
    assert "tv: hdmi" in hdmi
    assert hdmi.endswith("2 x")
    assert " · ? · IR · NEC" in unknown
    diagnostics = (await async_get_config_entry_diagnostics(hass, entry))["last_heard"]
    assert [press["commands"] for press in diagnostics] == [[], ["tv: hdmi"]]
    assert [press["times"] for press in diagnostics] == [1, 2]
    assert HDMI.hex() not in str(diagnostics)


async def test_a_press_of_an_air_conditioner_is_shown_as_the_state_that_it_sets(
    hass: HomeAssistant,
    lounge: VirtualHub,
    entry: IrhubConfigEntry,
) -> None:
    """The protocol of the table says it, without a device that has it."""
    state = State(mode="cool", preset="none", fan="low", swing="off", temperature=24.0)
    packet = VirtualRemote("GREE").packet(state)
    dialogue = await receive(hass, lounge, packet)
    [line] = dialogue.texts["heard"].splitlines()
    assert " · GREE (" in line
    assert "): Cool, 24 °C, Fan mode: Medium" in line
    [diagnostics] = (await async_get_config_entry_diagnostics(hass, entry))["last_heard"]
    assert diagnostics["known"].startswith("GREE (")
    assert diagnostics["known"].endswith("): cool · medium · off · 24°C")


async def test_a_press_of_a_taught_air_conditioner_is_shown_as_its_state(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    await entry.runtime_data.devices.put(taught())
    state = State(mode="heat", fan="medium", temperature=19.5)
    dialogue = await receive(hass, lounge, CONTROL.packet(OFF), CONTROL.packet(state, 40, 90))
    heat, off = dialogue.texts["heard"].splitlines()
    assert f" · {taught().name}: Off · IR · " in off
    assert f" · {taught().name}: Heat, 19.5°, Fan mode: Medium · IR · " in heat


@pytest.mark.usefixtures("entry")
async def test_a_press_is_stored_as_a_command(hass: HomeAssistant, lounge: VirtualHub) -> None:
    packet = nec(7)
    dialogue = await (await receive(hass, lounge, packet)).choose("keep_heard")
    assert "list" in (await dialogue.submit(device="tv", command="mute")).error
    assert "empty" in (await dialogue.submit(press="0", device="tv")).error
    taken = await dialogue.submit(press="0", device="tv", command="hdmi")
    assert "already: hdmi" in taken.error
    await dialogue.submit(press="0", device="tv", command="mute")
    assert dialogue.step == "kept_heard"
    assert dialogue.texts == {"device": "tv", "command": "mute", "problem": ""}
    assert commands(known(hass)) == {"tv": {"hdmi": [HDMI], "mute": [packet]}}
    await dialogue.choose("last_heard")
    assert "tv: mute" in dialogue.texts["heard"]
    await (await dialogue.choose("keep_heard")).submit()
    assert dialogue.step == "last_heard"


async def test_the_hub_listens_only_while_the_dialogue_is_open(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    dialogue = await receive(hass, lounge, HDMI)
    await until(lambda: entry.runtime_data.own_hub.receiver.listens_for)
    hass.config_entries.options.async_abort(dialogue.shown["flow_id"])
    await lounge.until(lambda: lounge.receiver.listening is None)
