"""The teacher: which button to press next, until the rule is known and proven.

First a state and the same again (what differs counts presses), off, the temperatures until it is
clear how they count, each fan speed, swing and preset once, all in one mode. Then two or three
states of each other mode that have everything else, more where they are not as expected. In the
end states that were not pressed: they must come out bit by bit.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import reduce
from itertools import combinations
from operator import and_, or_
from typing import Any, Final

from ..states.state import OFF, Off, State
from . import messages
from .finding import PLAIN, SPECIAL, Finding, find
from .messages import Layout
from .remote import ATTRIBUTES, TABLES, Has, Remote, Value, as_in, attributes, states, value
from .rule import TaughtRule, make_rule

PRESSES: Final = 30
"""At most so many are asked for."""
_PROOFS: Final = 4
"""Presses that are known before, of which so many are asked for at least;"""
_PROOFS_OF_REFERENCE: Final = 3
_PROOFS_AFTER_REFUTED: Final = 1
_TEMPERATURES_PROVEN: Final = 2
_MANY_TEMPERATURES: Final = 20
_MANY_PROVEN: Final = 5
"""So many temperatures must be as said that no press had before; more if there are many."""
_LEFT_TO_PROVE: Final = 6
"""When so many presses are left, the reference is to be proven: without it nothing is offered."""
_LEFT_TO_CONFIRM: Final = 3
"""The last presses confirm others: what follows from one that nothing confirms is not offered."""
_TEMPERATURES_FIRST: Final = 5
"""So many temperatures are asked for before anything else."""
_SAME_AGAIN: Final = 4
"""The first state is asked for so often if it is not the same each time."""
_TO_EXPLAIN: Final = 5
_TO_CONFIRM: Final = 7
"""So many presses are asked for in a mode to find how it is, and to be sure."""
_WORTH_ASKING: Final = 4.0
"""What a press must be worth beyond the proofs: a speed like auto in a mode where it is untried."""
_WORTH_REACHING: Final = 4 * _WORTH_ASKING
"""What it is worth to hear at all temperatures what says something more at one: a fourth of them is
worth a press."""
_MOST_UNSURE: Final = 5 + 6 * _WORTH_ASKING
"""What a press may be worth beyond the proofs as others are confirmed by it."""
_GOOD_BESIDE_ODD: Final = 3
"""So many presses show that one which differs from them by temperature only is odd alone."""
_MISSING_OF_MODE: Final = 3
"""States of a mode that its owner cannot press before it is left out."""
_ENOUGH: Final = 3
"""Presses of one mode before the next one's turn."""


class Heard(Enum):
    """What became of a press."""

    ACCEPTED = "accepted"
    CONTRADICTS = "contradicts"
    """It does not fit the others: the same is asked for again."""
    UNREADABLE = "unreadable"
    """It says nothing certain: the same is asked for again."""


@dataclass(frozen=True, slots=True)
class _Press:
    state: State | Off
    packet: bytes
    message: int | None
    """None: kept as it is, the rule does not say it."""
    said: tuple[Layout, int] | None = None
    """What a state's packet says, whether or not its frames are those of the others."""
    expected: Collection[int] | None = None
    """The messages that were expected; None: nothing was said."""
    guess: Collection[int] = ()
    """The messages that seemed likely, where that was too little to expect anything."""
    twice: bool = False
    """If it was heard twice, the first time in doubt."""


@dataclass(frozen=True, slots=True)
class _Step:
    """What was known before a step, to go back to."""

    remote: Remote
    presses: Sequence[_Press]
    missing: Sequence[State | Off]
    asked: int


