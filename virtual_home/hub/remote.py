"""The remote-control families: RM pro, RM mini, and the RM4 framing of newer firmware.

RM pro and mini:            u32 command, data
RM mini B, RM4 mini, pro:   u16 len(data) + 4, u32 command, data

Replies have the same shape. Packets carry their own length (u16 at 2, counted
from byte 4), so padding after them is not part of what is transmitted.
"""

from dataclasses import dataclass
from enum import IntEnum
from random import Random
from typing import Literal

from .family import NOT_SUPPORTED, STORAGE, STRUCTURE, DeviceError, Parts, Transmission, now
from .faults import Quirks
from .frame import BLOCK

IR = 0x26
LEARN_WINDOW_S = (25.0, 40.0)  # range of times after which an RM4 pro stops learning
SWEEP_WINDOW_S = 15.0  # the light of an RM4 pro goes out after 12 to 15 s
SWEEP_BEGINS_KHZ = 430_000  # reported until the sweep is over, and if it failed
FOUND, FAILED = 1, 4
NOISE_S = 18.0  # between two captures of an idle RM4 mini (measured by Broadlink2MQTT)
NOISE_GRID_US, NOISE_STEPS = 21_400, (1, 1, 2, 2, 3, 4, 5)  # spaces are multiples of the grid
NOISE_MARKS_US, NOISE_PULSES = (160, 660), (7, 14)
EARLIER_TICKS = bytes.fromhex("0d0e0f102a2b2c")  # of an air conditioner's remote control
MEMORY_BLOCKS = 4096  # more than fits into one datagram

COMMAND_SIZE = 4
PACKET_HEADER = 4
STATE_SIZE = 0x88
STUCK_FROM, STUCK_TO, STUCK_AT = 22.9, 23.1, -7.0
"""An RM pro reports -7 while it is around 23 degrees (core issues 50098, 42100)."""

TICK_S = 8192 / 269 / 1e6
CAPTURE_END = bytes.fromhex("000d05")  # the silence that ends a capture
CARRIER_MARK = 0xC0  # byte 1 of an RM4 pro's radio captures, instead of the number of repeats
CARRIERS_KHZ = range(100_000, 1_000_001)
INFRARED = 0x26
CARRIER_HEADER = 8

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


type Listening = Literal["ir", "rf", "sweep"]


class Receiver:
    """Listens for one kind of signal at a time and stores one capture.

    The capture is dropped when listening ends or restarts: by a transmission, by another client
    that learns or cancels, or by the client itself. `lost` counts dropped captures that were never
    read. Captures overwrite each other in memory, so remnants of earlier ones, initially random,
    follow a capture.
    """

    def __init__(self, random: Random, quirks: Quirks) -> None:
        self._quirks = quirks
        self._noise_at = 0.0
        self._memory = bytearray(bytes(random.choices(EARLIER_TICKS, k=BLOCK)) * MEMORY_BLOCKS)
        self.window: float | None = None
        """Seconds until the hub leaves learning mode; None for random ones, as with real hubs."""
        self.sweep_window = SWEEP_WINDOW_S
        self.capture: bytes | None = None
        self.carrier_khz: int | None = None
        self.asked_khz: int | None = None
        self.lost = 0
        self._random = random
        self._read = False
        self._listening: Listening | None = None
        self._until = 0.0

    @property
    def listening(self) -> Listening | None:
        """Return the kind of signal listened for; None if idle, after a capture or a timeout."""
        if self.capture is None and now() < self._until:
            return self._listening
        return None

    def listen(self, kind: Listening, *, asked_khz: int | None = None) -> None:
        """Listen for a signal, dropping any earlier capture."""
        self.idle()
        self._listening = kind
        window = self._random.uniform(*LEARN_WINDOW_S) if self.window is None else self.window
        self._until = now() + (self.sweep_window if kind == "sweep" else window)
        self.asked_khz = asked_khz
        if kind == "ir" and self._quirks.noise and now() >= self._noise_at:
            self._noise_at = now() + NOISE_S
            self._hear(noise(self._random))
            self._read = True  # noise does not count as lost

    def idle(self) -> None:
        """Stop listening and drop the capture."""
        self.lost += self.capture is not None and not self._read
        self._listening = self.capture = self.carrier_khz = None

    def press(self, packet: bytes) -> bool:
        """Receive the packet of a button; return whether it was listened for."""
        if self.listening != ("ir" if packet[:1] == bytes((IR,)) else "rf"):
            return False
        self._hear(packet)
        return True

    def _hear(self, packet: bytes) -> None:
        self.capture, self._read = packet, False
        self._memory[: len(packet)] = packet

    def read(self) -> bytes | None:
        """Return the capture; it can be read repeatedly."""
        self._read = True
        return self.capture

    def remnants(self, size: int) -> bytes:
        """Return the `size` bytes in memory after the capture."""
        end = len(self.capture or b"")
        return bytes(self._memory[end : end + size])

    def hold(self, frequency_mhz: float) -> bool:
        """Receive a radio remote's button held down; return whether a sweep was running."""
        if self.listening != "sweep":
            return False
        self.carrier_khz = round(frequency_mhz * 1000)
        return True

    def fail_sweep(self) -> None:
        """End a sweep as if the button was pressed too briefly."""
        if self.listening == "sweep":
            self._until = 0.0

    def sweep_result(self) -> tuple[int, int]:
        """Return the flag and the kHz of the sweep: 1 found, 0 not yet, 4 failed."""
        if self.carrier_khz is not None:
            return FOUND, self.carrier_khz
        failed = self._listening == "sweep" and self.listening is None
        return FAILED if failed else 0, SWEEP_BEGINS_KHZ


