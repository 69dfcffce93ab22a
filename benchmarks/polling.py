"""Poll cycles of sensors, one at once after the other, and what each costs."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
import time

from homeassistant.const import STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.core import HomeAssistant

from .clock import running_loop

INTERVAL_S = 30
LOOK_S = 0.005
CYCLE_TIMEOUT_S = 40


class CycleError(Exception):
    """Sensors were not updated."""


def is_updated(hass: HomeAssistant, sensor: str, mark: float) -> bool:
    """Tell whether a sensor wrote a value, changed or not, after `mark` (seconds, Unix)."""
    state = hass.states.get(sensor)
    return (
        state is not None
        and state.state not in (STATE_UNAVAILABLE, STATE_UNKNOWN)
        and state.last_reported_timestamp > mark
    )


async def until_updated(hass: HomeAssistant, sensors: Sequence[str], mark: float) -> int:
    """Wait until all of them wrote a value after `mark`; return how many looks it took."""
    looks = 0
    deadline = time.monotonic() + CYCLE_TIMEOUT_S
    waited_for = list(sensors)
    while waited_for:
        if is_updated(hass, waited_for[-1], mark):
            waited_for.pop()
        elif time.monotonic() > deadline:
            raise CycleError(f"{waited_for} were not updated")
        else:
            looks += 1
            await asyncio.sleep(LOOK_S)
    return looks


@dataclass(frozen=True)
class Waiting:
    """What waiting for sensors costs by itself, in seconds of CPU."""

    look: float
    """One look at the states."""
    interval: float
    """30 s of a Home Assistant in which nothing polls."""


async def cost_of_waiting(times: int) -> Waiting:
    """Measure it, while a Home Assistant without the sensors runs."""

    async def cpu(step: Callable[[], None]) -> float:
        start = time.process_time()
        for _ in range(times):
            step()
            await asyncio.sleep(LOOK_S)
        return (time.process_time() - start) / times

    look = await cpu(lambda: None)
    return Waiting(look, await cpu(lambda: running_loop().skip(INTERVAL_S)) - look)


async def cpu_per_cycle(
    hass: HomeAssistant, sensors: Sequence[str], cycles: int, waiting: Waiting
) -> float:
    """Return milliseconds of CPU per poll cycle, all threads counted, without the waiting."""
    await _cycle(hass, sensors)
    looks = 0
    start = time.process_time()
    for _ in range(cycles):
        looks += await _cycle(hass, sensors)
    cpu = time.process_time() - start
    return ((cpu - looks * waiting.look) / cycles - waiting.interval) * 1000


async def _cycle(hass: HomeAssistant, sensors: Sequence[str]) -> int:
    """Let all poll once; return how many looks it took."""
    mark = time.time()
    running_loop().skip(INTERVAL_S)
    looks = await until_updated(hass, sensors, mark)
    # Core holds a lock until after the last write, and drops a poll that finds it held.
    await asyncio.sleep(LOOK_S)
    return looks + 1
