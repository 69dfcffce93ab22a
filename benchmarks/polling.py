"""Poll cycles of sensors, one at once after the other, and what each costs."""

import asyncio
from collections.abc import Sequence
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


async def until_updated(hass: HomeAssistant, sensors: Sequence[str], mark: float) -> None:
    """Wait until all of them wrote a value after `mark`."""
    deadline = time.monotonic() + CYCLE_TIMEOUT_S
    waited_for = list(sensors)
    while waited_for:
        if is_updated(hass, waited_for[-1], mark):
            waited_for.pop()
        elif time.monotonic() > deadline:
            raise CycleError(f"{waited_for} were not updated")
        else:
            await asyncio.sleep(LOOK_S)


async def cpu_per_cycle(hass: HomeAssistant, sensors: Sequence[str], cycles: int) -> float:
    """Return milliseconds of this process's CPU per poll cycle, all threads counted."""
    await _cycle(hass, sensors)
    start = time.process_time()
    for _ in range(cycles):
        await _cycle(hass, sensors)
    return (time.process_time() - start) / cycles * 1000


async def _cycle(hass: HomeAssistant, sensors: Sequence[str]) -> None:
    mark = time.time()
    running_loop().skip(INTERVAL_S)
    await until_updated(hass, sensors, mark)
    # Core holds a lock until after the last write, and drops a poll that finds it held.
    await asyncio.sleep(LOOK_S)
