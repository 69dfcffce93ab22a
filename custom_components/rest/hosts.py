"""How many requests one host gets at a time."""

import asyncio
from weakref import WeakValueDictionary

from yarl import URL

from .const import MAX_REQUESTS_PER_HOST


class Hosts:
    """A queue per host and port, gone when nobody uses it."""

    def __init__(self) -> None:
        self._slots: WeakValueDictionary[tuple[str | None, int | None], asyncio.Semaphore] = (
            WeakValueDictionary()
        )

    def slot(self, url: URL) -> asyncio.Semaphore:
        """Return what to hold during a request; waiters are served in order."""
        key = (url.host, url.port)
        if (slot := self._slots.get(key)) is None:
            slot = self._slots[key] = asyncio.Semaphore(MAX_REQUESTS_PER_HOST)
        return slot
