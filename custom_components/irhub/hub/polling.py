"""Coordinator that polls the status of a device: sockets and measurements."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
import logging
from typing import Final, override

from homeassistant.core import CALLBACK_TYPE, HassJob, callback
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator

from ..errors import HubError
from .hub import Hub
from .library import Status, read_status, set_socket

_LOGGER = logging.getLogger(__package__)

SETTLE_S: Final = 2
"""Time in seconds until a device reports the state that was set by a command."""

REPORTED_MISSES: Final = 3
"""Failed readings in a row after which the log says why; with the default `retry`, sockets are
unavailable then."""


class StatusCoordinator(DataUpdateCoordinator[Status]):
    """The status of one hub, polled at the shortest interval of all listeners.

    A listener's context is its interval in seconds. The status is also read when the hub becomes
    available; nothing is sent while it is unavailable. A failed reading is not raised, since
    Home Assistant would notify listeners only once; it is counted in `Status.missed`. The log
    says once why a device that has a session cannot be read.
    """

    def __init__(self, hub: Hub) -> None:
        super().__init__(hub.hass, _LOGGER, config_entry=None, name=f"status of {hub.label}")
        self.hub = hub
        self.data = Status()
        self._commands = 0
        self._reading: asyncio.Task[None] | None = None
        self._cancel_settle_timer: CALLBACK_TYPE | None = None
        self._settled_job = HassJob(self._read_settled, cancel_on_shutdown=True)
        self._forget_hub = hub.async_add_listener(self._hub_changed)

    @callback
    @override
    def async_add_listener(
        self, update_callback: CALLBACK_TYPE, context: float | None = None
    ) -> Callable[[], None]:
        """Call back after each reading or failed reading, at least every `context` seconds."""
        before = self._interval()
        forget = super().async_add_listener(update_callback, context)
        if (interval := self._interval()) != before:
            self.update_interval = interval
            self._hub_changed()

        @callback
        def remove() -> None:
            forget()
            self.update_interval = self._interval()

        return remove

    def _interval(self) -> timedelta | None:
        shortest = None if self.hub.closed else min(self.async_contexts(), default=None)
        return None if shortest is None else timedelta(seconds=shortest)

    @callback
    def _hub_changed(self) -> None:
        """Read now if there is a listener and a session."""
        if self.hub.closed:
            return
        # Notifies the listeners, and restarts the timer with the new interval.
        self.async_set_updated_data(self.data)
        is_reading = self._reading is not None and not self._reading.done()
        if self.hub.available and self._interval() is not None and not is_reading:
            self._refresh()

    async def async_set_socket(self, number: int, *, on: bool) -> None:
        """Switch a socket, and update the data once the device has confirmed.

        Sockets read within SETTLE_S are ignored; the status is read again afterwards.
        Raise HubError if the device did not confirm.
        """
        try:
            await self.hub.request(lambda device: set_socket(device, number, on=on))
        finally:
            self._commands += 1
            self._cancel_settled()
            if not self.hub.closed:
                self._cancel_settle_timer = async_call_later(self.hass, SETTLE_S, self._settled_job)
        sockets = {**self.data.sockets, number: on}
        self.async_set_updated_data(replace(self.data, sockets=sockets))

    @override
    async def async_shutdown(self) -> None:
        """Stop polling."""
        self._forget_hub()
        self.update_interval = None  # else a running reading would schedule the next one
        self._cancel_settled()
        await super().async_shutdown()

    @override
    async def _async_update_data(self) -> Status:
        is_settled, commands = self._cancel_settle_timer is None, self._commands
        if not self.hub.available:
            return replace(self.data, missed=self.data.missed + 1)
        try:
            status = await self.hub.request(read_status)
        except HubError as err:
            return self._after_failure(err)
        if self.hub.log.settle("status"):
            _LOGGER.info("Sensors and sockets of the hub %s are read again", self.hub.label)
        if is_settled and commands == self._commands:
            return status
        return replace(status, sockets=self.data.sockets)

    def _after_failure(self, err: HubError) -> Status:
        """Return the data after one more failed reading."""
        status = replace(self.data, missed=self.data.missed + 1)
        if self.hub.available and status.missed >= REPORTED_MISSES:
            self.hub.log.report("status", "Sensors and sockets cannot be read", detail=f": {err}")
        else:
            _LOGGER.debug("Nothing was read: %s", err)
        return status

    @callback
    def _read_settled(self, _now: datetime) -> None:
        self._cancel_settle_timer = None
        if self.hub.available:
            self._refresh()

    @callback
    def _refresh(self) -> None:
        self._reading = self.hass.async_create_background_task(
            self.async_refresh(), f"irhub: read the status of {self.hub.label}"
        )

    @callback
    def _cancel_settled(self) -> None:
        if self._cancel_settle_timer is not None:
            self._cancel_settle_timer()
            self._cancel_settle_timer = None
