"""Poll cycles of sensors, one at once after the other, and what each costs."""

import asyncio
from collections.abc import Sequence
from statistics import median
import time

from homeassistant.const import STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.core import HomeAssistant

from .clock import StallWatch, running_loop

INTERVAL_S = 30
LOOK_S = 0.005
CYCLE_TIMEOUT_S = 40
# Not measured: the first cycles take memory from the machine, the later ones use it again.
WARM_UP = 2


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


async def cost_of_interval(times: int, every: float = INTERVAL_S) -> float:
    """Return seconds of CPU that an interval of Home Assistant takes in which nothing polls."""
    cpu = 0.0
    for _ in range(times):
        start = time.process_time()
        running_loop().skip(every)
        await asyncio.sleep(LOOK_S)
        cpu += time.process_time() - start - await _cost_of_looks(1)
    return cpu / times


async def cpu_per_cycle(
    hass: HomeAssistant,
    sensors: Sequence[str],
    cycles: int,
    interval: float,
    every: float = INTERVAL_S,
) -> float:
    """Return milliseconds of CPU per poll cycle, all threads counted, without the waiting.

    Each cycle is followed by as many looks as it took, which are taken off: the machine wakes
    up for them just as slowly. `interval` is what `cost_of_interval` returned.
    """
    for _ in range(WARM_UP):
        await _cycle(hass, sensors, every)
    cpu = 0.0
    for _ in range(cycles):
        start = time.process_time()
        looks = await _cycle(hass, sensors, every)
        cpu += time.process_time() - start - await _cost_of_looks(looks)
    return (cpu / cycles - interval) * 1000


async def poll(hass: HomeAssistant, sensors: Sequence[str], cycles: int, interval: float) -> None:
    """Let so many intervals of so many seconds pass, with a poll of all in each."""
    for _ in range(cycles):
        await _cycle(hass, sensors, interval)


async def worst_stall(hass: HomeAssistant, sensors: Sequence[str], cycles: int) -> float:
    """Return the milliseconds for which the event loop stood still at worst, in a typical poll."""
    worst = []
    for _ in range(cycles):
        mark = time.time()
        with StallWatch() as watch:
            running_loop().skip(INTERVAL_S)
            watch.restart()
            await until_updated(hass, sensors, mark)
            await asyncio.sleep(LOOK_S)
        worst.append(watch.worst)
    return median(worst) * 1000


async def _cost_of_looks(count: int) -> float:
    start = time.process_time()
    for _ in range(count):
        await asyncio.sleep(LOOK_S)
    return time.process_time() - start


async def _cycle(hass: HomeAssistant, sensors: Sequence[str], interval: float = INTERVAL_S) -> int:
    """Let all poll once; return how many looks it took."""
    mark = time.time()
    running_loop().skip(interval)
    looks = await until_updated(hass, sensors, mark)
    # Core holds a lock until after the last write, and drops a poll that finds it held.
    await asyncio.sleep(LOOK_S)
    return looks + 1
