"""50 hubs at once: packets sent per second, compared with the bare client library."""

import asyncio
import base64
from collections.abc import Awaitable, Sequence
import time

from benchmarks.case import Case, Job, Peers
from benchmarks.control import ask
from benchmarks.hubs import PACKET, bare_clients, connected
from benchmarks.summary import OURS, Row

HUBS = 50
PACKETS = 20  # in one action
ROUNDS = 4


async def _rates(job: Job, rounds: int, sends: Sequence[Awaitable[None]]) -> dict[str, float]:
    """Return packets per second, and packets per CPU second of this process."""
    packets = PACKETS * rounds * len(job.peers.hubs)
    cpu, start = time.process_time(), time.monotonic()
    await asyncio.gather(*sends)
    took, cpu = time.monotonic() - start, time.process_time() - cpu
    for hub in range(len(job.peers.hubs)):
        sent = await ask(job.peers, "sent", hub=hub)
        if len(sent) != PACKETS * rounds:
            raise RuntimeError(f"hub {hub} transmitted {len(sent)} packets")
    return {"rate": packets / took, "cpu": packets / cpu}


async def _run(job: Job) -> dict[str, float]:
    rounds = 1 if job.tiny else ROUNDS
    if job.ours:
        async with connected(job) as hass:

            async def act(host: str) -> None:
                for _ in range(rounds):
                    data = {"host": host, "packet": [PACKET] * PACKETS}
                    await hass.services.async_call("irhub", "send", data, blocking=True)

            return await _rates(job, rounds, [act(host) for host, _ in job.peers.hubs])
    packet = base64.b64decode(PACKET)
    async with bare_clients(job) as devices:

        async def send(number: int) -> None:
            for _ in range(PACKETS * rounds):
                await devices[number].send_data(packet)

        return await _rates(job, rounds, [send(number) for number in range(len(devices))])


CASE = Case(
    name="irhub-parallel",
    what="50 hubs in parallel, irhub.send with 20 packets, beside the bare client",
    run=_run,
    rows=(
        Row(
            key="rate",
            what="packets sent per second",
            unit="1/s",
            more_is_better=True,
        ),
        Row(
            key="cpu",
            what="packets sent per second of CPU",
            unit="1/s",
            target={"bare client": 0.8},
            more_is_better=True,
        ),
    ),
    sides=(OURS, "bare client"),
    peers=Peers(hubs=HUBS),
)
