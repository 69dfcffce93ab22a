"""Faults and gaps of a code file are named when it is added, and mended if that is wanted."""

import base64
from collections.abc import Callable
import json
from random import Random
from typing import Any

from homeassistant.core import HomeAssistant
import pytest

from benchmarks.virtual_remotes import VirtualRemote
from custom_components.irhub.ircodes import OFF, State, read
from tests.home import until
from virtual_home.hub import VirtualHub

from ..dialogue import Dialogue, add
from ..ircodes.teaching.remotes import RemoteControl
from ..remotes_of_protocols import file_of, shows, text_of as packet_text
from .appliances import act, begin, change, finish
from .faulty import CONTROL, faulty_file, text_of

NAME = "COOLIX"
WRONG = State(mode="cool", fan="low", temperature=20.0)
MISSING = State(mode="heat", fan="high", temperature=23.0)


async def open_device_page(hass: HomeAssistant, hub: VirtualHub, file: dict[str, Any]) -> Dialogue:
    """Add a code file, up to the page of its device."""
    dialogue = await (await begin(hass, await add(hass, hub))).choose("file")
    await dialogue.submit(text=json.dumps(file))
    assert dialogue.step == "ready"
    return dialogue


def fault_paragraphs(dialogue: Dialogue) -> list[str]:
    """Return the paragraphs that say what is wrong."""
    return dialogue.texts["faults"].split("\n\n")


async def transmitted_for(hass: HomeAssistant, hub: VirtualHub, state: State) -> bytes:
    """Set a state; return what is transmitted for it."""
    thermostat = {"entity_id": "climate.acme_a1"}
    await act(hass, "climate", "set_hvac_mode", hvac_mode=state.mode, **thermostat)
    await act(hass, "climate", "set_fan_mode", fan_mode=state.fan, **thermostat)
    before = len(hub.transmitted)
    await act(hass, "climate", "set_temperature", temperature=state.temperature, **thermostat)
    await until(lambda: len(hub.transmitted) > before)
    return hub.transmitted[-1]


