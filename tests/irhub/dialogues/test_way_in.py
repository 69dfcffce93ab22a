"""From nothing to a finished appliance: what is it, and a press of its remote control."""

from dataclasses import replace
from pathlib import Path

from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import entity_registry as er
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM
import pytest

from custom_components.irhub.devices.json_format import device_data, read_device
from custom_components.irhub.dialogues import listening, options
from custom_components.irhub.entities.use import IrhubConfigEntry
from custom_components.irhub.ircodes import OFF, Levels, State, read
from tests.home import until
from virtual_home.hub import VirtualHub

from ..dialogue import add, configure
from ..home import FAN, HDMI, known
from ..ircodes.files.indexes import FOLDER, file_of, heard, put, state
from ..ircodes.teaching.remotes import (
    RemoteControl,
    another_in_each_mode,
    bytes_by_mode,
    clock_and_button,
    crc_and_digits,
    rolling_bit,
    sum_over_two_frames,
)
from .appliances import act, change, finish
from .lessons import (
    answers_about,
    begin,
    begin_lesson,
    begin_to_teach,
    press,
    press_next,
    question_of,
    states_by_text,
    teach,
)
from .remotes import code_of_button, wait_for_button

pytestmark = pytest.mark.usefixtures("no_pauses", "no_double_clicks")

