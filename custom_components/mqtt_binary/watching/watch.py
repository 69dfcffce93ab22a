"""Watching the broker while the user works a device."""

import asyncio
from collections.abc import Callable
from typing import Final

from homeassistant.core import HomeAssistant, callback

from ..discovery.prefix import cores_prefixes
from ..mqtt import ReceiveMessage, async_subscribe
from .recording import Message, Recording

WATCH_S: Final = 45.0
"""Time enough to walk to a door and to open and close it twice."""


async def async_watch(
    hass: HomeAssistant,
    below: str,
    other_prefixes: set[str],
    is_enough: Callable[[Recording], bool],
) -> Recording:
    """Return what comes below a topic, on all if that is empty, until it is enough.

    Announcements to core and to us are left out.
    """
    recording, loop, changed = Recording(), hass.loop, asyncio.Event()
    left_out = tuple(f"{prefix}/" for prefix in cores_prefixes(hass) | other_prefixes)

    @callback
    def received(message: ReceiveMessage) -> None:
        if message.topic.startswith(left_out):
            return
        payload = message.payload
        if not isinstance(payload, str):
            try:
                payload = payload.decode()
            except UnicodeError:
                return
        recording.add(message.topic, Message(payload, loop.time(), message.retain))
        changed.set()

    unsubscribe = await async_subscribe(hass, f"{below}/#" if below else "#", received, 0, None)
    try:
        async with asyncio.timeout(WATCH_S):
            while not is_enough(recording):
                changed.clear()
                await changed.wait()
                await asyncio.sleep(0.5)  # what comes together is looked at once
    except TimeoutError:
        pass
    finally:
        unsubscribe()
    return recording
