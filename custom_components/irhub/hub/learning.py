"""Learning with a hub: what one receives alone, button after button."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
import logging
from types import TracebackType
from typing import Final, Literal, Self

from ..errors import (
    HubError,
    HubOfflineError,
    HubRefusedError,
    NoSignalError,
    NotConfirmedError,
    UnreadableSignalError,
    UserError,
)
from ..ircodes import Packet
from ..ircodes.packet import carrier_mhz
from .arming import Arming
from .connection import hub_closed
from .ear import LEARNING_READ_S, Ear, NoiseError
from .library import (
    END_S,
    Capability,
    begin_listening,
    begin_sweep,
    end_listening_at_once,
    read_capture,
    swept_frequency,
)
from .queue import Queue

_LOGGER = logging.getLogger(__package__)

LEARN_WINDOW_S: Final = 20
SWEEP_S: Final = 15
"""So long a device looks for a carrier, and begun anew it forgets what it has of it."""
BETWEEN_PRESSES_S: Final = 1.0
"""So that a button still held is not taken for the next press."""
SPARE_S: Final = 0.25
"""Whoever waits for the end of learning waits this much longer than the device is told of it."""

type CommandType = Literal["ir", "rf"]
"""The kinds of signal that can be learned, as `remote.learn_command` calls them."""


class Step(StrEnum):
    """What somebody who learns has to do next."""

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
    """A packet as the device received it, and its carrier in MHz if it came by radio."""

    packet: Packet
    frequency: float | None


class Learning:
    """A learning session: `async with hub.learn() as session`, any number of captures.

    Only one at a time: entering a second one raises UserError. However it ends (an error, a
    cancelled call, `stop`), the device is told to stop listening.
    """

    def __init__(self, queue: Queue, ear: Ear, name: str) -> None:
        self.name = name
        """For whom the hub listens."""
        self._queue = queue
        self._ear = ear
        self._window: asyncio.Timeout | None = None
        self._ended = asyncio.Event()
        self._captures = 0
        self._problem: HubError | None = None
        """Why the last reading failed."""
        self._unreadable: ValueError | None = None
        """Why what was heard last is no packet."""

    async def __aenter__(self) -> Self:
        self._ear.begin_learning(self)
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
            self._ear.end_learning()
            self._ended.set()

    async def stop(self) -> None:
        """Let the capture under way fail with HubClosedError; return when the device is told."""
        if self._window is not None and not self._window.expired():
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
            await self._queue.connection.connect()
            if not self._queue.can(Capability.RADIO):
                raise UserError("no_radio", hub=self._queue.label)
            if frequency is None:
                await self._pause()
                sweep = Arming(self._queue, begin_sweep, swept_frequency, SWEEP_S)
                try:
                    hold = partial(ask, Step.HOLD)
                    frequency = await self._listen(sweep, window, hold, accept=float)
                except NoSignalError as err:
                    raise NoSignalError("no_frequency", hub=self._queue.label) from err
                step = Step.AGAIN

        tuned = frequency if command_type == "rf" else None
        for _ in range(presses):
            await self._pause()
            arm = partial(begin_listening, frequency=tuned)
            packet = await self._listen(
                Arming(self._queue, arm, read_capture),
                window,
                partial(ask, step),
                accept=self._ear.packet_of,
            )
            carrier = None if tuned is None else carrier_mhz(packet) or tuned
            captured.append(Captured(packet=packet, frequency=carrier))
            step = Step.SECOND
        return captured

    async def _pause(self) -> None:
        if self._captures:
            await self._queue.pause(BETWEEN_PRESSES_S)
        self._captures += 1

    async def _listen[Read, Accepted](
        self,
        arming: Arming[Read],
        window: float,
        armed: Callable[[], None],
        *,
        accept: Callable[[Read], Accepted],
    ) -> Accepted:
        """Arm the device, call `armed`, and return what it receives within `window` seconds."""
        self._problem = self._unreadable = None
        try:
            async with asyncio.timeout(None) as self._window:
                await self._queue.connection.connect()
                if not self._queue.can(Capability.LEARN):
                    raise UserError("cannot_learn", hub=self._queue.label)
                await self._queue.request(arming.arm)
                armed()
                self._window.reschedule(asyncio.get_running_loop().time() + window)
                return await self._hear(arming, accept)
        except TimeoutError:
            if self._queue.closed:
                raise hub_closed(self._queue.settings) from None
            if self._problem is not None:
                raise self._problem from None
            if (err := self._unreadable) is not None:
                raise UnreadableSignalError(
                    "unreadable_signal", hub=self._queue.label, error=err
                ) from err
            raise NoSignalError("no_signal", hub=self._queue.label) from None
        finally:
            self._window = None

    async def _hear[Read, Accepted](
        self, arming: Arming[Read], accept: Callable[[Read], Accepted]
    ) -> Accepted:
        """Read the device until something is there. What fails is tried again.

        What `accept` refuses with a ValueError is forgotten.
        """
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            due = max(due + LEARNING_READ_S, loop.time())
            await asyncio.sleep(due - loop.time())
            try:
                received = await self._queue.request(arming.read_and_arm)
                self._problem = None
                if received is not None:
                    try:
                        return accept(received)
                    except ValueError as err:
                        if not isinstance(err, NoiseError):
                            self._unreadable = err
                        _LOGGER.debug(
                            "A capture of the hub %s is no press: %s", self._queue.label, err
                        )
                        await self._queue.request(arming.arm)
            except (HubOfflineError, NotConfirmedError, HubRefusedError) as err:
                self._problem = err

    async def _stop_listening(self) -> None:
        """Let the device stop at once, past the queue: a request that hangs must not delay it."""
        device = self._queue.connection.device
        if device is not None and self._queue.can(Capability.LEARN):
            await end_listening_at_once(device)
