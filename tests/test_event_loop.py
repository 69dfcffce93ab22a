"""The checks of the event loop that every test runs on."""

import asyncio
from collections.abc import Callable
from functools import partial
import time

import pytest


async def nothing() -> None:
    """Do nothing."""


@pytest.mark.parametrize("method", ["call_soon", "call_later", "create_task"])
async def test_another_thread_may_not_call_it(method: str) -> None:
    loop = asyncio.get_running_loop()
    coroutine = nothing()
    arguments = {"call_soon": (print,), "call_later": (0, print), "create_task": (coroutine,)}
    with pytest.raises(RuntimeError, match="another thread"):
        await asyncio.to_thread(getattr(loop, method), *arguments[method])
    coroutine.close()


@pytest.mark.parametrize("callback", [nothing, partial(nothing)], ids=["function", "partial"])
async def test_it_calls_no_coroutine_function(callback: Callable[[], object]) -> None:
    loop = asyncio.get_running_loop()
    for schedule in (loop.call_soon, loop.call_soon_threadsafe, partial(loop.call_later, 0)):
        with pytest.raises(TypeError, match="coroutine function"):
            schedule(callback)
    with pytest.raises(TypeError, match="coroutine function"):
        await loop.run_in_executor(None, callback)


async def test_what_threads_may_do_is_done() -> None:
    loop, done = asyncio.get_running_loop(), asyncio.Event()
    assert await loop.run_in_executor(None, time.monotonic) > 0
    await asyncio.to_thread(loop.call_soon_threadsafe, done.set)
    await asyncio.wait_for(done.wait(), 5)
