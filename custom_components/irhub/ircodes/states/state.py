"""The state of an air conditioner, which each of its packets contains completely."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final, override

MODES: Final = ("cool", "heat", "dry", "fan_only", "heat_cool", "auto")
"""Home Assistant's names."""
_MODES_OF_FILES: Final = {"cold": "cool", "fan": "fan_only", "hot": "heat", "warm": "heat"}
"""Other names in code files."""
NAMED: Final = ("preset", "fan", "swing")
"""Attributes of a state whose values are names."""
ATTRIBUTES: Final = (*NAMED, "temperature")
"""Attributes of a state besides its mode."""

type Value = str | float


class Off(Enum):
    """The alternative to a state."""

    OFF = "off"


OFF: Final = Off.OFF


@dataclass(frozen=True, kw_only=True, slots=True)
class State:
    """A complete state.

    An attribute is None if the mode lacks it, or if a packet is the same for all of its values.
    """

    mode: str
    """One of MODES; in packets also a name of the protocol that Home Assistant does not have."""
    preset: str | None = None
    fan: str | None = None
    swing: str | None = None
    temperature: float | None = None
    """In the unit of the device's codes."""

    @override
    def __str__(self) -> str:
        """Return the state for use in a sentence."""
        degrees = None if self.temperature is None else f"{self.temperature:g}°"
        return " · ".join(self._words(degrees))

    @property
    def label(self) -> str:
        """Return the name of a command for the state: "cool auto 24"."""
        return " ".join(self._words(None if self.temperature is None else f"{self.temperature:g}"))

    def _words(self, temperature: str | None) -> list[str]:
        levels = (self.mode, self.preset, self.fan, self.swing, temperature)
        return [level for level in levels if level is not None]


def mode_of(name: str) -> str | None:
    """Return the mode for a name in a code file; None if Home Assistant has no such mode."""
    mode = name.strip().casefold()
    mode = _MODES_OF_FILES.get(mode, mode)
    return mode if mode in MODES else None


def value(state: State, attribute: str) -> Value | None:
    """Return the value of the mode or of one of ATTRIBUTES."""
    setting: Value | None = getattr(state, attribute)
    return setting


@lru_cache(maxsize=4096)  # teaching explains a press in thousands of ways
def attributes(state: State) -> Sequence[tuple[str, Value]]:
    """Return the attributes that are not None, with their values."""
    pairs = ((attribute, value(state, attribute)) for attribute in ATTRIBUTES)
    return tuple((attribute, setting) for attribute, setting in pairs if setting is not None)


def agreed(states: Collection[State], before: State | None = None) -> State:
    """Return the state after a code that several states share.

    Attributes that differ or are None keep their value of `before`; None if that is unknown.
    """
    modes = [state.mode for state in states]
    base = before or State(mode=modes[0])

    def only[T](values: set[T | None], otherwise: T | None) -> T | None:
        [known, *others] = values
        return otherwise if others or known is None else known

    return State(
        mode=base.mode if base.mode in modes else modes[0],
        preset=only({state.preset for state in states}, base.preset),
        fan=only({state.fan for state in states}, base.fan),
        swing=only({state.swing for state in states}, base.swing),
        temperature=only({state.temperature for state in states}, base.temperature),
    )
