"""The virtual hub: one device on one UDP port, behind a network with faults."""

import asyncio
from collections.abc import Callable
import errno
import itertools
import socket
from types import TracebackType
from typing import Self, override

from . import frame
from .device import Device, Peer
from .family import now
from .faults import Delivery, Line

BROADCAST_ADDRESSES = ("127.255.255.255", "255.255.255.255")
DISCOVERY_PORT = 80
"""Where real hubs listen, and clients look for them."""


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

    It also answers a hello broadcast to its port from this machine, either way: to
    127.255.255.255, or to 255.255.255.255. With `discovery_port` it hears those sent
    to that port, too (to 80 needs root). The same `seed` makes the same faults happen.
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
        discovery_port: int | None = None,
    ) -> None:
        """Make a device; `devtype` overrides what the model announces in the hello."""
        super().__init__(model, mac=mac, name=name, devtype=devtype, seed=seed)
        self.host = host
        self.port = port
        self.discovery_port = discovery_port
        self.arrived = 0
        """How many datagrams reached the port, heard or not."""
        self._line = Line(self.faults, seed)
        self._changed = asyncio.Event()
        self._late: set[asyncio.TimerHandle] = set()
        self._transport: asyncio.DatagramTransport | None = None
        self._broadcasts: list[asyncio.DatagramTransport] = []

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
        await asyncio.sleep(0)  # a port closed just now is closed at the loop's next turn
        self._transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: _Datagrams(self._receive), local_addr=(self.host, self.port)
        )
        self.port = self._transport.get_extra_info("sockname")[1]
        ports = {self.port, self.discovery_port or self.port}
        try:
            for address, port in itertools.product(BROADCAST_ADDRESSES, ports):
                await self._hear_broadcasts(address, port)
        except OSError:
            self.stop()
            raise

    async def _hear_broadcasts(self, address: str, port: int) -> None:
        """Listen for broadcasts, beside every other virtual hub that does."""
        receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            receiver.bind((address, port))
        except OSError as err:
            receiver.close()
            if err.errno == errno.EADDRNOTAVAIL:
                return  # not on Linux; there a broadcast finds no virtual hub
            raise
        transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: _Datagrams(self._receive_broadcast), sock=receiver
        )
        self._broadcasts.append(transport)

    async def move(self, host: str, port: int | None = None) -> None:
        """Take another address, as a router may give one; the sessions stay."""
        self.stop()
        self.host = host
        self.port = self.port if port is None else port
        await self.start()

    def stop(self) -> None:
        """Close the port; nothing more is sent."""
        while self._broadcasts:
            self._broadcasts.pop().close()
        while self._late:
            self._late.pop().cancel()
        if self._transport:
            self._transport.close()
            self._transport = None

    async def until(self, condition: Callable[[], bool], timeout: float = 30.0) -> None:
        """Wait until `condition` holds, asked again after each datagram handled.

        Raises TimeoutError when it does not come true within `timeout` seconds.
        """
        async with asyncio.timeout(timeout):
            while not condition():
                await self._changed.wait()

    async def press_when_listening(self, packet: bytes, timeout: float = 30.0) -> None:
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
            busy = max(0.0, self.logs.busy_until - now())
            for delivery in self._line.carry(reply):
                self._deliver(delivery, busy + delivery.delay, peer)

    def _receive_broadcast(self, data: bytes, peer: Peer) -> None:
        if frame.is_hello(data):
            self._receive(data, peer)

    def _deliver(self, delivery: Delivery, delay: float, peer: Peer) -> None:
        if not delay:
            self._send(delivery, peer)
            return

        def send() -> None:
            self._late.discard(handle)
            self._send(delivery, peer)

        handle = asyncio.get_running_loop().call_later(delay, send)
        self._late.add(handle)

    def _send(self, delivery: Delivery, peer: Peer) -> None:
        if delivery.foreign:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
                stranger.bind((self.host, 0))
                stranger.sendto(delivery.data, peer)
        elif self._transport:
            self._transport.sendto(delivery.data, peer)


def free_udp_port() -> int:
    """Return a port that is free on every address of this machine right now."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("", 0))
        port: int = probe.getsockname()[1]
        return port


async def exchange_addresses(first: VirtualHub, second: VirtualHub) -> None:
    """Let two hubs swap host and port, as a router's restart may."""
    first.stop()
    second.stop()
    first.host, first.port, second.host, second.port = (
        *(second.host, second.port),
        *(first.host, first.port),
    )
    await first.start()
    await second.start()
