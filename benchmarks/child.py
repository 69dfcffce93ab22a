"""The measured process, forked for each run from one that has imported Home Assistant."""

import asyncio
from multiprocessing.connection import Connection
import sys
import traceback

from aiohttp import connector

from .case import Job, Round, Values
from .cases import CASES
from .clock import SkippingLoop
from .host import log_of


def run(connection: Connection, name: str, job: Job) -> None:
    """Run one side once. Send the values, or a text that describes the failure."""
    # As on a user's host: integrations are compiled once, not at each start.
    sys.dont_write_bytecode = False
    answer: Values | list[Round] | str
    try:
        with asyncio.Runner(loop_factory=SkippingLoop) as runner:
            # The HTTP client must use the same clock for the age of its connections: it keeps
            # them for 15 s, sensors poll every 30 s.
            connector.monotonic = runner.get_loop().time  # type: ignore[attr-defined]  # imported there
            answer = runner.run(CASES[name].run(job))
    except Exception:  # noqa: BLE001  (handed to the parent, whatever it was)
        answer = f"{traceback.format_exc()}\n{log_of(job.folder)}"
    connection.send(answer)
    connection.close()
