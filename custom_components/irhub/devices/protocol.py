"""The commands of an air conditioner whose protocol is known: encoded when they are sent."""

from collections.abc import Iterator, Mapping, Sequence
from typing import override

from ..codes.air_conditioners import OFF, PROTOCOLS, Fields, written
from ..codes.protocols import AirConditioner
from ..errors import UserError, list_names
from .climate_states import Levels

_OFF = "off"


class ProtocolCommands(Mapping[str, Sequence[bytes]]):
    """What a code file would have: a packet for each state, by a name that says which it is.

    `levels` are those that the user wants; None: all that the protocol has. What has one level
    alone is not named. Raise UserError if the installed library does not write the protocol as
    `fields` say. It takes up to half a second: make it in the executor.
    """

    def __init__(self, protocol: str, fields: Fields, levels: Levels | None = None) -> None:
        try:
            self._protocol = PROTOCOLS[protocol]
            states = {**self._protocol.states(fields)}
        except (KeyError, ValueError) as err:
            known = list_names(PROTOCOLS)
            raise UserError("no_protocol", protocol=protocol, known=known) from err
        if OFF not in states:
            raise UserError("no_off", protocol=protocol)
        self._commands = {_OFF: states.pop(OFF)}
        every = Levels(
            modes=_each(state.mode for state in states),
            fans=_each(state.fan for state in states),
            swings=_each(state.swing for state in states),
            unit="F" if any(state.fahrenheit for state in states) else "C",
        )
        self.levels = wanted = levels or every
        self._states: dict[str, AirConditioner] = {}
        for state, command in states.items():
            if (
                state.mode in wanted.modes
                and state.fan in (None, *wanted.fans)
                and state.swing in (None, *wanted.swings)
            ):
                name = " ".join(_levels_of(state, wanted))
                self._states[name], self._commands[name] = state, command

    @override
    def __getitem__(self, name: str) -> Sequence[bytes]:
        """Encode a command."""
        return [written(self._commands[name])]

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(self._commands)

    @override
    def __len__(self) -> int:
        return len(self._commands)

    def recognize(self, packet: bytes) -> Sequence[str]:
        """Return the name of the state that a remote control has set, or of the nearest there is.

        That may differ in what the user does not want: fans, swings.
        """
        if (read := self._protocol.read(packet)) is None:
            return []
        heard, _ = read
        if heard == OFF:
            return [_OFF]
        alike = [
            (state.fan != heard.fan, state.swing != heard.swing, name)
            for name, state in self._states.items()
            if (state.mode, state.temperature) == (heard.mode, heard.temperature)
            and state.fahrenheit == heard.fahrenheit
        ]
        return [name for _, _, name in sorted(alike)[:1]]


def _each(levels: Iterator[str | None]) -> Sequence[str]:
    return tuple(dict.fromkeys(level for level in levels if level is not None))


def _levels_of(state: AirConditioner, wanted: Levels) -> Iterator[str]:
    if state.mode is not None:
        yield state.mode
    if state.fan is not None and len(wanted.fans) > 1:
        yield state.fan
    if state.swing is not None and len(wanted.swings) > 1:
        yield state.swing
    if state.temperature is not None:
        yield f"{state.temperature:g}"
