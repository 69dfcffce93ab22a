"""Arming a device's receiver, and reading its captures.

A device listens after it was armed, for infrared or for radio on one frequency. It holds one
capture, and discards it when it is armed again or transmits. So the capture is read immediately
before either, and only signals within a few milliseconds are lost. A device is armed after each
capture, after each transmission, in a new session, and every REARM_S. All requests go through the
hub's queue. The library's `capture` bypasses it, so a press held by the device at the time of a
transmission would be lost or reported twice.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from math import inf
from typing import Final

from .library import REARM_S, HubDevice
from .queue import Queue


@dataclass(frozen=True, kw_only=True)
class Tuned:
    """What a receiver is tuned to: infrared (None), or radio on a frequency in MHz."""

    frequency: float | None = None


INFRARED: Final = Tuned()


class Arming[T]:
    """Arms a device with `arm`, reads its captures with `read`, and tracks its state."""

    def __init__(
        self,
        queue: Queue,
        arm: Callable[[HubDevice], Awaitable[None]],
        read: Callable[[HubDevice], Awaitable[T | None]],
        rearm_s: float | None = None,
    ) -> None:
        self._queue = queue
        self._loop = queue.hass.loop
        self._arm = arm
        self._read = read
        self._rearm_s = REARM_S if rearm_s is None else rearm_s
        self.is_armed = False
        """Whether the capture that the device may hold belongs to this object."""
        self.is_wanted = True
        """Whether `read_and_arm` may arm the device."""
        self._last_received: T | None = None
        """The last capture, until the device has certainly discarded it."""
        self._since = inf
        """Loop time since which the device has listened without interruption."""
        self._armed = (-inf, -inf)
        """Begin and end (loop time) of the last arming, during which signals may be lost."""
        self._read_at = -inf
        """Loop time of the last read."""
        self._epoch: tuple[object, ...] = ()
        self._rearm_at = 0.0

    async def arm(self, device: HubDevice) -> None:
        """Arm the device. It discards its capture."""
        was_listening, began = self._listens(device), self._loop.time()
        # Set before the request: it may succeed although its answer is lost.
        self.is_armed, self._epoch = True, self._epoch_of(device)
        self._rearm_at = began + self._rearm_s
        self._armed = began, inf
        await self._arm(device)
        self._armed = began, self._loop.time()
        if not was_listening:
            self._since = self._loop.time()
        self._last_received = None

    async def read(self, device: HubDevice) -> T | None:
        """Return the capture of the device, or None. After a capture it has to be armed again."""
        received = await self._read(device)
        self._read_at = self._loop.time()
        if received is None:
            return None
        self.is_armed = False
        if received == self._last_received:
            return None
        self._last_received = received
        return received

    async def read_and_arm(self, device: HubDevice) -> T | None:
        """Return the capture of the device; if there is none, arm the device if necessary."""
        if self.is_armed:
            if (received := await self.read(device)) is not None:
                return received
            if self._listens(device) and self._read_at < self._rearm_at:
                return None
        if self.is_wanted:
            await self.arm(device)
        return None

    def has_listened(self, began: float, ended: float, read_at: float) -> bool:
        """Return whether the device listened from `began` to `ended`, and was read after `read_at`.

        All are loop times.
        """
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
        """Return whether the device is armed, in the same session and without a transmission."""
        return self.is_armed and self._epoch == self._epoch_of(device)

    def _epoch_of(self, device: HubDevice) -> tuple[object, ...]:
        """Return a value that changes with each event that disarms the device."""
        return device, device.aes, self._queue.transmissions
