"""Schema of a device's JSON fields: types and limits.

A file that the user provides is read strictly: an invalid field rejects its device. The
integration's own file is read leniently: fields that are not understood may be those of a newer
version. They are not used, and written back unchanged.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from math import isfinite
import re
from typing import Any, Final

from ..ircodes import RefusedError
from ..ircodes.files import MAX_COMMANDS, MAX_NAME, MAX_TEXT
from ..ircodes.packet import MAX_PACKET
from ..ircodes.reasons import Reason
from ..ircodes.states import MAX_BRIGHTNESS, MAX_KELVIN, MODES
from .device import DEVICE_CLASSES, MAX_DELAY_S, MAX_SENT
from .kinds import Kind

type Data = dict[str, Any]

MAX_REPORTED: Final = 10
"""Maximum number of wrong fields of a device that an error names."""
MAX_DEVICES: Final = 200
"""Maximum number of devices in a file that the user provides."""
MAX_FAVOURITES: Final = 50
"""Maximum number of favourites of a device."""
MAX_DEPTH: Final = 20
"""Maximum nesting of lists and mappings."""
_MAX_PACKETS: Final = 100
"""Maximum number of alternating packets of a command."""
_MAX_EMITTERS: Final = 20
_MAX_LEVELS: Final = 1_000
_MAX_WORDS: Final = 4_096
"""Maximum number of characters; a file may name dozens of models."""
_MAX_ID: Final = 4_096
_MAX_FIELDS: Final = 100
_MAX_CARRIED: Final = 4 * MAX_PACKET
"""Maximum number of characters of a protocol's field."""
_DEGREES: Final = (-50, 200)
"""Range of temperatures, in °C or °F."""
_LARGEST: Final = 2**53
"""Largest integer that all JSON parsers read exactly."""
_SHOWN: Final = 40
"""Maximum number of characters of a value that an error quotes."""
_ENTITY: Final = re.compile(r"[a-z0-9_]+\.[a-z0-9_]+")


@dataclass(frozen=True, kw_only=True)
class Field:
    """Schema of a field. `read` returns the value; it raises ValueError or TypeError if invalid."""

    read: Callable[[Any], Any]
    expected: str
    """The valid values in a notation that needs no translation."""


def read_fields(
    fields: Mapping[str, Field], data: object, where: str, *, strict: bool
) -> tuple[Data, Data]:
    """Return the valid known fields of a record, and the rest unchanged.

    If `strict`, raise RefusedError that names the invalid fields; unknown fields are allowed, as
    those of a newer version.
    """
    if not isinstance(data, dict):
        raise refused(where, data, "{…}")
    known: Data = {}
    rest: Data = {}
    wrong = Refusals()
    for key, value in data.items():
        if (field := fields.get(key)) is None:
            rest[key] = value
            continue
        try:
            known[key] = field.read(value)
        except TypeError, ValueError:
            if strict:
                wrong.add(refused(f"{where} → {key}", value, field.expected))
            rest[key] = value
    wrong.check()
    return known, rest


class Refusals:
    """Collects the errors of a record, to raise them as one."""

    def __init__(self) -> None:
        self._reasons: list[Reason] = []

    def add(self, error: RefusedError) -> None:
        """Add an error."""
        self._reasons += _flattened(error.reason)

    def attempt[T](self, read: Callable[[], T]) -> T | None:
        """Return the result of `read`; if it raises RefusedError, add that and return None."""
        try:
            return read()
        except RefusedError as err:
            self.add(err)
        except ValueError:
            pass  # reported when the record itself is read
        return None

    def check(self) -> None:
        """Raise one error that names the first MAX_REPORTED errors, if there are any."""
        if self._reasons:
            first, *others = self._reasons[:MAX_REPORTED]
            raise reduce(_combine, others, RefusedError(first.key, **first.values))


def _combine(first: RefusedError, second: Reason) -> RefusedError:
    return RefusedError("both", first=first, second=second)


