"""One hub, as every platform and service sees it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
import logging
from typing import Protocol, cast
from weakref import WeakValueDictionary

from homeassistant.core import CALLBACK_TYPE, Context, HomeAssistant, callback

from .._common.log_once import LogOnce
from ..codes.packet import air_time_s, kind
from ..errors import HubError, HubOfflineError, HubRefusedError, NotConfirmedError, UserError
from ..settings import HubSettings, Mac
from .connection import Connection, hub_closed
from .device_types import warn_if_useless
from .library import (
    FAILED,
    RESEND_S,
    SESSION_LOST,
    SILENT,
    Capability,
    Device,
    EndpointClosedError,
    Remote,
    capabilities,
)
from .listening import Listening
from .search import Search

_LOGGER = logging.getLogger(__package__)


class DeferredPacket(Protocol):
    """A packet that is chosen at the moment it is transmitted."""

    @property
    def packet(self) -> bytes:
        """Return the packet to transmit now."""

    def confirmed(self) -> None:
        """Note that the hub has confirmed the packet."""


class Hub:
    """One device, known by its MAC address, shared by all that name it.

    Everything sent to the device passes through here: one exchange at a time, in the order
    of the calls; transmissions besides `min_gap` seconds apart, and callers in turn. Get one
    from `Hubs`, never build one. `remember` is called with MAC address and device type
    whenever the device tells another type than before.
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
        self._stop_learning: Callable[[], Awaitable[None]] | None = None
        self.listening = Listening(self)
        self.log = LogOnce(_LOGGER)
        """For what is wrong with the device, told by whoever sees it first."""
        self._devtype: int | None = None
        self._remember = remember
        self._listeners: list[CALLBACK_TYPE] = []
        self._when_known: list[CALLBACK_TYPE] = []
        self._exchange = asyncio.Lock()
        self._transmission = asyncio.Lock()
        self._callers: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._free_at = 0.0
        self._silences = 0

    @property
    def learning(self) -> bool:
        """Return whether somebody learns with the hub."""
        return self._stop_learning is not None

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
        """Say if the device can do something; None while that is not known."""
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

    @callback
    def begin_learning(self, stop: Callable[[], Awaitable[None]]) -> CALLBACK_TYPE:
        """Let nobody else learn. Return what ends that; raise UserError if somebody does.

        `stop` ends it on the device, too; it is awaited when the hub is closed.
        """
        if self.learning:
            raise UserError("already_learning", hub=self.label)
        self._stop_learning = stop
        self.listening.learning_changed()

        @callback
        def end() -> None:
            self._stop_learning = None
            self.listening.learning_changed()

        return end

    async def request[T](self, call: Callable[[Device], Awaitable[T]]) -> T:
        """Run one read or command of the library on the device, when those before it are done.

        Connects first if need be. Raise HubOfflineError (nothing was sent), NotConfirmedError (no
        answer) or another HubError. The call is for what may be done twice: it is repeated
        when the device has ended the session.
        """
        if self.connection.device is None:
            await self.connection.connect()
        return await self._in_order(call, self._silences)

    async def transmit(
        self, packets: Sequence[bytes | DeferredPacket], caller: str | None = None
    ) -> None:
        """Transmit packets in order, with nothing of another call between them.

        Calls that wait are served by their callers in turn, those of one `caller` in their
        order: a script that sends hundreds does not hold up a button. A call that names none
        is its own caller. Home Assistant's contexts know callers: see `caller_of`.
        Raise UserError if the device cannot transmit one of them, NotConfirmedError if one went
        out and no answer came back, and another HubError if one did not go out; what
        follows a failed packet stays unsent.
        """
        if self.connection.device is None:
            await self.connection.connect()
        can, silences = self.capabilities or frozenset(), self._silences
        if Capability.TRANSMIT not in can:
            raise UserError("cannot_transmit", hub=self.label)
        if Capability.RADIO not in can and any(kind(_chosen(item)) == "rf" for item in packets):
            raise UserError("no_radio", hub=self.label)
        turn = (
            asyncio.Lock() if caller is None else self._callers.setdefault(caller, asyncio.Lock())
        )
        async with turn, self._transmission:
            for number, item in enumerate(packets, 1):
                try:
                    if (wait := self._free_at - self.hass.loop.time()) > 0:
                        await self.pause(wait)
                    await self._in_order(partial(self._send, item), silences)
                except HubError as err:
                    if len(packets) == 1:
                        raise
                    raise type(err)(
                        "stopped_at", number=number, count=len(packets), error=err
                    ) from err

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

    async def close(self) -> None:
        """End learning, then every task and socket. Whoever waits gets HubClosedError."""
        self.begin_close()
        if self._stop_learning is not None:
            await self._stop_learning()
        await self.listening.close()
        await self.connection.close()

    async def _send(self, item: bytes | DeferredPacket, device: Device) -> None:
        """Transmit one packet, and wait for the hub's word.

        Raise one of SESSION_LOST only if the hub cannot have acted on it.
        """
        await self.listening.before_transmission(device)
        self.transmissions += 1
        packet, loop = _chosen(item), self.hass.loop
        began = loop.time()
        # A hub confirms after it has transmitted, its own repeats included.
        in_the_air = air_time_s(packet)
        device.timeout = self.connection.settings.timeout + in_the_air
        self.connection.transmits_until = began + in_the_air
        try:
            await cast(Remote, device).send_data(packet)
        except SESSION_LOST as err:
            if isinstance(err, EndpointClosedError) or loop.time() - began < RESEND_S:
                raise
            # The library has sent it twice by then: the first copy may have been obeyed, and
            # the second refused after a reboot.
            raise NotConfirmedError("no_answer", hub=self.label) from err
        finally:
            device.timeout = self.connection.settings.timeout
            self._free_at = loop.time() + self.connection.settings.min_gap
        if not isinstance(item, bytes):
            item.confirmed()

    async def _in_order[T](self, call: Callable[[Device], Awaitable[T]], silences: int) -> T:
        """Run one exchange, unless the hub fell silent while this call waited.

        A device that ended the session gets the same request again in a new one, one time.
        """
        async with self._exchange:
            renewed = False
            while True:
                if self.connection.closing.is_set():
                    raise hub_closed(self.settings)
                if (device := self.connection.device) is None or silences != self._silences:
                    raise HubOfflineError("fell_silent", hub=self.label)
                try:
                    return await call(device)
                except EndpointClosedError as err:
                    if self.closed:
                        raise hub_closed(self.settings) from err
                    raise NotConfirmedError("no_answer", hub=self.label) from err
                except SILENT as err:
                    self._silences += 1
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


def caller_of(context: Context | None) -> str | None:
    """Return who calls: a run of a script or an automation, a person's click."""
    return None if context is None else context.id


def _chosen(item: bytes | DeferredPacket) -> bytes:
    return item if isinstance(item, bytes) else item.packet
