"""Faults of a code file: packets that contradict other packets or their names, missing states."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from homeassistant.core import HomeAssistant

from .._common.markdown import Markdown, bullets, escaped
from ..devices.device import Command, Device
from ..errors import common_texts
from ..ircodes import State, find_faults, read
from ..ircodes.known import KnownAirConditioners, Misnamed, Misnaming
from .words import async_words

_SHOWN: Final = 20


@dataclass(frozen=True, kw_only=True)
class CodeFaults:
    """Faults in the packets that an air conditioner's states are sent with."""

    misnamed: Mapping[State, Misnamed] = field(default_factory=dict)
    """States whose packets encode another state."""
    protocol: str = ""
    """The known protocol that decodes the misnamed packets."""
    contradicting: Mapping[State, bytes | None] = field(default_factory=dict)
    """Other states whose packets contradict the rest → the packet that the rest implies, if any."""
    missing: Mapping[State, bytes] = field(default_factory=dict)
    """States missing in the file → the packet that the rule of the others gives."""

    @property
    def corrections(self) -> Mapping[State, bytes]:
        """Return the right packets of misnamed states, according to the known protocol."""
        return {
            state: misnamed.packet
            for state, misnamed in self.misnamed.items()
            if misnamed.packet is not None
        }


NO_FAULTS: Final = CodeFaults()


async def async_find_faults(hass: HomeAssistant, device: Device) -> CodeFaults:
    """Return the faults in the states of a device. Takes a second or two."""
    return await hass.async_add_executor_job(_faults_in, _table_of(device))


async def async_faults_of(
    hass: HomeAssistant, device: Device, notes: Sequence[str]
) -> tuple[CodeFaults, Markdown]:
    """Return the faults in the states of a file, and a text of the notes and these faults."""
    faults, texts = await async_find_faults(hass, device), await common_texts(hass)
    lines = [
        texts[key].format(
            count=len(states),
            total=len(_table_of(device)),
            states=await async_named(hass, states),
            protocol=faults.protocol,
        )
        for key, states in (
            ("misnamed_states", faults.misnamed),
            ("contradicting", faults.contradicting),
            ("missing_states", faults.missing),
        )
        if states
    ]
    return faults, Markdown("\n\n".join(map(escaped, [*notes, *lines])))


def _table_of(device: Device) -> Mapping[State, bytes]:
    return {
        command.state: command.packets[0]
        for command in device.commands.values()
        if command.state is not None and command.packets
    }


def _faults_in(table: Mapping[State, bytes]) -> CodeFaults:
    """Return the faults found by comparing the states, and by decoding with a known protocol.

    If both give a correction for a state and they differ, none is offered.
    """
    votes = find_faults(table)
    misnaming = Misnaming.of(table, KnownAirConditioners.shipped())
    return CodeFaults(
        misnamed={
            state: replace(misnamed, packet=None)
            if misnamed.packet is not None
            and (implied := votes.contradicting.get(state)) is not None
            and read(implied).key != read(misnamed.packet).key
            else misnamed
            for state, misnamed in misnaming.states.items()
        },
        protocol=misnaming.protocol if misnaming.states else "",
        contradicting={
            state: packet
            for state, packet in votes.contradicting.items()
            if state not in misnaming.states
        },
        missing=votes.missing,
    )


async def async_misnamed(hass: HomeAssistant, faults: CodeFaults) -> Markdown:
    """Return a list of misnamed states and the states that their packets encode."""
    words, text = await async_words(hass), (await common_texts(hass))["packet_says"]
    lines = [
        text.format(state=words.state(state), says=words.state(misnamed.decoded))
        for state, misnamed in [*faults.misnamed.items()][:_SHOWN]
    ]
    more = len(faults.misnamed) - _SHOWN
    return bullets([*lines, *([f"… {more}"] if more > 0 else [])])


async def async_named(hass: HomeAssistant, states: Collection[State]) -> str:
    """Return the names of the first states, and the number of the others."""
    words = await async_words(hass)
    more = len(states) - _SHOWN
    named = [words.state(state) for state in [*states][:_SHOWN]]
    return "; ".join([*named, *([f"… {more}"] if more > 0 else [])]) or "\N{EN DASH}"


def with_packets(device: Device, packets: Mapping[State, bytes]) -> Device:
    """Return a device with other packets for some of its states."""
    commands = {
        id_: command
        if command.state is None or (packet := packets.get(command.state)) is None
        else replace(command, packets=(packet,))
        for id_, command in device.commands.items()
    }
    return replace(device, commands=commands)


def filled(device: Device, packets: Mapping[State, bytes]) -> Device:
    """Return a device with additional states."""
    return device.with_commands(
        *(
            Command(id=state.label, name=state.label, packets=(packet,), state=state)
            for state, packet in packets.items()
        )
    )
