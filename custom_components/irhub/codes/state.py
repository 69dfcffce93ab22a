"""What an air conditioner is set to: each of its packets says all of it."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class State:
    """A whole state. None: the mode does not have it, or the packet is for whatever it is."""

    mode: str
    """As Home Assistant calls it: cool, heat, dry, fan_only, heat_cool, auto."""
    preset: str | None = None
    fan: str | None = None
    swing: str | None = None
    temperature: float | None = None
    """In the unit of the device's codes."""
