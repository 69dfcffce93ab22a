"""MQTT sensors, many: what their set-up costs, and the memory that each one takes."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
import gc
from pathlib import Path
import resource
import time

from benchmarks.case import Case, Job, Peers
from benchmarks.host import bare, set_up
from benchmarks.messages import DOMAINS, FLOOR, Kind, Wire, check_states, write
from benchmarks.summary import OURS, Row

LARGE = 10_000
PLAIN = Kind(name="plain", config={})


def _memory() -> int:
    """Return the bytes of memory this process has in use."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


async def _run(sensors: int, job: Job) -> Mapping[str, float]:
    # Once with a single sensor: the integration's code is loaded then, and not counted.
    await _set_up(job.inside("first"), 1)
    return await _set_up(job.inside("all"), 20 if job.tiny else sensors)


async def _set_up(job: Job, count: int) -> Mapping[str, float]:
    write(job, PLAIN.yaml(count))
    async with bare(job.folder) as hass:
        before = _memory()
        start = time.process_time()
        await set_up(hass, DOMAINS)
        await Wire(hass, job.peers).until_subscribed()
        cpu = time.process_time() - start
        check_states(hass, PLAIN, count, "unknown")
        memory = _memory() - before
    return {"cpu": cpu / count * 1e6, "memory": memory / count}


def _case(sensors: int) -> Case:
    run: Callable[[Job], Awaitable[Mapping[str, float]]] = partial(_run, sensors)
    return Case(
        name=f"mqtt-setup-{sensors}",
        what=f"set-up of {sensors:,} MQTT binary sensors",
        run=run,
        rows=(
            Row(key="cpu", what="CPU per sensor", unit="µs", target={"core": 1.0}),
            Row(key="memory", what="memory per sensor", unit="B", target={"core": 1.0}),
        ),
        # The floor only once: with 10,000 sensors it takes its time.
        sides=(OURS, "core") if sensors == LARGE else (OURS, "core", FLOOR),
        peers=Peers(broker=True),
    )


CASES = (_case(1_000), _case(LARGE))
