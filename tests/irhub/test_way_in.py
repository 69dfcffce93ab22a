"""From nothing to a finished appliance: what is it, and a press of its remote control."""

from pathlib import Path

from homeassistant.config_entries import SOURCE_USER, ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.irhub.codes.bits import said
from custom_components.irhub.codes.state import OFF, Off, State
from custom_components.irhub.devices.layout import device_data, read_device
from custom_components.irhub.dialogues import listening, options
from custom_components.irhub.dialogues.words import words
from custom_components.irhub.hub import ear
from custom_components.irhub.teaching.remote import states
from tests.home import until
from virtual_home.hub import VirtualHub

from .dialogues import Dialogue, add, configure
from .home import FAN, HDMI, known
from .teaching.remotes import RemoteControl, bytes_by_mode, rolling_bit, sum_over_two_frames
from .test_appliance_dialogue import act, change, finish
from .test_index import FOLDER, file_of, heard, put, state
from .test_learn_remote_dialogue import a_press, asked_for

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


class Clicks(Dialogue):
    """Counts the answers: each is a click."""

    count = 1
    """The first opened the dialogue."""

    async def submit(self, **answers: object) -> Dialogue:
        """Answer the form."""
        self.count += 1
        return await super().submit(**answers)


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Press and click at once."""
    monkeypatch.setattr(ear, "BETWEEN_PRESSES_S", 0.05)
    monkeypatch.setattr(listening, "DOUBLE_CLICK_S", 0)


async def begin(hass: HomeAssistant, entry: ConfigEntry) -> Clicks:
    """Click on "Add appliance"."""
    flows = hass.config_entries.subentries
    shown = await flows.async_init((entry.entry_id, "appliance"), context={"source": SOURCE_USER})
    return Clicks(flows.async_configure, shown)  # type: ignore[arg-type]  # a subentry's result


async def press(dialogue: Dialogue, hub: VirtualHub, packet: bytes) -> None:
    """Press a button of a remote control that nobody knows yet."""
    await dialogue.choose("press_button")
    await dialogue.wait(
        lambda: str(dialogue.shown.get("progress_action")) in ("press_any", "press_state")
    )
    await hub.press_when_listening(packet)
    await dialogue.arrive("heard")


@pytest.mark.parametrize("kind", KINDS)
async def test_each_kind_from_nothing(hass: HomeAssistant, kind: str) -> None:
    async with VirtualHub("rm_mini", name="Lounge") as hub:
        entry = await add(hass, hub)
        dialogue = await begin(hass, entry)
        await dialogue.choose(kind)
        collected = [] if kind == "cover" else ["maker_and_model"]
        assert dialogue.shown["menu_options"] == [
            *("press_button", "learn_remote", *collected, "file", "user")
        ]
        await press(dialogue, hub, a_press(0))
        await dialogue.choose("learn_remote")
        name, names = dialogue.suggested["name"], dialogue.suggested["buttons"]
        await dialogue.submit(name=name, buttons=[*names, "x"], pressed=names[0])
        for number, each in enumerate([*names[1:], "x"], start=1):
            await asked_for(dialogue, each)
            await hub.press_when_listening(a_press(number))
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
            assert hub.transmitted == [a_press(1)]
        if kind == "cover":
            shown = hass.states.get(entity_id)
            assert shown is not None
            assert shown.attributes["device_class"] == "blind"


async def test_something_else_gets_buttons(hass: HomeAssistant) -> None:
    async with VirtualHub("rm_mini", name="Lounge") as hub:
        entry = await add(hass, hub)
        dialogue = await begin(hass, entry)
        await dialogue.choose("other")
        await press(dialogue, hub, a_press(0))
        await dialogue.choose("learn_remote")
        await dialogue.submit(name="Gate", buttons=["open"], pressed="open")
        assert dialogue.step == "ready"
        assert "more" not in dialogue.fields
        await dialogue.submit(then="finish")
        assert dialogue.type is FlowResultType.ABORT
        assert dialogue.shown["reason"] == "buttons_added"
        await until(lambda: hass.states.get("button.gate_open") is not None)
        assert not entry.subentries


async def test_a_radio_blind_from_nothing(hass: HomeAssistant) -> None:
    async with VirtualHub("rm4_pro", name="Lounge") as hub:
        entry = await add(hass, hub)
        dialogue = await (await (await begin(hass, entry)).choose("cover")).choose("learn_remote")
        await dialogue.submit(name="Blind", buttons=["open", "stop", "close"], command_type="rf")
        await dialogue.arrive("hold")
        await hub.until(lambda: hub.receiver.hold(433.92))
        await dialogue.arrive("again")
        for number in range(3):
            packet = bytearray(FAN)
            packet[20] ^= 0x10 * number
            await hub.press_when_listening(bytes(packet))
            await dialogue.wait(
                lambda number=number: dialogue.texts.get("place") != f"{number + 1}/3"  # type: ignore[misc]
            )
        await dialogue.arrive("ready")
        assert dialogue.texts["found"] == "- Open, Close, Stop"
        await finish(hass, dialogue, "cover.blind")
        assert hub.count("sweep") == 1


async def test_a_file_that_fits_is_offered(hass: HomeAssistant, config_dir: Path) -> None:
    climate = file_of(1) | {
        "manufacturer": "LG",
        "operationModes": ["cool", "heat", "dry"],
        "fanModes": ["auto", "low"],
        "minTemperature": 18,
        "maxTemperature": 25,
    }
    put(config_dir, {f"{FOLDER}/1.json": climate})
    async with VirtualHub(name="Lounge") as hub:
        entry = await add(hass, hub)
        dialogue = await begin(hass, entry)
        await dialogue.choose("air_conditioner")
        await press(dialogue, hub, heard(state(1, "cool", "auto", 24), 1))
        assert "1.json (LG A, B): cool auto 24" in dialogue.texts["files"]
        assert "domain=lg_infrared" in dialogue.texts["own"]
        await dialogue.choose("choose_file")
        assert dialogue.step == "ready"
        assert dialogue.texts["found"].startswith("- Cool, ")
        name = dialogue.suggested["name"]
        await finish(hass, dialogue, f"climate.{name.lower().replace(' ', '_')}")
        assert dialogue.count + 1 <= MOST_CLICKS


async def texts_of(hass: HomeAssistant, control: RemoteControl) -> dict[str, State | Off]:
    """Return what the dialogue calls the states of a remote control."""
    of_language = await words(hass)
    every: list[State | Off] = [OFF]
    every += [each for mode in control.remote for each in states(control.remote, mode)]
    return {of_language.state(each): each for each in every}


async def answers_of(control: RemoteControl) -> dict[str, object]:
    """Return what the owner of a remote control says of it."""
    has = next(iter(control.remote.values()))
    return {
        "modes": [*control.remote],
        "fans": [*has.fans],
        "swings": [*has.swings],
        "lowest": has.temperatures[0],
        "highest": has.temperatures[-1],
        "unit": "celsius",
        "halves": has.temperatures[1] - has.temperatures[0] < 1,
    }


async def teach(
    hass: HomeAssistant, dialogue: Dialogue, hub: VirtualHub, control: RemoteControl
) -> int:
    """Press what is asked for to the end; return how many presses that were."""
    texts = await texts_of(hass, control)
    for number in range(40):
        await dialogue.wait(lambda: dialogue.step in ("ask", "ready"))
        if dialogue.step == "ready":
            return number
        asked = dialogue.texts["asked"], dialogue.texts["number"]
        await hub.press_when_listening(control.press(texts[asked[0]]))
        await dialogue.wait(
            lambda asked=asked: (  # type: ignore[misc]
                dialogue.step == "ready"
                or (dialogue.texts.get("asked"), dialogue.texts.get("number")) != asked
            )
        )
    raise AssertionError("it asks without end")


@pytest.mark.parametrize("make", [bytes_by_mode, sum_over_two_frames, rolling_bit])
async def test_an_air_conditioner_is_taught(hass: HomeAssistant, make: object) -> None:
    control: RemoteControl = make()  # type: ignore[operator]
    async with VirtualHub(name="Lounge") as hub:
        entry = await add(hass, hub)
        dialogue = await begin(hass, entry)
        await dialogue.choose("air_conditioner")
        await press(dialogue, hub, control.press(OFF))
        await dialogue.choose("teach")
        await dialogue.submit(**await answers_of(control))
        assert await teach(hass, dialogue, hub, control) <= 30
        await finish(hass, dialogue, "climate.air_conditioner")
        assert dialogue.count + 1 <= MOST_CLICKS

        device = known(hass).named("Air conditioner")
        assert read_device(device_data(device)) == device
        await hass.config_entries.async_reload(entry.entry_id)
        await until(lambda: hass.states.get("climate.air_conditioner") is not None)
        await until(lambda: entry.runtime_data.hub.available)
        for mode, fan, degrees in (("cool", "high", 19), ("heat", "low", 28)):
            data = {"entity_id": "climate.air_conditioner"}
            await act(hass, "climate", "set_hvac_mode", **data, hvac_mode=mode)
            await act(hass, "climate", "set_fan_mode", **data, fan_mode=fan)
            await act(hass, "climate", "set_temperature", **data, temperature=degrees)
            swings = next(iter(control.remote.values())).swings
            if swings:
                await act(hass, "climate", "set_swing_mode", **data, swing_mode=swings[0])
            wanted = State(
                mode=mode, fan=fan, swing=swings[0] if swings else None, temperature=degrees
            )
            sent = said(hub.transmitted[-1])
            assert sent in [said(control.packet(wanted, presses)) for presses in (1, 2)]
        await act(hass, "climate", "turn_off", entity_id="climate.air_conditioner")
        assert said(hub.transmitted[-1]) == said(control.packet(OFF))


async def test_a_press_that_contradicts_is_asked_for_again(hass: HomeAssistant) -> None:
    control = bytes_by_mode()
    async with VirtualHub(name="Lounge") as hub:
        entry = await add(hass, hub)
        dialogue = await (await begin(hass, entry)).choose("air_conditioner")
        await press(dialogue, hub, HDMI)
        await dialogue.choose("teach")
        answers = await answers_of(control)
        await dialogue.submit(**answers | {"modes": []})
        assert "at least one mode" in dialogue.error
        await dialogue.submit(**answers | {"lowest": 1})
        assert "5 to 40" in dialogue.error
        await dialogue.submit(**answers)
        texts = await texts_of(hass, control)
        for _ in range(3):
            await dialogue.arrive("ask")
            asked = dialogue.texts["number"]
            await hub.press_when_listening(control.press(texts[dialogue.texts["asked"]]))
            await dialogue.wait(lambda asked=asked: dialogue.texts["number"] != asked)  # type: ignore[misc]
        await dialogue.arrive("ask")
        await hub.press_when_listening(HDMI)
        await dialogue.wait(lambda: dialogue.step in ("ask_again", "ask_unreadable"))
        await dialogue.choose("ask_back")
        await dialogue.arrive("ask")
        before = dialogue.texts["asked"]
        await dialogue.choose("no_such_button")
        await dialogue.arrive("ask")
        assert dialogue.texts["asked"] != before
        hass.config_entries.subentries.async_abort(dialogue.shown["flow_id"])
        await until(lambda: not entry.runtime_data.hub.ear.learning)


async def test_nobody_presses_and_the_hub_is_unplugged(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with VirtualHub(name="Lounge") as hub:
        entry = await add(hass, hub)
        dialogue = await (await begin(hass, entry)).choose("light")
        defaults = {**(ear.Learning.capture.__kwdefaults__ or {}), "window": 0.3}
        with monkeypatch.context() as patch:
            patch.setattr(ear.Learning.capture, "__kwdefaults__", defaults)
            await dialogue.choose("press_button")
            await dialogue.arrive("not_heard")
        assert "No signal was received" in dialogue.texts["problem"]
        await dialogue.choose("learn_remote")
        assert "pressed" not in dialogue.fields
        await dialogue.submit(name="Lamp", buttons=["on", "off"])
        await dialogue.arrive("press")
        await hub.press_when_listening(a_press(1))
        await asked_for(dialogue, "off")
        await hass.config_entries.async_unload(entry.entry_id)
        await dialogue.arrive("stopped")
        assert dialogue.texts["problem"]
        assert await hass.config_entries.async_setup(entry.entry_id)
        await until(lambda: entry.runtime_data.hub.available)
        await dialogue.choose("hear_on")
        await asked_for(dialogue, "off")
        await hub.press_when_listening(a_press(2))
        await dialogue.arrive("ready")
        await finish(hass, dialogue, "light.lamp")


async def test_it_is_something_else_later(hass: HomeAssistant) -> None:
    async with VirtualHub("rm_mini", name="Lounge") as hub:
        entry = await add(hass, hub)
        dialogue = await (await begin(hass, entry)).choose("light")
        await press(dialogue, hub, a_press(0))
        await dialogue.choose("learn_remote")
        await dialogue.submit(name="Thing", buttons=["on", "off"], pressed="on")
        await asked_for(dialogue, "off")
        await hub.press_when_listening(a_press(1))
        await dialogue.arrive("ready")
        await finish(hass, dialogue, "light.thing")
        dialogue = await change(hass, entry)
        await dialogue.submit(then="kind")
        await dialogue.submit(kind="fan")
        assert dialogue.step == "ready"
        await dialogue.submit(then="finish")
        await until(lambda: hass.states.get("fan.thing") is not None)
        assert er.async_get(hass).async_get("light.thing") is None


async def test_configure_leads_to_it(hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "CAN_HAND_OVER", True)
    async with VirtualHub("rm_mini", name="Lounge") as hub:
        entry = await add(hass, hub)
        dialogue = await (await configure(hass, entry)).choose("add_appliance")
        await dialogue.wait(lambda: dialogue.type is FlowResultType.ABORT)
        kind, flow_id = dialogue.shown["next_flow"]
        assert kind == "config_subentries_flow"
        [begun] = hass.config_entries.subentries.async_progress()
        assert (begun["flow_id"], begun["step_id"]) == (flow_id, "user")
