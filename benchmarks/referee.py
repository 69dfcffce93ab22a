"""Referee: an independent decoder of packets, IRremoteESP8266.

Its source is compiled with `referee.cpp`, which takes a minute, once; none of it is kept here.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which
import subprocess
from typing import Final

from custom_components.irhub.ircodes import Off, State, to_timings
from custom_components.irhub.ircodes.known import in_celsius

_PROGRAM: Final = Path(__file__).parent / "referee.cpp"
_OPTIONS: Final = ("-O1", "-w", "-DUNIT_TEST", "-D_IR_LOCALE_=en-AU", "-std=gnu++14")
"""UNIT_TEST: build for a computer, not a microcontroller."""
_TOGGLES: Final = frozenset({
    "AIRWELL", "ARGO", "DAIKIN128", "DAIKIN64", "KELON", "PANASONIC_AC32", "WHIRLPOOL_AC",
})  # fmt: skip
"""Protocols whose power bit is a toggle and does not reveal whether the device is on."""
_FIRST_HALF: Final = {"TCL112AC": 112, "TEKNOPOINT": 112}
"""Protocols that also match the first half of another one, and their number of bits."""
_NO_STATE: Final = 3
"""Number of fields for a packet that is not a state of an air conditioner."""
_MODES: Final = {"Auto": "auto", "Cool": "cool", "Heat": "heat", "Dry": "dry", "Fan": "fan_only"}
_SLOW: Final = frozenset({"Min", "Low"})
_FANS: Final[Mapping[str, frozenset[str]]] = {
    "auto": frozenset({"Auto"}),
    "quiet": _SLOW,
    "min": _SLOW,
    "low": frozenset({*_SLOW, "Medium"}),
    "medium": frozenset({"Low", "Medium", "Medium High", "High"}),
    "high": frozenset({"Medium High", "High", "Max"}),
    "max": frozenset({"High", "Max"}),
}
"""Our fan speed → its possible names for it: a remote control has two to six."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Opinion:
    """Its decoding of a packet."""

    protocol: str
    is_on: bool | None
    """None if the packet does not contain it."""
    mode: str
    degrees: float
    unit: str
    fan: str

    def agrees_on(self, state: State, unit: str) -> bool:
        """Return whether mode, temperature and fan speed agree with a state, as far as it has them.

        A fan speed with an unusual name of ours may be any.
        """
        return not self.differs_in(state, unit)

    def differs_in(self, state: State | Off, unit: str) -> str:
        """Return the first difference: power, mode, degrees or fan; "" if there is none."""
        if not isinstance(state, State):
            return "power" if self.is_on is True else ""
        mode = "auto" if state.mode == "heat_cool" else state.mode
        agreements = {
            "power": self.is_on is not False,
            "mode": self.mode == mode,
            "degrees": self._has_degrees(state.temperature, unit),
            "fan": self.fan in _FANS.get(state.fan or "", {self.fan}),
        }
        return next((name for name, agrees in agreements.items() if not agrees), "")

    def sets_the_same(self, other: Opinion, *, in_degrees: bool) -> bool:
        """Return whether two packets are decoded to the same state, optionally without degrees."""
        settings = [(opinion.is_on, opinion.mode, opinion.fan) for opinion in (self, other)]
        degrees = [(opinion.degrees, opinion.unit) for opinion in (self, other)]
        same_degrees = not in_degrees or self.mode == "fan_only" or degrees[0] == degrees[1]
        return settings[0] == settings[1] and same_degrees

    def _has_degrees(self, degrees: float | None, unit: str) -> bool:
        """Return whether the temperature agrees; half degrees may be truncated."""
        return degrees is None or self.degrees_in(unit) in {degrees, int(degrees)}

    def degrees_in(self, unit: str) -> float:
        """Return the temperature in °C or °F."""
        if self.unit == unit:
            return self.degrees
        return float(in_celsius(self.degrees)) if unit == "C" else round(self.degrees * 1.8 + 32)


@dataclass(frozen=True)
class Referee:
    """The compiled program."""

    program: Path

    @classmethod
    def built(cls, source: Path, folder: Path) -> Referee:
        """Return the program in a folder, compiled if it does not exist.

        `source` is a copy of IRremoteESP8266, with its folders src and test. Raise RuntimeError if
        there is no compiler.
        """
        program = folder / "referee"
        if program.exists() and program.stat().st_mtime > _PROGRAM.stat().st_mtime:
            return cls(program)
        if (compiler := which("g++")) is None:
            raise RuntimeError("g++ is needed, to compile IRremoteESP8266")
        folder.mkdir(exist_ok=True)
        includes = (f"-I{source / 'src'}", f"-I{source / 'test'}")
        objects = []
        for file in sorted(source.glob("src/*.cpp")):
            objects.append(object_file := folder / f"{file.stem}.o")
            if not object_file.exists():
                _run(compiler, *_OPTIONS, *includes, "-c", str(file), "-o", str(object_file))
        _run(
            compiler, *_OPTIONS, *includes, str(_PROGRAM), *map(str, objects), "-o", str(program)
        )  # fmt: skip
        return cls(program)

    def opinions(self, packets: Iterable[bytes]) -> Sequence[Opinion | None]:
        """Return the decoding of each packet; None if it is not of a supported air conditioner."""
        durations = [to_timings(packet) for packet in packets]
        if not durations:
            return []
        text = "".join(f"{' '.join(str(abs(us)) for us in timings)}\n" for timings in durations)
        result = subprocess.run(  # noqa: S603  (compiled by us)  # nosec B603
            [self.program], input=text, capture_output=True, text=True, check=True
        )
        lines = result.stdout.splitlines()
        return [_opinion(line, len(us) // 2) for line, us in zip(lines, durations, strict=True)]


def _opinion(line: str, marks: int) -> Opinion | None:
    """Parse the line for a packet with this number of marks."""
    fields = line.split("\t")
    if len(fields) <= _NO_STATE or marks > 1.5 * _FIRST_HALF.get(fields[0], marks):
        return None
    protocol, _, is_on, mode, degrees, is_celsius, fan, *_ = fields
    return Opinion(
        protocol=protocol,
        is_on=None if protocol in _TOGGLES else is_on == "1" and mode != "Off",
        mode=_MODES.get(mode, mode),
        degrees=float(degrees),
        unit="C" if is_celsius == "1" else "F",
        fan=fan,
    )


def _run(*command: str) -> None:
    subprocess.run(command, check=True)  # noqa: S603  # nosec B603
