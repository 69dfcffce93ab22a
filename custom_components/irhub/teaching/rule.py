"""The rule: a remote control's packets as data, a few hundred bytes for hundreds of states."""

from base64 import b64decode, b64encode
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, reduce
from itertools import pairwise, product
from operator import or_, xor
from typing import Any, Final, Self

from ..codes import bits
from ..codes.state import OFF, Off, State
from ..formats.head import FAHRENHEIT_FROM, Levels
from . import messages
from .checks import Check, Unit
from .equations import Equations, Sum, Symbols
from .finding import Finding
from .messages import Layout
from .remote import ATTRIBUTES, Value, states, value

type Table = Mapping[Value, int]
"""Value → the bits that it flips."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModeBits:
    """What the messages of a mode are made of."""

    bits: int
    """Those of the first values of all tables."""
    tables: Mapping[str, Table]
    """Attribute of State → what its values flip."""

    def messages(self, name: str) -> dict[State, int]:
        """Return the bits of each state, without checks and what changes by itself."""
        made: dict[State, int] = {}
        for chosen in product(*(table.items() for table in self.tables.values())):
            said: dict[str, Any] = {
                one: has for one, (has, _) in zip(self.tables, chosen, strict=True)
            }
            flips = reduce(xor, (flips for _, flips in chosen), self.bits)
            made[State(mode=name, **said)] = flips
        return made


@dataclass(frozen=True, kw_only=True)
class TaughtRule:
    """Makes the packet of a state, and reads what the remote control sends."""

    like: bytes
    """The packet after which all are written."""
    layout: Layout
    modes: Mapping[str, ModeBits]
    checks: tuple[Check, ...]
    """In the order in which they are computed."""
    rolling: int
    """Bits that change by themselves; sent as they were in `like`."""
    without: frozenset[State]
    """What the modes have, but the rule does not say; a temperature of None: whatever it is."""
    pressed: Mapping[State, bytes]
    """What is sent as it was pressed."""
    off: bytes | None

    @cached_property
    def states(self) -> Collection[State]:
        """Return what can be encoded."""
        return frozenset(self._by_rule) | self.pressed.keys()

    @cached_property
    def levels(self) -> Levels:
        """Return the order in which levels are offered, and the unit."""
        found: dict[str, dict[Value, None]] = {attribute: {} for attribute in ATTRIBUTES}
        modes = dict.fromkeys([*self.modes, *(state.mode for state in self.pressed)])
        for mode in self.modes.values():
            for attribute, table in mode.tables.items():
                found[attribute].update(dict.fromkeys(table))
        for state in self.pressed:
            for attribute in ATTRIBUTES:
                if (has := value(state, attribute)) is not None:
                    found[attribute].setdefault(has)
        degrees = sorted(float(t) for t in found["temperature"])
        steps = [b - a for a, b in pairwise(degrees)]
        return Levels(
            modes=tuple(modes),
            presets=tuple(map(str, found["preset"])),
            fans=tuple(map(str, found["fan"])),
            swings=tuple(map(str, found["swing"])),
            step=min(steps, default=None),
            unit="F" if degrees and degrees[0] >= FAHRENHEIT_FROM else "C",
        )

    def encode(self, state: State) -> bytes:
        """Return the packet of a state. Raise ValueError if there is none."""
        if (packet := self.pressed.get(state)) is not None:
            return packet
        if (said := self._by_rule.get(state)) is None:
            raise ValueError(f"no packet for {state}")
        _, like = self._like
        message = said | like & self.rolling
        for check in self.checks:
            message = check.compute(message, self.layout.frames)
        signal = bits.read(self.like)
        assert signal is not None  # noqa: S101 - for mypy: `like` was read when the rule was made
        return messages.write(signal, message)

    def read(self, packet: bytes) -> State | Off | None:
        """Return what a packet says; None: it is not of this rule.

        What several states of a mode have alike is said; what differs in them is None.
        """
        key = bits.said(packet)
        if key is None:
            return None
        said = messages.read(packet)
        if self.off is not None and (key == bits.said(self.off) or self._is_off(said)):
            return OFF
        for state, pressed in self.pressed.items():
            if key == bits.said(pressed):
                return state
        if said is None or said[0] != self.layout:
            return None
        message = said[1]
        for check in self.checks:
            if check.compute(message, self.layout.frames) != message:
                return None
        return _common(self._meanings.get(message & self.data, ()))

    def as_data(self) -> dict[str, Any]:
        """Return the rule as JSON has it."""
        tables: list[Table] = []
        modes = {}
        for name, mode in self.modes.items():
            for table in mode.tables.values():
                if table not in tables:
                    tables.append(table)
            numbers = {one: tables.index(table) for one, table in mode.tables.items()}
            modes[name] = {"bits": f"{mode.bits:x}", "tables": numbers}
        return {
            "like": b64encode(self.like).decode(),
            "kind": self.layout.kind,
            "frames": list(self.layout.frames),
            "modes": modes,
            "tables": [_table_as_data(table) for table in tables],
            "checks": [_check_as_data(check) for check in self.checks],
            "rolling": f"{self.rolling:x}",
            "without": [_state_as_data(state) for state in sorted(self.without, key=str)],
            "pressed": [
                [*_state_as_data(state), b64encode(packet).decode()]
                for state, packet in self.pressed.items()
            ],
            "off": None if self.off is None else b64encode(self.off).decode(),
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Return the rule of `as_data`. Raise ValueError, KeyError or TypeError if it is none."""
        tables = [_table_of(*table) for table in data["tables"]]
        return cls(
            like=b64decode(data["like"]),
            layout=Layout(kind=data["kind"], frames=tuple(data["frames"])),
            modes={
                name: ModeBits(
                    bits=int(mode["bits"], 16),
                    tables={one: tables[number] for one, number in mode["tables"].items()},
                )
                for name, mode in data["modes"].items()
            },
            checks=tuple(map(_check_of, data["checks"])),
            rolling=int(data["rolling"], 16),
            without=frozenset(map(_state_of, data["without"])),
            pressed={_state_of(said[:-1]): b64decode(said[-1]) for said in data["pressed"]},
            off=None if data["off"] is None else b64decode(data["off"]),
        )

    def _is_off(self, said: tuple[Layout, int] | None) -> bool:
        """Say if this is off, but for what changes by itself."""
        off = None if self.off is None else messages.read(self.off)
        return (
            bool(self.rolling)
            and said is not None
            and off is not None
            and said[0] == off[0] == self.layout
            and not (said[1] ^ off[1]) & self.data
        )

    @cached_property
    def _like(self) -> tuple[Layout, int]:
        said = messages.read(self.like)
        if said is None:
            raise ValueError("the packet of the rule says nothing certain")
        return said

    @cached_property
    def data(self) -> int:
        """Return the bits that say the state."""
        checked = 0
        for check in self.checks:
            checked |= check.target.mask
        return (1 << sum(self.layout.frames)) - 1 & ~checked & ~self.rolling

    @cached_property
    def _by_rule(self) -> Mapping[State, int]:
        """State → its bits, without checks and what changes by itself."""
        return {
            state: said
            for name, mode in self.modes.items()
            for state, said in mode.messages(name).items()
            if self.without.isdisjoint((state, replace(state, temperature=None)))
        }

    @cached_property
    def _meanings(self) -> Mapping[int, list[State]]:
        found: dict[int, list[State]] = {}
        for state, said in self._by_rule.items():
            found.setdefault(said, []).append(state)
        return found


