"""Calls that are cancelled halfway: after their first step, their second, until one finishes."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.util.async_ import get_scheduled_timer_handles

MOST_STEPS = 2_000
"""Upper limit of steps: a call that cannot be cancelled is not tried forever."""


@contextmanager
def _before_each_turn(act: Callable[[], None]) -> Iterator[None]:
    """Call `act` before each turn of the event loop."""
    loop: Any = asyncio.get_running_loop()
    run_once = loop._run_once  # noqa: SLF001  (there is no public way to count turns)

    def turn() -> None:
        act()
        run_once()

    loop._run_once = turn  # noqa: SLF001
    try:
        yield
    finally:
        del loop._run_once  # noqa: SLF001  (back to the class's)


async def is_through(call: Coroutine[Any, Any, object], step: int) -> bool:
    """Run a call, cancel it at a step, and return whether it had finished before.

    A step is a turn of the event loop. No task continues twice in one turn, so every await of
    the call, and of every task that it uses, is covered. Errors of the call itself are raised.
    """
    task = asyncio.ensure_future(call)
    turn, is_asked = 0, False

    def count() -> None:
        nonlocal turn, is_asked
        turn += 1
        if turn == step:
            is_asked = task.cancel()

    with _before_each_turn(count):
        await asyncio.wait([task])
    if task.cancelled():
        return False
    task.result()
    assert not is_asked, f"cancelled at step {step}, and went on"
    return True


async def cancelled_at_each_step(
    start: Callable[[], Coroutine[Any, Any, object]],
) -> AsyncIterator[int]:
    """Start a call repeatedly, cancelled one step later each time, until it finishes.

    Yield the step after each cancelled call.
    """
    for step in range(1, MOST_STEPS):
        if await is_through(start(), step):
            assert step > 1, "nothing was cancelled"
            print(f"cancelled at {step - 1} steps")  # noqa: T201  (the figure)
            return
        yield step
    raise AssertionError(f"not through after {MOST_STEPS} steps")


@dataclass(frozen=True, kw_only=True)
class Running:
    """Numbers of tasks, timers and the like that Home Assistant runs."""

    tasks: int
    timers: int
    files: int

    def within(self, limit: Running) -> bool:
        """Return whether no number has grown."""
        return (
            self.tasks <= limit.tasks and self.timers <= limit.timers and self.files <= limit.files
        )


def running(hass: HomeAssistant) -> Running:
    """Return the current numbers."""
    return Running(
        tasks=len(asyncio.all_tasks()),
        timers=sum(not timer.cancelled() for timer in get_scheduled_timer_handles(hass.loop)),
        files=len(list(Path("/proc/self/fd").iterdir())),
    )
