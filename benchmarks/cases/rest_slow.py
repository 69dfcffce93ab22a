"""200 REST sensors on 200 resources of a host that takes 200 ms for each reply."""

import asyncio
import contextlib
import time

from benchmarks.case import Case, Job
from benchmarks.clock import StallWatch, running_loop
from benchmarks.control import ask
from benchmarks.host import home_assistant
from benchmarks.polling import INTERVAL_S, is_updated, until_updated
from benchmarks.summary import Row

RESOURCES = 200
DELAY_S = 0.2


async def _run(job: Job) -> dict[str, float]:
    count = 10 if job.tiny else RESOURCES
    config = {
        "sensor": [
            {
                "platform": "rest",
                "name": f"slow {number}",
                "resource": f"{job.peers.url}/late/{number}",
                "value_template": "{{ value_json.temperature }}",
            }
            for number in range(count)
        ]
    }
    sensors = [f"sensor.slow_{number}" for number in range(count)]
    await ask(job.peers, "delay", seconds=0)
    async with home_assistant(job, "rest", config, ["rest", "sensor"]) as hass:
        await until_updated(hass, sensors, 0)
        await ask(job.peers, "delay", seconds=DELAY_S)
        mark = time.time()
        with StallWatch() as watch:
            running_loop().skip(INTERVAL_S)
            watch.restart()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(INTERVAL_S):
                    await until_updated(hass, sensors, mark)
        took = time.time() - mark
        updated = sum(is_updated(hass, sensor, mark) for sensor in sensors)
        return {
            "updated": updated,
            "took": took,
            "stall": watch.worst * 1000,
            "busy": watch.busiest * 1000,
        }


CASE = Case(
    name="rest-slow",
    what="200 REST sensors on 200 resources of one host that answers after 200 ms",
    run=_run,
    rows=(
        Row(
            key="updated",
            what="sensors updated within one interval of 30 s",
            unit="",
            target={"core": 1.0},
            more_is_better=True,
        ),
        Row(key="took", what="until all were updated", unit="s"),
        Row(key="stall", what="worst event-loop stall", unit="ms", limit=50),
        Row(
            key="busy",
            what="longest work of the event loop at a stretch",
            unit="ms",
            target={"core": 1.0},
        ),
    ),
)
