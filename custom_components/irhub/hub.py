"""One hub, as every platform and service sees it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
import logging
from typing import Protocol, cast

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback

from .connection import Connection
from .errors import (
    HubClosedError,
    HubError,
    HubOfflineError,
    HubRefusedError,
    NotConfirmedError,
    UserError,
)
from .library import (
    GARBLED,
    RESEND_S,
    SESSION_LOST,
    SILENT,
    Device,
    EndpointClosedError,
    LibraryError,
    Remote,
    is_known,
)
from .packet import kind
from .schema import HubSettings

_LOGGER = logging.getLogger(__package__)


class _SessionEndedError(Exception):
    """The device wants a new session."""


class Stoppable(Protocol):
    """A learning session under way."""

    async def stop(self) -> None:
        """End it, on the device too, within a second or so."""


class Turn(Protocol):
    """A packet that is chosen when its turn has come."""

    @property
    def packet(self) -> bytes:
        """The packet to transmit now."""

    def confirmed(self) -> None:
        """The hub said it transmitted the packet."""


class Hub:
    """A hub at one (host, port), shared by all that name it.

    Everything sent to the device passes through here: one exchange at a time, in the order
    of the calls; transmissions besides `min_gap` seconds apart. Get one from the registry
    (`async_get_hub`), never build one. `remember` is called with the device type whenever
    the device tells it.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        settings: HubSettings,
        *,
        device_class: type[Device] | None,
        remember: Callable[[int], None],
    ) -> None:
        self.hass = hass
        self.connection = Connection(hass, settings, self._connection_changed)
        self.device_class = device_class
        """The library's class of the device, told by the device today or in an earlier run;
        None while it has never answered. Ask it with `can`."""
        self.transmissions = 0
        """How many were begun: the device leaves learning mode at each."""
        self.learning: Stoppable | None = None
        self.polls: dict[str, object] = {}
        """What the platforms read regularly, by name: see `polling.shared_poll`."""
        self._remember = remember
        self._listeners: list[CALLBACK_TYPE] = []
        self._curious: list[CALLBACK_TYPE] = []
        self._exchange = asyncio.Lock()
        self._transmission = asyncio.Lock()
        self._free_at = 0.0
        self._silences = 0
        self._closing = asyncio.Event()

    @property
    def closed(self) -> bool:
        """Whether a reload or the end of Home Assistant has closed the hub."""
        return self._closing.is_set()

    @property
    def settings(self) -> HubSettings:
        """The hub's configuration; timeout and min_gap are the largest of its entries."""
        return self.connection.settings

    @property
    def label(self) -> str:
        """The hub's name in messages."""
        return self.settings.label

    @property
    def available(self) -> bool:
        """Whether there is a session: hello answered, MAC right, authenticated."""
        return self.connection.device is not None

    def can(self, method: str) -> bool | None:
        """Say if the device has a method, like `send_data` or `check_sensors`; None: unknown."""
        return None if self.device_class is None else hasattr(self.device_class, method)

    @callback
    def async_add_listener(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `listener` whenever `available` changes. Returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @callback
    def async_when_known(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `listener` once `device_class` is known: now, or after the first answer.

        Returns what ends the waiting.
        """
        if self.device_class is not None:
            listener()
        else:
            self._curious.append(listener)

        @callback
        def forget() -> None:
            if listener in self._curious:
                self._curious.remove(listener)

        return forget

    async def request[T](self, call: Callable[[Device], Awaitable[T]]) -> T:
        """Run one read or command of the library on the device, in its turn.

        Connects first if need be. Raises HubOfflineError (nothing was sent), NotConfirmedError (no
        answer) or another HubError. The call is for what may be done twice: it is repeated
        when the device has ended the session.
        """
        self._check_open()
        await self.connection.connect()
        return await self._in_turn(call, self._silences)

    async def transmit(self, packets: Sequence[bytes | Turn]) -> None:
        """Transmit packets in order, with nothing of another call between them.

        Raises UserError if the device cannot transmit one of them, NotConfirmedError if one went
        out and no answer came back, and another HubError if one did not go out; what
        follows a failed packet stays unsent.
        """
        self._check_open()
        await self.connection.connect()
        self._check_abilities(packets)
        silences = self._silences
        async with self._transmission:
            for number, item in enumerate(packets, 1):
                try:
                    await self._transmit(item, silences)
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
                await self._closing.wait()
        self._check_open()

    def widen(self, settings: HubSettings) -> None:
        """Take in another entry's settings: the larger timeout and gap hold."""
        mine = self.settings
        self.connection.settings = replace(
            mine,
            timeout=max(mine.timeout, settings.timeout),
            min_gap=max(mine.min_gap, settings.min_gap),
            fallback=settings.fallback if mine.fallback is None else mine.fallback,
        )
        if (device := self.connection.device) is not None:
            device.timeout = self.settings.timeout

    @callback
    def shut(self) -> None:
        """Accept nothing from now on."""
        self._closing.set()

    async def close(self) -> None:
        """End learning, then every task and socket. Whoever waits gets HubClosedError."""
        self.shut()
        if self.learning is not None:
            await self.learning.stop()
        await self.connection.close()

    def _check_abilities(self, packets: Sequence[bytes | Turn]) -> None:
        if not self.can("send_data"):
            raise UserError("cannot_transmit", hub=self.label)
        if not self.can("sweep_frequency") and any(kind(_bytes(item)) == "rf" for item in packets):
            raise UserError("no_radio", hub=self.label)

    async def _transmit(self, item: bytes | Turn, silences: int) -> None:
        loop = asyncio.get_running_loop()
        if (wait := self._free_at - loop.time()) > 0:
            await self.pause(wait)

        async def send(device: Device) -> None:
            self.transmissions += 1
            try:
                await cast("Remote", device).send_data(_bytes(item))
            finally:
                self._free_at = loop.time() + self.settings.min_gap

        await self._in_turn(send, silences, once=True)
        if not isinstance(item, bytes):
            item.confirmed()

    async def _in_turn[T](
        self, call: Callable[[Device], Awaitable[T]], silences: int, *, once: bool = False
    ) -> T:
        """Run one exchange, unless the hub fell silent while this call waited for its turn.

        A device that ended the session gets the same request again in a new one, one time;
        with `once` only if it cannot have acted on the request.
        """
        async with self._exchange:
            self._check_open()
            if (device := self.connection.device) is None or silences != self._silences:
                raise HubOfflineError("fell_silent", hub=self.label)
            try:
                return await self._ask(call, device, once=once)
            except _SessionEndedError:
                device = await self.connection.renew()
            try:
                return await self._ask(call, device, once=once)
            except _SessionEndedError as err:
                await self.connection.lose()
                raise HubRefusedError("refused", hub=self.label, error=err) from err

    async def _ask[T](
        self, call: Callable[[Device], Awaitable[T]], device: Device, *, once: bool
    ) -> T:
        """Run one exchange, and say in our words what went wrong with it."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            return await call(device)
        except EndpointClosedError as err:
            self._check_open()
            raise NotConfirmedError("no_answer", hub=self.label) from err
        except SILENT as err:
            self._silences += 1
            self.connection.doubt()
            raise NotConfirmedError("no_answer", hub=self.label) from err
        except SESSION_LOST as err:
            if once and loop.time() - began >= RESEND_S:
                # That may answer the second copy, and the first was obeyed before a reboot.
                raise NotConfirmedError("no_answer", hub=self.label) from err
            raise _SessionEndedError(err) from err
        except (LibraryError, *GARBLED) as err:
            raise HubRefusedError("refused", hub=self.label, error=err) from err

    def _check_open(self) -> None:
        if self.closed:
            raise HubClosedError("hub_closed", hub=self.label)

    @callback
    def _connection_changed(self) -> None:
        if (device := self.connection.device) is not None:
            if self.device_class is not type(device):
                self.device_class = type(device)
                self._remember(device.devtype)
                if not is_known(device):
                    _LOGGER.warning(
                        "The device at %s has the unknown type 0x%04x and is not used;"
                        " if it works like a known one, say which with the key type",
                        self.label,
                        device.devtype,
                    )
            curious, self._curious = self._curious, []
            self._tell(curious)
        self._tell(self._listeners)

    def _tell(self, listeners: list[CALLBACK_TYPE]) -> None:
        """Call each listener; one that fails costs neither the others nor the connection."""
        for listener in list(listeners):
            try:
                listener()
            except Exception:
                _LOGGER.exception("A listener to the hub at %s failed", self.label)


def _bytes(item: bytes | Turn) -> bytes:
    return item if isinstance(item, bytes) else item.packet
