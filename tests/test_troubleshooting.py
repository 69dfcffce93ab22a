"""docs/troubleshooting.md explains what the integrations tell, and nothing else.

That every line of the log has its row is seen by each test that provokes one (tests/told.py);
here, that the errors and repairs of the translations do, and that no row is left of what is gone.
"""

import logging
from pathlib import Path
import re

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir, update_coordinator
import pytest

from .files import NAMES, every, leaves, literals, texts
from .told import Listener, rows

_PLACEHOLDER = re.compile(r"\{\w+\}")


@every
def test_every_error_and_every_repair_has_a_row(folder: Path) -> None:
    written = texts(folder.name)
    titles = [text["title"] for text in written["issues"].values()]
    messages = [text["message"] for text in written["exceptions"].values()]
    told = {_PLACEHOLDER.sub("…", text) for text in titles + messages}
    assert {text for text in told if text.strip("…: ")} <= rows(folder.name)


@every
def test_every_row_is_of_words_that_can_be_told(folder: Path) -> None:
    told = literals(folder, Path(update_coordinator.__file__))
    told |= {text for _, text in leaves(texts(folder.name))}
    everything = "\n".join(told)
    for row in rows(folder.name):
        assert all(part.strip(" .,:;(") in everything for part in row.split("…")), row


def test_a_line_of_the_log_without_a_row_is_seen(told: Listener) -> None:
    log = logging.getLogger(f"custom_components.{NAMES[0]}.hub")
    log.warning("A listener to the hub at %s failed", "192.0.2.1")
    assert not told.wrong
    log.warning("Something nobody explains")
    assert len(told.wrong) == 1
    told.wrong.clear()


@pytest.mark.parametrize(
    ("key", "values", "wrong"),
    [
        ("no_answer", {"hub": "h"}, None),
        ("no_answer", None, "the error no_answer does not say {'hub'}"),
        ("nonsense", None, "no text for the error nonsense"),
    ],
)
def test_an_error_without_its_text_or_what_is_filled_in_is_seen(
    told: Listener, key: str, values: dict[str, str] | None, wrong: str | None
) -> None:
    HomeAssistantError(
        translation_domain="irhub", translation_key=key, translation_placeholders=values
    )
    assert told.wrong == ({wrong} if wrong else set())
    told.wrong.clear()


def test_a_repair_without_its_text_is_seen(hass: HomeAssistant, told: Listener) -> None:
    for key in ("moved", "nonsense"):
        ir.async_create_issue(
            hass,
            "irhub",
            key,
            is_fixable=False,
            severity=ir.IssueSeverity.WARNING,
            translation_key=key,
            translation_placeholders={"hub": "a", "mac": "b", "address": "c"},
        )
    assert told.wrong == {"no text for the issue nonsense"}
    told.wrong.clear()
