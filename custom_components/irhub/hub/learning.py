"""Learning: the device listens, somebody presses a button, the packet is read."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
import logging
from types import TracebackType
from typing import Final, Literal, Self, cast

from homeassistant.core import CALLBACK_TYPE

from ..codes.packet import carrier_mhz, from_capture
from ..errors import (
    HubError,
    HubOfflineError,
    HubRefusedError,
    NoSignalError,
    NotConfirmedError,
    UnreadableSignalError,
    UserError,
)
from .connection import hub_closed
from .hub import Hub
from .library import (
    END_S,
    REARM_S,
    Capability,
    Device,
    Radio,
    begin_listening,
    end_listening_at_once,
    read_capture,
    swept_frequency,
)

_LOGGER = logging.getLogger(__package__)

LEARN_WINDOW_S: Final = 20
READ_EVERY_S: Final = 0.2
SWEEP_S: Final = 15
"""So long a device looks for a carrier, and begun anew it forgets what it has of it."""
BETWEEN_PRESSES_S: Final = 1.0
"""So that a button still held is not taken for the next press."""
SPARE_S: Final = 0.25
"""Whoever waits for the end of learning waits this much longer than the device is told of it."""

type CommandType = Literal["ir", "rf"]
"""The kinds of signal that can be learned, as `remote.learn_command` calls them."""


class Step(StrEnum):
    """What the user has to do next."""

    PRESS = "press"
    """Press the button."""
    HOLD = "hold"
    """Hold the button, so that the hub can find its frequency."""
    AGAIN = "again"
    """Press the button once more, after HOLD."""
    SECOND = "second"
    """Press the button for the second packet of an alternating command."""


@dataclass(frozen=True, kw_only=True)
class Captured:
    """A packet as the device heard it, and its carrier in MHz if it came by radio."""

    packet: bytes
    frequency: float | None


class Learning:
    """A learning session on a hub: `async with Learning(hub) as session`, any number of captures.

    Only one at a time: entering a second one raises UserError. However it ends (an error, a
    cancelled call, `stop`), the device is told to stop listening.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._window: asyncio.Timeout | None = None
        self._ended = asyncio.Event()
        self._captures = 0
        self._problem: HubError | None = None
        """Why the last reading failed."""
        self._unreadable: ValueError | None = None
        """Why what was heard last is no packet."""
        self._end: CALLBACK_TYPE | None = None

    async def __aenter__(self) -> Self:
        self._end = self._hub.begin_learning(self._stop)
        return self

    async def __aexit__(
        self,
        _type: type[BaseException] | None,
        error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        try:
            if error is not None:
                await self._stop_listening()
        finally:
            if self._end is not None:
                self._end()
            self._ended.set()

    async def _stop(self) -> None:
        """Let the capture under way fail with HubClosedError; return when the device is told."""
        if self._window is not None:
            self._window.reschedule(asyncio.get_running_loop().time())
        with suppress(TimeoutError):
            async with asyncio.timeout(END_S + SPARE_S):
                await self._ended.wait()

    async def capture(
        self,
        ask: Callable[[Step], None],
        *,
        command_type: CommandType = "ir",
        window: float = LEARN_WINDOW_S,
        frequency: float | None = None,
        presses: int = 1,
    ) -> list[Captured]:
        """Capture one button: a packet for each of `presses`, 2 for an alternating command.

        `ask` is called with what the user has to do as soon as the device listens; each step
        has `window` seconds. Radio is searched for first, unless its `frequency` in MHz is
        given. Raise UserError if the device cannot do it, NoSignalError if nothing came,
        UnreadableSignalError if no packet came, another HubError if the hub failed.
        """
        captured: list[Captured] = []
        step = Step.PRESS
        if command_type == "rf":
            await self._hub.connection.connect()
            if not self._hub.can(Capability.RADIO):
                raise UserError("no_radio", hub=self._hub.label)
            if frequency is None:
                await self._pause()
                frequency = await self._listen(
                    _sweep, swept_frequency, window, partial(ask, Step.HOLD), rearm_s=SWEEP_S
                )
                step = Step.AGAIN

        tuned = frequency if command_type == "rf" else None
        arm = partial(begin_listening, frequency=tuned)
        for _ in range(presses):
            await self._pause()
            packet = await self._listen(
                arm, read_capture, window, partial(ask, step), accept=from_capture
            )
            carrier = None if tuned is None else carrier_mhz(packet) or tuned
            captured.append(Captured(packet=packet, frequency=carrier))
            step = Step.SECOND
        return captured

    async def _pause(self) -> None:
        if self._captures:
            await self._hub.pause(BETWEEN_PRESSES_S)
        self._captures += 1

    async def _listen[T](
        self,
        arm: Callable[[Device], Awaitable[None]],
        read: Callable[[Device], Awaitable[T | None]],
        window: float,
        armed: Callable[[], None],
        *,
        accept: Callable[[T], T] = lambda heard: heard,
        rearm_s: float | None = None,
    ) -> T:
        """Arm the device, call `armed`, and return what it hears within `window` seconds."""
        self._problem = self._unreadable = None
        try:
            async with asyncio.timeout(None) as self._window:
                epoch = await self._arm(arm)
                armed()
                self._window.reschedule(asyncio.get_running_loop().time() + window)
                return await self._hear(arm, read, accept, epoch, rearm_s or REARM_S)
        except TimeoutError:
            if self._hub.closed:
                raise hub_closed(self._hub.settings) from None
            if self._problem is not None:
                raise self._problem from None
            if (err := self._unreadable) is not None:
                raise UnreadableSignalError(
                    "unreadable_signal", hub=self._hub.label, error=err
                ) from err
            raise NoSignalError("no_signal", hub=self._hub.label) from None
        finally:
            self._window = None

    async def _hear[T](
        self,
        arm: Callable[[Device], Awaitable[None]],
        read: Callable[[Device], Awaitable[T | None]],
        accept: Callable[[T], T],
        epoch: object,
        rearm_s: float,
    ) -> T:
        """Read the device every READ_EVERY_S until something is there.

        It is armed again when it has forgotten: a send ends learning, so do a new session and
        what `accept` refuses with a ValueError; and every `rearm_s`, for others may let it
        transmit, too. Arming forgets what was heard, so the device is read right before. What
        fails is tried again.
        """

        async def read_and_arm(device: Device) -> T | None:
            if (heard := await read(device)) is None:
                await arm(device)
            return heard

        loop = asyncio.get_running_loop()
        due = loop.time()
        rearm_at = due + rearm_s
        while True:
            due = max(due + READ_EVERY_S, loop.time())
            await asyncio.sleep(due - loop.time())
            try:
                rearming = loop.time() >= rearm_at
                heard = await self._hub.request(read_and_arm if rearming else read)
                self._problem = None
                if heard is not None:
                    try:
                        return accept(heard)
                    except ValueError as err:
                        self._report_unreadable(err)
                elif rearming:
                    epoch, rearm_at = self._epoch(), loop.time() + rearm_s
                if heard is not None or epoch != self._epoch():
                    epoch, rearm_at = await self._arm(arm), loop.time() + rearm_s
            except (HubOfflineError, NotConfirmedError, HubRefusedError) as err:
                self._problem = err

    def _report_unreadable(self, err: ValueError) -> None:
        self._unreadable = err
        _LOGGER.debug("A capture of the hub %s is no packet: %s", self._hub.label, err)

    async def _arm(self, arm: Callable[[Device], Awaitable[None]]) -> tuple[object, ...]:
        await self._hub.connection.connect()
        if not self._hub.can(Capability.LEARN):
            raise UserError("cannot_learn", hub=self._hub.label)
        await self._hub.request(arm)
        return self._epoch()

    def _epoch(self) -> tuple[object, ...]:
        """Return what changes when the device forgets that it should listen."""
        device = self._hub.connection.device
        return device, device and device.aes, self._hub.transmissions

    async def _stop_listening(self) -> None:
        """Tell the device at once, past the queue: a request that hangs must not delay it."""
        if (device := self._hub.connection.device) is None or not self._hub.can(Capability.LEARN):
            return
        await end_listening_at_once(device)


async def _sweep(device: Device) -> None:
    await cast(Radio, device).sweep_frequency()
