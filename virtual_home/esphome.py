"""An ESPHome infrared proxy with emitter and receiver: the native API over TCP, unencrypted.

The messages are those of Home Assistant's client, aioesphomeapi. A frame is a zero byte, the
length of the message, its type (both as variable-length integers), and the message.
"""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final, Protocol, Self

from aioesphomeapi import InfraredCapability, api_pb2
from aioesphomeapi.core import MESSAGE_TYPE_TO_PROTO

EMITTER_KEY, RECEIVER_KEY = 1, 2
API_VERSION: Final = (1, 14)
IDLE_US: Final = 10_000
"""Default silence, in µs, that ends a capture."""
_SEVEN_BITS: Final = 0x7F


class Message(Protocol):
    """A protobuf message; the library has no type annotations."""

    def SerializeToString(self) -> bytes:  # noqa: N802  (its name)
        """Return the serialised message."""


_TYPES: Final = {message: number for number, message in MESSAGE_TYPE_TO_PROTO.items()}


class EsphomeProxy:
    """`async with EsphomeProxy() as proxy` switches the device on.

    It has `infrared.<name>_emitter` and `infrared.<name>_receiver`.
    """

    def __init__(
        self, name: str = "Proxy", mac: str = "AA:BB:CC:00:00:01", *, idle_us: int = IDLE_US
    ) -> None:
        self.name = name
        self.mac = mac
        self.idle_us = idle_us
        self.host = "127.0.0.1"
        self.port = 0
        """Assigned when the device is first switched on, and kept."""
        self.transmitted: list[list[int]] = []
        """Timings that the emitter has transmitted, in µs."""
        self.requests: list[str] = []
        """Names of the received messages."""
        self._server: asyncio.Server | None = None
        self._clients: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> Self:
        await self.power_up()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.lose_power()

    async def power_up(self) -> None:
        """Listen for Home Assistant."""
        self._server = await asyncio.start_server(self._serve, self.host, self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def lose_power(self) -> None:
        """Drop all connections without closing them properly."""
        if (server := self._server) is not None:
            self._server = None
            server.close()
            self.drop_clients()
            await server.wait_closed()

    def drop_clients(self) -> None:
        """Abort all connections; new ones are accepted."""
        for client in [*self._clients]:
            client.transport.abort()

    @property
    def is_connected(self) -> bool:
        """Return whether any client is connected."""
        return bool(self._clients)

    async def press(self, timings: Sequence[int]) -> None:
        """Receive the signal of a remote control: marks positive, spaces negative, in µs.

        Each part is reported after a silence of `idle_us`, at the same time as by a real device.
        """
        loop = asyncio.get_running_loop()
        at = loop.time()
        for piece, dark_us in _cut(timings, self.idle_us):
            at += sum(map(abs, piece)) / 1e6
            await asyncio.sleep(max(0, at + self.idle_us / 1e6 - loop.time()))
            self.receive([*piece, -self.idle_us])
            at += dark_us / 1e6

    def receive(self, timings: Sequence[int]) -> None:
        """Report received timings immediately."""
        self.send(api_pb2.InfraredRFReceiveEvent(key=RECEIVER_KEY, timings=timings))

    def send(self, message: Message) -> None:
        """Send a message to all clients."""
        self.send_bytes(_frame(message))

    def send_bytes(self, data: bytes) -> None:
        """Send raw bytes to all clients."""
        for client in self._clients:
            client.write(data)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._clients.add(writer)
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                while True:
                    await reader.readexactly(1)
                    length = await _read_varint(reader)
                    type_ = MESSAGE_TYPE_TO_PROTO.get(await _read_varint(reader))
                    body = await reader.readexactly(length)
                    if type_ is None:
                        continue  # a request of a newer client that this device does not support
                    request = type_.FromString(body)
                    self.requests.append(type_.__name__)
                    for answer in self._answers(request):
                        writer.write(_frame(answer))
                    if isinstance(request, api_pb2.DisconnectRequest):
                        break
        finally:
            self._clients.discard(writer)
            writer.close()

    def _answers(self, request: Message) -> Iterator[Message]:
        match request:
            case api_pb2.HelloRequest():
                major, minor = API_VERSION
                yield api_pb2.HelloResponse(
                    api_version_major=major,
                    api_version_minor=minor,
                    server_info=f"{self.name} (esphome v2026.10.0)",
                    name=self._id,
                )
            case api_pb2.AuthenticationRequest():
                yield api_pb2.AuthenticationResponse()
            case api_pb2.PingRequest():
                yield api_pb2.PingResponse()
            case api_pb2.DisconnectRequest():
                yield api_pb2.DisconnectResponse()
            case api_pb2.DeviceInfoRequest():
                yield api_pb2.DeviceInfoResponse(
                    name=self._id,
                    friendly_name=self.name,
                    mac_address=self.mac,
                    esphome_version="2026.10.0",
                    model="esp32dev",
                    manufacturer="Espressif",
                )
            case api_pb2.ListEntitiesRequest():
                yield api_pb2.ListEntitiesInfraredResponse(
                    object_id="emitter",
                    key=EMITTER_KEY,
                    name="Emitter",
                    capabilities=InfraredCapability.TRANSMITTER,
                )
                yield api_pb2.ListEntitiesInfraredResponse(
                    object_id="receiver",
                    key=RECEIVER_KEY,
                    name="Receiver",
                    capabilities=InfraredCapability.RECEIVER,
                    receiver_frequency=38_000,
                )
                yield api_pb2.ListEntitiesDoneResponse()
            case api_pb2.InfraredRFTransmitRawTimingsRequest(key=key, timings=timings):
                if key == EMITTER_KEY:
                    self.transmitted.append([*timings])

    @property
    def _id(self) -> str:
        return self.name.lower().replace(" ", "-")


def _cut(timings: Sequence[int], idle_us: int) -> Iterator[tuple[list[int], int]]:
    """Yield the parts of a signal, split at silences of `idle_us`, with the silence after each."""
    piece: list[int] = []
    for duration in timings:
        if duration <= -idle_us:
            yield piece, -duration
            piece = []
        else:
            piece.append(duration)
    if piece:
        yield piece, 0


def _frame(message: Message) -> bytes:
    body = message.SerializeToString()
    return b"\0" + _varint(len(body)) + _varint(_TYPES[type(message)]) + body


def _varint(number: int) -> bytes:
    """Return a varint: groups of seven bits, lowest first; all but the last have the high bit."""
    groups = bytearray()
    while number > _SEVEN_BITS:
        groups.append(number & _SEVEN_BITS | 0x80)
        number >>= 7
    return bytes([*groups, number])


async def _read_varint(reader: asyncio.StreamReader) -> int:
    number = shift = 0
    while True:
        [group] = await reader.readexactly(1)
        number |= (group & _SEVEN_BITS) << shift
        if not group & 0x80:
            return number
        shift += 7
