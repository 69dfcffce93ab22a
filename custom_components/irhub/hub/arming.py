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
        self._epoch: tuple[object, ...] = ()
        self._rearm_at = 0.0

    async def arm(self, device: HubDevice) -> None:
        """Let the device listen. It forgets what it has heard before."""
        # Known before it is: the answer may get lost.
        self.is_armed, self._epoch = True, self._epoch_of(device)
        self._rearm_at = self._queue.hass.loop.time() + self._rearm_s
        await self._arm(device)
        self._last_received = None

    async def read(self, device: HubDevice) -> T | None:
        """Return what the device has heard; it has to be armed for more."""
        if (received := await self._read(device)) is None:
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
            now = self._queue.hass.loop.time()
            if self.is_armed and self._epoch == self._epoch_of(device) and now < self._rearm_at:
                return None
        if self.is_wanted:
            await self.arm(device)
        return None

    def _epoch_of(self, device: HubDevice) -> tuple[object, ...]:
        """Return what changes when the device forgets that it should listen."""
        return device, device.aes, self._queue.transmissions
