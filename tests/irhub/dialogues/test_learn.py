"""Learning a command in the dialogue."""

from random import Random

from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import EVENT_DATA_ENTRY_FLOW_PROGRESSED, FlowResultType
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    async_capture_events,
)

from custom_components.irhub.dialogues import listening
from custom_components.irhub.ircodes import from_timings, to_timings
from custom_components.irhub.ircodes.protocols import clean, median_of
from tests.home import until
from virtual_home.hub import VirtualHub

from ..buttons import buttons, press
from ..dialogue import Dialogue, add, configure
from ..home import FAN, HDMI, POWER, commands
from ..jitter import jittered


@pytest.fixture
def model() -> str:
    """Return the model of the hub: most of these tests need no radio."""
    return "rm_mini"


async def learn(
    hass: HomeAssistant, hub: VirtualHub, *, command: str = "power", **keys: object
) -> Dialogue:
    """Open the dialogue of a new entry, and submit the form."""
    dialogue = await configure(hass, await add(hass, hub))
    await dialogue.choose("learn")
    return await dialogue.submit(
        **{"device": "television", "command": command, "alternative": False, **keys}
    )


def suggested(dialogue: Dialogue) -> dict[str, object]:
    """Return the names that stand in the form."""
    schema = dialogue.shown["data_schema"]
    assert schema is not None
    return {
        str(key): (key.description or {}).get("suggested_value")
        for key in schema.schema
        if str(key) in {"device", "command"}
    }


