"""200 reloads and 1,000 failed polls leave no task, timer, socket or memory behind."""

import asyncio
from collections.abc import Awaitable, Callable
import gc
from itertools import cycle
import logging
from pathlib import Path
import sys

from homeassistant.const import STATE_UNAVAILABLE, Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import async_get_platforms
from homeassistant.util.async_ import get_scheduled_timer_handles
import pytest

from custom_components.rest.polling.coordinator import async_coordinators
from tests.rest.home import RestHome

pytestmark = pytest.mark.reliability

RELOADS = 200
FAILED_POLLS = 1_000
GROWTH = 900  # blocks of memory, fewer than failed polls: room for the interpreter's own caches
FAILURES = ("/status/500", "/fault/reset", "/fault/half", "/fault/garbage", "/redirect/11")


def kept(home: RestHome) -> int:
    """Return the blocks of memory in use, without what the endpoint remembers."""
    home.endpoint.requests.clear()
    gc.collect()
    return sys.getallocatedblocks()


def let_go_of_cores(hass: HomeAssistant) -> None:
    """Drop what Home Assistant 2026.7 itself leaves behind with each `rest.reload`.

    Its handler sets up `notify` anew, which makes another entity platform and forgets the former.
    """
    del async_get_platforms(hass, Platform.NOTIFY)[:-1]


def at_rest(hass: HomeAssistant) -> tuple[int, int, int]:
    """Return how many tasks, timers of ours and open files there are."""
    timers = [
        timer
        for timer in get_scheduled_timer_handles(hass.loop)
        if "RestCoordinator._start_poll" in repr(timer) and not timer.cancelled()
    ]
    return len(asyncio.all_tasks()), len(timers), len(list(Path("/proc/self/fd").iterdir()))


async def no_growth(home: RestHome, work: Callable[[], Awaitable[None]], times: int) -> None:
    """Work, and end with no more than after the first tenth of it."""
    home.hass.loop.set_debug(False)  # it keeps the source of all that it ever ran
    for _ in range(times // 10):
        await work()
    before = await calm(home)
    memory = kept(home)
    for _ in range(times - times // 10):
        await work()
    after = await calm(home, before)
    growth = kept(home) - memory
    assert all(now <= then for now, then in zip(after, before, strict=True)), (before, after)
    assert growth < GROWTH


async def calm(home: RestHome, expected: tuple[int, ...] = (0, 0, 0)) -> tuple[int, ...]:
    """Return the counts at rest, at best what is expected, a while later."""
    counts: tuple[int, ...] = ()
    for _ in range(40):
        await asyncio.sleep(0.05)
        gc.collect()
        counts = at_rest(home.hass)
        if all(now <= then for now, then in zip(counts, expected, strict=True)):
            break
    return counts


@pytest.fixture(name="quiet", autouse=True)
def quiet_fixture(rest_home: RestHome, caplog: pytest.LogCaptureFixture) -> None:  # noqa: ARG001  (after it)
    """Keep no log records, which would count as memory."""
    caplog.set_level(logging.CRITICAL)


async def test_reloads(rest_home: RestHome) -> None:
    """200 reloads with digest sessions, back-offs, templates and slow polls under way.

    Each changes all entries: what has not changed stays as it is, and can leave nothing behind.
    """
    digest = "  authentication: digest\n  username: user\n  password: pass-word\n"
    timeouts = cycle([20, 40])
    await rest_home.set_up("[]", "rest")

    async def work() -> None:
        timeout = f"  timeout: {next(timeouts)}\n"
        rest_home.write(
            "sensor:\n"
            f"- platform: rest\n  resource: URL/digest\n  name: a\n{digest}{timeout}"
            f"- platform: rest\n  resource: URL/status/500\n  name: b\n{timeout}"
            f"- platform: rest\n  resource: URL/slow/30\n  name: c\n{timeout}"
            f"- platform: rest\n  resource_template: URL/{{{{ 'values' }}}}\n  name: d\n{timeout}",
        )
        await rest_home.hass.services.async_call("rest", "reload", blocking=True)
        await rest_home.state(lambda state: "counter" in state.state, "sensor.d")
        let_go_of_cores(rest_home.hass)

    await no_growth(rest_home, work, RELOADS)
    assert len(async_coordinators(rest_home.hass).active()) == 4


async def test_failed_polls(rest_home: RestHome) -> None:
    """1,000 failed polls, of every kind."""
    await rest_home.set_up(
        "".join(
            f"- platform: rest\n  resource: URL{path}\n  name: s{number}\n  scan_interval: 3600\n"
            for number, path in enumerate(FAILURES)
        )
    )
    names = [f"sensor.s{number}" for number in range(len(FAILURES))]
    for name in names:
        await rest_home.state(STATE_UNAVAILABLE, name)

    async def work() -> None:
        await rest_home.update(*names)

    await no_growth(rest_home, work, FAILED_POLLS // len(FAILURES))
    polled = sum(
        coordinator.failures for coordinator in async_coordinators(rest_home.hass).active()
    )
    assert polled >= FAILED_POLLS
