"""Which readings of a device are believed.

Hubs now and then report a value that was never measured: 249 °C for one poll, 0 °C where
there is no thermometer, and -7 °C for as long as the room has around 23 °C.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

PLAUSIBLE: Final[Mapping[str, tuple[float, float]]] = {
    "temperature": (-50, 150),
    "humidity": (0, 100),
    "light": (0, 3),
    "air_quality": (0, 3),
    "noise": (0, 2),
    "pm10": (0, 10_000),
    "pm2_5": (0, 10_000),
    "pm1": (0, 10_000),
    "power": (0, 100_000),
    "current": (0, 1_000),
    "voltage": (0, 1_000),
    "total_consumption": (0, 1e9),
}
"""Smallest and largest believable value: °C, %, levels, µg/m³, W, A, V, kWh."""

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

    def after(self, condition: str, reply: Mapping[str, float]) -> Reading:
        """Return what is known after one more reply: condition → value."""
        if reply == NO_CABLE:
            return self
        if (value := reply.get(condition)) is not None and self._believes(condition, value, reply):
            return Reading(value=value)
        if value == MISREAD_CELSIUS and condition == "temperature" and self._is_misread():
            return self
        return Reading(value=self.value, rejected=self.rejected + 1)

    def _believes(self, condition: str, value: float, reply: Mapping[str, float]) -> bool:
        lowest, highest = PLAUSIBLE[condition]
        if not lowest <= value <= highest:
            return False
        if condition != "temperature":
            return True
        suspect = value == MISREAD_CELSIUS or reply == NO_THERMOMETER
        return not suspect or (self.value is not None and abs(value - self.value) <= NEAR_CELSIUS)

    def _is_misread(self) -> bool:
        """Say if the last readings are around the temperature that hubs misread so."""
        return self.value is not None and abs(self.value - MISREAD_AT_CELSIUS) <= 1
