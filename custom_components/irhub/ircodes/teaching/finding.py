"""Finding: which bits of a remote control's messages are what, from some presses.

What a message says is a sum (XOR) of what the mode, the preset, the fan speed, the swing and the
temperature say, and of checks. One mode is the reference. In another one an attribute says the
same, or nothing (dry has one fan speed, whatever is shown), or something of its own. Some states of
a mode (`Region`) may say something more: those with one fan speed, or from a temperature on, or one
alone, which is a wrong press then. The cheapest explanation of a mode's presses is taken, and all
that are nearly as cheap have to agree. Bits that contradict more than once are no part of the state
if all is cheaper without them.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, reduce
from itertools import combinations, islice, pairwise, product
from operator import and_, or_
import re
from typing import Any, Final, NamedTuple, Self, cast

from ..states.state import State
from . import checks, temperatures
from .equations import Equations, Sum, Symbols
from .remote import ATTRIBUTES, TABLES, Remote, Value, attributes, value
from .temperatures import Guess

PLAIN: Final = re.compile(
    r"(?:level|speed|fan)?[ _]?\d"
    r"|(?:(?:super|ultra|very)?[ _]?"
    r"(?:lowest|low|lo|mid|medium|med|middle|highest|high|hi|minimum|min|maximum|max))+",
    re.IGNORECASE,
)
"""Values that are what they are in each mode; others (auto, quiet, turbo) may be other bits."""
SPECIAL: Final = re.compile(
    r"turbo|power|boost|strong|jet|quiet|silent|mute|whisper|sleep|night|eco|save", re.IGNORECASE
)
"""Values that are more than a speed: other bits say so, even where no speed is said."""
_VALUES_TESTED: Final = 3
"""Values of an attribute, or all it has, that must be pressed in a mode."""
_LIKE_IN_MODES: Final = 3
"""Modes in which a value was pressed, the reference among them, that says the same in others."""
_CONFIRMATIONS: Final = 2
"""Messages of a mode that must have been as the others said."""
_CHECKED_FROM, _UNCHECKED = 9, 2
"""Messages from which on so many may have a wrong check."""

_FIXED, _OWN, _STRANGE, _NEARLY = 0.75, 4.5, 1.5, 0.9
"""What explanations of a mode cost, and how much dearer another one may be to count."""
_REGION, _NARROWER, _WARMER = 3.0, 0.5, 1.0
"""What it costs if some states say something more; for each more that they have together, and if
they are those of one value from a temperature on, or count temperatures otherwise."""
_ODD, _ODD_TWICE = 3.5, 1.0
"""What it costs if one press contradicts all others, and what more if it was heard twice."""
_COUNTED_TWICE, _NOT_COUNTED = 1.0, 6.0
"""What it costs if temperatures count in more ways than one, or in none."""
_MOST_STRANGE: Final = 8.0
"""What the explanation of a mode may cost for it to be trusted."""
_LOOSE: Final = 2.0
"""What it costs to take bits for no part of the state."""
_LEAVE_OUT_FROM: Final = 7
"""Presses of the reference from which on one may be left out as no temperatures count with it."""
_ALTERNATIVES, _TRIED, _MOST_TRIED, _LOOSENED = 24, 16, 18, 4
"""So many explanations are compared, so many tried to find how temperatures count, so many times
bits are taken for no part of the state, and so many times one after the other."""
_MANY: Final = 4
"""Values from which on a byte that nothing explains may be a check."""
_UNCOUNTED_FROM: Final = 6
"""Temperatures from which on a byte that does not count them may be no part of them."""


class Region(NamedTuple):
    """States of a mode that say something more than what they have: those that have all of this."""

    tables: tuple[tuple[str, Value], ...] = ()
    last_below: float | None = None
    """If it is about temperatures: the last one that was pressed on the lower side."""
    first_above: float | None = None
    above: bool = True
    state: State | None = None
    """The only one, if it is one that contradicts all others."""
    counts_otherwise: bool = False
    """If temperatures say nothing in them though they do in the mode, or the other way round."""

    def has(self, state: State) -> bool | None:
        """Say if a state is one of them; None: that is not known."""
        if self.state is not None:
            return state == self.state
        for attribute, one in self.tables:
            if value(state, attribute) != one:
                return False
        if self.last_below is None:
            return True
        return False if state.temperature is None else self.is_beyond(state.temperature)

    def is_beyond(self, temperature: float) -> bool | None:
        """Say if a temperature is on the side of those that say more; None: it is between."""
        if self.last_below is None or self.first_above is None:
            return True
        if self.last_below < temperature < self.first_above:
            return None
        return (temperature >= self.first_above) == self.above

    @property
    def is_value(self) -> bool:
        """Say if they are all that have some values, and temperatures say in them what they say."""
        return bool(self.tables) and self.last_below is None and not self.counts_otherwise

    @property
    def is_warmer(self) -> bool:
        """Say if they are all from a temperature on, or below it."""
        return not self.tables and self.last_below is not None

    @property
    def cost(self) -> float:
        """Return how unlikely it is."""
        if self.state is not None:
            return _ODD
        narrower = max(0, len(self.tables) - 1)
        warmer = bool(self.tables) and self.last_below is not None
        return _REGION + _NARROWER * narrower + _WARMER * (warmer or self.counts_otherwise)


type Hows = Mapping[str, str]
"""What an attribute says in a mode: "default", "fixed" (nothing) or "own"."""


@dataclass(frozen=True, slots=True)
class _Explanation:
    cost: float
    mode: str
    hows: Hows
    regions: tuple[Region, ...]
    equations: Equations


type _Regions = dict[tuple[str, State | None], list[tuple[Region, int]]]
"""Mode, and the press that is left out → what may say something more, and the presses in it."""


class Finding:
    """What presses say of a remote control."""

    def __init__(
        self,
        presses: Sequence[tuple[State, int]],
        frames: tuple[int, ...],
        remote: Remote,
        *,
        loose: int = 0,
        left_out: State | None = None,
        regions: _Regions | None = None,
        most: float = float("inf"),
    ) -> None:
        """Find it.

        Several messages of the first state show what changes by itself; of another one the last
        counts, and is sure if it is as the one before. What is loose says nothing of the state.
        `regions` are those found before in the same presses. If there is more trouble than `most`,
        the modes that are left are not looked at.
        """
        self.frames = frames
        self.remote = remote
        self.loosened = loose
        self._presses = presses
        self._left_out = left_out
        self.heard: dict[State, int] = {}
        self.odd: list[State] = []
        """Those whose messages contradict the others."""
        self.twice: set[State] = set()
        """Those that were heard twice, and were the same."""
        first, self.first = presses[0]
        changing = reduce(or_, (one ^ self.first for state, one in presses if state == first), 0)
        changing |= loose
        for state, message in presses:
            if state != first or state not in self.heard:
                if state in self.heard and not (self.heard[state] ^ message) & ~changing:
                    self.twice.add(state)
                self.heard[state] = message
        if sum(state == first for state, _ in presses) > 1:
            self.twice.add(first)
        self.checks = _checks(tuple(message for _, message in presses), frames)
        checked = reduce(or_, (check[0].target.mask for check in self.checks), 0)
        self.rolling = changing & ~checked & (1 << sum(frames)) - 1
        """Bits that count presses or toggle, hold a clock, a measurement or the button pressed."""
        self.data = (1 << sum(frames)) - 1 & ~checked & ~self.rolling
        self.lacks_check = False
        """If what changes by itself may be a check: then only packets that were heard are right."""
        self.doubtful: list[State] = []
        """Those of the reference of which one, no matter which, contradicts the others."""
        self.counts: dict[str, list[list[Guess]] | None] = {}
        """Mode ("" for all that have no own) → how temperatures may be counted; None: no way."""
        self._symbol = Symbols()
        self._guesses = 0
        self._values_apart: dict[str, set[Value]] = {}
        self._regions: _Regions = {} if regions is None else regions
        self._press = {state: 1 << index for index, state in enumerate(self.heard)}
        self._explanations: dict[str, list[_Explanation]] = {}
        by_mode: dict[str, list[tuple[State, int]]] = {}
        for state, message in self.heard.items():
            if state != left_out:
                by_mode.setdefault(state.mode, []).append((state, message))
        self.odd += [left_out] if left_out is not None else []
        self.reference, *others = sorted(
            by_mode, key=lambda mode: (mode != first.mode, -len(by_mode[mode]))
        )
        self._temperatures = sorted({t for has in remote.values() for t in has.temperatures})
        self._equations = self._explain_reference(by_mode[self.reference])
        for mode in others:
            if self.trouble > most:
                break
            self._explain(mode, by_mode[mode])

    def settled(self) -> Self:
        """Return this, with what is sure of it: it is the one of several that is taken."""
        self._count(self._equations, "", self._temperatures, is_last=True)
        for mode in self._explanations:
            if mode != self.reference and self.hows(mode).get("temperature") == "own":
                wanted = self.remote[mode].temperatures
                self._count(self._equations, mode, wanted, is_last=True)
        self._equations.sure |= self._distinct()
        unconfirmed = self.in_bytes(self.unconfirmed)
        self.lacks_check = self.hides_check() or bool(
            unconfirmed and unconfirmed & self._contradicting()
        )
        return self

    def without(self, loose: int, left_out: State | None = None, *, most: float) -> Finding:
        """Return what the same presses say without the bits that are loose, or one of them.

        It is of no use but for its trouble if that is more than `most`.
        """
        return Finding(
            self._presses,
            self.frames,
            self.remote,
            loose=loose,
            left_out=left_out,
            regions=self._regions,
            most=most,
        )

    @property
    def trouble(self) -> float:
        """Return how much is not as it should be."""
        return sum(found[0].cost for found in self._explanations.values()) + (
            0 if self._left_out is None else _ODD + _ODD_TWICE * (self._left_out in self.twice)
        )

    @property
    def is_contradicted_twice(self) -> bool:
        """Say if more than one thing is not as the others say, or temperatures do not count.

        One thing that several presses say alike belongs to the state.
        """
        more = sum(len(found[0].regions) for found in self._explanations.values())
        return more > 1 or None in self.counts.values()

    @property
    def is_suspect(self) -> bool:
        """Say if several modes contradict the reference: one of its presses may be wrong."""
        return (
            sum(
                found[0].cost >= _REGION
                for mode, found in self._explanations.items()
                if mode != self.reference
            )
            > 1
        )

    def helps(self, before: Finding) -> bool:
        """Say if several modes are easier to explain than before."""
        return (
            sum(
                found[0].cost < before._explanations[mode][0].cost
                for mode, found in self._explanations.items()
            )
            > 1
        )

    @property
    def is_clean(self) -> bool:
        """Say if nothing was heard that is not usual: then it is as usual where it is untried."""
        return (
            not self.loosened
            and self._left_out is None
            and not any(
                sum(one.state is None for one in found[0].regions) > 1
                for found in self._explanations.values()
            )
        )

    def loose(self) -> Iterator[int]:
        """Yield bits that may say nothing of the state, together with those that do not already.

        Those in which some states say something more, or which do not count; the nibbles and the
        bytes that have them; then all, too, that are no sum of what the states of a mode have.
        """
        found = self._more() | self._uncounted()
        more = found | self._contradicting()
        seen = {0}
        for width in (checks.BYTE, checks.NIBBLE):
            for unit in checks.units(self.frames, width):
                if (loose := unit.mask & self.data) and loose & more and loose not in seen:
                    seen.add(loose)
                    yield loose | self.rolling
        for loose in (found & self.data, more & self.data):
            if loose not in seen:
                seen.add(loose)
                yield loose | self.rolling

    def hides_check(self) -> bool:
        """Say if what is taken to be no part of the state may be a check of an unknown kind.

        It has many values, more than the first state alone, and no check confirms it.
        """
        hidden = self.unconfirmed
        first = [message for state, message in self._presses if state == self._presses[0][0]]
        for unit in checks.units(self.frames, checks.BYTE):
            if bits := unit.mask & hidden:
                values = {message & bits for _, message in self._presses}
                if len(values) >= _MANY and values > {message & bits for message in first}:
                    return True
        return False

    @cached_property
    def unconfirmed(self) -> int:
        """The bits that are no part of the state and that no check confirms.

        They may be part of a check: what was heard is right only as it was heard. A check confirms
        what all its formulas do.
        """
        confirmed = 0
        for alternatives in self.checks:
            confirmed |= reduce(and_, (check.confirms(self.frames) for check in alternatives))
        return self.rolling & ~confirmed

    def tells_apart(self, before: Finding) -> bool:
        """Say if what was told apart by its bits still is, without what changes by itself."""
        for attribute in ATTRIBUTES:
            known, was = self.known(attribute), before.known(attribute)
            for one, other in combinations(was, 2):
                if (was[one] ^ was[other]) & before.data and not (
                    one in known and other in known and (known[one] ^ known[other]) & self.data
                ):
                    return False
        counting = reduce(or_, self.known("temperature").values(), 0) & self.data
        if self._in_units(counting, checks.BYTE) & self.loosened & before.data:
            return False
        said = {
            mode: next((m & self.data for s, m in self.heard.items() if s.mode == mode), 0)
            for mode in self._explanations
        }
        was_said = {
            mode: next((m & before.data for s, m in self.heard.items() if s.mode == mode), 0)
            for mode in self._explanations
        }
        return len({*said.values()}) == len({*was_said.values()})

    def hows(self, mode: str) -> Hows:
        """Return what the attributes say in a mode."""
        return self._explanations[mode][0].hows if mode in self._explanations else {}

    def more(self, mode: str) -> Iterator[tuple[Region, int]]:
        """Yield the states of a mode that say something more, and what they flip."""
        for one in self._explanations.get(mode, ())[:1]:
            for number, region in enumerate(one.regions):
                flips = one.equations.solve(self._symbol("region", mode, number))
                if region.state is None and (flips or region.counts_otherwise):
                    yield region, flips or 0

    def regions(self, mode: str) -> tuple[Region, ...]:
        """Return the states of a mode that say something more."""
        return self._explanations[mode][0].regions if mode in self._explanations else ()

    def known(self, attribute: str, mode: str = "") -> dict[Value, int]:
        """Return the values of an attribute whose difference from the first one is known."""
        return self._known(self._equations, attribute, mode)

    def tested(self, mode: str, attribute: str) -> bool:
        """Say if enough values were pressed in a mode to say how it is."""
        values = self.remote[mode].values(attribute)
        seen = {
            value(state, attribute)
            for state in self.heard
            if state.mode == mode and state not in self.odd
        }
        return len(seen - {None}) >= min(len(values), _VALUES_TESTED)

    def is_confirmed(self, mode: str) -> bool:
        """Say if enough messages of a mode were as the others said."""
        found = self._explanations.get(mode)
        return found is not None and found[0].equations.confirmed >= _CONFIRMATIONS

    def is_understood(self, mode: str) -> bool:
        """Say if a mode and the reference are simple enough to say more than was heard."""
        return all(
            one in self._explanations and self._explanations[one][0].cost < most
            for one, most in ((mode, _MOST_STRANGE), (self.reference, _NOT_COUNTED))
        )

    def answers(self, state: State, *, strict: bool = True) -> set[int | None]:
        """Return what the explanations of its mode say of a state, None where they do not know."""
        found: set[int | None] = set()
        for one in self._explanations.get(state.mode, ()):
            symbols = self._sum(state, one, strict=strict)
            found.add(None if symbols is None else one.equations.solve(symbols))
        return found

    def open(self, mode: str) -> Iterator[tuple[Region, Sequence[float]]]:
        """Yield what says something more, with the temperatures of which that is not known."""
        temperatures = self.remote[mode].temperatures
        for one in self._explanations.get(mode, ()):
            for region in one.regions:
                if region.state is None:
                    inside = self._inside(mode, region)
                    low, high = region.last_below, region.first_above
                    if low is not None and high is not None:
                        if between := [t for t in temperatures if low < t < high]:
                            yield region, between
                    elif len(inside) == 1:
                        yield (
                            region,
                            [t for t in temperatures if t != inside[0].temperature],
                        )

    def _is_shown(self, how: _Explanation, region: Region, state: State, *, has: bool) -> bool:
        """Say if presses show that a state, too, says something more, or that it does not.

        One press may be alone. What is so from a temperature on may be so at one fan speed only.
        """
        inside = [one for one in self.heard if one.mode == how.mode and region.has(one) is has]
        if len(inside) == 1:
            return False
        telling = [one for one in TABLES if how.hows.get(one, "default") != "fixed"]
        return bool(region.tables) or any(
            all(value(other, one) == value(state, one) for one in telling) for other in inside
        )

    def _inside(self, mode: str, region: Region) -> Sequence[State]:
        return [state for state in self.heard if state.mode == mode and region.has(state)]

    def predict(self, state: State) -> set[int]:
        """Return the messages that a state may have by what was pressed; none if it is open."""
        if state in self.heard and state not in self.odd:
            return {self.heard[state]}
        if state.mode not in self._explanations or not self._is_explained(state):
            return set()
        return self.guess(state, strict=True)

    def guess(self, state: State, *, strict: bool = False) -> set[int]:
        """Return the messages that a state may have, even if its mode was tried too little."""
        if state.mode not in self._explanations:
            return set()
        said = self.answers(state, strict=strict)
        if len(said) > 1 or (bits := said.pop()) is None:
            return set()
        return self._checked({bits | self.first & ~self.data})

    def is_proven(self, state: State) -> bool:
        """Say if its mode was tried enough, and what the state has in it."""
        if state.mode == self.reference:
            return True
        return self.is_confirmed(state.mode) and all(
            self._is_tried(state, attribute) for attribute in TABLES
        )

    def unsure(self, state: State) -> int:
        """Return the presses that a known state follows from and that nothing confirms."""
        if not (found := self._explanations.get(state.mode)):
            return 0
        if (symbols := self._sum(state, found[0])) is None:
            return 0
        return self._equations.follows_from(symbols) & ~self._equations.sure

    def _distinct(self) -> int:
        """Return the presses that are as said, but for a value that nothing else had before.

        Another button pressed by mistake would have said what that says.
        """
        found = 0
        for state, message in self.heard.items():
            if self._press[state] & self._equations.sure or state in self.odd:
                continue
            for attribute in TABLES:
                has = value(state, attribute)
                others: dict[Value, int] = {}
                for other in self.remote[state.mode].values(attribute):
                    if has is not None and other != has:
                        changed: dict[str, Any] = {attribute: other}
                        said = self.answers(replace(state, **changed))
                        if len(said) == 1 and (one := said.pop()) is not None:
                            others[other] = one
                if len(others) < 2:  # noqa: PLR2004
                    continue
                first, *more = others.values()
                flips = reduce(or_, (first ^ one for one in more), 0) & self.data
                differ = [(message ^ one) & self.data for one in others.values()]
                if all(differ) and not any(one & ~flips for one in differ):
                    found |= self._press[state]
        return found

    def is_sure(self, state: State) -> bool:
        """Say if a press of a state is confirmed by others, or was heard twice."""
        return bool(self._press[state] & self._equations.sure)

    def agrees(self, message: int, predicted: Collection[int]) -> bool:
        """Say if the checks of a message are right, and it is one of these."""
        return self.holds(message) and self.is_one_of(message, predicted)

    def is_one_of(self, message: int, predicted: Collection[int]) -> bool:
        """Say if a message is one of these, but for checks and what changes by itself."""
        return any(not (message ^ one) & self.data for one in predicted)

    def holds(self, message: int) -> bool:
        """Say if the checks of a message are right."""
        return all(
            any(check.compute(message, self.frames) == message for check in alternatives)
            for alternatives in self.checks
        )

    def _more(self) -> int:
        """Return the bits that say something more in some states."""
        found = 0
        for explanations in self._explanations.values():
            one = explanations[0]
            for number, region in enumerate(one.regions):
                if region.state is None:
                    flips = one.equations.solve(self._symbol("region", one.mode, number))
                    found |= flips or 0
                else:
                    symbols = self._sum(region.state, one, odd=False)
                    said = None if symbols is None else one.equations.solve(symbols)
                    found |= 0 if said is None else (said ^ self.heard[region.state]) & self.data
        return found

    def _contradicting(self) -> int:
        """Return the bits that are no sum of what the states of a mode have."""
        equations, symbol, found = Equations(self.data), Symbols(), 0
        for state, message in self.heard.items():
            symbols = symbol(state.mode)
            for attribute, has in attributes(state):
                symbols |= symbol(state.mode, attribute, has)
            found |= equations.left(Sum(symbols, message, 0))
        return found

    def _uncounted(self) -> int:
        """Return the bits that do not count the temperatures."""
        heard = {float(t): bits for t, bits in self.known("temperature").items()}
        if self.counts.get("", ()) is not None or len(heard) < _UNCOUNTED_FROM:
            return 0
        found = 0
        varied = reduce(or_, heard.values(), 0)
        for unit in checks.units(self.frames, checks.NIBBLE):
            some = {t: bits & unit.mask for t, bits in heard.items()}
            if temperatures.explain(some, self._temperatures, self.frames) is None:
                found |= unit.mask & varied
        return found

    def in_bytes(self, bits: int) -> int:
        """Return the bytes that have some of these bits."""
        return self._in_units(bits, checks.BYTE)

    def _in_units(self, bits: int, width: int) -> int:
        return sum(u.mask for u in checks.units(self.frames, width) if u.mask & bits)

    def _checked(self, messages: set[int]) -> set[int]:
        for alternatives in reversed(self.checks):
            messages = {
                check.compute(message, self.frames)
                for message in messages
                for check in alternatives
            }
        return messages

    def _is_tried(self, state: State, attribute: str) -> bool:
        has = value(state, attribute)
        explanations = self._explanations[state.mode]
        if has is None:
            return True
        modes = {one.mode for one in self.heard if value(one, attribute) == has}
        if state.mode in modes:
            return True
        is_plain = PLAIN.fullmatch(str(has)) and has not in self._apart(attribute)
        if any(one.regions for one in explanations):
            return bool(is_plain) and len(modes) > 1
        if is_plain:
            return True
        if SPECIAL.search(str(has)):
            return False
        is_fixed = all(one.hows.get(attribute) == "fixed" for one in explanations)
        return (self.is_clean and is_fixed) or len(modes) >= _LIKE_IN_MODES

    def _apart(self, attribute: str) -> Collection[Value]:
        """Return the plain values that flip bits in a byte in which no other plain one does."""
        if (found := self._values_apart.get(attribute)) is None:
            plain = {
                one: bits & self.data
                for one, bits in self.known(attribute).items()
                if PLAIN.fullmatch(str(one))
            }
            found = self._values_apart[attribute] = set()
            for one, bits in plain.items() if len(plain) > 2 else ():  # noqa: PLR2004
                first, *others = (flips for other, flips in plain.items() if other != one)
                usual = reduce(or_, (first ^ flips for flips in others), 0)
                if (bits ^ first) & ~self._in_units(usual, checks.BYTE):
                    found.add(one)
        return found

    def _is_explained(self, state: State) -> bool:
        found = self._explanations.get(state.mode, ())
        if found and all(map(_is_too_much, found)):
            return False
        return state.mode == self.reference or all(
            value(state, attribute) is None or self.tested(state.mode, attribute)
            for attribute in ATTRIBUTES
        )

    def _sum(
        self, state: State, how: _Explanation, *, odd: bool = True, strict: bool = True
    ) -> int | None:
        """Return the symbols of a state; None if it is not known what it says."""
        total = self._plain_sum(state, how.hows)
        for number, region in enumerate(how.regions):
            if region.state is not None and not odd:
                continue
            has = region.has(state)
            if has is None:
                return None
            if (
                strict
                and (has or region.is_warmer)
                and region.state is None
                and state not in self.heard
                and not self._is_shown(how, region, state, has=has)
            ):
                return None
            if has:
                total ^= self._symbol("region", how.mode, number)
            if has and region.counts_otherwise:
                total ^= self._symbol("temperature", "", state.temperature)
        return total

    def _plain_sum(self, state: State, hows: Hows) -> int:
        total = self._symbol("mode", state.mode)
        for attribute, has in attributes(state):
            how = hows.get(attribute, "default")
            if how != "fixed":
                total |= self._symbol(attribute, state.mode if how == "own" else "", has)
        return total

    def _guessed(self) -> int:
        """Return the bit of a press that there was not: what follows from it is not sure."""
        self._guesses += 1
        return 1 << len(self._press) + self._guesses

    def _none(self) -> Equations:
        """Return no equations yet; what was heard twice is sure."""
        return Equations(self.data, sure=sum(self._press[state] for state in self.twice))

    def _known(self, equations: Equations, attribute: str, mode: str) -> dict[Value, int]:
        values: list[Value] = [
            cast("Value", thing[2])
            for thing in self._symbol.things
            if thing[:2] == (attribute, mode)
        ]
        best: dict[Value, int] = {}
        for first in values:
            base = self._symbol(attribute, mode, first)
            known = {first: 0}
            for other in values:
                bits = equations.solve(base ^ self._symbol(attribute, mode, other))
                if bits is not None:
                    known[other] = bits
            if len(known) > len(best):
                best = known
            if 2 * len(best) > len(values):
                break
        return best

    def _explain_reference(self, presses: Sequence[tuple[State, int]]) -> Equations:
        """Return the equations of the reference."""
        found: list[_Explanation] = []
        best = float("inf")
        possible = [*self._possible_regions(self._none(), presses, {})]
        if possible and not possible[0][0] and len(presses) >= _LEAVE_OUT_FROM:
            # without one of two presses at a temperature, it counts as it did
            possible += [
                (_ODD + _ODD_TWICE * (state in self.twice), (Region(state=state),))
                for state, _ in reversed(presses[1:])
                if sum(other.temperature == state.temperature for other, _ in presses) == 1
            ]
        for tried, (cost, regions) in enumerate(possible):
            if cost > best + _NEARLY or tried > _TRIED or best == 0:
                break
            one = self._explanation(self._none(), presses, {}, regions, cost)
            counted = self._count(one.equations, "", self._temperatures)
            found.append(replace(one, cost=cost + counted))
            best = min(best, cost + counted)
        return self._settle(self.reference, presses, found, self._none(), {}).equations

    def _settle(
        self,
        mode: str,
        presses: Sequence[tuple[State, int]],
        found: list[_Explanation],
        before: Equations,
        hows: Hows,
    ) -> _Explanation:
        """Keep the explanations of a mode that are nearly as cheap as the cheapest."""
        if not found:
            odd: list[State] = []
            equations = before.copy()
            for state, message in presses:
                if equations.add(Sum(self._plain_sum(state, hows), message, self._press[state])):
                    odd.append(state)
            cost = _NOT_COUNTED + _ODD * len(odd)
            regions = tuple(Region(state=state) for state in odd)
            found = [_Explanation(cost, mode, hows, regions, equations)]
        found.sort(key=lambda one: one.cost)
        near = [one for one in found if one.cost <= found[0].cost + _NEARLY][:_ALTERNATIVES]
        self._explanations[mode] = near
        self.odd += [region.state for region in near[0].regions if region.state is not None]
        self.doubtful += [
            region.state
            for one in near[1:]
            for region in one.regions
            if region.state is not None and region.state not in (*self.odd, *self.doubtful)
        ]
        return near[0]

    def _explain(self, mode: str, presses: Sequence[tuple[State, int]]) -> None:
        found: list[_Explanation] = []
        best = float("inf")
        for cost, hows in self._possible(mode, presses):
            if cost > best + _NEARLY:
                break
            for dearer, regions in self._possible_regions(self._equations, presses, hows):
                if cost + dearer > best + _NEARLY:
                    break
                total = cost + dearer
                one = self._explanation(self._equations, presses, hows, regions, total)
                if hows.get("temperature") == "own":
                    confirmed = one.equations.confirmed
                    wanted = self.remote[mode].temperatures
                    if self._count(one.equations, mode, wanted) == _NOT_COUNTED:
                        continue
                    one.equations.confirmed = confirmed
                strange = one.cost + self._strange(one.equations, mode, hows)
                best = min(best, strange)
                found.append(replace(one, cost=strange))
        self._equations = self._settle(
            mode, presses, found, self._equations, dict.fromkeys(ATTRIBUTES, "own")
        ).equations

    def _explanation(
        self,
        before: Equations,
        presses: Sequence[tuple[State, int]],
        hows: Hows,
        regions: tuple[Region, ...],
        cost: float,
    ) -> _Explanation:
        """Return an explanation of the presses of one mode."""
        one = _Explanation(cost, presses[0][0].mode, hows, regions, before.copy())
        for state, message in presses:
            symbols = self._sum(state, one)
            if symbols is not None:
                one.equations.add(Sum(symbols, message, self._press[state]))
        return one

    def _possible_regions(
        self, before: Equations, presses: Sequence[tuple[State, int]], hows: Hows
    ) -> Iterator[tuple[float, tuple[Region, ...]]]:
        """Yield what may say something more in a mode, the cheapest first, if that explains all."""
        equations = before.copy()
        depend: list[tuple[int, int]] = []
        for state, message in presses:
            left = equations.rest(Sum(self._plain_sum(state, hows), message, self._press[state]))
            if left is not None:
                depend.append((left.presses, left.bits & self.data))
        if not any(bits for _, bits in depend):
            yield 0, ()
            if presses[0][0].mode != self.reference:
                return
        regions: dict[Region, tuple[float, list[bool]]] = {}
        for region, inside in self._several([state for state, _ in presses]):
            odd = [bool((group & inside).bit_count() & 1) for group, _ in depend]
            cost = region.cost
            if region.state in self.twice:
                cost += _ODD_TWICE
            if region.last_below is not None and hows.get("temperature") == "fixed":
                cost += 1
            regions[region] = cost, odd
        bits = [one for _, one in depend]
        single = [
            (cost, (region,))
            for region, (cost, odd) in regions.items()
            if any(odd) and _explains(bits, odd)
        ]
        if any(bits):
            otherwise = self._counting_otherwise(before, presses, hows)
            single += [(region.cost, (region,)) for region in otherwise]
        single.sort(key=lambda one: one[0])
        yield from single
        if single or not any(bits):
            return
        likely = [
            (region, cost, odd)
            for region, (cost, odd) in regions.items()
            if any(odd) and (cost <= _REGION or region.state is not None)
        ]
        yield from sorted(
            (
                (cost + other_cost, (region, other))
                for (region, cost, odd), (other, other_cost, other_odd) in combinations(likely, 2)
                if _explain_together(bits, odd, other_odd)
            ),
            key=lambda one: one[0],
        )

    def _counting_otherwise(
        self, before: Equations, presses: Sequence[tuple[State, int]], hows: Hows
    ) -> Iterator[Region]:
        """Yield states of one value in which temperatures count otherwise, if that explains all."""
        if hows.get("temperature") == "own":
            return
        degrees: dict[tuple[str, Value], set[float]] = {}
        for state, _ in presses:
            for table in TABLES:
                if (has := value(state, table)) is not None and state.temperature is not None:
                    degrees.setdefault((table, has), set()).add(state.temperature)
        for one_value, seen in degrees.items():
            region = Region((one_value,), counts_otherwise=True)
            inside = [bool(region.has(state)) for state, _ in presses]
            if len(seen) > 1 and not all(inside):
                equations = before.copy()
                one = _Explanation(region.cost, presses[0][0].mode, hows, (region,), equations)
                for state, message in presses:
                    symbols = self._sum(state, one)
                    assert symbols is not None  # noqa: S101 - for mypy: each was pressed
                    if equations.add(Sum(symbols, message, self._press[state])):
                        break
                else:
                    yield region

    def _several(self, pressed: Sequence[State]) -> list[tuple[Region, int]]:
        """Return what may say something more in a mode, and which of its presses are in it."""
        mode = pressed[0].mode
        key = mode, self._left_out if mode == self.reference else None
        if (known := self._regions.get(key)) is not None:
            return known
        found: dict[Region, None] = {}
        several = [
            one for one in TABLES if len({value(state, one) for state in pressed} - {None}) > 1
        ]
        degrees = sorted({state.temperature for state in pressed if state.temperature is not None})
        for state in pressed:
            has = [(one, said) for one in several if (said := value(state, one)) is not None]
            for count in range(len(has) + 1):
                for tables in combinations(has, count):
                    if tables:
                        found[Region(tables)] = None
                    if len(tables) > 1 or state.temperature is None:
                        continue
                    for low, high in pairwise(degrees):
                        above = state.temperature >= high
                        if tables or above:
                            found[Region(tables, low, high, above)] = None
            found[Region(state=state)] = None
        self._regions[key] = several_pressed = [
            (region, sum(self._press[state] for state in pressed if region.has(state)))
            for region in found
        ]
        return several_pressed

    def _possible(
        self, mode: str, presses: Sequence[tuple[State, int]]
    ) -> list[tuple[float, Hows]]:
        """Return what attributes may say in a mode, the cheapest first."""
        choices: list[list[tuple[float, str, str]]] = []
        for attribute in ATTRIBUTES:
            seen = {value(state, attribute) for state, _ in presses} - {None}
            if not seen or len(self.remote[mode].values(attribute)) < 2:  # noqa: PLR2004 - a choice
                continue
            hows = [(0.0, "default"), (_FIXED, "fixed")]
            if len(seen) > 1:
                hows.append((_OWN, "own"))
            choices.append([(cost, attribute, how) for cost, how in hows])
        return sorted(
            (
                (
                    sum(cost for cost, _, _ in chosen),
                    {attribute: how for _, attribute, how in chosen},
                )
                for chosen in product(*choices)
            ),
            key=lambda one: one[0],
        )

    def _strange(self, equations: Equations, mode: str, hows: Hows) -> float:
        """Return what it costs if a mode changes other bits than the reference does."""
        cost = 0.0
        for attribute, how in hows.items():
            if how in ("default", "fixed"):
                continue
            usual = reduce(or_, self._known(self._equations, attribute, "").values(), 0)
            bits = reduce(or_, self._known(equations, attribute, mode).values(), 0)
            cost += _STRANGE * bool(bits & ~usual)
        return cost

    def _by_others(
        self, heard: Mapping[float, int], wanted: Sequence[float]
    ) -> dict[float, dict[float, int]]:
        """Return for each temperature heard what they all would be without it."""
        found: dict[float, dict[float, int]] = {}
        for temperature in heard:
            rest = {t: bits for t, bits in heard.items() if t != temperature}
            found[temperature] = {}
            if len(rest) < temperatures.FEWEST:
                continue
            base = next(iter(rest.values()))
            rest = {t: bits ^ base for t, bits in rest.items()}
            guesses = temperatures.explain(rest, [*wanted, temperature], self.frames) or []
            said = temperatures.agreed(guesses, [*wanted, temperature]) if guesses else {}
            found[temperature] = {t: bits ^ base for t, bits in said.items()}
        return found

    def _count(
        self, equations: Equations, mode: str, wanted: Sequence[float], *, is_last: bool = False
    ) -> float:
        """Add what temperatures say that were not pressed; return what the explanation costs.

        In the end it is told, too, which are sure: those that come out without any one press.
        """
        heard = {float(t): bits for t, bits in self._known(equations, "temperature", mode).items()}
        self.counts.pop(mode, None)
        if len(heard) < temperatures.FEWEST:
            return 0
        guesses = temperatures.explain(heard, wanted, self.frames)
        self.counts[mode] = guesses
        if guesses is None:
            return _NOT_COUNTED
        confirmed = equations.confirmed
        first = self._symbol("temperature", mode, next(iter(heard)))
        by_others = self._by_others(heard, wanted) if is_last else {}
        unsure: set[float] = set()
        for temperature, said in by_others.items():
            if said.get(temperature) == heard[temperature]:
                pressed = self._symbol("temperature", mode, temperature)
                equations.sure |= equations.follows_from(first ^ pressed)
            else:
                unsure.add(temperature)
        for temperature, total in temperatures.agreed(guesses, wanted).items():
            counted = first ^ self._symbol("temperature", mode, temperature)
            if by_others and all(by_others[t].get(temperature) == total for t in unsure):
                equations.add(Sum(counted, total, 0))
            elif equations.solve(counted) is None:
                equations.add(Sum(counted, total, self._guessed()))
        equations.confirmed = confirmed
        return 0 if len(guesses) == 1 else _COUNTED_TWICE


def _is_too_much(one: _Explanation) -> bool:
    """Say if an explanation has too much for what is pressed in a mode."""
    regions = sum(region.state is None for region in one.regions)
    return regions + sum(how == "own" for how in one.hows.values()) > 1


@lru_cache(maxsize=4)
def _checks(messages: tuple[int, ...], frames: tuple[int, ...]) -> list[list[checks.Check]]:
    """Return the checks of messages; if all together have none, those of all but two."""
    found = checks.find(messages, frames)
    if found or len(messages) < _CHECKED_FROM:
        return found
    half = len(messages) // 2
    for some in (messages[:half], messages[half:]):
        fitting = [
            [
                check
                for check in alternatives
                if sum(check.compute(one, frames) != one for one in messages) <= _UNCHECKED
            ]
            for alternatives in checks.find(some, frames)
        ]
        if found := [alternatives for alternatives in fitting if alternatives]:
            return found
    return []


def _explains(bits: Sequence[int], odd: Sequence[bool]) -> bool:
    """Say if something more, the same each time, makes up for all that should be nothing."""
    more = {one for one, is_odd in zip(bits, odd, strict=True) if is_odd}
    return len(more) == 1 and not any(
        one for one, is_odd in zip(bits, odd, strict=True) if not is_odd
    )


def _explain_together(bits: Sequence[int], odd: Sequence[bool], other: Sequence[bool]) -> bool:
    """Say if two things more make up for all that should be nothing."""
    more: dict[tuple[bool, bool], int] = {(False, False): 0}
    for one, *which in zip(bits, odd, other, strict=True):
        if more.setdefault((which[0], which[1]), one) != one:
            return False
    first, second = more.get((True, False)), more.get((False, True))
    both = more.get((True, True))
    return None in (first, second, both) or first ^ second == both  # type: ignore[operator]


def find(
    presses: Sequence[tuple[State, int]],
    frames: tuple[int, ...],
    remote: Remote,
    *,
    loosened: int = 0,
) -> Finding:
    """Return what presses say of a remote control, without bytes that say nothing of the state.

    A clock, what a thermometer in the remote control measured, or which button was pressed last
    contradicts every explanation. A byte is taken for that if presses fit each other better
    without it, if the other bits still tell apart all that was pressed, and if a check confirms it:
    it may be a check itself. What was so before (`loosened`) stays so while nothing speaks against
    it.
    """
    if loosened:
        found = Finding(presses, frames, remote, loose=loosened)
        if found.trouble < _REGION and not found.hides_check():
            return found.settled()
    found = _loosened(Finding(presses, frames, remote))
    if found.is_suspect:
        of_reference = [state for state in found.heard if state.mode == found.reference]
        for state in of_reference[1:]:
            other = found.without(found.loosened, state, most=found.trouble - 1)
            if other.trouble + 1 < found.trouble and other.helps(found):
                found = other
    return found.settled()


def _loosened(found: Finding) -> Finding:
    """Return what is found without the bits that say nothing of the state."""
    tried = 0
    for _ in range(_LOOSENED):
        if not found.is_contradicted_twice:
            break
        best, least = None, found.trouble - _LOOSE
        for loose in islice(found.loose(), _MOST_TRIED - tried):
            tried += 1
            other = found.without(loose, most=least)
            if other.trouble < least and other.tells_apart(found) and not other.hides_check():
                best, least = other, other.trouble
        if best is None:
            break
        found = best
    if (wider := found.in_bytes(found.loosened)) == found.loosened:
        return found
    # a clock goes on to bits that did not change meanwhile
    other = found.without(wider, most=found.trouble)
    is_wider = other.trouble <= found.trouble and other.tells_apart(found)
    return other if is_wider and not other.hides_check() else found
