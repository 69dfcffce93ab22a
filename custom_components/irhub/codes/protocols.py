"""What a packet says to the device that it is for: the one door to `infrared_protocols`.

The library comes with core's `infrared` and is therefore not always there; which protocols it
reads and writes depends on its version. So it is asked: each class of commands that it has is a
protocol, `from_raw_timings` reads it, `get_raw_timings` writes it. RC-5 and RC-6 are read and
written by `biphase`, since older versions do not read them, and their toggle bit matters.
"""

from annotationlib import Format
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from functools import cache, lru_cache
from importlib import import_module
import inspect
from pkgutil import iter_modules
import re
from typing import Any, Final, Literal, Protocol, Self, cast

from . import biphase
from .biphase import Biphase
from .frames import PAUSE_US, Frame, cut_from, difference, first_message, same, split
from .packet import from_timings, kind, to_timings

_LIBRARY: Final = "infrared_protocols.commands"
_ONE_BYTE: Final = 0xFF
_RC5X: Final = 0x40
"""What a command of RC-5X has besides the six bits that are said of it."""
_PAUSE_US: Final = 40_000
"""Behind a frame: longer than any pause within a message, as between the copies of most codes."""
_MOST_FRAMES: Final = 6
"""Of a capture, so many are looked at; no message has more."""
_AS_NEAR: Final = 0.02
"""What two readings may differ in from what was heard, and still be as near."""
_MOST_COPIES: Final = 3
"""Sony's devices want to hear a frame three times; more than that is a button held down."""


class Command(Protocol):
    """A command as the library knows it."""

    def get_raw_timings(self) -> list[int]:
        """Return signed microseconds."""


class _Reader(Protocol):
    def from_raw_timings(self, timings: list[int], /) -> Command | None: ...


@dataclass(frozen=True, kw_only=True)
class AirConditioner:
    """What a packet sets an air conditioner to; None is what it does not say."""

    power: bool | None
    mode: str | None
    """The protocol's word: "cool", "heat", "dry", "fan_only", "auto", …"""
    temperature: float | None
    fahrenheit: bool
    fan: str | None
    swing: str | None
    """The protocol's word; or "on" and "off"; of two axes "vertical", "horizontal", "both"."""


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """What a packet says. Equal for each press of one button: repeats and toggles are left out."""

    protocol: str
    """As people call it: "NEC", "Gree AC"."""
    fields: tuple[tuple[str, Hashable], ...]
    """Name → value, as the protocol has them: address, command, data, temperature, …"""
    state: AirConditioner | None = field(default=None, compare=False)

    @property
    def address(self) -> int | None:
        """Return the address of the device, if the protocol has one number for it."""
        return self._number("address")

    @property
    def command(self) -> int | None:
        """Return what it is to do, if the protocol has one number for it."""
        return self._number("command")

    @property
    def text(self) -> str:
        """Return it for people: "NEC 0x04/0x08", "Gree AC: cool, 24 °C, fan low"."""
        if self.state is not None:
            return f"{self.protocol}: {state_text(self.state)}"
        if self.address is not None and self.command is not None:
            address = _short_address(self.protocol, self.address)
            return f"{self.protocol} {address}/0x{self.command:02x}"
        shown = (f"{name} {_value_text(value)}" for name, value in self.fields if value is not None)
        return f"{self.protocol}: {', '.join(shown)}"

    def _number(self, name: str) -> int | None:
        value = dict(self.fields).get(name)
        return value if isinstance(value, int) else None


@lru_cache(maxsize=4096)
def meaning(packet: bytes) -> Meaning | None:
    """Return what an infrared packet says; None if no protocol fits.

    Several may fit: the one is taken that, encoded, is nearest to what was heard.
    """
    return read.meaning if (read := _read(packet)) is not None else None


def clean(packet: bytes) -> bytes | None:
    """Return the packet encoded anew; None if it has no meaning.

    That is without what the receiver made of it, without a repeat that was cut off and without
    the next press behind it. Whole repeats stay, three copies of a frame at most.
    """
    if (read := _read(packet)) is None:
        return None
    frames = split(to_timings(packet))
    timings = closed(read.timings)
    if difference(split(timings), frames) is None:
        return None  # what it begins with has no meaning, but may have to be there
    if len(split(timings)) == 1:
        timings = timings * _copies(frames)
    cleaned = from_timings(timings)
    return cleaned if meaning(cleaned) == read.meaning else None


