"""Decode packets into meanings, and encode meanings into packets.

The table of protocols reads and writes most remote controls. Air conditioners and a few others are
supported only by the library `infrared_protocols`; this module is the only one that accesses it.
The library comes with core's `infrared`: it is not always installed, and its protocols depend on
its version. They are therefore discovered: each command class is a protocol, `from_raw_timings`
reads it, `get_raw_timings` writes it.

A meaning is returned only if the protocol would send every received frame.
"""

from annotationlib import Format
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cache, lru_cache
from importlib import import_module
import inspect
from pkgutil import iter_modules
import re
from typing import Any, Final, Protocol, Self, cast

from ..packet.comparing import Durations, difference, frames_of, is_beginning, is_same
from ..packet.packet import from_timings, kind, to_timings
from ..reasons import RefusedError
from ..states.state import OFF, Off, State
from . import irp_reader, protocol_table
from .carried import LONG_PAUSE_US
from .protocol_table import rows_of, table

_LIBRARY: Final = "infrared_protocols.commands"
_ONE_BYTE: Final = 0xFF
_PAUSE_US: Final = 40_000
"""Added after a frame: longer than any pause within a message, as between copies of most codes."""
_MAX_FRAMES: Final = 6
"""Maximum number of frames of a capture that are read; no message has more."""
_EQUALLY_NEAR: Final = 0.02
"""Readings whose deviations differ by less are equally near."""
_MAX_COPIES: Final = 3
"""Sony's devices require three copies of a frame; more are a button held down."""
_MAX_FUNCTIONS: Final = 4096
"""Protocols with more functions are not enumerated: that would take minutes."""
_MUCH_NEARER: Final = 0.15
"""A row that is nearer by this is preferred to an earlier row of the table."""


class Command(Protocol):
    """A command of the library."""

    def get_raw_timings(self) -> list[int]:
        """Return signed microseconds."""


class _Reader(Protocol):
    def from_raw_timings(self, timings: list[int], /) -> Command | None: ...


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """Content of a packet. Equal for all presses of a button: repeats and toggles are excluded."""

    protocol: str
    """Name for display: "NEC", "Gree AC"."""
    fields: tuple[tuple[str, Hashable], ...]
    """Name → value, as defined by the protocol: address, command, data, temperature, …"""
    state: State | Off | None = field(default=None, compare=False)
    """State of an air conditioner. A swing of two axes is "off", "vertical", "horizontal" or
    "both"."""
    unit: str = field(default="C", compare=False)
    """Unit of the state's temperature: "C" or "F"."""

    @property
    def address(self) -> int | None:
        """Return the address of the device, if the protocol has a single number for it."""
        return self._number("address")

    @property
    def command(self) -> int | None:
        """Return the command, if the protocol has a single number for it."""
        return self._number("command")

    @property
    def device(self) -> str:
        """Return protocol and address: "NEC 0x04"; the protocol alone if there is no address."""
        if self.address is None:
            return self.protocol
        return f"{self.protocol} {_short_address(self.protocol, self.address)}"

    @property
    def text(self) -> str:
        """Return a text for display: "NEC 0x04/0x08", "Gree AC: cool, 24 °C, fan low"."""
        if self.state is not None:
            return f"{self.protocol}: {_state_text(self.state, self.unit)}"
        if self.address is not None and self.command is not None:
            others = [
                f" {name} {_value_text(value)}"
                for name, value in self.fields
                if name not in {"address", "command"} and value
            ]
            return f"{self.device}/0x{self.command:02x}{''.join(others)}"
        shown = (f"{name} {_value_text(value)}" for name, value in self.fields if value is not None)
        return f"{self.protocol}: {', '.join(shown)}"

    def _number(self, name: str) -> int | None:
        value = dict(self.fields).get(name)
        return value if isinstance(value, int) else None


def meaning(packet: bytes) -> Meaning | None:
    """Return the meaning of an infrared packet; None if no protocol would send all its frames.

    Of several protocols, the one whose encoding is nearest to the received durations is used.
    """
    return _meaning(bytes(packet))


