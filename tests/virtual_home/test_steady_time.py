"""The clock of tests that stands still while other processes have the machine."""

import asyncio
import time

import pytest

from tests.reliability.virtual_time import steady

TIMEOUT_S = 0.5


async def work_on_a_busy_machine() -> None:
    async with asyncio.timeout(TIMEOUT_S):
        time.sleep(2 * TIMEOUT_S)  # noqa: ASYNC251  (as if another process had the machine)
        await asyncio.sleep(TIMEOUT_S / 5)


async def test_no_timeout_expires_on_a_busy_machine() -> None:
    with pytest.raises(TimeoutError):
        await work_on_a_busy_machine()
    with steady(asyncio.get_running_loop()):
        await work_on_a_busy_machine()


async def test_time_goes_on() -> None:
    loop = asyncio.get_running_loop()
    with steady(loop):
        began, really_began = loop.time(), time.monotonic()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(TIMEOUT_S):
                await asyncio.Event().wait()
        assert loop.time() - began >= TIMEOUT_S
        assert time.monotonic() - really_began >= TIMEOUT_S
