"""What a device is armed for, and reading what it has heard.

A device listens when it is armed, for infrared or for radio on one frequency. It holds one
capture, and forgets it when it is armed anew or transmits. So it is read before either, in one
exchange with it: lost is only what it hears in the milliseconds between. It is armed after each
capture and each transmission, in a new session, and every REARM_S. All of this goes through the
hub's queue and not by the library's `capture`, which polls beside it: a press that the device
holds when something is sent would be lost, or told twice.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from math import inf
from typing import Final

from .library import REARM_S, HubDevice
from .queue import Queue


@dataclass(frozen=True, kw_only=True)
class Tuned:
    """What is listened for: infrared, or radio on a frequency in MHz."""

    frequency: float | None = None


INFRARED: Final = Tuned()


class Arming[T]:
    """What a device was armed for, and whether it still is."""

    def __init__(
        self,
        queue: Queue,
        arm: Callable[[HubDevice], Awaitable[None]],
        read: Callable[[HubDevice], Awaitable[T | None]],
        rearm_s: float | None = None,
    ) -> None:
        self._queue = queue
        self._arm = arm
        self._read = read
        self._rearm_s = REARM_S if rearm_s is None else rearm_s
        self.is_armed = False
        """Whether what the device holds is for us."""
        self.is_wanted = True
        """Whether it is to be armed any more."""
        self._last_received: T | None = None
        """What was read, until it is sure that the device has forgotten it."""
        self._since = inf
        """Since when the device listens without a break, by the event loop's clock."""
        self._armed = (-inf, -inf)
        """When it was armed last, from and to: meanwhile it may have heard nothing."""
        self._read_at = -inf
        """When it was read last."""
        self._epoch: tuple[object, ...] = ()
        self._rearm_at = 0.0

    async def arm(self, device: HubDevice) -> None:
        """Let the device listen. It forgets what it has heard before."""
        goes_on, began = self._listens(device), self._now
        # Known before it is: the answer may get lost.
        self.is_armed, self._epoch = True, self._epoch_of(device)
        self._rearm_at = began + self._rearm_s
        self._armed = began, inf
        await self._arm(device)
        self._armed = began, self._now
        if not goes_on:
            self._since = self._now
        self._last_received = None

    async def read(self, device: HubDevice) -> T | None:
        """Return what the device has heard; it has to be armed for more."""
        received = await self._read(device)
        self._read_at = self._now
        if received is None:
            return None
        self.is_armed = False
        if received == self._last_received:
            return None
        self._last_received = received
        return received

    async def read_and_arm(self, device: HubDevice) -> T | None:
        """Return what the device has heard; if that is nothing, arm it where it needs that."""
        if self.is_armed:
            if (received := await self.read(device)) is not None:
                return received
            if self._listens(device) and self._now < self._rearm_at:
                return None
        if self.is_wanted:
            await self.arm(device)
        return None

    def has_listened(self, began: float, ended: float, read_at: float) -> bool:
        """Return whether the device listened all that time, and was read at `read_at` or later."""
        device = self._queue.connection.device
        armed_from, armed_to = self._armed
        return (
            device is not None
            and self._listens(device)
            and self._since <= began
            and not (armed_from <= ended and armed_to >= began)
            and self._read_at >= read_at
        )

    def _listens(self, device: HubDevice) -> bool:
        """Return whether the device is armed, and nothing has ended that."""
        return self.is_armed and self._epoch == self._epoch_of(device)

    @property
    def _now(self) -> float:
        return self._queue.hass.loop.time()

    def _epoch_of(self, device: HubDevice) -> tuple[object, ...]:
        """Return what changes when the device forgets that it should listen."""
        return device, device.aes, self._queue.transmissions