class Teacher:
    """Asks for presses of a remote control, one after the other."""

    def __init__(self, remote: Remote) -> None:
        """Teach what this remote control has. Raise ValueError if it has no mode."""
        if not remote:
            raise ValueError("no mode to teach")
        self.remote = remote
        self.asked = 0
        """How many presses were heard."""
        self._presses: list[_Press] = []
        self._missing: list[State | Off] = []
        self._steps: list[_Step] = []
        self._refused: int | None = None
        self._layout: Layout | None = None
        self._finding: Finding | None = None
        self._ask = self._next()

    @property
    def ask(self) -> State | Off | None:
        """Return what to press next; None when there is nothing left to ask."""
        return self._ask

    @property
    def left(self) -> int:
        """Return how many presses there may still be."""
        if self._ask is None:
            return 0
        wanted = 2 + _PROOFS
        for number, mode in enumerate(self._modes()):
            has = self.remote[mode]
            tables = sum(max(0, len(has.values(table)) - 1) for table in TABLES)
            wanted += min(_ENOUGH, len(list(states(self.remote, mode)))) if number else 0
            wanted += tables + min(len(has.temperatures), _TO_EXPLAIN) if not number else 0
        return max(1, min(PRESSES - self.asked, wanted - self.asked))

    def heard(self, packet: bytes) -> Heard:
        """Take what was pressed. Raise ValueError if nothing is asked for."""
        state = self._ask
        if state is None:
            raise ValueError("nothing is asked for")
        self.asked += 1
        said = messages.read(packet)
        if state is OFF:
            off = _Press(OFF, packet, None)
            if said is not None and self._is_of_a_state(*said):
                return self._doubt(off, said[1])
            self._keep(off)
            return Heard.ACCEPTED
        assert isinstance(state, State)  # noqa: S101 - for mypy: Off has one member
        if said is None:
            if self.asked >= PRESSES:
                self._ask = None
            return Heard.UNREADABLE
        layout, message = said
        foreign = layout != (self._layout or layout)
        if foreign or self._is_off(layout, message, self._presses):
            press = _Press(state, packet, None if foreign else message, said, expected=())
            before = (one.said for one in self._presses if one.twice and one.said)
            is_doubtful = not foreign or all(one[0] != layout for one in before)
        else:
            self._layout = layout
            finding = self._finding
            guess = () if finding is None or state in finding.heard else finding.guess(state)
            press = _Press(state, packet, message, said, self._expected(state), guess)
            is_doubtful = press.expected is not None and not self._known.agrees(
                message, press.expected
            )
        if is_doubtful:
            return self._doubt(press, message)
        self._keep(press)
        return Heard.ACCEPTED

    def skip(self) -> None:
        """Take it that the remote control has no such button, or cannot say this."""
        if self._ask is not None:
            self._begin_step(self.asked)
            self._missing.append(self._ask)
            self._go_on()

    def correct(self, mode: str, has: Has | None) -> None:
        """Take it that a mode has this, or with None that there is no such mode.

        Presses of what it does not have are forgotten. Raise ValueError if no mode is left.
        """
        others = {one: self.remote[one] for one in self.remote if one != mode}
        if has is None and not others:
            raise ValueError("no mode to teach")
        self._begin_step(self.asked)
        self.remote = others if has is None else {**self.remote, mode: has}
        self._presses = [
            replace(press, state=state)
            for press in self._presses
            if (state := as_in(press.state, self.remote)) is not None
        ]
        self._find()
        self._go_on()

    @property
    def can_go_back(self) -> bool:
        """Say if there was a step before."""
        return bool(self._steps)

    def back(self) -> None:
        """Ask again for what was asked for last."""
        if self._steps:
            before = self._steps.pop()
            self.remote, self.asked = before.remote, before.asked
            self._presses, self._missing = [*before.presses], [*before.missing]
            of_layout = (one for one in self._presses if one.said and one.message is not None)
            self._layout = next((one.said[0] for one in of_layout if one.said), None)
            self._find()
            self._go_on()

    def offers(self, state: State) -> int | None:
        """Return the message of a state that is known and proven; None if it is not.

        A press that no other one confirms may have been a wrong one: what follows from it is not
        known.
        """
        finding = self._finding
        if finding is None or finding.lacks_check or state in (*finding.odd, *finding.doubtful):
            return None
        if state in finding.heard:
            is_right = finding.is_sure(state) and not finding.unconfirmed
            return finding.heard[state] if is_right else None
        return self._follows(state)

    def _follows(self, state: State) -> int | None:
        """Return the message of a state that was not heard, if it is known and proven."""
        finding = self._known
        if any(
            self._proofs(mode) < self._proofs_wanted(mode)
            for mode in (state.mode, finding.reference)
        ):
            return None
        if not finding.is_understood(state.mode) or not self._is_in_range(state):
            return None
        if self._is_beyond(state) or self._is_otherwise(state):
            return None
        predicted = finding.predict(state) if finding.is_proven(state) else set()
        return predicted.pop() if len(predicted) == 1 and not finding.unsure(state) else None

    def _is_in_range(self, state: State) -> bool:
        """Say if a temperature is between those that were heard in its mode.

        Of many temperatures each must have been heard, until some came out that were not.
        """
        if state.temperature is None:
            return True
        heard = self._known.heard
        here = [one.temperature for one in heard if one.mode == state.mode]
        degrees = [one for one in here if one is not None]
        if not degrees or not min(degrees) <= state.temperature <= max(degrees):
            return False
        return (
            len(self._temperatures()) <= _MANY_TEMPERATURES
            or not self._unproven_temperatures()
            or any(one.temperature == state.temperature for one in heard)
        )

    def rule(self) -> TaughtRule | None:
        """Return the rule of what is proven and what was pressed; None at the start."""
        if self._finding is None:
            return None
        pressed = {
            press.state: press.packet
            for press in self._presses
            if isinstance(press.state, State) and self._is_certain(press)
        }
        first = next(press.packet for press in self._presses if press.state == self._first)
        off: bytes | None = None
        if self._doubtful_off() is None:
            heard = [press.packet for press in self._presses if press.state is OFF]
            off = next(reversed(heard), None)
        return make_rule(
            like=first, finding=self._finding, offers=self.offers, pressed=pressed, off=off
        )

    def open(self) -> dict[str, list[State]]:
        """Return the states of each mode that are not offered; without those that do not exist."""
        rule = self.rule()
        offered = rule.states if rule is not None else frozenset[State]()
        return {
            mode: missing
            for mode in self.remote
            if (
                missing := [
                    state
                    for state in states(self.remote, mode)
                    if state not in offered and state not in self._missing
                ]
            )
        }

    def _is_off(self, layout: Layout, message: int, presses: Sequence[_Press]) -> bool:
        """Say if this is what was heard for off."""
        return any(
            press.state is OFF and messages.read(press.packet) == (layout, message)
            for press in presses
        )

    def _is_certain(self, press: _Press) -> bool:
        """Say if a press may be sent as it is."""
        finding, state = self._known, press.state
        if press.twice or state in finding.twice:
            return True
        return (
            isinstance(state, State)
            and state in finding.heard
            and state not in finding.odd
            and state not in finding.doubtful
            and finding.is_sure(state)
        )

    def _is_of_a_state(self, layout: Layout, message: int) -> bool:
        """Say if this is what a state says that is known."""
        finding = self._finding
        if finding is None or layout != self._layout:
            return False
        return any(
            finding.agrees(message, finding.predict(state))
            for mode in self.remote
            for state in states(self.remote, mode)
        )

    def _expected(self, state: State) -> Collection[int] | None:
        """Return what is expected; None if nothing is."""
        finding = self._finding
        if finding is None or state in finding.heard:
            return None
        return finding.predict(state) or None

    def _is_as_said(self, press: _Press) -> bool | None:
        """Say if a press was as expected, but for what changes by itself; None: nothing was."""
        if not press.expected:
            if (
                press.guess
                and press.message is not None
                and self._known.is_one_of(press.message, press.guess)
            ):
                return True
            return None
        return press.message is not None and self._known.is_one_of(press.message, press.expected)

    def _doubt(self, press: _Press, message: int) -> Heard:
        """Ask again; what is heard twice is so."""
        if message != self._refused:
            self._refused = message
            if self.asked >= PRESSES:
                self._ask = None
            return Heard.CONTRADICTS
        self._keep(replace(press, twice=True))
        return Heard.ACCEPTED

    def _begin_step(self, asked: int) -> None:
        self._steps.append(_Step(self.remote, [*self._presses], [*self._missing], asked))

    def _keep(self, press: _Press) -> None:
        self._begin_step(self.asked - 1)
        self._presses.append(press)
        if self._forget_cut_off() or press.message is not None:
            self._find(0 if self._finding is None else self._finding.loosened)
        self._go_on()

    def _forget_cut_off(self) -> bool:
        """Forget the first presses, to be asked for again, if their frames were cut off.

        That is so if more states have other frames than theirs. Say if it was so.
        """
        layouts = {press.state: press.said[0] for press in self._presses if press.said}
        counts = Counter(layouts.values())
        usual = max(counts, key=counts.__getitem__, default=None)
        if usual is None or self._layout is None or counts[usual] <= counts[self._layout]:
            return False
        self._layout = usual
        presses, self._presses = self._presses, []
        for press in presses:
            if press.said is None:
                self._presses.append(press)
            elif press.said[0] == usual:
                expected = () if self._is_off(*press.said, presses) else None
                self._presses.append(replace(press, message=press.said[1], expected=expected))
        return True

    def _go_on(self) -> None:
        self._refused = None
        self._ask = self._next()

    def _find(self, loosened: int = 0) -> None:
        wrong = self._wrong_first()
        said = [
            (press.state, press.message)
            for press in self._presses
            if isinstance(press.state, State)
            and press.message is not None
            and press not in wrong
            and not self._is_foreign(press)
            for _ in range(1 + press.twice)
        ]
        self._finding = None
        if said and self._layout is not None:
            self._finding = find(said, self._layout.frames, self.remote, loosened=loosened)
        else:
            self._layout = None

    def _is_foreign(self, press: _Press) -> bool:
        """Say if a press has another layout, or says what off does and its mode does not."""
        if press.expected != ():
            return False
        assert isinstance(press.state, State)  # noqa: S101 - for mypy: off expects nothing
        return (
            press.said is None
            or press.said[0] != self._layout
            or any(
                isinstance(other.state, State)
                and other.state.mode == press.state.mode
                and other.message != press.message
                for other in self._presses
            )
        )

    def _next(self) -> State | Off | None:
        if self.asked >= PRESSES:
            return None
        if self._finding is None:
            return self._nearest(self._usual(self._modes()[0]))
        first = self._first
        if self._is_asked_again(first):
            return first
        if OFF not in self._missing and all(press.state is not OFF for press in self._presses):
            return OFF
        asked: State | None = None
        reference = self._known.reference
        wanted = self._proofs_wanted(reference) - self._proofs(reference)
        if self.asked < PRESSES - max(0, wanted):
            asked = (
                self._in_doubt()
                or self._beside_odd()
                or (self._temperature(first, "") if self._few_temperatures(first) else None)
                or self._table_value(first)
                or self._temperature(first, "")
                or self._unclear(first.mode, [first], {})
                or self._first_proof()
                or self._other_mode()
            )
        return asked or self._proof() or self._doubtful_off() or self._still_open()

    def _still_open(self) -> State | None:
        """Return a state that differs by temperature only from most that are not offered.

        All else that is worth a press was asked for before. What the remote control cannot do at
        one temperature is not asked for at the others.
        """
        finding = self._known
        columns: dict[State, list[State]] = {}
        foreign = {
            replace(press.state, temperature=None)
            for press in self._presses
            if isinstance(press.state, State) and self._is_foreign(press)
        }
        for mode in self.remote:
            if finding.is_understood(mode):
                few = _few(self.remote[mode].temperatures)
                for state in self._not_pressed(mode):
                    column = replace(state, temperature=None)
                    if (
                        state.temperature in few
                        and column not in foreign
                        and not self._missing_column(state)
                        and self.offers(state) is None
                    ):
                        columns.setdefault(column, []).append(state)
        most = max(columns.values(), key=len, default=())
        return most[len(most) // 2] if len(most) > 1 else None

    @property
    def _first(self) -> State:
        return next(press.state for press in self._presses if isinstance(press.state, State))

    @property
    def _known(self) -> Finding:
        assert self._finding is not None  # noqa: S101 - for mypy: asked for after the first press
        return self._finding

    @property
    def _pressed(self) -> dict[State, None]:
        return {press.state: None for press in self._presses if isinstance(press.state, State)}

    def _is_asked_again(self, first: State) -> bool:
        """Say if the first state is to be pressed again: once, and more if something changed."""
        said = [press.message for press in self._presses if press.state == first]
        return len(said) == 1 or (len(said) < _SAME_AGAIN and len({*said}) > 1)

    def _wrong_first(self) -> list[_Press]:
        """Return the wrong press of the first state.

        What changes by itself changes more than once: bits that only one press has otherwise are
        those of a wrong one.
        """
        states_only = [press for press in self._presses if isinstance(press.state, State)]
        same = [press for press in states_only if press.state == states_only[0].state]
        if len(same) < _SAME_AGAIN:
            return []
        said = [press.message for press in same if press.message is not None]
        ever = reduce(or_, said, 0) & ~reduce(and_, said)
        counts = [(sum(one >> bit & 1 for one in said), bit) for bit in range(ever.bit_length())]
        alone = sum(1 << bit for count, bit in counts if count == 1)
        all_but_one = sum(1 << bit for count, bit in counts if count == len(said) - 1)
        return [
            press
            for press in same
            if press.message is not None and (press.message & alone or ~press.message & all_but_one)
        ][:1]

    def _in_doubt(self) -> State | None:
        """Return a state to be pressed again, as its press contradicts the others."""
        again = (state for state in reversed(self._known.odd) if state in self._pressed)
        return next(filter(self._pressed_once, again), None)

    def _beside_odd(self) -> State | None:
        """Return a state that differs from an odd one by temperature only.

        Some of them show that it is that state alone.
        """
        for odd in self._known.odd:
            column = replace(odd, temperature=None)
            beside = [one for one in self._pressed if replace(one, temperature=None) == column]
            here = [one.temperature for one in beside if one.temperature is not None]
            if len(beside) <= _GOOD_BESIDE_ODD and here:
                left = {
                    min(abs(one.temperature - t) for t in here): one
                    for one in self._not_pressed(odd.mode)
                    if one.temperature is not None and replace(one, temperature=None) == column
                }
                if left:
                    return left[max(left)]
        return None

    def _pressed_once(self, state: State) -> bool:
        return sum(1 + press.twice for press in self._presses if press.state == state) == 1

    def _doubtful_off(self) -> Off | None:
        """Return off if what was heard for it, once, is what a state says."""
        heard = [press for press in self._presses if press.state is OFF]
        if len(heard) != 1 or heard[0].twice:
            return None
        said = messages.read(heard[0].packet)
        return OFF if said is not None and self._is_of_a_state(*said) else None

    def _modes(self) -> list[str]:
        """Return cool, or the mode with most states, then the others, those with most first."""
        return sorted(
            self.remote,
            key=lambda mode: (mode != "cool", -len(list(states(self.remote, mode)))),
        )

    def _of(self, mode: str) -> list[State]:
        return [state for state in self._pressed if state.mode == mode]

    def _usual(self, mode: str) -> State:
        """Return a state with a middle temperature, else like the first one."""
        has = self.remote[mode]
        wanted: dict[str, Value | None] = {}
        for table in TABLES:
            values = has.values(table)
            first = value(self._first, table) if self._presses else None
            wanted[table] = first if first in values else next(iter(values), None)
        middle = has.temperatures[len(has.temperatures) // 2 :]
        return _with(State(mode=mode, temperature=next(iter(middle), None)), wanted)

    def _nearest(self, wanted: State, *, with_its: str | None = None) -> State | None:
        """Return the state that is there, was not pressed, and differs least from this.

        Least is the temperature. The value `with_its` names is kept.
        """
        pressed, best = self._pressed, None
        least = float("inf")
        for state in states(self.remote, wanted.mode):
            if state in pressed or state in self._missing:
                continue
            if with_its is not None and value(state, with_its) != value(wanted, with_its):
                continue
            if (off := _distance(state, wanted)) < least:
                best, least = state, off
        return best

    def _temperature(self, like: State, group: str) -> State | None:
        """Return a state like this one whose temperature is not known; the ends first."""
        temperatures = self.remote[like.mode].temperatures
        pressed = {state.temperature for state in self._of(like.mode)} - {None}
        ends = [t for t in (*temperatures[:1], *temperatures[-1:]) if t not in pressed]
        known = self._known.known("temperature", group)
        counts = self._known.counts.get(group) or []

        def answers(temperature: float) -> tuple[int, float]:
            different = sum(len({one.get(temperature) for one in group}) for group in counts)
            return different, min((abs(temperature - one) for one in pressed if one), default=0)

        still = [t for t in temperatures if t not in known and t not in pressed]
        for temperature in [*ends, *sorted(still, key=answers, reverse=True)]:
            wanted = replace(like, temperature=temperature)
            if (asked := self._nearest(wanted, with_its="temperature")) is not None:
                return asked
        return None

    def _few_temperatures(self, first: State) -> bool:
        """Say if temperatures come first: a check may be found only when something else changes."""
        pressed = {state.temperature for state in self._of(first.mode)}
        return len(pressed) < _TEMPERATURES_FIRST

    def _table_value(self, like: State) -> State | None:
        """Return a state like this one, with a value that was not pressed in its mode."""
        for table in TABLES:
            pressed = [value(state, table) for state in self._of(like.mode)]
            heard = {value(state, table) for state in self._known.heard if state.mode == like.mode}
            for one in self.remote[like.mode].values(table):
                wanted = _with(like, {table: one})
                if one in heard or pressed.count(one) > 1:
                    continue
                if asked := self._nearest(wanted, with_its=table):
                    return asked
        return None

    def _other_mode(self) -> State | None:
        """Return the state by which most states of the other modes become known."""
        modes = [mode for mode in self._modes() if mode != self._first.mode]
        needs = self._needs(modes)
        few = [mode for mode in modes if len(self._of(mode)) < _ENOUGH]
        by_presses = sorted(modes, key=lambda mode: len(self._of(mode)))
        asked = self._most_needed(few, needs)
        for mode in by_presses:
            if asked is None and len(self._of(mode)) < _TO_CONFIRM:
                asked = self._decide(mode, needs)
        asked = asked or self._most_needed(modes, needs)
        for mode in by_presses:
            asked = asked or self._decide(mode, needs)
        return asked

    def _decide(self, mode: str, needs: _Needs) -> State | None:
        """Return the state that shows best how a mode is."""
        if not (pressed := self._of(mode)):
            return None
        asked = self._unclear(mode, pressed, needs)
        if asked is None and self._known.hows(mode).get("temperature") == "own":
            asked = self._temperature(pressed[0], mode)
        return asked

    def _most_needed(self, modes: Sequence[str], needs: _Needs) -> State | None:
        best, most = None, 0.0
        every = sum(len(list(states(self.remote, mode))) for mode in self.remote)
        for mode in modes:
            if not self._of(mode) and self._missing_of(mode) >= _MISSING_OF_MODE:
                continue
            usual = self._usual(mode)
            for state in self._not_pressed(mode):
                worth = self._needed(needs, state)
                if worth > 0.01 * every:
                    worth -= 0.001 * _distance(state, usual) + self._missing_column(state) * every
                    if best is None or worth > most:
                        best, most = state, worth
        return best

    def _missing_column(self, state: State) -> int:
        column = replace(state, temperature=None)
        return sum(
            isinstance(one, State) and replace(one, temperature=None) == column
            for one in self._missing
        )

    def _needed(self, needs: _Needs, state: State) -> float:
        worth = needs.get(state.mode, 0.0)
        for attribute in ATTRIBUTES:
            has = value(state, attribute)
            worth += needs.get((state.mode, attribute, has), 0.0)
        return worth

    def _needs(self, modes: Sequence[str]) -> _Needs:
        """Return how many states wait until a mode, or a value in it, is pressed."""
        finding = self._known
        needs: dict[object, float] = {}
        every = sum(len(list(states(self.remote, mode))) for mode in self.remote)
        for mode in modes:
            pressed = len(self._of(mode))
            several = len(list(states(self.remote, mode)))
            count = max(several, every // (3 * len(self.remote)))
            wanted = min(_ENOUGH, several)
            if pressed < wanted:
                needs[mode] = count * (wanted - pressed) / wanted
            elif not finding.is_confirmed(mode) and pressed < _TO_CONFIRM:
                needs[mode] = count / 2
            for table in TABLES:
                for one in self._untried(mode, table):
                    values = self.remote[mode].values(table)
                    needs[mode, table, one] = self._waiting(mode, table, one) * count / len(values)
            for one in self._untried(mode, "temperature"):
                degrees = self.remote[mode].temperatures
                needs[mode, "temperature", one] = count * self._waiting_at(mode, one, degrees)
        return needs

    def _untried(self, mode: str, attribute: str) -> list[Value]:
        """Return the values that were not heard in a mode, if it has several.

        One that was pressed twice and said in other frames than most was tried enough.
        """
        values = self.remote[mode].values(attribute)
        heard = {value(state, attribute) for state in self._known.heard if state.mode == mode}
        tried = Counter(value(state, attribute) for state in self._of(mode))
        return [one for one in values if one not in heard and tried[one] <= 1] if values[1:] else []

    def _waiting(self, mode: str, table: str, one: Value) -> float:
        """Return which part of the states of a mode that have a value waits for it."""
        finding = self._known
        how = finding.hows(mode).get(table, "default")
        plain, special = PLAIN.fullmatch(str(one)), SPECIAL.search(str(one))
        if not finding.tested(mode, table):
            first = len(self.remote[mode].values(table)) / _ENOUGH
            return first + (1.0 if special else 0.0 if plain else 0.9)
        waits = (
            how == "own"
            or (how == "default" and one not in finding.known(table))
            or (how != "fixed" and not plain)
            or special
            or not finding.is_clean
            or finding.regions(mode)
        )
        return 1.0 if waits else 0.1

    def _waiting_at(self, mode: str, one: Value, degrees: Sequence[float]) -> float:
        """Return which part of the states of a mode waits for a temperature."""
        finding = self._known
        is_end = one in (degrees[0], degrees[-1])
        waiting = 0.0
        if is_end and finding.hows(mode).get("temperature") != "fixed":
            waiting += 0.3
        if not finding.tested(mode, "temperature"):
            waiting += 0.3
        if self._unproven_temperatures() and all(one != s.temperature for s in finding.heard):
            waiting += 0.2
        return waiting

    def _missing_of(self, mode: str) -> int:
        return sum(isinstance(one, State) and one.mode == mode for one in self._missing)

    def _unclear(self, mode: str, pressed: Sequence[State], needs: _Needs) -> State | None:
        """Return the state that decides between what a mode may be, or where something begins."""
        if (asked := self._between(mode, needs)) is not None:
            return asked
        for region, between in self._known.open(mode):
            wanted = _with(pressed[0], dict(region.tables))
            if between:
                wanted = replace(wanted, temperature=between[len(between) // 2])
            if (asked := self._nearest(wanted)) is not None:
                return asked
        return None

    def _between(self, mode: str, needs: _Needs) -> State | None:
        """Return the state of which the explanations of a mode say the most different."""
        best, most = None, (1, 0.0, 0.0, 0.0)
        for state in self._not_pressed(mode):
            answers = self._known.answers(state, strict=False)
            if len(answers) > 1:
                rank = (
                    len(answers),
                    -float(None in answers),
                    float(self._is_far(state)),
                    self._needed(needs, state),
                )
                if rank > most:
                    best, most = state, rank
        return best

    def _is_far(self, state: State) -> bool:
        """Say if a temperature is far from those that were heard with all else that is the same."""
        temperatures = self.remote[state.mode].temperatures
        column = replace(state, temperature=None)
        beside = [one for one in self._pressed if replace(one, temperature=None) == column]
        far = (temperatures[-1] - temperatures[0]) / 3 if temperatures else 0.0
        return all(abs((state.temperature or 0) - (one.temperature or 0)) >= far for one in beside)

    def _not_pressed(self, mode: str) -> Iterator[State]:
        pressed = self._pressed
        for state in states(self.remote, mode):
            if state not in pressed and state not in self._missing:
                yield state

    def _first_proof(self) -> State | None:
        """Return a state of the reference that is known, if none was and few presses are left."""
        reference = self._known.reference
        is_open = not self._proofs(reference) and self._proofs_wanted(reference)
        if not is_open or PRESSES - self.asked > _LEFT_TO_PROVE:
            return None
        return self._proof([reference])

    def _proof(self, modes: Collection[str] | None = None) -> State | None:
        """Return a state that is known and says the most new; None if all is proven."""
        pressed = list(self._pressed)
        pairs = {pair for state in pressed for pair in _pairs(state)}
        degrees = {state.temperature for state in pressed}
        unproven = self._unproven_temperatures()
        columns = {replace(state, temperature=None) for state in pressed}
        open_modes = {
            mode for mode in self.remote if self._proofs(mode) < self._proofs_wanted(mode)
        }
        best, most = None, 0.0
        for mode in modes or self.remote:
            for state in self._not_pressed(mode):
                worth = 1.5 * (replace(state, temperature=None) not in columns)
                if unproven and state.temperature not in degrees:
                    worth += _WORTH_ASKING + 1
                if mode in open_modes:  # without the reference nothing is offered
                    worth += 18 if mode == self._known.reference else 9
                worth += 3 * self._is_special_once(state)
                worth += _WORTH_REACHING * self._reaches(state)
                worth += sum(
                    self._worth(pair, state) for pair in _pairs(state) if pair not in pairs
                )
                if best is None or worth + _MOST_UNSURE > most:
                    predicted = self._known.predict(state)
                    worth += 5 * (len(predicted) > 1)
                    worth += _WORTH_ASKING * self._known.unsure(state).bit_count()
                    if predicted and (best is None or worth > most):
                        best, most = state, worth
        if modes:
            return best
        again = self._unsure()
        last = PRESSES - self.asked <= _LEFT_TO_CONFIRM and not open_modes
        if again is not None and (most < _WORTH_ASKING or last):
            return again
        enough = (
            not open_modes
            and sum(map(self._proofs, self.remote)) >= _PROOFS
            and not self._unproven_temperatures()
        )
        return None if enough and most < _WORTH_ASKING else best

    def _is_special_once(self, state: State) -> bool:
        """Say if a state has something like turbo that was heard at one other temperature only.

        Some remote controls send a temperature of its own with it.
        """
        for table in TABLES:
            has = value(state, table)
            if has is not None and SPECIAL.search(str(has)):
                heard = [one for one in self._known.heard if one.mode == state.mode]
                degrees = {one.temperature for one in heard if value(one, table) == has}
                if len(degrees) == 1 and state.temperature not in degrees:
                    return True
        return False

    def _reaches(self, state: State) -> float:
        """Return which part of its mode's temperatures would be between those that were heard.

        That is about states with a value that says something more in a mode: it may say so at
        some temperatures only.
        """
        degrees = self.remote[state.mode].temperatures
        most = 0
        for low, high in self._ranges(state):
            reached = min(low, state.temperature or low), max(high, state.temperature or high)
            most = max(most, _count(degrees, *reached) - _count(degrees, low, high))
        return most / max(1, len(degrees))

    def _is_beyond(self, state: State) -> bool:
        """Say if a value says something more here, but was heard at other temperatures only."""
        return state.temperature is not None and any(
            not low <= state.temperature <= high for low, high in self._ranges(state)
        )

    def _is_otherwise(self, state: State) -> bool:
        """Say if a state was heard, twice, with other frames than most, or to say what off does."""
        return any(press.state == state and self._is_foreign(press) for press in self._presses)

    def _ranges(self, state: State) -> Iterator[tuple[float, float]]:
        """Yield the lowest and the highest temperature that was heard of what says more here."""
        finding = self._known
        if finding.hows(state.mode).get("temperature") == "fixed":
            return
        for region in finding.regions(state.mode):
            if region.is_value and region.has(state):
                degrees = [
                    one.temperature
                    for one in finding.heard
                    if one.mode == state.mode and one.temperature is not None and region.has(one)
                ]
                if degrees:
                    yield min(degrees), max(degrees)

    def _unproven_temperatures(self) -> bool:
        """Say if too few temperatures were as said before any press had them."""
        seen: set[float | None] = {None}
        proven = 0
        for press in self._presses:
            if isinstance(press.state, State):
                if press.state.temperature not in seen and (press.expected or press.guess):
                    proven = proven + 1 if self._is_as_said(press) else 0
                seen.add(press.state.temperature)
        every = self._temperatures()
        many = len(every) > _MANY_TEMPERATURES
        return proven < (_MANY_PROVEN if many else _TEMPERATURES_PROVEN) and not every <= seen

    def _temperatures(self) -> set[float]:
        return {t for has in self.remote.values() for t in has.temperatures}

    def _unsure(self) -> State | None:
        """Return a state to be pressed again, as nothing confirms its press."""
        finding = self._known
        return next(
            (
                state
                for state in finding.heard
                if self._pressed_once(state) and not finding.is_sure(state)
            ),
            None,
        )

    def _worth(self, pair: _Pair, state: State) -> float:
        """Return what it is worth to try two things together that were not yet."""
        (attribute, _), (other, has) = pair
        if other == "temperature":
            temperatures = self.remote[state.mode].temperatures
            return 0.4 if has in (temperatures[0], temperatures[-1]) else 0.1
        if attribute == "mode":
            return _WORTH_ASKING
        return 1

    def _proofs(self, mode: str) -> int:
        """Return how many presses of a mode were as said, since the last that was not."""
        proofs = [
            self._is_as_said(press)
            for press in self._presses
            if isinstance(press.state, State) and press.state.mode == mode
        ]
        since = proofs[::-1].index(False) if False in proofs else len(proofs)
        return sum(proof is True for proof in proofs[len(proofs) - since :])

    def _proofs_wanted(self, mode: str) -> int:
        if mode == self._known.reference:
            others = sum(self._proofs(other) for other in self.remote if other != mode)
            wanted, proofs = _PROOFS_OF_REFERENCE - min(2, others), self._proofs(mode)
            if proofs >= wanted:
                return wanted
            left = {*states(self.remote, mode)} - {*self._missing} - self._known.heard.keys()
            return min(wanted, len(left) + proofs)
        refuted = any(
            isinstance(press.state, State)
            and press.state.mode == mode
            and self._is_as_said(press) is False
            for press in self._presses
        )
        return _PROOFS_AFTER_REFUTED if refuted else 0


type _Needs = Mapping[object, float]
"""A mode, or a mode, an attribute and its value → how many states wait for it."""
type _Pair = tuple[tuple[str, Value], tuple[str, Value]]


def _pairs(state: State) -> list[_Pair]:
    """Return each two things that a state has."""
    return [*combinations((("mode", state.mode), *attributes(state)), 2)]


def _few(degrees: Sequence[float]) -> Sequence[float | None]:
    """Return the lowest, the highest and some between."""
    last = len(degrees) - 1
    return [degrees[last * quarter // 4] for quarter in range(5)] if degrees else [None]


def _count(degrees: Sequence[float], low: float, high: float) -> int:
    """Return how many temperatures are between two, or are these."""
    return sum(low <= one <= high for one in degrees)


def _distance(state: State, other: State) -> float:
    """Return how different two states are; least is the temperature."""
    off = 4.0 * sum(value(state, table) != value(other, table) for table in TABLES)
    if state.temperature != other.temperature:
        off += 1 + abs((state.temperature or 0) - (other.temperature or 0)) / 100
    return off


def _with(state: State, values: Mapping[str, Value | None]) -> State:
    """Return a state with other values."""
    said: dict[str, Any] = dict(values)
    return replace(state, **said)
