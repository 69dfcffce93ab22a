"""Tell an air conditioner what a thermometer measures, as its own remote control would."""

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
"""Between two reports. Without any, air conditioners measure by themselves again after minutes."""


class RoomReports:
    """Reports the temperature of a room for as long as somebody measures it.

    Where no message says the temperature alone, the whole state is sent again, at which an air
    conditioner may beep: then only if what it was told is no longer right.
    """

    def __init__(
        self,
        room: RoomTemperature,
        measured: Callable[[], float | None],
        report: Callable[[], Awaitable[None]],
    ) -> None:
        """`measured` returns °C, or None while there is nothing to report."""
        self._room = room
        self._measured = measured
        self._report = report
        self._reported: float | None = None

    @callback
    def start(self, hass: HomeAssistant, name: str) -> CALLBACK_TYPE:
        """Report from now on. Return what ends that."""
        return async_track_time_interval(
            hass,
            self._tick,
            INTERVAL,
            name=f"irhub: temperature for {name}",
            cancel_on_shutdown=True,
        )

    @callback
    def sent(self, celsius: float | None) -> None:
        """Note what the last packet said."""
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
        except HomeAssistantError as err:  # whoever sends next is told; this is tried again
            _LOGGER.debug("The temperature of the room was not sent: %s", err)
