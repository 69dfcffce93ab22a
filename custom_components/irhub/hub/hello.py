"""Hello packets: identification of the device at an address, or of all devices in a network.

A hello has 48 bytes: the local time at 0x08, the sender's address at 0x18 and port at 0x1C, 6 at
0x26, and at 0x20 the sum of all bytes. An answer has at least 128: device type at 0x34, MAC
address reversed at 0x3A, name from 0x40 to the first zero, at 0x7F whether the device is
locked. The library's own functions discard all answers if one name is not valid UTF-8.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
import socket
from typing import Final, override

from .library import RESEND_S, HubDevice, local_time, make_device

type Address = tuple[str, int]
"""IPv4 address and port."""

BROADCAST_S: Final = 3.0
"""How long a broadcast waits for answers, in seconds; the hello is sent three times."""
MAX_ANSWERS: Final = 256
"""Maximum number of answers to one broadcast; further ones are ignored."""
_EVERYBODY: Final = "255.255.255.255"
_ANY_INTERFACE: Final = "0.0.0.0"  # noqa: S104  # nosec B104 - answers may arrive on any
_ANSWER_BYTES: Final = 0x80


async def hello(address: str, port: int, timeout: float) -> HubDevice:
    """Return the device at an address.

    Raise TimeoutError if there is no answer within `timeout` seconds, another OSError if the hello
    cannot be sent.
    """
    answer: asyncio.Future[HubDevice] = asyncio.get_running_loop().create_future()

    def answered(device: HubDevice) -> None:
        if not answer.done():
            answer.set_result(device)

    def failed(err: Exception) -> None:
        if not answer.done():
            answer.set_exception(err)

    async with (
        asyncio.timeout(timeout),
        _hello_to((address, port), _ANY_INTERFACE, answered, failed) as send,
    ):
        while not answer.done():
            send()
            await asyncio.wait([answer], timeout=RESEND_S)
        return answer.result()


async def broadcast(
    local_addresses: Iterable[str],
    port: int,
    answered: Callable[[HubDevice], object],
    timeout: float = BROADCAST_S,
) -> None:
    """Send a hello to all devices in the networks of these addresses; call `answered` with each.

    It takes `timeout` seconds. Unreadable answers and interfaces that are down are ignored; a
    device may answer more than once.
    """

    async def ask(local_address: str) -> None:
        count = 0

        def answered_here(device: HubDevice) -> None:
            nonlocal count
            if (count := count + 1) <= MAX_ANSWERS:
                answered(device)

        # A socket bound to an interface's address broadcasts on that interface.
        to = _EVERYBODY, port
        with suppress(OSError):  # includes TimeoutError
            async with (
                asyncio.timeout(timeout),
                _hello_to(to, local_address, answered_here, lambda _err: None) as send,
            ):
                while True:
                    send()
                    await asyncio.sleep(RESEND_S)

    await asyncio.gather(*map(ask, set(local_addresses)))


class _Answers(asyncio.DatagramProtocol):
    """Passes on every readable answer."""

    def __init__(
        self, answered: Callable[[HubDevice], object], failed: Callable[[Exception], object]
    ) -> None:
        self._answered = answered
        self._failed = failed

    @override
    def datagram_received(self, data: bytes, addr: Address) -> None:
        if len(data) >= _ANSWER_BYTES:
            self._answered(_read(data, addr))

    @override
    def error_received(self, exc: Exception) -> None:
        self._failed(exc)


@asynccontextmanager
async def _hello_to(
    to: Address,
    local_address: str,
    answered: Callable[[HubDevice], object],
    failed: Callable[[Exception], object],
) -> AsyncIterator[Callable[[], None]]:
    """Open a socket, and yield a function that sends one hello."""
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: _Answers(answered, failed),
        local_addr=(local_address, 0),
        family=socket.AF_INET,
        allow_broadcast=True,
    )
    try:
        question = _question(*transport.get_extra_info("sockname"))
        yield lambda: transport.sendto(question, to)
    finally:
        transport.close()


def _question(local_address: str, port: int) -> bytes:
    question = bytearray(0x30)
    question[0x08:0x14] = local_time()
    question[0x18:0x1C] = socket.inet_aton(local_address)[::-1]
    question[0x1C:0x1E] = port.to_bytes(2, "little")
    question[0x26] = 6
    question[0x20:0x22] = (sum(question, 0xBEAF) & 0xFFFF).to_bytes(2, "little")
    return bytes(question)


def _read(answer: bytes, address: Address) -> HubDevice:
    """Return the device that an answer of at least 128 bytes describes."""
    return make_device(
        int.from_bytes(answer[0x34:0x36], "little"),
        address,
        answer[0x3A:0x40][::-1],
        name=answer[0x40:0x7F].split(b"\0")[0].decode(errors="replace"),
        is_locked=bool(answer[0x7F]),
    )
