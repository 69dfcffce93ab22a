"""The power-strip family MP1: four slots in one mask.

A message is u16 length, a5 a5 5a 5a, u16 checksum (over everything after the
length, itself as zero), the operation at 8. Set (operation 2) carries the mask
at 0x0D and its new value at 0x0E; get (1) is answered with the mask at 0x0E.
"""

import math
import time

from .family import NOT_SUPPORTED, STRUCTURE, DeviceError, State
from .frame import checksum

MESSAGE_MAGIC = bytes.fromhex("a5a55a5a")
GET, SET = 1, 2
REPLY_SIZE = 16


class Strip:
    """Switches four slots."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._before = state.slots
        self._changed_at = -math.inf

    def reboot(self) -> None:
        """Keep everything: a strip remembers its slots through a power cut."""

    def name(self, command: int, payload: bytes) -> str:  # noqa: ARG002  (Family's signature)
        """Return the request's name."""
        return {GET: "status", SET: "set"}.get(payload[8], "unknown")

    def answer(self, command: int, payload: bytes) -> bytes:
        """Act on a request."""
        body = payload[2 : 2 + int.from_bytes(payload[:2], "little")]
        if body[:4] != MESSAGE_MAGIC or checksum(body[:4] + body[6:]) != int.from_bytes(
            body[4:6], "little"
        ):
            raise DeviceError(STRUCTURE)
        match self.name(command, payload):
            case "set":
                self._set(mask=payload[0x0D], value=payload[0x0E])
            case "status":
                pass
            case _:
                raise DeviceError(NOT_SUPPORTED)
        reply = bytearray(REPLY_SIZE)
        lagging = time.monotonic() < self._changed_at + self._state.lag
        slots = self._before if lagging else self._state.slots
        reply[0x0E] = sum(on << slot for slot, on in enumerate(slots))
        return bytes(reply)

    def _set(self, *, mask: int, value: int) -> None:
        self._before, self._changed_at = list(self._state.slots), time.monotonic()
        for slot in range(len(self._state.slots)):
            if mask & 1 << slot:
                self._state.slots[slot] = bool(value & 1 << slot)
