"""Learned here, sent there: another integration's emitter in place of the hub."""

import asyncio
from dataclasses import replace
from pathlib import Path
import sys
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
import pytest

from custom_components.irhub.hub import recent_signals
from custom_components.irhub.ircodes import from_timings, parse_text, to_base64, to_timings
from tests.home import until
from virtual_home.hub import VirtualHub

from ..buttons import REMOTE, act, learn, press
from ..dialogue import add, configure
from ..dialogues.appliances import change
from ..home import FAN, HDMI, NEC, POWER, RC5, RF, entry as yaml_entry, known, our_hub, set_up
from ..infrared_entities import EMITTER, Blaster
from ..yaml.configuration import configure as write_yaml, item, reload, start

POWER_BUTTON = "button.tv_power"
ATTIC = "infrared.attic_infrared"


@pytest.fixture
def emitter(absent_blaster: Blaster) -> Blaster:
    """Return the emitter of core's demonstration, which is not there yet."""
    return absent_blaster


async def transmit_through(
    hass: HomeAssistant, emitters: dict[str, str], *, events: bool = False
) -> None:
    """Say what transmits the commands of devices, as their dialogue does."""
    for name, emitter in emitters.items():
        device = known(hass).named(name)
        settings = replace(device.settings, emitter=emitter, events=events)
        await known(hass).put(replace(device, settings=settings))
    await hass.async_block_till_done()


def packets(*sent: bytes) -> list[bytes]:
    """Return packets as an emitter's timings give them back."""
    return [from_timings(to_timings(packet)) for packet in sent]


async def test_buttons_and_actions_of_a_device(
    hass: HomeAssistant, emitter: Blaster, lounge: VirtualHub
) -> None:
    await emitter.begin()
    ours = await add(hass, lounge)
    await learn(hass, tv={"power": [RC5, NEC], "fan": RF}, radio={"on": NEC})
    dialogue = await (await configure(hass, ours)).choose("emitter")
    await dialogue.submit(device="tv")
    assert dialogue.step == "which_emitter"
    await dialogue.submit(emitter=[EMITTER])
    await hass.async_block_till_done()
    await until(lambda: ours.runtime_data.hub.available)

    await press(hass, POWER_BUTTON)
    device = {"device": "tv", "command": ["power"]}
    await hass.services.async_call(
        "remote", "send_command", {"entity_id": REMOTE, **device}, blocking=True
    )
    sent: Any = await hass.services.async_call(
        "irhub",
        "send",
        {"hub": REMOTE, "device": "tv", "command": ["power", "power"]},
        blocking=True,
        return_response=True,
    )
    # They alternate together, wherever they are sent.
    assert emitter.heard == packets(POWER, HDMI, POWER, HDMI)
    assert [parse_text(each["base64"]) for each in sent["packets"]] == [POWER, HDMI]
    assert lounge.transmitted == []

    # Another device's are the hub's, and so are packets that are nobody's.
    await press(hass, "button.radio_on")
    await hass.services.async_call(
        "remote", "send_command", {"entity_id": REMOTE, "command": f"b64:{RC5}"}, blocking=True
    )
    assert lounge.transmitted == [HDMI, POWER]
    with pytest.raises(ServiceValidationError, match="a radio command goes through the hub"):
        await press(hass, "button.tv_fan")

    # It may be tried; settings that are saved later do not end it; the form shows it.
    dialogue = await (await configure(hass, ours)).choose("try_command")
    await (await dialogue.submit(device="tv")).submit(command="power")
    assert dialogue.step == "tried"
    assert emitter.heard[4:] == packets(POWER)
    await (await (await configure(hass, ours)).choose("settings")).submit(timeout=2)
    assert ours.options == {"timeout": 2}
    await hass.async_block_till_done()

    dialogue = await (await configure(hass, ours)).choose("emitter")
    await (await dialogue.submit(device="tv")).submit()
    await hass.async_block_till_done()
    await until(lambda: ours.runtime_data.hub.available)
    await press(hass, POWER_BUTTON)
    assert lounge.transmitted[2:] == [HDMI]