def make_rule(
    *,
    like: bytes,
    finding: Finding,
    offers: Callable[[State], int | None],
    pressed: Mapping[State, bytes],
    off: bytes | None,
) -> TaughtRule:
    """Return the rule of what is offered; what it does not say is sent as it was pressed."""
    layout = messages.read(like)
    assert layout is not None  # noqa: S101 - for mypy: it was read when it was heard
    modes: dict[str, ModeBits] = {}
    without: set[State] = set()
    said: set[State] = set()
    for name in finding.remote:
        offered = {
            state: message & finding.data
            for state in states(finding.remote, name)
            if (message := offers(state)) is not None
        }
        if offered:
            modes[name], wrong = _mode(name, offered, finding.data)
            said |= offered.keys() - wrong
            without |= _left_out(modes[name], name, offered.keys() - wrong)
    return TaughtRule(
        like=like,
        layout=layout[0],
        modes=modes,
        checks=tuple(alternatives[0] for alternatives in reversed(finding.checks)),
        rolling=finding.rolling,
        without=frozenset(without),
        pressed={state: packet for state, packet in pressed.items() if state not in said},
        off=off,
    )


def _mode(name: str, offered: Mapping[State, int], data: int) -> tuple[ModeBits, set[State]]:
    """Return what the messages of a mode are made of, and the states of which that is not so."""
    symbol, equations = Symbols(), Equations(data)

    def total(state: State) -> int:
        has = ((one, value(state, one)) for one in ATTRIBUTES)
        return sum(symbol(*one) for one in has if one[1] is not None) | symbol("mode")

    for state, said in offered.items():
        equations.add(Sum(total(state), said, 0))
    first = next(iter(offered))
    tables: dict[str, dict[Value, int]] = {}
    for attribute in ATTRIBUTES:
        base = value(first, attribute)
        for has in dict.fromkeys(value(state, attribute) for state in offered):
            if has is not None and base is not None:
                flips = equations.solve(symbol(attribute, has) ^ symbol(attribute, base))
                if flips is not None:
                    tables.setdefault(attribute, {})[has] = flips
    mode = ModeBits(bits=offered[first], tables=tables)
    made = mode.messages(name)
    return mode, {state for state, said in offered.items() if made.get(state) != said}


