"""Collect undesirable log lines during tests.

A line without a row in docs/troubleshooting.md is listed among the warnings of the test run. A
line that reports a deprecated use by our integrations fails the test.
"""

from functools import cache
import logging
import re
from typing import override

from demo.deprecations import deprecated_uses

from .files import NAMES, ROOT

PAGE = ROOT / "docs/troubleshooting.md"
COLUMNS = 3


@cache
def rows(integration: str) -> frozenset[str]:
    """Return the messages that begin the rows of the integration's section."""
    page = PAGE.read_text(encoding="utf-8")
    section = page.partition(f"\n## {integration}\n")[2].partition("\n## ")[0]
    cells = (line.split(" | ") for line in section.splitlines() if line.startswith("| `"))
    return frozenset(cell[0].strip("| `") for cell in cells if len(cell) == COLUMNS)


@cache
def _explained(integration: str) -> re.Pattern[str]:
    # A line about an entity or a request begins with its name.
    forms = (".*".join(map(re.escape, row.split("…"))) for row in rows(integration))
    return re.compile(rf"(?:\S+: )?(?:{'|'.join(forms)})", re.DOTALL)


def is_explained(integration: str, message: str) -> bool:
    """Return whether docs/troubleshooting.md has a row for a log message."""
    return bool(_explained(integration).fullmatch(message))


class Unexplained(logging.Handler):
    """Collects messages that are missing in docs/troubleshooting.md."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: set[str] = set()

    @override
    def emit(self, record: logging.LogRecord) -> None:
        """Check a log message."""
        integration = record.name.split(".")[1]
        if integration in NAMES and not is_explained(integration, record.getMessage()):
            self.lines.add(record.getMessage())


class Deprecated(logging.Handler):
    """Collects Home Assistant's reports of deprecated uses by our integrations."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    @override
    def emit(self, record: logging.LogRecord) -> None:
        """Check a log message, with its logger's name as in a log file."""
        line = " ".join(record.getMessage().splitlines())
        self.lines += deprecated_uses(f"[{record.name}] {line}", NAMES)
