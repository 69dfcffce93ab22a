"""Problems that are told once, not once per poll or message."""

import logging
import time
from typing import Final

QUIET_S: Final = 3600
"""After so long without trouble, the same problem is news again."""
MAX_PROBLEMS: Final = 20
"""How many problems of one subject are told; a peer can invent any number of them."""


class LogOnce:
    """Tells the problems of one owner, such as an entity: each once.

    A problem belongs to a subject ("value", "attributes"). It is told again when its subject
    had no trouble for QUIET_S seconds, or was settled.
    """

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger
        self._reported: dict[str, set[str]] = {}
        self._last: dict[str, float] = {}

    def report(self, subject: str, problem: str, *, detail: str = "") -> bool:
        """Log a problem as a warning if it is news, else at debug level; return if it is.

        `detail` is logged behind it; another detail makes no news.
        """
        now = time.monotonic()
        if now - self._last.get(subject, now) > QUIET_S:
            self._reported.pop(subject, None)
        self._last[subject] = now
        problems = self._reported.setdefault(subject, set())
        news = problem not in problems and len(problems) < MAX_PROBLEMS
        if news:
            problems.add(problem)
        self._logger.log(logging.WARNING if news else logging.DEBUG, "%s%s", problem, detail)
        return news

    def settle(self, subject: str) -> bool:
        """Note that the trouble is over: the next is news. Return whether there was any."""
        if subject not in self._reported:
            return False
        del self._reported[subject], self._last[subject]
        return True
