"""Reading the sensors of a hub."""

from collections.abc import Awaitable, Callable, Mapping
import logging
from typing import Protocol, cast

from .hub import Hub
from .library import Device
from .readings import Readings

_LOGGER = logging.getLogger(__package__)


class _Measuring(Protocol):
    async def check_sensors(self) -> Mapping[str, float]: ...


class _MeasuringLevels(Protocol):
    async def check_sensors_raw(self) -> Mapping[str, float]: ...


def reader(hub: Hub) -> Callable[[Device], Awaitable[Readings]]:
    """Return a function that reads the hub's device and remembers what to believe."""
    readings = Readings()

    async def read(device: Device) -> Readings:
        nonlocal readings
        # An air sensor's other method gives words instead of levels.
        reply = (
            await cast(_MeasuringLevels, device).check_sensors_raw()
            if hasattr(device, "check_sensors_raw")
            else await cast(_Measuring, device).check_sensors()
        )
        had_cable, readings = readings.cable, readings.after(reply)
        if had_cable and not readings.cable and not readings.believed:
            _LOGGER.warning(
                "The hub at %s reports 0 °C and 0 %%: no sensor cable is plugged into it",
                hub.label,
            )
        return readings

    return read
