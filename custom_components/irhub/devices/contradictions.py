"""Check of a log: states in the names of commands against those in packets of known protocols."""

from collections.abc import Iterator
from typing import Final

from ..errors import StateText, Text
from ..ircodes import OFF, Off, State
from ..ircodes.files import LOG_FORMAT, Imported
from ..ircodes.known import KnownAirConditioners

_AUTOMATIC: Final = {"heat_cool": "auto"}
"""Two names of the same mode, used by different programs."""


def contradictions_in(imported: Imported) -> dict[str, Text]:
    """Return "device → command" → the contradicting state of its packet. For the executor."""
    if imported.format != LOG_FORMAT:
        return {}
    return dict(_contradictions(imported))


def _contradictions(imported: Imported) -> Iterator[tuple[str, Text]]:
    unit = None if imported.head is None else imported.head.capabilities.unit
    for device, states in imported.states.items():
        commands = imported.commands[device]
        named: dict[str, State | Off] = {**states}
        if OFF.value in commands:
            named[OFF.value] = OFF
        for command, state in named.items():
            readings = KnownAirConditioners.shipped().identify(commands[command][0])
            if readings and not any(
                _is_consistent(state, reading.state, same_unit=reading.row.unit == unit)
                for reading in readings
            ):
                reading = readings[0]
                yield (
                    f"{device} → {command}",
                    Text(
                        "contradicting_packet",
                        state=StateText(state, unit=unit),
                        protocol=reading.name,
                        says=StateText(reading.state, unit=reading.row.unit),
                    ),
                )


def _is_consistent(state: State | Off, decoded: State | Off, *, same_unit: bool) -> bool:
    """Return whether mode and temperature are equal, as far as both states have them."""
    if isinstance(state, Off) or isinstance(decoded, Off):
        return state is decoded
    if _AUTOMATIC.get(state.mode, state.mode) != _AUTOMATIC.get(decoded.mode, decoded.mode):
        return False
    degrees = {state.temperature, decoded.temperature} - {None}
    return not same_unit or len(degrees) < len((state, decoded))
