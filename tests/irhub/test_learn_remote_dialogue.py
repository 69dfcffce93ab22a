"""Learning a whole remote control in the dialogue."""

from collections.abc import Sequence

from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
import pytest

from custom_components.irhub.codes.packet import from_timings
from custom_components.irhub.dialogues import learn_remote
from custom_components.irhub.hub import ear
from tests.home import until
from virtual_home.hub import VirtualHub

from .dialogues import Dialogue, add, configure
from .home import FAN, commands
from .test_button import learn as store

TELEVISION = [
    *("power", "volume up", "volume down", "mute", "channel up", "channel down"),
    *("up", "down", "left", "right", "ok", "back", "home", "source"),
]


def a_press(number: int) -> bytes:
    """Return the code of a button, another one for each number (NEC)."""
    bits = f"{0x04:08b}{0xFB:08b}{number:08b}{number ^ 0xFF:08b}"
    spaces = [-1690 if bit == "1" else -560 for bit in bits]
    data = [us for space in spaces for us in (560, space)]
    return from_timings([9000, -4500, *data, 560, -40000])


async def begin(
    hass: HomeAssistant, hub: VirtualHub, *, names: Sequence[str] = TELEVISION, **keys: object
) -> Dialogue:
    """Open the dialogue of a hub, and go to where the hub listens."""
    [*entries] = hass.config_entries.async_entries("irhub")
    dialogue = await configure(hass, entries[0] if entries else await add(hass, hub))
    await dialogue.choose("learn_remote")
    await dialogue.submit(
        **{"device": "television", "template": "television", "alternative": False, **keys}
    )
    assert dialogue.step == "names"
    await dialogue.submit(commands=[*names])
    return dialogue


async def asked_for(dialogue: Dialogue, name: str) -> None:
    """Wait until the hub listens for a button."""
    await dialogue.wait(lambda: dialogue.step == "press" and dialogue.texts["command"] == name)


def learned(hass: HomeAssistant) -> dict[str, int]:
    """Return what was learned for the television, and by how many codes."""
    [entry] = hass.config_entries.async_entries("irhub")
    learned = commands(entry.runtime_data.devices).get("television", {})
    return {name: len(packets) for name, packets in learned.items()}


async def test_press_after_press(hass: HomeAssistant) -> None:
    async with VirtualHub("rm_mini", name="Lounge") as hub:
        dialogue = await configure(hass, await add(hass, hub))
        await dialogue.choose("learn_remote")
        schema = dialogue.shown["data_schema"]
        assert schema is not None
        assert [*dialogue.fields] == ["device", "template", "alternative"]
        await dialogue.submit(device=" television ", template="television", alternative=False)
        [field] = dialogue.shown["data_schema"].schema  # type: ignore[union-attr]
        assert field.description == {"suggested_value": TELEVISION}
        await dialogue.submit(commands=TELEVISION[:3])
        assert dialogue.type is FlowResultType.SHOW_PROGRESS
        for number, name in enumerate(TELEVISION[:3]):
            await asked_for(dialogue, name)
            assert (dialogue.texts["number"], dialogue.texts["total"]) == (str(number + 1), "3")
            assert dialogue.texts["seconds"] == "20"
            await hub.press_when_listening(a_press(number))
            await dialogue.arrive("learned" if number == 2 else "let_go")
        assert dialogue.texts["count"] == "3"
        assert learned(hass) == dict.fromkeys(TELEVISION[:3], 1)
        await dialogue.choose("finish")
        assert dialogue.shown["reason"] == "finished"
        await hass.async_block_till_done()
        assert hass.states.get("button.television_mute") is None
        assert hass.states.get("button.television_volume_up") is not None