def learned(presses: Sequence[bytes]) -> list[bytes]:
    """Return the packets of a command that was learned: those heard, to be sent in turn.

    One of RC-5 or RC-6 gets company, with the other toggle bit: a device takes the same packet
    twice for one button held down.
    """
    packets = list(presses)
    if len(packets) != 1 or kind(packets[0]) != "ir":
        return packets
    frames = split(to_timings(packets[0]))
    if frames and (heard := biphase.read(frames[0])) is not None:
        other = closed(replace(heard, toggle=1 - heard.toggle).timings())
        packets.append(from_timings(other * _copies(frames)))
    return packets


def encode(
    protocol: str, *, address: int = 0, command: int = 0, repeats: int = 0, **fields: object
) -> bytes | None:
    """Return a packet of a protocol by its name; None if nothing here can write that protocol.

    Names are those of Flipper, irdb, Girr and Tasmota, in any case, with or without hyphens. An
    8-bit `address` of "NEC" and "Samsung32" gets its check byte; a `command` of NEC with 16
    bits is command and check byte. `repeats` are copies that the hub adds. Other `fields` are
    the protocol's own (`subfunction`, `data`, `extension`). Raise ValueError if a value is none
    that the protocol has.
    """
    name = re.sub(r"[^a-z0-9]", "", protocol.lower())
    if (known := _BIPHASE.get(name)) is not None:
        if name == "rc5x":
            command |= _RC5X
        coded = Biphase(protocol=known, address=address, command=command, toggle=0)
        return from_timings(closed(coded.timings()), repeats=repeats)
    values = {"address": address, "command": command}
    if name == "necext" or (name in _NEC and command > _ONE_BYTE):
        values["command"], second = command & _ONE_BYTE, command >> 8
        if address <= _ONE_BYTE or second != values["command"] ^ _ONE_BYTE:
            fields["subfunction"] = second
    written_as, preset = _NAMES.get(name, (name, {}))
    fields = {**preset, **fields}
    if (cls := _WRITERS.get(written_as)) is None:
        return None
    takes = parameters(cls).keys()
    if not fields.keys() <= takes:
        return None  # the host's version has no such field
    values = {field: value for field, value in values.items() if field in takes}
    return from_timings(closed(cls(**values, **fields).get_raw_timings()), repeats=repeats)


type _Fit = tuple[int, float]


@dataclass(frozen=True)
class _Read:
    meaning: Meaning
    timings: list[int]
    """The same command as its protocol has it."""

    @classmethod
    def of_command(cls, command: Command) -> Self:
        values = tuple(_fields(command))
        state = air_conditioner(command)
        protocol = label(type(command).__name__)
        return cls(
            Meaning(protocol=protocol, fields=values, state=state), command.get_raw_timings()
        )

    @classmethod
    def of_biphase(cls, heard: Biphase) -> Self:
        values = (("address", heard.address), ("command", heard.command))
        return cls(Meaning(protocol=heard.protocol, fields=values), heard.timings())


def _read(packet: bytes) -> _Read | None:
    if kind(packet) == "rf":
        return None
    timings = to_timings(packet)
    frames = split(timings)
    if not frames:
        return None
    if (heard := biphase.read(frames[0])) is not None:
        return _Read.of_biphase(heard)
    message = len(split(first_message(timings)))
    fits: list[tuple[_Fit, _Read]] = []
    for heard_timings in beginnings(timings):
        for reader in _READERS:
            try:
                command = reader.from_raw_timings(list(heard_timings))
                read = None if command is None else _Read.of_command(command)
            except ValueError, LookupError, TypeError, AttributeError:
                continue  # a reader that fails has not read it
            if read is not None and (fit := _fit(read, frames, message)) is not None:
                fits.append((fit, read))
    return _best(fits)


def _best(fits: Sequence[tuple[_Fit, _Read]]) -> _Read | None:
    """Return the reading that leaves least over; of those as near as it, the one that says most.

    None if there is none, or if two of them are air conditioners in different states.
    """
    if not fits:
        return None
    least, nearest = min(fit for fit, _ in fits)
    rivals = [
        (_knows(read), -off, read)
        for (left_over, off), read in fits
        if left_over == least and off <= nearest + _AS_NEAR
    ]
    states = {read.meaning.state for _, _, read in rivals} - {None}
    return None if len(states) > 1 else max(rivals, key=lambda rival: rival[:2])[2]


