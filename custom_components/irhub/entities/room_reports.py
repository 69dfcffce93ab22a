"""Periodic reports of a room's temperature to an air conditioner, as by its remote control."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
import logging
from typing import Final

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.event import async_track_time_interval

from ..ircodes.states import RoomTemperature

_LOGGER = logging.getLogger(__package__)

INTERVAL: Final = timedelta(minutes=3)
"""Interval of reports. Without them, air conditioners use their own sensor again after minutes."""


class RoomReports:
    """Reports the temperature of a room while a sensor measures it.

    If the protocol has no message for the temperature alone, the complete state is sent, at which
    an air conditioner may beep; then it is sent only if the temperature has changed.
    """

    def __init__(
        self,
        room: RoomTemperature,
        measured: Callable[[], float | None],
        report: Callable[[], Awaitable[None]],
    ) -> None:
        """Create the reports; `measured` returns °C, or None while there is nothing to report."""
        self._room = room
        self._measured = measured
        self._report = report
        self._reported: float | None = None

    @callback
    def start(self, hass: HomeAssistant, name: str) -> CALLBACK_TYPE:
        """Start reporting. Return a function that stops it."""
        return async_track_time_interval(
            hass,
            self._tick,
            INTERVAL,
            name=f"irhub: temperature for {name}",
            cancel_on_shutdown=True,
        )

    @callback
    def sent(self, celsius: float | None) -> None:
        """Record the temperature in °C that the last packet contained; None if none."""
        self._reported = None if celsius is None else self._room.nearest(celsius)

    async def _tick(self, _now: datetime) -> None:
        celsius = self._measured()
        if celsius is None:
            return
        if not self._room.report and self._room.nearest(celsius) == self._reported:
            return
        try:
            await self._report()
            self.sent(celsius)
        except HomeAssistantError as err:  # the next command reports it; retried
            _LOGGER.debug("The temperature of the room was not sent: %s", err)
