"""Work that outlives its caller."""

import asyncio
import logging

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
import pytest

from common.finish import finish


async def test_the_caller_gets_the_result_or_the_error(hass: HomeAssistant) -> None:
    async def work() -> int:
        await asyncio.sleep(0)
        return 3

    async def fail() -> None:
        await asyncio.sleep(0)
        raise HomeAssistantError("No such command")

    assert await finish(hass, work(), "work") == 3
    with pytest.raises(HomeAssistantError, match="No such command"):
        await finish(hass, fail(), "work")


async def test_work_continues_without_its_caller_and_logs_its_error(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    going_on = asyncio.Event()
    ended = asyncio.Event()

    async def fail() -> None:
        await going_on.wait()
        ended.set()
        raise HomeAssistantError("No such command")

    caplog.set_level(logging.INFO)
    caller = asyncio.create_task(finish(hass, fail(), "irhub: write"))
    await asyncio.sleep(0)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert not ended.is_set()
    going_on.set()
    await hass.async_block_till_done()
    assert ended.is_set()
    assert "irhub: write: No such command" in caplog.text
    assert "Traceback" not in caplog.text


async def test_an_unexpected_error_is_logged_with_its_traceback(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail() -> None:
        await asyncio.sleep(0)
        raise ZeroDivisionError

    caller = asyncio.create_task(finish(hass, fail(), "irhub: write"))
    await asyncio.sleep(0)
    caller.cancel()
    await hass.async_block_till_done()
    assert "irhub: write failed" in caplog.text
    assert "Traceback" in caplog.text
