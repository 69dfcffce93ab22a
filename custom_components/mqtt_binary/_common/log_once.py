"""Log each problem once instead of with every poll or message."""

import logging
import time
from typing import Final

QUIET_S: Final = 3600
"""Seconds without a problem after which the same problem is logged as a warning again."""
MAX_PROBLEMS: Final = 20
"""Maximum number of problems of one subject that are logged; a peer may cause any number."""


class LogOnce:
    """Logs each problem of one owner, such as an entity, once as a warning.

    A problem belongs to a subject ("value", "attributes"). It is logged as a warning again after
    its subject had no problem for QUIET_S seconds, or after `settle`.
    """

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger
        self._reported: dict[str, set[str]] = {}
        self._last: dict[str, float] = {}

    def report(self, subject: str, problem: str, *, detail: str = "") -> bool:
        """Log a new problem as a warning, a known one at debug level; return whether it is new.

        `detail` is appended to the message. A different detail does not make a problem new.
        """
        now = time.monotonic()
        if now - self._last.get(subject, now) > QUIET_S:
            self._reported.pop(subject, None)
        self._last[subject] = now
        problems = self._reported.setdefault(subject, set())
        is_new = problem not in problems and len(problems) < MAX_PROBLEMS
        if is_new:
            problems.add(problem)
        self._logger.log(logging.WARNING if is_new else logging.DEBUG, "%s%s", problem, detail)
        return is_new

    def settle(self, subject: str) -> bool:
        """Forget the problems of a subject. Return whether there were any."""
        if subject not in self._reported:
            return False
        del self._reported[subject], self._last[subject]
        return True
