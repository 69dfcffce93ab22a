"""One regular read of a hub, shared by all who want its result."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Final, cast

from homeassistant.core import CALLBACK_TYPE, HassJob, callback
from homeassistant.helpers.event import async_call_later

from .errors import HubError, HubOfflineError
from .hub import Hub
from .library import Device

SETTLE_S: Final = 2
"""After this long a device reports the state it was commanded to."""


class Poll[T]:
    """Reads one thing from a hub at the shortest interval that anybody asked for.

    Single flight; nothing is sent while the hub is known to be offline, but that counts as
    a missed poll. Reads at once when the hub (be)comes available. After every poll, good
    or missed, the listeners are called and look at `data` and `missed`.
    """

    def __init__(self, hub: Hub, read: Callable[[Device], Awaitable[T]]) -> None:
        self.hub = hub
        self.data: T | None = None
        """What was read last; None before the first answer. Stays through missed polls."""
        self.missed = 0
        """How many polls in a row brought nothing."""
        self.error: HubError | None = None
        """Why the last poll brought nothing."""
        self._read = read
        self._wanted: list[tuple[CALLBACK_TYPE, float]] = []
        self._cancel: CALLBACK_TYPE | None = None
        self._unsubscribe_hub: CALLBACK_TYPE | None = None
        self._running = False
        self._task: asyncio.Task[None] | None = None
        self._epoch = 0
        self._tick_job = HassJob(self._tick, cancel_on_shutdown=True)

    @callback
    def async_subscribe(self, listener: CALLBACK_TYPE, interval: float) -> CALLBACK_TYPE:
        """Poll every `interval` seconds or oftener, for `listener`. Returns what ends that."""
        wanted = (listener, interval)
        self._wanted.append(wanted)
        if self._unsubscribe_hub is None:
            self._unsubscribe_hub = self.hub.async_add_listener(self._hub_changed)
            if self.hub.available:
                self._poll()
        self._schedule()

        @callback
        def unsubscribe() -> None:
            self._wanted.remove(wanted)
            self._schedule()
            if not self._wanted and self._unsubscribe_hub is not None:
                self._unsubscribe_hub()
                self._unsubscribe_hub = None

        return unsubscribe

    @callback
    def async_outdate(self) -> None:
        """A command changed the device: drop a read under way, read again when it settled."""
        self._epoch += 1
        self._schedule(SETTLE_S)

    @callback
    def _schedule(self, delay: float | None = None) -> None:
        if self._cancel is not None:
            self._cancel()
            self._cancel = None
        if self._wanted:
            shortest = min(interval for _, interval in self._wanted)
            self._cancel = async_call_later(
                self.hub.hass, shortest if delay is None else delay, self._tick_job
            )

    @callback
    def _tick(self, _now: datetime) -> None:
        self._cancel = None
        self._schedule()
        self._poll()

    @callback
    def _hub_changed(self) -> None:
        if self.hub.available:
            self._schedule()
            self._poll()

    @callback
    def _poll(self) -> None:
        if not self.hub.available:
            self._finish(HubOfflineError("fell_silent", hub=self.hub.label))
        elif not self._running:
            self._running = True
            self._task = self.hub.hass.async_create_background_task(
                self._read_once(), f"irhub: poll of {self.hub.label}"
            )

    async def _read_once(self) -> None:
        epoch = self._epoch
        try:
            data = await self.hub.request(self._read)
        except HubError as err:
            self._finish(err)
        else:
            if epoch == self._epoch:
                self.data = data
                self._finish(None)
        finally:
            self._running = False

    @callback
    def _finish(self, error: HubError | None) -> None:
        self.error = error
        self.missed = 0 if error is None else self.missed + 1
        for listener, _ in list(self._wanted):
            listener()


@callback
def shared_poll[T](hub: Hub, name: str, read: Callable[[Device], Awaitable[T]]) -> Poll[T]:
    """Return the hub's one poll of that name; the first caller's `read` is used."""
    return cast(Poll[T], hub.polls.setdefault(name, Poll(hub, read)))
