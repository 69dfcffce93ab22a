"""Learning: the device listens, somebody presses a button, the packet is read."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Literal, Self, cast

from .errors import (
    HubClosedError,
    HubError,
    HubOfflineError,
    HubRefusedError,
    NoSignalError,
    NotConfirmedError,
    UserError,
)
from .hub import Hub
from .library import GARBLED, NOTHING_YET, SILENT, Device, LibraryError, Remote, carrier_mhz
from .packet import check

LEARN_WINDOW_S: Final = 20
READ_EVERY_S: Final = 0.2
REARM_S: Final = 15
"""Devices leave learning mode by themselves, some after 25 s."""
BETWEEN_PRESSES_S: Final = 1.0
"""So that a button still held is not taken for the next press."""
END_S: Final = 1.0
SPARE_S: Final = 0.25
"""Whoever waits for the end of learning waits this much longer than the device is told of it."""

type Step = Literal["press", "hold", "again"]
"""What the user has to do: press a button, hold it for the frequency, press it once more."""


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

    async def __aenter__(self) -> Self:
        if self._hub.learning is not None:
            raise UserError("already_learning", hub=self._hub.label)
        self._hub.learning = self
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
            self._hub.learning = None
            self._ended.set()

    async def stop(self) -> None:
        """Let the capture under way fail with HubClosedError; return when the device is told."""
        if self._window is not None:
            self._window.reschedule(asyncio.get_running_loop().time())
        with suppress(TimeoutError):
            async with asyncio.timeout(END_S + SPARE_S):
                await self._ended.wait()

    async def capture_ir(self, timeout: float, tell: Callable[[Step], None]) -> Captured:
        """Wait `timeout` seconds for an infrared signal; `tell` when the device listens.

        Raises NoSignalError if none came, another HubError if the hub failed.
        """
        await self._pause()

        async def arm(device: Remote) -> None:
            await device.enter_learning()

        packet = await self._listen(arm, _read, timeout, lambda: tell("press"), check)
        return Captured(packet=packet, frequency=None)

    async def capture_rf(
        self, timeout: float, tell: Callable[[Step], None], frequency: float | None = None
    ) -> Captured:
        """Wait for a radio signal on `frequency`, in MHz; without it, search for it first.

        Each of the two steps has `timeout` seconds. Raises as `capture_ir`, and UserError
        if the device has no radio.
        """
        await self._hub.connection.connect()
        if not self._hub.can("sweep_frequency"):
            raise UserError("no_radio", hub=self._hub.label)
        await self._pause()
        step: Step = "press"
        if frequency is None:
            frequency = await self._listen(_sweep, _found, timeout, lambda: tell("hold"))
            step = "again"
            await self._pause()

        async def arm(device: Remote) -> None:
            await device.find_rf_packet(frequency)

        packet = await self._listen(arm, _read, timeout, lambda: tell(step), check)
        return Captured(packet=packet, frequency=carrier_mhz(packet) or frequency)

    async def _pause(self) -> None:
        if self._captures:
            await self._hub.pause(BETWEEN_PRESSES_S)
        self._captures += 1

    async def _listen[T](
        self,
        arm: Callable[[Remote], Awaitable[None]],
        read: Callable[[Remote], Awaitable[T | None]],
        timeout: float,
        armed: Callable[[], None],
        accept: Callable[[T], T] = lambda found: found,
    ) -> T:
        """Arm the device and read every READ_EVERY_S until something is there.

        Armed again when the device forgot: a send ends learning, so do a new session and
        REARM_S, and what `accept` refuses with a ValueError. What fails after the first
        arming is tried again until the window closes.
        """
        loop = asyncio.get_running_loop()
        problem: HubError | None = None
        try:
            async with asyncio.timeout(None) as self._window:
                epoch = await self._arm(arm)
                armed()
                self._window.reschedule(loop.time() + timeout)
                due = loop.time()
                rearm_at = due + REARM_S
                while True:
                    due = max(due + READ_EVERY_S, loop.time())
                    await asyncio.sleep(due - loop.time())
                    try:
                        if epoch != self._epoch() or loop.time() >= rearm_at:
                            epoch = await self._arm(arm)
                            rearm_at = loop.time() + REARM_S
                        found = await self._hub.request(_remote(read))
                        problem = None
                        if found is not None:
                            return accept(found)
                    except (HubOfflineError, NotConfirmedError, HubRefusedError) as err:
                        problem = err
                    except ValueError:
                        rearm_at = 0
        except TimeoutError:
            if self._hub.closed:
                raise HubClosedError("hub_closed", hub=self._hub.label) from None
            if problem is not None:
                raise problem from None
            raise NoSignalError("no_signal", hub=self._hub.label) from None
        finally:
            self._window = None

    async def _arm(self, arm: Callable[[Remote], Awaitable[None]]) -> tuple[object, ...]:
        await self._hub.connection.connect()
        if not self._hub.can("enter_learning"):
            raise UserError("cannot_learn", hub=self._hub.label)
        await self._hub.request(_remote(arm))
        return self._epoch()

    def _epoch(self) -> tuple[object, ...]:
        """Return what changes when the device forgets that it should listen."""
        device = self._hub.connection.device
        return device, device and device.aes, self._hub.transmissions

    async def _stop_listening(self) -> None:
        """Tell the device, past the queue: a request that hangs must not hold this up."""
        if (device := self._hub.connection.device) is None or not self._hub.can("cancel_learning"):
            return
        with suppress(*SILENT, LibraryError, *GARBLED):
            async with asyncio.timeout(END_S):
                await cast("Remote", device).cancel_learning()


def _remote[T](call: Callable[[Remote], Awaitable[T]]) -> Callable[[Device], Awaitable[T]]:
    return lambda device: call(cast("Remote", device))


async def _read(device: Remote) -> bytes | None:
    try:
        return await device.check_data() or None
    except NOTHING_YET:
        return None


async def _sweep(device: Remote) -> None:
    await device.sweep_frequency()


async def _found(device: Remote) -> float | None:
    try:
        found, frequency = await device.check_frequency()
    except NOTHING_YET:
        return None
    return frequency if found else None
