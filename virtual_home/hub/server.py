"""The virtual hub: one device on one UDP port, behind a network with faults."""

import asyncio
from collections.abc import Callable
from random import Random
import socket
from types import TracebackType
from typing import Self, override

from .device import Device
from .faults import Delivery, Line
from .session import Peer


class _Datagrams(asyncio.DatagramProtocol):
    """Hands what arrives to the hub."""

    def __init__(self, received: Callable[[bytes, Peer], None]) -> None:
        self._received = received

    @override
    def datagram_received(self, data: bytes, addr: Peer) -> None:
        """Pass one datagram on."""
        self._received(data, addr)


class VirtualHub(Device):
    """A device of one of `MODELS` on a UDP port, used as an async context manager.

    The same `seed` makes the same faults happen.
    """

    def __init__(
        self,
        model: str = "rm_pro",
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        mac: str = "34:EA:34:00:00:01",
        name: str = "Virtual hub",
        devtype: int | None = None,
        seed: int = 0,
    ) -> None:
        """Make a device; `devtype` overrides what the model announces in the hello."""
        random = Random(seed)
        super().__init__(model, mac=mac, name=name, devtype=devtype, random=random)
        self.host = host
        self.port = port
        self.arrived = 0
        """How many datagrams reached the port, heard or not."""
        self._line = Line(self.faults, seed)
        self._changed = asyncio.Event()
        self._late: set[asyncio.TimerHandle] = set()
        self._transport: asyncio.DatagramTransport | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.stop()

    async def start(self) -> None:
        """Open the port; with port 0 a free one, which then stays the hub's."""
        self._transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: _Datagrams(self._receive), local_addr=(self.host, self.port)
        )
        self.port = self._transport.get_extra_info("sockname")[1]

    def stop(self) -> None:
        """Close the port; nothing more is sent."""
        while self._late:
            self._late.pop().cancel()
        if self._transport:
            self._transport.close()
            self._transport = None

    async def until(self, condition: Callable[[], bool], timeout: float = 10.0) -> None:
        """Wait until `condition` holds, asked again after each datagram handled.

        Raises TimeoutError when it does not come true within `timeout` seconds.
        """
        async with asyncio.timeout(timeout):
            while not condition():
                await self._changed.wait()

    async def press_when_listening(self, packet: bytes, timeout: float = 10.0) -> None:
        """Wait until the hub listens for this kind of packet, then press the button."""
        await self.until(lambda: self.press(packet), timeout)

    def _receive(self, data: bytes, peer: Peer) -> None:
        self.arrived += 1
        if self.down or not self._line.arrives():
            return
        reply = self.reply(data, peer)
        self._changed.set()
        self._changed.clear()
        if reply is not None:
            for delivery in self._line.carry(reply):
                self._deliver(delivery, peer)

    def _deliver(self, delivery: Delivery, peer: Peer) -> None:
        if not delivery.delay:
            self._send(delivery, peer)
            return

        def send() -> None:
            self._late.discard(handle)
            self._send(delivery, peer)

        handle = asyncio.get_running_loop().call_later(delivery.delay, send)
        self._late.add(handle)

    def _send(self, delivery: Delivery, peer: Peer) -> None:
        if delivery.foreign:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
                stranger.bind((self.host, 0))
                stranger.sendto(delivery.data, peer)
        elif self._transport:
            self._transport.sendto(delivery.data, peer)