def _flattened(reason: Reason) -> list[Reason]:
    """Return the single reasons of a reason that combines two."""
    match reason:
        case Reason(key="both", values={"first": Reason() as first, "second": Reason() as second}):
            return [*_flattened(first), *_flattened(second)]
        case _:
            return [reason]


def refused(where: str, value: object, expected: str) -> RefusedError:
    """Return the error for an invalid field."""
    shown = repr(value).encode(errors="backslashreplace").decode()
    if len(shown) > _SHOWN:
        shown = f"{shown[:_SHOWN]}…"
    return RefusedError("field", field=where, value=shown, expected=expected)


def check_plain(data: object, where: str) -> None:
    """Raise RefusedError for data that JSON files cannot hold: lone surrogates, NaN, huge ints."""
    left = MAX_TEXT
    for value in _plain(data, 0):
        left -= len(value) + 1 if isinstance(value, str) else 1
        if left < 0:
            raise RefusedError("large", limit=MAX_TEXT)
        match value:
            case str() if not value.isascii() and _has_surrogates(value):
                raise refused(where, value, "UTF-8")
            case int() if abs(value) > _LARGEST:
                raise refused(where, "…", f"{-_LARGEST} … {_LARGEST}")
            case float() if not isfinite(value):
                raise refused(where, value, f"{-_LARGEST} … {_LARGEST}")
            case None | str() | int() | float():
                pass
            case _:
                raise refused(where, value, "JSON")


def _has_surrogates(text: str) -> bool:
    """Return whether a text has lone surrogates, which JSON can escape but UTF-8 cannot encode."""
    try:
        _ = text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _plain(data: object, depth: int) -> Iterator[object]:
    """Yield all keys and values. Raise RefusedError if they are nested too deeply."""
    if depth > MAX_DEPTH:
        raise RefusedError("too_deep")
    match data:
        case dict():
            yield from (key if isinstance(key, str) else (key,) for key in data)  # no JSON
            inner: Iterable[object] = data.values()
        case list():
            inner = data
        case _:
            yield data
            return
    for item in inner:
        yield from _plain(item, depth + 1)


def _text(
    most: int, *, least: int = 0, fits: Callable[[str], object] = bool, expected: str = ""
) -> Field:
    def read(value: object) -> str:
        if not isinstance(value, str) or not least <= len(value) <= most:
            raise ValueError
        if value and not fits(value):
            raise ValueError
        return value

    return Field(read=read, expected=expected or f'"…" ({least} … {most})')