@lru_cache(maxsize=4096)
def _meaning(packet: bytes) -> Meaning | None:
    return decoded.meaning if (decoded := _read(packet)) is not None else None


def clean(packet: bytes) -> bytes | None:
    """Return the packet encoded anew; None if it has no meaning.

    This removes reception errors and the repeats of a button that was held. Copies of the message
    before the first repeat are kept, three at most.
    """
    if (decoded := _read(packet)) is None:
        return None
    cleaned = from_timings(closed(decoded.timings) * min(decoded.copies, _MAX_COPIES))
    return cleaned if meaning(cleaned) == decoded.meaning else None


def learned(presses: Sequence[bytes]) -> list[bytes]:
    """Return the packets of a learned command: the received ones, to be sent in turn.

    If the protocol has a toggle, a single packet is complemented by one with the other toggle:
    devices treat the same packet sent twice as one button held down.
    """
    packets = [*map(bytes, presses)]
    if len(packets) != 1 or kind(packets[0]) != "ir":
        return packets
    if (row_and_reading := _read_row(to_timings(packets[0]))) is not None:
        row, reading = row_and_reading
        packets += _toggled(row, reading.values, min(reading.copies, _MAX_COPIES))
    return packets


def _toggled(
    row: protocol_table.ProtocolRow,
    values: Mapping[str, int],
    copies: int = 1,
    *,
    repeats: int = 0,
) -> list[bytes]:
    """Return the packet with the other toggle; empty if the protocol has none."""
    toggles = {
        name: parameter.highest - values[name]
        for name, parameter in row.irp.parameters.items()
        if parameter.toggle
    }
    if not toggles:
        return []
    return [from_timings(row.irp.encode({**values, **toggles}).press(repeats) * copies)]


def press(protocol: str, values: Mapping[str, int], *, repeats: int = 0) -> list[bytes] | None:
    """Return the packets of a press, given the names of protocol and parameters in IRP.

    A protocol with a toggle has two, to be sent in turn. `repeats` are what a button that is held
    sends: copies of the message, or a frame of their own (NEC); a protocol that requires more sends
    these. None if no row has that name. Raise RefusedError if a value is missing or invalid.
    """
    rows, preset = rows_of(protocol)
    refused: RefusedError | None = None
    for row in rows:
        try:
            complete_values = row.irp.complete({**preset, **values})
        except RefusedError as err:
            refused = refused or err
            continue
        return _press_packets(row, complete_values, repeats)
    if refused is not None:
        raise refused
    return None


def _press_packets(
    row: protocol_table.ProtocolRow, values: Mapping[str, int], repeats: int = 0
) -> list[bytes]:
    """Return the packets of a press: two, to be sent in turn, if the protocol has a toggle."""
    packet = from_timings(row.irp.encode(values).press(repeats))
    return [packet, *_toggled(row, values, repeats=repeats)]


def functions(packet: bytes) -> dict[int, tuple[bytes, ...]]:
    """Return the packets of all buttons of the same remote control, by number of the function.

    All other parameters (device, subdevice) are those of the packet. Empty if no row reads it.
    """
    if kind(packet) == "rf" or (row_and_reading := _read_row(to_timings(packet))) is None:
        return {}
    row, reading = row_and_reading
    values, parameters = reading.values, row.irp.parameters
    if (function := parameters.get("F")) is None or function.highest >= _MAX_FUNCTIONS:
        return {}
    kept = {
        name: value
        for name, value in values.items()
        if not parameters[name].toggle
        if parameters[name].default is None or _default_of(row, values, name) != value
    }
    written: dict[int, tuple[bytes, ...]] = {}
    for number in range(function.lowest, function.highest + 1):
        complete_values = row.irp.complete({**kept, "F": number})
        written[number] = tuple(_press_packets(row, complete_values))
    return written


def _default_of(row: protocol_table.ProtocolRow, values: Mapping[str, int], name: str) -> int:
    """Return the default of a parameter given the others, such as a checksum."""
    others = {other: value for other, value in values.items() if other != name}
    return row.irp.complete(others)[name]


