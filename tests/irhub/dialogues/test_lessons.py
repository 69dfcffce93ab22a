"""A lesson survives a restart, and what was taught can be taught more, state by state."""

import asyncio
from typing import Any

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
import pytest

from custom_components.irhub.devices.device import Taught
from custom_components.irhub.devices.exports import export_text
from custom_components.irhub.devices.lessons import (
    DATA_LESSONS,
    MAX_LESSONS,
    Lesson,
    key_of_rule,
    lessons_of,
    unfinished_key,
)
from custom_components.irhub.dialogues import listening, teach as teach_pages
from custom_components.irhub.entities.use import IrhubConfigEntry, Use
from custom_components.irhub.errors import localized
from custom_components.irhub.ircodes import OFF, Off, State, read
from custom_components.irhub.ircodes.teaching import KeptPress, LessonRecord
from tests.home import until
from virtual_home.hub import VirtualHub

from ..dialogue import Dialogue, add
from ..home import POWER, known
from ..ircodes.teaching.remotes import rolling_bit, two_modes
from ..issues import issues, mend
from .appliances import act, change, finish
from .lessons import (
    add_taught,
    answers_about,
    begin,
    begin_lesson,
    press_next,
    press_until_off,
    question_of,
    states_by_text,
    teach,
)

pytestmark = pytest.mark.usefixtures(
    "no_collection", "no_pauses", "no_double_clicks", "steady_time"
)

LESSONS = "irhub_lessons"
type Storage = dict[str, dict[str, Any]]
"""What Home Assistant has on the disk: name of a file → what is in it."""

CLIMATE = "climate.air_conditioner"


async def restart(hass: HomeAssistant, entry: ConfigEntry[Use]) -> None:
    """Set all up anew, from the files, as after a crash: nothing is told that it ends."""
    for flow in hass.config_entries.subentries.async_progress():
        hass.config_entries.subentries.async_abort(flow["flow_id"])
    assert await hass.config_entries.async_unload(entry.entry_id)
    hass.data.pop(DATA_LESSONS, None)
    known(hass)._loaded = False  # noqa: SLF001  (as a restart does)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await until(lambda: entry.runtime_data.hub.available)


async def available(hass: HomeAssistant) -> None:
    """Wait until the air conditioner is as it was changed."""
    await hass.async_block_till_done()
    await until(lambda: (state := hass.states.get(CLIMATE)) and state.state != "unavailable")


async def test_a_lesson_is_continued_after_a_restart(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry, hass_storage: Storage
) -> None:
    control = rolling_bit()
    dialogue = await begin_lesson(hass, entry, lounge, control, presses=7)
    asked = await question_of(dialogue)
    await restart(hass, entry)

    dialogue = await begin(hass, entry)
    assert dialogue.shown["menu_options"][0] == "continue_lesson"  # type: ignore[index]
    assert dialogue.texts["number"] == "7"
    await dialogue.choose("continue_lesson")
    assert await question_of(dialogue) == asked
    assert "ask_back" in dialogue.shown["menu_options"]
    await teach(hass, dialogue, lounge, control)
    await finish(hass, dialogue, CLIMATE)
    assert "continue_lesson" not in (await begin(hass, entry)).shown["menu_options"]
    [device] = known(hass).values()
    assert "presses" not in export_text([device])
    kept = hass_storage[LESSONS]["data"]["lessons"]
    assert [*kept] == [key_of_rule(device.rule)]  # type: ignore[arg-type]  # it was taught


