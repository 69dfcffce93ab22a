"""The smart-plug families: SP1, SP2 with and without a meter, SP3 with a night light.

SP1:   command 0x66, [0] = on; the reply's header alone confirms
SP2:   16 bytes; [0]=1 reads, [0]=2 sets [4]; the state comes back at [4]
SP2S:  [0]=4 reads the power, milliwatts at [4:7]
SP3:   as SP2 with bit 0 for power and bit 1 for the night light
SP3S:  08 00 fe 01 05 01 00 00 00 2d reads the power, BCD hundredths at [5:8]
"""

from enum import Enum

from .family import COMMAND_DATA, COMMAND_SP1, NOT_SUPPORTED, DeviceError, State

BLOCK = 16
GET, SET, ENERGY = 1, 2, 4
ENERGY_BCD = bytes.fromhex("0800fe0105010000002d")
POWER_BIT, NIGHT_LIGHT_BIT = 1, 2


class Kind(Enum):
    """The plug families."""

    SP1 = "sp1"
    SP2 = "sp2"
    SP2S = "sp2s"
    SP3 = "sp3"
    SP3S = "sp3s"


class Plug:
    """Switches one socket, and measures it when it can."""

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
                reply[5:8] = bytes.fromhex(f"{round(self._watts * 100):06d}")[::-1]
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