async def test_skip_and_back(hass: HomeAssistant) -> None:
    async with VirtualHub("rm_mini", name="Lounge") as hub:
        dialogue = await begin(hass, hub, names=["power", "mute", "ok"])
        await dialogue.arrive("press")
        assert "back" not in dialogue.shown["menu_options"]
        await dialogue.choose("skip")
        assert dialogue.texts["command"] == "mute"
        await hub.press_when_listening(a_press(1))
        await dialogue.arrive("let_go")
        await asked_for(dialogue, "ok")
        assert dialogue.texts["heard"].startswith("✓ mute · IR · ")
        await dialogue.choose("back")
        assert dialogue.texts["command"] == "mute"
        await hub.press_when_listening(a_press(2))
        await dialogue.arrive("let_go")
        assert dialogue.texts["command"] == "ok"
        await dialogue.choose("learned")
        assert dialogue.step == "learned_some"
        assert dialogue.texts["left"] == "ok, power"
        await until(lambda: hub.count("cancel") == 1)
        [entry] = hass.config_entries.async_entries("irhub")
        use = entry.runtime_data
        device, mute = use.devices.find("television", "mute")
        await use.send(device, [mute])
        assert hub.transmitted == [a_press(2)]

        await dialogue.choose("missing")
        for number in (3, 4):
            await dialogue.arrive("press")
            await hub.press_when_listening(a_press(number))
            await dialogue.refresh()
        await dialogue.arrive("learned")
        assert learned(hass) == {"power": 1, "mute": 1, "ok": 1}


async def test_a_button_that_is_held_too_long_is_not_the_next_one(hass: HomeAssistant) -> None:
    async with VirtualHub("rm_mini", name="Lounge") as hub:
        dialogue = await begin(hass, hub, names=["power", "mute"])
        await dialogue.arrive("press")
        for _ in range(2):
            await hub.press_when_listening(a_press(1))
        await dialogue.arrive("press_other")
        assert dialogue.texts["repeated"] == "power"
        assert dialogue.texts["command"] == "mute"
        await hub.press_when_listening(a_press(2))
        await dialogue.arrive("learned")
        assert learned(hass) == {"power": 1, "mute": 1}


async def test_what_is_there_is_asked_about(hass: HomeAssistant) -> None:
    async with VirtualHub("rm_mini", name="Lounge") as hub:
        await add(hass, hub)
        await store(hass, television={"power": "hex:" + a_press(9).hex()})
        dialogue = await begin(hass, hub, names=["power", "mute"])
        assert dialogue.step == "names_taken"
        assert dialogue.texts["commands"] == "power"
        await dialogue.choose("names")
        await dialogue.submit(commands=["power", "mute"])
        await dialogue.choose("only_new")
        await asked_for(dialogue, "mute")
        await hub.press_when_listening(a_press(1))
        await dialogue.arrive("learned")

        dialogue = await begin(hass, hub, names=["power", "mute"])
        assert dialogue.texts["commands"] == "mute, power"
        assert "only_new" not in dialogue.shown["menu_options"]
        await dialogue.choose("replace")
        await dialogue.arrive("press")
        await hub.press_when_listening(a_press(2))
        await dialogue.arrive("let_go")
        await dialogue.choose("learned")
        [entry] = hass.config_entries.async_entries("irhub")
        assert commands(entry.runtime_data.devices)["television"]["power"] == [a_press(2)]
        assert commands(entry.runtime_data.devices)["television"]["mute"] == [a_press(1)]


async def test_two_codes_by_turns(hass: HomeAssistant) -> None:
    async with VirtualHub("rm_mini", name="Lounge") as hub:
        dialogue = await begin(hass, hub, names=["power", "mute"], alternative=True)
        await dialogue.arrive("press")
        await hub.press_when_listening(a_press(1))
        await dialogue.arrive("second")
        await hub.press_when_listening(a_press(2))
        await asked_for(dialogue, "mute")
        for _ in range(2):
            await hub.press_when_listening(a_press(3))
        await dialogue.arrive("learned")
        assert learned(hass) == {"power": 2, "mute": 1}


