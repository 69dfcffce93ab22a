"""Hubs by the hundred, half of them silent; leaps of time; a thousand failed polls."""

import asyncio
from collections import Counter
from contextlib import AsyncExitStack, suppress
import logging
import time
import tracemalloc

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util import dt as dt_util
import pytest

from tests.home import Notices, until
from tests.irhub.home import HDMI, NEC, POWER, RC5, entry, our_status, send, set_up
from virtual_home.hub import VirtualHub

from .fleet import living
from .hubs import MeddledHub, available, outcome
from .virtual_time import leaping

pytestmark = pytest.mark.reliability

HUBS = 250
POLL_S = 60
MINUTES = 10
FAILED_POLLS = 1000
SPARE_BYTES = 1_000_000
"""Far less than a kilobyte per poll, and more than what caches take."""


async def test_250_hubs_half_of_them_silent_for_ten_minutes(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    """The living are polled on time, the silent cost one warning and few datagrams each."""
    caplog.set_level(logging.INFO)
    async with AsyncExitStack() as stack:
        hubs = [
            await stack.enter_async_context(
                VirtualHub("rm_pro", mac=f"34:EA:34:00:{number // 256:02X}:{number % 256:02X}")
            )
            for number in range(HUBS)
        ]
        silent, alive = hubs[::2], hubs[1::2]
        for hub in silent:
            hub.faults.silent = True
        with leaping(hass) as clock:
            began = clock.now
            await set_up(
                hass,
                "sensor",
                *(
                    entry(
                        hub,
                        timeout=5,
                        name=f"hub {number}",
                        monitored_conditions=["temperature"],
                        scan_interval=POLL_S,
                    )
                    for number, hub in enumerate(hubs)
                ),
            )
            await asyncio.sleep(MINUTES * 60 - (clock.now - began) + 1)
            assert all(available(hass, hub) for hub in alive)
            assert not any(available(hass, hub) for hub in silent)
            assert {hub.count("state") for hub in alive} <= {MINUTES, MINUTES + 1}
            # Each attempt says hello once a second for five seconds, and they grow rarer.
            assert max(hub.arrived for hub in silent) <= 5 * (5 + MINUTES)
            before = clock.now
            await send(hass, alive[0], RC5)
            assert clock.now - before < 1
            assert await outcome(send(hass, silent[0], RC5)) is not None
            assert clock.now - before < 7
            for hub in silent:
                hub.faults.silent = False
            await asyncio.sleep(70)
            assert all(available(hass, hub) for hub in hubs)
    logged = Counter(
        record.levelname
        for record in caplog.records
        if record.name.startswith("custom_components.irhub") and record.levelno >= logging.INFO
    )
    assert logged == {"WARNING": len(silent), "INFO": len(silent)}


@pytest.mark.parametrize("step", [3600, -3600])
async def test_a_clock_step_changes_nothing(
    hass: HomeAssistant,
    notices: Notices,
    monkeypatch: pytest.MonkeyPatch,
    step: int,
) -> None:
    """The wall clock jumps by an hour while a hub learns, while it sends, and between polls."""
    async with MeddledHub() as hub:
        await set_up(
            hass, "sensor", entry(hub, monitored_conditions=["temperature"], scan_interval=POLL_S)
        )
        await until(lambda: hub.count("state") == 1)
        real_time, real_utcnow = time.time, dt_util.utcnow
        offset = 0
        monkeypatch.setattr(time, "time", lambda: real_time() + offset)
        monkeypatch.setattr(
            dt_util,
            "utcnow",
            lambda: dt_util.utc_from_timestamp(real_utcnow().timestamp() + offset),
        )
        learning = asyncio.create_task(
            hass.services.async_call(
                "irhub", "learn", {"host": hub.host}, blocking=True, return_response=True
            )
        )
        await until(lambda: notices.text)
        offset = step
        await hub.press_when_listening(POWER)
        response = await learning
        assert response is not None
        assert response["hex"] == POWER.hex()
        hub.faults.slow = 0.3
        sending = asyncio.create_task(send(hass, hub, NEC))
        await hub.until(lambda: hub.transmitted == [HDMI])
        offset = 0
        await sending
        hub.faults.clear()
        polls = hub.count("state")
        with leaping(hass):
            for round_, jump in enumerate((step, 0, step), 1):
                offset = jump
                await asyncio.sleep(POLL_S + 1)
                assert hub.count("state") == polls + round_
        assert available(hass, hub)
        assert hub.transmitted == [HDMI]
        for jump in (step, 0):  # between two transmissions
            offset = jump
            async with asyncio.timeout(5):
                await send(hass, hub, NEC)
        assert hub.transmitted == 3 * [HDMI]


async def test_a_machine_that_was_suspended_goes_on(hass: HomeAssistant) -> None:
    """An hour without a turn of the loop: what was due in it is done once, and nothing twice."""
    async with MeddledHub() as hub:
        await set_up(
            hass, "sensor", entry(hub, monitored_conditions=["temperature"], scan_interval=POLL_S)
        )
        await until(lambda: hub.count("state") == 1)
        with leaping(hass) as clock:
            for hours in range(1, 4):
                hub.faults.slow = 0.3
                sending = asyncio.create_task(send(hass, hub, NEC))
                await hub.until(lambda: hub.count("send") == hours)  # noqa: B023
                clock.now += 3600
                with suppress(HomeAssistantError):  # nobody knows whether it was confirmed
                    await sending
                hub.faults.clear()
                await until(lambda: available(hass, hub))
                polls = hub.count("state")
                await asyncio.sleep(POLL_S + 1)
                assert polls < hub.count("state") <= polls + 2
                assert hub.transmitted == [HDMI] * hours
            await send(hass, hub, NEC)
        assert hub.transmitted == [HDMI] * 4


async def test_1000_failed_polls_leave_nothing_behind(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)  # what pytest remembers of the log is no leak of ours
    async with VirtualHub("rm_pro") as hub:
        await set_up(
            hass, "sensor", entry(hub, monitored_conditions=["temperature"], scan_interval=POLL_S)
        )
        await until(lambda: hub.count("state") == 1)
        coordinator = our_status(hass, hub)
        hub.faults.errors = [-4] * 2 * FAILED_POLLS
        with leaping(hass):
            await asyncio.sleep(20 * POLL_S)
            tracemalloc.start()
            try:
                await asyncio.sleep(2 * POLL_S)
                before, size = living(hass), tracemalloc.get_traced_memory()[0]
                await asyncio.sleep(FAILED_POLLS * POLL_S)
                after, grown = living(hass), tracemalloc.get_traced_memory()[0] - size
            finally:
                tracemalloc.stop()
        assert coordinator.data.missed >= FAILED_POLLS
        assert all(now <= then + 2 for now, then in zip(after, before, strict=True)), (
            before,
            after,
        )
        assert grown < SPARE_BYTES
