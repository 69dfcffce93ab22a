"""A week in minutes: Home Assistant's time leapt over, every poll and message lived through."""

import gc
import logging
from statistics import linear_regression
import sys
from types import SimpleNamespace
from typing import Any

from homeassistant.components import network
from homeassistant.core import HomeAssistant
from homeassistant.helpers.storage import Store
import pytest

from custom_components.irhub.hub import connection
from tests.mqtt_binary.home import MqttHome

from .virtual_time import leaping
from .whole_home import Lines, WholeHome

pytestmark = pytest.mark.reliability

DAYS = 7
HOURS = 24
MOST_LINES = 200
SPARE = 0.01
"""Share of the objects and blocks of memory after the second day that may come to them: repairs of
moved hubs, for instance. The first day includes what is imported and cached once."""
MOST_PER_DAY = (100, 300)
"""Objects and blocks of memory that a day may add on average. Measured: 9 to 33 and 130, which are
two repairs of moved hubs, lines that this test counts, and session keys that virtual hubs keep."""


@pytest.fixture(autouse=True)
def interface(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let broadcasts go out on the loopback interface."""
    adapters = [{"enabled": True, "ipv4": [{"address": "127.0.0.1", "network_prefix": 8}]}]

    async def all_adapters(_hass: HomeAssistant) -> list[dict[str, Any]]:
        return adapters  # no mock: it would remember each call

    monkeypatch.setattr(network, "async_get_adapters", all_adapters)


@pytest.fixture(autouse=True)
def rare_hellos(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let hubs be greeted every ten minutes: every 30 s would be half of the test's time."""
    monkeypatch.setattr(connection, "KEEP_ALIVE_S", 600)


def held(home: WholeHome) -> tuple[int, int]:
    """Return how many objects and blocks of memory there are."""
    home.forget()
    writes: Any = Store._async_write_data  # noqa: SLF001  (the test package's mock, which remembers)
    writes.reset_mock()
    gc.collect()
    return len(gc.get_objects()), sys.getallocatedblocks()


async def test_a_week(
    mqtt_home: MqttHome, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """All is right at the end, memory does not grow, and the log can be read."""
    hass = mqtt_home.hass
    hass.loop.set_debug(False)  # it would keep the source of all that ever ran
    lines = Lines()
    with leaping(hass) as clock:
        for domain in ("rest", "mqtt_binary", "irhub"):  # what is said once an hour
            monkeypatch.setattr(
                f"custom_components.{domain}._common.log_once.time",
                SimpleNamespace(monotonic=clock.time),
            )
        days = []
        async with WholeHome(mqtt_home, clock) as home:
            # In place of pytest's handlers, which would remember everything.
            monkeypatch.setattr(logging.root, "handlers", [lines])
            caplog.set_level(logging.WARNING)  # as Home Assistant does
            for _ in range(DAYS):
                for _ in range(HOURS):
                    await home.live_an_hour()
                assert not home.wrong()
                days.append(held(home))
    baseline, *later = days[1:]
    counts_by_day = zip(*days[1:], strict=True)
    growth = [linear_regression(range(1, DAYS), counts).slope for counts in counts_by_day]
    logged = lines.count.total()
    figures = f"objects, blocks of memory: {days}; per day {growth}; {logged} lines in the log"
    print(figures)  # noqa: T201  (a log of the run shows them)
    assert all(now < then * (1 + SPARE) for now, then in zip(later[-1], baseline, strict=True)), (
        days
    )
    assert all(slope < most for slope, most in zip(growth, MOST_PER_DAY, strict=True)), days
    assert logged < MOST_LINES, lines.count
