"""Parser for IRP: turns a line of the notation into an `Irp`, or rejects it.

    {38.4k,564}<1,-1|1,-3>(16,-8,D:8,S:8,F:8,~F:8,1,^108m,(16,-4,1,^108m)*)[D:0..255,…]

`{}`    carrier, unit of the durations in µs (default 1), `msb` if the highest bit is sent first
`<>`    symbols for bit 0 and bit 1 (four or sixteen symbols: for two or four bits)
`()`    a stream: durations (spaces negative; `u` for µs, `m` for ms, `p` for carrier periods),
        `D:8:2` eight bits of D from bit 2 on (`~` inverted, `:-8` in reverse order), `^108m` a
        space that extends the total to this length, `T=1` an assignment, other streams;
        `[T=0][T=1]` alternatives for the first and further times (and the last time)
`*` `+` `3` `2+`  after a stream: number of times it is sent; unlimited while a button is held
`{C=…}`  computed values: + - * / % & ^ | ~ #
`[]`    parameters with ranges and defaults; `@` marks a toggle

The notation is described in the wiki of the JP1 group (DecodeIR, "Reading IRP") and by
harctoolbox.org. Its other features (`last`, conditions, several unlimited streams) are rejected.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
import re
from typing import Final

from .irp import Assignment, Bits, Expression, Extent, Field, Irp, Item, Parameter, Values

MAX_US: Final = 2_000_000
_MAX_LINE: Final = 2_000
"""Characters; the longest line of the table has a quarter of it."""
_MAX_SYMBOLS: Final = 10_000
"""Durations, bits and assignments of a whole line, with its streams expanded."""
_MAX_COPIES: Final = 20
_MAX_WIDTH: Final = 64
_MAX_NUMBER: Final = 1 << 128
"""Limit of computed values; transmitted values have half as many bits."""
_SUFFIXES: Final = {"m": 1000.0, "u": 1.0}
_NUMBER: Final = re.compile(r"0x[0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DIGITS: Final = re.compile(r"[0-9]+")
_ASSIGNS: Final = re.compile(r"([A-Za-z_]\w*)=")
_DURATION: Final = re.compile(r"-?[0-9.]+[mup]?(?![0-9.mup:x])")
_UNLIMITED: Final = -1

type _Symbols = tuple[tuple[float, ...], ...]


class NotationError(ValueError):
    """A line is invalid, or uses a feature that is not supported."""


def parse(line: str) -> Irp:
    """Return the protocol of a line. Raise NotationError."""
    if len(line) > _MAX_LINE:
        raise NotationError(f"a line of more than {_MAX_LINE} characters is not read")
    try:
        return _Parser("".join(line.split())).protocol()
    except RecursionError as err:
        raise NotationError("nested too deeply") from err


@dataclass(frozen=True)
class _Stream:
    items: tuple[object, ...]
    min_count: int
    max_count: int


@dataclass(frozen=True)
class _Variation:
    alternatives: tuple[tuple[Item, ...], ...]


class _Parser:
    """Recursive-descent parser for a line."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._unit = 1.0
        self._carrier = 0.0
        self._high_first = False
        self._used: set[str] = set()

    def protocol(self) -> Irp:
        """Return the protocol of the whole line."""
        self._general()
        symbols = self._symbols()
        stream = self._stream(symbols)
        definitions: dict[str, Expression] = {}
        while self._accept("{"):
            definitions |= dict(self._list("}", self._definition))
        parameters: dict[str, Parameter] = {}
        if self._accept("["):
            parameters = dict(self._list("]", self._parameter))
        if self._position < len(self._text):
            raise self._syntax_error()
        intro, repeat, ending, min_repeats = _parts(stream)
        assigned = {
            item.name for item in (*intro, *repeat, *ending) if isinstance(item, Assignment)
        }
        if unknown := self._used - parameters.keys() - definitions.keys() - assigned:
            raise NotationError(f"{min(unknown)} is neither a parameter nor calculated")
        irp = Irp(
            intro=intro,
            repeat=repeat,
            ending=ending,
            min_repeats=min_repeats,
            parameters=parameters,
            definitions=definitions,
        )
        try:  # detect values that cannot be computed now, not at the first press of a button
            irp.encode({name: parameter.lowest for name, parameter in parameters.items()})
        except (KeyError, RecursionError, ArithmeticError) as err:
            raise NotationError(f"what is calculated does not end: {err}") from err
        return irp

    def _general(self) -> None:
        self._expect("{")
        unit, in_periods = 1.0, False
        for part in self._text[self._position : self._until("}")].split(","):
            if part in {"msb", "lsb"}:
                self._high_first = part == "msb"
            elif match := re.fullmatch(r"([0-9.]+)[kK](?:[hH]z)?", part):
                self._carrier = _decimal(match[1]) * 1000
            elif match := re.fullmatch(r"([0-9.]+)(u|p)?", part):
                unit, in_periods = _decimal(match[1]), match[2] == "p"
            else:
                raise NotationError(f"{part} is not read")
        self._unit = unit * (self._period() if in_periods else 1)
        self._position = self._until("}") + 1

    def _period(self) -> float:
        if not self._carrier:
            raise NotationError("periods of a carrier that is not said")
        return 1e6 / self._carrier

    def _symbols(self) -> _Symbols:
        self._expect("<")
        symbols: list[tuple[float, ...]] = []
        while True:
            symbol = [self._duration()]
            while self._accept(","):
                symbol.append(self._duration())
            symbols.append(tuple(symbol))
            if self._accept(">"):
                break
            self._expect("|")
        if len(symbols) not in {2, 4, 16}:
            raise NotationError(f"{len(symbols)} symbols are not read")
        return tuple(symbols)

    def _stream(self, symbols: _Symbols) -> _Stream:
        self._expect("(")
        items: list[object] = []
        fields: list[Field] = []

        def close() -> None:
            if fields:
                bits = Bits(tuple(fields), symbols, self._high_first)
                if sum(bit_field.width for bit_field in fields) % bits.size:
                    raise NotationError("the fields do not fill whole symbols")
                items.append(bits)
                fields.clear()

        while True:
            item = self._item(symbols)
            if isinstance(item, Field):
                fields.append(item)
            else:
                close()
                items.append(item)
            if self._accept(")"):
                break
            self._expect(",")
        close()
        return _Stream(tuple(items), *self._repetitions())

    def _repetitions(self) -> tuple[int, int]:
        if self._accept("*"):
            return 0, _UNLIMITED
        if self._accept("+"):
            return 1, _UNLIMITED
        if match := self._match(_NUMBER):
            count = _integer(match)
            if not 1 <= count <= _MAX_COPIES:
                raise NotationError(f"{count} times is not read")
            return count, _UNLIMITED if self._accept("+") else count
        return 1, 1

    def _item(self, symbols: _Symbols) -> object:
        if self._peek("<"):
            return self._stream(self._symbols())
        if self._peek("(") and self._text[self._closing() + 1 :][:1] != ":":
            return self._stream(symbols)
        if self._accept("["):
            return self._variation()
        if self._accept("^"):
            return Extent(self._length())
        return self._assignment() or (
            self._duration() if _DURATION.match(self._text, self._position) else self._field()
        )

    def _assignment(self) -> Assignment | None:
        if (match := _ASSIGNS.match(self._text, self._position)) is None:
            return None
        self._position = match.end()
        return Assignment(match[1], self._expression())

    def _variation(self) -> _Variation:
        alternatives: list[tuple[Item, ...]] = []
        while True:
            if self._peek("]"):
                alternatives.append(())
            else:
                alternatives.append((self._assignment() or self._duration(),))
            self._expect("]")
            if not self._accept("["):
                return _Variation(tuple(alternatives))

    def _field(self) -> Field:
        inverted = self._accept("~")
        name = ""
        if self._peek("("):
            value = self._group()
        elif number := self._match(_NUMBER):
            value = _constant(_integer(number))
        else:
            name = self._name()
            value = _variable(name)
        self._expect(":")
        reversed_order = self._accept("-")
        width = self._digits()
        shift = self._digits() if self._accept(":") else 0
        if not 1 <= width <= _MAX_WIDTH or shift > _MAX_WIDTH:
            raise NotationError(f"a field of {width} bits is not read")
        return Field(value, name, width, shift, inverted, self._high_first != reversed_order)

    def _definition(self) -> tuple[str, Expression]:
        name = self._name(used=False)
        self._expect("=")
        return name, self._expression()

    def _parameter(self) -> tuple[str, Parameter]:
        name = self._name(used=False)
        toggle = self._accept("@")
        self._expect(":")
        lowest = self._digits()
        self._expect("..")
        highest = self._digits()
        default = self._expression() if self._accept("=") else None
        return name, Parameter(lowest, highest, default, toggle)

    def _duration(self) -> float:
        return -self._length() if self._accept("-") else self._length()

    def _length(self) -> float:
        match = self._match(_NUMBER)
        if match is None:
            raise self._syntax_error()
        unit = self._unit
        if self._accept("p"):
            unit = self._period()
        else:
            for suffix, us in _SUFFIXES.items():
                if self._accept(suffix):
                    unit = us
                    break
        if (length := _decimal(match) * unit) > MAX_US:
            raise NotationError(f"{length:.0f} µs are too long")
        return length

    def _expression(self) -> Expression:
        return self._binary(0)

    def _binary(self, level: int) -> Expression:
        if level == len(_OPERATORS):
            return self._unary()
        left = self._binary(level + 1)
        while True:
            for sign, operation in _OPERATORS[level].items():
                if self._accept(sign):
                    left = _combined(operation, left, self._binary(level + 1))
                    break
            else:
                return left

    def _unary(self) -> Expression:
        for sign, operation in _UNARY.items():
            if self._accept(sign):
                return _applied(operation, self._unary())
        value = self._primary()
        if not self._accept(":"):
            return value
        if self._accept(":"):
            return _shifted(value, self._bit_count(), None)
        width = self._bit_count()
        return _shifted(value, self._bit_count() if self._accept(":") else 0, width)

    def _primary(self) -> Expression:
        if self._peek("("):
            return self._group()
        if number := self._match(_NUMBER):
            return _constant(_integer(number))
        return _variable(self._name())

    def _group(self) -> Expression:
        self._expect("(")
        value = self._expression()
        self._expect(")")
        return value

    def _list[T](self, end: str, read: Callable[[], T]) -> Iterator[T]:
        while True:
            yield read()
            if self._accept(end):
                return
            self._expect(",")

    def _name(self, *, used: bool = True) -> str:
        if (name := self._match(_NAME)) is None:
            raise self._syntax_error()
        if used:
            self._used.add(name)
        return name

    def _digits(self) -> int:
        if (number := self._match(_DIGITS)) is None:
            raise self._syntax_error()
        return _integer(number)

    def _bit_count(self) -> int:
        if (count := self._digits()) > _MAX_WIDTH:
            raise NotationError(f"a field of {count} bits is not read")
        return count

    def _match(self, expression: re.Pattern[str]) -> str | None:
        if match := expression.match(self._text, self._position):
            self._position = match.end()
            return match[0]
        return None

    def _peek(self, sign: str) -> bool:
        return self._text.startswith(sign, self._position)

    def _accept(self, sign: str) -> bool:
        is_next = self._peek(sign)
        self._position += len(sign) * is_next
        return is_next

    def _expect(self, sign: str) -> None:
        if not self._accept(sign):
            raise self._syntax_error()

    def _until(self, sign: str) -> int:
        if (end := self._text.find(sign, self._position)) < 0:
            raise NotationError(f"{sign} is missing")
        return end

    def _closing(self) -> int:
        depth = 0
        for index in range(self._position, len(self._text)):
            depth += (self._text[index] == "(") - (self._text[index] == ")")
            if not depth:
                return index
        raise NotationError(") is missing")

    def _syntax_error(self) -> NotationError:
        rest = self._text[self._position : self._position + 20]
        return NotationError(f"not read from here: {rest}")


