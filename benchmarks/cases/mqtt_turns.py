"""10,000 MQTT sensors: longest event loop stall when core's MQTT starts and when it is reloaded."""

from collections.abc import Mapping

from homeassistant.core import HomeAssistant

from benchmarks.case import Case, Job, Peers
from benchmarks.clock import StallWatch
from benchmarks.host import bare, set_up
from benchmarks.messages import DOMAINS, Kind, Wire, check_states, client_entry, write
from benchmarks.summary import Row

SENSORS = 10_000
PLAIN = Kind(name="plain", config={})


async def _run(job: Job) -> Mapping[str, float]:
    count = 20 if job.tiny else SENSORS
    client = client_entry(job, disabled=True)
    write(job, PLAIN.yaml(count), client)
    async with bare(job.folder) as hass:
        await set_up(hass, DOMAINS)
        entries = hass.config_entries
        with StallWatch() as came:
            await entries.async_set_disabled_by(client.entry_id, None)
            await _subscribed(hass, job, count)
        with StallWatch() as reloaded:
            await entries.async_reload(client.entry_id)
            await _subscribed(hass, job, count)
    return {"came": came.busiest * 1e3, "reloaded": reloaded.busiest * 1e3}


async def _subscribed(hass: HomeAssistant, job: Job, count: int) -> None:
    await hass.async_block_till_done()
    await Wire(hass, job.peers).until_subscribed()
    await hass.async_block_till_done()
    check_states(hass, PLAIN, count, "unknown")


CASE = Case(
    name="mqtt-turns",
    what="10,000 MQTT binary sensors, longest turn of the event loop",
    run=_run,
    rows=(
        Row(key="came", what="when MQTT comes after them", unit="ms", target={"core": 4.0}),
        Row(key="reloaded", what="when MQTT is reloaded", unit="ms", target={"core": 3.0}),
    ),
    peers=Peers(broker=True),
)
