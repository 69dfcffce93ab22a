"""What an air conditioner is set to: each of its packets says all of it."""

from dataclasses import dataclass
from enum import Enum
from typing import Final, override

MODES: Final = ("cool", "heat", "dry", "fan_only", "heat_cool", "auto")
"""As Home Assistant calls them."""


class Off(Enum):
    """The other thing that a packet of an air conditioner can say."""

    OFF = "off"


OFF: Final = Off.OFF


@dataclass(frozen=True, kw_only=True, slots=True)
class State:
    """A whole state. None: the mode does not have it, or the packet is for whatever it is."""

    mode: str
    """One of MODES."""
    preset: str | None = None
    fan: str | None = None
    swing: str | None = None
    temperature: float | None = None
    """In the unit of the device's codes."""

    @override
    def __str__(self) -> str:
        """Return the state as a sentence shows it."""
        degrees = None if self.temperature is None else f"{self.temperature:g}°"
        return " · ".join(self._said(degrees))

    @property
    def label(self) -> str:
        """Return what a command of the state is called: "cool auto 24"."""
        return " ".join(self._said(None if self.temperature is None else f"{self.temperature:g}"))

    def _said(self, temperature: str | None) -> list[str]:
        levels = (self.mode, self.preset, self.fan, self.swing, temperature)
        return [level for level in levels if level is not None]