def addressed(protocol: str, *, address: int, command: int) -> list[bytes] | None:
    """Return the packets of a press, named and numbered as in Flipper and ESPHome.

    `address` contains the device in its lower bits and the subdevice. None if no row of the table
    has that name. Raise RefusedError if a value is invalid for the protocol.
    """
    name = protocol_table.simple(protocol)
    if name == "kaseikyo":  # 2 bits of an id, 16 of the maker, two times 4 of the device
        maker, first, second = address >> 8 & 0xFFFF, address >> 4 & 0xF, address & 0xF
        values = {"M": maker & _ONE_BYTE, "N": maker >> 8, "D": first}
        values |= {"S": second | (command & 0xF) << 4, "F": address >> 24 << 6 | command >> 4}
        return press(name, values)
    if name == "rc5x":  # RC-5 whose second start bit, inverted bit 6 of the command, is 0
        name, command = "rc5", command | _RC5X
    if name == "necext" or (name in {"nec", "nec1", "nec2"} and command > _ONE_BYTE):
        name = "nec1f16"
    name = _ALIASES.get(name, name)
    rows, _ = rows_of(name)
    return press(name, rows[0].values(address, command)) if rows else None


def encode(
    protocol: str, *, address: int = 0, command: int = 0, repeats: int = 0, **fields: object
) -> bytes | None:
    """Return a packet of a protocol by its name; None if the protocol cannot be written.

    The name is one of `addressed`, or one of the library's, which may take other `fields` (`data`,
    `extension`). `repeats` are copies that the hub adds. Raise ValueError if a value is invalid.
    """
    if not fields and (packets := addressed(protocol, address=address, command=command)):
        return from_timings(to_timings(packets[0]), repeats=repeats)
    if (cls := _WRITERS.get(protocol_table.simple(protocol))) is None:
        return None
    accepted = parameters(cls).keys()
    if not fields.keys() <= accepted:
        return None  # the installed version has no such field
    numbers = {"address": address, "command": command}
    values = {field: value for field, value in numbers.items() if field in accepted}
    return from_timings(closed(cls(**values, **fields).get_raw_timings()), repeats=repeats)


type _Fit = float


@dataclass(frozen=True)
class _Decoded:
    meaning: Meaning
    timings: list[int]
    """The same command with its protocol's nominal durations."""
    copies: int
    """Number of copies received."""

    @classmethod
    def of_command(cls, command: Command, frames: Sequence[Durations]) -> Self:
        fields = tuple(_fields(command))
        state_and_unit = air_conditioner(command)
        state, unit = (None, "C") if state_and_unit is None else state_and_unit
        protocol = label(type(command).__name__)
        timings = command.get_raw_timings()
        copies = len(frames) // max(len(frames_of(timings)), 1)
        return cls(
            Meaning(protocol=protocol, fields=fields, state=state, unit=unit), timings, copies
        )

    @classmethod
    def of_row(cls, row: protocol_table.ProtocolRow, reading: irp_reader.Decoded) -> Self:
        fields = row.numbers(reading.values)
        timings = row.irp.encode(reading.values).press()
        return cls(Meaning(protocol=row.label, fields=fields), timings, reading.copies)


def _read(packet: bytes) -> _Decoded | None:
    if kind(packet) == "rf":
        return None
    timings = to_timings(packet)
    frames = frames_of(timings)
    by_row = (
        None
        if (row_and_reading := _read_row(timings)) is None
        else _Decoded.of_row(*row_and_reading)
    )
    by_library: list[tuple[_Fit, _Decoded]] = []
    for beginning in beginnings(timings) if frames else ():
        for reader in _READERS if by_row is None else _climates():
            try:
                command = reader.from_raw_timings(list(beginning))
                decoded = None if command is None else _Decoded.of_command(command, frames)
            except ValueError, LookupError, TypeError, AttributeError:
                continue  # not readable by this class
            if decoded is None or (by_row is not None and decoded.meaning.state is None):
                continue  # a row's number: its protocol has one name, whatever the library adds
            if (fit := unexplained(decoded.timings, frames)) is not None:
                by_library.append((fit, decoded))
    return _best(by_library) if by_library else by_row


