"""Hello, with whoever answers."""

import asyncio
import socket

from custom_components.irhub.hub import hello
from custom_components.irhub.hub.library import HubDevice
from virtual_home.hub import free_udp_port

BURST = 50


def answer(number: int) -> bytes:
    """Return what a device says of itself."""
    data = bytearray(0x80)
    data[0x34:0x36] = (0x2737).to_bytes(2, "little")
    data[0x3A:0x40] = number.to_bytes(6, "little")
    return bytes(data)


async def test_a_broadcast_looks_at_no_more_answers_than_a_house_has_devices() -> None:
    """Anybody in the network may answer, as often as he likes."""
    port, devices, sent = free_udp_port(), list[HubDevice](), 0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as anybody:
        anybody.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        anybody.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        anybody.bind(("255.255.255.255", port))
        anybody.settimeout(0)
        asking = asyncio.create_task(hello.broadcast(["127.0.0.1"], port, devices.append, 2))
        _, asker = await asyncio.get_running_loop().sock_recvfrom(anybody, 1024)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as flood:
            while not asking.done() and sent < 4 * hello.MAX_ANSWERS:
                for _ in range(BURST):
                    flood.sendto(answer(sent), asker)
                    sent += 1
                await asyncio.sleep(0.01)
        await asking
    assert sent > 2 * hello.MAX_ANSWERS
    assert len(devices) == hello.MAX_ANSWERS
