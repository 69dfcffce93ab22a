"""Turn an air conditioner off in some time, also if Home Assistant or the hub is away meanwhile."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
import logging
from typing import Final

from homeassistant.core import CALLBACK_TYPE, HassJob, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.event import async_track_point_in_utc_time
from homeassistant.util import dt as dt_util

_LOGGER = logging.getLogger(__package__)

ATTR_OFF_AT: Final = "off_at"
MAX_OFF_IN: Final = timedelta(hours=24)
TOO_LATE: Final = timedelta(hours=1)
"""What could not be done for so long is not done any more: it would be a surprise."""


class OffTimer:
    """When something is to be turned off, and the wait for it."""

    at: datetime | None = None
    """None: nobody has asked for it."""

    def __init__(
        self, turn_off: Callable[[], Awaitable[None]], changed: Callable[[], None]
    ) -> None:
        self._turn_off = turn_off
        self._changed = changed
        self._hass: HomeAssistant | None = None
        self._cancel: CALLBACK_TYPE | None = None
        self._is_due = False

    @callback
    def start(self, hass: HomeAssistant, duration: timedelta) -> None:
        """Begin to wait, in place of what was waited for; without a duration, end that."""
        self.end()
        if duration > timedelta():
            self._wait(hass, dt_util.utcnow() + duration)

    @callback
    def restore(self, hass: HomeAssistant, at: object, *, available: bool) -> None:
        """Go on waiting for what was waited for before a restart."""
        time = dt_util.parse_datetime(at) if isinstance(at, str) else None
        if time is None or time.tzinfo is None:
            return
        self._wait(hass, dt_util.as_utc(time))
        if time <= dt_util.utcnow():
            self.stop()
            self._is_due = True
            if available:
                self.catch_up()

    @callback
    def catch_up(self) -> None:
        """Turn off what could not be turned off in time, unless that is long ago."""
        if not self._is_due or self.at is None or self._hass is None:
            return
        if dt_util.utcnow() - self.at > TOO_LATE:
            self.end()
            self._changed()
            return
        self._is_due = False
        _ = self._hass.async_create_task(self._do(), "irhub: turn off in time")

    @callback
    def end(self) -> None:
        """Wait for nothing any more."""
        self.stop()
        self.at, self._is_due = None, False

    def _wait(self, hass: HomeAssistant, at: datetime) -> None:
        self._hass, self.at = hass, at

        @callback
        def due(_now: datetime) -> None:
            self._cancel, self._is_due = None, True
            self.catch_up()

        job = HassJob(due, cancel_on_shutdown=True)
        self._cancel = async_track_point_in_utc_time(hass, job, at)

    @callback
    def stop(self) -> None:
        """Wait no more; what was waited for can be restored."""
        if self._cancel is not None:
            self._cancel()
            self._cancel = None

    async def _do(self) -> None:
        try:
            await self._turn_off()
        except HomeAssistantError as err:
            _LOGGER.warning("What was to be turned off by now is still on: %s", err)
            self._is_due = self.at is not None
