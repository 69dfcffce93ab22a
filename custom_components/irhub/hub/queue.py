"""The request queue of a hub: one request to the device at a time, in call order."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
import logging

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback

from .._common.log_once import LogOnce
from ..errors import HubOfflineError, HubRefusedError, NotConfirmedError
from ..settings import HubSettings, Mac
from .connection import Connection, hub_closed
from .device_types import warn_if_useless
from .library import (
    FAILED,
    GARBLED,
    SESSION_LOST,
    SILENT,
    Capability,
    EndpointClosedError,
    HubDevice,
    capabilities,
)
from .search import Search

_LOGGER = logging.getLogger(__package__)


class Queue:
    """The connection to a device, its capabilities, and its request queue.

    `remember` is called with MAC address and device type when the device reports a type that
    differs from the last one.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        settings: HubSettings,
        search: Search,
        *,
        capabilities: frozenset[str] | None,
        remember: Callable[[Mac, int], None],
    ) -> None:
        self.hass = hass
        self.connection = Connection(hass, settings, search, self._connection_changed)
        self.capabilities = capabilities
        """Capabilities by the device type that was reported in this run or an earlier one; None
        if the device has never answered."""
        self.transmissions = 0
        """Number of transmissions begun; the device leaves learning mode at each."""
        self.log = LogOnce(_LOGGER)
        """Logs each problem of the device once, whichever component reports it."""
        self.silences = 0
        """Number of unanswered requests. Requests that wait when it changes are not sent."""
        self._devtype: int | None = None
        self._remember = remember
        self._listeners: list[CALLBACK_TYPE] = []
        self._when_known: list[CALLBACK_TYPE] = []
        self._exchange = asyncio.Lock()

    @property
    def closed(self) -> bool:
        """Return whether the hub was closed, by a reload or the stop of Home Assistant."""
        return self.connection.closing.is_set()

    @property
    def settings(self) -> HubSettings:
        """Return the hub's settings, with the largest timeout and gap of all its uses."""
        return self.connection.settings

    @property
    def label(self) -> str:
        """Return the hub's name in messages."""
        return self.settings.label

    @property
    def available(self) -> bool:
        """Return whether there is an authenticated session."""
        return self.connection.device is not None

    def can(self, capability: Capability) -> bool | None:
        """Return whether the device has a capability; None while that is unknown."""
        return None if self.capabilities is None else capability in self.capabilities

    @callback
    def async_add_listener(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `listener` whenever `available` changes. Return a function that unsubscribes."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @callback
    def async_when_known(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `listener` once, as soon as `capabilities` are known, possibly at once.

        Return a function that unsubscribes.
        """
        if self.capabilities is not None:
            listener()
        else:
            self._when_known.append(listener)

        @callback
        def forget() -> None:
            if listener in self._when_known:
                self._when_known.remove(listener)

        return forget

    async def request[T](self, call: Callable[[HubDevice], Awaitable[T]]) -> T:
        """Run one read or command of the library on the device, after all earlier requests.

        Connect first if necessary. Raise HubOfflineError (nothing was sent), NotConfirmedError (no
        answer) or another HubError. `call` must be idempotent: it is repeated if the device has
        ended the session.
        """
        if self.connection.device is None:
            await self.connection.connect()
        return await self.exchange(call, self.silences)

    async def exchange[T](self, call: Callable[[HubDevice], Awaitable[T]], silences: int) -> T:
        """Run one request; raise HubOfflineError if `silences` is out of date by then.

        If the device has ended the session, the request is repeated once in a new session.
        """
        async with self._exchange:
            is_renewed = False
            while True:
                if self.connection.closing.is_set():
                    raise hub_closed(self.settings)
                if (device := self.connection.device) is None or silences != self.silences:
                    raise HubOfflineError("fell_silent", hub=self.label)
                try:
                    return await call(device)
                except EndpointClosedError as err:
                    if self.closed:
                        raise hub_closed(self.settings) from err
                    raise NotConfirmedError("no_answer", hub=self.label) from err
                except SILENT as err:
                    self.silences += 1
                    self.connection.check_now()
                    raise NotConfirmedError("no_answer", hub=self.label) from err
                except SESSION_LOST as err:
                    if is_renewed:
                        await self.connection.disconnect()
                        raise HubRefusedError("refused", hub=self.label, error=err) from err
                except FAILED as err:
                    key = "garbled" if isinstance(err, GARBLED) else "refused"
                    raise HubRefusedError(key, hub=self.label, error=err) from err
                await self.connection.renew()
                is_renewed = True

    async def pause(self, seconds: float) -> None:
        """Sleep. Raise HubClosedError as soon as the hub is closed."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.connection.closing.wait()
        if self.closed:
            raise hub_closed(self.settings)

    @callback
    def begin_close(self) -> None:
        """Refuse all requests from now on."""
        self.connection.closing.set()

    @callback
    def _connection_changed(self) -> None:
        if (device := self.connection.device) is not None:
            if device.devtype != self._devtype:
                self._devtype = device.devtype
                self._remember(Mac(device.mac.hex()), device.devtype)
                warn_if_useless(device, self.label)
            self.capabilities = capabilities(device)
            waiting, self._when_known = self._when_known, []
            self._notify(waiting)
        self._notify(self._listeners)

    def _notify(self, listeners: list[CALLBACK_TYPE]) -> None:
        """Call all listeners; log the exception of a listener that fails."""
        for listener in list(listeners):
            try:
                listener()
            except Exception:
                _LOGGER.exception("A listener to the hub %s failed", self.label)
