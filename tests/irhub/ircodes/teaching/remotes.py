"""Invented remote controls that encode states as those of real air conditioners do."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from custom_components.irhub.ircodes.packet.packet import from_timings
from custom_components.irhub.ircodes.states.capabilities import Capabilities, Levels
from custom_components.irhub.ircodes.states.state import OFF, Off, State

type Frames = list[Sequence[int]]
"""Bytes, sent in order."""

COMMON = Levels(
    fans=("auto", "low", "medium", "high"), temperatures=[float(t) for t in range(16, 31)]
)
SWINGING = Levels(fans=COMMON.fans, swings=("off", "on"), temperatures=COMMON.temperatures)


@dataclass
class RemoteControl:
    """Encodes states as packets, as a receiver receives them."""

    remote: Mapping[str, Levels]
    """Mode → its levels."""
    says: Callable[[State | Off, int], Frames]
    """A state and the number of the press → the bytes of each frame."""
    msb: bool = False
    jitter_us: int = 90
    presses: int = 0
    random: Random = field(default_factory=lambda: Random(36))

    @property
    def capabilities(self) -> Capabilities:
        """Return its capabilities."""
        return Capabilities(modes=self.remote)

    def press(self, state: State | Off) -> bytes:
        """Press the button for a state; return the packet as received."""
        self.presses += 1
        return self.packet(state, self.presses, self.jitter_us)

    def packet(self, state: State | Off, presses: int = 1, jitter_us: int = 0) -> bytes:
        """Return the packet sent for a state."""
        timings = self._timings(state, presses)
        if not jitter_us:
            return from_timings(timings)
        late = (self.random.randint(0, jitter_us) for _ in timings)
        return from_timings([duration + by for duration, by in zip(timings, late, strict=True)])

    def _timings(self, state: State | Off, presses: int) -> list[int]:
        timings: list[int] = []
        for frame in self.says(state, presses):
            timings += [4400, -4300]
            for byte in frame:
                for index in range(8):
                    bit = byte >> (7 - index if self.msb else index) & 1
                    timings += [550, -1600 if bit else -530]
            timings += [550, -20_000]
        return timings


_MODES = {"cool": 1, "heat": 4, "dry": 2, "fan_only": 3, "auto": 0}
_FANS = {"auto": 0, "low": 1, "medium": 2, "high": 5}


def sum_over_two_frames() -> RemoteControl:
    """Half degrees, a temperature and its complement; the sum is over both frames."""

    def says(state: State | Off, _: int) -> Frames:
        if state is OFF:
            return [[0x11, 0xDA, 0, 0], [0x42, 0, 0, 0x2D]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        count = round(2 * (state.temperature - 10))
        first = [0x11, 0xDA, _MODES[state.mode] << 4 | 1, count]
        second = [0x42, _FANS[state.fan or "auto"] << 4, count ^ 0xFF]
        return [first, [*second, (sum(first) + sum(second)) & 0xFF]]

    has = Levels(fans=COMMON.fans, temperatures=[t / 2 for t in range(32, 61)])
    return RemoteControl({"cool": has, "heat": has, "auto": has}, says)


def bytes_by_mode() -> RemoteControl:
    """Gray temperature; dry has one fan speed, fan_only one temperature; a sum of nibbles."""

    def says(state: State | Off, _: int) -> Frames:
        if state is OFF:
            return [[0x5A, 0x0F, 0x70, 0, 0, 0x33]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        count = round(state.temperature) - 16
        gray = 15 if state.mode == "fan_only" else count ^ count >> 1
        fan = 6 if state.mode == "dry" else _FANS[state.fan or "auto"]
        if state.mode == "fan_only" and state.fan == "auto":
            fan = 1
        kept = {"dry": 0x21, "fan_only": 0x07}.get(state.mode, 0x10)
        body = [0x5A, _MODES[state.mode] << 5 | fan, gray << 4 | (state.swing == "on"), kept, 0xC0]
        return [[*body, sum((one >> 4) + (one & 15) for one in body) & 0xFF]]

    return RemoteControl(dict.fromkeys(_MODES, SWINGING), says, msb=True)


def two_modes() -> RemoteControl:
    """Each attribute in bits of its own; a sum."""

    def says(state: State | Off, _: int) -> Frames:
        if state is OFF:
            return [[0x23, 0, 0, 0, 0x23]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        degrees = round(state.temperature) - 16
        body = [0x23, _MODES[state.mode], degrees, _FANS[state.fan or "auto"]]
        return [[*body, sum(body) & 0xFF]]

    return RemoteControl({"cool": COMMON, "heat": COMMON}, says)


def rolling_bit() -> RemoteControl:
    """One bit changes with each press; each byte is followed by its complement."""

    def says(state: State | Off, presses: int) -> Frames:
        if state is OFF:
            return [[0xA1, 0x5E, 0, 0xFF, 0x7B, 0x84]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        body = [
            0xA1,
            _MODES[state.mode] | _FANS[state.fan or "auto"] << 3 | presses % 2 << 7,
            round(state.temperature) | (state.swing == "on") << 6,
        ]
        return [[one for byte in body for one in (byte, byte ^ 0xFF)]]

    return RemoteControl({"cool": SWINGING, "heat": SWINGING, "dry": SWINGING}, says)


def clock_and_button() -> RemoteControl:
    """Clock and last button in each packet; a sum."""

    def says(state: State | Off, presses: int) -> Frames:
        minute, button = 17 + presses // 3, (1, 2, 2, 6)[presses // 5 % 4]
        if state is OFF:
            return [[0x33, 0, 0, minute, button, 0x2A]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        body = [
            0x33,
            _MODES[state.mode] | _FANS[state.fan or "auto"] << 4,
            round(state.temperature) - 16 | (state.swing == "on") << 6,
            minute,
            button,
        ]
        return [[*body, sum(body) & 0xFF]]

    return RemoteControl({"cool": SWINGING, "heat": SWINGING, "dry": SWINGING}, says)


def crc_and_digits() -> RemoteControl:
    """Fahrenheit as two decimal digits, a CRC-8; presets."""

    def crc(frame: Sequence[int]) -> int:
        value = 0
        for byte in frame:
            value ^= byte
            for _ in range(8):
                value = (value << 1 ^ (0x31 if value & 0x80 else 0)) & 0xFF
        return value

    def says(state: State | Off, _: int) -> Frames:
        if state is OFF:
            return [[0x23, 0xCB, 0, 0, 0x91]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        degrees = round(state.temperature)
        body = [
            0x23,
            0xCB | (state.preset == "eco") << 2,
            degrees // 10 << 4 | degrees % 10,
            _MODES[state.mode] << 4 | _FANS[state.fan or "auto"],
        ]
        return [[*body, crc(body)]]

    has = Levels(
        presets=("none", "eco"),
        fans=("low", "medium", "high"),
        temperatures=[float(t) for t in range(60, 87)],
    )
    return RemoteControl({"cool": has, "heat": has}, says, msb=True)


def another_in_each_mode() -> RemoteControl:
    """Dry has no fan speed, fan_only no temperature, heat begins at 20; a preset in cool; a sum."""

    def says(state: State | Off, _: int) -> Frames:
        if state is OFF:
            return [[0xC3, 0x0B, 0x70, 0, 0x3E]]
        assert isinstance(state, State)
        body = [
            0xC3,
            _MODES[state.mode] << 5 | _FANS[state.fan or "auto"],
            round(state.temperature or 24) - 8 << 3,
            (state.preset == "boost") << 6 | (state.preset == "sleep") << 2 | 1,
        ]
        return [[*body, sum(body) & 0xFF]]

    remote = {
        "cool": Levels(
            presets=("none", "boost", "sleep"),
            fans=COMMON.fans,
            temperatures=COMMON.temperatures,
        ),
        "heat": Levels(fans=COMMON.fans, temperatures=COMMON.temperatures[4:]),
        "dry": Levels(temperatures=COMMON.temperatures),
        "fan_only": Levels(fans=("low", "medium", "high")),
    }
    return RemoteControl(remote, says)
