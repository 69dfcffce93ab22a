"""Air conditioners whose protocol the installed library reads and writes, state by state.

Such a protocol is a command class of the library that takes a mode and a temperature and decodes
its own packets. The arguments that it accepts define the available states.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from inspect import isclass
from itertools import product
from typing import Any, Final, NamedTuple, get_args, get_type_hints

from ..packet.packet import from_timings, to_timings
from ..packet.text_forms import to_base64
from ..states.state import Off, State
from .carried import agreed, carried, carry
from .protocols import (
    COMMANDS,
    SYNONYMS,
    Command,
    air_conditioner,
    beginnings,
    closed,
    label,
    parameters,
)

type Fields = Mapping[str, str | float]
"""Content of a packet besides the state, as JSON values: its model, an address, a lamp."""
type States = Mapping[State | Off, Command]

_STATE_ARGUMENTS: Final = {"mode", "temperature", "fan", "swing", "swing_v", "swing_h", "power"}
"""Arguments that are part of a state."""
_DEGREES: Final = (*range(10, 33), *range(59, 91))
"""Temperatures to try, in °C and in °F; a protocol raises for those that it does not have."""
_PER_PRESS: Final = {"button", "humidity_changed", "mode_button", "modulation", "timer_hours"}
"""Arguments that are specific to a single press."""
_TOGGLE: Final = "_toggle"
"""Ends the name of an argument that changes what the air conditioner does now to its opposite: a
state that sends it cannot be sent twice, and one that does not, may never be reached."""
CARRIED: Final = "carried"
"""The field for the content of a press that the state does not explain; see `carried`."""
PRESSED_OFF: Final = "off"
"""The field for the received "off" packet, as Base64, if the library does not write one."""
_FAHRENHEIT: Final = "is_fahrenheit"
_UNSUPPORTED: Final = (ValueError, LookupError, TypeError, AttributeError)


class Reading(NamedTuple):
    """Content of a packet according to a protocol."""

    state: State | Off
    fields: Fields
    unit: str
    """The unit of temperatures, "C" or "F"."""

    def shared_fields(self, other: Fields) -> Fields | None:
        """Return the fields that this press shares with another one; the rest belongs to one press.

        None if the carried content that they share may not hold for other states.
        """
        fields = {key: value for key, value in self.fields.items() if other.get(key) == value}
        shared_text = agreed(str(other.get(CARRIED, "")), str(self.fields.get(CARRIED, "")))
        if shared_text is None:
            return None
        return {**fields, CARRIED: shared_text} if shared_text else fields


def with_pressed_off(fields: Fields, packet: bytes) -> Fields:
    """Return the fields with a received packet as the "off" packet."""
    return {**fields, PRESSED_OFF: to_base64(packet)}


class ClimateProtocol:
    """An air conditioner protocol. Raise TypeError if the class is not one."""

    def __init__(self, cls: type[Command]) -> None:
        self.name = label(cls.__name__)
        self._cls: Any = cls
        self._parameters = parameters(cls)
        self._others: dict[str, object] = {}
        """Argument that is not part of a state → its type."""
        self._choices: dict[str, Sequence[object]] = {}
        """Argument that is part of a state → the values to try."""
        parts: set[str] = set()
        try:
            hints = get_type_hints(cls.__init__)
        except NameError as err:  # a type imported only under TYPE_CHECKING
            raise TypeError(f"{self.name} does not say what it takes") from err
        for field, hint in hints.items():
            part, type_ = SYNONYMS.get(field, field), next(iter(get_args(hint)), hint)
            choices = _degrees(type_) if part == "temperature" else _choices(type_)
            if choices and part in _STATE_ARGUMENTS:
                self._choices[field] = choices
                if part not in {"mode", "power"}:  # defaults first: the initial choice
                    self._choices[field] = sorted(choices, key=lambda choice: not _is_usual(choice))
                parts.add(part)
            elif field in self._parameters:
                self._others[field] = type_
        self._states_with = lru_cache(maxsize=2)(self._make_states)
        """Cached for the last remote controls: making a thousand states takes longer than reading
        a press."""
        if not {"mode", "temperature"} <= parts or not hasattr(cls, "from_raw_timings"):
            raise TypeError(f"{self.name} is not of an air conditioner")
        power_toggle = self._parameters.get(f"power{_TOGGLE}")
        if power_toggle is not None and power_toggle.default is not None:
            raise TypeError(f"{self.name} turns on and off by the same packet")

    def states(self, fields: Fields) -> States:
        """Return each available state, including `OFF` if it can be sent, with its command.

        Raise ValueError if `fields` do not belong to this protocol.
        """
        return self._states_with(
            frozenset((key, value) for key, value in fields.items() if key != PRESSED_OFF)
        )

    def unit(self, fields: Fields) -> str:
        """Return the unit of temperatures, "C" or "F", of packets with these fields."""
        parameter = self._parameters.get(_FAHRENHEIT)
        is_default = parameter is not None and parameter.default is True
        return "F" if fields.get(_FAHRENHEIT, is_default) else "C"

    def _make_states(self, fields: frozenset[tuple[str, str | float]]) -> States:
        others = {key: self._value(key, value) for key, value in fields if key != CARRIED}
        content = str(dict(fields).get(CARRIED, ""))
        states: dict[State | Off, Command] = {}
        for values in self._settings():
            try:
                command: Command = self._cls(**others, **values)
                state_and_unit = air_conditioner(command)
            except _UNSUPPORTED:
                continue
            if state_and_unit is not None:
                written = _CommandWithContent(command, content) if content else command
                states.setdefault(state_and_unit[0], written)
        return states

    def read(self, packet: bytes) -> Reading | None:
        """Return the state of an infrared packet and its other fields.

        None if the packet is not of this protocol, or if any of its frames cannot be reproduced.
        """
        timings = to_timings(packet)
        for beginning in beginnings(timings):
            try:
                command = self._cls.from_raw_timings(list(beginning))
                if command is None or (state_and_unit := air_conditioner(command)) is None:
                    continue
                (state, _), fields = state_and_unit, self._other_fields(command)
                if any(name.endswith(_TOGGLE) for name in fields):
                    continue
                if (written_command := self.states(fields).get(state)) is None:
                    continue
                content = carried(written_command.get_raw_timings(), timings)
            except _UNSUPPORTED:
                continue  # not readable by this class
            if content is not None:
                carrying = {**fields, CARRIED: content} if content else fields
                return Reading(state, carrying, self.unit(fields))
        return None

    def without_defaults(self, state: State | Off, fields: Fields) -> Fields:
        """Return `fields` without those that a command of this state has by default."""
        command = self.states({}).get(state)
        defaults = {} if command is None else self._other_fields(command)
        return {field: value for field, value in fields.items() if defaults.get(field) != value}

    def _settings(self) -> Iterator[dict[str, object]]:
        """Yield the arguments to create commands with."""
        for field, choices in self._choices.items():  # many reject "off" with other arguments
            yield from (
                {field: choice} for choice in choices if getattr(choice, "name", "") == "OFF"
            )
        for values in product(*self._choices.values()):
            yield dict(zip(self._choices, values, strict=True))

    def _other_fields(self, command: Command) -> Fields:
        """Return the fields of a command that are not part of its state and not defaults."""
        values: dict[str, str | float] = {}
        for field in self._others.keys() - _PER_PRESS:
            value = getattr(command, field, getattr(getattr(command, "state", None), field, None))
            if value != self._parameters[field].default:
                if isinstance(value, Enum):
                    values[field] = value.name
                elif isinstance(value, str | float | int):
                    values[field] = value
        return values

    def _value(self, field: str, value: str | float) -> object:
        if (hint := self._others.get(field)) is None:
            raise ValueError(f"{self.name} has no {field}")
        return next(
            (choice for choice in _choices(hint) if getattr(choice, "name", choice) == value), value
        )


@dataclass(frozen=True)
class _CommandWithContent:
    """A command with content of a press that its state does not explain; see `carried`."""

    command: Command
    content: str

    def get_raw_timings(self) -> list[int]:
        """Return signed microseconds."""
        return carry(self.command.get_raw_timings(), self.content)


def readings(packet: bytes) -> dict[str, Reading]:
    """Return the readings of an infrared packet, by the name of each protocol that reads it.

    Each reading reproduces the packet, frame by frame; content that the state does not explain is
    carried as received. That this also holds for other states is an assumption that further presses
    verify.
    """
    return {
        name: reading
        for name, protocol in PROTOCOLS.items()
        if (reading := protocol.read(packet)) is not None
    }


def written(command: Command) -> bytes:
    """Return the packet of a command."""
    return from_timings(closed(command.get_raw_timings()))


def _choices(type_: object) -> Sequence[object]:
    """Return all values of a type if it is an enumeration or bool; else nothing."""
    if isclass(type_) and issubclass(type_, Enum):
        return list(type_)
    # True first: if power=False only means "not turned on", it makes the same state, and the
    # first command of a state is kept.
    return (True, False) if type_ is bool else ()


def _is_usual(choice: object) -> bool:
    return getattr(choice, "name", choice) in {"AUTO", "OFF", False}


def _degrees(type_: object) -> Sequence[float]:
    if type_ is float:
        return sorted({*_DEGREES, *(celsius + 0.5 for celsius in _DEGREES)})
    return _DEGREES if type_ is int else ()


def _protocols() -> Iterator[ClimateProtocol]:
    for cls in COMMANDS:
        try:
            yield ClimateProtocol(cls)
        except TypeError:
            continue


PROTOCOLS: Final[Mapping[str, ClimateProtocol]] = {
    protocol.name: protocol for protocol in _protocols()
}
"""Air conditioner protocols of the installed library, by name."""