@pytest.mark.parametrize("model", ["rm_pro"])
async def test_a_command_is_learned_tried_and_stored(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    dialogue = await learn(hass, lounge, device=" television ", command_type="ir")
    assert dialogue.shown["progress_action"] in {"connect", "press"}
    await dialogue.progress("press")
    assert dialogue.texts == {"device": "television", "command": "power", "seconds": "20"}
    await lounge.press_when_listening(POWER)
    await dialogue.arrive("heard")
    assert dialogue.texts["heard"].startswith("- IR · ")
    assert dialogue.texts["problem"] == ""

    await dialogue.choose("try_heard")
    assert dialogue.step == "tried_heard"
    assert lounge.transmitted == [POWER]
    assert buttons(hass) == {}  # not kept yet

    await dialogue.choose("keep")
    assert dialogue.step == "kept"
    await hass.async_block_till_done()
    await press(hass, "button.television_power")
    assert lounge.transmitted == [POWER, POWER]

    # Another one for the same device.
    await dialogue.choose("learn")
    await dialogue.submit(device="television", command="mute", command_type="ir", alternative=False)
    await lounge.press_when_listening(HDMI)
    await dialogue.arrive("heard")
    await dialogue.choose("keep")
    await dialogue.choose("finish")
    await dialogue.submit(next_step_id="finish")  # a double click
    await dialogue.wait(lambda: dialogue.type is FlowResultType.ABORT)
    assert dialogue.type is FlowResultType.ABORT
    assert dialogue.shown["reason"] == "finished"
    await hass.async_block_till_done()
    assert buttons(hass).keys() == {"button.television_power", "button.television_mute"}


@pytest.mark.parametrize("model", ["rm_pro"])
async def test_a_page_that_listens_is_refreshed_after_it_was_drawn(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    """As it has to be on 2026.7, whose frontend listens only when it has drawn the page."""
    dialogue = await learn(hass, lounge)
    await dialogue.progress("press")
    changes = async_capture_events(hass, EVENT_DATA_ENTRY_FLOW_PROGRESSED)
    await until(lambda: len(changes) == 1)
    assert changes[0].data["flow_id"] == dialogue.shown["flow_id"]
    await lounge.press_when_listening(POWER)
    await dialogue.arrive("heard")


async def test_a_command_is_learned_again(hass: HomeAssistant, lounge: VirtualHub) -> None:
    dialogue = await learn(hass, lounge)
    assert "command_type" not in dialogue.texts
    await lounge.press_when_listening(HDMI)
    await dialogue.arrive("heard")
    await dialogue.choose("listen")
    await lounge.press_when_listening(POWER)
    await dialogue.arrive("heard")
    await dialogue.choose("keep")
    await hass.async_block_till_done()
    await press(hass, "button.television_power")
    assert lounge.transmitted == [POWER]


async def test_the_clean_code_is_offered(hass: HomeAssistant, lounge: VirtualHub) -> None:
    dialogue = await learn(hass, lounge)
    rough = from_timings([us + (70 if us > 0 else -60) for us in to_timings(HDMI)])
    await lounge.press_when_listening(rough)
    await dialogue.arrive("heard")
    await dialogue.choose("keep_clean")
    assert dialogue.step == "kept"
    await hass.async_block_till_done()
    await press(hass, "button.television_power")
    assert lounge.transmitted == [clean(rough)]
    assert lounge.transmitted != [rough]


async def test_without_a_meaning_there_is_no_clean_code(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    dialogue = await learn(hass, lounge)
    await lounge.press_when_listening(from_timings([500, -700, 900, -1300, 500, -30000]))
    await dialogue.arrive("heard")
    assert "keep_clean" not in dialogue.shown["menu_options"]


# Of no protocol: 2 ms in front, bits of 400 and 800 µs.
UNKNOWN = [2000, -1000, *(us for bit in "0110100110010110" for us in (400, -400 * (1 + int(bit))))]
UNKNOWN += [400, -30000]
OTHER = [2000, -1000, *(us for bit in "1110100110010110" for us in (400, -400 * (1 + int(bit))))]
OTHER += [400, -30000]


async def test_a_packet_without_a_meaning_is_learned_by_three_presses(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    random = Random(3)
    presses = [from_timings(jittered(UNKNOWN, random)) for _ in range(3)]
    dialogue = await learn(hass, lounge)
    for press_ in presses[:2]:
        await lounge.press_when_listening(press_)
        await dialogue.arrive("heard")
        await dialogue.choose("press_more")
    await lounge.press_when_listening(presses[2])
    await dialogue.arrive("heard")
    assert "press_more" not in dialogue.shown["menu_options"]
    await dialogue.choose("keep")
    [entry] = hass.config_entries.async_entries("irhub")
    [kept] = commands(entry.runtime_data.devices)["television"]["power"]
    assert kept == median_of(presses)
    assert kept not in presses


async def test_a_second_press_with_another_code_is_reported(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    first, other = from_timings(UNKNOWN), from_timings(OTHER)
    dialogue = await learn(hass, lounge)
    await lounge.press_when_listening(first)
    await dialogue.arrive("heard")
    await dialogue.choose("press_more")
    await lounge.press_when_listening(other)
    await dialogue.arrive("heard_other")
    assert dialogue.texts["heard"].count("- IR · ") == 2
    await dialogue.choose("press_more")
    await lounge.press_when_listening(first)  # it was a slip
    await dialogue.arrive("heard")
    await dialogue.choose("press_more")
    await lounge.press_when_listening(other)
    await dialogue.arrive("heard_other")
    await dialogue.choose("keep")  # it does toggle
    await hass.async_block_till_done()
    for _ in range(2):
        await press(hass, "button.television_power")
    assert lounge.transmitted == [first, other]


async def test_an_alternating_command_is_learned(hass: HomeAssistant, lounge: VirtualHub) -> None:
    dialogue = await learn(hass, lounge, alternative=True)
    await dialogue.progress("press")
    await lounge.press_when_listening(POWER)
    await dialogue.progress("second")
    await lounge.press_when_listening(HDMI)
    await dialogue.arrive("heard")
    assert dialogue.texts["heard"].count("- IR · ") == 2
    for shown in ("1. IR · ", "2. IR · ", "1. IR · "):
        await dialogue.choose("try_heard")
        assert dialogue.texts["sent"].startswith(shown)
    assert lounge.transmitted == [POWER, HDMI, POWER]
    await dialogue.choose("keep")
    await hass.async_block_till_done()
    for _ in range(3):
        await press(hass, "button.television_power")
    assert lounge.transmitted[3:] == [POWER, HDMI, POWER]


async def test_two_presses_of_the_same_code_do_not_toggle(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    dialogue = await learn(hass, lounge, alternative=True)
    await dialogue.progress("press")
    await lounge.press_when_listening(HDMI)
    await dialogue.progress("second")
    # Held a little longer: the hub heard the end of it differently.
    longer = from_timings([round(us * 1.05) for us in to_timings(HDMI)[:-1]] + [-90_000])
    await lounge.press_when_listening(longer)
    await dialogue.arrive("heard_same")
    assert dialogue.texts["heard"].count("- IR · ") == 1
    await dialogue.choose("keep")
    [entry] = hass.config_entries.async_entries("irhub")
    assert len(commands(entry.runtime_data.devices)["television"]["power"]) == 1


async def test_replacing_a_command_is_confirmed(hass: HomeAssistant, lounge: VirtualHub) -> None:
    dialogue = await learn(hass, lounge)
    await lounge.press_when_listening(POWER)
    await dialogue.arrive("heard")
    await dialogue.choose("keep")
    await dialogue.choose("learn")
    # The device stays, the name is another one.
    assert suggested(dialogue) == {"device": "television", "command": ""}
    await dialogue.submit(device="television", command="power", alternative=False)
    assert dialogue.step == "taken"
    assert dialogue.texts["command"] == "power"
    await dialogue.choose("learn")
    await dialogue.submit(device="television", command="power", alternative=False)
    await dialogue.choose("listen")
    await lounge.press_when_listening(HDMI)
    await dialogue.arrive("heard")
    await dialogue.choose("keep")
    await hass.async_block_till_done()
    await press(hass, "button.television_power")
    assert lounge.transmitted == [HDMI]


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_the_frequency_is_searched_before_radio_is_learned(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    dialogue = await learn(hass, lounge, command_type="rf")
    await dialogue.progress("hold")
    await lounge.until(lambda: lounge.receiver.hold(433.92))
    await dialogue.progress("again")
    await lounge.press_when_listening(FAN)
    await dialogue.arrive("heard")
    assert "RF · 433.92 MHz · " in dialogue.texts["heard"]
    await dialogue.choose("keep")

    # The next button of the same remote control has the same frequency.
    await dialogue.choose("learn")
    await dialogue.submit(device="television", command="mute", command_type="rf", alternative=False)
    await dialogue.progress("press")
    await lounge.press_when_listening(FAN)
    await dialogue.arrive("heard")
    assert lounge.count("sweep") == 1


@pytest.mark.parametrize("model", ["rm_pro"])
async def test_radio_on_a_known_frequency_needs_a_single_press(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    entry = await add(hass, lounge, frequency=433.92)
    dialogue = await configure(hass, entry)
    await dialogue.choose("learn")
    await dialogue.submit(device="fan", command="off", command_type="rf", alternative=False)
    await dialogue.progress("press")
    await lounge.press_when_listening(FAN)
    await dialogue.arrive("heard")
    assert lounge.count("sweep") == 0


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_a_closed_dialogue_ends_learning_on_the_device(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    dialogue = await learn(hass, lounge, command_type="ir")
    await dialogue.progress("press")
    hass.config_entries.options.async_abort(dialogue.shown["flow_id"])
    await until(lambda: lounge.count("cancel") == 1)
    assert not lounge.press(POWER)
    [entry] = hass.config_entries.async_entries("irhub")
    await until(lambda: not entry.runtime_data.own_hub.receiver.learning)


async def test_learning_without_a_press_times_out(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, lounge: VirtualHub
) -> None:
    monkeypatch.setattr(listening, "LEARN_WINDOW_S", 0.3)
    dialogue = await learn(hass, lounge)
    await dialogue.arrive("learn")
    assert "No signal was received" in dialogue.error
    # Home Assistant asks for the page twice.
    await dialogue.refresh()
    assert "No signal was received" in dialogue.error
    # What was entered is still there: submit listens again.
    assert [*dialogue.fields] == ["device", "command", "alternative"]
    assert suggested(dialogue) == {"device": "television", "command": "power"}
    # What was wrong is said until the next try.
    await dialogue.submit(alternative=False)
    assert dialogue.step == "init"
    await dialogue.choose("learn")
    assert dialogue.shown["errors"] == {}


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_a_button_released_too_early_is_reported(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, lounge: VirtualHub
) -> None:
    monkeypatch.setattr(listening, "LEARN_WINDOW_S", 0.3)
    dialogue = await learn(hass, lounge, command_type="rf")
    await dialogue.arrive("learn")
    assert "found no radio frequency: hold the button down" in dialogue.error


async def test_empty_names_are_rejected(hass: HomeAssistant, lounge: VirtualHub) -> None:
    dialogue = await learn(hass, lounge, command=" ")
    assert dialogue.step == "learn"
    assert "name is empty" in dialogue.error
    await dialogue.submit(alternative=False)
    assert dialogue.step == "init"


async def test_a_press_can_be_stored_after_the_hub_has_disconnected(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    dialogue = await learn(hass, lounge)
    await lounge.press_when_listening(POWER)
    await dialogue.arrive("heard")
    lounge.faults.silent = True
    await dialogue.choose("try_heard")
    assert dialogue.step == "heard"
    assert "does not answer: is it plugged in" in dialogue.texts["problem"]
    await dialogue.choose("keep")  # it needs no hub
    assert dialogue.step == "kept"


async def test_a_reload_of_the_entry_ends_learning(hass: HomeAssistant, lounge: VirtualHub) -> None:
    dialogue = await learn(hass, lounge)
    await dialogue.progress("press")
    [entry] = hass.config_entries.async_entries("irhub")
    await hass.config_entries.async_reload(entry.entry_id)
    await dialogue.arrive("learn")
    assert "was closed" in dialogue.error
