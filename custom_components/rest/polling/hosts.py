"""Limit concurrent requests per host, and warn about slow hosts."""

import asyncio
import logging
from math import inf
from weakref import WeakValueDictionary

from yarl import URL

from .._common.log_once import LogOnce

_LOGGER = logging.getLogger(__name__)

REQUESTS_AT_A_TIME = 4
PATIENCE_S = 1.0
"""Seconds after which an unanswered request releases its slot, so that it does not block others."""
SAME_MOMENT_S = 0.1
"""Polls that are late within this many seconds of each other were delayed by Home Assistant."""
LATE_AGAIN_S = 600.0
"""A second late poll within this many seconds means that the host is slow."""


class Slot:
    """Context manager of a slot for a request; released at exit or after PATIENCE_S.

    `start` is when the slot was acquired, in event loop time.
    """

    def __init__(self, slots: asyncio.Semaphore, start: float) -> None:
        self._slots: asyncio.Semaphore | None = slots
        self._timer = asyncio.get_running_loop().call_at(start + PATIENCE_S, self._release)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._release()

    def _release(self) -> None:
        if self._slots:
            self._slots.release()
            self._slots = None


class Hosts:
    """The request slots of all hosts; those of unused hosts are garbage-collected."""

    def __init__(self) -> None:
        self._all: WeakValueDictionary[tuple[str | None, int | None], asyncio.Semaphore] = (
            WeakValueDictionary()
        )
        self._late_since: dict[str, float] = {}
        self.is_closed = False
        """Whether Home Assistant is stopping, so no further polls are scheduled."""
        self._log = LogOnce(_LOGGER)

    def slots(self, url: URL) -> asyncio.Semaphore:
        """Return the semaphore with the slots of a URL's host and port."""
        key = (url.host, url.port)
        if (slots := self._all.get(key)) is None:
            slots = self._all[key] = asyncio.Semaphore(REQUESTS_AT_A_TIME)
        return slots

    def late(self, host: str, now: float) -> None:
        """Count a poll that took longer than its interval; warn once per host at the second."""
        first = self._late_since.get(host, -inf)
        if now - first > LATE_AGAIN_S:
            self._late_since[host] = now
        elif now - first > SAME_MOMENT_S:
            self._log.report(
                host,
                f"{host}: its polls take longer than their scan_interval, so values come later "
                "than asked for; poll fewer of its resources, or less often",
            )