def _left_out(mode: ModeBits, name: str, offered: Collection[State]) -> set[State]:
    """Return what the tables have and the rule does not say, whole columns as one."""
    columns = {replace(state, temperature=None) for state in offered}
    return {
        state if (column := replace(state, temperature=None)) in columns else column
        for state in mode.messages(name)
        if state not in offered
    }


def _common(meanings: Sequence[State]) -> State | None:
    """Return what states of one mode have alike; None if they are of several, or there is none."""
    if len({state.mode for state in meanings}) != 1:
        return None
    alike: dict[str, Any] = {
        one: value(meanings[0], one)
        for one in ATTRIBUTES
        if len({value(state, one) for state in meanings}) == 1
    }
    return State(mode=meanings[0].mode, **alike)


def _state_as_data(state: State) -> list[Any]:
    return [state.mode, *(value(state, one) for one in ATTRIBUTES)]


def _state_of(data: Sequence[Any]) -> State:
    mode, preset, fan, swing, temperature = data
    return State(mode=mode, preset=preset, fan=fan, swing=swing, temperature=temperature)


def _table_as_data(table: Table) -> list[Any]:
    """Return the first bit that is flipped, and what each value flips from there."""
    every = reduce(or_, table.values())
    first = (every & -every).bit_length() - 1 if every else 0
    return [first, [[has, f"{flips >> first:x}"] for has, flips in table.items()]]


def _table_of(first: int, flips: Sequence[tuple[Value, str]]) -> Table:
    return {has: int(bits, 16) << first for has, bits in flips}


def _check_as_data(check: Check) -> dict[str, Any]:
    return {
        one: f"{said:x}" if one == "skip" else said
        for one, said in asdict(check).items()
        if said != _USUAL.get(one)
    }


def _check_of(data: Mapping[str, Any]) -> Check:
    said: dict[str, Any] = {**_USUAL, **data}
    return Check(**said | {"target": Unit(**said["target"]), "skip": int(str(said["skip"]), 16)})


_USUAL: Final = {"negative": False, "constant": 0, "polynomial": 0, "skip": 0}
