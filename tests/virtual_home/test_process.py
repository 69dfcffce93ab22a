"""A child process dies with its parent."""

import asyncio
import os
from pathlib import Path
import sys

import pytest

from tests.files import ROOT

PARENT = """
import shutil, sys, time
from virtual_home.process import start_program
if sys.argv[1] == "without setpriv":
    shutil.which = lambda _: None
child = "import sys, time; file = open(sys.argv[1], 'w'); print('started', file=file, flush=True)"
start_program([sys.executable, "-c", child + "; time.sleep(30)", sys.argv[2]])
time.sleep(30)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems offer no such thing")
@pytest.mark.parametrize("way", ["as it is", "without setpriv"])
async def test_a_killed_parent_takes_its_child_along(tmp_path: Path, way: str) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    parent = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PARENT, way, pipe), cwd=ROOT
    )
    file = await asyncio.to_thread(pipe.open)
    with file:
        try:
            assert await asyncio.to_thread(file.readline) == "started\n"
        finally:
            parent.kill()
        await parent.wait()
        async with asyncio.timeout(10):
            assert await asyncio.to_thread(file.read) == ""  # the child held the other end
