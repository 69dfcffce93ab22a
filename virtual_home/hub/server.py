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
"""The UDP port of real hubs."""


class _Datagrams(asyncio.DatagramProtocol):
    """Passes received datagrams to the hub."""

    def __init__(self, received: Callable[[bytes, Peer], None]) -> None:
        self._received = received

    @override
    def datagram_received(self, data: bytes, addr: Peer) -> None:
        """Pass one datagram on."""
        self._received(data, addr)


class VirtualHub(Device):
    """A device of one of `MODELS` on a UDP port, used as an async context manager.

    It also answers a hello broadcast from this machine to its port, sent to 127.255.255.255 or
    to 255.255.255.255. With `discovery_port`, it also receives those sent to that port (port 80
    needs root). The same `seed` gives the same faults.
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
        """Create a device; `devtype` overrides the device type in the hello."""
        super().__init__(model, mac=mac, name=name, devtype=devtype, seed=seed)
        self.host = host
        self.port = port
        self.discovery_port = discovery_port
        self.arrived = 0
        """Number of datagrams that reached the port, including lost ones."""
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
        """Open the port; port 0 means a free one, which the hub then keeps."""
        await asyncio.sleep(0)  # a closed port is free only after the loop's next iteration
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
        """Listen for broadcasts, sharing the port with other virtual hubs."""
        receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            receiver.bind((address, port))
        except OSError as err:
            receiver.close()
            if err.errno == errno.EADDRNOTAVAIL:
                return  # not on Linux, where broadcasts do not reach virtual hubs
            raise
        transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: _Datagrams(self._receive_broadcast), sock=receiver
        )
        self._broadcasts.append(transport)

    async def move(self, host: str, port: int | None = None) -> None:
        """Change the address, as by a router; sessions are kept."""
        self.stop()
        self.host = host
        self.port = self.port if port is None else port
        await self.start()

    def stop(self) -> None:
        """Close the port and drop pending replies."""
        while self._broadcasts:
            self._broadcasts.pop().close()
        while self._late:
            self._late.pop().cancel()
        if self._transport:
            self._transport.close()
            self._transport = None

    async def until(self, condition: Callable[[], bool], timeout: float = 30.0) -> None:
        """Wait until `condition` is true, evaluated after each datagram.

        Raise TimeoutError after `timeout` seconds.
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
    """Return a UDP port that is currently free on all addresses of this machine."""
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
