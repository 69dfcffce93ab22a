"""100 REST sensors on 100 resources of a slow host, and of one where some requests hang."""

import asyncio
from statistics import mean

from benchmarks.case import Addresses, Case, Job
from benchmarks.control import ask
from benchmarks.host import home_assistant
from benchmarks.polling import until_updated
from benchmarks.summary import Row

RESOURCES = 100
HANGING = 4
DELAY_S = 0.3
INTERVAL_S = 10
POLLS = 3  # of each, in real time
# Two hosts to both integrations, measured at the same time: path, host, resources that hang.
HOSTS = {"late": ("127.0.0.1", 0), "later": ("localhost", HANGING)}

type Arrivals = dict[str, list[float]]
"""Path → times of its requests."""


async def _run(job: Job) -> dict[str, float]:
    count = 2 if job.tiny else RESOURCES
    sensors = [
        {
            "platform": "rest",
            "name": str(number),
            # Core polls all sensors of a namespace together, and waits for the last one.
            "entity_namespace": kind,
            "resource": job.peers.url.replace("127.0.0.1", host)
            + (f"/{kind}/{number}" if number < count else f"/hang/{number}"),
            "value_template": "{{ value_json.temperature }}",
            "scan_interval": 1 if job.tiny else INTERVAL_S,
            **({"timeout": 1} if job.tiny else {}),
        }
        for kind, (host, hanging) in HOSTS.items()
        for number in range(count + hanging)
    ]
    entities = [f"sensor.{sensor['entity_namespace']}_{sensor['name']}" for sensor in sensors]
    await ask(job.peers, "delay", seconds=0, hang=0)
    async with home_assistant(job, "rest", {"sensor": sensors}, ["rest", "sensor"]) as hass:
        await until_updated(hass, entities, 0)
        await ask(job.peers, "delay", seconds=0.1 if job.tiny else DELAY_S, hang=3600)
        arrivals = await _arrivals(job.peers, len(HOSTS) * count, 2 if job.tiny else POLLS)
    return {
        kind: mean(
            (times[-1] - times[0]) / (len(times) - 1)
            for path, times in arrivals.items()
            if path.startswith(f"/{kind}/")
        )
        for kind in HOSTS
    }


async def _arrivals(peers: Addresses, resources: int, polls: int) -> Arrivals:
    """Wait until each of the answering resources was requested `polls` times."""
    while True:
        arrivals: Arrivals = await ask(peers, "arrivals")
        healthy = [times for path, times in arrivals.items() if not path.startswith("/hang/")]
        if sum(len(times) >= polls for times in healthy) == resources:
            return arrivals
        await asyncio.sleep(0.2)


CASE = Case(
    name="rest-host",
    what="100 REST sensors on 100 resources of one host, replies after 0.3 s, interval 10 s",
    run=_run,
    rows=(
        Row(key="late", what="mean interval", unit="s", target={"core": 1.0}),
        Row(
            key="later",
            what=f"mean interval, with {HANGING} more that hang",
            unit="s",
            target={"core": 0.9},
        ),
    ),
    most_pairs=1,
)
