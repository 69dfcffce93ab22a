"""Which readings of a device are believed.

Hubs now and then report a value that was never measured: 249 °C for one poll, 0 °C where
there is no thermometer, and -7 °C for as long as the room has around 23 °C.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ..hub.library import METERED, is_silent_meter

type Range = tuple[float, float]
"""Smallest and largest believable value."""

MISREAD_CELSIUS: Final = -7.0
"""What many hubs report of a room that has MISREAD_AT_CELSIUS."""
MISREAD_AT_CELSIUS: Final = 23.0
ABSENT_CELSIUS: Final = 0.0
NEAR_CELSIUS: Final = 3.0
"""A suspect temperature is believed so close to the last one."""

NO_CABLE: Final = {"temperature": 0.0, "humidity": 0.0}
"""What an RM4 reports without its sensor cable, these two being all it measures."""
NO_THERMOMETER: Final = {"temperature": ABSENT_CELSIUS}
"""What an RM pro+ reports, which has none, and at times an RM pro, which has."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What is known of one condition of a device."""

    value: float | None = None
    """The last value that was believed."""
    rejected: int = 0
    """How many replies in a row since then had none."""

    def after(self, condition: str, reply: Mapping[str, float], plausible: Range) -> Reading:
        """Return what is known after one more reply: condition → value."""
        if reply == NO_CABLE:
            return self
        value = reply.get(condition)
        if self.value is None and condition in METERED and is_silent_meter(reply):
            return Reading(rejected=self.rejected + 1)
        if (
            value is not None
            and plausible[0] <= value <= plausible[1]
            and (condition != "temperature" or self._believes(value, reply))
        ):
            return Reading(value=value)
        if value == MISREAD_CELSIUS and condition == "temperature" and self._is_misread():
            return self
        return Reading(value=self.value, rejected=self.rejected + 1)

    def _believes(self, celsius: float, reply: Mapping[str, float]) -> bool:
        suspect = celsius == MISREAD_CELSIUS or reply == NO_THERMOMETER
        return not suspect or (self.value is not None and abs(celsius - self.value) <= NEAR_CELSIUS)

    def _is_misread(self) -> bool:
        """Return whether the last readings are around the temperature that hubs misread so."""
        return self.value is not None and abs(self.value - MISREAD_AT_CELSIUS) <= 1