def _knows(read: _Read) -> tuple[bool, int]:
    """Return how much a reading says: a state is more than an address, and that than bytes."""
    said = sum(value not in {None, False} for _, value in read.meaning.fields)
    return read.meaning.state is not None, said


def beginnings(timings: list[int]) -> Iterator[list[int]]:
    """Yield the whole capture, then what ends at a pause, the longest first.

    Readers want to be given one message, whole repeats of it perhaps, and nothing more.
    """
    yield timings
    ends = [end for end, us in enumerate(timings[:-1], 1) if us <= -PAUSE_US["ir"]]
    for end in reversed(ends[:_MOST_FRAMES]):
        yield timings[:end]


def _fit(read: _Read, frames: Sequence[Frame], message: int) -> _Fit | None:
    """Return how badly a reading fits what was heard; None if it does not.

    That is how many frames it leaves over, and how far the durations of the others differ. Of
    the first `message` frames it may leave over those that it begins with, nothing behind them.
    """
    written = split(read.timings)
    for skipped in range(len(frames)):
        if (off := difference(written, frames[skipped:])) is not None:
            break
    else:
        return None
    unsaid = [not any(cut_from(frame, known) for known in written) for frame in frames]
    return None if any(unsaid[skipped:message]) else (sum(unsaid), off)


def _fields(command: Command) -> Iterator[tuple[str, Hashable]]:
    for name, value in vars(command).items():
        if name.startswith("_") or name in _NOT_SAID or callable(value):
            continue
        if name == "toggle" and isinstance(value, int):
            continue
        if isinstance(value, list):
            yield name, tuple(value)
        elif isinstance(value, Hashable):
            yield name, value


def air_conditioner(command: Command) -> AirConditioner | None:
    """Return the state, which the library has in an object of its own or in the command."""
    state = getattr(command, "state", None)
    said: dict[str, Any] = dict(_fields(command))
    if is_dataclass(state):
        said = {each.name: getattr(state, each.name) for each in fields(state)}
    said = {SYNONYMS.get(name, name): value for name, value in said.items()}
    if "mode" not in said or "temperature" not in said:
        return None
    mode, power = _word(said["mode"]), said.get("power")
    if mode is not None and (power is None or not _turns_off(type(command))):
        power = mode != "off"
    return AirConditioner(
        power=power,
        mode=mode,
        temperature=said["temperature"],
        fahrenheit=bool(said.get("is_fahrenheit")),
        fan=_word(said.get("fan")),
        swing=_swing({name: value for name, value in said.items() if name.startswith("swing")}),
    )


@cache
def _turns_off(cls: type[Command]) -> bool:
    """Say if "power" off turns off. Where it is off by default, it only says "not turned on"."""
    power = parameters(cls).get("power")
    return power is None or power.default is not False


def _swing(axes: Mapping[str, object]) -> str | None:
    match axes:
        case {"swing_v": bool(vertical), "swing_h": bool(horizontal)}:
            return _SWINGS[vertical, horizontal]
    values = list(axes.values())
    swing = next((value for value in values if value not in {None, False}), *values[:1] or [None])
    return {True: "on", False: "off"}.get(swing) if isinstance(swing, bool) else _word(swing)


def _word(value: object) -> str | None:
    return value.name.lower() if isinstance(value, Enum) else None


def state_text(state: AirConditioner) -> str:
    """Return a state for people: "cool, 24 °C, fan low"."""
    if state.power is False:
        return "off"
    unit = "°F" if state.fahrenheit else "°C"
    words = [
        state.mode and state.mode.replace("_", " "),
        None if state.temperature is None else f"{state.temperature:g} {unit}",
        state.fan and f"fan {state.fan.replace('_', ' ')}",
    ]
    return ", ".join(word for word in words if word)


def _value_text(value: Hashable) -> str:
    match value:
        case bytes():
            return value.hex()
        case Enum():
            return value.name.lower().replace("_", " ")
        case bool():
            return "on" if value else "off"
        case int():
            return f"0x{value:02x}"
        case tuple():
            return " ".join(map(_value_text, value))
        case _:
            return str(value)