@dataclass(frozen=True, kw_only=True)
class Abilities:
    """Differences between the models."""

    framed: bool = False  # the RM4 framing
    rf: bool = False
    thermometer: bool = False  # in the reply to STATE
    sensors: bool = False  # answers SENSORS
    nothing_yet: int = STORAGE  # the error for "nothing captured yet"


def _signed(value: float, fraction: int) -> bytes:
    """Return a reading encoded as whole part and fraction, two signed bytes."""
    scaled = round(value * fraction)
    whole = int(scaled / fraction)
    return bytes((whole & 0xFF, (scaled - whole * fraction) & 0xFF))


def noise(random: Random) -> bytes:
    """Return a capture of ambient infrared: short pulses, and spaces on a grid of some 20 ms."""
    pulses: list[bytes] = []
    for _ in range(random.randint(*NOISE_PULSES)):
        space_us = NOISE_GRID_US * random.choice(NOISE_STEPS) - random.randint(0, 400)
        mark_us = random.randint(*NOISE_MARKS_US)
        mark, space = (round(us / 1e6 / TICK_S) for us in (mark_us, space_us))
        pulses.append(bytes((mark, 0)) + space.to_bytes(2))
    body = b"".join(pulses)[: -len(CAPTURE_END)] + CAPTURE_END
    return bytes((IR, 0)) + len(body).to_bytes(2, "little") + body


def air_time(packet: bytes) -> float:
    """Return the duration of a packet's transmission in seconds, including repeats."""
    khz = int.from_bytes(packet[PACKET_HEADER:CARRIER_HEADER], "little")
    carrier = packet[0] != INFRARED and packet[1] == CARRIER_MARK and khz in CARRIERS_KHZ
    ticks, durations = 0, iter(packet[CARRIER_HEADER if carrier else PACKET_HEADER :])
    for tick in durations:
        ticks += tick or (next(durations, 0) << 8) + next(durations, 0)
    return ticks * TICK_S * (1 if carrier else 1 + packet[1])


class Remote:
    """Learns, transmits and measures as an RM hub does."""

    def __init__(self, abilities: Abilities, parts: Parts) -> None:
        self._abilities = abilities
        self._state = parts.state
        self._logs = parts.logs
        self._quirks = parts.quirks
        self._identity = parts.identity
        self._transmits = parts.transmits
        self.receiver = Receiver(parts.random, parts.quirks)

    def reboot(self) -> None:
        """Stop learning."""
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
        """Execute a command."""
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
            flag, khz = self.receiver.sweep_result()
            return bytes((flag,)) + khz.to_bytes(4, "little")
        if number == Command.SWEEP:
            self.receiver.listen("sweep")
        else:
            self.receiver.listen("rf", asked_khz=int.from_bytes(data[:4], "little") or None)
        return b""

    def _read(self) -> bytes:
        if (capture := self.receiver.read()) is None:
            raise DeviceError(self._abilities.nothing_yet)
        if self._abilities.framed or not self._quirks.remnants:
            return capture
        return capture + self.receiver.remnants(-(COMMAND_SIZE + len(capture)) % BLOCK)

    def _describe(self) -> bytes:
        name, locked = self._identity()
        reply = bytearray(STATE_SIZE)
        if self._abilities.thermometer:
            temperature = self._state.temperature
            stuck = STUCK_FROM <= temperature <= STUCK_TO
            reply[:2] = _signed(STUCK_AT if stuck else temperature, 10)
        encoded = name.encode(errors="surrogateescape")[: LOCK_OFFSET - NAME_OFFSET - 1]
        reply[NAME_OFFSET : NAME_OFFSET + len(encoded)] = encoded
        reply[LOCK_OFFSET] = locked
        return bytes(reply)

    def _transmit(self, data: bytes) -> None:
        end = PACKET_HEADER + int.from_bytes(data[2:PACKET_HEADER], "little")
        if not PACKET_HEADER < end < len(data) + BLOCK:
            raise DeviceError(STRUCTURE)
        self.receiver.idle()  # sender and receiver share one front end: sending ends learning
        packet = data[:end].ljust(end, b"\0")  # the padding of the cipher consists of zeros
        begins = max(now(), self._logs.busy_until)
        ends = begins + self._quirks.air_time * air_time(packet)
        self._logs.transmitted.append(Transmission(packet, begins))
        self._logs.busy_until = ends
        self._transmits(packet)
