"""What in a code file contradicts the rest of it, or is missing."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from homeassistant.core import HomeAssistant

from .._common.markdown import Markdown, escaped
from ..devices.device import Command, Device
from ..errors import common_texts
from ..ircodes import State, find_faults
from ..ircodes.teaching import Faults
from .words import words

NO_FAULTS: Final = Faults(contradicting={}, missing={})
_SHOWN: Final = 20


async def async_faults_of(
    hass: HomeAssistant, device: Device, notes: Sequence[str]
) -> tuple[Faults, Markdown]:
    """Return what is wrong in the states of a file, and that as a text below other notes."""
    table = {
        command.state: command.packets[0]
        for command in device.commands.values()
        if command.state is not None and command.packets
    }
    faults = await hass.async_add_executor_job(find_faults, table)
    texts = await common_texts(hass)
    lines = [
        texts[key].format(
            count=len(states), total=len(table), states=await async_named(hass, states)
        )
        for key, states in (
            ("contradicting", faults.contradicting),
            ("missing_states", faults.missing),
        )
        if states
    ]
    return faults, Markdown("\n\n".join(map(escaped, [*notes, *lines])))


async def async_named(hass: HomeAssistant, states: Collection[State]) -> str:
    """Return what states are called: a number of them, and how many more."""
    of_language = await words(hass)
    more = len(states) - _SHOWN
    named = [of_language.state(state) for state in [*states][:_SHOWN]]
    return "; ".join([*named, *([f"… {more}"] if more > 0 else [])]) or "\N{EN DASH}"


def mended(device: Device, packets: Mapping[State, bytes]) -> Device:
    """Return a device whose states are sent as the rule says."""
    commands = {
        id_: command
        if command.state is None or (packet := packets.get(command.state)) is None
        else replace(command, packets=(packet,))
        for id_, command in device.commands.items()
    }
    return replace(device, commands=commands)


def filled(device: Device, packets: Mapping[State, bytes]) -> Device:
    """Return a device with more states."""
    return device.with_commands(
        *(
            Command(id=state.label, name=state.label, packets=(packet,), state=state)
            for state, packet in packets.items()
        )
    )