def _short_address(protocol: str, address: int) -> str:
    """Undo the check byte: an 8-bit address comes with its complement (NEC) or twice (Samsung)."""
    low, high = address & _ONE_BYTE, address >> 8
    match protocol:
        case "NEC" if high == low ^ _ONE_BYTE:
            return f"0x{low:02x}"
        case "NEC":
            return f"0x{address:04x}"
        case "Samsung" if high == low:
            return f"0x{low:02x}"
        case _:
            return f"0x{address:02x}"


def parameters(cls: Callable[..., Command]) -> Mapping[str, inspect.Parameter]:
    """Return what a class takes. Its types may be imported for a type checker alone."""
    return inspect.signature(cls, annotation_format=Format.STRING).parameters


def label(name: str) -> str:
    """Return what people call the protocol of a class: "GreeAcCommand" is "Gree AC"."""
    name = name.removesuffix("Command")
    words = re.findall(r"[A-Z]+(?![a-z])[0-9]*|[A-Z][a-z]+[0-9]*|[0-9]+", name)
    return _LABELS.get(name) or " ".join(_LABELS.get(word, word) for word in words)


def _copies(frames: Sequence[Frame]) -> int:
    return min(sum(same(frame, frames[0]) for frame in frames), _MOST_COPIES)


def closed(timings: list[int]) -> list[int]:
    """End with a pause, as what a hub has learned does."""
    return timings if timings[-1] < 0 else [*timings, -_PAUSE_US]


def _commands() -> Iterator[type[Command]]:
    """Yield each class of commands that the installed library has.

    Runs when this module is imported, because importing is not for the event loop.
    """
    try:
        library = import_module(_LIBRARY)
    except ImportError:
        return
    for found in iter_modules(library.__path__):
        if found.name.startswith("_"):
            continue
        try:
            module = import_module(f"{_LIBRARY}.{found.name}")
        except ImportError:
            continue
        for name, cls in vars(module).items():
            if (
                inspect.isclass(cls)
                and issubclass(cls, library.Command)
                and cls.__module__ == module.__name__
                and not name.startswith("_")
                and not inspect.isabstract(cls)
            ):
                yield cast(type[Command], cls)


_SWINGS: Final = {
    (False, False): "off",
    (True, False): "vertical",
    (False, True): "horizontal",
    (True, True): "both",
}
_NOT_SAID: Final = {"modulation", "repeat_count", "base_unit", "start_frames"}
"""How a command is sent, or how often it was: no part of what it says."""
SYNONYMS: Final = {
    "hvac_mode": "mode",
    "target_temperature": "temperature",
    "fan_mode": "fan",
    "swing_mode": "swing",
}
_LABELS: Final = {"Ac": "AC", "AC": "AC", "Lg": "LG", "GEAC": "GE AC", "Samsung32": "Samsung"}
_BIPHASE: Final[Mapping[str, Literal["RC-5", "RC-6"]]] = {
    "rc5": "RC-5",
    "rc5x": "RC-5",
    "rc6": "RC-6",
}
_NEC: Final = {"nec", "nec1", "nec2", "necext"}
_SIRC: Final = {"sirc": 5, "sirc12": 5, "sony": 5, "sony12": 5} | {
    f"{name}{bits}": bits - 7 for name in ("sirc", "sony") for bits in (15, 20)
}
"""Name → bits of the address."""
_NAMES: Final[Mapping[str, tuple[str, Mapping[str, object]]]] = {
    **{name: ("nec", {}) for name in _NEC},
    **{name: ("samsung32", {}) for name in ("samsung", "necx", "necx1", "necx2")},
    **{name: ("sony", {"address_bits": bits}) for name, bits in _SIRC.items()},
    "denon": ("sharp", {"extension": 0}),
    "sharp": ("sharp", {"extension": 1}),
}
"""What people call a protocol → the library's class, and what it has to be told besides."""
COMMANDS: Final = tuple(_commands())
"""The protocols of the installed library."""
_READERS: Final[tuple[_Reader, ...]] = tuple(
    cast(_Reader, cls)
    for cls in COMMANDS
    if hasattr(cls, "from_raw_timings") and cls.__name__ != "ProntoCommand"  # it reads anything
)
_WRITERS: Final[Mapping[str, Callable[..., Command]]] = {
    cls.__name__.removesuffix("Command").lower(): cls for cls in COMMANDS
}
