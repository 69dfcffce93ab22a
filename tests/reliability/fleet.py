"""Resources used by many hubs."""

import asyncio
import gc
from pathlib import Path

from homeassistant.core import HomeAssistant


def sockets() -> int:
    """Return how many files and sockets are open."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def living(hass: HomeAssistant) -> tuple[int, int, int]:
    """Return how many tasks, timers and sockets there are, after a clean-up."""
    gc.collect()
    timers = [handle for handle in hass.loop._scheduled if not handle.cancelled()]  # type: ignore[attr-defined]  # noqa: SLF001
    return len(asyncio.all_tasks()), len(timers), sockets()
