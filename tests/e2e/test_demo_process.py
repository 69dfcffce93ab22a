"""`scripts/demo` as a process: what it starts ends with it, however it ends."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
import contextlib
from dataclasses import dataclass
from pathlib import Path
import re
import signal

import aiohttp
import pytest

from demo.host import HOST_PYTHON, ROOT

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads Linux's /proc"),
]

START_TIMEOUT_S = 180
END_TIMEOUT_S = 60


@dataclass
class Demo:
    """A running `scripts/demo --serve`."""

    process: asyncio.subprocess.Process
    output: str = ""

    async def until(self, pattern: str) -> re.Match[str]:
        """Read what it prints until that shows."""
        assert self.process.stdout
        async with asyncio.timeout(START_TIMEOUT_S):
            while not (found := re.search(pattern, self.output)):
                line = await self.process.stdout.readline()
                assert line, f"the demo ended, having printed:\n{self.output}"
                self.output += line.decode()
        return found

    async def family(self) -> set[int]:
        """The processes that are its children, or theirs."""
        return await asyncio.to_thread(lambda: set(descendants(self.process.pid)))


def descendants(pid: int) -> Iterator[int]:
    """The children of a process, and theirs."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[1]) == pid:
                child = int(stat.parent.name)
                yield child
                yield from descendants(child)


@contextlib.asynccontextmanager
async def demo() -> AsyncGenerator[Demo]:
    """Start a demo; kill it if it still runs at the end."""
    process = await asyncio.create_subprocess_exec(
        HOST_PYTHON, "-m", "demo", "--serve", cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    try:
        yield Demo(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def gone(pids: set[int]) -> None:
    """Wait until none of these processes runs."""
    async with asyncio.timeout(END_TIMEOUT_S):
        while left := [pid for pid in pids if Path(f"/proc/{pid}").exists()]:
            await asyncio.sleep(0.1)
    assert not left


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
async def test_nothing_outlives_the_demo(number: signal.Signals) -> None:
    async with demo() as running:
        await running.until("Home Assistant .* runs at")
        family = await running.family()
        assert family
        running.process.send_signal(number)
        await running.process.wait()
        await gone(family)


async def test_nothing_outlives_a_demo_that_was_still_starting() -> None:
    async with demo() as running:
        await running.until("The virtual home is running")
        async with asyncio.timeout(START_TIMEOUT_S):
            while not (family := await running.family()):
                await asyncio.sleep(0.05)
        running.process.send_signal(signal.SIGINT)
        await running.process.wait()
        await gone(family)


async def test_two_demos_at_once() -> None:
    async with demo() as one, demo() as other, aiohttp.ClientSession() as session:
        urls = [(await it.until(r"runs at (\S+) "))[1] for it in (one, other)]
        assert urls[0] != urls[1]
        for url in urls:
            async with session.get(f"{url}/manifest.json") as reply:
                assert reply.ok
