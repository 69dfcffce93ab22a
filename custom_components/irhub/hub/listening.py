"""Listening: what remote controls send while somebody wants to know it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
import logging
from typing import Final, Protocol

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback

from .._common.log_once import LogOnce
from ..codes.packet import air_time_s, from_capture
from ..errors import HubClosedError, HubError, HubRefusedError, IrhubError, UserError
from .connection import Connection
from .library import (
    FAILED,
    REARM_S,
    SESSION_LOST,
    SILENT,
    Capability,
    Device,
    begin_listening,
    end_listening,
    end_listening_at_once,
    read_capture,
)

_LOGGER = logging.getLogger(__package__)

READ_EVERY_S: Final = 0.5
RETRY_S: Final = 60
"""After a hub refused to listen."""
ECHO_S: Final = 3
"""So long after another emitter was told to transmit, that may be what is heard."""

type Heard = Callable[[bytes], None]


class _Hub(Protocol):
    """What listening needs of a hub."""

    hass: HomeAssistant
    connection: Connection
    log: LogOnce

    @property
    def learning(self) -> bool: ...
    @property
    def label(self) -> str: ...
    def can(self, capability: Capability) -> bool | None: ...
    def async_add_listener(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE: ...
    async def request[T](self, call: Callable[[Device], Awaitable[T]]) -> T: ...


@dataclass(frozen=True, kw_only=True)
class Tuned:
    """What an ear listens for: infrared, or radio on a frequency in MHz."""

    frequency: float | None = None


INFRARED: Final = Tuned()


class Listening:
    """The ear of a hub: armed and read for as long as it has subscribers, never otherwise.

    The device holds one capture, and forgets it when it is armed or transmits. So it is read
    before either, in one exchange with it: lost is only what it hears in the milliseconds
    between. It is armed after each capture and each transmission, in a new session, and every
    REARM_S. While a learning session is under way, the ear is that session's. There is one ear:
    while somebody listens for infrared, radio is not heard.
    """

    def __init__(self, hub: _Hub) -> None:
        self.problem: IrhubError | None = None
        """Why the hub cannot hear, although there is a session."""
        self._hub = hub
        self._subscribers: list[tuple[Tuned, Heard]] = []
        self._listeners: list[CALLBACK_TYPE] = []
        self._task: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._armed: Tuned | None = None
        """What the device was armed for last; None if what it holds is not for us."""
        self._session: tuple[object, ...] = ()
        """The session in which it was armed."""
        self._rearm_at = 0.0
        self._forget: asyncio.TimerHandle | None = None
        self._elsewhere: list[tuple[float, bytes]] = []
        """Until when an echo of which packet is expected."""
        self._told: bytes | None = None
        """What was read, until it is sure that the device has forgotten it."""

    @callback
    def async_subscribe(self, tuned: Tuned, heard: Heard) -> CALLBACK_TYPE:
        """Call `heard` with each packet that the device hears. Return what ends that."""
        subscriber = (tuned, heard)
        self._subscribers.append(subscriber)
        self._wake.set()
        self._changed()
        if self._task is None or self._task.done():
            self._task = self._hub.hass.async_create_background_task(
                self._run(), f"irhub: listening of {self._hub.label}"
            )

        @callback
        def unsubscribe() -> None:
            if subscriber in self._subscribers:
                self._subscribers.remove(subscriber)
                self._wake.set()
                self._changed()

        return unsubscribe

    @callback
    def async_add_listener(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `listener` whenever `problem` or `tuned` may have changed. Return its end."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @property
    def tuned(self) -> Tuned | None:
        """Return what is listened for: infrared before radio."""
        wanted = [tuned for tuned, _ in self._subscribers]
        return INFRARED if INFRARED in wanted else next(iter(wanted), None)

    @callback
    def expect_echo(self, packet: bytes) -> None:
        """Take note that another emitter transmits in the hub's place: the hub may hear that."""
        now = self._hub.hass.loop.time()
        due = [each for each in self._elsewhere if each[0] > now]
        self._elsewhere = [*due, (now + ECHO_S + air_time_s(packet), packet)]

    @property
    def echoes(self) -> list[bytes]:
        """Return the packets that may be heard now without a remote control."""
        now = self._hub.hass.loop.time()
        return [packet for until, packet in self._elsewhere if until > now]

    @callback
    def learning_changed(self) -> None:
        """Leave the ear to a learning session that begins, or take it back from one that ended."""
        self._armed = None
        self._wake.set()

    async def before_transmission(self, device: Device) -> None:
        """Read what was heard so far. Afterwards the device is armed as soon as it is free.

        Raise as the library does if the device is silent or wants a new session.
        """
        if self._armed is not None:
            try:
                await self._read(device)
            except (*SILENT, *SESSION_LOST):
                raise
            except FAILED as err:  # an ear that fails keeps nobody from transmitting
                _LOGGER.debug("The hub %s cannot be read: %s", self._hub.label, err)
            self._armed = None
            self._wake.set()

    async def close(self) -> None:
        """Stop listening, on the device too, within a second or so."""
        self._subscribers.clear()
        if (task := self._task) is not None and not task.done():
            task.cancel()
            await asyncio.wait([task])
        if self._forget is not None:
            self._forget.cancel()
        if self._armed is not None and (device := self._hub.connection.device) is not None:
            await end_listening_at_once(device)

    async def _run(self) -> None:
        end = self._hub.async_add_listener(self._wake.set)
        try:
            while self._subscribers:
                await self._listen()
                if self._hub.connection.device is not None:
                    with suppress(HubError):
                        await self._hub.request(self._disarm)
        except HubClosedError:
            return
        finally:
            end()

    async def _listen(self) -> None:
        """Arm and read until nobody listens any more."""
        while (tuned := self.tuned) is not None:
            self._wake.clear()
            delay: float | None = READ_EVERY_S
            try:
                if self._hub.connection.device is None:
                    delay = None  # the connection says why, and when it is back
                else:
                    self._check(tuned)
                    await self._hub.request(partial(self._read_and_arm, tuned))
                    self._say(None)
            except HubClosedError:
                raise
            except (HubRefusedError, UserError) as err:
                self._say(err)
                delay = RETRY_S
            except HubError as err:
                _LOGGER.debug("Listening goes on: %s", err)
            with suppress(TimeoutError):
                async with asyncio.timeout(delay):
                    await self._wake.wait()

    def _check(self, tuned: Tuned) -> None:
        """Raise UserError if the device has no ear for it."""
        if not self._hub.can(Capability.LEARN):
            raise UserError("cannot_learn", hub=self._hub.label)
        if tuned != INFRARED and not self._hub.can(Capability.RADIO):
            raise UserError("no_radio", hub=self._hub.label)

    async def _read_and_arm(self, tuned: Tuned, device: Device) -> None:
        loop, session = self._hub.hass.loop, (device, device.aes)
        if self._armed is not None:
            heard = await self._read(device)
            if (
                not heard
                and (self._armed, self._session) == (tuned, session)
                and loop.time() < self._rearm_at
            ):
                return
        if self._hub.learning:
            return
        # Known before it is: the answer to the arming may get lost.
        self._armed, self._session = tuned, session
        await begin_listening(device, tuned.frequency)
        self._told = None
        self._rearm_at = loop.time() + REARM_S

    async def _disarm(self, device: Device) -> None:
        if self._armed is not None and self.tuned is None:
            self._armed = None
            await end_listening(device)

    async def _read(self, device: Device) -> bool:
        """Tell what the device has heard; return whether it had to be armed for more."""
        armed = self._armed  # learning may begin while the answer is waited for
        if (data := await read_capture(device)) is None:
            return False
        if data != self._told:
            self._told = data
            self._tell(armed, data)
        return True

    def _tell(self, armed: Tuned | None, data: bytes) -> None:
        try:
            packet = from_capture(data)
        except ValueError as err:
            _LOGGER.debug("A capture of the hub %s is no packet: %s", self._hub.label, err)
            return
        for tuned, heard in list(self._subscribers):
            if tuned == armed:
                try:
                    heard(packet)
                except Exception:
                    _LOGGER.exception("A listener to the hub %s failed", self._hub.label)

    def _say(self, problem: IrhubError | None) -> None:
        if problem is None:
            self._hub.log.settle("listening")
        else:
            self._hub.log.report("listening", str(problem))
            if self._forget is not None:
                self._forget.cancel()
            # Who subscribes to what is available has left by now, and comes back to try again.
            self._forget = self._hub.hass.loop.call_later(RETRY_S, self._set_problem, None)
        self._set_problem(problem)

    def _set_problem(self, problem: IrhubError | None) -> None:
        if str(problem) != str(self.problem):
            self.problem = problem
            self._changed()

    def _changed(self) -> None:
        for listener in list(self._listeners):
            listener()
