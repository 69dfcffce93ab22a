"""Air conditioners with temperatures, steps and modes of their own are taught as any other."""

from homeassistant.core import HomeAssistant
import pytest

from custom_components.irhub.devices.device import Taught
from custom_components.irhub.entities.use import IrhubConfigEntry
from custom_components.irhub.ircodes import OFF, Levels, Off, State, read
from virtual_home.hub import VirtualHub

from ..home import known
from ..ircodes.teaching.remotes import Frames, RemoteControl
from .appliances import act, finish
from .lessons import begin_to_teach, states_by_text

pytestmark = pytest.mark.usefixtures("no_pauses", "no_double_clicks")

CLIMATE = "climate.air_conditioner"
FANS = ("auto", "low", "high")
OF_MODES = {
    "cool": [float(degrees) for degrees in range(16, 31, 2)],
    "dry": [24.0],
    "heat": [float(degrees) for degrees in range(20, 31, 2)],
}
"""In steps of two degrees; one mode has a single temperature, one has limits of its own."""


def remote_with_limits_per_mode() -> RemoteControl:
    """Return a remote control that has a mode which Home Assistant has no word for."""
    codes = {"cool": 1, "dry": 2, "heat": 4, "auto": 6}

    def says(state: State | Off, _: int) -> Frames:
        if state is OFF:
            return [[0x23, 0x80, 0, 0, 0xA3]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        body = [0x23, codes[state.mode], round(state.temperature) - 16]
        body.append(FANS.index(state.fan or "auto") << 4)
        return [[*body, sum(body) & 0xFF]]

    remote = {
        mode: Levels(fans=FANS, temperatures=temperatures)
        for mode, temperatures in OF_MODES.items()
    }
    ifeel = Levels(presets=("ifeel",), fans=FANS, temperatures=OF_MODES["cool"])
    return RemoteControl({**remote, "auto": ifeel}, says)


async def test_a_mode_has_temperatures_of_its_own(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    control = remote_with_limits_per_mode()
    dialogue = await begin_to_teach(hass, entry, lounge, control)
    answers = {"modes": ["cool", "dry", "heat", "ifeel"], "fans": [*FANS], "unit": "celsius"}
    await dialogue.submit(**answers, lowest=16, highest=31, step="2")
    assert "Steps of 2° do not lead from 16° to 31°" in dialogue.error
    await dialogue.submit(**answers, lowest=16, highest=30, step="2")
    texts, answered = await states_by_text(hass, control), 0
    while dialogue.step != "ready":
        await dialogue.wait(lambda: dialogue.step in ("ask", "ask_same", "ask_again", "ready"))
        if dialogue.step == "ready":
            break
        asked, number = texts[dialogue.texts["asked"]], dialogue.texts["number"]
        if isinstance(asked, State) and asked not in control.capabilities.states():
            answered += 1
            await (await dialogue.choose("no_such_button")).choose("other_temperatures")
            temperatures = OF_MODES[asked.mode]
            await dialogue.submit(lowest=8, highest=temperatures[-1], step="2")
            assert "16 to 30" in dialogue.error
            await dialogue.submit(lowest=temperatures[0], highest=temperatures[-1], step="2")
            continue
        await lounge.press_when_listening(control.press(asked))
        await dialogue.wait(
            lambda number=number: (  # type: ignore[misc]
                dialogue.step == "ready" or dialogue.texts.get("number") not in (None, number)
            )
        )
    assert answered == 2
    await finish(hass, dialogue, CLIMATE)

    rule = known(hass).named("Air conditioner").rule
    assert isinstance(rule, Taught)
    assert rule.rule.states == {*control.capabilities.states()}
    for state in rule.rule.states:
        assert read(rule.rule.encode(state)).key == read(control.packet(state)).key
    await act(hass, "climate", "set_hvac_mode", entity_id=CLIMATE, hvac_mode="auto")
    shown = hass.states.get(CLIMATE)
    assert shown is not None
    assert shown.attributes["preset_modes"] == ["ifeel"]
    await act(hass, "climate", "set_hvac_mode", entity_id=CLIMATE, hvac_mode="dry")
    shown = hass.states.get(CLIMATE)
    assert shown is not None
    assert (shown.attributes["min_temp"], shown.attributes["max_temp"]) == (24, 24)
    await act(hass, "climate", "set_hvac_mode", entity_id=CLIMATE, hvac_mode="heat")
    shown = hass.states.get(CLIMATE)
    assert shown is not None
    assert (shown.attributes["min_temp"], shown.attributes["target_temp_step"]) == (20, 2)
