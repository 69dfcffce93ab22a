"""The queue of a hub: one exchange with the device at a time, in the order of the calls."""

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
    """The session with a device, what it can do, and everything that is asked of it.

    `remember` is called with MAC address and device type whenever the device tells another
    type than before.
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
        """What the device can do, as it told today or in an earlier run; None while it has
        never answered."""
        self.transmissions = 0
        """How many were begun: the device leaves learning mode at each."""
        self.log = LogOnce(_LOGGER)
        """For what is wrong with the device, logged by whoever sees it first."""
        self.silences = 0
        """How many requests the hub did not answer: what was waiting then is not sent any more."""
        self._devtype: int | None = None
        self._remember = remember
        self._listeners: list[CALLBACK_TYPE] = []
        self._when_known: list[CALLBACK_TYPE] = []
        self._exchange = asyncio.Lock()

    @property
    def closed(self) -> bool:
        """Return whether a reload or the end of Home Assistant has closed the hub."""
        return self.connection.closing.is_set()

    @property
    def settings(self) -> HubSettings:
        """Return the hub's configuration, with the largest timeout and gap of its claims."""
        return self.connection.settings

    @property
    def label(self) -> str:
        """Return the hub's name in messages."""
        return self.settings.label

    @property
    def available(self) -> bool:
        """Return whether there is a session: hello answered, MAC right, authenticated."""
        return self.connection.device is not None

    def can(self, capability: Capability) -> bool | None:
        """Return whether the device can do something; None while that is not known."""
        return None if self.capabilities is None else capability in self.capabilities

    @callback
    def async_add_listener(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `listener` whenever `available` changes. Return what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @callback
    def async_when_known(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `listener` once `capabilities` are known: now, or after the first answer.

        Return what ends the waiting.
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
        """Run one read or command of the library on the device, when those before it are done.

        Connects first if need be. Raise HubOfflineError (nothing was sent), NotConfirmedError (no
        answer) or another HubError. The call is for what may be done twice: it is repeated
        when the device has ended the session.
        """
        if self.connection.device is None:
            await self.connection.connect()
        return await self.exchange(call, self.silences)

    async def exchange[T](self, call: Callable[[HubDevice], Awaitable[T]], silences: int) -> T:
        """Run one exchange, unless the hub fell silent while this call waited.

        A device that ended the session gets the same request again in a new one, one time.
        """
        async with self._exchange:
            renewed = False
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
                    if renewed:
                        await self.connection.disconnect()
                        raise HubRefusedError("refused", hub=self.label, error=err) from err
                except FAILED as err:
                    raise HubRefusedError("refused", hub=self.label, error=err) from err
                await self.connection.renew()
                renewed = True

    async def pause(self, seconds: float) -> None:
        """Wait; raise HubClosedError as soon as the hub is closed."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.connection.closing.wait()
        if self.closed:
            raise hub_closed(self.settings)

    @callback
    def begin_close(self) -> None:
        """Accept nothing from now on."""
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
            self._tell(waiting)
        self._tell(self._listeners)

    def _tell(self, listeners: list[CALLBACK_TYPE]) -> None:
        """Call each listener; one that fails costs neither the others nor the connection."""
        for listener in list(listeners):
            try:
                listener()
            except Exception:
                _LOGGER.exception("A listener to the hub %s failed", self.label)
