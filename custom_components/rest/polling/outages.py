"""What the log says of a resource that fails: each reason once, and one word when it flaps."""

import logging
from math import inf
import time

CALM_S = 600.0
"""Lost again sooner than that, a resource flaps."""
QUIET_S = 3600.0
"""While it flaps, a reason is told no more often."""
MAX_REASONS = 20
"""A server can bring about any number of reasons."""


class Outages:
    """Tells when one resource is lost, when the reason changes, and when it is back."""

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger
        self._told: dict[str, float] = {}
        self._reason: str | None = None
        self._is_told = False
        self._over_since = -inf

    def failed(self, name: str, reason: str, wait: float | None) -> None:
        """Note a failed poll; `wait` is the seconds until the next try, None for no more."""
        is_new = self._reason is None
        if is_new:
            self._is_told = False
            if time.monotonic() - self._over_since > CALM_S:
                self._told.clear()
        next_try = "" if wait is None else f"; next try in {wait:.0f} s"
        level = logging.DEBUG
        if reason != self._reason and self._is_news(reason):
            level, self._is_told = logging.ERROR, True
        self._reason = reason
        self._logger.log(level, "Error fetching %s data: %s%s", name, reason, next_try)
        if is_new and not self._is_told and self._is_news("unstable"):
            self._logger.warning("%s is unstable: soon after it came back it failed again", name)

    def over(self, name: str) -> None:
        """Note that a poll succeeds again."""
        self._reason = None
        self._over_since = time.monotonic()
        level = logging.INFO if self._is_told else logging.DEBUG
        self._logger.log(level, "Fetching %s data recovered", name)

    def _is_news(self, what: str) -> bool:
        """Return whether it was not told for a while; it counts as told from now on."""
        now = time.monotonic()
        self._told = {told: then for told, then in self._told.items() if now - then < QUIET_S}
        if what in self._told or len(self._told) >= MAX_REASONS:
            return False
        self._told[what] = now
        return True
