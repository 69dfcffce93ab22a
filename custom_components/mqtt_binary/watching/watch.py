"""Record messages while the user operates a device."""

import asyncio
from collections.abc import Callable
from typing import Final

from homeassistant.core import HomeAssistant, callback

from ..discovery.prefix import cores_prefixes
from ..mqtt import ReceiveMessage, async_subscribe
from .recording import LeftOut, Message, Recording

WATCH_S: Final = 45.0
"""Seconds to watch: enough to walk to a door and to open and close it twice."""


async def async_watch(
    hass: HomeAssistant,
    below: str,
    other_prefixes: set[str],
    is_enough: Callable[[Recording], bool],
) -> Recording:
    """Record messages below a topic (all if empty) until `is_enough` or WATCH_S have passed.

    Discovery messages, to core or to this integration, are left out.
    """
    recording, loop, changed = Recording(), hass.loop, asyncio.Event()
    excluded_prefixes = tuple(f"{prefix}/" for prefix in cores_prefixes(hass) | other_prefixes)

    @callback
    def received(message: ReceiveMessage) -> None:
        if message.topic.startswith(excluded_prefixes):
            return
        payload = message.payload
        if not isinstance(payload, str):
            try:
                payload = payload.decode()
            except UnicodeError:
                recording.leave_out(message.topic, LeftOut.UNREADABLE)
                return
        recording.add(message.topic, Message(payload, loop.time(), message.retain))
        changed.set()

    unsubscribe = await async_subscribe(hass, f"{below}/#" if below else "#", received, 0, None)
    try:
        async with asyncio.timeout(WATCH_S):
            while not is_enough(recording):
                changed.clear()
                await changed.wait()
                await asyncio.sleep(0.5)  # evaluate messages that arrive together only once
    except TimeoutError:
        pass
    finally:
        unsubscribe()
    return recording
