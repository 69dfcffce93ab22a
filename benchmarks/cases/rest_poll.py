"""REST sensors: cost of a poll by size of the reply, and number of requests."""

from collections.abc import AsyncGenerator, Mapping, Sequence
import contextlib
from functools import partial

from homeassistant.core import HomeAssistant

from benchmarks.case import Case, Job
from benchmarks.control import ask
from benchmarks.host import home_assistant
from benchmarks.polling import WARM_UP, cost_of_interval, cpu_per_cycle, until_updated, worst_stall
from benchmarks.summary import Row

SENSORS = 20
INTERVAL_S = 30
KEPT_INTERVAL_S = 10  # Home Assistant keeps a connection for 15 s
CYCLES = {"/changing/1000": 40, "/changing/100000": 15, "/changing/1000000": 4}
CYCLES_OF_ONE = 300
LARGE = {  # one changing reply: its size, path and cycles
    "0.3 MiB": ("/changing/314573", 12),
    "2 MiB": ("/changing/2097152", 5),
    "4 MiB": ("/changing/4194304", 3),
    "8 MiB": ("/changing/8388608", 3),
}


def _sensors(path: str, count: int) -> dict[str, dict[str, object]]:
    """Return sensors by entity id."""
    slug = path.strip("/").replace("/", "_")
    return {
        f"sensor.{slug}_{count}_{number}": {
            "name": f"{slug} {count} {number}",
            "value_template": "{{ value_json.temperature }}",
            "json_attributes": ["turn", "humidity"],
        }
        for number in range(count)
    }


def _config(
    url: str, sensors: Mapping[str, Mapping[str, object]], every: int, *, block: bool
) -> dict[str, object]:
    request = {"resource": url, "scan_interval": every}
    if block:
        return {"rest": [{**request, "sensor": list(sensors.values())}]}
    return {"sensor": [{"platform": "rest", **request, **sensor} for sensor in sensors.values()]}


@contextlib.asynccontextmanager
async def _polled(
    job: Job, path: str, count: int, *, block: bool = False, every: int = INTERVAL_S
) -> AsyncGenerator[tuple[HomeAssistant, Sequence[str]]]:
    """Yield a Home Assistant with `count` sensors on one path, which have a value."""
    sensors = _sensors(path, count)
    job = job.inside(path.strip("/").replace("/", "_") + f"_{count}")
    config = _config(f"{job.peers.url}{path}", sensors, every, block=block)
    async with home_assistant(job, "rest", config, ["rest", "sensor"]) as hass:
        await until_updated(hass, list(sensors), 0)
        yield hass, list(sensors)


async def _measure(
    job: Job, path: str, count: int, cycles: int, interval: float, *, block: bool
) -> tuple[float, float]:
    """Return CPU milliseconds and requests per cycle."""
    async with _polled(job, path, count, block=block) as (hass, sensors):
        before = await ask(job.peers, "count")
        cpu = await cpu_per_cycle(hass, sensors, cycles, interval)
        # do not count the control's own request
        requests = (await ask(job.peers, "count") - before - 1) / (cycles + WARM_UP)
    return cpu, requests


async def _measure_kept(job: Job) -> float:
    """Return CPU milliseconds per poll of one sensor whose connection is kept between polls."""
    idle = await _idle(job, KEPT_INTERVAL_S)
    cycles = 2 if job.tiny else CYCLES_OF_ONE
    kept = job.inside("kept")
    async with _polled(kept, "/changing/1000", 1, every=KEPT_INTERVAL_S) as (hass, sensors):
        return await cpu_per_cycle(hass, sensors, cycles, idle, KEPT_INTERVAL_S)


async def _idle(job: Job, every: int = INTERVAL_S) -> float:
    """Return the cost of an interval without polls."""
    async with home_assistant(job.inside(f"idle_{every}"), "rest", {}, ["rest", "sensor"]):
        return await cost_of_interval(5 if job.tiny else 100, every)


async def _run(job: Job, *, block: bool) -> dict[str, float]:
    values: dict[str, float] = {}
    interval = await _idle(job)
    sensors = 2 if job.tiny else SENSORS
    for path, cycles in CYCLES.items():
        cpu, requests = await _measure(
            job, path, sensors, 1 if job.tiny else cycles, interval, block=block
        )
        values |= {path: cpu, "requests": requests}
    if not block:
        for key, path in ("single", "/changing/1000"), ("304", "/etag/100000"):
            cycles = 2 if job.tiny else CYCLES_OF_ONE
            values[key], _ = await _measure(job, path, 1, cycles, interval, block=block)
        values["kept"] = await _measure_kept(job)
    return values


async def _run_large(job: Job) -> dict[str, float]:
    values: dict[str, float] = {}
    interval = await _idle(job)
    for size, (path, most) in LARGE.items():
        cycles = 1 if job.tiny else most
        async with _polled(job, path, 1) as (hass, sensors):
            values[f"{size} cpu"] = await cpu_per_cycle(hass, sensors, cycles, interval)
            values[f"{size} stall"] = await worst_stall(hass, sensors, cycles)
    return values


def _rows(kb: float, hundred_kb: float, mb: float, requests: float) -> Sequence[Row]:
    """Return the rows, with the targets relative to core."""
    return (
        *(
            Row(
                key=path,
                what=f"CPU per poll cycle of {SENSORS} sensors, {size}",
                unit="ms",
                target={"core": target},
            )
            for path, size, target in zip(
                CYCLES, ("1 KB", "100 KB", "1 MB"), (kb, hundred_kb, mb), strict=True
            )
        ),
        Row(
            key="requests",
            what=f"requests per cycle of {SENSORS} sensors",
            unit="",
            target={"core": requests},
        ),
    )


CASE = Case(
    name="rest",
    what="REST sensors on one endpoint",
    run=partial(_run, block=False),
    rows=(
        *_rows(2.8, 16, 30, SENSORS),
        Row(key="single", what="CPU per poll of one sensor, 1 KB", unit="ms", target={"core": 1.0}),
        Row(
            key="kept",
            what="CPU per poll of one sensor, 1 KB, connection kept",
            unit="ms",
            target={"core": 1.0},
        ),
        Row(key="304", what="CPU per poll answered 304, 100 KB", unit="ms", target={"core": 2.5}),
    ),
)
BLOCK_CASE = Case(
    name="rest-block",
    what="a rest: block of 20 sensors, beside core's",
    run=partial(_run, block=True),
    rows=_rows(1.2, 10, 15, 1),
)
LARGE_CASE = Case(
    name="rest-large",
    what="one REST sensor whose reply is large and changes",
    run=_run_large,
    rows=[
        Row(key=f"{size} {key}", what=f"{what}, {size}", unit="ms", target={"core": 1.0})
        for key, what in (("cpu", "CPU per poll"), ("stall", "worst event-loop stall of a poll"))
        for size in LARGE
    ],
    most_pairs=3,
)
