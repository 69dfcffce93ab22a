"""Client of `peer.Control` for the measured process."""

from typing import Any

import aiohttp

from .case import Addresses


async def ask(peers: Addresses, order: str, **details: object) -> Any:  # noqa: ANN401  (JSON)
    """Send an order to the virtual home, and return its reply."""
    async with (
        aiohttp.ClientSession(peers.url) as session,
        session.post(f"/control/{order}", json=details) as reply,
    ):
        reply.raise_for_status()
        return await reply.json()
