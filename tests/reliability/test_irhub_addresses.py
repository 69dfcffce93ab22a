"""Hubs that exchange their addresses, or move to new ones: commands reach the right one, or fail.

Sent over real sockets; only the waiting for resends and timeouts is leapt over.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from random import Random
from typing import override
from unittest.mock import AsyncMock

from homeassistant.components import network
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
import pytest

from custom_components.irhub.hub.hub import Hub
from custom_components.irhub.ircodes import to_base64
from tests.home import until
from tests.irhub.dialogue import add
from tests.irhub.home import entry, our_hub, set_up
from virtual_home.hub import VirtualHub, exchange_addresses

from .hubs import Peer, outcome, packet
from .virtual_time import leaping

pytestmark = pytest.mark.reliability

EXCHANGES = 100
MOVES = 50
COMMANDS = 6
"""Under way to the two hubs while the addresses change hands."""
LATEST_STEP = 16
"""Datagrams: a greeting, a session and a command, for two hubs."""
FOUND_WITHIN_S = 60
TIMEOUT_S = 5
"""The default of remotes."""


class UprootedHub(VirtualHub):
    """A hub that takes another address instead of answering its `step`th datagram from now on."""

    step = 0
    uproot: Callable[[], Awaitable[None]] | None = None
    _uprooting: asyncio.Future[None] | None = None

    @override
    def _receive(self, data: bytes, peer: Peer) -> None:
        self.step -= 1
        if self.step == 0 and self.uproot:
            self._uprooting = asyncio.ensure_future(self.uproot())
            return
        super()._receive(data, peer)

    async def settled(self) -> bool:
        """Take no other address any more; return whether that happened."""
        self.step = 0
        if (uprooting := self._uprooting) is None:
            return False
        self._uprooting = None
        await uprooting
        return True


@pytest.fixture(autouse=True)
def interface(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let broadcasts go out on the loopback interface."""
    adapters = [
        {"enabled": True, "ipv4": [{"address": "127.0.0.1", "network_prefix": 8}], "ipv6": []}
    ]
    monkeypatch.setattr(network, "async_get_adapters", AsyncMock(return_value=adapters))


@asynccontextmanager
async def two_hubs(hass: HomeAssistant) -> AsyncIterator[tuple[UprootedHub, UprootedHub]]:
    """Run two hubs, ours connected to them, in leaping time."""
    async with (
        UprootedHub("rm4_pro", host="127.0.0.2") as first,
        UprootedHub("rm4_pro", host="127.0.0.3", port=first.port, mac="34:EA:34:00:00:02") as other,
    ):
        entries = [entry(hub, timeout=TIMEOUT_S, name=hub.host) for hub in (first, other)]
        await set_up(hass, "remote", *entries)
        await until(lambda: our_hub(hass, first).available and our_hub(hass, other).available)
        with leaping(hass):
            yield first, other


async def send(hass: HomeAssistant, host: str, number: int) -> HomeAssistantError | None:
    """Send packet `number` to the hub that was configured with `host`."""
    data = {"host": host, "packet": to_base64(packet(number))}
    return await outcome(hass.services.async_call("irhub", "send", data, blocking=True))


async def send_all(
    hass: HomeAssistant, hosts: list[str], hubs: tuple[VirtualHub, VirtualHub], numbers: range
) -> int:
    """Send even packets to the first hub, odd ones to the other, at once; return how many failed.

    See that each went out once, or not more than once and failed, and never by the other hub.
    """
    errors = await asyncio.gather(*(send(hass, hosts[n % 2], n) for n in numbers))
    for number, error in zip(numbers, errors, strict=True):
        times = hubs[number % 2].transmitted.count(packet(number))
        assert times <= 1, (number, error)
        assert times or error, number
        assert packet(number) not in hubs[1 - number % 2].transmitted, (number, error)
    return sum(error is not None for error in errors)


async def until_sent(hass: HomeAssistant, host: str, number: int, again_after: float) -> None:
    """Send until it works, as people do who press once more."""
    async with asyncio.timeout(FOUND_WITHIN_S):
        while await send(hass, host, number):  # noqa: ASYNC110  (what is waited for has no event)
            await asyncio.sleep(again_after)


async def test_no_command_reaches_the_other_hub_while_addresses_are_exchanged(
    hass: HomeAssistant,
) -> None:
    random = Random(5)
    failed = 0
    async with two_hubs(hass) as hubs:
        hosts = [hub.host for hub in hubs]
        for hub in hubs:
            hub.uproot = partial(exchange_addresses, *hubs)
        for turn in range(EXCHANGES):
            if random.random() < 0.5:  # so that it happens while sessions are renewed
                hubs[0].expire_sessions()
                hubs[1].expire_sessions()
            random.choice(hubs).step = random.randrange(1, LATEST_STEP)
            numbers = range(turn * COMMANDS, (turn + 1) * COMMANDS)
            failed += await send_all(hass, hosts, hubs, numbers)
            if not any([await hub.settled() for hub in hubs]):  # the commands were through before
                await exchange_addresses(*hubs)
            for i, host in enumerate(hosts):
                await until_sent(hass, host, 1000 + i, again_after=1)
        assert {*hubs[0].transmitted}.isdisjoint(hubs[1].transmitted)
    print(f"{failed} of {EXCHANGES * COMMANDS} failed")  # noqa: T201  (the figure)
    assert failed < EXCHANGES * COMMANDS / 2


@pytest.mark.parametrize("by", ["YAML", "entry"])
async def test_a_hub_at_a_new_address_is_found_within_a_minute(
    hass: HomeAssistant, by: str
) -> None:
    """Nobody asks for it meanwhile; an entry keeps the address, a reload included."""
    random = Random(6)
    slowest = 0.0
    async with VirtualHub("rm4_pro", host="127.0.0.2") as virtual:
        if by == "YAML":
            await set_up(hass, "remote", entry(virtual, timeout=TIMEOUT_S))
            await until(lambda: our_hub(hass, virtual).available)
            from_yaml = our_hub(hass, virtual)
        else:
            added = await add(hass, virtual, timeout=TIMEOUT_S)

        def is_at(address: str) -> bool:
            if by == "entry" and added.data["host"] != address:
                return False
            hub: Hub = from_yaml if by == "YAML" else added.runtime_data.own_hub
            return hub.connection.device is not None and hub.connection.device.host[0] == address

        with leaping(hass) as clock:
            for number in range(MOVES):
                await asyncio.sleep(random.uniform(0, 60))
                await virtual.move(f"127.0.1.{number + 1}")
                began = clock.time()
                while not is_at(virtual.host):
                    await asyncio.sleep(0.5)
                    assert clock.time() - began < FOUND_WITHIN_S
                slowest = max(slowest, clock.time() - began)
                await hass.async_block_till_done()
                host = "127.0.0.2" if by == "YAML" else virtual.host
                assert await send(hass, host, number) is None
                assert virtual.transmitted.count(packet(number)) == 1
        issues = [issue for domain, issue in ir.async_get(hass).issues if domain == "irhub"]
        assert [issue.partition("_")[0] for issue in issues] == ["moved"] * (by == "YAML")
    print(f"found after {slowest:.0f} s at the latest")  # noqa: T201  (the figure)
