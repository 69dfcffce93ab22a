"""An event loop whose clock can be advanced, and a monitor for stalls of the loop."""

import asyncio
import time
from typing import Self, override

TICK_S = 0.002


class SkippingLoop(asyncio.SelectorEventLoop):
    """An event loop whose time runs normally, and is advanced additionally by `skip`.

    Polls 30 s apart can thus follow each other immediately: timers that are due fire in the next
    iteration of the loop, through Home Assistant's own code. Call `skip` only while no reply is
    pending, or its timeout elapses, too.
    """

    def __init__(self) -> None:
        super().__init__()
        self._skipped = 0.0

    @override
    def time(self) -> float:
        """Return seconds on the loop's clock."""
        return super().time() + self._skipped

    def skip(self, seconds: float) -> None:
        """Advance the clock."""
        self._skipped += seconds


def running_loop() -> SkippingLoop:
    """Return the running loop, which in a benchmark is always a `SkippingLoop`."""
    loop = asyncio.get_running_loop()
    if not isinstance(loop, SkippingLoop):
        raise TypeError("Benchmarks run in benchmarks.child")
    return loop


class StallWatch:
    """Context manager that measures stalls of the event loop with a regular timer.

    `worst` is the longest delay of a tick in seconds, including delays caused by other processes.
    `busiest` is the longest CPU time of this thread between two ticks.
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
        """Restart the timer after the clock was advanced."""
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
