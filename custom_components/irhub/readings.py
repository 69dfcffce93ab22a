"""Which readings of a device are believed.

Hubs now and then report a value that was never measured: -7 °C or 249 °C for one
poll, zeros where no sensor cable is plugged in.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

PLAUSIBLE: Final[Mapping[str, tuple[float, float]]] = {
    "temperature": (-50, 150),
    "humidity": (0, 100),
    "light": (0, 3),
    "air_quality": (0, 3),
    "noise": (0, 2),
}
"""Smallest and largest believable value: °C, %, and levels."""

SUSPICIOUS_CELSIUS: Final = -7.0
"""What some hubs report when a measurement failed; true only when repeated."""

NO_CABLE: Final = {"temperature": 0.0, "humidity": 0.0}
"""What an RM4 reports without its sensor cable, these two being all it measures."""


@dataclass(frozen=True, kw_only=True)
class Readings:
    """What is known of a device's conditions after a reply.

    `believed` has the last believable value of each condition, `doubted` how many
    replies ago that was (or how many replies there were, without one), `offered` the
    conditions the device reports at all. `cable` is false when the last reply
    said that no sensor cable is plugged in; nothing else changes then.
    """

    believed: Mapping[str, float] = field(default_factory=dict)
    doubted: Mapping[str, int] = field(default_factory=dict)
    offered: frozenset[str] = frozenset()
    cable: bool = True
    last: Mapping[str, float] = field(default_factory=dict)

    def after(self, reply: Mapping[str, float]) -> Readings:
        """Return what is known after one more reply: condition → value."""
        if reply == NO_CABLE:
            return Readings(
                believed=self.believed,
                doubted=self.doubted,
                offered=frozenset(reply),
                cable=False,
                last=reply,
            )
        good = {
            condition: value
            for condition, value in reply.items()
            if _in_range(condition, value) and not self._suspicious(condition, value)
        }
        return Readings(
            believed={**self.believed, **good},
            doubted={
                condition: 0 if condition in good else self.doubted.get(condition, 0) + 1
                for condition in reply
            },
            offered=frozenset(reply),
            last=reply,
        )

    def _suspicious(self, condition: str, value: float) -> bool:
        return (
            condition == "temperature"
            and value == SUSPICIOUS_CELSIUS
            and self.last.get(condition) != value
        )


def _in_range(condition: str, value: float) -> bool:
    if condition not in PLAUSIBLE:
        return False
    lowest, highest = PLAUSIBLE[condition]
    return lowest <= value <= highest