async def test_a_wrong_state_is_corrected_by_a_press_after_a_restart(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    """What looks like another state is believed the second time."""
    control = two_modes()
    wrong = State(mode="cool", fan="low", temperature=20.0)
    other = State(mode="heat", fan="high", temperature=29.0)
    await add_taught(hass, entry, lounge, control)
    await restart(hass, entry)
    dialogue = await change(hass, entry)
    assert {"teach_more", "press_state", "own_off"} <= {*dialogue.fields["then"].config["options"]}
    await dialogue.submit(then="press_state")
    await dialogue.submit(mode="cool", temperature=99, fan="low")
    assert "99°" in dialogue.error
    await (await dialogue.submit(mode="cool", temperature=20, fan="low")).progress("press_this")
    assert dialogue.texts["asked"] == "COOL 20° FAN LOW"
    await lounge.press_when_listening(control.press(other))
    await dialogue.arrive("other_heard")
    assert "looks like Heat, 29°" in dialogue.texts["problem"]
    await (await dialogue.choose("press_state")).progress("press_this")
    await lounge.press_when_listening(control.press(other))
    await dialogue.arrive("ready")
    assert dialogue.texts["note"] == "Cool, 20°, Fan mode: Low is sent as it was pressed."
    await dialogue.submit(then="finish")
    await available(hass)
    await act(hass, "climate", "set_hvac_mode", entity_id=CLIMATE, hvac_mode="cool")
    await act(hass, "climate", "set_fan_mode", entity_id=CLIMATE, fan_mode="low")
    await act(hass, "climate", "set_temperature", entity_id=CLIMATE, temperature=20)
    assert read(lounge.transmitted[-1]).key == read(control.packet(other)).key

    dialogue = await change(hass, entry)
    await dialogue.submit(then="press_state")
    await (await dialogue.submit(mode="cool", temperature=20, fan="low")).progress("press_this")
    await lounge.press_when_listening(control.press(wrong))
    await dialogue.arrive("ready")
    await dialogue.submit(then="finish")
    await available(hass)
    await act(hass, "climate", "set_temperature", entity_id=CLIMATE, temperature=21)
    await act(hass, "climate", "set_temperature", entity_id=CLIMATE, temperature=20)
    assert read(lounge.transmitted[-1]).key == read(control.packet(wrong)).key


async def test_off_is_pressed_again_and_taught_more(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    """Off stays as it was pressed again, whatever more is taught; undone, the older one counts."""
    control = rolling_bit()
    dialogue: Dialogue = await begin_lesson(hass, entry, lounge, control, presses=12)
    texts = await states_by_text(hass, control)
    await question_of(dialogue)
    await (await dialogue.choose("taught")).choose("take_taught")
    await finish(hass, dialogue, CLIMATE)
    [first] = known(hass).values()
    await restart(hass, entry)

    dialogue = await change(hass, entry)
    await (await dialogue.submit(then="own_off")).progress("press_off")
    await lounge.press_when_listening(POWER)
    await dialogue.arrive("ready")
    await dialogue.submit(then="finish")
    await restart(hass, entry)

    dialogue = await change(hass, entry)
    await dialogue.submit(then="teach_more")
    assert (await question_of(dialogue))[1] == "13"
    await press_next(dialogue, lounge, control, texts)
    await restart(hass, entry)
    dialogue = await change(hass, entry)
    await dialogue.submit(then="teach_more")
    assert dialogue.step == "teach_kept"
    await dialogue.choose("ask_on")
    await teach(hass, dialogue, lounge, control)
    await dialogue.submit(then="finish")
    assert dialogue.shown["reason"] == "reconfigure_successful"
    await hass.async_block_till_done()
    [device] = known(hass).values()
    assert device.rule != first.rule
    await act(hass, "climate", "turn_off", entity_id=CLIMATE)
    assert lounge.transmitted[-1] == POWER

    for write in known(hass).history[:2]:
        [sentence] = known(hass).sentences(write)
        assert localized(sentence.change) == "The codes of Air conditioner were changed."
        await known(hass).undo(write[0].id)
    [device] = known(hass).values()
    assert device.rule == first.rule
    dialogue = await change(hass, entry)
    await dialogue.submit(then="teach_more")
    assert (await question_of(dialogue))[1] == "13"


async def test_a_complete_lesson_has_no_further_questions(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    control = two_modes()
    await add_taught(hass, entry, lounge, control)
    dialogue = await change(hass, entry)
    await dialogue.submit(then="teach_more")
    while dialogue.step != "all_asked":
        await teach(hass, dialogue, lounge, control)
        await dialogue.submit(then="teach_more")
    await dialogue.choose("press_state")
    assert dialogue.step == "which_state"


async def test_a_rule_is_taught_more_without_its_presses(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    """Version 0.4.0 kept the rule alone: it stays, and a state is pressed into it."""
    control, state = two_modes(), State(mode="cool", fan="low", temperature=20.0)
    await add_taught(hass, entry, lounge, control)
    [before] = known(hass).values()
    await lessons_of(hass).forget(key_of_rule(before.rule))  # type: ignore[arg-type]  # taught
    await restart(hass, entry)
    dialogue = await change(hass, entry)
    await dialogue.submit(then="teach_more")
    assert dialogue.step == "not_kept"
    await dialogue.choose("press_state")
    await (await dialogue.submit(mode="cool", temperature=20, fan="low")).progress("press_this")
    await lounge.press_when_listening(control.press(state))
    await dialogue.arrive("ready")
    assert "already sent this way" in dialogue.texts["note"]
    await dialogue.submit(then="press_state")
    await (await dialogue.submit(mode="cool", temperature=20, fan="low")).progress("press_this")
    await lounge.press_when_listening(POWER)
    await dialogue.arrive("ready")
    await dialogue.submit(then="finish")
    await available(hass)
    await act(hass, "climate", "set_hvac_mode", entity_id=CLIMATE, hvac_mode="cool")
    await act(hass, "climate", "set_fan_mode", entity_id=CLIMATE, fan_mode="low")
    await act(hass, "climate", "set_temperature", entity_id=CLIMATE, temperature=20)
    assert lounge.transmitted[-1] == POWER


async def test_stored_lessons_are_limited_and_unknown_data_is_preserved(
    hass: HomeAssistant, hass_storage: Storage, caplog: pytest.LogCaptureFixture
) -> None:
    newer = {"answers": {}, "modes": 3, "more": [1]}
    data = {"lessons": {"a": newer}, "beside": 1}
    hass_storage[LESSONS] = {"version": 1, "minor_version": 1, "key": LESSONS, "data": data}
    lessons, control = lessons_of(hass), two_modes()
    assert await lessons.get("a") is None
    assert "cannot be gone on with" in caplog.text
    press = KeptPress(state=OFF, packet=control.packet(OFF))
    record = LessonRecord(capabilities=control.capabilities, presses=[press], missing=[], asked=1)
    lesson = Lesson(answers={}, record=record)
    await lessons.keep(unfinished_key("x"), lesson)
    data = hass_storage[LESSONS]["data"]
    assert (data["lessons"]["a"], data["beside"]) == (newer, 1)
    assert (await lessons.get(unfinished_key("x"))) == lesson
    for number in range(MAX_LESSONS):
        await lessons.keep(unfinished_key(str(number)), lesson)
    kept = hass_storage[LESSONS]["data"]["lessons"]
    assert [*kept] == [unfinished_key(str(number)) for number in range(MAX_LESSONS)]


@pytest.mark.parametrize(("version", "data"), [(9, {}), (1, {"lessons": []}), (1, [])])
async def test_an_unusable_file_of_lessons_is_preserved(
    hass: HomeAssistant,
    hass_storage: Storage,
    caplog: pytest.LogCaptureFixture,
    version: int,
    data: object,
) -> None:
    """It is of a newer version, or somebody has edited it."""
    content = {"version": version, "minor_version": 1, "key": LESSONS, "data": data}
    hass_storage[LESSONS] = content.copy()
    record = LessonRecord(capabilities=two_modes().capabilities)
    await lessons_of(hass).keep("a", Lesson(answers={}, record=record))
    assert "stay as they are" in caplog.text
    assert hass_storage[LESSONS] == content
    assert await lessons_of(hass).get("a") is not None


async def test_a_question_is_shown_like_the_display(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    """It says what changes, and how many keys that takes."""
    control = two_modes()
    dialogue = await begin_lesson(hass, entry, lounge, control)
    texts = await states_by_text(hass, control)
    assert await question_of(dialogue) == ("COOL 23° FAN AUTO", "1")
    assert dialogue.texts["change"] == ""
    assert "the display must show" in dialogue.texts["how"]
    await press_next(dialogue, lounge, control, texts)
    assert (await question_of(dialogue), dialogue.step) == (("COOL 23° FAN AUTO", "2"), "ask_same")
    await press_next(dialogue, lounge, control, texts)
    assert (await question_of(dialogue))[0] == "OFF"
    assert dialogue.texts["change"] == ""
    assert dialogue.texts["how"].startswith("Turn the air conditioner off")
    await press_next(dialogue, lounge, control, texts)
    assert (await question_of(dialogue))[0] == "COOL 23° FAN LOW"
    change = "What changes: Off → Cool, Fan mode: Auto → Low. Keys to press: about 2."
    assert dialogue.texts["change"] == change
    while "Target temperature: 23° → 26°" not in dialogue.texts["change"]:
        await press_next(dialogue, lounge, control, texts)
        await question_of(dialogue)


async def press_once(dialogue: Dialogue, hub: VirtualHub, packet: bytes) -> None:
    """Press something, and wait until a press is asked for again."""
    number = dialogue.texts["number"]
    await hub.press_when_listening(packet)
    await dialogue.wait(
        lambda: (
            dialogue.step in ("ask", "ask_same", "ask_again") and dialogue.texts["number"] != number
        )
    )


async def test_a_wrongly_pressed_fan_speed_is_reported(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    control = two_modes()
    dialogue = await begin_lesson(hass, entry, lounge, control)
    texts = await states_by_text(hass, control)
    while (await question_of(dialogue))[0] != "COOL 23° FAN MEDIUM":
        await press_next(dialogue, lounge, control, texts)
    number = dialogue.texts["number"]
    named = f"Press {number} (Cool, 23°, Fan mode: Medium) looks like *Fan mode: High*."
    pressed: State | Off = State(mode="cool", fan="high", temperature=23.0)
    while dialogue.texts["doubt"] != named:
        await press_once(dialogue, lounge, control.press(pressed))
        pressed = texts[dialogue.texts["asked"]]
    await restart(hass, entry)
    dialogue = await begin(hass, entry)
    await (await dialogue.choose("continue_lesson")).arrive("ask_again")
    assert dialogue.texts["doubt"] == named
    await teach(hass, dialogue, lounge, control)
    await finish(hass, dialogue, CLIMATE)
    rule = known(hass).named("Air conditioner").rule
    assert isinstance(rule, Taught)
    for state in rule.rule.states:
        assert read(rule.rule.encode(state)).key == read(control.packet(state)).key


async def test_a_missing_off_is_confirmed_by_a_second_question(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    """Its page says so, also later."""
    control = two_modes()
    dialogue: Dialogue = await begin_lesson(hass, entry, lounge, control)
    texts = await states_by_text(hass, control)
    await press_until_off(dialogue, lounge, control, texts)
    await (await dialogue.choose("no_such_button")).arrive("lacks_off")
    await dialogue.choose("ask_on")
    assert (await question_of(dialogue))[0] == "OFF"
    await (await dialogue.choose("no_such_button")).choose("without_off")
    await teach(hass, dialogue, lounge, control)
    assert "Nothing turns it off yet" in dialogue.texts["note"]
    await finish(hass, dialogue, CLIMATE)
    dialogue = await change_by_repair(hass, entry)
    assert "Nothing turns it off yet" in dialogue.texts["note"]
    await (await dialogue.submit(then="own_off")).progress("press_off")
    await lounge.press_when_listening(control.press(OFF))
    await dialogue.arrive("ready")
    assert "Nothing turns it off" not in dialogue.texts["note"]
    await dialogue.submit(then="finish")
    await until(lambda: not issues(hass))


async def test_teach_more_asks_for_a_missing_off(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    """Off was pressed once; when it was asked for again, its owner thought that there is none."""
    control = two_modes()
    dialogue: Dialogue = await begin_lesson(hass, entry, lounge, control)
    texts = await states_by_text(hass, control)
    await press_until_off(dialogue, lounge, control, texts)
    await press_next(dialogue, lounge, control, texts)
    await press_until_off(dialogue, lounge, control, texts)
    await (await dialogue.choose("no_such_button")).choose("without_off")
    await dialogue.arrive("ready")
    assert "Nothing turns it off yet" in dialogue.texts["note"]
    await finish(hass, dialogue, CLIMATE)
    dialogue = await change(hass, entry)
    await dialogue.submit(then="teach_more")
    assert (await question_of(dialogue))[0] == "OFF"
    await teach(hass, dialogue, lounge, control)
    assert "Nothing turns it off" not in dialogue.texts["note"]


async def change_by_repair(hass: HomeAssistant, entry: ConfigEntry[Use]) -> Dialogue:
    """Open *Change appliance* by the repair of a device that nothing turns off.

    The oldest Home Assistant's repairs lead to no other dialogue: they say where it is.
    """
    [issue] = issues(hass)
    assert issue.startswith("without_off_")
    repair = await mend(hass, issue)
    assert repair.texts["device"] == "Air conditioner"
    await repair.choose("press_off")
    assert (repair.type, repair.shown["reason"]) == (FlowResultType.ABORT, "press_off")
    assert issues(hass) == [issue]
    if "next_flow" not in repair.shown:
        return await change(hass, entry)
    _, flow_id = repair.shown["next_flow"]
    subentries = hass.config_entries.subentries
    shown = await subentries.async_configure(flow_id)
    return Dialogue(subentries.async_configure, shown)  # type: ignore[arg-type]  # an appliance's


async def test_a_lesson_listens_as_long_as_its_page_is_open(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, lounge: VirtualHub
) -> None:
    """Who searches for the remote control loses nothing; a browser that is gone stops it."""
    control = two_modes()
    monkeypatch.setattr(listening, "LEARN_WINDOW_S", 0.2)
    monkeypatch.setattr(teach_pages, "ABANDONED_S", 60.0)
    entry = await add(hass, lounge)
    dialogue = await begin_to_teach_without_press(hass, entry)
    await dialogue.submit(**answers_about(control))
    for _ in range(8):
        await asyncio.sleep(0.3)
        await dialogue.refresh()
        assert dialogue.step != "ask_stopped"
    await dialogue.arrive("ask")
    monkeypatch.setattr(teach_pages, "ABANDONED_S", 0.0)
    await until(lambda: not entry.runtime_data.own_hub.receiver.learning)
    await dialogue.refresh()
    assert dialogue.step == "ask_stopped"
    monkeypatch.setattr(teach_pages, "ABANDONED_S", 60.0)
    await (await dialogue.choose("ask_on")).arrive("ask")


async def begin_to_teach_without_press(hass: HomeAssistant, entry: ConfigEntry[Use]) -> Dialogue:
    """Go to where the remote control is described, by a device that has another rule."""
    dialogue = await (await begin(hass, entry)).choose("air_conditioner")
    await dialogue.choose("press_button")
    await dialogue.arrive("not_heard")
    return await dialogue.choose("teach")