async def test_it_is_there_as_long_as_the_emitter_is(
    hass: HomeAssistant, emitter: Blaster, lounge: VirtualHub
) -> None:
    await emitter.begin()
    ours = await add(hass, lounge)
    await learn(hass, tv={"power": RC5})
    await transmit_through(hass, {"tv": EMITTER})
    # Not the hub that learned it.
    lounge.faults.silent = True
    await ours.runtime_data.own_hub.connection.disconnect()
    await until(lambda: hass.states.is_state(REMOTE, "unavailable"))
    await press(hass, POWER_BUTTON)
    assert emitter.heard == packets(POWER)

    await emitter.end()
    assert hass.states.is_state(POWER_BUTTON, "unavailable")
    call = {"hub": REMOTE, "device": "tv", "command": "power"}
    with pytest.raises(HomeAssistantError, match=rf"{EMITTER} did not transmit: .*not found"):
        await hass.services.async_call("irhub", "send", call, blocking=True)
    dialogue = await (await configure(hass, ours)).choose("try_command")
    await dialogue.submit(command="power")
    assert f"{EMITTER} did not transmit" in dialogue.error

    await emitter.begin()
    await press(hass, POWER_BUTTON)
    assert emitter.heard == packets(POWER, POWER)


async def test_a_renamed_device_keeps_its_emitter(
    hass: HomeAssistant, emitter: Blaster, lounge: VirtualHub
) -> None:
    await emitter.begin()
    await add(hass, lounge)
    await learn(hass, tv={"power": RC5})
    await transmit_through(hass, {"tv": EMITTER})
    await act(hass, "rename_code", device="tv", new_device="television")
    await press(hass, POWER_BUTTON)
    assert emitter.heard == packets(POWER)
    # A command that leaves it alone is the hub's again.
    await learn(hass, television={"mute": NEC})
    await act(hass, "rename_code", device="television", command="mute", new_device="radio")
    await press(hass, "button.television_mute")
    assert lounge.transmitted == [HDMI]


async def test_a_command_that_moves_to_another_device_uses_its_emitter(
    hass: HomeAssistant, emitter: Blaster, lounge: VirtualHub
) -> None:
    await emitter.begin()
    own = "infrared.lounge_infrared"
    await add(hass, lounge)
    await learn(hass, tv={"power": RC5}, radio={"mute": NEC})
    await transmit_through(hass, {"radio": own, "tv": EMITTER})
    await act(hass, "rename_code", device="tv", command="power", new_device="radio")
    await press(hass, POWER_BUTTON)
    assert lounge.transmitted == packets(POWER)


async def test_an_appliances_emitter_is_that_of_its_device(
    hass: HomeAssistant, emitter: Blaster, lounge: VirtualHub
) -> None:
    await emitter.begin()
    ours = await add(hass, lounge)
    await learn(hass, tv={"power": RC5, "mute": NEC, "red": NEC})
    await transmit_through(hass, {"tv": EMITTER})
    flows = hass.config_entries.subentries
    shown = await flows.async_init((ours.entry_id, "appliance"), context={"source": "user"})

    async def answer(**answers: object) -> None:
        nonlocal shown
        shown = await flows.async_configure(shown["flow_id"], answers)

    await answer(next_step_id="television")
    await answer(next_step_id="commands")
    await answer(device="tv")
    schema = shown["data_schema"]
    assert schema is not None
    suggested = {
        str(key): key.description["suggested_value"]
        for key in schema.schema["more"].schema.schema
        if key.description
    }
    assert suggested["emitter"] == [EMITTER]
    await answer(more={"buttons": "all", "emitter": [EMITTER]}, then="finish")
    await hass.async_block_till_done()
    await until(lambda: ours.runtime_data.hub.available)
    await press(hass, "button.tv_red")
    await hass.services.async_call(
        "media_player", "turn_on", {"entity_id": "media_player.tv"}, blocking=True
    )
    assert emitter.heard == packets(HDMI, POWER)

    # Its page is the one place where that is set.
    assert "emitter" not in (await configure(hass, ours)).shown["menu_options"]
    dialogue = await change(hass, ours)
    assert dialogue.suggested["more"]["emitter"] == [EMITTER]
    await dialogue.submit(more={"buttons": "all"}, then="finish")
    await hass.async_block_till_done()
    await until(lambda: ours.runtime_data.hub.available)
    await press(hass, "button.tv_red")
    await hass.services.async_call(
        "media_player",
        "volume_mute",
        {"entity_id": "media_player.tv", "is_volume_muted": True},
        blocking=True,
    )
    assert lounge.transmitted == [HDMI, HDMI]


