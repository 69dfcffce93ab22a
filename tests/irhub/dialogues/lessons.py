"""From the first press to a lesson, as a user clicks."""

from itertools import product

from homeassistant.config_entries import SOURCE_USER, ConfigEntry
from homeassistant.core import HomeAssistant

from custom_components.irhub.dialogues.words import async_words
from custom_components.irhub.ircodes import OFF, Off, State
from custom_components.irhub.ircodes.states import ATTRIBUTES
from virtual_home.hub import VirtualHub

from ..dialogue import Dialogue
from ..ircodes.teaching.remotes import RemoteControl
from .appliances import finish


class Clicks(Dialogue):
    """Counts the answers: each is a click."""

    count = 1
    """The first opened the dialogue."""

    async def submit(self, **answers: object) -> Dialogue:
        """Answer the form."""
        self.count += 1
        return await super().submit(**answers)


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


async def states_by_text(hass: HomeAssistant, control: RemoteControl) -> dict[str, State | Off]:
    """Return what the dialogue calls the states of a remote control, and those that it lacks."""
    words = await async_words(hass)
    every: list[State | Off] = [OFF]
    values = [[*values_of(control, attribute), None] for attribute in ATTRIBUTES]
    for mode in (*control.remote, "auto"):
        for preset, fan, swing, temperature in product(*values):
            levels = {"preset": preset, "fan": fan, "swing": swing, "temperature": temperature}
            every.append(State(mode=mode, **levels))  # type: ignore[arg-type]  # as their names say
    return {words.display(each): each for each in every}


def values_of(control: RemoteControl, attribute: str) -> list[str | float]:
    """Return what any mode of a remote control has."""
    return [
        *dict.fromkeys(
            setting for levels in control.remote.values() for setting in levels.values(attribute)
        )
    ]


def answers_about(control: RemoteControl) -> dict[str, object]:
    """Return what the owner of a remote control says of it."""
    degrees = sorted(float(value) for value in values_of(control, "temperature"))
    return {
        "modes": [*control.remote],
        **{f"{table}s": values_of(control, table) for table in ATTRIBUTES[:-1]},
        "lowest": degrees[0],
        "highest": degrees[-1],
        "unit": "fahrenheit" if degrees[0] > 45 else "celsius",
        "step": f"{degrees[1] - degrees[0]:g}",
    }


def missing_button(control: RemoteControl, asked: State) -> str | None:
    """Return what the owner answers who cannot press a state; None: it can be pressed."""
    if (levels := control.remote.get(asked.mode)) is None:
        return "no_mode"
    for attribute in ATTRIBUTES:
        if (wanted := getattr(asked, attribute)) is None or wanted in levels.values(attribute):
            continue
        if not levels.values(attribute):
            return f"no_{attribute}s"
        return "no_colder" if attribute == "temperature" else f"no_{attribute}"
    return None


async def begin_to_teach(
    hass: HomeAssistant, entry: ConfigEntry, hub: VirtualHub, control: RemoteControl
) -> Clicks:
    """Go to where the remote control is described."""
    dialogue = await begin(hass, entry)
    await dialogue.choose("air_conditioner")
    await press(dialogue, hub, control.press(OFF))
    assert "known_state" not in dialogue.shown["menu_options"]
    await dialogue.choose("teach")
    return dialogue


async def question_of(dialogue: Dialogue) -> tuple[str, str]:
    """Wait until something is asked for; return what, and the number of the press."""
    await dialogue.wait(lambda: dialogue.step in ("ask", "ask_same"))
    return dialogue.texts["asked"], dialogue.texts["number"]


async def press_next(
    dialogue: Dialogue, hub: VirtualHub, control: RemoteControl, texts: dict[str, State | Off]
) -> None:
    """Press what is asked for, and wait until something else is."""
    await question_of(dialogue)
    number = dialogue.texts["number"]
    await hub.press_when_listening(control.press(texts[dialogue.texts["asked"]]))
    await dialogue.wait(lambda: dialogue.texts.get("number") != number)


async def press_until_off(
    dialogue: Dialogue, hub: VirtualHub, control: RemoteControl, texts: dict[str, State | Off]
) -> None:
    """Press what is asked for until that is off."""
    while (await question_of(dialogue))[0] != "OFF":
        await press_next(dialogue, hub, control, texts)


async def teach(
    hass: HomeAssistant, dialogue: Dialogue, hub: VirtualHub, control: RemoteControl
) -> tuple[int, int]:
    """Press what is asked for to the end; return how many presses and other answers that were."""
    texts, lacking, pressed = await states_by_text(hass, control), 0, 0
    while pressed < 40:
        await dialogue.wait(lambda: dialogue.step in ("ask", "ask_same", "ask_again", "ready"))
        if dialogue.step == "ready":
            return pressed, lacking
        shown = dialogue.texts["asked"], dialogue.texts["number"]
        asked = texts[shown[0]]
        if isinstance(asked, State) and (answer := missing_button(control, asked)) is not None:
            await (await dialogue.choose("no_such_button")).choose(answer)
            lacking += 1
            continue
        await hub.press_when_listening(control.press(asked))
        pressed += 1
        await dialogue.wait(
            lambda shown=shown: (  # type: ignore[misc]
                dialogue.step == "ready"
                or (dialogue.texts.get("asked"), dialogue.texts.get("number")) != shown
            )
        )
    raise AssertionError("it asks without end")


async def begin_lesson(
    hass: HomeAssistant,
    entry: ConfigEntry,
    hub: VirtualHub,
    control: RemoteControl,
    presses: int = 0,
) -> Clicks:
    """Describe the remote control, and press what is asked for so many times."""
    dialogue = await begin_to_teach(hass, entry, hub, control)
    await dialogue.submit(**answers_about(control))
    if presses:
        texts = await states_by_text(hass, control)
        for _ in range(presses):
            await press_next(dialogue, hub, control, texts)
    return dialogue


async def add_taught(
    hass: HomeAssistant, entry: ConfigEntry, hub: VirtualHub, control: RemoteControl
) -> None:
    """Teach an air conditioner, and keep it."""
    dialogue = await begin_lesson(hass, entry, hub, control)
    await teach(hass, dialogue, hub, control)
    await finish(hass, dialogue, "climate.air_conditioner")
