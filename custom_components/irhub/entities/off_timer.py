"""Timer that turns an air conditioner off; survives restarts and absence of the hub."""

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
"""An overdue timer is dropped after this time: turning off later would be a surprise."""


class OffTimer:
    """One optional point in time at which `turn_off` is called."""

    at: datetime | None = None
    """When to turn off (UTC); None if no timer is set."""

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
        """Set the timer, in place of an earlier one; a duration of 0 cancels it."""
        self.end()
        if duration > timedelta():
            self._wait(hass, dt_util.utcnow() + duration)

    @callback
    def restore(self, hass: HomeAssistant, at: object, *, available: bool) -> None:
        """Restore the timer after a restart; `at` is an ISO timestamp, anything else is ignored."""
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
        """Turn off if the timer is overdue, by TOO_LATE at most."""
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
        """Cancel the timer."""
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
        """Stop waiting, but keep `at` so that the timer can be restored."""
        if self._cancel is not None:
            self._cancel()
            self._cancel = None

    async def _do(self) -> None:
        try:
            await self._turn_off()
        except HomeAssistantError as err:
            _LOGGER.warning("What was to be turned off by now is still on: %s", err)
            self._is_due = self.at is not None
