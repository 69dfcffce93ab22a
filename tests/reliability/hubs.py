"""A hub on a network with arbitrary faults, and calls that may succeed or fail."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import override

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from custom_components.irhub.ircodes import from_timings, to_base64
from tests.irhub.home import our_hub, send
from virtual_home.hub import VirtualHub
from virtual_home.hub.faults import Delivery

type Peer = tuple[str, int]
type Meddle = Callable[[bytes], Iterable[bytes]]
"""Turns a reply into the datagrams that arrive instead."""


class MeddledHub(VirtualHub):
    """A hub whose replies pass through `meddle`; None means no faults.

    Each request arrives `copies` times.
    """

    meddle: Meddle | None = None
    copies = 1

    @override
    def _receive(self, data: bytes, peer: Peer) -> None:
        for _ in range(self.copies):
            super()._receive(data, peer)

    @override
    def _send(self, delivery: Delivery, peer: Peer) -> None:
        """Send the result of `meddle` instead of the reply, at the same time."""
        if self.meddle is None or self._transport is None:
            super()._send(delivery, peer)
            return
        for datagram in self.meddle(delivery.data):
            self._transport.sendto(datagram, peer)


def packet(number: int) -> bytes:
    """Return a packet that is unique for a number."""
    return from_timings([9000, -4500, 560, -(600 + 31 * (number % 1000)), 560 + 31 * number, -9000])


async def outcome(call: Awaitable[object]) -> HomeAssistantError | None:
    """Return the error of a call; None if it succeeded."""
    try:
        await call
    except HomeAssistantError as err:
        return err
    return None


async def transmit(hass: HomeAssistant, hub: VirtualHub, number: int) -> HomeAssistantError | None:
    """Send packet `number` once; check that it went out once, or not more than once and failed."""
    error = await outcome(send(hass, hub, to_base64(packet(number))))
    times = hub.transmitted.count(packet(number))
    if error is None:
        assert times == 1, f"reported as sent, went out {times} times"
    else:
        assert times <= 1, f"reported as failed ({error}), went out {times} times"
        assert str(error)
    return error


async def back(hass: HomeAssistant, hub: VirtualHub) -> None:
    """Wait until our side has a session, for minutes if need be."""
    async with asyncio.timeout(300):
        while not available(hass, hub):  # noqa: ASYNC110  (what is waited for has no event)
            await asyncio.sleep(0.25)


def available(hass: HomeAssistant, hub: VirtualHub) -> bool:
    """Return whether our side has a session."""
    return our_hub(hass, hub).available
