"""Lines of the log that tests bring about and should not.

One without a row in docs/troubleshooting.md fails no test: a run names it among its warnings.
One that reports a deprecated use by us fails the test.
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
    # What is told of an entity or a request begins with its name.
    forms = (".*".join(map(re.escape, row.split("…"))) for row in rows(integration))
    return re.compile(rf"(?:\S+: )?(?:{'|'.join(forms)})", re.DOTALL)


def is_explained(integration: str, message: str) -> bool:
    """Return whether docs/troubleshooting.md has a row for a line of the log."""
    return bool(_explained(integration).fullmatch(message))


class Unexplained(logging.Handler):
    """Collects what is told that nobody can look up."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: set[str] = set()

    @override
    def emit(self, record: logging.LogRecord) -> None:
        """Hear a line of the log."""
        integration = record.name.split(".")[1]
        if integration in NAMES and not is_explained(integration, record.getMessage()):
            self.lines.add(record.getMessage())


class Deprecated(logging.Handler):
    """Collects what Home Assistant reports of a deprecated use by us."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    @override
    def emit(self, record: logging.LogRecord) -> None:
        """Read a line of the log, with the name of its logger as a file has it."""
        line = " ".join(record.getMessage().splitlines())
        self.lines += deprecated_uses(f"[{record.name}] {line}", NAMES)
