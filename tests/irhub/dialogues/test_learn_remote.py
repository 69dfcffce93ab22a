"""Learning a whole remote control in the dialogue."""

import asyncio

from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
import pytest

from custom_components.irhub.dialogues import form, listening
from custom_components.irhub.entities.use import IrhubConfigEntry
from tests.home import until
from virtual_home.hub import VirtualHub

from ..buttons import buttons, learn
from ..dialogue import add
from ..home import FAN, NEC, RC5, RF, commands
from .appliances import act, begin as begin_appliance, change, finish
from .remotes import TELEVISION, begin, code_of_button, wait_for_button

pytestmark = pytest.mark.usefixtures("no_double_clicks")


@pytest.fixture
def model() -> str:
    """Return the model of the hub of these tests."""
    return "rm_mini"


def learned(hass: HomeAssistant) -> dict[str, int]:
    """Return what was learned for the television, and by how many codes."""
    [entry] = hass.config_entries.async_entries("irhub")
    learned = commands(entry.runtime_data.devices).get("television", {})
    return {name: len(packets) for name, packets in learned.items()}


async def test_buttons_are_learned_one_after_the_other(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    dialogue = await (await begin_appliance(hass, entry, "television")).choose("learn_remote")
    assert [*dialogue.fields] == ["name", "buttons", "alternative"]
    assert dialogue.suggested == {"name": "Television", "buttons": TELEVISION}
    await dialogue.submit(name=" television ", buttons=TELEVISION[:3])
    assert dialogue.type is FlowResultType.SHOW_PROGRESS
    for number, name in enumerate(TELEVISION[:3]):
        await wait_for_button(dialogue, name)
        assert dialogue.texts["place"] == f"{number + 1}/3"
        assert dialogue.texts["seconds"] == "20"
        await lounge.press_when_listening(code_of_button(number))
        await dialogue.arrive("ready" if number == 2 else "let_go")
    assert dialogue.texts["found"] == "- Power, Volume up, Volume down"
    assert learned(hass) == dict.fromkeys(TELEVISION[:3], 1)
    await finish(hass, dialogue, "media_player.television")
    assert buttons(hass) == {}


async def test_a_button_is_skipped_and_learned_again(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    dialogue = await begin(hass, lounge, names=["power", "mute", "ok"])
    await dialogue.arrive("press")
    assert "back" not in dialogue.shown["menu_options"]
    await dialogue.choose("skip")
    assert dialogue.texts["command"] == "mute"
    await lounge.press_when_listening(code_of_button(1))
    await dialogue.arrive("let_go")
    await wait_for_button(dialogue, "ok")
    assert dialogue.texts["heard"].startswith("✓ mute · IR · ")
    await dialogue.choose("back")
    assert dialogue.texts["command"] == "mute"
    await lounge.press_when_listening(code_of_button(2))
    await dialogue.arrive("let_go")
    assert dialogue.texts["command"] == "ok"
    await dialogue.choose("learned")
    assert dialogue.step == "ready"
    assert dialogue.texts["note"] == "Not learned: ok, power"
    await until(lambda: lounge.count("cancel") == 1)
    await dialogue.submit(then="try_it")
    await dialogue.submit(command="mute")
    assert dialogue.texts["note"] == "mute was sent. Did it react?"
    assert lounge.transmitted == [code_of_button(2)]

    await dialogue.submit(then="learn_remote")
    assert "name" not in dialogue.fields
    assert "power" in dialogue.suggested["buttons"]
    assert "mute" not in dialogue.suggested["buttons"]
    await dialogue.submit(buttons=["power", "ok"])
    for number in (3, 4):
        await dialogue.arrive("press")
        await lounge.press_when_listening(code_of_button(number))
        await dialogue.refresh()
    await dialogue.arrive("ready")
    assert learned(hass) == {"power": 1, "mute": 1, "ok": 1}


async def test_a_double_click_skips_a_single_button(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, lounge: VirtualHub
) -> None:
    monkeypatch.undo()
    dialogue = await begin(hass, lounge, names=["power", "mute", "ok"])
    await dialogue.arrive("press")
    await dialogue.choose("skip")
    await dialogue.choose("skip")
    assert dialogue.texts["command"] == "mute"
    await asyncio.sleep(form.DOUBLE_CLICK_S)
    await dialogue.choose("skip")
    assert dialogue.texts["command"] == "ok"


async def test_a_held_button_is_not_learned_as_the_next(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    dialogue = await begin(hass, lounge, names=["power", "mute"])
    await dialogue.arrive("press")
    for _ in range(2):
        await lounge.press_when_listening(code_of_button(1))
    await dialogue.arrive("press_other")
    assert dialogue.texts["repeated"] == "power"
    assert dialogue.texts["command"] == "mute"
    await lounge.press_when_listening(code_of_button(2))
    await dialogue.arrive("ready")
    assert learned(hass) == {"power": 1, "mute": 1}


async def test_more_buttons_are_learned_later(hass: HomeAssistant, lounge: VirtualHub) -> None:
    dialogue = await begin(hass, lounge, names=["power"])
    await dialogue.arrive("press")
    await lounge.press_when_listening(code_of_button(1))
    await dialogue.arrive("ready")
    await finish(hass, dialogue, "media_player.television")
    [entry] = hass.config_entries.async_entries("irhub")

    dialogue = await change(hass, entry)
    await dialogue.submit(then="learn_remote")
    assert [*dialogue.suggested["buttons"]] == TELEVISION[1:]
    await dialogue.submit(buttons=["mute", "teletext"])
    await dialogue.arrive("press")
    await lounge.press_when_listening(code_of_button(2))
    await wait_for_button(dialogue, "teletext")
    await lounge.press_when_listening(code_of_button(3))
    await dialogue.arrive("ready")
    await dialogue.submit(then="finish")
    assert dialogue.shown["reason"] == "reconfigure_successful"
    await until(lambda: hass.states.get("button.television_teletext") is not None)
    await hass.async_block_till_done()
    await act(
        hass,
        "media_player",
        "volume_mute",
        entity_id="media_player.television",
        is_volume_muted=True,
    )
    assert lounge.transmitted == [code_of_button(2)]


async def test_a_name_that_is_taken_gets_a_number(hass: HomeAssistant, lounge: VirtualHub) -> None:
    dialogue = await begin(hass, lounge, names=["power"])
    await dialogue.arrive("press")
    await lounge.press_when_listening(code_of_button(1))
    await dialogue.arrive("ready")
    await finish(hass, dialogue, "media_player.television")
    dialogue = await begin(hass, lounge, names=["power"])
    await dialogue.arrive("press")
    assert dialogue.texts["device"] == "television 2"
    await lounge.press_when_listening(code_of_button(2))
    await dialogue.arrive("ready")
    await finish(hass, dialogue, "media_player.television_2")


async def test_alternating_commands_are_learned(hass: HomeAssistant, lounge: VirtualHub) -> None:
    dialogue = await begin(hass, lounge, names=["power", "mute"], alternative=True)
    await dialogue.arrive("press")
    await lounge.press_when_listening(code_of_button(1))
    await dialogue.arrive("second")
    await lounge.press_when_listening(code_of_button(2))
    await wait_for_button(dialogue, "mute")
    for _ in range(2):
        await lounge.press_when_listening(code_of_button(3))
    await dialogue.arrive("ready")
    assert learned(hass) == {"power": 2, "mute": 1}


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_the_frequency_is_searched_once(hass: HomeAssistant, lounge: VirtualHub) -> None:
    dialogue = await begin(hass, lounge, names=["on", "off"], command_type="rf")
    await dialogue.arrive("hold")
    await lounge.until(lambda: lounge.receiver.hold(433.92))
    await dialogue.arrive("again")
    await lounge.press_when_listening(FAN)
    await dialogue.arrive("press")
    assert "RF · 433.92 MHz" in dialogue.texts["heard"]
    other = bytearray(FAN)
    other[20] ^= 0x30
    await lounge.press_when_listening(bytes(other))
    await dialogue.arrive("ready")
    assert lounge.count("sweep") == 1
    assert learned(hass) == {"on": 1, "off": 1}


async def test_learning_without_a_press_can_be_resumed(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, lounge: VirtualHub
) -> None:
    monkeypatch.setattr(listening, "LEARN_WINDOW_S", 0.2)
    dialogue = await begin(hass, lounge, names=["power", "mute"])
    await dialogue.arrive("stopped")
    assert "No signal was received" in dialogue.texts["problem"]
    assert not dialogue.texts["kept"], "nothing was heard"
    monkeypatch.undo()
    await dialogue.choose("hear_on")
    await wait_for_button(dialogue, "power")
    await lounge.press_when_listening(code_of_button(1))
    await wait_for_button(dialogue, "mute")


async def test_a_closed_dialogue_ends_learning_on_the_device(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    dialogue = await begin(hass, lounge)
    await dialogue.arrive("press")
    hass.config_entries.subentries.async_abort(dialogue.shown["flow_id"])
    await until(lambda: lounge.count("cancel") == 1)
    [entry] = hass.config_entries.async_entries("irhub")
    await until(lambda: not entry.runtime_data.own_hub.receiver.learning)


async def test_a_reload_of_the_hub_ends_learning(hass: HomeAssistant, lounge: VirtualHub) -> None:
    dialogue = await begin(hass, lounge, names=["power", "mute"])
    await dialogue.arrive("press")
    await lounge.press_when_listening(code_of_button(1))
    await wait_for_button(dialogue, "mute")
    [entry] = hass.config_entries.async_entries("irhub")
    await hass.config_entries.async_reload(entry.entry_id)
    await dialogue.arrive("stopped")
    assert "was closed" in dialogue.texts["problem"]
    assert dialogue.texts["kept"] == "Earlier presses are kept."


async def test_the_speeds_of_a_fan_are_listed_from_the_slowest_and_more_are_offered(
    hass: HomeAssistant,
    lounge: VirtualHub,
    entry: IrhubConfigEntry,
) -> None:
    dialogue = await (await begin_appliance(hass, entry, "fan")).choose("learn_remote")
    offered = dialogue.fields["buttons"].config["options"]
    assert {"speed 4", "speed 5", "direction", "off"} <= {*offered}
    names = ["power", "speed 1", "speed 2", "speed 3", "direction"]
    await dialogue.submit(name="fan", buttons=names)
    for number, name in enumerate(names):
        await wait_for_button(dialogue, name)
        await lounge.press_when_listening(code_of_button(number))
    await dialogue.arrive("ready")
    found = "- Power, Direction\n- Speed: speed 1, speed 2, speed 3"
    assert dialogue.texts["found"] == found.replace("speed ", "")


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_a_radio_device_is_offered_no_infrared_emitter(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    await learn(hass, blind={"open": RF, "close": RF}, screen={"open": RC5, "stop": RF})
    for device, offers in (("blind", False), ("screen", True)):
        dialogue = await (await begin_appliance(hass, entry, "cover")).choose("commands")
        await dialogue.submit(device=device)
        assert ("emitter" in dialogue.folded) is offers, device


@pytest.mark.parametrize(("kind", "shown"), [("television", "Channel up"), ("player", "Next")])
async def test_a_television_has_channels_and_a_player_tracks(
    hass: HomeAssistant, kind: str, shown: str, entry: IrhubConfigEntry
) -> None:
    await learn(hass, box={"power": NEC, "next": RC5})
    dialogue = await (await begin_appliance(hass, entry, kind)).choose("commands")
    await dialogue.submit(device="box")
    assert dialogue.texts["found"] == f"- Power, {shown}"


async def test_missing_answers_are_named_and_an_empty_list_leads_back(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    dialogue = await (await begin_appliance(hass, entry, "other")).choose("learn_remote")
    assert dialogue.suggested == {"name": "Something else", "buttons": []}
    await dialogue.submit(name=" ", buttons=["open"])
    assert "name is empty" in dialogue.error
    await dialogue.submit(name="gate")
    assert dialogue.step == "how"


async def test_buttons_are_named_in_the_language_of_the_home(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    hass.config.language = "de"
    entry = await add(hass, lounge)
    dialogue = await (await begin_appliance(hass, entry, "receiver")).choose("learn_remote")
    names = ["Ein/Aus", "Lauter", "Leiser", "Stumm", "Quelle"]
    assert dialogue.suggested["buttons"] == names
    await dialogue.submit(name="television", buttons=names[:1])
    await wait_for_button(dialogue, "Ein/Aus")
    await lounge.press_when_listening(code_of_button(1))
    await dialogue.arrive("ready")
    assert learned(hass) == {"Ein/Aus": 1}
