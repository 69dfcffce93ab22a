"""20 listening hubs: CPU usage, compared with the capture windows of the bare client library."""

import asyncio
import time

import broadlink_async as library
from homeassistant.components import infrared

from benchmarks.case import Case, Job, Peers
from benchmarks.hubs import bare_clients, connected
from benchmarks.summary import OURS, Row

HUBS = 20
LISTENED_S = 10


async def _cpu(seconds: float) -> dict[str, float]:
    """Return the CPU usage of this process in percent of a core."""
    await asyncio.sleep(2)  # until all are armed
    cpu, start = time.process_time(), time.monotonic()
    await asyncio.sleep(seconds)
    return {"cpu": (time.process_time() - cpu) / (time.monotonic() - start) * 100}


async def _capture(device: library.rm4pro) -> None:
    async for _ in device.capture(0, stop_after_first=False):
        pass


async def _run(job: Job) -> dict[str, float]:
    seconds = 1 if job.tiny else LISTENED_S
    if job.ours:
        async with connected(job, "infrared") as hass:
            receivers = infrared.async_get_receivers(hass)
            if len(receivers) != HUBS:
                raise RuntimeError(f"{len(receivers)} receivers")
            ends = [
                infrared.async_subscribe_receiver(hass, receiver, lambda _signal: None)
                for receiver in receivers
            ]
            try:
                return await _cpu(seconds)
            finally:
                for end in ends:
                    end()
    async with bare_clients(job) as devices:
        tasks = [asyncio.ensure_future(_capture(device)) for device in devices]
        try:
            return await _cpu(seconds)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


CASE = Case(
    name="irhub-listening",
    what="20 hubs that listen for infrared, nothing pressed",
    run=_run,
    rows=(Row(key="cpu", what="CPU of the process", unit="% of a core", limit=5.0),),
    sides=(OURS, "bare client"),
    peers=Peers(hubs=HUBS),
    most_pairs=3,
)
