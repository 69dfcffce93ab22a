"""The interface of device families, and their shared parts and errors."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from .faults import Quirks
from .frame import checksum

LOG_LENGTH = 20_000

# Errors a device puts into a reply's header.
AUTHENTICATION = -1
NOT_SUPPORTED = -4
STORAGE = -5
STRUCTURE = -6
AUTHORIZATION = -7
READ = -10

COMMAND_AUTH = 0x65
COMMAND_SP1 = 0x66
COMMAND_DATA = 0x6A

MESSAGE_MAGIC = bytes.fromhex("a5a55a5a")
MESSAGE_HEADER = 12


def now() -> float:
    """Return the event loop time, which delays of replies use."""
    return asyncio.get_running_loop().time()


class DeviceError(Exception):
    """A refused request, with the error code for the reply's header."""

    def __init__(self, code: int) -> None:
        super().__init__(f"device error {code}")
        self.code = code


@dataclass(frozen=True)
class Transmission:
    """A transmitted packet, cut to the length in its header, and when its transmission began."""

    packet: bytes
    at: float


@dataclass(frozen=True)
class Received:
    """An executed request: its name ("send", "learn", "status" …) and time."""

    name: str
    at: float


@dataclass
class State:
    """Measurements and switches of a device. Each family uses the fields that it has."""

    temperature: float = 21.5
    humidity: float = 45.0
    light: int = 2
    air_quality: int = 1
    noise: int = 0
    pm10: int = 14
    pm2_5: int = 9
    pm1: int = 5
    power: bool = False
    night_light: bool = False
    watts: float = 0.0
    volts: float = 230.0
    amperes: float = 0.0
    kilowatt_hours: float = 0.0
    slots: list[bool] = field(default_factory=lambda: [False] * 4)
    lag: float = 0.0  # seconds for which a strip reports the slots as they were


@dataclass
class Logs:
    """Received requests and transmissions, newest last; times are those of `now`."""

    transmitted: deque[Transmission] = field(default_factory=lambda: deque(maxlen=LOG_LENGTH))
    received: deque[Received] = field(default_factory=lambda: deque(maxlen=LOG_LENGTH))
    busy_until: float = 0.0
    """When the current transmission ends; nothing is answered before."""


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The parts of a device that its family works with."""

    state: State
    logs: Logs
    quirks: Quirks
    random: Random
    identity: Callable[[], tuple[str, bool]]
    """Returns the device's current name and lock flag."""
    transmits: Callable[[bytes], None]
    """Called with each transmitted packet."""


def check_message(message: bytes) -> None:
    """Check a message of the newer families and of the strips.

        0 a5 a5 5a 5a   4 u16 checksum of the whole, itself as zero   6 operation
        7 0b            8 u32 length of the data (not in a strip's)  12 data

    Most families prefix a u16 with the message's length. Raise DeviceError if it is invalid.
    """
    if not message.startswith(MESSAGE_MAGIC) or checksum(message[:4] + message[6:]) != (
        int.from_bytes(message[4:6], "little")
    ):
        raise DeviceError(STRUCTURE)


def make_message(operation: int, data: bytes) -> bytes:
    """Return a message as `check_message` describes it."""
    message = bytearray(MESSAGE_HEADER) + data
    message[:4] = MESSAGE_MAGIC
    message[6:8] = bytes((operation, 0x0B))
    message[8:12] = len(data).to_bytes(4, "little")
    message[4:6] = checksum(bytes(message)).to_bytes(2, "little")
    return bytes(message)


class Family(Protocol):
    """A kind of device, which answers decrypted requests."""

    def name(self, command: int, payload: bytes) -> str:
        """Return the request's name for the log."""
        ...

    def answer(self, command: int, payload: bytes) -> bytes:
        """Execute a request and return the plain payload of the reply.

        Raise DeviceError if the device refuses it.
        """
        ...

    def reboot(self) -> None:
        """Drop the state that such a device loses in a power cut."""
        ...
