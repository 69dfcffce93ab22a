"""`scripts/demo` as a process: what it starts ends with it, however it ends."""

import asyncio
from collections.abc import AsyncGenerator, Callable
import contextlib
from dataclasses import dataclass
from http import HTTPStatus
import os
from pathlib import Path
import re
import signal

import aiohttp
import pytest

from demo.host import HOST_PYTHON, ROOT, Host
from virtual_home.home import Home

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads Linux's /proc"),
]

START_TIMEOUT_S = 180
END_TIMEOUT_S = 60


@dataclass
class Demo:
    """A running `scripts/demo --serve`, in a session of its own."""

    process: asyncio.subprocess.Process
    output: str = ""

    async def until(self, text: str) -> None:
        """Read what it prints until that shows."""
        assert self.process.stdout
        async with asyncio.timeout(START_TIMEOUT_S):
            while not re.search(text, self.output):
                line = await self.process.stdout.readline()
                assert line, f"the demo ended, having printed:\n{self.output}"
                self.output += line.decode()

    async def ctrl_c(self) -> int:
        """Interrupt it and what it started, as a terminal does, and return its exit code."""
        os.killpg(self.process.pid, signal.SIGINT)
        return await self.process.wait()

    async def has_started_another(self) -> None:
        """Wait until a process of its own runs beside it."""
        await self._until_processes(lambda number: number > 1)

    async def leaves_nothing(self) -> None:
        """Wait until nothing runs in its session."""
        await self._until_processes(lambda number: number == 0)

    async def _until_processes(self, enough: Callable[[int], bool]) -> None:
        async with asyncio.timeout(END_TIMEOUT_S):
            while not enough(await asyncio.to_thread(self._processes)):  # noqa: ASYNC110  (nothing tells)
                await asyncio.sleep(0.1)

    def _processes(self) -> int:
        return sum(session_of(stat) == self.process.pid for stat in Path("/proc").glob("*/stat"))


def session_of(stat: Path) -> int | None:
    """Return the session of a running process, from its /proc/PID/stat."""
    try:
        # after the program's name, which may hold anything: state, parent, group, session …
        state, _, _, session, *_ = stat.read_text().rpartition(")")[2].split()
    except OSError, ValueError:
        return None
    return None if state == "Z" else int(session)


def files_in(folder: Path) -> list[Path]:
    """Return what is left there."""
    return [*folder.iterdir()]


@contextlib.asynccontextmanager
async def demo(folder: Path) -> AsyncGenerator[Demo]:
    """Start a demo whose temporary files go to `folder`; kill it if it still runs at the end."""
    process = await asyncio.create_subprocess_exec(
        *(HOST_PYTHON, "-m", "demo", "--serve"),
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        yield Demo(process)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def test_kill_leaves_no_process(tmp_path: Path) -> None:
    async with demo(tmp_path) as running:
        await running.until("Home Assistant .* runs at")
        await running.has_started_another()
        running.process.kill()
        await running.process.wait()
        await running.leaves_nothing()


async def test_sigterm_leaves_nothing(tmp_path: Path) -> None:
    async with demo(tmp_path) as running:
        await running.until("Home Assistant .* runs at")
        running.process.terminate()
        assert await running.process.wait() == 0
        await running.leaves_nothing()
    assert files_in(tmp_path) == []


async def test_ctrl_c_while_starting_leaves_nothing(tmp_path: Path) -> None:
    async with demo(tmp_path) as running:
        await running.until("The virtual home is running")
        await running.has_started_another()
        assert await running.ctrl_c() == 0
        await running.leaves_nothing()
    assert files_in(tmp_path) == []


async def test_two_at_once_see_every_step_until_ctrl_c(tmp_path: Path) -> None:
    async with demo(tmp_path) as first, demo(tmp_path) as other:
        for running in first, other:
            await running.until(r"All \d+ steps were seen")
            await running.until("Ctrl-C ends it")
        for running in first, other:
            assert await running.ctrl_c() == 0
            await running.leaves_nothing()
    assert files_in(tmp_path) == []


async def test_an_upload_outlives_another_host(host: Host, home: Home) -> None:
    await upload(host)
    async with Host(ROOT / "demo", home.secrets()) as other:
        await upload(other)
    await upload(host)


async def upload(host: Host) -> None:
    """Upload a file to Home Assistant."""
    file = aiohttp.FormData()
    file.add_field("file", b"{}", filename="codes.json")
    headers = {"Authorization": f"Bearer {host.token}"}
    async with (
        aiohttp.ClientSession(host.url, headers=headers) as browser,
        browser.post("/api/file_upload", data=file) as reply,
    ):
        assert reply.status == HTTPStatus.OK
