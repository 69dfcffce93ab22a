"""Good guests: ten minutes of each integration change nothing that a user notices."""

import asyncio
import codecs
from collections.abc import Callable
import gc
import json
import logging
import os
from pathlib import Path
import signal
import sys
from typing import Any
import warnings

from homeassistant.core import State
import pytest

from tests.files import ROOT

from .process_state import differences, process_state

pytestmark = pytest.mark.reliability

SPARE = {"collections": 20, "objects": 40_000, "threads": 0, "tasks": 4, "files": 8}
"""More than without the guest: its own code, the polls of one host that are under way, four at
most, both ends of their connections; or a session. A leak of one a poll would be hundreds."""


async def live(folder: Path, domain: str, presence: str) -> dict[str, Any]:
    """Run a Home Assistant in a process of its own, and return what it says in the end."""
    arguments = ("-m", "tests.reliability.guest_child", str(folder), domain, presence)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()[-2000:]
    report: dict[str, Any] = json.loads(out)
    return report


@pytest.mark.parametrize("domain", ["rest", "mqtt_binary", "irhub"])
async def test_a_guest_leaves_the_process_as_it_was(tmp_path: Path, domain: str) -> None:
    without, with_it = await asyncio.gather(
        *(live(tmp_path / presence, domain, presence) for presence in ("without", "with"))
    )
    more = {name: with_it["counts"][name] - without["counts"][name] for name in SPARE}
    print(f"{domain}: {more} more than {without['counts']}")  # noqa: T201  (the figure)
    assert with_it["changed"] == without["changed"] == []
    assert all(more[name] <= spare for name, spare in SPARE.items()), more


def _handle(*_: object) -> None:
    """Do nothing, in place of another."""


THRESHOLD, DUMPS, AS_DICT = gc.get_threshold(), json.dumps, State.as_dict
EXCEPT_HOOK = sys.excepthook
KEPT: list[Any] = []
"""The filters of warnings: pytest has others for each test."""


def _filter_nothing() -> None:
    KEPT.append(warnings.filters)
    warnings.filters = []


BAD: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
    "gc.get_threshold": (lambda: gc.set_threshold(9), lambda: gc.set_threshold(*THRESHOLD)),
    "gc.isenabled": (gc.disable, gc.enable),
    "logger aiohttp.client": (
        lambda: logging.getLogger("aiohttp.client").setLevel(50),
        lambda: logging.getLogger("aiohttp.client").setLevel(0),
    ),
    "signal 10": (
        lambda: signal.signal(signal.SIGUSR1, _handle),
        lambda: signal.signal(signal.SIGUSR1, signal.SIG_DFL),
    ),
    "module json.dumps": (
        lambda: setattr(json, "dumps", _handle),
        lambda: setattr(json, "dumps", DUMPS),
    ),
    "module homeassistant.core.State.as_dict": (
        lambda: setattr(State, "as_dict", _handle),
        lambda: setattr(State, "as_dict", AS_DICT),
    ),
    "codecs.register": (lambda: codecs.register(_handle), lambda: codecs.unregister(_handle)),
    "codecs.register_error": (
        lambda: codecs.register_error("replace", _handle),  # type: ignore[arg-type]
        lambda: codecs.register_error("replace", codecs.replace_errors),
    ),
    "warnings.filters": (
        _filter_nothing,
        lambda: setattr(warnings, "filters", KEPT.pop()),
    ),
    "sys.meta_path": (
        lambda: sys.meta_path.append(_handle),  # type: ignore[arg-type]
        sys.meta_path.pop,
    ),
    "module sys.excepthook": (
        lambda: setattr(sys, "excepthook", _handle),
        lambda: setattr(sys, "excepthook", EXCEPT_HOOK),
    ),
    "environment": (
        lambda: os.environ.update(GUEST="bad"),
        lambda: os.environ.pop("GUEST"),
    ),
}


@pytest.mark.parametrize("what", BAD)
async def test_a_bad_guest_would_be_seen(what: str) -> None:
    change, restore = BAD[what]
    logging.getLogger("aiohttp.client")
    gc.unfreeze()  # what is frozen, nobody can list
    before = process_state()
    change()
    try:
        assert what in differences(before, process_state())
    finally:
        restore()
    assert not differences(before, process_state())
