"""Delay of Home Assistant's start if none of the configured devices answers."""

from collections.abc import Mapping, Sequence
import time

from benchmarks.case import Case, Job, Peers
from benchmarks.control import ask
from benchmarks.host import Entry, bare, ours, set_up, write_config
from benchmarks.hubs import entries, point_core_at, yaml
from benchmarks.summary import Row

HUBS = 50
ENDPOINTS = 50
NEVER_S = 3600


async def _started_after(job: Job, config: Mapping[str, object], stored: Sequence[Entry]) -> float:
    """Return the seconds from reading configuration.yaml until Home Assistant has started."""
    write_config(job, ours(job, "rest", "irhub"), config, stored)
    async with bare(job.folder) as hass:
        start = time.monotonic()
        await set_up(hass, ["sensor", "remote", *([] if job.ours else ["broadlink"])])
        return time.monotonic() - start


async def _run(job: Job) -> dict[str, float]:
    await ask(job.peers, "delay", seconds=NEVER_S)
    endpoints = [
        {
            "platform": "rest",
            "name": f"dead {number}",
            "resource": f"{job.peers.url}/late/{number}",
            "value_template": "{{ value_json.temperature }}",
            **({"timeout": 1} if job.tiny else {}),
        }
        for number in range(ENDPOINTS)
    ]
    alone = await _started_after(job.inside("alone"), {}, ())
    config: dict[str, object] = {"sensor": endpoints}
    if job.ours:
        among_dead = await _started_after(job.inside("dead"), config | yaml(job, "remote"), ())
    else:
        point_core_at(job.peers.hub_port)
        among_dead = await _started_after(job.inside("dead"), config, entries(job))
    return {"delay": among_dead - alone, "alone": alone}


CASE = Case(
    name="start",
    what="Home Assistant's start with 50 silent hubs and 50 REST endpoints that never answer",
    run=_run,
    rows=(
        Row(key="delay", what="start delayed by", unit="s", limit=0.5),
        Row(key="alone", what="start without them", unit="s"),
    ),
    peers=Peers(hubs=HUBS, silent_hubs=True),
)
