"""Select among the protocols that fit a press, using another press and the remote's display."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ..states.state import State
from .row import KnownReading

_CHECKED_BITS: Final = 8
"""Minimum number of check bits for a press to be accepted with unexplained bits."""
_UNEXPLAINED: Final = 3
"""Maximum number of unexplained bits, plus one for each checked byte."""
_MOST_UNEXPLAINED: Final = 8
_NEW_IN_MODE: Final = 2
"""Maximum number of unexplained bits in which the presses of two modes may differ."""
_FANS: Final = frozenset({"auto", "low", "medium", "high"})
"""Fan speeds that displays show in the same way, whatever a maker calls the others."""
_SAME_MODE: Final = {"heat_cool": "auto"}
_FREEZING_F: Final = 32
_DEGREES_F: Final = 1.8


def is_certain(reading: KnownReading) -> bool:
    """Return whether a press has no unexplained bits, or only a few and enough check bits."""
    if not reading.unexplained:
        return True
    checked = reading.row.checked_bits
    limit = min(_MOST_UNEXPLAINED, _UNEXPLAINED + checked // _CHECKED_BITS)
    return checked >= _CHECKED_BITS and reading.unexplained.bit_count() <= limit


@dataclass(frozen=True, kw_only=True)
class RequestedState:
    """The state that the user was asked to set with the first press.

    `degrees` is the temperature in either unit: "C" or "F" → degrees.
    """

    mode: str
    degrees: Mapping[str, float]

    def fits(self, reading: KnownReading) -> bool:
        """Return whether a reading has the requested state."""
        state = reading.state
        return (
            isinstance(state, State)
            and state.mode == self.mode
            and state.temperature == self.degrees.get(reading.row.unit)
        )

    def matching(self, readings: Sequence[KnownReading]) -> list[KnownReading]:
        """Return the readings with the requested state; all readings if there are none."""
        return [*filter(self.fits, readings)] or [*readings]


def narrow(readings: Sequence[KnownReading], others: Sequence[KnownReading]) -> list[KnownReading]:
    """Return the readings of a press that another press of the same remote control confirms.

    Both presses are readings of the same row with different states. Bits beyond the state must be
    equal, or those of one variant in both modes; else each mode may have its own bits, if they are
    known from other remote controls.
    """
    confirmed = [
        merged
        for reading in readings
        for other in others
        if other.row is reading.row
        and other.state != reading.state
        and (merged := _confirmed(reading, other)) is not None
    ]
    return sorted(confirmed, key=unlikeliness)


def shown_differently(readings: Sequence[KnownReading]) -> list[KnownReading]:
    """Return the readings that a display shows differently; of those it shows alike, the first."""
    by_display: dict[object, KnownReading] = {}
    for reading in readings:
        state: object = reading.state
        if isinstance(reading.state, State):
            mode, fan = reading.state.mode, reading.state.fan
            state = (
                _SAME_MODE.get(mode, mode),
                reading.state.temperature,
                fan if fan in _FANS else None,
            )
        by_display.setdefault((reading.row.unit, state), reading)
    return [*by_display.values()]


def is_open(
    confirmed: Sequence[KnownReading], readings: Sequence[KnownReading], requested: RequestedState
) -> bool:
    """Return whether only the display shows which of the confirmed readings is right, if any.

    24 °C of one remote control is 76 °F of another: if only °F is confirmed, the press may be of a
    mode for which the table has no °C. If the press does not have the requested state, an
    unexplained bit may stand for °F.
    """
    units = {reading.row.unit for reading in (*confirmed, *readings)}
    has_requested = any(map(requested.fits, readings))
    has_new_bits = any(reading.unexplained and not requested.fits(reading) for reading in confirmed)
    has_new_bits |= bool(confirmed) and not has_requested
    return len(shown_differently(confirmed)) > 1 or has_new_bits or "F" in units


def fahrenheit(celsius: float) -> list[int]:
    """Return the temperatures in °F that a remote control displays when it sends this one in °C."""
    nearest = round(celsius * _DEGREES_F + _FREEZING_F)
    return [
        degrees for degrees in range(nearest - 2, nearest + 3) if in_celsius(degrees) == celsius
    ]


def in_celsius(degrees: float) -> int:
    """Return the temperature in whole °C that a remote control sends when it displays °F."""
    return round((degrees - _FREEZING_F) / _DEGREES_F)


def unlikeliness(reading: KnownReading) -> tuple[int, int, int, int]:
    """Return a sort key for readings, the likeliest first."""
    return (
        reading.unexplained.bit_count(),
        len(reading.in_modes),
        0 if reading.variants or not reading.flips else 1,
        -len(reading.row.makers),
    )


def _confirmed(reading: KnownReading, other: KnownReading) -> KnownReading | None:
    """Return the reading of a remote control with both presses; None if they contradict each other.

    Both are readings by one row; if one is "off", the result is the other one.
    """
    if not isinstance(reading.state, State):
        reading, other = other, reading
    if not isinstance(reading.state, State):
        return None
    if not isinstance(other.state, State) or reading.flips == other.flips:
        return reading
    if any(variant in other.variants for variant in reading.variants):
        return reading
    has_unexplained = bool(reading.unexplained or other.unexplained)
    if other.state.mode == reading.state.mode:
        return None if has_unexplained else other
    if has_unexplained and not _may_differ_by_mode(reading, other):
        return None
    return replace(reading, in_modes={other.state.mode: other.flips})


def _may_differ_by_mode(reading: KnownReading, other: KnownReading) -> bool:
    """Return whether each mode may have its own bits, including unexplained ones.

    Bits for a swing or temperature that the protocol does not have are not counted.
    """
    row = reading.row
    new_bits = (reading.unexplained ^ other.unexplained) & ~row.state_bits
    return row.checked_bits >= _CHECKED_BITS and new_bits.bit_count() <= _NEW_IN_MODE