async def test_what_it_transmits_is_no_press_of_a_remote_control(
    hass: HomeAssistant, emitter: Blaster, lounge: VirtualHub
) -> None:
    await emitter.begin()
    ours = await add(hass, lounge)
    await learn(hass, tv={"power": RC5, "mute": NEC})
    await transmit_through(hass, {"tv": EMITTER}, events=True)
    await hass.config_entries.async_reload(ours.entry_id)
    await lounge.until(lambda: lounge.receiver.listening == "ir")
    await press(hass, POWER_BUTTON)
    await lounge.press_when_listening(emitter.heard[0])
    await lounge.press_when_listening(HDMI)

    def event_type() -> object:
        state = hass.states.get("event.tv_remote_control")
        return state and state.attributes["event_type"]

    await until(event_type)
    assert event_type() == "mute"


async def test_what_it_transmits_late_is_no_press_either(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, lounge: VirtualHub, attic: VirtualHub
) -> None:
    monkeypatch.setattr(recent_signals, "ECHO_S", 0.3)
    await add(hass, attic)
    ours = await add(hass, lounge)
    await learn(hass, tv={"power": NEC})
    await transmit_through(hass, {"tv": ATTIC}, events=True)
    await hass.config_entries.async_reload(ours.entry_id)
    await lounge.until(lambda: lounge.receiver.listening == "ir")
    attic.faults.slow = 0.6
    await press(hass, POWER_BUTTON)
    listener = ours.runtime_data.hub
    assert {*listener.recent_signals.echoes(listener.settings.mac)} == {*attic.transmitted}
    await until(lambda: not [*listener.recent_signals.echoes(listener.settings.mac)])


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_in_yaml(hass: HomeAssistant, emitter: Blaster, virtual_hub: VirtualHub) -> None:
    await set_up(hass, "button", yaml_entry(virtual_hub))
    await set_up(hass, "remote", yaml_entry(virtual_hub, emitters={"tv": EMITTER}))
    await until(lambda: our_hub(hass, virtual_hub).available)
    await hass.services.async_call(
        "irhub",
        "import_codes",
        {"entity_id": "remote.broadlink", "codes": {"tv": {"power": RC5}, "fan": {"off": RF}}},
        blocking=True,
    )
    await emitter.begin()
    await press(hass, POWER_BUTTON)
    await press(hass, "button.fan_off")
    assert emitter.heard == packets(POWER)
    assert virtual_hub.transmitted == [FAN]


async def test_a_packet_that_ends_with_a_mark_is_repeated_after_a_pause(
    hass: HomeAssistant, emitter: Blaster, lounge: VirtualHub
) -> None:
    await emitter.begin()
    await add(hass, lounge)
    mark, space = 985, -1970
    await learn(hass, tv={"power": to_base64(from_timings([mark, space, mark], repeats=1))})
    await transmit_through(hass, {"tv": EMITTER})
    await press(hass, POWER_BUTTON)
    once = [mark, space, mark]
    assert emitter.heard == [from_timings([*once, -40_000, *once])]


async def test_two_at_once_take_turns(
    hass: HomeAssistant, lounge: VirtualHub, attic: VirtualHub
) -> None:
    """Another hub as the emitter: it answers only after a while."""
    await add(hass, attic)
    await add(hass, lounge)
    await learn(hass, tv={"power": [RC5, NEC]})
    await transmit_through(hass, {"tv": ATTIC})
    attic.faults.slow = 0.1
    await asyncio.gather(*(press(hass, POWER_BUTTON) for _ in range(3)))
    assert attic.transmitted == packets(POWER, HDMI, POWER)
    assert lounge.transmitted == []


@pytest.mark.usefixtures("entry")
async def test_a_hub_may_be_its_own_emitter(hass: HomeAssistant, lounge: VirtualHub) -> None:
    await learn(hass, tv={"power": [RC5, NEC]})
    await transmit_through(hass, {"tv": "infrared.lounge_infrared"}, events=True)
    await asyncio.gather(*(press(hass, POWER_BUTTON) for _ in range(3)))
    assert lounge.transmitted == packets(POWER, HDMI, POWER)


async def test_emitters_that_yaml_no_longer_names(
    hass: HomeAssistant, config_dir: Path, lounge: VirtualHub
) -> None:
    await start(hass, config_dir, "remote:", item(lounge, f"emitters: {{tv: {EMITTER}}}"))
    await add(hass, lounge)
    taught = {"entity_id": "remote.broadlink", "codes": {"tv": {"power": RC5}}}
    await hass.services.async_call("irhub", "import_codes", taught, blocking=True)
    await hass.async_block_till_done()
    assert hass.states.is_state(POWER_BUTTON, "unavailable")

    write_yaml(config_dir, "remote:", item(lounge))
    await reload(hass)
    await until(lambda: hass.states.is_state(POWER_BUTTON, "unknown"))
    await press(hass, POWER_BUTTON)
    assert lounge.transmitted == [POWER]


