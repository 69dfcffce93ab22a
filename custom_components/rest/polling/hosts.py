"""How many requests a host gets at a time, and what is told of one that is too slow."""

import asyncio
import logging
from math import inf
from weakref import WeakValueDictionary

from yarl import URL

from .._common.log_once import LogOnce

_LOGGER = logging.getLogger(__name__)

REQUESTS_AT_A_TIME = 4
PATIENCE_S = 1.0
"""A request unanswered for so long gives its place away: what hangs must not starve the others."""
SAME_MOMENT_S = 0.1
"""Polls that come late together were held up by Home Assistant itself."""
LATE_AGAIN_S = 600.0
"""A second late poll within that time says that the host is slow."""


class Place:
    """A place among a host's requests, given back when left, or after PATIENCE_S.

    `start` is when it was taken, on the event loop's clock.
    """

    def __init__(self, places: asyncio.Semaphore, start: float) -> None:
        self._places: asyncio.Semaphore | None = places
        self._timer = asyncio.get_running_loop().call_at(start + PATIENCE_S, self._release)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._release()

    def _release(self) -> None:
        if self._places:
            self._places.release()
            self._places = None


class Hosts:
    """How many requests a host gets at a time; one that nobody asks any more is forgotten."""

    def __init__(self) -> None:
        self._all: WeakValueDictionary[tuple[str | None, int | None], asyncio.Semaphore] = (
            WeakValueDictionary()
        )
        self._late_since: dict[str, float] = {}
        self.is_closed = False
        """Home Assistant stops: no interval asks any host from now on."""
        self._log = LogOnce(_LOGGER)

    def places(self, url: URL) -> asyncio.Semaphore:
        """Return the places at the host and port of a URL, which are waited for in turn."""
        key = (url.host, url.port)
        if (places := self._all.get(key)) is None:
            places = self._all[key] = asyncio.Semaphore(REQUESTS_AT_A_TIME)
        return places

    def late(self, host: str, now: float) -> None:
        """Note a poll that took longer than its interval; of the second, warn once per host."""
        first = self._late_since.get(host, -inf)
        if now - first > LATE_AGAIN_S:
            self._late_since[host] = now
        elif now - first > SAME_MOMENT_S:
            self._log.report(
                host,
                f"{host}: its polls take longer than their scan_interval, so values come later "
                "than asked for; poll fewer of its resources, or less often",
            )