def _read_row(
    timings: Sequence[int],
) -> tuple[protocol_table.ProtocolRow, irp_reader.Decoded] | None:
    """Return the first row that reads a signal, unless a later one is much nearer."""
    best: tuple[protocol_table.ProtocolRow, irp_reader.Decoded] | None = None
    if not (received := irp_reader.Received(timings)).runs:
        return None
    for row in table():
        if not row.reads or (reading := irp_reader.read(row.irp, received)) is None:
            continue
        if best is None or reading.cost < best[1].cost - _MUCH_NEARER:
            best = row, reading
    return best


def _best(fits: Sequence[tuple[_Fit, _Decoded]]) -> _Decoded | None:
    """Return the nearest reading; of equally near ones the most informative.

    None if two of them are air conditioners in different states. Readings without a state differ
    in what they make of the same bits, and not in durations: the most informative one is used.
    """
    if not any(decoded.meaning.state for _, decoded in fits):
        return max((decoded for _, decoded in fits), key=_information)
    nearest = min(fit for fit, _ in fits)
    nearest_readings = [
        (_information(decoded), -fit, decoded)
        for fit, decoded in fits
        if fit <= nearest + _EQUALLY_NEAR
    ]
    states = {decoded.meaning.state for _, _, decoded in nearest_readings} - {None}
    return None if len(states) > 1 else max(nearest_readings, key=lambda entry: entry[:2])[2]


def _information(decoded: _Decoded) -> tuple[bool, int]:
    """Return how informative a reading is: a state outranks an address, that outranks bytes."""
    count = sum(value not in {None, False} for _, value in decoded.meaning.fields)
    return decoded.meaning.state is not None, count


def beginnings(timings: list[int]) -> Iterator[list[int]]:
    """Yield the whole capture, then its parts up to each pause, the longest first.

    Readers expect one message, possibly with complete repeats, and nothing else.
    """
    yield timings
    ends = [end for end, us in enumerate(timings[:-1], 1) if us <= -LONG_PAUSE_US]
    for end in reversed(ends[:_MAX_FRAMES]):
        yield timings[:end]


def unexplained(timings: Sequence[int], frames: Sequence[Durations]) -> float | None:
    """Return the difference between a signal and the received frames; None if a frame differs.

    The received frames are one or more copies of the signal; the last frame may be cut off.
    """
    signal_frames = frames_of(timings)
    count = len(signal_frames)
    if not 0 < count <= len(frames):
        return None
    expected = [signal_frames[index % count] for index in range(len(frames))]
    is_cut_off = len(frames) > count and is_beginning(frames[-1], expected[-1])
    if not all(
        is_same(*pair) for pair in zip(frames[: len(frames) - is_cut_off], expected, strict=False)
    ):
        return None
    return difference(signal_frames, frames)


def _fields(command: Command) -> Iterator[tuple[str, Hashable]]:
    for name, value in vars(command).items():
        if name.startswith("_") or name in _NOT_CONTENT or callable(value):
            continue
        if name == "toggle" and isinstance(value, int):
            continue
        if isinstance(value, list):
            yield name, tuple(value)
        elif isinstance(value, Hashable):
            yield name, value


def air_conditioner(command: Command) -> tuple[State | Off, str] | None:
    """Return the state and the unit of its temperature; None if the command has no state.

    Depending on the class, the state is an object of its own or part of the command.
    """
    state = getattr(command, "state", None)
    settings: dict[str, Any] = dict(_fields(command))
    if is_dataclass(state):
        settings = {setting.name: getattr(state, setting.name) for setting in fields(state)}
    settings = {SYNONYMS.get(name, name): value for name, value in settings.items()}
    if "mode" not in settings or "temperature" not in settings:
        return None
    mode, power = _word(settings["mode"]), settings.get("power")
    if mode is not None and (power is None or not _turns_off(type(command))):
        power = mode != "off"
    unit = "F" if settings.get("is_fahrenheit") else "C"
    if not power:
        return OFF, unit
    if mode is None:
        return None
    state = State(
        mode=mode,
        fan=_word(settings.get("fan")),
        swing=_swing({name: value for name, value in settings.items() if name.startswith("swing")}),
        temperature=settings["temperature"],
    )
    return state, unit


