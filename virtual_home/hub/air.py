"""The air-sensor family A1: five readings in one reply.

[0]=1 reads: temperature at 4 (whole) and 5 (tenths), humidity at 6 and 7,
light at 8, air quality at 0x0A, noise at 0x0C. All bytes are unsigned for the
clients, so -7 degrees arrive as 249.
"""

from .family import NOT_SUPPORTED, DeviceError, State

READ = 1
REPLY_SIZE = 16


class AirSensor:
    """Measures temperature, humidity, light, air quality and noise."""

    def __init__(self, state: State) -> None:
        self._state = state

    def reboot(self) -> None:
        """Keep everything: there is nothing to lose."""

    def name(self, command: int, payload: bytes) -> str:  # noqa: ARG002  (Family's signature)
        """Return the request's name."""
        return "sensors" if payload[0] == READ else "unknown"

    def answer(self, command: int, payload: bytes) -> bytes:  # noqa: ARG002  (Family's signature)
        """Act on a request."""
        if payload[0] != READ:
            raise DeviceError(NOT_SUPPORTED)
        reply = bytearray(REPLY_SIZE)
        for offset, reading in ((4, self._state.temperature), (6, self._state.humidity)):
            whole, tenths = divmod(round(reading * 10), 10)
            reply[offset : offset + 2] = bytes((whole & 0xFF, tenths))
        reply[0x08] = self._state.light
        reply[0x0A] = self._state.air_quality
        reply[0x0C] = self._state.noise
        return bytes(reply)
