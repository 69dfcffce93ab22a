"""Poll cycles of sensors, run one immediately after the other, and their cost."""

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
    """Return whether a sensor wrote a value, changed or not, after `mark` (Unix time in s)."""
    state = hass.states.get(sensor)
    return (
        state is not None
        and state.state not in (STATE_UNAVAILABLE, STATE_UNKNOWN)
        and state.last_reported_timestamp > mark
    )


async def until_updated(hass: HomeAssistant, sensors: Sequence[str], mark: float) -> int:
    """Wait until all sensors wrote a value after `mark`. Return how often that was checked."""
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
    """Return seconds of CPU that Home Assistant uses in an interval without polls."""
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
    """Return milliseconds of CPU per poll cycle, of all threads, without the cost of waiting.

    Each cycle is followed by as many checks as it took, whose cost is subtracted: the wake-up of
    the machine costs the same for them. `interval` is the result of `cost_of_interval`.
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
    """Advance the clock by this many intervals in seconds, with one poll of all sensors in each."""
    for _ in range(cycles):
        await _cycle(hass, sensors, interval)


async def worst_stall(hass: HomeAssistant, sensors: Sequence[str], cycles: int) -> float:
    """Return the median, over several polls, of the longest event loop stall in milliseconds."""
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
    """Run one poll of all sensors. Return how often their state was checked."""
    mark = time.time()
    running_loop().skip(interval)
    looks = await until_updated(hass, sensors, mark)
    # Core holds a lock until after the last write, and drops a poll that finds it held.
    await asyncio.sleep(LOOK_S)
    return looks + 1