MOST_CLICKS = 8
KINDS = {
    "television": "media_player",
    "receiver": "media_player",
    "projector": "media_player",
    "player": "media_player",
    "fan": "fan",
    "light": "light",
    "cover": "cover",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", ["rm_mini"])
async def test_each_kind_is_added_with_few_clicks(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry, kind: str
) -> None:
    dialogue = await begin(hass, entry)
    await dialogue.choose(kind)
    collected = [] if kind == "cover" else ["maker_and_model"]
    assert dialogue.shown["menu_options"] == [
        *("press_button", "learn_remote", *collected, "file", "user")
    ]
    await press(dialogue, lounge, code_of_button(0))
    await dialogue.choose("learn_remote")
    name, names = dialogue.suggested["name"], dialogue.suggested["buttons"]
    await dialogue.submit(name=name, buttons=[*names, "x"], pressed=names[0])
    for number, each in enumerate([*names[1:], "x"], start=1):
        await wait_for_button(dialogue, each)
        await lounge.press_when_listening(code_of_button(number))
        await dialogue.wait(lambda each=each: dialogue.texts.get("command") != each)  # type: ignore[misc]
    await dialogue.arrive("ready")
    entity_id = f"{KINDS[kind]}.{name.lower().replace(' ', '_')}"
    await finish(hass, dialogue, entity_id)
    assert dialogue.count + 1 <= MOST_CLICKS  # Home Assistant's own last page

    device = known(hass).named(name)
    assert device.kind == kind
    functions = {device.commands[id_].name for id_ in device.functions.values()}
    assert functions == {*names}
    used = {
        entity.unique_id
        for entity in er.async_entries_for_config_entry(er.async_get(hass), entry.entry_id)
        if entity.domain == "button"
    }
    assert device.named("x").id in used  # type: ignore[union-attr]
    if kind == "television":
        assert {"up", "down", "left", "right", "ok"} <= device.functions.keys()
        assert device.functions["up"] in used
        await act(hass, "media_player", "volume_up", entity_id=entity_id)
        assert lounge.transmitted == [code_of_button(1)]
    if kind == "cover":
        shown = hass.states.get(entity_id)
        assert shown is not None
        assert shown.attributes["device_class"] == "blind"


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_something_else_gets_buttons(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    dialogue = await begin(hass, entry)
    await dialogue.choose("other")
    await press(dialogue, lounge, code_of_button(0))
    await dialogue.choose("learn_remote")
    await dialogue.submit(name="Gate", buttons=["open"], pressed="open")
    assert dialogue.step == "ready"
    assert dialogue.folded == ["events", "emitter"]
    await dialogue.submit(then="finish")
    assert dialogue.type is FlowResultType.CREATE_ENTRY
    await until(lambda: hass.states.get("button.gate_open") is not None)
    [subentry] = entry.subentries.values()
    assert subentry.title == "Gate", "it has a page, where everything can be changed"


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_a_radio_blind_is_added(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    dialogue = await (await (await begin(hass, entry)).choose("cover")).choose("learn_remote")
    await dialogue.submit(name="Blind", buttons=["open", "stop", "close"], command_type="rf")
    await dialogue.arrive("hold")
    await lounge.until(lambda: lounge.receiver.hold(433.92))
    await dialogue.arrive("again")
    for number in range(3):
        packet = bytearray(FAN)
        packet[20] ^= 0x10 * number
        await lounge.press_when_listening(bytes(packet))
        await dialogue.wait(
            lambda number=number: dialogue.texts.get("place") != f"{number + 1}/3"  # type: ignore[misc]
        )
    await dialogue.arrive("ready")
    assert dialogue.texts["found"] == "- Open, Close, Stop"
    await finish(hass, dialogue, "cover.blind")
    assert lounge.count("sweep") == 1


async def test_a_file_that_fits_is_offered(
    hass: HomeAssistant, config_dir: Path, lounge: VirtualHub
) -> None:
    climate = file_of(1) | {
        "manufacturer": "LG",
        "operationModes": ["cool", "heat", "dry"],
        "fanModes": ["auto", "low"],
        "minTemperature": 18,
        "maxTemperature": 25,
    }
    put(config_dir, {f"{FOLDER}/1.json": climate})
    entry = await add(hass, lounge)
    dialogue = await begin(hass, entry)
    await dialogue.choose("air_conditioner")
    await press(dialogue, lounge, heard(state(1, "cool", "auto", 24), 1))
    assert "1.json (LG A, B): cool auto 24" in dialogue.texts["files"]
    assert "domain=lg_infrared" in dialogue.texts["own"]
    await dialogue.choose("choose_file")
    assert dialogue.step == "ready"
    assert dialogue.texts["found"].startswith("- Cool, ")
    name = dialogue.suggested["name"]
    await finish(hass, dialogue, f"climate.{name.lower().replace(' ', '_')}")
    assert dialogue.count + 1 <= MOST_CLICKS


NEVER_ASKED = ("cool", "high", 19), ("heat", "low", 28)


@pytest.mark.parametrize("make", [bytes_by_mode, sum_over_two_frames, rolling_bit])
async def test_an_air_conditioner_is_taught(
    hass: HomeAssistant, make: object, lounge: VirtualHub
) -> None:
    control: RemoteControl = make()  # type: ignore[operator]
    entry = await add(hass, lounge)
    dialogue = await begin_lesson(hass, entry, lounge, control)
    presses, lacking = await teach(hass, dialogue, lounge, control)
    assert (presses <= 30, lacking) == (True, 0)
    await finish(hass, dialogue, "climate.air_conditioner")
    assert dialogue.count + 1 <= MOST_CLICKS

    device = known(hass).named("Air conditioner")
    assert read_device(device_data(device)) == device
    await hass.config_entries.async_reload(entry.entry_id)
    await until(lambda: hass.states.get("climate.air_conditioner") is not None)
    await until(lambda: entry.runtime_data.hub.available)
    for mode, fan, degrees in NEVER_ASKED:
        data = {"entity_id": "climate.air_conditioner"}
        await act(hass, "climate", "set_hvac_mode", **data, hvac_mode=mode)
        await act(hass, "climate", "set_fan_mode", **data, fan_mode=fan)
        await act(hass, "climate", "set_temperature", **data, temperature=degrees)
        swings = next(iter(control.remote.values())).swings
        if swings:
            await act(hass, "climate", "set_swing_mode", **data, swing_mode=swings[0])
        wanted = State(mode=mode, fan=fan, swing=swings[0] if swings else None, temperature=degrees)
        sent = read(lounge.transmitted[-1]).key
        assert sent in [read(control.packet(wanted, presses)).key for presses in (1, 2)]
    await act(hass, "climate", "turn_off", entity_id="climate.air_conditioner")
    assert read(lounge.transmitted[-1]).key == read(control.packet(OFF)).key


async def test_levels_are_offered_in_the_order_in_which_they_were_named(
    hass: HomeAssistant,
    lounge: VirtualHub,
    entry: IrhubConfigEntry,
) -> None:
    levels = Levels(fans=("auto", "low", "high"), temperatures=[float(t) for t in range(18, 26)])
    modes = ("dry", "heat", "cool")
    remote = dict.fromkeys(modes, levels) | {"dry": replace(levels, fans=("low", "high"))}
    control = replace(clock_and_button(), remote=remote)
    dialogue = await begin_to_teach(hass, entry, lounge, control)
    await dialogue.submit(**answers_about(control) | {"fans": [*levels.fans]})
    await teach(hass, dialogue, lounge, control)
    await finish(hass, dialogue, "climate.air_conditioner")

    await hass.config_entries.async_reload(entry.entry_id)
    await until(lambda: entry.runtime_data.hub.available)
    of = {"entity_id": "climate.air_conditioner"}
    for mode, fans in {"dry": ["low", "high"], "cool": ["auto", "low", "high"]}.items():
        await act(hass, "climate", "set_hvac_mode", **of, hvac_mode=mode)
        shown = hass.states.get("climate.air_conditioner")
        assert shown is not None
        assert shown.attributes["hvac_modes"] == ["off", *modes]
        assert shown.attributes["fan_modes"] == fans


async def test_a_missing_button_of_a_mode_is_asked_for_once(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    """Presets in cool alone, no fan speed in dry, no temperature in fan_only, heat from 20 °C."""
    control = another_in_each_mode()
    dialogue = await begin_to_teach(hass, entry, lounge, control)
    assert dialogue.suggested.get("presets") is None
    answers = answers_about(control)
    answers["presets"] = ["boost", "sleep"]  # none is the other one
    answers["modes"] = [*control.remote, "auto"]
    await dialogue.submit(**answers)
    presses, lacking = await teach(hass, dialogue, lounge, control)
    assert presses <= 30
    assert lacking <= 12
    assert "note" not in dialogue.texts or not dialogue.texts["note"]
    await finish(hass, dialogue, "climate.air_conditioner")

    data = {"entity_id": "climate.air_conditioner"}
    for mode, levels in control.remote.items():
        await act(hass, "climate", "set_hvac_mode", **data, hvac_mode=mode)
        shown = hass.states.get("climate.air_conditioner")
        assert shown is not None
        assert shown.attributes.get("preset_modes", []) == [*levels.presets]
        assert shown.attributes.get("fan_modes", []) == [*levels.fans]
        if levels.temperatures:
            assert shown.attributes["min_temp"] == levels.temperatures[0]
        else:
            assert shown.attributes.get("temperature") is None
        if levels.presets:
            await act(hass, "climate", "set_preset_mode", **data, preset_mode="sleep")
        if levels.fans:
            await act(hass, "climate", "set_fan_mode", **data, fan_mode="high")
        if levels.temperatures:
            await act(hass, "climate", "set_temperature", **data, temperature=26)
        wanted = State(
            mode=mode,
            preset="sleep" if levels.presets else None,
            fan="high" if levels.fans else None,
            temperature=26.0 if levels.temperatures else None,
        )
        assert read(lounge.transmitted[-1]).key == read(control.packet(wanted)).key


async def test_a_press_that_contradicts_is_asked_for_again(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    control = bytes_by_mode()
    dialogue = await (await begin(hass, entry)).choose("air_conditioner")
    await press(dialogue, lounge, HDMI)
    await dialogue.choose("teach")
    answers = answers_about(control)
    await dialogue.submit(**answers | {"modes": []})
    assert "at least one mode" in dialogue.error
    await dialogue.submit(**answers | {"lowest": 1})
    assert "5 to 40" in dialogue.error
    many = {key: [f"{key} {number}" for number in range(20)] for key in ("fans", "presets")}
    await dialogue.submit(**answers | many | {"swings": many["fans"]})
    assert dialogue.error.startswith("More than 20000 states: choose fewer modes")
    await dialogue.submit(**answers)
    texts = await states_by_text(hass, control)
    for _ in range(3):
        await question_of(dialogue)
        asked = dialogue.texts["number"]
        await lounge.press_when_listening(control.press(texts[dialogue.texts["asked"]]))
        await dialogue.wait(lambda asked=asked: dialogue.texts["number"] != asked)  # type: ignore[misc]
    await dialogue.arrive("ask")
    await lounge.press_when_listening(HDMI)
    await dialogue.wait(lambda: dialogue.step in ("ask_again", "ask_unreadable"))
    assert dialogue.texts["change"].startswith("If the display already shows this")
    await dialogue.choose("ask_back")
    await dialogue.arrive("ask")
    before = dialogue.texts["asked"]
    await dialogue.choose("no_such_button")
    await dialogue.choose("not_together" if dialogue.step == "lacks" else "without_off")
    await dialogue.arrive("ask")
    assert dialogue.texts["asked"] != before
    hass.config_entries.subentries.async_abort(dialogue.shown["flow_id"])
    await until(lambda: not entry.runtime_data.own_hub.receiver.learning)


async def test_a_lesson_that_ended_too_early_can_be_continued(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    control = rolling_bit()
    dialogue = await begin_lesson(hass, entry, lounge, control)
    texts = await states_by_text(hass, control)
    await dialogue.arrive("ask")
    assert "ask_back" not in dialogue.shown["menu_options"]
    await dialogue.choose("taught")
    assert dialogue.step == "not_taught"
    await dialogue.choose("ask_on")
    for _ in range(4):
        await press_next(dialogue, lounge, control, texts)
    asked = await question_of(dialogue)
    await dialogue.choose("taught")
    assert dialogue.step == "taught_in_part"
    assert 0 < int(dialogue.texts["proven"]) < int(dialogue.texts["open"])
    await dialogue.choose("ask_on")
    assert await question_of(dialogue) == asked
    await (await dialogue.choose("taught")).choose("take_taught")
    assert "Not offered" in dialogue.texts["note"]
    await finish(hass, dialogue, "climate.air_conditioner")


async def test_a_lesson_continues_after_its_dialogue_was_closed(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    """Many presses are not lost with a click beside the dialogue."""
    control = rolling_bit()
    dialogue = await begin_lesson(hass, entry, lounge, control, presses=5)
    asked = await question_of(dialogue)
    hass.config_entries.subentries.async_abort(dialogue.shown["flow_id"])
    await until(lambda: not entry.runtime_data.own_hub.receiver.learning)

    dialogue = await begin_to_teach(hass, entry, lounge, control)
    assert dialogue.step == "teach_kept"
    assert dialogue.texts["number"] == "5"
    await dialogue.choose("ask_on")
    assert await question_of(dialogue) == asked
    presses, _ = await teach(hass, dialogue, lounge, control)
    assert presses <= 25
    hass.config_entries.subentries.async_abort(dialogue.shown["flow_id"])

    dialogue = await begin_to_teach(hass, entry, lounge, control)
    await (await dialogue.choose("ask_on")).arrive("ready")
    await finish(hass, dialogue, "climate.air_conditioner")
    assert (await begin_to_teach(hass, entry, lounge, control)).step == "teach"


async def test_an_unfinished_lesson_can_be_started_again(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    control = rolling_bit()
    dialogue = await begin_lesson(hass, entry, lounge, control)
    await press_next(dialogue, lounge, control, await states_by_text(hass, control))
    hass.config_entries.subentries.async_abort(dialogue.shown["flow_id"])
    await until(lambda: not entry.runtime_data.own_hub.receiver.learning)
    dialogue = await begin_to_teach(hass, entry, lounge, control)
    await dialogue.choose("teach_anew")
    assert dialogue.step == "teach"
    assert dialogue.suggested["modes"] == [*control.remote]
    await dialogue.submit(**answers_about(control))
    assert (await question_of(dialogue))[1] == "1"


async def test_the_hub_disconnects_during_a_lesson(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    control = rolling_bit()
    dialogue = await begin_lesson(hass, entry, lounge, control, presses=3)
    texts = await states_by_text(hass, control)
    asked = await question_of(dialogue)
    await hass.config_entries.async_unload(entry.entry_id)
    await dialogue.arrive("ask_stopped")
    assert dialogue.texts["problem"]
    assert dialogue.texts["kept"] == "Earlier presses are kept."
    assert dialogue.texts["asked"] == asked[0]
    assert await hass.config_entries.async_setup(entry.entry_id)
    await until(lambda: entry.runtime_data.hub.available)
    lounge.faults.silent = True
    await dialogue.choose("ask_on")
    await dialogue.arrive("ask_stopped")
    assert dialogue.texts["problem"]
    lounge.faults.silent = False
    await until(lambda: entry.runtime_data.hub.available)
    await dialogue.choose("ask_on")
    assert await question_of(dialogue) == asked
    await press_next(dialogue, lounge, control, texts)


async def test_a_double_click_counts_once(
    hass: HomeAssistant,
    lounge: VirtualHub,
    entry: IrhubConfigEntry,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    control = rolling_bit()
    dialogue = await begin_lesson(hass, entry, lounge, control, presses=5)
    await question_of(dialogue)
    monkeypatch.setattr(listening, "DOUBLE_CLICK_S", 60)
    await dialogue.choose("ask_back")
    assert dialogue.texts["number"] == "5"
    await dialogue.submit(next_step_id="ask_back")
    assert dialogue.texts["number"] == "5"
    monkeypatch.setattr(listening, "DOUBLE_CLICK_S", 0)
    await dialogue.choose("no_such_button")
    await dialogue.submit(next_step_id="no_such_button")
    assert dialogue.step == "lacks"
    await dialogue.choose("ask_on")
    assert (await question_of(dialogue))[1] == "5"


@pytest.mark.parametrize("language", ["de", "es", "fr", "nl"])
async def test_levels_are_offered_in_the_language_of_the_home(
    hass: HomeAssistant, language: str, lounge: VirtualHub
) -> None:
    hass.config.language = language
    entry = await add(hass, lounge)
    dialogue = await (await begin(hass, entry)).choose("air_conditioner")
    await press(dialogue, lounge, HDMI)
    await dialogue.choose("teach")
    for key in ("modes", "fans", "swings", "presets"):
        for option in dialogue.fields[key].config["options"]:
            assert option["label"] != option["value"], key


async def test_implied_levels_are_added(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    """Who names one swing has off, too; who begins at half a degree has half degrees."""
    dialogue = await begin_to_teach(hass, entry, lounge, rolling_bit())
    answers = {"modes": ["cool"], "swings": ["on"], "lowest": 16.5, "highest": 18.0}
    await dialogue.submit(**answers, unit="celsius", step="1")
    assert await question_of(dialogue) == ("COOL 17.5° SWING OFF", "1")


async def test_fahrenheit_is_suggested(hass: HomeAssistant, lounge: VirtualHub) -> None:
    hass.config.units = US_CUSTOMARY_SYSTEM
    control = crc_and_digits()
    entry = await add(hass, lounge)
    dialogue = await begin_to_teach(hass, entry, lounge, control)
    filled = dialogue.suggested
    assert (filled["lowest"], filled["highest"], filled["unit"]) == (60, 86, "fahrenheit")
    await dialogue.submit(**answers_about(control) | {"lowest": 30})
    assert "45 to 105" in dialogue.error
    await dialogue.submit(**answers_about(control))
    presses, _ = await teach(hass, dialogue, lounge, control)
    assert presses <= 30
    assert "60 \N{EN DASH} 86 °F" in dialogue.texts["found"]
    await finish(hass, dialogue, "climate.air_conditioner")
    data = {"entity_id": "climate.air_conditioner"}
    await act(hass, "climate", "set_temperature", **data, temperature=77, hvac_mode="heat")
    await act(hass, "climate", "set_preset_mode", **data, preset_mode="eco")
    await act(hass, "climate", "set_fan_mode", **data, fan_mode="medium")
    wanted = State(mode="heat", preset="eco", fan="medium", temperature=77)
    assert read(lounge.transmitted[-1]).key == read(control.packet(wanted)).key


async def test_a_timeout_and_a_disconnected_hub_are_reported(
    hass: HomeAssistant,
    lounge: VirtualHub,
    entry: IrhubConfigEntry,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dialogue = await (await begin(hass, entry)).choose("light")
    with monkeypatch.context() as patch:
        patch.setattr(listening, "LEARN_WINDOW_S", 0.3)
        await dialogue.choose("press_button")
        await dialogue.arrive("not_heard")
    assert "No signal was received" in dialogue.texts["problem"]
    await dialogue.choose("learn_remote")
    assert "pressed" not in dialogue.fields
    await dialogue.submit(name="Lamp", buttons=["on", "off"])
    await dialogue.arrive("press")
    await lounge.press_when_listening(code_of_button(1))
    await wait_for_button(dialogue, "off")
    await hass.config_entries.async_unload(entry.entry_id)
    await dialogue.arrive("stopped")
    assert dialogue.texts["problem"]
    assert await hass.config_entries.async_setup(entry.entry_id)
    await until(lambda: entry.runtime_data.hub.available)
    await dialogue.choose("hear_on")
    await wait_for_button(dialogue, "off")
    await lounge.press_when_listening(code_of_button(2))
    await dialogue.arrive("ready")
    await finish(hass, dialogue, "light.lamp")


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_the_kind_of_an_appliance_is_changed(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    dialogue = await (await begin(hass, entry)).choose("light")
    await press(dialogue, lounge, code_of_button(0))
    await dialogue.choose("learn_remote")
    await dialogue.submit(name="Thing", buttons=["on", "off"], pressed="on")
    await wait_for_button(dialogue, "off")
    await lounge.press_when_listening(code_of_button(1))
    await dialogue.arrive("ready")
    await finish(hass, dialogue, "light.thing")
    dialogue = await change(hass, entry)
    await dialogue.submit(then="kind")
    await dialogue.submit(kind="fan")
    assert dialogue.step == "ready"
    await dialogue.submit(then="finish")
    await until(lambda: hass.states.get("fan.thing") is not None)
    assert er.async_get(hass).async_get("light.thing") is None


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_the_menu_of_a_hub_leads_to_add_appliance(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, lounge: VirtualHub
) -> None:
    monkeypatch.setattr(options, "CAN_HAND_OVER", True)
    entry = await add(hass, lounge)
    dialogue = await (await configure(hass, entry)).choose("add_appliance")
    await dialogue.wait(lambda: dialogue.type is FlowResultType.ABORT)
    kind, flow_id = dialogue.shown["next_flow"]
    assert kind == "config_subentries_flow"
    [progress] = hass.config_entries.subentries.async_progress()
    assert (progress["flow_id"], progress["step_id"]) == (flow_id, "user")
