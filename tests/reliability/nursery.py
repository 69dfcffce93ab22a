"""Fork child processes that are killed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
import json
from pathlib import Path
import sys
from typing import Any

from tests.files import ROOT
from virtual_home.hub import VirtualHub


class Nursery:
    """A process with everything imported, so that each forked child is ready immediately."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def say(self) -> dict[str, Any] | None:
        """Return the next value printed by a child; None when it is dead."""
        assert self._process.stdout is not None
        async with asyncio.timeout(60):
            line = await self._process.stdout.readline()
        assert line, "the nursery died"
        report: dict[str, Any] = json.loads(line)
        return None if "dead" in report else report

    async def fork(self) -> int:
        """Start a Home Assistant; return its process id."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"\n")
        report = await self.say()
        assert report is not None
        return int(report["pid"])


@asynccontextmanager
async def nursery(config_dir: Path, hub: VirtualHub) -> AsyncIterator[Nursery]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.reliability.crash_child",
        str(config_dir),
        hub.host,
        str(hub.port),
        hub.mac,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    try:
        yield Nursery(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()  # the nursery ends with its input
        await process.wait()
