"""Many MQTT sensors: cost of their set-up, and memory per sensor."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
import gc
import time
import tracemalloc

from homeassistant.core import HomeAssistant

from benchmarks.case import Case, Job, Peers
from benchmarks.host import bare, set_up
from benchmarks.memory import resident
from benchmarks.messages import DOMAINS, FLOOR, Kind, Wire, check_states, hand_over, write
from benchmarks.summary import OURS, Row

LARGE = 10_000
PLAIN = Kind(name="plain", config={})

_ROWS = (
    Row(key="cpu", what="CPU per sensor", unit="µs", target={FLOOR: 0.85}),
    Row(key="resident", what="resident memory per sensor", unit="B"),
)


_IN_USE = Row(key="in use", what="memory in use per sensor", unit="B", target={"core": 1.3})


async def _run(sensors: int, job: Job) -> Mapping[str, float]:
    if not job.tiny:
        # Load the integration's code with a single sensor, so that it is not measured.
        await _set_up(job.inside("first"), 1)
    count = 20 if job.tiny else sensors
    values = await _set_up(job.inside("all"), count)
    if job.side == FLOOR:
        return {"cpu": values["cpu"]}
    if sensors == LARGE:
        return values
    # A separate run, because tracing costs four times the CPU; with 10,000 it would take minutes.
    return {**values, "in use": await _traced(job.inside("traced"), count)}


async def _set_up(job: Job, count: int) -> Mapping[str, float]:
    write(job, PLAIN.yaml(count))
    async with bare(job.folder) as hass:
        # A full collection costs as much as 1,000 sensors: do not leave one due from before.
        gc.collect()
        before = resident()
        start = time.process_time()
        await _subscribed(hass, job)
        cpu = time.process_time() - start
        check_states(hass, PLAIN, count, "unknown")
        await _settle(hass, job, count)
        grown = resident() - before
    return {"cpu": cpu / count * 1e6, "resident": grown / count}


async def _traced(job: Job, count: int) -> float:
    """Return the bytes per sensor allocated by the set-up and still in use after it."""
    write(job, PLAIN.yaml(count))
    async with bare(job.folder) as hass:
        tracemalloc.start()
        await _subscribed(hass, job)
        await _settle(hass, job, count)
        gc.collect()
        in_use, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return in_use / count


async def _subscribed(hass: HomeAssistant, job: Job) -> None:
    await set_up(hass, DOMAINS)
    await Wire(hass, job.peers).until_subscribed()


async def _settle(hass: HomeAssistant, job: Job, count: int) -> None:
    """Send a message to each sensor, so that both sides hold the same.

    Home Assistant saves all states after its start and keeps 4 KB of each until it changes; core's
    have changed by then, from unavailable to unknown, ours have not.
    """
    await hass.async_block_till_done()
    if job.side != FLOOR:
        await hand_over(hass, PLAIN.topics(count), [PLAIN.on])
        check_states(hass, PLAIN, count, "on")


def _case(sensors: int) -> Case:
    run: Callable[[Job], Awaitable[Mapping[str, float]]] = partial(_run, sensors)
    return Case(
        name=f"mqtt-setup-{sensors}",
        what=f"set-up of {sensors:,} MQTT binary sensors",
        run=run,
        rows=_ROWS if sensors == LARGE else (*_ROWS, _IN_USE),
        sides=(OURS, "core", FLOOR),
        peers=Peers(broker=True),
    )


CASES = (_case(1_000), _case(LARGE))