async def test_the_frequency_is_searched_for_once(hass: HomeAssistant) -> None:
    async with VirtualHub("rm4_pro", name="Lounge") as hub:
        dialogue = await begin(hass, hub, names=["on", "off"], command_type="rf")
        await dialogue.arrive("hold")
        await hub.until(lambda: hub.receiver.hold(433.92))
        await dialogue.arrive("again")
        await hub.press_when_listening(FAN)
        await dialogue.arrive("press")
        assert "RF · 433.92 MHz" in dialogue.texts["heard"]
        other = bytearray(FAN)
        other[20] ^= 0x30
        await hub.press_when_listening(bytes(other))
        await dialogue.arrive("learned")
        assert hub.count("sweep") == 1
        assert learned(hass) == {"on": 1, "off": 1}


async def test_nobody_presses(hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch) -> None:
    capture = ear.Learning.capture

    async def briefly(*args: object, **keys: object) -> list[ear.Captured]:
        return await capture(*args, **{**keys, "window": 0.3})  # type: ignore[arg-type]

    monkeypatch.setattr(ear.Learning, "capture", briefly)
    monkeypatch.setattr(learn_remote, "LEARN_WINDOW_S", 0.2)
    async with VirtualHub("rm_mini", name="Lounge") as hub:
        dialogue = await begin(hass, hub, names=["power", "mute"])
        await dialogue.arrive("stopped")
        assert "No signal was received" in dialogue.texts["problem"]
        monkeypatch.undo()
        await dialogue.choose("hear_on")
        await asked_for(dialogue, "power")
        await hub.press_when_listening(a_press(1))
        await asked_for(dialogue, "mute")


async def test_a_closed_dialogue_ends_learning_on_the_device(hass: HomeAssistant) -> None:
    async with VirtualHub("rm_mini", name="Lounge") as hub:
        dialogue = await begin(hass, hub)
        await dialogue.arrive("press")
        hass.config_entries.options.async_abort(dialogue.shown["flow_id"])
        await until(lambda: hub.count("cancel") == 1)
        [entry] = hass.config_entries.async_entries("irhub")
        await until(lambda: not entry.runtime_data.hub.ear.learning)


async def test_a_hub_that_is_reloaded_meanwhile(hass: HomeAssistant) -> None:
    async with VirtualHub("rm_mini", name="Lounge") as hub:
        dialogue = await begin(hass, hub, names=["power"])
        await dialogue.arrive("press")
        [entry] = hass.config_entries.async_entries("irhub")
        await hass.config_entries.async_reload(entry.entry_id)
        await dialogue.arrive("stopped")
        assert "was closed" in dialogue.texts["problem"]


async def test_what_is_missing_is_said_and_nothing_leads_back(hass: HomeAssistant) -> None:
    async with VirtualHub("rm_mini", name="Lounge") as hub:
        dialogue = await configure(hass, await add(hass, hub))
        await dialogue.choose("learn_remote")
        await dialogue.submit(device="tv", alternative=False)
        assert "Choose what the remote control is for" in dialogue.error
        await dialogue.submit(template="own", alternative=False)
        assert "name is empty" in dialogue.error
        await dialogue.submit(device="tv", template="own", alternative=False)
        assert dialogue.step == "names"
        await dialogue.submit()
        assert dialogue.step == "learn_remote"
        await dialogue.submit(alternative=False)
        assert dialogue.step == "init"


async def test_the_buttons_are_called_as_the_home_speaks(hass: HomeAssistant) -> None:
    hass.config.language = "de"
    async with VirtualHub("rm_mini", name="Lounge") as hub:
        dialogue = await configure(hass, await add(hass, hub))
        await dialogue.choose("learn_remote")
        await dialogue.submit(device="television", template="amplifier", alternative=False)
        [field] = dialogue.shown["data_schema"].schema  # type: ignore[union-attr]
        names = ["Ein/Aus", "Lauter", "Leiser", "Stumm", "Quelle"]
        assert field.description == {"suggested_value": names}
        await dialogue.submit(commands=names[:1])
        await asked_for(dialogue, "Ein/Aus")
        await hub.press_when_listening(a_press(1))
        await dialogue.arrive("learned")
        assert learned(hass) == {"Ein/Aus": 1}
