"""Faults and gaps of a code file are named when it is added, and mended if that is wanted."""

import base64
import json
from random import Random
from typing import Any

from homeassistant.core import HomeAssistant

from custom_components.irhub.ircodes import State, read
from tests.home import until
from virtual_home.hub import VirtualHub

from ..dialogue import Dialogue, add
from ..ircodes.teaching.remotes import RemoteControl
from .appliances import act, begin, finish
from .faulty import CONTROL, faulty_file, text_of

WRONG = State(mode="cool", fan="low", temperature=20.0)
MISSING = State(mode="heat", fan="high", temperature=23.0)


async def to_the_page(hass: HomeAssistant, hub: VirtualHub, file: dict[str, Any]) -> Dialogue:
    """Add a code file, up to the page of its device."""
    dialogue = await (await begin(hass, await add(hass, hub))).choose("file")
    await dialogue.submit(text=json.dumps(file))
    assert dialogue.step == "ready"
    return dialogue


async def sent(hass: HomeAssistant, hub: VirtualHub, state: State) -> bytes:
    """Set a state; return what is transmitted for it."""
    thermostat = {"entity_id": "climate.acme_a1"}
    await act(hass, "climate", "set_hvac_mode", hvac_mode=state.mode, **thermostat)
    await act(hass, "climate", "set_fan_mode", fan_mode=state.fan, **thermostat)
    before = len(hub.transmitted)
    await act(hass, "climate", "set_temperature", temperature=state.temperature, **thermostat)
    await until(lambda: len(hub.transmitted) > before)
    return hub.transmitted[-1]


async def test_faults_and_gaps_are_mended_if_asked(hass: HomeAssistant) -> None:
    async with VirtualHub(name="Lounge") as hub:
        dialogue = await to_the_page(hass, hub, faulty_file())
        assert dialogue.texts["note"] == (
            "1 of 63 states contradict the others: Cool, 20°, Fan mode: Low\n\n"
            "Missing states that its modes could have: 1 (Heat, 23°, Fan mode: High)"
        )
        await dialogue.submit(**{**dialogue.suggested, "then": "faults"})
        assert dialogue.step == "faults"
        assert dialogue.texts["contradicting"] == "Cool, 20°, Fan mode: Low"
        assert dialogue.texts["missing"] == "Heat, 23°, Fan mode: High"
        await dialogue.submit(mend=True, fill=True)
        assert dialogue.step == "ready"
        assert dialogue.texts["commands"] == "Commands: 65"
        await finish(hass, dialogue, "climate.acme_a1")
        for state in (WRONG, MISSING):
            assert read(await sent(hass, hub, state)).key == read(CONTROL.packet(state)).key


def of_one_fan_speed(wrong: float, *, counts: bool) -> dict[str, Any]:
    """Return a file of one mode and fan speed; the second frame of one temperature is wrong.

    With `counts` the temperatures count; else nobody knows one of another.
    """
    file = faulty_file()
    del file["commands"]["heat"]
    only = file["commands"]["cool"] = {"auto": dict[str, str]()}
    anything = Random(1).sample(range(12, 42, 2), 15)
    for degrees in range(16, 31):
        state = State(mode="cool", fan="auto", temperature=float(degrees))
        first, second = CONTROL.says(state, 1)
        count = first[3] if counts else anything[degrees - 16]
        first, second = [*first[:3], count], [*second[:2], count ^ 0xFF]
        second.append(sum(first + second) & 0xFF)
        if degrees == wrong:
            second[2] ^= 1  # the temperature's complement
        control = RemoteControl(CONTROL.remote, lambda *_, frames=(first, second): [*frames])
        only["auto"][f"{degrees}"] = base64.b64encode(control.packet(state)).decode()
    return file


async def test_what_contradicts_and_has_no_answer_is_named(hass: HomeAssistant) -> None:
    """With one fan speed no other state says what a temperature is: the check alone is wrong."""
    async with VirtualHub(name="Lounge") as hub:
        dialogue = await to_the_page(hass, hub, of_one_fan_speed(20, counts=False))
        assert dialogue.texts["note"] == (
            "1 of 15 states contradict the others: Cool, 20°, Fan mode: Auto"
        )
        await dialogue.submit(**{**dialogue.suggested, "then": "faults"})
        assert dialogue.fields == {}
        assert dialogue.texts["contradicting"] == "\N{EN DASH}"
        assert dialogue.texts["others"] == "Cool, 20°, Fan mode: Auto"
        await dialogue.submit()
        assert dialogue.step == "ready"


async def test_one_temperature_among_those_that_count_is_mended(hass: HomeAssistant) -> None:
    """With one fan speed, too: all others say what it is."""
    state = State(mode="cool", fan="auto", temperature=20.0)
    async with VirtualHub(name="Lounge") as hub:
        dialogue = await to_the_page(hass, hub, of_one_fan_speed(20, counts=True))
        await dialogue.submit(**{**dialogue.suggested, "then": "faults"})
        assert dialogue.texts["contradicting"] == "Cool, 20°, Fan mode: Auto"
        await dialogue.submit(mend=True)
        await finish(hass, dialogue, "climate.acme_a1")
        assert read(await sent(hass, hub, state)).key == read(CONTROL.packet(state)).key


async def test_nothing_is_mended_unasked(hass: HomeAssistant) -> None:
    """What is sent is what the file has."""
    file = faulty_file()
    async with VirtualHub(name="Lounge") as hub:
        dialogue = await to_the_page(hass, hub, file)
        await dialogue.submit(**{**dialogue.suggested, "then": "faults"})
        await dialogue.submit(mend=False, fill=False)
        assert dialogue.texts["commands"] == "Commands: 64"
        await finish(hass, dialogue, "climate.acme_a1")
        of_file = base64.b64decode(file["commands"]["cool"]["low"]["20"])
        assert read(await sent(hass, hub, WRONG)).key == read(of_file).key


async def test_of_a_file_without_faults_nothing_is_said(hass: HomeAssistant) -> None:
    file = faulty_file()
    for state in (WRONG, MISSING):
        file["commands"][state.mode][state.fan][f"{state.temperature:g}"] = text_of(state)
    async with VirtualHub(name="Lounge") as hub:
        dialogue = await to_the_page(hass, hub, file)
        assert dialogue.texts["note"] == ""
