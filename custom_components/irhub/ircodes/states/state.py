"""What an air conditioner is set to: each of its packets says all of it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final, override

MODES: Final = ("cool", "heat", "dry", "fan_only", "heat_cool", "auto")
"""As Home Assistant calls them."""
_MODES_OF_FILES: Final = {"cold": "cool", "fan": "fan_only", "hot": "heat", "warm": "heat"}
"""As code files call some of them, too."""
NAMED: Final = ("preset", "fan", "swing")
"""The attributes of a state whose values are names."""
ATTRIBUTES: Final = (*NAMED, "temperature")
"""What a state has besides its mode."""

type Value = str | float


class Off(Enum):
    """The other thing that a packet of an air conditioner can say."""

    OFF = "off"


OFF: Final = Off.OFF


@dataclass(frozen=True, kw_only=True, slots=True)
class State:
    """A whole state. None: the mode does not have it, or the packet is for whatever it is."""

    mode: str
    """One of MODES; of a packet, perhaps a word of its protocol that Home Assistant has not."""
    preset: str | None = None
    fan: str | None = None
    swing: str | None = None
    temperature: float | None = None
    """In the unit of the device's codes."""

    @override
    def __str__(self) -> str:
        """Return the state as a sentence shows it."""
        degrees = None if self.temperature is None else f"{self.temperature:g}°"
        return " · ".join(self._words(degrees))

    @property
    def label(self) -> str:
        """Return what a command of the state is called: "cool auto 24"."""
        return " ".join(self._words(None if self.temperature is None else f"{self.temperature:g}"))

    def _words(self, temperature: str | None) -> list[str]:
        levels = (self.mode, self.preset, self.fan, self.swing, temperature)
        return [level for level in levels if level is not None]


def mode_of(name: str) -> str | None:
    """Return the mode that a code file calls so; None if Home Assistant has no such mode."""
    mode = name.strip().casefold()
    mode = _MODES_OF_FILES.get(mode, mode)
    return mode if mode in MODES else None


def value(state: State, attribute: str) -> Value | None:
    """Return the value of one of ATTRIBUTES, or the mode."""
    known: Value | None = getattr(state, attribute)
    return known


@lru_cache(maxsize=4096)  # teaching explains a press in thousands of ways
def attributes(state: State) -> Sequence[tuple[str, Value]]:
    """Return the attributes that have a value, with their values."""
    pairs = ((attribute, value(state, attribute)) for attribute in ATTRIBUTES)
    return tuple((attribute, known) for attribute, known in pairs if known is not None)


def agreed(states: Collection[State], before: State | None = None) -> State:
    """Return what an air conditioner is set to after a packet that stands for these states.

    What they do not agree on, or do not have, is as it was before; None if that is not known.
    """
    modes = [state.mode for state in states]
    was = before or State(mode=modes[0])

    def only[T](values: set[T | None], otherwise: T | None) -> T | None:
        [known, *others] = values
        return otherwise if others or known is None else known

    return State(
        mode=was.mode if was.mode in modes else modes[0],
        preset=only({state.preset for state in states}, was.preset),
        fan=only({state.fan for state in states}, was.fan),
        swing=only({state.swing for state in states}, was.swing),
        temperature=only({state.temperature for state in states}, was.temperature),
    )
