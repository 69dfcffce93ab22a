"""Finding: which bits of a remote control's messages are what, from some presses.

What a message says is a sum (XOR) of what the mode, the preset, the fan speed, the swing and the
temperature say, and of checks. One mode is the reference. In another one an attribute says the
same, or nothing (dry has one fan speed, whatever is shown), or the same but for one value, or
something of its own: the cheapest explanation of the mode's presses is taken, and all that are
nearly as cheap have to agree. A press that contradicts the others is left out where that is
cheaper than anything else.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations, product
from operator import or_
import re
from typing import Final, NamedTuple, cast

from ..codes.state import State
from . import checks, temperatures
from .equations import Equations, Sum, Symbols
from .remote import ATTRIBUTES, TABLES, Remote, Value, value
from .temperatures import Guess

PLAIN: Final = re.compile(
    r"(?:level|speed|fan)?[ _]?\d"
    r"|(?:low|lo|mid|medium|med|middle|high|hi|min|max|on|off|swing|stop)+",
    re.IGNORECASE,
)
"""Values that are what they are in each mode; others (auto, quiet, turbo) may be other bits."""
_VALUES_TESTED: Final = 3
"""Values of an attribute, or all it has, that must be pressed in a mode."""
_CONFIRMATIONS: Final = 2
"""Messages of a mode that must have been as the others said."""
_ODD_IN_MODE: Final = 1
_GOOD_PER_ODD: Final = 3
"""Presses that must be good where one that differs by temperature only is left out."""

_FIXED, _EXCEPT, _OWN, _STRANGE, _LEFT_OUT, _NEARLY = 1.0, 2.5, 4.0, 1.5, 3.0, 1.0
"""What explanations of a mode cost, and how much dearer another one may be to count."""
_COUNTED_TWICE, _NOT_COUNTED, _LEFT_OUT_OF_REFERENCE = 1.0, 4.0, 1.5
_LEFT_OUT_TWICE: Final = 1.0
"""What it costs more if the press that is left out was heard twice."""
_LOOSENED: Final = 2
"""How often bytes are looked for that say nothing of the state."""
_UNCOUNTED_FROM: Final = 6
"""Temperatures from which on a byte that does not count them may be no part of them."""
_LEAVE_OUT_FROM, _LEAVE_OUT_OF_REFERENCE_FROM = 4, 7
"""Presses in a mode from which on one may be left out."""


class Except(NamedTuple):
    """An attribute says the same but for one value."""

    value: Value


type How = str | Except
"""What an attribute says in a mode: "default", "fixed" (nothing), "own" or Except."""
type Hows = Mapping[str, How]


@dataclass(frozen=True, slots=True)
class _Explanation:
    cost: float
    hows: Hows
    equations: Equations
    left_out: State | None


class Finding:
    """What presses say of a remote control."""

    def __init__(
        self,
        presses: Sequence[tuple[State, int]],
        frames: tuple[int, ...],
        remote: Remote,
        *,
        loose: int = 0,
    ) -> None:
        """Find it.

        Several messages of the first state show what changes by itself; of another one the last
        counts, and is sure if it is as the one before. What is loose says nothing of the state.
        """
        self.frames = frames
        self.remote = remote
        self.loosened = loose
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
        self.checks = checks.find(tuple(message for _, message in presses), frames)
        checked = reduce(or_, (check[0].target.mask for check in self.checks), 0)
        self.rolling = changing & ~checked & (1 << sum(frames)) - 1
        """Bits that count presses or toggle, hold a clock, a measurement or the button pressed."""
        self.data = (1 << sum(frames)) - 1 & ~checked & ~self.rolling
        self.doubtful: list[State] = []
        """Those of the reference of which one, no matter which, contradicts the others."""
        self.counts: dict[str, list[list[Guess]] | None] = {}
        """Mode ("" for all that have no own) → how temperatures may be counted; None: no way."""
        self._symbol = Symbols()
        self._guesses = 0
        self._press = {state: 1 << index for index, state in enumerate(self.heard)}
        self._explanations: dict[str, list[_Explanation]] = {}
        by_mode: dict[str, list[tuple[State, int]]] = {}
        for state, message in self.heard.items():
            by_mode.setdefault(state.mode, []).append((state, message))
        self.reference, *others = sorted(
            by_mode, key=lambda mode: (mode != first.mode, -len(by_mode[mode]))
        )
        self._temperatures = sorted({t for has in remote.values() for t in has.temperatures})
        self._equations = self._explain_reference(by_mode[self.reference])
        for mode in others:
            self._explain(mode, by_mode[mode])
        self._count(self._equations, "", self._temperatures, is_last=True)
        for mode in others:
            if self.hows(mode).get("temperature") == "own":
                self._count(self._equations, mode, remote[mode].temperatures, is_last=True)
        self._suspicious = self._pairs_of_odd()

    @property
    def trouble(self) -> int:
        """Return how much is not as it should be: presses left out, temperatures not counted."""
        return len(self.odd) + (None in self.counts.values())

    def loose(self) -> Iterator[int]:
        """Yield bytes that may say nothing of the state.

        Those in which the presses left out are not as the others say, or which do not count; then
        all, too, that are no sum of what the states of a mode have.
        """
        found = self._bytes(self._left_over() | self._uncounted()) | self.rolling
        yield found
        if (more := found | self._bytes(self._contradicting())) != found:
            yield more

    def tells_apart(self) -> bool:
        """Say if states of the reference, and modes, differ without what changes by itself."""
        said: dict[int, State] = {}
        for state, message in self.heard.items():
            other = said.setdefault(message & self.data, state)
            if other.mode != state.mode or (
                state.mode == self.reference and self.heard[other] != message
            ):
                return False
        return True

    def hows(self, mode: str) -> Hows:
        """Return what the attributes say in a mode."""
        return self._explanations[mode][0].hows if mode in self._explanations else {}

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

    def answers(self, state: State) -> set[int | None]:
        """Return what the explanations of its mode say of a state, None where they do not know."""
        return {
            one.equations.solve(self._sum(state, one.hows))
            for one in self._explanations.get(state.mode, ())
        }

    def predict(self, state: State) -> set[int]:
        """Return the messages that a state may have by what was pressed; none if it is open."""
        if state in self.heard and state not in self.odd:
            return {self.heard[state]}
        if (
            state.mode not in self._explanations
            or not self._is_explained(state)
            or self._is_doubtful(state)
        ):
            return set()
        hows = self._explanations[state.mode]
        if len(hows) > 1:
            said = self.answers(state)
        else:
            said = {self._equations.solve(self._sum(state, hows[0].hows))}
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
        hows = self.hows(state.mode)
        return self._equations.follows_from(self._sum(state, hows)) & ~self._equations.sure

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

    def _left_over(self) -> int:
        """Return the bits of the presses left out that are not as the others say."""
        found = 0
        for state in self.odd:
            said = self._equations.solve(self._sum(state, self.hows(state.mode)))
            found |= 0 if said is None else (said ^ self.heard[state]) & self.data
        return found

    def _contradicting(self) -> int:
        """Return the bits that are no sum of what the states of a mode have."""
        equations, symbol, found = Equations(self.data), Symbols(), 0
        for state, message in self.heard.items():
            symbols = symbol(state.mode)
            for attribute in ATTRIBUTES:
                if (has := value(state, attribute)) is not None:
                    symbols |= symbol(state.mode, attribute, has)
            found |= equations.left(Sum(symbols, message, 0))
        return found

    def _uncounted(self) -> int:
        """Return the bytes whose bits do not count the temperatures."""
        heard = {float(t): bits for t, bits in self.known("temperature").items()}
        if self.counts.get("", ()) is not None or len(heard) < _UNCOUNTED_FROM:
            return 0
        found = 0
        for unit in checks.units(self.frames, checks.BYTE):
            some = {t: bits & unit.mask for t, bits in heard.items()}
            if temperatures.explain(some, self._temperatures, self.frames) is None:
                found |= unit.mask
        return found

    def _bytes(self, bits: int) -> int:
        return sum(u.mask for u in checks.units(self.frames, checks.BYTE) if u.mask & bits)

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
        if has is None or PLAIN.fullmatch(str(has)):
            return True
        return any(
            one.hows.get(attribute) == "fixed" for one in self._explanations[state.mode]
        ) or any(
            other.mode == state.mode and value(other, attribute) == has for other in self.heard
        )

    def _is_explained(self, state: State) -> bool:
        if isinstance(self.hows(state.mode).get("temperature"), Except):
            return False  # no remote control has one odd degree: something else is not known yet
        return state.mode == self.reference or all(
            value(state, attribute) is None or self.tested(state.mode, attribute)
            for attribute in ATTRIBUTES
        )

    def _is_doubtful(self, state: State) -> bool:
        """Say if presses that contradict the others are too near."""
        if not self.odd:
            return False
        column = replace(state, temperature=None)
        odd = sum(replace(other, temperature=None) == column for other in self.odd)
        if odd and (1 + _GOOD_PER_ODD) * odd > sum(
            replace(other, temperature=None) == column for other in self.heard
        ):
            return True
        return any(
            sum(other.mode == mode for other in self.odd) > _ODD_IN_MODE
            for mode in (state.mode, self.reference)
        ) or not self._suspicious.isdisjoint(_pairs(state))

    def _pairs_of_odd(self) -> set[object]:
        odd = {*self.odd, *self.doubtful}
        good = {pair for state in self.heard.keys() - odd for pair in _pairs(state)}
        return {pair for state in odd for pair in _pairs(state)} - good

    def _sum(self, state: State, hows: Hows) -> int:
        """Return the symbols of a state."""
        total = self._symbol("mode", state.mode)
        for attribute in ATTRIBUTES:
            how = hows.get(attribute, "default")
            has = value(state, attribute)
            if has is None or how == "fixed":
                continue
            own = how == "own" or how == Except(has)
            total |= self._symbol(attribute, state.mode if own else "", has)
        return total

    def _said(self, state: State, hows: Hows) -> Sum:
        """Return what a press says."""
        return Sum(self._sum(state, hows), self.heard[state], self._press[state])

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
        """Return the equations of the reference, without one press if that explains them better."""
        best: tuple[float, Equations, State | None] | None = None
        as_good: list[State | None] = []
        left_out: list[State | None] = [None]
        if len(presses) >= _LEAVE_OUT_OF_REFERENCE_FROM:
            left_out += [state for state, _ in reversed(presses[1:])]
        for odd in left_out:
            equations = self._none()
            kept = [press for press in presses if press[0] != odd]
            if equations.contradicted_by(self._said(state, {}) for state, _ in kept):
                continue
            cost = _LEFT_OUT_OF_REFERENCE * (odd is not None) + _LEFT_OUT_TWICE * (
                odd in self.twice
            )
            cost += self._count(equations, "", self._temperatures)
            if best is None or cost < best[0]:
                best, as_good = (cost, equations, odd), []
            if not cost:
                break
            if cost == best[0]:
                as_good.append(odd)
        if best is not None:
            equations = best[1]
            self.doubtful += [state for state in as_good if state is not None]
            self.odd += [best[2]] if best[2] is not None else []
        else:
            equations = self._none()
            self.odd += [state for state, _ in presses if equations.add(self._said(state, {}))]
        self._count(equations, "", self._temperatures)
        self._explanations[self.reference] = [_Explanation(0, {}, equations, None)]
        return equations

    def _explain(self, mode: str, presses: Sequence[tuple[State, int]]) -> None:
        found: list[_Explanation] = []
        best = float("inf")
        for cost, hows, odd in self._possible(mode, presses):
            if cost > best + _NEARLY:
                break
            equations = self._try(mode, [press for press in presses if press[0] != odd], hows)
            if equations is not None:
                strange = cost + self._strange(equations, mode, hows)
                best = min(best, strange)
                found.append(_Explanation(strange, hows, equations, odd))
        if not found:
            hows = dict.fromkeys(ATTRIBUTES, "own")
            equations = self._equations.copy()
            self.odd += [state for state, _ in presses if equations.add(self._said(state, hows))]
            found = [_Explanation(0, hows, equations, None)]
        found = sorted(
            (one for one in found if one.cost <= best + _NEARLY), key=lambda one: one.cost
        )
        self._explanations[mode] = found
        self._equations = found[0].equations
        if found[0].left_out is not None:
            self.odd.append(found[0].left_out)

    def _possible(
        self, mode: str, presses: Sequence[tuple[State, int]]
    ) -> list[tuple[float, Hows, State | None]]:
        """Return what may be in a mode, the cheapest first."""
        choices: list[list[tuple[float, str, How]]] = []
        for attribute in ATTRIBUTES:
            seen = {value(state, attribute): None for state, _ in presses}
            seen.pop(None, None)
            if not seen or len(self.remote[mode].values(attribute)) < 2:  # noqa: PLR2004 - a choice
                continue
            hows: list[tuple[float, How]] = [(0, "default"), (_FIXED, "fixed")]
            if len(seen) > 1:
                hows.append((_OWN, "own"))
            if len(seen) > 2:  # noqa: PLR2004 - of two, either is the exception
                hows += [(_EXCEPT, Except(one)) for one in seen if one is not None]
            choices.append([(cost, attribute, how) for cost, how in hows])
        left_out: list[tuple[float, State | None]] = [(0, None)]
        if len(presses) >= _LEAVE_OUT_FROM:
            left_out += [
                (_LEFT_OUT + _LEFT_OUT_TWICE * (state in self.twice), state) for state, _ in presses
            ]
        return sorted(
            (
                (
                    sum(cost for cost, _, _ in chosen) + dearer,
                    {attribute: how for _, attribute, how in chosen},
                    odd,
                )
                for chosen in product(*choices)
                for dearer, odd in left_out
            ),
            key=lambda one: one[0],
        )

    def _try(self, mode: str, presses: Sequence[tuple[State, int]], hows: Hows) -> Equations | None:
        """Return the equations with those of a mode; None if they contradict each other."""
        equations = self._equations.copy()
        if equations.contradicted_by(self._said(state, hows) for state, _ in presses):
            return None
        if hows.get("temperature") == "own":
            confirmed = equations.confirmed
            if self._count(equations, mode, self.remote[mode].temperatures) == _NOT_COUNTED:
                return None
            equations.confirmed = confirmed
        return equations

    def _strange(self, equations: Equations, mode: str, hows: Hows) -> float:
        """Return what it costs if a mode changes other bits than the reference does."""
        cost = 0.0
        for attribute, how in hows.items():
            if how in ("default", "fixed"):
                continue
            usual = reduce(or_, self._known(self._equations, attribute, "").values(), 0)
            if isinstance(how, Except):
                own = self._symbol(attribute, mode, how.value)
                bits = equations.solve(own ^ self._symbol(attribute, "", how.value)) or 0
            else:
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


def _pairs(state: State) -> Iterator[object]:
    """Yield each two things that a state has."""
    has = [("mode", state.mode), *((one, value(state, one)) for one in ATTRIBUTES)]
    return combinations([one for one in has if one[1] is not None], 2)


def choice(remote: Remote, mode: str) -> list[str]:
    """Return the attributes of which a mode has several values."""
    return [one for one in ATTRIBUTES if len(remote[mode].values(one)) > 1]


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
    without it, and if the other bits still tell apart all that was pressed. What was so before
    (`loosened`) stays so while nothing speaks against it.
    """
    if loosened:
        found = Finding(presses, frames, remote, loose=loosened)
        if not found.trouble and found.tells_apart():
            return found
    found = Finding(presses, frames, remote)
    for _ in range(_LOOSENED):
        others = (Finding(presses, frames, remote, loose=loose) for loose in found.loose())
        better = (
            other for other in others if other.trouble < found.trouble and other.tells_apart()
        )
        if not found.trouble or (other := next(better, None)) is None:
            break
        found = other
    return found
