"""A child process dies with its parent."""

import asyncio
import sys

import pytest

from tests.files import ROOT

PARENT = """
import subprocess, sys, time
from virtual_home.process import die_with_parent
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"], preexec_fn=die_with_parent)
print("started", flush=True)
time.sleep(30)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems offer no such thing")
async def test_a_killed_parent_takes_its_child_along() -> None:
    parent = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PARENT),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    assert parent.stdout
    try:
        assert await parent.stdout.readline() == b"started\n"
    finally:
        parent.kill()
    await parent.wait()
    async with asyncio.timeout(10):
        assert await parent.stdout.read() == b""  # the child held the other end