def _number(lowest: float, highest: float) -> Field:
    def read(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError
        if not lowest <= value <= highest:  # True for NaN, too
            raise ValueError
        return value

    return Field(read=read, expected=f"{lowest} … {highest}")


def _whole(lowest: int, highest: int) -> Field:
    number = _number(lowest, highest)

    def read(value: object) -> int:
        if not isinstance(value, int):
            raise TypeError
        return int(number.read(value))

    return Field(read=read, expected=number.expected)


def _choice(choices: Iterable[str]) -> Field:
    known = tuple(choices)

    def read(value: object) -> str:
        if value not in known:
            raise ValueError
        return str(value)

    return Field(read=read, expected=" | ".join(known))


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _several(item: Field, most: int, *, least: int = 0) -> Field:
    def read(value: object) -> tuple[Any, ...]:
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise ValueError
        return tuple(map(item.read, value))

    return Field(read=read, expected=f"[{item.expected}, …] ({least} … {most})")


def _ordered(item: Field, most: int) -> Field:
    several = _several(item, most)
    return Field(read=lambda value: tuple(sorted(several.read(value))), expected=several.expected)


def _mapping(key: Field, item: Field, most: int) -> Field:
    def read(value: object) -> dict[Any, Any]:
        if not isinstance(value, dict) or len(value) > most:
            raise ValueError
        return {key.read(name): item.read(element) for name, element in value.items()}

    return Field(read=read, expected=f"{{{key.expected}: {item.expected}, …}} (0 … {most})")


def _either(field: Field, other: Field) -> Field:
    def read(value: object) -> Any:  # noqa: ANN401  (what either of them returns)
        try:
            return field.read(value)
        except TypeError, ValueError:
            return other.read(value)

    return Field(read=read, expected=f"{field.expected} | {other.expected}")


def _none(value: object) -> None:
    if value is not None:
        raise TypeError


def _or_none(field: Field) -> Field:
    return _either(field, Field(read=_none, expected="null"))


_FLAG: Final = Field(read=_flag, expected="true | false")
_NAME: Final = _text(MAX_NAME)
_ID: Final = _text(_MAX_ID, least=1)
_SECONDS: Final = _number(0, MAX_DELAY_S)
_LEVEL: Final = _or_none(_NAME)
_LEVELS: Final = _several(_NAME, _MAX_LEVELS)


def _entity(domain: str) -> Field:
    return _or_none(_text(MAX_NAME, fits=_ENTITY.fullmatch, expected=f"{domain}.…"))


DEVICE: Final[Mapping[str, Field]] = {
    "kind": Field(read=lambda value: Kind(_NAME.read(value)), expected=" | ".join(Kind)),
    "manufacturer": _text(_MAX_WORDS),
    "model": _text(_MAX_WORDS),
    "functions": _mapping(_text(_MAX_ID), _ID, MAX_COMMANDS),
    "unconfirmed": Field(read=_flag, expected="true | false"),
    "entity": _or_none(_ID),
}
"""Fields of a device, except id, name, commands, rule, levels and settings."""
COMMAND: Final[Mapping[str, Field]] = {
    "id": _ID,
    "name": _text(_MAX_ID),
    "packets": _several(_text(4 * MAX_PACKET), _MAX_PACKETS, least=1),
}
FAVOURITE: Final[Mapping[str, Field]] = {"id": _ID, "name": _text(MAX_NAME, least=1)}
"""Fields of a favourite, except its state."""
STATE: Final[Mapping[str, Field]] = {
    "mode": _choice(MODES),
    "preset": _LEVEL,
    "fan": _LEVEL,
    "swing": _LEVEL,
    "temperature": _or_none(_number(*_DEGREES)),
}
LEVELS: Final[Mapping[str, Field]] = {
    "modes": _LEVELS,
    "presets": _LEVELS,
    "fans": _LEVELS,
    "swings": _LEVELS,
    "speeds": _LEVELS,
    "brightnesses": _ordered(_whole(1, MAX_BRIGHTNESS), _MAX_LEVELS),
    "kelvins": _ordered(_whole(1, MAX_KELVIN), _MAX_LEVELS),
    "step": _or_none(_number(0.01, 50)),
    "unit": _or_none(_choice("CF")),
}
SETTINGS: Final[Mapping[str, Field]] = {
    "delay": _SECONDS,
    "repeats": _whole(1, MAX_SENT),
    "repeat_delay": _SECONDS,
    "temperature_sensor": _entity("sensor"),
    "humidity_sensor": _entity("sensor"),
    "report_temperature": _FLAG,
    "power_sensor": _entity("sensor"),
    "power_threshold": _number(-1e9, 1e9),
    "power_delay": _SECONDS,
    "power_restores": _FLAG,
    "device_class": _or_none(_choice(DEVICE_CLASSES)),
    "source_names": _or_none(_mapping(_NAME, _LEVEL, _MAX_LEVELS)),
    "emitter": _entity("infrared"),
    "more_emitters": _several(
        _text(MAX_NAME, fits=_ENTITY.fullmatch, expected="infrared.…"), _MAX_EMITTERS
    ),
    "follow": _FLAG,
    "events": _FLAG,
    "resend": _FLAG,
    "buttons": _or_none(_several(_ID, MAX_COMMANDS)),
}
PROTOCOL: Final[Mapping[str, Field]] = {
    "name": _NAME,
    "fields": _mapping(
        _NAME, _either(_number(-_LARGEST, _LARGEST), _text(_MAX_CARRIED)), _MAX_FIELDS
    ),
}