@cache
def _turns_off(cls: type[Command]) -> bool:
    """Return whether power=False turns off. If False is the default, it means "not turned on"."""
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


def _state_text(state: State | Off, unit: str) -> str:
    """Return a state for display: "cool, 24 °C, fan low"."""
    if isinstance(state, Off):
        return "off"
    words = [
        state.mode.replace("_", " "),
        None if state.temperature is None else f"{state.temperature:g} °{unit}",
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
    """Drop the check byte: an 8-bit address comes with its complement (NEC) or twice (Samsung)."""
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
    """Return the arguments of a class; its types may be imported only under TYPE_CHECKING."""
    return inspect.signature(cls, annotation_format=Format.STRING).parameters


def label(name: str) -> str:
    """Return the display name of a class's protocol: "GreeAcCommand" is "Gree AC"."""
    name = name.removesuffix("Command")
    words = re.findall(r"[A-Z]+(?![a-z])[0-9]*|[A-Z][a-z]+[0-9]*|[0-9]+", name)
    return _LABELS.get(name) or " ".join(_LABELS.get(word, word) for word in words)


@cache
def _climates() -> tuple[_Reader, ...]:
    """Return the classes of air conditioners.

    They are tried even if a row reads the signal: a state is more informative than a number.
    """
    return tuple(reader for reader in _READERS if _is_climate(reader))


def _is_climate(reader: _Reader) -> bool:
    """Return whether a class is an air conditioner's: it, or the state it takes, has a mode."""
    accepted = parameters(cast(Callable[..., Command], reader)).keys()
    return bool({"mode", "hvac_mode", "state", "packet"} & accepted)


def closed(timings: list[int]) -> list[int]:
    """Return timings that end with a pause, as in a capture of a hub."""
    return timings if timings[-1] < 0 else [*timings, -_PAUSE_US]


def _commands() -> Iterator[type[Command]]:
    """Yield all command classes of the installed library.

    Runs when this module is imported, because imports must not block the event loop.
    """
    try:
        library = import_module(_LIBRARY)
    except ImportError:
        return
    for module_info in iter_modules(library.__path__):
        if module_info.name.startswith("_"):
            continue
        try:
            module = import_module(f"{_LIBRARY}.{module_info.name}")
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
_NOT_CONTENT: Final = {"modulation", "repeat_count", "base_unit", "start_frames"}
"""Attributes of the transmission or its number of repeats, not of the content."""
SYNONYMS: Final = {
    "hvac_mode": "mode",
    "target_temperature": "temperature",
    "fan_mode": "fan",
    "swing_mode": "swing",
}
_LABELS: Final = {"Ac": "AC", "AC": "AC", "Lg": "LG", "GEAC": "GE AC", "Samsung32": "Samsung"}
_RC5X: Final = 0x40
_ALIASES: Final[Mapping[str, str]] = {
    "necext": "nec1f16",
    "sirc": "sony12",
    "sirc12": "sony12",
    "sirc15": "sony15",
    "sirc20": "sony20",
    "sony": "sony12",
}
"""Name in Flipper and ESPHome → name of the row."""
COMMANDS: Final = tuple(_commands())
"""Command classes of the installed library."""
_READERS: Final[tuple[_Reader, ...]] = tuple(
    cast(_Reader, cls)
    for cls in COMMANDS
    if hasattr(cls, "from_raw_timings") and cls.__name__ != "ProntoCommand"  # it reads anything
)
_WRITERS: Final[Mapping[str, Callable[..., Command]]] = {
    cls.__name__.removesuffix("Command").lower(): cls for cls in COMMANDS
}