def _parts(stream: _Stream) -> tuple[tuple[Item, ...], tuple[Item, ...], tuple[Item, ...], int]:
    """Return intro, repeat, ending, and the minimum number of repeats."""
    parts = _Items(), _Items(), _Items()
    min_repeats = 0

    def walk(inner: _Stream, part: int) -> int:
        nonlocal min_repeats
        if inner.max_count == _UNLIMITED:
            if part:
                raise NotationError("two streams without end")
            variations = max(
                (len(item.alternatives) for item in inner.items if isinstance(item, _Variation)),
                default=0,
            )
            if variations:
                parts[0].add(_flat(inner, 0))
            parts[1].add(_flat(inner, 1 if variations else 0))
            if variations > 2:  # noqa: PLR2004  (first, further, last)
                parts[2].add(_flat(inner, 2))
            min_repeats = 0 if variations else inner.min_count
            return 2
        for _ in range(inner.min_count):
            for item in inner.items:
                if isinstance(item, _Stream):
                    part = walk(item, part)
                else:
                    parts[part].add(_flat(_Stream((item,), 1, 1), 0))
        return part

    walk(stream, 0)
    intro, repeat, ending = (tuple(part.items) for part in parts)
    return intro, repeat, ending, min_repeats


class _Items:
    """The items of a part. A part that is too long is rejected before it is expanded."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self._symbols = 0

    def add(self, items: Iterator[Item]) -> None:
        """Add items. Raise NotationError if there are too many."""
        for item in items:
            self._symbols += item.count if isinstance(item, Bits) else 1
            if self._symbols > _MAX_SYMBOLS:
                raise NotationError(f"more than {_MAX_SYMBOLS} durations and bits are not read")
            self.items.append(item)


def _flat(stream: _Stream, repetition: int) -> Iterator[Item]:
    """Yield the items of a limited stream, with the alternatives for this repetition."""
    for item in stream.items:
        match item:
            case _Stream(max_count=1):
                yield from _flat(item, repetition)
            case _Stream(max_count=count) if count != _UNLIMITED:
                for _ in range(count):
                    yield from _flat(item, repetition)
            case _Variation():
                yield from item.alternatives[min(repetition, len(item.alternatives) - 1)]
            case float() | Bits() | Extent() | Assignment():
                yield item
            case _:
                raise NotationError("a stream without end in another one")


def _decimal(text: str) -> float:
    try:
        return float(text)
    except ValueError as err:
        raise NotationError(f"{text[:20]} is not a number") from err


def _integer(text: str) -> int:
    try:
        value = int(text, 0) if text.startswith("0x") else int(text)
    except ValueError as err:
        raise NotationError(f"{text[:20]} is not a whole number") from err
    if value >= _MAX_NUMBER:
        raise NotationError(f"{text[:20]}… is too large a number")
    return value


def _constant(value: int) -> Expression:
    return lambda _: value


def _variable(name: str) -> Expression:
    return lambda values: values[name]


def _applied(operation: Callable[[int], int], value: Expression) -> Expression:
    return lambda values: operation(value(values))


def _combined(
    operation: Callable[[int, int], int], left: Expression, right: Expression
) -> Expression:
    def combine(values: Values) -> int:
        result = operation(left(values), right(values))
        if abs(result) >= _MAX_NUMBER:
            raise OverflowError("a number is too large")
        return result

    return combine


def _shifted(value: Expression, shift: int, width: int | None) -> Expression:
    mask = -1 if width is None else (1 << width) - 1
    return lambda values: value(values) >> shift & mask


_OPERATORS: Final[tuple[Mapping[str, Callable[[int, int], int]], ...]] = (
    {"|": lambda a, b: a | b},
    {"^": lambda a, b: a ^ b},
    {"&": lambda a, b: a & b},
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {"*": lambda a, b: a * b, "/": lambda a, b: a // b, "%": lambda a, b: a % b},
)
"""From lowest to highest precedence."""
_UNARY: Final[Mapping[str, Callable[[int], int]]] = {
    "-": lambda a: -a,
    "~": lambda a: ~a,
    "#": lambda a: a.bit_count() if a >= 0 else (a & (1 << _MAX_WIDTH) - 1).bit_count(),
}
