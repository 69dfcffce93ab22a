"""Log outages of a resource: each reason once, and one line if it flaps."""

import logging
from math import inf
import time

CALM_S = 600.0
"""A resource that fails again within this many seconds after a recovery flaps."""
QUIET_S = 3600.0
"""Seconds before the same reason is logged again; an outage that long is logged in any case."""
MAX_REASONS = 20
"""Maximum number of reasons logged within QUIET_S; a server can cause any number."""
_UNSTABLE = "unstable"


class Outages:
    """Logs when a resource is lost, when the reason changes, and when it is back.

    The last line in the log describes the current state, or is less than QUIET_S old.
    """

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger
        self._logged_at: dict[str, float] = {}
        self._reason: str | None = None  # None: the resource works
        self._since = -inf
        self._last_line: str | None = None  # a reason, _UNSTABLE, or the recovery

    @property
    def is_unstable(self) -> bool:
        """Return whether the last line was "unstable"; recoveries are then silent for QUIET_S."""
        return self._last_line is _UNSTABLE

    def failed(self, name: str, reason: str, wait: float | None) -> None:
        """Record a failed poll; `wait` is the seconds until the next attempt, None for no more."""
        now = time.monotonic()
        is_new = self._reason is None
        if is_new and now - self._since > CALM_S:
            self._logged_at.clear()
        if reason != self._reason:
            self._reason, self._since = reason, now
            is_logged = self._may_log(reason)
        else:
            is_logged = self._last_line != reason and now - self._since >= QUIET_S
        level = logging.DEBUG
        if is_logged:
            level, self._last_line, self._logged_at[reason] = logging.ERROR, reason, now
        next_try = "" if wait is None else f"; next try in {wait:.0f} s"
        self._logger.log(level, "Error fetching %s data: %s%s", name, reason, next_try)
        if is_new and not is_logged and self._may_log(_UNSTABLE):
            self._logged_at[_UNSTABLE], self._last_line = now, _UNSTABLE
            self._logger.warning("%s is unstable: soon after it came back it failed again", name)

    def succeeded(self, name: str) -> None:
        """Record the first successful poll after a failure; while `is_unstable`, each one."""
        now = time.monotonic()
        was_working = self._reason is None
        if not was_working:
            self._reason, self._since = None, now
        if self.is_unstable and now - self._since < QUIET_S:
            is_logged = False
        else:
            is_logged, self._last_line = self._last_line is not None, None
        if is_logged or not was_working:
            level = logging.INFO if is_logged else logging.DEBUG
            self._logger.log(level, "Fetching %s data recovered", name)

    def _may_log(self, line: str) -> bool:
        """Return whether a line was not logged within QUIET_S."""
        now = time.monotonic()
        self._logged_at = {
            logged_line: logged_at
            for logged_line, logged_at in self._logged_at.items()
            if now - logged_at < QUIET_S
        }
        return line not in self._logged_at and len(self._logged_at) < MAX_REASONS
