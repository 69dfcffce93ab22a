"""The switching families: plugs of three generations, and power strips."""

from enum import Enum
import json
import math

from .family import (
    COMMAND_DATA,
    COMMAND_SP1,
    MESSAGE_HEADER,
    NOT_SUPPORTED,
    STORAGE,
    STRUCTURE,
    DeviceError,
    State,
    check_message,
    make_message,
    now,
)

BLOCK = 16
GET, SET, ENERGY = 1, 2, 4
ENERGY_BCD = bytes.fromhex("0800fe0105010000002d")
POWER_BIT, NIGHT_LIGHT_BIT = 1, 2


def _bcd(value: float, size: int) -> bytes:
    """Return `value`, rounded, as little-endian binary-coded decimals."""
    return bytes.fromhex(f"{round(value):0{2 * size}d}")[::-1]


class Kind(Enum):
    """The plug families with a payload of their own."""

    SP1 = "sp1"
    SP2 = "sp2"
    SP2S = "sp2s"
    SP3 = "sp3"
    SP3S = "sp3s"


class Plug:
    """Switches one socket, and measures it if supported: SP1 to SP3.

    SP1:   command 0x66, [0] = on; the reply's header alone confirms
    SP2:   16 bytes; [0]=1 reads, [0]=2 sets [4]; the state comes back at [4]
    SP2S:  [0]=4 reads the power, milliwatts at [4:7]
    SP3:   as SP2 with bit 0 for power and bit 1 for the night light
    SP3S:  08 00 fe 01 05 01 00 00 00 2d reads the power, BCD hundredths at [5:8]
    """

    def __init__(self, kind: Kind, state: State) -> None:
        self._kind = kind
        self._state = state

    def reboot(self) -> None:
        """Keep everything: plugs remember their state through a power cut."""

    def name(self, command: int, payload: bytes) -> str:
        """Return the request's name."""
        if command == COMMAND_SP1:
            return "set"
        if payload.startswith(ENERGY_BCD):
            return "energy"
        return {GET: "status", SET: "set", ENERGY: "energy"}.get(payload[0], "unknown")

    def answer(self, command: int, payload: bytes) -> bytes:
        """Act on a request."""
        if (command == COMMAND_SP1) != (self._kind is Kind.SP1):
            raise DeviceError(NOT_SUPPORTED)
        if command == COMMAND_SP1:
            self._state.power = bool(payload[0])
            return b""
        reply = bytearray(BLOCK)
        match self.name(COMMAND_DATA, payload):
            case "status":
                reply[4] = self._bits()
            case "set":
                self._set(payload[4])
                reply[4] = self._bits()
            case "energy" if self._kind is Kind.SP2S and payload[0] == ENERGY:
                reply[4:7] = round(self._watts * 1000).to_bytes(3, "little")
            case "energy" if self._kind is Kind.SP3S and payload[0] != ENERGY:
                reply[5:8] = _bcd(self._watts * 100, 3)
            case _:
                raise DeviceError(NOT_SUPPORTED)
        return bytes(reply)

    @property
    def _watts(self) -> float:
        return self._state.watts if self._state.power else 0.0

    def _bits(self) -> int:
        light = self._kind is Kind.SP3 and self._state.night_light
        return self._state.power * POWER_BIT | light * NIGHT_LIGHT_BIT

    def _set(self, bits: int) -> None:
        self._state.power = bool(bits & POWER_BIT)
        if self._kind is Kind.SP3:
            self._state.night_light = bool(bits & NIGHT_LIGHT_BIT)


class Meter(Enum):
    """The meter values in a plug's JSON."""

    NONE = "none"
    """None, or -1 for each key."""
    ALL = "all"
    """Measured values."""
    GHOST = "ghost"
    """0 while off and -1 while on: the plug has no meter."""


