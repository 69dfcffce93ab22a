"""How many requests a host gets at a time."""

import asyncio
import logging
from weakref import WeakValueDictionary

from yarl import URL

from .._common.log_once import LogOnce

_LOGGER = logging.getLogger(__name__)

REQUESTS_AT_A_TIME = 4
PATIENCE_S = 1.0
"""A request unanswered for so long gives its place away: what hangs must not starve the others."""


class Host:
    """One host and port."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(REQUESTS_AT_A_TIME)

    async def place(self) -> Place:
        """Wait for a place, first come, first served, and return it."""
        await self._places.acquire()
        return Place(self._places)


class Place:
    """A place among a host's requests, given back when left, or after PATIENCE_S."""

    def __init__(self, places: asyncio.Semaphore) -> None:
        self._places: asyncio.Semaphore | None = places
        self._timer = asyncio.get_running_loop().call_later(PATIENCE_S, self._give_back)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._give_back()

    def _give_back(self) -> None:
        if self._places:
            self._places.release()
            self._places = None


class Hosts:
    """All hosts that are asked; one is forgotten when nobody uses it."""

    def __init__(self) -> None:
        self._all: WeakValueDictionary[tuple[str | None, int | None], Host] = WeakValueDictionary()
        self._log = LogOnce(_LOGGER)

    def of(self, url: URL) -> Host:
        """Return the host of a URL."""
        key = (url.host, url.port)
        if (host := self._all.get(key)) is None:
            host = self._all[key] = Host()
        return host

    def tell_slow(self, host: str) -> None:
        """Warn, once per host, that a round of polls takes longer than its interval."""
        self._log.report(
            host,
            f"{host}: its polls take longer than their scan_interval, so values come later than "
            "asked for; poll fewer of its resources, or less often",
        )
