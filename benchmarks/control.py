"""The measured process's side of `peer.Control`."""

from typing import Any

import aiohttp

from .case import Addresses


async def ask(peers: Addresses, order: str, **details: object) -> Any:  # noqa: ANN401  (JSON)
    """Have the virtual home do something, and return its answer."""
    async with (
        aiohttp.ClientSession(peers.url) as session,
        session.post(f"/control/{order}", json=details) as reply,
    ):
        reply.raise_for_status()
        return await reply.json()