class JsonPlug:
    """Switches and reports its state in JSON: SP4, SP4B, BG1.

    A message (see `check_message`) whose data is a JSON object; all but the SP4 and similar
    plugs prefix its length. Operation 1 reads, operation 2 sets the given keys; both are answered
    with the whole state. Meters count in thousandths.
    """

    def __init__(self, state: State, *, framed: bool, meter: Meter, sockets: int = 0) -> None:
        self._state = state
        self._framed = framed
        self._meter = meter
        self._sockets = sockets
        self._settings = {"maxworktime": 0, "childlock": 0, "indicator": 1}

    def reboot(self) -> None:
        """Keep everything: plugs remember their state through a power cut."""

    def _message(self, payload: bytes) -> bytes:
        if not self._framed:
            return payload
        length = int.from_bytes(payload[:2], "little")
        if length < MESSAGE_HEADER:
            raise DeviceError(STORAGE)
        return payload[2 : 2 + length]

    def name(self, command: int, payload: bytes) -> str:  # noqa: ARG002  (Family's signature)
        """Return the request's name."""
        operation = payload[8 if self._framed else 6]
        return {GET: "status", SET: "set"}.get(operation, "unknown")

    def answer(self, command: int, payload: bytes) -> bytes:
        """Act on a request."""
        message = self._message(payload)
        check_message(message)
        size = int.from_bytes(message[8:MESSAGE_HEADER], "little")
        match self.name(command, payload):
            case "status":
                pass
            case "set":
                self._set(message[MESSAGE_HEADER : MESSAGE_HEADER + size])
            case _:
                raise DeviceError(NOT_SUPPORTED)
        reply = make_message(message[6], json.dumps(self._tell()).encode())
        return len(reply).to_bytes(2, "little") + reply if self._framed else reply

    def _set(self, data: bytes) -> None:
        try:
            requested = json.loads(data)
        except ValueError:
            raise DeviceError(STRUCTURE) from None
        if not isinstance(requested, dict):
            raise DeviceError(STRUCTURE)
        for key, value in requested.items():
            match key:
                case "pwr":
                    self._state.power = bool(value)
                case "ntlight":
                    self._state.night_light = bool(value)
                case "pwr1" | "pwr2" | "pwr3":
                    self._state.slots[int(key[-1]) - 1] = bool(value)
                case _:
                    self._settings[key] = value

    def _tell(self) -> dict[str, int]:
        state = self._state
        reported = {"pwr": int(state.power)} | self._settings
        if self._sockets:
            return reported | {f"pwr{i + 1}": int(state.slots[i]) for i in range(self._sockets)}
        reported["ntlight"] = int(state.night_light)
        meter = {
            "current": state.amperes if state.power else 0.0,
            "volt": state.volts,
            "power": state.watts if state.power else 0.0,
            "totalconsum": state.kilowatt_hours,
        }
        match self._meter:
            case Meter.ALL:
                reported |= {key: round(value * 1000) for key, value in meter.items()}
            case Meter.GHOST:
                reported |= dict.fromkeys(meter, -1 if state.power else 0)
            case Meter.NONE if self._framed:
                reported |= dict.fromkeys(meter, -1)
        if "volt" in reported:
            reported["overload"] = -1 if self._framed else 0
        return reported


class Strip:
    """Switches four slots in one mask, and measures them together if supported: MP1, MP1S.

    u16 length and a message (see `check_message`). Operation 2 sets: the mask at 0x0D,
    its new value at 0x0E. Operation 1 reads: the mask comes back at 0x0E; with 4 at
    0x0A the meter, little-endian BCD: volts / 10 at 0x11 (2 bytes), amperes / 10,000
    at 0x13 (3), watts / 100 at 0x16 (3), kWh / 100 at 0x19 (4).
    """

    def __init__(self, state: State, *, metered: bool = False) -> None:
        self._state = state
        self._metered = metered
        self._before = state.slots
        self._changed_at = -math.inf

    def reboot(self) -> None:
        """Keep everything: a strip remembers its slots through a power cut."""

    def name(self, command: int, payload: bytes) -> str:  # noqa: ARG002  (Family's signature)
        """Return the request's name."""
        if payload[8] == GET and payload[0x0A] == ENERGY:
            return "energy"
        return {GET: "status", SET: "set"}.get(payload[8], "unknown")

    def answer(self, command: int, payload: bytes) -> bytes:
        """Act on a request."""
        check_message(payload[2 : 2 + int.from_bytes(payload[:2], "little")])
        match self.name(command, payload):
            case "set":
                self._set(mask=payload[0x0D], value=payload[0x0E])
            case "status":
                pass
            case "energy" if self._metered:
                return self._measure()
            case _:
                raise DeviceError(NOT_SUPPORTED)
        reply = bytearray(BLOCK)
        lagging = now() < self._changed_at + self._state.lag
        slots = self._before if lagging else self._state.slots
        reply[0x0E] = sum(on << slot for slot, on in enumerate(slots))
        return bytes(reply)

    def _measure(self) -> bytes:
        reply = bytearray(2 * BLOCK)
        for offset, size, value in (
            (0x11, 2, self._state.volts * 10),
            (0x13, 3, self._state.amperes * 10_000),
            (0x16, 3, self._state.watts * 100),
            (0x19, 4, self._state.kilowatt_hours * 100),
        ):
            reply[offset : offset + size] = _bcd(value, size)
        return bytes(reply)

    def _set(self, *, mask: int, value: int) -> None:
        self._before, self._changed_at = list(self._state.slots), now()
        for slot in range(len(self._state.slots)):
            if mask & 1 << slot:
                self._state.slots[slot] = bool(value & 1 << slot)
