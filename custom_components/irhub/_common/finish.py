"""Run work to completion even if its caller is cancelled."""

import asyncio
from collections.abc import Coroutine
import logging
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

_LOGGER = logging.getLogger(__package__)


async def finish[T](hass: HomeAssistant, work: Coroutine[Any, Any, T], name: str) -> T:
    """Await `work`; return its result or raise its exception.

    If the caller is cancelled, the work continues in the background and its exception is logged.
    `asyncio.shield` would report that exception as an unhandled error of the event loop.
    """
    task = hass.async_create_task(work, name)
    try:
        await asyncio.wait([task])
    except asyncio.CancelledError:
        task.add_done_callback(_log_error)
        raise
    return task.result()


def _log_error(task: asyncio.Task[Any]) -> None:
    if task.cancelled() or (error := task.exception()) is None:
        return
    if isinstance(error, HomeAssistantError):  # meant for the caller, which was cancelled
        _LOGGER.info("%s: %s", task.get_name(), error)
    else:
        _LOGGER.error("%s failed", task.get_name(), exc_info=error)
