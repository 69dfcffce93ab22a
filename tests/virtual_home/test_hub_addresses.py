"""Hubs that are found by broadcast, move, and exchange their addresses, against both clients."""

import asyncio
from typing import Any

import broadlink  # type: ignore[import-untyped]
import broadlink_async
from broadlink_async import exceptions
import pytest

from virtual_home.hub import VirtualHub, exchange_addresses, free_udp_port
from virtual_home.hub.server import BROADCAST_ADDRESSES

IR = bytes.fromhex("26000800") + bytes((0x40, 0x20, 0x10, 0x20, 0x10, 0x00, 0x0D, 0x05))
FIRST, SECOND = "34:EA:34:00:00:01", "34:EA:34:00:00:02"


async def discover(port: int, address: str, local: str | None = "127.0.0.1") -> dict[str, str]:
    """Return who answers a broadcast: host by MAC."""
    devices = await broadlink_async.discover(0.3, local, address, port)
    return {device.mac.hex(":").upper(): device.host[0] for device in devices}


@pytest.mark.parametrize("address", BROADCAST_ADDRESSES)
async def test_a_broadcast_to_its_port_finds_a_hub(address: str) -> None:
    async with VirtualHub(host="127.0.0.2", mac=SECOND) as hub:
        assert await discover(hub.port, address) == {SECOND: "127.0.0.2"}
        assert await discover(hub.port, address, local=None) in ({SECOND: "127.0.0.2"}, {})


async def test_a_broadcast_to_a_common_port_finds_all_hubs() -> None:
    def blocking() -> list[Any]:
        return list(broadlink.discover(0.3, "127.0.0.1", BROADCAST_ADDRESSES[0], port))

    port = free_udp_port()
    async with (
        VirtualHub(host="127.0.0.1", mac=FIRST, discovery_port=port) as first,
        VirtualHub("sp4b", host="127.0.0.2", mac=SECOND, discovery_port=port) as second,
    ):
        hosts = {FIRST: "127.0.0.1", SECOND: "127.0.0.2"}
        assert await discover(port, BROADCAST_ADDRESSES[0]) == hosts
        assert await discover(port, BROADCAST_ADDRESSES[1]) == hosts
        devices = await asyncio.to_thread(blocking)
        assert {device.host for device in devices} == {
            (first.host, first.port),
            (second.host, second.port),
        }
        first.faults.silent = True
        assert await discover(port, BROADCAST_ADDRESSES[0]) == {SECOND: "127.0.0.2"}
        second.stop()
        assert await discover(port, BROADCAST_ADDRESSES[0]) == {}


async def test_only_a_hello_is_answered_when_broadcast() -> None:
    async with VirtualHub() as hub:
        await broadlink_async.ping(BROADCAST_ADDRESSES[0], hub.port)
        await discover(hub.port, BROADCAST_ADDRESSES[0])
        assert (hub.count("ping"), hub.count("hello")) == (0, 1)


async def test_a_hub_moves_and_keeps_its_sessions() -> None:
    async with VirtualHub(host="127.0.0.2") as hub:
        device: Any = await broadlink_async.hello(hub.host, hub.port, 3)
        async with device:
            await device.auth()
            device.timeout = 0.3
            await hub.move("127.0.0.3")
            with pytest.raises(exceptions.NetworkTimeoutError):
                await device.send_data(IR)
            device.host = ("127.0.0.3", hub.port)
            await device.send_data(IR)
        assert await discover(hub.port, BROADCAST_ADDRESSES[0]) == {hub.mac: "127.0.0.3"}
        assert hub.transmitted == [IR]
        assert hub.count("auth") == 1


async def test_hubs_that_exchanged_addresses_are_each_other_to_a_careless_client() -> None:
    async with (
        VirtualHub(host="127.0.0.2", mac=FIRST) as first,
        VirtualHub(host="127.0.0.3", mac=SECOND) as second,
    ):
        device: Any = await broadlink_async.hello(first.host, first.port, 3)
        async with device:
            await device.auth()
            await exchange_addresses(first, second)
            assert (first.host, second.host) == ("127.0.0.3", "127.0.0.2")
            await device.send_data(IR)  # the client opens a session with whoever is there
            assert (first.transmitted, second.transmitted) == ([], [IR])
            with pytest.raises(exceptions.DataValidationError):
                await device.hello()
