"""Everything the integrations tell while a test runs has its text, and its row in the docs.

So each test that provokes a message also proves that people can look it up, and nobody reads
the source to find out what it might say.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
import logging
import re
from typing import Any, override

from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.issue_registry import IssueEntry, IssueRegistry
import pytest

from .files import NAMES, ROOT, placeholders, texts

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


class Listener(logging.Handler):
    """Collects what is told that nobody can look up."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.wrong: set[str] = set()

    @override
    def emit(self, record: logging.LogRecord) -> None:
        """Hear a line of the log."""
        integration = record.name.split(".")[1]
        if integration in NAMES and not is_explained(integration, record.getMessage()):
            self.wrong.add(f"no row in docs/troubleshooting.md: {record.getMessage()}")

    def error(self, domain: str | None, key: str | None, values: Mapping[str, str] | None) -> None:
        """Hear of an error that Home Assistant puts into words."""
        if domain in NAMES:
            text = texts(domain)["exceptions"].get(key)
            self._check(f"error {key}", [text and text["message"]], values)

    def issue(self, domain: str, key: str, values: Mapping[str, str] | None) -> None:
        """Hear of a repair issue."""
        if domain in NAMES:
            text = texts(domain)["issues"].get(key, {})
            # One that can be fixed has its description in its dialogue.
            parts = [text.get("title"), text.get("description", "")]
            self._check(f"issue {key}", parts, values)

    def _check(
        self, what: str, parts: Sequence[str | None], values: Mapping[str, str] | None
    ) -> None:
        for text in parts:
            if text is None:
                self.wrong.add(f"no text for the {what}")
            elif missing := placeholders(text) - {*(values or {})}:
                self.wrong.add(f"the {what} does not say {missing}")


@contextmanager
def listening(monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    """Hear all that our integrations tell."""
    listener = Listener()
    make_error = HomeAssistantError.__init__
    make_issue = IssueRegistry.async_get_or_create

    def error(self: HomeAssistantError, *args: object, **kwargs: Any) -> None:  # noqa: ANN401  (core's)
        make_error(self, *args, **kwargs)
        values = self.translation_placeholders
        listener.error(self.translation_domain, self.translation_key, values)

    def issue(self: IssueRegistry, domain: str, issue_id: str, **kwargs: Any) -> IssueEntry:  # noqa: ANN401  (core's)
        key, values = kwargs["translation_key"], kwargs.get("translation_placeholders")
        listener.issue(domain, key, values)
        return make_issue(self, domain, issue_id, **kwargs)

    monkeypatch.setattr(HomeAssistantError, "__init__", error)
    monkeypatch.setattr(IssueRegistry, "async_get_or_create", issue)
    logger = logging.getLogger("custom_components")
    logger.addHandler(listener)
    try:
        yield listener
    finally:
        logger.removeHandler(listener)
