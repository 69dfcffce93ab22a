"""What every device family has in common: state, logs, and one method that answers."""

from collections import deque
from dataclasses import dataclass, field
from typing import Protocol

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


class DeviceError(Exception):
    """A refusal: the error code goes into the reply's header."""

    def __init__(self, code: int) -> None:
        super().__init__(f"device error {code}")
        self.code = code


@dataclass(frozen=True)
class Transmission:
    """One packet sent into the room: its bytes up to the header's length, and when."""

    packet: bytes
    at: float


@dataclass(frozen=True)
class Received:
    """One request the hub acted on: its name ("send", "learn", "status" …) and when."""

    name: str
    at: float


@dataclass
class State:
    """What a device measures and switches. A family reads the fields it has."""

    temperature: float = 21.5
    humidity: float = 45.0
    light: int = 2
    air_quality: int = 1
    noise: int = 0
    power: bool = False
    night_light: bool = False
    watts: float = 0.0
    slots: list[bool] = field(default_factory=lambda: [False] * 4)
    lag: float = 0.0  # seconds for which a strip reports the slots as they were


@dataclass
class Logs:
    """What happened, newest last; times are `time.monotonic()`."""

    transmitted: deque[Transmission] = field(default_factory=lambda: deque(maxlen=LOG_LENGTH))
    received: deque[Received] = field(default_factory=lambda: deque(maxlen=LOG_LENGTH))


class Family(Protocol):
    """One kind of device: answers decrypted requests."""

    def name(self, command: int, payload: bytes) -> str:
        """Return the request's name for the log."""
        ...

    def answer(self, command: int, payload: bytes) -> bytes:
        """Act on a request and return the reply's plain payload.

        Raises DeviceError for what the device refuses.
        """
        ...

    def reboot(self) -> None:
        """Forget what a power cut makes such a device forget."""
        ...
