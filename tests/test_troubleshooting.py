"""docs/troubleshooting.md explains what the integrations tell.

It is made of the translations and of docs/troubleshooting.toml. A line of the log without a row is
among the warnings of a run (tests/log_lines.py).
"""

import json
import logging
from pathlib import Path
import runpy
from typing import Any

import pytest

from .files import NAMES, ROOT
from .log_lines import Unexplained, rows

SCRIPT = runpy.run_path(str(ROOT / "scripts/troubleshooting"), run_name="troubleshooting")
ROW = """
[[irhub.row]]
keys = ["exceptions.no_hub"]
means = "There is none."
do = "Buy one."
"""
HINTS = f"""about = "All of it."

[irhub]
about = "The hubs."
{ROW}
[[irhub.row]]
log = "Nobody answers …"
means = "It is late."
do = "Wait."
"""
PAGE = """# Troubleshooting

All of it.

## irhub

The hubs.

| message | what it means | what to do |
|---|---|---|
| `No hub named …` | There is none. | Buy one. |
| `Nobody answers …` | It is late. | Wait. |
"""


def project(folder: Path, hints: str, **exceptions: str) -> Path:
    """Make a project of one integration that has these messages."""
    texts = folder / "custom_components/irhub/translations/en.json"
    texts.parent.mkdir(parents=True)
    translations: dict[str, Any] = {
        "exceptions": {key: {"message": text} for key, text in exceptions.items()}
    }
    texts.write_text(json.dumps(translations))
    (folder / "docs").mkdir()
    (folder / "docs/troubleshooting.toml").write_text(hints)
    (folder / "docs/troubleshooting.md").write_text(PAGE)
    return folder


def test_the_page_is_up_to_date() -> None:
    assert SCRIPT["main"](ROOT, writes=False) is None


def test_the_page_has_the_messages_and_their_hints(tmp_path: Path) -> None:
    root = project(tmp_path, HINTS, no_hub="No hub named {name}", plain="{error}")
    assert SCRIPT["page"](root) == PAGE
    assert SCRIPT["main"](root, writes=False) is None


def test_a_line_that_was_written_into_the_page_is_named(tmp_path: Path) -> None:
    root = project(tmp_path, HINTS, no_hub="No hub named {name}")
    page = root / "docs/troubleshooting.md"
    page.write_text(f"{PAGE}| `Mine` | By hand. | Nothing. |\n")
    assert "This line would go: | `Mine` | By hand." in SCRIPT["main"](root, writes=False)
    assert SCRIPT["main"](root, writes=True) is None
    assert page.read_text() == PAGE


@pytest.mark.parametrize(
    ("hints", "exceptions", "fault"),
    [
        (HINTS, {"no_hub": "No hub named {name}", "lost": "Lost"}, "not explain exceptions.lost"),
        (HINTS, {}, "exceptions.no_hub is no message of irhub"),
        (HINTS + ROW, {"no_hub": "No hub"}, "exceptions.no_hub is explained twice"),
        (
            HINTS.replace('no_hub"]', 'no_hub", "exceptions.off"]'),
            {"no_hub": "No hub", "off": "Off"},
            "are different messages",
        ),
        (HINTS.replace("Buy", "Buy | rent"), {"no_hub": "No hub"}, "has a line break or a column"),
    ],
)
def test_what_does_not_fit_is_named(
    tmp_path: Path, hints: str, exceptions: dict[str, str], fault: str
) -> None:
    root = project(tmp_path, hints, **exceptions)
    for writes in (False, True):
        assert fault in SCRIPT["main"](root, writes=writes)
    assert (root / "docs/troubleshooting.md").read_text() == PAGE


def test_rows_are_read_from_the_page() -> None:
    for name in NAMES:
        assert len(rows(name)) > len(NAMES)


def test_a_line_of_the_log_without_a_row_is_seen(unexplained: Unexplained) -> None:
    log = logging.getLogger(f"custom_components.{NAMES[0]}.hub")
    log.warning("A listener to the hub %s failed", "192.0.2.1")
    assert not unexplained.lines
    log.warning("Something nobody explains")
    assert unexplained.lines == {"Something nobody explains"}
    unexplained.lines.clear()
