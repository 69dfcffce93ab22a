"""A REST sensor that polls 0.3 MiB every 5 s for 10 minutes: memory afterwards.

The 120 polls follow each other immediately. That is valid, because garbage collections depend on
allocations, not on time.
"""

import gc

from benchmarks.case import Case, Job
from benchmarks.host import home_assistant
from benchmarks.memory import resident
from benchmarks.polling import poll, until_updated
from benchmarks.summary import OURS, Row

SIZE = 314_573
INTERVAL_S = 5
MINUTES = 10
IDLE = "nothing polled"
ALIKE = 0.95


async def _run(job: Job) -> dict[str, float]:
    sensor = {
        "platform": "rest",
        "name": "large",
        "resource": f"{job.peers.url}/changing/{SIZE}",
        "scan_interval": INTERVAL_S,
        "value_template": "{{ value_json.temperature }}",
        "json_attributes": ["turn", "humidity"],
    }
    config = {"sensor": [] if job.side == IDLE else [sensor]}
    sensors = [] if job.side == IDLE else ["sensor.large"]
    async with home_assistant(job, "rest", config, ["rest", "sensor"]) as hass:
        await until_updated(hass, sensors, 0)
        before = _collections()
        cycles = 2 if job.tiny else MINUTES * 60 // INTERVAL_S
        await poll(hass, sensors, cycles, INTERVAL_S)
        collections = _collections() - before
        values = {"objects": float(len(gc.get_objects())), "resident": resident() / 1024**2}
        if job.side != IDLE:
            values["collections"] = collections / (cycles * INTERVAL_S / 60)
        return values


def _collections() -> int:
    return sum(generation["collections"] for generation in gc.get_stats())


CASE = Case(
    name="rest-memory",
    what="10 minutes of polling 0.3 MiB every 5 s, one REST sensor",
    run=_run,
    rows=(
        Row(
            key="collections",
            what="garbage collections per minute",
            unit="",
            target={"core": ALIKE},
        ),
        Row(
            key="objects",
            what="objects alive or not yet collected",
            unit="",
            target={"core": ALIKE},
        ),
        Row(
            key="resident",
            what="memory of Home Assistant",
            unit="MiB",
            target={"core": ALIKE},
        ),
    ),
    sides=(OURS, "core", IDLE),
    most_pairs=3,
)
