"""One hub: time from an action to the packet on the wire, and from a press to the reply."""

import asyncio
import base64
from collections.abc import Awaitable, Callable
from statistics import median
import time

from homeassistant.core import HomeAssistant

from benchmarks.case import Case, Job, Peers
from benchmarks.control import ask
from benchmarks.hubs import PACKET, bare_clients, connected, remotes
from benchmarks.summary import Row

SENDS = 200
# Seconds after the hub began to listen: spread over core's polling interval of a second.
PRESSES_S = (0.31, 0.56, 0.81, 1.06)


async def _until_on_the_wire(job: Job, times: int, send: Callable[[], Awaitable[None]]) -> float:
    """Return the median milliseconds between a call and the hub's transmission."""
    await send()
    await ask(job.peers, "sent", hub=0)
    called = []
    for _ in range(times):
        called.append(time.monotonic())
        await send()
    sent = await ask(job.peers, "sent", hub=0)
    return float(median(at - call for call, at in zip(called, sent, strict=True))) * 1000


async def _send_command(hass: HomeAssistant, job: Job) -> None:
    await hass.services.async_call(
        "remote",
        "send_command",
        {"entity_id": remotes(job)[0], "command": f"b64:{PACKET}"},
        blocking=True,
    )


async def _send(hass: HomeAssistant, job: Job) -> None:
    """Call the action that sends packets; core's broadlink only has that of the remote."""
    if not job.ours:
        await _send_command(hass, job)
        return
    await hass.services.async_call(
        "irhub", "send", {"host": job.peers.hubs[0][0], "packet": PACKET}, blocking=True
    )


async def _learn(hass: HomeAssistant, job: Job) -> None:
    if job.ours:
        learned = await hass.services.async_call(
            "irhub", "learn", {"host": job.peers.hubs[0][0]}, blocking=True, return_response=True
        )
        if learned is None or learned["base64"] != PACKET:
            raise RuntimeError(f"learned {learned}")
    else:
        await hass.services.async_call(
            "remote",
            "learn_command",
            {"entity_id": remotes(job)[0], "device": "television", "command": "power"},
            blocking=True,
        )


async def _learned_after(hass: HomeAssistant, job: Job, press_after: float) -> float:
    """Return the seconds from a button's press to the end of the learning action."""
    async with asyncio.TaskGroup() as group:
        press = group.create_task(ask(job.peers, "press", hub=0, after=press_after, packet=PACKET))
        await _learn(hass, job)
        done = time.monotonic()
    return done - float(press.result())


async def _run(job: Job) -> dict[str, float]:
    sends, presses = (3, PRESSES_S[:1]) if job.tiny else (SENDS, PRESSES_S)
    async with connected(job) as hass:
        sent = await _until_on_the_wire(job, sends, lambda: _send(hass, job))
        commanded = await _until_on_the_wire(job, sends, lambda: _send_command(hass, job))
        learned = [await _learned_after(hass, job, after) for after in presses]
    packet = base64.b64decode(PACKET)
    async with bare_clients(job) as [device]:
        bare = await _until_on_the_wire(job, sends, lambda: device.send_data(packet))
    return {
        "send": sent - bare,
        "send_command": commanded - bare,
        "bare": bare,
        "learned": median(learned),
    }


CASE = Case(
    name="irhub",
    what="one hub, beside core's broadlink",
    run=_run,
    rows=(
        Row(
            key="send",
            what="irhub.send to packet on the wire, over the bare client",
            unit="ms",
            limit=1.0,
            target={"core": 1.0},
        ),
        Row(
            key="send_command",
            what="remote.send_command to packet on the wire, over the bare client",
            unit="ms",
        ),
        Row(key="bare", what="bare client's call to packet on the wire", unit="ms"),
        Row(
            key="learned",
            what="button press to learned packet",
            unit="s",
            target={"core": 3.0},
        ),
    ),
    peers=Peers(hubs=1),
)
