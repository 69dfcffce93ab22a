"""Virtual clocks: waiting takes no time, or no timeout expires while the machine is busy."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
import os
import time
from typing import Any

from homeassistant.core import HomeAssistant

TURN_S = 1e-6
"""Virtual seconds per turn of the loop, so that a deadline hidden by rounding is reached."""


class Clock:
    """The event loop's clock: when the loop is idle, it leaps to the next timer.

    Datagrams on loopback arrive before the sender continues, and threads are waited for: the
    network and the disk are real; only waiting takes no time.
    """

    def __init__(self, loop: Any) -> None:  # noqa: ANN401  (its selector is private)
        self.now: float = loop.time()
        self._select = loop._selector.select  # noqa: SLF001  (no public way to wait faster)
        self._run_in_executor = loop.run_in_executor
        self._threads = 0
        self._leaps = True

    def time(self) -> float:
        """Return the virtual time."""
        return self.now

    @contextmanager
    def standing(self) -> Iterator[None]:
        """Suspend leaping: time passes normally, for the work of other threads."""
        self._leaps = False
        try:
            yield
        finally:
            self._leaps = True

    def run_in_executor(self, *args: Any) -> asyncio.Future[Any]:  # noqa: ANN401  (the loop's)
        """Run in a thread, and suspend leaping meanwhile."""
        future: asyncio.Future[Any] = self._run_in_executor(*args)
        self._threads += 1
        future.add_done_callback(self._done)
        return future

    def _done(self, _future: asyncio.Future[Any]) -> None:
        self._threads -= 1

    def select(self, timeout: float | None) -> Any:  # noqa: ANN401  (the selector's list)
        """Return ready events; if there are none, leap to the next timer."""
        self.now += TURN_S
        if not self._leaps:
            began = time.monotonic()
            ready = self._select(timeout)
            self.now += time.monotonic() - began
            return ready
        if timeout is None or self._threads:
            return self._select(timeout)
        if not (ready := self._select(0)):
            os.sched_yield()  # on a busy machine, the kernel may still have to deliver a datagram
            if not (ready := self._select(0)):
                self.now += max(timeout, 0)
        return ready


@contextmanager
def leaping(hass: HomeAssistant) -> Iterator[Clock]:
    """Let time leap on Home Assistant's loop. Afterwards it continues normally from there."""
    loop: Any = hass.loop
    clock = Clock(loop)
    time_before = loop.time
    before = loop._selector.select, loop.run_in_executor  # noqa: SLF001
    loop.time, loop._selector.select, loop.run_in_executor = (  # noqa: SLF001
        clock.time,
        clock.select,
        clock.run_in_executor,
    )
    try:
        yield clock
    finally:
        ahead = clock.now - time_before()
        loop.time = lambda: time_before() + ahead
        loop._selector.select, loop.run_in_executor = before  # noqa: SLF001


MOST_TURN_S = 0.1
"""Seconds that a turn of the loop takes at most; what takes longer was waiting for the machine."""


@contextmanager
def steady(loop: Any) -> Iterator[None]:  # noqa: ANN401  (its selector is private)
    """Let the loop's time stand still while this process is kept waiting."""
    real_time, real_select = loop.time, loop._selector.select  # noqa: SLF001
    resumed, lost = real_time(), 0.0

    def time() -> float:
        return float(min(real_time(), resumed + MOST_TURN_S) - lost)

    def select(timeout: float | None) -> Any:  # noqa: ANN401  (the selector's list)
        nonlocal resumed, lost
        before = real_time()
        lost += max(0.0, before - resumed - MOST_TURN_S)
        ready = real_select(timeout)
        resumed = real_time()
        if timeout is not None:
            lost += max(0.0, resumed - before - max(timeout, 0.0) - MOST_TURN_S)
        return ready

    loop.time, loop._selector.select = time, select  # noqa: SLF001
    try:
        yield
    finally:
        loop.time = lambda: real_time() - lost
        loop._selector.select = real_select  # noqa: SLF001