async def test_without_cores_platform_an_emitter_is_missed(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, virtual_hub: VirtualHub
) -> None:
    """It needs a library that is not always there."""
    monkeypatch.delitem(sys.modules, "custom_components.irhub.hub.emitter", raising=False)
    monkeypatch.setitem(sys.modules, "homeassistant.components.infrared", None)
    await set_up(hass, "remote", yaml_entry(virtual_hub, emitters={"tv": EMITTER}))
    await until(lambda: our_hub(hass, virtual_hub).available)
    taught = {"entity_id": "remote.broadlink", "codes": {"tv": {"power": RC5}}}
    await hass.services.async_call("irhub", "import_codes", taught, blocking=True)
    call = {"hub": "remote.broadlink", "device": "tv", "command": "power"}
    with pytest.raises(ServiceValidationError, match=f"has no infrared emitter {EMITTER}"):
        await hass.services.async_call("irhub", "send", call, blocking=True)
    assert virtual_hub.transmitted == []


async def test_several_emitters_transmit_in_turn(
    hass: HomeAssistant, emitter: Blaster, lounge: VirtualHub
) -> None:
    """Two emitters and the hub itself; the file of an older version reads the first."""
    await emitter.begin()
    ours = await add(hass, lounge)
    await learn(hass, tv={"power": [RC5, NEC]})
    dialogue = await (await configure(hass, ours)).choose("emitter")
    await dialogue.submit(emitter=[EMITTER, "infrared.lounge_infrared", EMITTER])
    await hass.async_block_till_done()
    settings = known(hass).named("tv").settings
    assert (settings.emitter, settings.more_emitters) == (
        EMITTER,
        ("infrared.lounge_infrared",),
    )
    await press(hass, POWER_BUTTON)
    await press(hass, POWER_BUTTON)
    assert emitter.heard == packets(POWER, HDMI)  # they alternate together
    assert lounge.transmitted == packets(POWER, HDMI)
    dialogue = await (await configure(hass, ours)).choose("emitter")
    assert dialogue.suggested["emitter"] == [EMITTER, "infrared.lounge_infrared"]


async def test_an_emitter_that_fails_is_named_and_the_others_go_on(
    hass: HomeAssistant, emitter: Blaster, caplog: pytest.LogCaptureFixture, lounge: VirtualHub
) -> None:
    await emitter.begin()
    await add(hass, lounge)
    await learn(hass, tv={"power": RC5})
    device = known(hass).named("tv")
    both = device.settings.with_emitters([EMITTER, "infrared.lounge_infrared"])
    await known(hass).put(replace(device, settings=both))
    await emitter.end()
    await hass.async_block_till_done()
    assert not hass.states.is_state(POWER_BUTTON, "unavailable")
    await press(hass, POWER_BUTTON)
    await press(hass, POWER_BUTTON)
    assert lounge.transmitted == packets(POWER, POWER)
    logged = [record for record in caplog.records if "did not transmit" in record.getMessage()]
    assert [record.levelname for record in logged].count("WARNING") == 1
    assert EMITTER in logged[0].getMessage()
    # All of them fail: the action says so.
    lounge.faults.silent = True
    with pytest.raises(HomeAssistantError, match="did not transmit"):
        await press(hass, POWER_BUTTON)


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_several_emitters_in_yaml(
    hass: HomeAssistant, emitter: Blaster, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "infrared", yaml_entry(virtual_hub, name="Attic"))
    emitters = {"tv": [EMITTER, "infrared.attic"]}
    await set_up(hass, "remote", yaml_entry(virtual_hub, emitters=emitters))
    await until(lambda: our_hub(hass, virtual_hub).available)
    await emitter.begin()
    taught = {"entity_id": "remote.broadlink", "codes": {"tv": {"power": RC5}}}
    await hass.services.async_call("irhub", "import_codes", taught, blocking=True)
    call = {"hub": "remote.broadlink", "device": "tv", "command": "power"}
    await hass.services.async_call("irhub", "send", call, blocking=True)
    assert emitter.heard == packets(POWER)
    assert virtual_hub.transmitted == packets(POWER)
