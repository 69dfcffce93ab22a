"""Measure how long the event loop is blocked."""

import time

from homeassistant.core import HomeAssistant

STALL_S = 0.1


class Stall:
    """The longest CPU time that one turn of the event loop took, in seconds.

    CPU time of the loop's own thread: other programs on a busy machine do not count.
    """

    def __init__(self, hass: HomeAssistant) -> None:
        self.longest = 0.0
        self._loop = hass.loop
        self._last = time.thread_time()
        self._handle = hass.loop.call_soon(self._turn)

    def _turn(self) -> None:
        now = time.thread_time()
        self.longest = max(self.longest, now - self._last)
        self._last = now
        self._handle = self._loop.call_soon(self._turn)

    def stop(self) -> None:
        """Stop watching."""
        self._handle.cancel()
