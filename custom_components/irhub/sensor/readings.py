"""Plausibility check of a device's readings.

Hubs occasionally report wrong values: 249 °C for one poll, 0 °C without a thermometer, and -7 °C
for as long as the room has about 23 °C.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ..hub.library import METERED, is_silent_meter

type Range = tuple[float, float]
"""Smallest and largest plausible value."""

MISREAD_CELSIUS: Final = -7.0
"""Temperature that many hubs report if it is about MISREAD_AT_CELSIUS."""
MISREAD_AT_CELSIUS: Final = 23.0
ABSENT_CELSIUS: Final = 0.0
NEAR_CELSIUS: Final = 3.0
"""A suspect temperature is accepted if it differs from the last one by this at most."""

NO_CABLE: Final = {"temperature": 0.0, "humidity": 0.0}
"""Reply of an RM4 without its sensor cable."""
NO_THERMOMETER: Final = {"temperature": ABSENT_CELSIUS}
"""Reply of an RM pro+, which has no thermometer, and occasionally of an RM pro, which has one."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The accepted readings of one condition."""

    value: float | None = None
    """The last accepted value."""
    rejected: int = 0
    """Number of replies since then without an accepted value."""

    def after(self, condition: str, reply: Mapping[str, float], plausible: Range) -> Reading:
        """Return the reading after one more reply (condition → value)."""
        if reply == NO_CABLE:
            return self
        value = reply.get(condition)
        if self.value is None and condition in METERED and is_silent_meter(reply):
            return Reading(rejected=self.rejected + 1)
        if (
            value is not None
            and plausible[0] <= value <= plausible[1]
            and (condition != "temperature" or self._is_acceptable(value, reply))
        ):
            return Reading(value=value)
        if value == MISREAD_CELSIUS and condition == "temperature" and self._is_misread():
            return self
        return Reading(value=self.value, rejected=self.rejected + 1)

    def _is_acceptable(self, celsius: float, reply: Mapping[str, float]) -> bool:
        suspect = celsius == MISREAD_CELSIUS or reply == NO_THERMOMETER
        return not suspect or (self.value is not None and abs(celsius - self.value) <= NEAR_CELSIUS)

    def _is_misread(self) -> bool:
        """Return whether the last value is about the temperature that hubs misread."""
        return self.value is not None and abs(self.value - MISREAD_AT_CELSIUS) <= 1
