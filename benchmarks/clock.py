"""An event loop whose clock can be put forward, and a watch on how long it stands still."""

import asyncio
import time
from typing import Self, override

TICK_S = 0.002


class SkippingLoop(asyncio.SelectorEventLoop):
    """Time passes as ever, and besides as often as `skip` is called.

    Polls 30 s apart can thus follow each other at once: what is due fires with the next
    turn of the loop, through Home Assistant's own timers. Skip only while no reply is
    waited for, or timeouts elapse too.
    """

    def __init__(self) -> None:
        super().__init__()
        self._skipped = 0.0

    @override
    def time(self) -> float:
        """Return seconds on the loop's clock."""
        return super().time() + self._skipped

    def skip(self, seconds: float) -> None:
        """Put the clock forward."""
        self._skipped += seconds


def running_loop() -> SkippingLoop:
    """Return the running loop, which in a benchmark is always a `SkippingLoop`."""
    loop = asyncio.get_running_loop()
    if not isinstance(loop, SkippingLoop):
        raise TypeError("Benchmarks run in benchmarks.child")
    return loop


class StallWatch:
    """`with StallWatch() as watch:` ticks all the while.

    `worst` is how late the latest tick was, in seconds: whatever kept the loop, other
    processes included. `busiest` is the most CPU time this thread took between two ticks.
    """

    def __init__(self) -> None:
        self.worst = 0.0
        self.busiest = 0.0
        self._loop = asyncio.get_running_loop()
        self._handle: asyncio.TimerHandle | None = None

    def __enter__(self) -> Self:
        self.restart()
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle:
            self._handle.cancel()

    def restart(self) -> None:
        """Look away while the clock is put forward."""
        if self._handle:
            self._handle.cancel()
        self._next()

    def _next(self) -> None:
        self._cpu = time.thread_time()
        self._due = self._loop.time() + TICK_S
        self._handle = self._loop.call_at(self._due, self._tick)

    def _tick(self) -> None:
        self.worst = max(self.worst, self._loop.time() - self._due)
        self.busiest = max(self.busiest, time.thread_time() - self._cpu)
        self._next()
