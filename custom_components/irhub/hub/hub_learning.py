"""Learning with the receiver of a hub."""

import asyncio
from collections.abc import Callable
from functools import partial
import logging
from typing import Final, override

from ..errors import (
    HubError,
    HubOfflineError,
    HubRefusedError,
    NoSignalError,
    NotConfirmedError,
    UnreadableSignalError,
    UserError,
)
from ..ircodes.packet import carrier_mhz
from .arming import INFRARED, Arming, Tuned
from .connection import hub_closed
from .learning import Captured, Learner, Learning
from .library import (
    Capability,
    begin_listening,
    begin_sweep,
    end_listening_at_once,
    read_capture,
    swept_frequency,
)
from .queue import Queue
from .receiver import NoiseError, Receiver

_LOGGER = logging.getLogger(__package__)

LEARNING_READ_S: Final = 0.2
"""Interval of reading the device during learning, in seconds."""
SWEEP_S: Final = 15
"""Duration of a device's frequency sweep, in seconds; a restart discards its progress."""


class HubLearning(Learning):
    """A learning session with a hub. At its end the device stops listening in all cases."""

    def __init__(self, queue: Queue, receiver: Receiver, learner: Learner) -> None:
        super().__init__(queue.label, learner)
        self._queue = queue
        self._receiver = receiver
        self._problem: HubError | None = None
        """Error of the last reading, if it failed."""
        self._unreadable: ValueError | None = None
        """Why the last signal was no readable packet."""

    @override
    async def begin(self) -> None:
        await self._receiver.begin_learning(self)

    @override
    async def end(self, *, early: bool) -> None:
        try:
            if early:
                await self.stop_listening()
        finally:
            self._receiver.end_learning()

    @override
    async def pause(self, seconds: float) -> None:
        await self._queue.pause(seconds)

    @override
    async def find_frequency(self, window: float, armed: Callable[[], None]) -> float:
        await self._check_radio()
        sweep = Arming(self._queue, begin_sweep, swept_frequency, SWEEP_S)
        try:
            return await self._listen(sweep, window, armed, accept=float)
        except NoSignalError as err:
            raise NoSignalError("no_frequency", hub=self._queue.label) from err

    @override
    async def receive(self, tuned: Tuned, window: float, armed: Callable[[], None]) -> Captured:
        if tuned != INFRARED:
            await self._check_radio()
        arm = partial(begin_listening, frequency=tuned.frequency)
        packet = await self._listen(
            Arming(self._queue, arm, read_capture), window, armed, accept=self._receiver.packet_of
        )
        return Captured(
            packet=packet,
            frequency=None if tuned == INFRARED else carrier_mhz(packet) or tuned.frequency,
        )

    async def _check_radio(self) -> None:
        await self._queue.connection.connect()
        if not self._queue.can(Capability.RADIO):
            raise UserError("no_radio", hub=self._queue.label)

    async def _listen[Read, Accepted](
        self,
        arming: Arming[Read],
        window: float,
        armed: Callable[[], None],
        *,
        accept: Callable[[Read], Accepted],
    ) -> Accepted:
        """Arm the device, call `armed`, and return its accepted capture within `window` s."""
        self._problem = self._unreadable = None
        try:
            async with asyncio.timeout(None) as self._window:
                await self._queue.connection.connect()
                if not self._queue.can(Capability.LEARN):
                    raise UserError("cannot_learn", hub=self._queue.label)
                await self._queue.request(arming.arm)
                armed()
                self._window.reschedule(asyncio.get_running_loop().time() + window)
                return await self._read_until_accepted(arming, accept)
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

    async def _read_until_accepted[Read, Accepted](
        self, arming: Arming[Read], accept: Callable[[Read], Accepted]
    ) -> Accepted:
        """Read the device until `accept` returns a value; failed readings are retried.

        A capture for which `accept` raises ValueError is discarded.
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

    async def stop_listening(self) -> None:
        """Stop the device at once, bypassing the queue, where a pending request would delay it."""
        device = self._queue.connection.device
        if device is not None and self._queue.can(Capability.LEARN):
            await end_listening_at_once(device)
