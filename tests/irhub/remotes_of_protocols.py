"""Remote controls of air conditioners, virtual ones of a known protocol, and code files of them."""

import base64
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from benchmarks.virtual_remotes import VirtualRemote
from custom_components.irhub.ircodes import Off, State
from custom_components.irhub.ircodes.known import KnownAirConditioners

from .ircodes.code_files import air_conditioner

LEVELS: Mapping[str, str] = MappingProxyType({"level1": "low", "level2": "high"})
"""What the file calls fan speeds of the remote control."""


def shows(name: str, mode: str, degrees: float, fan: str = "auto") -> bytes:
    """Return what the remote control of a protocol sends when it shows this."""
    state = State(mode=mode, preset="none", fan=fan, swing="off", temperature=degrees)
    return VirtualRemote(name).packet(state)


def state_in(packet: bytes) -> State | Off:
    """Return the state in a packet by the likeliest known protocol."""
    return KnownAirConditioners.shipped().identify(packet)[0].state


def with_a_lamp(packet: bytes) -> bytes:
    """Return a press with another bit that is no part of the state, such as a lamp."""
    [reading, *_] = KnownAirConditioners.shipped().identify(packet)
    free = reading.row.carried & ~reading.row.state_bits
    assert isinstance(reading.state, State)
    other = replace(reading, flips=reading.flips ^ free & -free)
    return other.rule().encode(reading.state)


def text_of(packet: bytes) -> str:
    """Return a packet as a code file has it."""
    return base64.b64encode(packet).decode()


def file_of(
    name: str,
    off: bytes,
    *,
    modes: Iterable[str] = ("cool",),
    levels: Mapping[str, str] = LEVELS,
    degrees: Iterable[int] = range(22, 25),
) -> dict[str, Any]:
    """Return a code file that has some of what a remote control sends."""
    commands: dict[str, Any] = {
        mode: {
            level: {f"{warm}": text_of(shows(name, mode, warm, fan)) for warm in degrees}
            for level, fan in levels.items()
        }
        for mode in modes
    }
    return air_conditioner(
        {"off": text_of(off), **commands},
        operationModes=[*modes],
        fanModes=[*levels],
        minTemperature=min(degrees),
        maxTemperature=max(degrees),
    )