async def test_faults_and_gaps_are_corrected_on_request(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    dialogue = await open_device_page(hass, lounge, faulty_file())
    assert dialogue.texts["note"] == (
        "1 of 63 states contradict the others: Cool, 20°, Fan mode: Low\n\n"
        "Missing states that its modes could have: 1 (Heat, 23°, Fan mode: High)"
    )
    await dialogue.submit(**{**dialogue.suggested, "then": "faults"})
    assert dialogue.step == "faults"
    assert fault_paragraphs(dialogue)[1:] == [
        "These contradict the others: Cool, 20°, Fan mode: Low",
        "These are missing: Heat, 23°, Fan mode: High",
    ]
    await dialogue.submit(mend=True, fill=True)
    assert dialogue.step == "ready"
    assert dialogue.texts["commands"] == "Commands: 65"
    await finish(hass, dialogue, "climate.acme_a1")
    for state in (WRONG, MISSING):
        assert (
            read(await transmitted_for(hass, lounge, state)).key == read(CONTROL.packet(state)).key
        )


def file_of_one_fan_speed(wrong: float, *, counts: bool) -> dict[str, Any]:
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


async def test_contradictions_that_cannot_be_corrected_are_listed(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    """With one fan speed no other state says what a temperature is: the check alone is wrong."""
    dialogue = await open_device_page(hass, lounge, file_of_one_fan_speed(20, counts=False))
    assert dialogue.texts["note"] == (
        "1 of 15 states contradict the others: Cool, 20°, Fan mode: Auto"
    )
    await dialogue.submit(**{**dialogue.suggested, "then": "faults"})
    assert dialogue.fields == {}
    [_, contradicting] = fault_paragraphs(dialogue)
    assert contradicting == (
        "These contradict the others, and the right packet is not known: Cool, 20°, Fan mode: Auto"
    )
    await dialogue.submit()
    assert dialogue.step == "ready"


async def test_a_wrong_temperature_in_a_counted_sequence_is_corrected(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    """With one fan speed, too: all others say what it is."""
    state = State(mode="cool", fan="auto", temperature=20.0)
    dialogue = await open_device_page(hass, lounge, file_of_one_fan_speed(20, counts=True))
    await dialogue.submit(**{**dialogue.suggested, "then": "faults"})
    assert fault_paragraphs(dialogue)[1:] == [
        "These contradict the others: Cool, 20°, Fan mode: Auto"
    ]
    await dialogue.submit(mend=True)
    await finish(hass, dialogue, "climate.acme_a1")
    assert read(await transmitted_for(hass, lounge, state)).key == read(CONTROL.packet(state)).key


async def test_nothing_is_corrected_without_consent(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    """What is sent is what the file has."""
    file = faulty_file()
    dialogue = await open_device_page(hass, lounge, file)
    await dialogue.submit(**{**dialogue.suggested, "then": "faults"})
    await dialogue.submit(mend=False, fill=False)
    assert dialogue.texts["commands"] == "Commands: 64"
    await finish(hass, dialogue, "climate.acme_a1")
    of_file = base64.b64decode(file["commands"]["cool"]["low"]["20"])
    assert read(await transmitted_for(hass, lounge, WRONG)).key == read(of_file).key


async def test_a_file_without_faults_is_shown_without_a_note(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    file = faulty_file()
    for state in (WRONG, MISSING):
        file["commands"][state.mode][state.fan][f"{state.temperature:g}"] = text_of(state)
    dialogue = await open_device_page(hass, lounge, file)
    assert dialogue.texts["note"] == ""


def coolix_file(**degrees_of: int) -> dict[str, Any]:
    """Return a file of COOLIX; `degrees_of` says of which temperature a cell has the packet."""
    levels = {"auto": "auto", "level1": "low", "level2": "high"}
    file = file_of(NAME, VirtualRemote(NAME).packet(OFF), levels=levels, degrees=range(18, 28))
    for cell, degrees in degrees_of.items():
        level, named = cell.split("_")
        file["commands"]["cool"][level][named] = packet_text(shows(NAME, "cool", degrees, "low"))
    return file


async def test_a_packet_of_another_state_is_reported_and_corrected(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    """By its known protocol: what it says, and the packet that is right, if that is wanted."""
    dialogue = await open_device_page(hass, lounge, coolix_file(level1_24=23))
    assert dialogue.texts["note"] == (
        "According to the protocol COOLIX, the packets of 1 of 30 states are for another state: "
        "Cool, 24°, Fan mode: Level 1"
    )
    await dialogue.submit(**{**dialogue.suggested, "then": "faults"})
    of_protocol, misnamed, correctable = fault_paragraphs(dialogue)
    assert NAME in of_protocol
    assert misnamed == (
        "- Cool, 24°, Fan mode: Level 1: the packet says Cool, 23°, Fan mode: Level 1"
    )
    assert "1 of them" in correctable
    assert {*dialogue.fields} == {"correct"}
    await dialogue.submit(correct=True)
    assert "faults" not in dialogue.fields["then"].config["options"], "nothing is left"
    await finish(hass, dialogue, "climate.acme_a1")
    state = State(mode="cool", fan="level1", temperature=24.0)
    assert (
        read(await transmitted_for(hass, lounge, state)).key
        == read(shows(NAME, "cool", 24, "low")).key
    )


async def test_codes_are_checked_later_and_the_correction_is_undone(
    hass: HomeAssistant,
    lounge: VirtualHub,
) -> None:
    """On the page of the device; what it sends is that of the file until then, and afterwards."""
    wrong, right = (read(shows(NAME, "cool", warm, "low")).key for warm in (23, 24))
    state = State(mode="cool", fan="level1", temperature=24.0)
    dialogue = await open_device_page(hass, lounge, coolix_file(level1_24=23))
    await finish(hass, dialogue, "climate.acme_a1")
    [entry] = hass.config_entries.async_entries("irhub")
    dialogue = await change(hass, entry)
    assert dialogue.texts["note"] == ""
    await dialogue.submit(then="check_codes")
    assert dialogue.step == "faults"
    await dialogue.submit(correct=True)
    await finish(hass, dialogue, "climate.acme_a1")
    assert read(await transmitted_for(hass, lounge, state)).key == right

    hub_id = {"entity_id": "remote.lounge"}
    changes = await hass.services.async_call(
        "irhub", "list_changes", hub_id, blocking=True, return_response=True
    )
    assert changes is not None
    newest = changes["changes"][0]["id"]  # type: ignore[index,call-overload]
    await act(hass, "irhub", "undo_change", **hub_id, change=newest)
    await act(hass, "climate", "set_temperature", entity_id="climate.acme_a1", temperature=20)
    assert read(await transmitted_for(hass, lounge, state)).key == wrong


async def test_a_check_of_codes_without_faults_reports_none(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    dialogue = await open_device_page(hass, lounge, coolix_file())
    assert dialogue.texts["note"] == ""
    assert "faults" not in dialogue.fields["then"].config["options"]
    await finish(hass, dialogue, "climate.acme_a1")
    [entry] = hass.config_entries.async_entries("irhub")
    dialogue = await change(hass, entry)
    await dialogue.submit(then="check_codes")
    assert dialogue.step == "ready"
    assert dialogue.texts["note"].startswith("No errors were found in its codes")


def shifted_file() -> dict[str, Any]:
    """Return a file that names each temperature 2° higher than its packet."""
    file = coolix_file()
    cool = file["commands"]["cool"]
    for level, codes in cool.items():
        cool[level] = {f"{int(warm) + 2}": code for warm, code in codes.items()}
    return {**file, "maxTemperature": 29}


def clamped_file() -> dict[str, Any]:
    """Return a file that sends the lowest temperature as the next one."""
    file = coolix_file()
    for codes in file["commands"]["cool"].values():
        codes["18"] = codes["19"]
    return file


@pytest.mark.parametrize("make", [shifted_file, clamped_file])
async def test_a_file_that_names_states_consistently_otherwise_has_no_faults(
    hass: HomeAssistant, make: Callable[[], dict[str, Any]], lounge: VirtualHub
) -> None:
    """Its remote control may do the same."""
    dialogue = await open_device_page(hass, lounge, make())
    assert "protocol" not in dialogue.texts["note"]
