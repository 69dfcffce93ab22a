"""An air conditioner with 2,689 states: delay of Home Assistant's start.

The commands are stored as by version 0.3.0: the first start migrates them, every later one compares
them with the migrated ones.
"""

from collections.abc import Mapping, Sequence
from itertools import islice, product
import json
import time

from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er

from benchmarks.case import Case, Job, Peers
from benchmarks.host import Entry, bare, ours, set_up, write_config
from benchmarks.hubs import DEVICE_TYPE, PACKET
from benchmarks.summary import OURS, Row

STATES = 2688
"""Together with `off`, the number of commands in the largest known code file."""
MODES = ("cool", "heat", "dry", "fan_only", "auto")
FANS = ("auto", "low", "mid", "high", "turbo")
SWINGS = ("off", "on", "up", "down")
TEMPERATURES = range(16, 43)
ENTITY = "climate.office_ac"
APPLIANCE = {
    "subentry_id": "01JOFFICEAC",
    "subentry_type": "appliance",
    "title": "office ac",
    "unique_id": "office ac",
    "data": {"kind": "climate", "device": "office ac"},
}


def _store_commands(job: Job, mac: str, states: int) -> None:
    paths = islice(product(MODES, FANS, SWINGS, TEMPERATURES), states)
    commands = {" ".join(map(str, path)): PACKET for path in paths} | {"off": PACKET}
    key = f"irhub_remote_{mac}_codes"
    content = {"version": 1, "minor_version": 1, "key": key, "data": {"office ac": commands}}
    (job.folder / ".storage" / key).write_text(json.dumps(content))


def _write(job: Job, states: int, subentries: Sequence[Mapping[str, object]]) -> None:
    """Write the hub's entry, its appliances and their commands."""
    [(host, mac)] = job.peers.hubs
    mac = mac.replace(":", "").lower()
    entry = Entry(
        domain="irhub",
        title="Hub",
        data={"host": host, "port": job.peers.hub_port, "mac": mac, "device_type": DEVICE_TYPE},
        unique_id=mac,
        subentries=subentries,
    )
    write_config(job, ours(job, "irhub"), {}, [entry])
    _store_commands(job, mac, states)


async def _start(job: Job) -> list[float]:
    """Return seconds until the start is complete, CPU seconds, and the appliance's entities."""
    async with bare(job.folder) as hass:
        await set_up(hass, ["climate", "button"])  # so that neither side has to import them
        began, cpu = time.monotonic(), time.process_time()
        await set_up(hass, ["irhub"])
        took, cpu = time.monotonic() - began, time.process_time() - cpu
        return [took, cpu, float(_count(hass))]


def _count(hass: HomeAssistant) -> int:
    """Return the number of entities of the appliance."""
    if not hass.states.get(ENTITY):
        return 0
    registered = er.async_get(hass).entities.values()
    return sum(
        entity.domain in ("climate", "button") and entity.entity_category is None
        for entity in registered
    )


async def _run(job: Job) -> dict[str, float]:
    states = 20 if job.tiny else STATES
    warm, alone, large = (job.inside(name) for name in ("warm", "alone", "large"))
    _write(warm, 1, [APPLIANCE])
    await _start(warm)  # imports modules in advance, so that they are not measured
    _write(alone, 0, ())
    _write(large, states, [APPLIANCE])
    first = [await _start(folder) for folder in (alone, large)]
    further = [await _start(folder) for folder in (alone, large)]
    for _, _, entities in (first[1], further[1]):
        if entities != 1:
            raise RuntimeError(f"{entities:.0f} entities of the appliance")
    (first_delay, _), (delay, cpu) = (
        [(of_large - of_hub) * 1000 for of_hub, of_large in zip(*both, strict=True)][:2]
        for both in (first, further)
    )
    return {"delay": delay, "cpu": cpu, "first": first_delay}


CASE = Case(
    name="irhub-appliance",
    what="the start with an air conditioner of 2,689 states, over that of its hub alone",
    run=_run,
    rows=(
        Row(key="delay", what="start delayed by", unit="ms", limit=50),
        Row(key="cpu", what="CPU, all threads", unit="ms", limit=1000),
        Row(key="first", what="first start after an update from 0.3.0 delayed by", unit="ms"),
    ),
    sides=(OURS,),
    peers=Peers(hubs=1),
)
