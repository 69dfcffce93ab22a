"""docs/troubleshooting.md explains what the integrations tell.

A line of the log without a row is among the warnings of a run (tests/told.py); here, that
the errors and repairs of the translations have theirs.
"""

import logging
from pathlib import Path
import re

from .files import NAMES, every, texts
from .told import Unexplained, rows

_PLACEHOLDER = re.compile(r"\{\w+\}")


@every
def test_every_error_and_every_repair_has_a_row(folder: Path) -> None:
    written = texts(folder.name)
    titles = [text["title"] for text in written["issues"].values()]
    messages = [text["message"] for text in written["exceptions"].values()]
    told = {_PLACEHOLDER.sub("…", text) for text in titles + messages}
    assert {text for text in told if text.strip("…: ")} <= rows(folder.name)


def test_a_line_of_the_log_without_a_row_is_seen(unexplained: Unexplained) -> None:
    log = logging.getLogger(f"custom_components.{NAMES[0]}.hub")
    log.warning("A listener to the hub %s failed", "192.0.2.1")
    assert not unexplained.lines
    log.warning("Something nobody explains")
    assert unexplained.lines == {"Something nobody explains"}
    unexplained.lines.clear()
