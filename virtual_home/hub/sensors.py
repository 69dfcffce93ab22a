"""The air-sensor families A1 and A2."""

from .family import MESSAGE_HEADER, NOT_SUPPORTED, STORAGE, DeviceError, State, check_message

READ = 1
A1_REPLY_SIZE = 16
A2_REPLY_SIZE = 32


class AirSensor:
    """Measures temperature, humidity, light, air quality and noise: the A1.

    [0]=1 reads: temperature at 4 (whole) and 5 (tenths), humidity at 6 and 7,
    light at 8, air quality at 0x0A, noise at 0x0C. Clients read all bytes as unsigned, so -7
    degrees are received as 249.
    """

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
        reply = bytearray(A1_REPLY_SIZE)
        for offset, reading in ((4, self._state.temperature), (6, self._state.humidity)):
            whole, tenths = divmod(round(reading * 10), 10)
            reply[offset : offset + 2] = bytes((whole & 0xFF, tenths))
        reply[0x08] = self._state.light
        reply[0x0A] = self._state.air_quality
        reply[0x0C] = self._state.noise
        return bytes(reply)


class DustSensor:
    """Measures temperature, humidity and three sizes of particles: the A2.

    u16 length and a message (see `check_message`); operation 1 is answered with
    big-endian u16: PM10 at 0x0D, PM2.5 at 0x0F, PM1 at 0x11, temperature at 0x13,
    humidity at 0x15. `broadlink` 0.19.0 announces two bytes too few, which real
    devices answer with -5.
    """

    def __init__(self, state: State) -> None:
        self._state = state

    def reboot(self) -> None:
        """Keep everything: there is nothing to lose."""

    def name(self, command: int, payload: bytes) -> str:  # noqa: ARG002  (Family's signature)
        """Return the request's name."""
        return "sensors" if payload[8] == READ else "unknown"

    def answer(self, command: int, payload: bytes) -> bytes:  # noqa: ARG002  (Family's signature)
        """Act on a request."""
        length = int.from_bytes(payload[:2], "little")
        if length < MESSAGE_HEADER:
            raise DeviceError(STORAGE)
        check_message(payload[2 : 2 + length])
        if payload[8] != READ:
            raise DeviceError(NOT_SUPPORTED)
        reply = bytearray(A2_REPLY_SIZE)
        for offset, reading in (
            (0x0D, self._state.pm10),
            (0x0F, self._state.pm2_5),
            (0x11, self._state.pm1),
            (0x13, round(self._state.temperature)),
            (0x15, round(self._state.humidity)),
        ):
            reply[offset : offset + 2] = reading.to_bytes(2, "big")
        return bytes(reply)
