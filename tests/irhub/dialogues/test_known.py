"""A thermostat of an air conditioner whose protocol is known, from two presses."""

from itertools import pairwise

from homeassistant.core import HomeAssistant
import pytest

from custom_components.irhub.entities.use import IrhubConfigEntry
from custom_components.irhub.ircodes import OFF, State
from custom_components.irhub.ircodes.known import (
    KnownAirConditioners,
    narrow,
    shown_differently,
)
from virtual_home.hub import VirtualHub

from ..dialogue import Dialogue
from ..home import POWER, known
from ..remotes_of_protocols import shows, state_in
from .appliances import act, begin, finish

pytestmark = pytest.mark.usefixtures("no_pauses")


async def press(dialogue: Dialogue, hub: VirtualHub, packet: bytes, action: str) -> None:
    """Press what the page asks for."""
    await dialogue.progress(action)
    await hub.press_when_listening(packet)


@pytest.mark.parametrize("name", ["COOLIX", "ELECTRA_AC", "PANASONIC_AC"])
async def test_two_presses_make_a_thermostat(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry, name: str
) -> None:
    """The first says what it is, the second of another state proves it; all states are there."""
    dialogue = await (await begin(hass, entry)).choose("press_button")
    await press(dialogue, lounge, shows(name, "cool", 24), "press_state")
    await dialogue.arrive("heard")
    assert f"- {name} (" in dialogue.texts["heard"]
    assert "Cool, 24 °C" in dialogue.texts["heard"]
    assert "known_state" in dialogue.shown["menu_options"]

    await dialogue.choose("known_state")
    await press(dialogue, lounge, shows(name, "cool", 22), "press_another")
    await dialogue.arrive("ready")
    assert "Cool" in dialogue.texts["found"].splitlines()[0]
    assert "Off" in dialogue.texts["found"].splitlines()[0]
    await finish(hass, dialogue, "climate.air_conditioner", name="Air conditioner")

    data = {"entity_id": "climate.air_conditioner", "hvac_mode": "cool", "temperature": 21}
    await act(hass, "climate", "set_temperature", **data)
    sent = state_in(lounge.transmitted[-1])
    assert isinstance(sent, State)
    assert (sent.mode, sent.temperature) == ("cool", 21)
    await act(hass, "climate", "turn_off", entity_id="climate.air_conditioner")
    assert state_in(lounge.transmitted[-1]) is OFF
    [device] = known(hass).values()
    assert not device.commands


async def test_another_remote_control_or_the_same_state_proves_nothing(
    hass: HomeAssistant,
    lounge: VirtualHub,
    entry: IrhubConfigEntry,
) -> None:
    """The page says what was heard, and listens again."""
    first = shows("COOLIX", "cool", 24)
    dialogue = await (await begin(hass, entry)).choose("press_button")
    await press(dialogue, lounge, first, "press_state")
    await dialogue.arrive("heard")
    for packet, problem in (
        (shows("PANASONIC_AC", "cool", 22), "has another protocol than the first one"),
        (POWER, "has another protocol than the first one"),
        (first, "The same state was pressed twice: COOLIX"),
    ):
        await dialogue.choose("known_state")
        await press(dialogue, lounge, packet, "press_another")
        await dialogue.arrive("known_heard")
        assert problem in dialogue.texts["problem"]
    await dialogue.choose("known_state")
    await press(dialogue, lounge, shows("COOLIX", "heat", 22), "press_another")
    await dialogue.arrive("ready")


def packets_in_two_units() -> tuple[bytes, bytes]:
    """Return two packets of a remote control that one in °C and one in °F would send."""
    known = KnownAirConditioners.shipped()
    for row in known.rows:
        packets = [row.rule.encode(state) for state in row.rule.offered if row.unit == "F"]
        for first, second in pairwise(packets):
            both = narrow(known.identify(first), known.identify(second))
            if {reading.row.unit for reading in shown_differently(both)} == {"C", "F"}:
                return first, second
    raise LookupError


@pytest.mark.parametrize(
    ("unit", "step", "text"),
    [("°C", "ready", "Cool"), ("°F", "ready", "Cool"), (None, "known_heard", "something else")],
)
async def test_the_user_is_asked_for_the_display_if_several_units_fit(
    hass: HomeAssistant,
    lounge: VirtualHub,
    entry: IrhubConfigEntry,
    *,
    unit: str | None,
    step: str,
    text: str,
) -> None:
    """24 °C of one is 75 °F of another, and what was pressed was not asked for."""
    first, second = packets_in_two_units()
    dialogue = await (await begin(hass, entry)).choose("press_button")
    await press(dialogue, lounge, first, "press_state")
    await dialogue.arrive("heard")
    await dialogue.choose("known_state")
    await press(dialogue, lounge, second, "press_another")
    await dialogue.arrive("known_display")
    choices = {
        choice["label"]: choice["value"]
        for choice in dialogue.fields["displayed"].config["options"]
    }
    assert len(choices) > 1
    wanted = [value for label, value in choices.items() if (unit or "") in label]
    await dialogue.submit(**{"displayed": wanted[0]} if unit else {})
    await dialogue.arrive(step)
    assert text in str(dialogue.texts)


async def test_a_press_of_the_requested_state_needs_no_further_question(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    """Of 24 °C and 76 °F only one was asked for."""
    dialogue = await (await begin(hass, entry)).choose("press_button")
    await press(dialogue, lounge, shows("COOLIX", "cool", 24), "press_state")
    await dialogue.arrive("heard")
    assert "°F" not in dialogue.texts["heard"]


@pytest.mark.parametrize(("is_shown", "step"), [(True, "ready"), (False, "known_heard")])
async def test_a_press_of_another_state_is_compared_with_the_display(
    hass: HomeAssistant,
    lounge: VirtualHub,
    entry: IrhubConfigEntry,
    *,
    is_shown: bool,
    step: str,
) -> None:
    """26 °C instead of 24 °C: it was pressed so, or another remote control calls it 24 °C."""
    dialogue = await (await begin(hass, entry)).choose("press_button")
    await press(dialogue, lounge, shows("MIDEA", "cool", 26), "press_state")
    await dialogue.arrive("heard")
    await dialogue.choose("known_state")
    await press(dialogue, lounge, shows("MIDEA", "heat", 22), "press_another")
    await dialogue.arrive("known_display")
    choices = dialogue.fields["displayed"].config["options"]
    [value] = [choice["value"] for choice in choices if "26 °C" in choice["label"]]
    await dialogue.submit(**{"displayed": value} if is_shown else {})
    await dialogue.arrive(step)


async def test_a_press_of_a_television_is_not_offered_as_a_state(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    """A television's button says nothing of an air conditioner."""
    dialogue = await (await begin(hass, entry)).choose("press_button")
    await press(dialogue, lounge, POWER, "press_state")
    await dialogue.arrive("heard")
    assert "known_state" not in dialogue.shown["menu_options"]
