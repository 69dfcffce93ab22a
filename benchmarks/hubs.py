"""Hubs in Home Assistant, ours or core's, and outside it with the client library of both."""

from collections.abc import AsyncGenerator
import contextlib
import importlib
import time

import broadlink_async as library
from homeassistant.core import HomeAssistant

from .case import Job
from .host import Entry, home_assistant

INTEGRATION = "irhub"
DEVICE_TYPE = 0x6026  # RM4 pro
TIMEOUT_S = 5  # the default of both
TINY_TIMEOUT_S = 1
ANSWER_S = 30
# LG television, power: NEC, address 0x04, command 0x08
PACKET = (
    "JgBYAAABIJISExETETcSEhISEhQQFBETETcROBESEjcRNhM1EjcTNRMTERISNxEUERMSExE2EjYSNhM2EhIR"
    "OBE3ETcREhITEgAFGwABH0oSAAwzAAEfShEADQU="
)


def _digits(mac: str) -> str:
    return mac.replace(":", "").lower()


def _timeout(job: Job) -> int:
    return TINY_TIMEOUT_S if job.tiny else TIMEOUT_S


def remotes(job: Job) -> list[str]:
    """Return the entity ids of the remotes, one per hub."""
    return [f"remote.hub_{number}" for number in range(len(job.peers.hubs))]


def yaml(job: Job, *domains: str) -> dict[str, object]:
    """Return our configuration of all hubs in these domains, without gaps between packets."""
    return {
        domain: [
            {
                "platform": INTEGRATION,
                "name": f"Hub {number}",
                "host": host,
                "port": job.peers.hub_port,
                "mac": mac,
                "timeout": _timeout(job),
                "min_gap": 0,
            }
            for number, (host, mac) in enumerate(job.peers.hubs)
        ]
        for domain in domains
    }


def entries(job: Job) -> list[Entry]:
    """Return core's config entries of all hubs."""
    return [
        Entry(
            domain="broadlink",
            title=f"Hub {number}",
            data={"host": host, "mac": _digits(mac), "type": DEVICE_TYPE, "timeout": _timeout(job)},
            unique_id=_digits(mac),
        )
        for number, (host, mac) in enumerate(job.peers.hubs)
    ]


def point_core_at(port: int) -> None:
    """Set the port of core's integration, which only supports the default port."""
    vars(importlib.import_module("homeassistant.components.broadlink.device"))["DEFAULT_PORT"] = (
        port
    )


@contextlib.asynccontextmanager
async def connected(job: Job, *more: str) -> AsyncGenerator[HomeAssistant]:
    """Yield a Home Assistant connected to all hubs; ours has `more` domains besides remote."""
    if job.ours:
        domains = ["remote", *more]
        running = home_assistant(job, INTEGRATION, yaml(job, *domains), domains)
    else:
        point_core_at(job.peers.hub_port)
        running = home_assistant(job, INTEGRATION, {}, ["broadlink"], entries(job))
    async with running as hass:
        deadline = time.monotonic() + ANSWER_S
        while not all(
            (state := hass.states.get(remote)) and state.state == "on" for remote in remotes(job)
        ):
            if time.monotonic() > deadline:
                raise TimeoutError(f"not all of {remotes(job)} are on")
            await hass.async_block_till_done()
        yield hass


@contextlib.asynccontextmanager
async def bare_clients(job: Job) -> AsyncGenerator[list[library.rm4pro]]:
    """Yield authenticated devices of the library, one per hub."""
    async with contextlib.AsyncExitStack() as stack:
        devices = []
        for host, mac in job.peers.hubs:
            device = library.rm4pro(
                (host, job.peers.hub_port), bytes.fromhex(_digits(mac)), DEVICE_TYPE
            )
            stack.push_async_callback(device.aclose)
            await device.auth()
            devices.append(device)
        yield devices
