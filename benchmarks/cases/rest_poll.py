"""REST sensors: what a poll costs, by size of the reply, and how many requests it takes."""

from collections.abc import Mapping, Sequence

from benchmarks.case import Case, Job
from benchmarks.control import ask
from benchmarks.host import home_assistant
from benchmarks.polling import WARM_UP, cost_of_interval, cpu_per_cycle, until_updated
from benchmarks.summary import OURS, Row

SENSORS = 20
CYCLES = {"/changing/1000": 40, "/changing/100000": 15, "/changing/1000000": 4}
CYCLES_OF_ONE = 40
BLOCK = "rest: block"


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


def _config(side: str, url: str, sensors: Mapping[str, Mapping[str, object]]) -> dict[str, object]:
    if side == BLOCK:
        return {"rest": [{"resource": url, "sensor": list(sensors.values())}]}
    platforms = [{"platform": "rest", "resource": url, **sensor} for sensor in sensors.values()]
    return {"sensor": platforms}


async def _measure(
    job: Job, path: str, count: int, cycles: int, interval: float
) -> tuple[float, float]:
    """Return CPU milliseconds and requests per cycle."""
    sensors = _sensors(path, count)
    job = job.inside(path.strip("/").replace("/", "_") + f"_{count}")
    config = _config(job.side, f"{job.peers.url}{path}", sensors)
    async with home_assistant(job, "rest", config, ["rest", "sensor"]) as hass:
        await until_updated(hass, list(sensors), 0)
        before = await ask(job.peers, "count")
        cpu = await cpu_per_cycle(hass, list(sensors), cycles, interval)
        # The control's own request is one, too.
        requests = (await ask(job.peers, "count") - before - 1) / (cycles + WARM_UP)
    return cpu, requests


async def _run(job: Job) -> dict[str, float]:
    values: dict[str, float] = {}
    async with home_assistant(job.inside("idle"), "rest", {}, ["rest", "sensor"]):
        interval = await cost_of_interval(5 if job.tiny else 100)
    for path, cycles in CYCLES.items():
        cpu, requests = await _measure(job, path, SENSORS, 1 if job.tiny else cycles, interval)
        values |= {path: cpu, "requests": requests}
    if job.side != BLOCK:
        for key, path in ("single", "/changing/1000"), ("304", "/etag/100000"):
            cycles = 2 if job.tiny else CYCLES_OF_ONE
            values[key], _ = await _measure(job, path, 1, cycles, interval)
    return values


def _row(path: str, size: str, core: float, block: float) -> Row:
    return Row(
        key=path,
        what=f"CPU per poll cycle of 20 sensors, {size}",
        unit="ms",
        target={"core": core, BLOCK: block},
    )


_ROWS: Sequence[Row] = (
    _row("/changing/1000", "1 KB", 2.5, 1.0),
    _row("/changing/100000", "100 KB", 20, 15),
    _row("/changing/1000000", "1 MB", 25, 20),
    Row(key="requests", what="requests per cycle of 20 sensors", unit="", target={"core": SENSORS}),
    Row(key="single", what="CPU per poll of one sensor, 1 KB", unit="ms", target={"core": 1.0}),
    Row(key="304", what="CPU per poll answered 304, 100 KB", unit="ms", target={"core": 3}),
)

CASE = Case(
    name="rest",
    what="REST sensors on one endpoint",
    run=_run,
    rows=_ROWS,
    sides=(OURS, "core", BLOCK),
)
