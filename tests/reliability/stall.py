"""Measure how long the event loop is blocked."""

from collections.abc import Iterator
from contextlib import contextmanager
import gc
import logging
import time

from homeassistant.core import HomeAssistant

STALL_S = 0.1

COLLECTOR_THRESHOLDS = (2_000, 10, 10)
"""Python's own, with which Home Assistant runs. The collector of the tests runs far less often
(conftest.py): then one of its runs goes through tens of thousands of objects, in one turn."""


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


@contextmanager
def measured_as_in_a_home(hass: HomeAssistant) -> Iterator[None]:
    """Let the garbage collector run as in a home, and no test tool beside it."""
    hass.loop.set_debug(False)  # it takes the stack of each handle
    logging.disable(logging.DEBUG)  # as in a home; the test tools keep each line
    thresholds = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTOR_THRESHOLDS)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)
        gc.set_threshold(*thresholds)
        gc.unfreeze()
