"""The remote-control families: RM pro, RM mini, and the RM4 framing of newer firmware.

RM pro and mini:            u32 command, data
RM mini B, RM4 mini, pro:   u16 len(data) + 4, u32 command, data

Replies have the same shape. Packets carry their own length (u16 at 2, counted
from byte 4), so padding after them is not part of what is transmitted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
import time

from .family import NOT_SUPPORTED, STORAGE, STRUCTURE, DeviceError, Logs, State, Transmission
from .receiver import Receiver

COMMAND_SIZE = 4
PACKET_HEADER = 4
STATE_SIZE = 0x88
NAME_OFFSET = 0x48
LOCK_OFFSET = 0x87


class Command(IntEnum):
    """The commands of the remote families."""

    STATE = 0x01
    SEND = 0x02
    LEARN = 0x03
    READ = 0x04
    SWEEP = 0x19
    CHECK_FREQUENCY = 0x1A
    FIND_RF = 0x1B
    CANCEL = 0x1E
    SENSORS = 0x24


RF_COMMANDS = {Command.SWEEP, Command.CHECK_FREQUENCY, Command.FIND_RF}


@dataclass(frozen=True, kw_only=True)
class Abilities:
    """What tells the models apart."""

    framed: bool = False  # the RM4 framing
    rf: bool = False
    thermometer: bool = False  # in the reply to STATE
    sensors: bool = False  # answers SENSORS
    nothing_yet: int = STORAGE  # the error for "nothing captured yet"


def _signed(value: float, fraction: int) -> bytes:
    """Encode a reading as whole part and fraction, two signed bytes."""
    scaled = round(value * fraction)
    whole = int(scaled / fraction)
    return bytes((whole & 0xFF, (scaled - whole * fraction) & 0xFF))


class Remote:
    """Learns, transmits and measures as an RM hub does."""

    def __init__(
        self,
        abilities: Abilities,
        state: State,
        logs: Logs,
        identity: Callable[[], tuple[str, bool]],
    ) -> None:
        self._abilities = abilities
        self._state = state
        self._logs = logs
        self._identity = identity
        self.receiver = Receiver()

    def reboot(self) -> None:
        """End any learning."""
        self.receiver.idle()

    def _split(self, payload: bytes) -> tuple[int, bytes]:
        if self._abilities.framed:
            length = int.from_bytes(payload[:2], "little")
            payload = payload[2 : 2 + length]
            if len(payload) < max(length, COMMAND_SIZE):
                raise DeviceError(STRUCTURE)
        return int.from_bytes(payload[:COMMAND_SIZE], "little"), payload[COMMAND_SIZE:]

    def name(self, command: int, payload: bytes) -> str:  # noqa: ARG002  (Family's signature)
        """Return the command's name."""
        try:
            return Command(self._split(payload)[0]).name.lower()
        except ValueError, DeviceError:
            return "unknown"

    def answer(self, command: int, payload: bytes) -> bytes:  # noqa: ARG002  (Family's signature)
        """Act on a command."""
        number, data = self._split(payload)
        reply = number.to_bytes(COMMAND_SIZE, "little") + self._act(number, data)
        return len(reply).to_bytes(2, "little") + reply if self._abilities.framed else reply

    def _act(self, number: int, data: bytes) -> bytes:
        if number in RF_COMMANDS:
            return self._act_on_radio(number, data)
        match number:
            case Command.STATE:
                return self._describe()
            case Command.READ:
                return self._read()
            case Command.SENSORS if self._abilities.sensors:
                return _signed(self._state.temperature, 100) + _signed(self._state.humidity, 100)
            case Command.SEND:
                self._transmit(data)
            case Command.LEARN:
                self.receiver.listen("ir")
            case Command.CANCEL:
                self.receiver.idle()
            case _:
                raise DeviceError(NOT_SUPPORTED)
        return b""

    def _act_on_radio(self, number: int, data: bytes) -> bytes:
        if not self._abilities.rf:
            raise DeviceError(NOT_SUPPORTED)
        if number == Command.CHECK_FREQUENCY:
            found = self.receiver.carrier_khz
            return bytes((found is not None,)) + (found or 0).to_bytes(4, "little")
        if number == Command.SWEEP:
            self.receiver.listen("sweep")
        else:
            self.receiver.listen("rf", asked_khz=int.from_bytes(data[:4], "little") or None)
        return b""

    def _read(self) -> bytes:
        if self.receiver.capture is None:
            raise DeviceError(self._abilities.nothing_yet)
        return self.receiver.capture

    def _describe(self) -> bytes:
        name, locked = self._identity()
        reply = bytearray(STATE_SIZE)
        if self._abilities.thermometer:
            reply[:2] = _signed(self._state.temperature, 10)
        encoded = name.encode()[: LOCK_OFFSET - NAME_OFFSET - 1]
        reply[NAME_OFFSET : NAME_OFFSET + len(encoded)] = encoded
        reply[LOCK_OFFSET] = locked
        return bytes(reply)

    def _transmit(self, data: bytes) -> None:
        end = PACKET_HEADER + int.from_bytes(data[2:PACKET_HEADER], "little")
        if not PACKET_HEADER < end <= len(data):
            raise DeviceError(STRUCTURE)
        self.receiver.idle()  # one front end for both: sending ends learning
        self._logs.transmitted.append(Transmission(data[:end], time.monotonic()))
