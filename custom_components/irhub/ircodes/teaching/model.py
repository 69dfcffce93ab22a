"""The model: meaning of the bits in a remote control's messages, as far as presses show it.

A message is the XOR of the bits that the mode, the preset, the fan speed, the swing and the
temperature flip, plus checks computed from them. Some bits are volatile: they change while the
state does not. A model is the immutable result of a fit; each mode has a `Hypothesis`.

Example of a remote control with the byte `mode mode fan fan temp temp temp temp`:

    cool low 18     0100 0010       cool and low together flip 0100, 18 flips 0010
    cool low 19     0100 0011       19 instead of 18 flips 0001
    cool high 18    0110 0010       high instead of low flips 0010 0000
    heat low 18     1000 0010       heat instead of cool flips 1100 0000
    heat high 19    1010 0011       predicted: the XOR of these is the received message

The last press confirms the others. That 20 is 0100 does not follow from a press but from the
encoding of numbers (`temperatures`).
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import and_, or_
from typing import Any

from ..states.checks import NIBBLE
from ..states.state import ATTRIBUTES, NAMED, State, Value, attributes, value
from . import limits
from .equations import Equations
from .evidence import Evidence
from .hypotheses import MODE, Effect, ExtraTerm, Hypothesis, terms_of
from .temperatures import is_clipped, marks_limits


@dataclass(frozen=True, kw_only=True)
class Model:
    """The meaning of bits."""

    evidence: Evidence
    ignored: int
    """Bits that contradict every explanation and do not belong to the state."""
    left_out: State | None
    """A press of the base mode that is left out because the others fit better without it."""
    repeated: Collection[State]
    """States received twice with equal messages."""
    volatile: int
    """Counters, toggles and ignored bits: a clock, a measurement, the last button."""
    data: int
    """Bits of the state: all except volatile bits and checks."""
    hypotheses: Mapping[str, Sequence[Hypothesis]]
    """Mode → its hypotheses with nearly the lowest cost, the cheapest first."""
    uncounted: Collection[str] = frozenset()
    """Modes for which the last hypothesis tried has temperatures without a known encoding."""
    equations: Equations
    """Of all modes, according to their first hypotheses."""

    # What it costs

    @property
    def cost(self) -> float:
        """Return the cost, a measure of unlikelihood."""
        cost = sum(near[0].cost for near in self.hypotheses.values())
        if self.left_out is not None:
            cost += limits.COST_OUTLIER
            cost += limits.COST_REPEATED_OUTLIER * (self.left_out in self.repeated)
        return cost

    @cached_property
    def outliers(self) -> Sequence[State]:
        """Return the states whose messages contradict the others."""
        left_out = [] if self.left_out is None else [self.left_out]
        return [*left_out, *(s for near in self.hypotheses.values() for s in _outliers(near[:1]))]

    @cached_property
    def doubtful(self) -> Collection[State]:
        """Return the states that are outliers in a hypothesis other than the first."""
        return {state for near in self.hypotheses.values() for state in _outliers(near[1:])}

    @cached_property
    def changing_again(self) -> int:
        """Return the bits that changed when the first state or an outlier was pressed again.

        A mistake with the first state is not kept, and an outlier that is one still was none
        before: the bits do not belong to the state.
        """
        again = {self.evidence.first, *self.outliers}
        return reduce(or_, (self.evidence.differing[state] for state in again))

    @cached_property
    def unshown(self) -> int:
        """Return the ignored bits that never changed while the state was the same."""
        return self.evidence.unshown(self.volatile)

    @property
    def counts_apart(self) -> bool:
        """Return whether the base mode's temperatures use several independent encodings.

        These fit by chance more easily: one of them may be a clock. Bits that mark the lowest and
        the highest temperature are not counted.
        """
        first, *_ = self.hypotheses[self.evidence.base_mode]
        return sum(not marks_limits(guesses) for guesses in first.counts or ()) > 1

    @property
    def is_clipped(self) -> bool:
        """Return whether temperatures of the base mode may send what another one does."""
        first, *_ = self.hypotheses[self.evidence.base_mode]
        return any(map(is_clipped, first.counts or ()))

    @property
    def is_uncounted(self) -> bool:
        """Return whether the temperatures of the base mode have no known encoding."""
        first, *_ = self.hypotheses[self.evidence.base_mode]
        return first.counts is None

    @cached_property
    def is_clean(self) -> bool:
        """Return whether nothing unusual was received; the rest is assumed to be usual, too."""
        return (
            not self.ignored
            and self.left_out is None
            and not any(terms_of(near[0].extras) > 1 for near in self.hypotheses.values())
        )

    # What modes are made of

    def effect(self, mode: str, attribute: str) -> Effect:
        """Return the effect of an attribute in a mode."""
        near = self.hypotheses.get(mode)
        return near[0].effect(attribute) if near else Effect.SHARED

    def is_apart(self, mode: str) -> bool:
        """Return whether a mode has little in common with the base mode."""
        near = self.hypotheses.get(mode)
        return near is None or near[0].is_apart

    def extras(self, mode: str) -> Sequence[ExtraTerm]:
        """Return the extra terms of a mode."""
        return self.hypotheses[mode][0].extras if mode in self.hypotheses else ()

    def extra_flips(self, mode: str) -> Iterator[tuple[ExtraTerm, int]]:
        """Yield the extra terms of a mode except outliers, and the bits that they flip."""
        for number, extra in enumerate(self.extras(mode)):
            if extra.toggles == MODE:
                continue  # it flips what the base mode does
            equations = self.hypotheses[mode][0].equations
            flips = equations.solve(self.evidence.unknowns[extra.unknown(mode, number)])
            if extra.outlier is None and (flips or extra.toggles):
                yield extra, flips or 0

    def flips(self, attribute: str, mode: str = "") -> Mapping[Value, int]:
        """Return the values of an attribute with the bits that they flip relative to the first one.

        `mode` is given if the attribute has an effect of its own in it.
        """
        if (known := self._flips.get((attribute, mode))) is None:
            known = known_flips(self.equations, self.evidence, attribute, mode)
            self._flips[attribute, mode] = known
        return known

    @cached_property
    def _flips(self) -> dict[tuple[str, str], Mapping[Value, int]]:
        """Cache of flipped bits."""
        return {}

    def has_tested(self, mode: str, attribute: str) -> bool:
        """Return whether enough values were pressed in a mode to know the attribute's effect."""
        return self._tested[mode, attribute]

    @cached_property
    def _tested(self) -> Mapping[tuple[str, str], bool]:
        evidence = self.evidence
        pressed: dict[tuple[str, str], set[Value]] = {}
        for state in evidence.messages.keys() - {*self.outliers}:
            for attribute, setting in attributes(state):
                pressed.setdefault((state.mode, attribute), set()).add(setting)
        tested: dict[tuple[str, str], bool] = {}
        for mode in evidence.capabilities:
            needed = limits.VALUES_TESTED - self.is_like_others(mode)
            for attribute in ATTRIBUTES:
                every = evidence.capabilities[mode].values(attribute)
                count = sum((attribute, v) not in evidence.foreign_values for v in every)
                known = len(pressed.get((mode, attribute), ()))
                tested[mode, attribute] = known >= min(count, needed)
        return tested

    def is_confirmed(self, mode: str) -> bool:
        """Return whether enough messages of a mode were predicted by the others."""
        needed = limits.CONFIRMATIONS - self.is_like_others(mode)
        return self._confirmations(mode) >= needed

    def is_like_others(self, mode: str) -> bool:
        """Return whether a mode is like the base mode so far, as two others are.

        It then needs one press less. A press that confirms such a likeness counts for all of them.
        """
        confirmations = [count for other, count in self._modes_alike.items() if other != mode]
        return (
            len(confirmations) >= limits.MODES_LIKE
            and sum(confirmations) >= limits.CONFIRMATIONS_OF_MODES_LIKE
            and self._is_like_base(mode)
        )

    @cached_property
    def _modes_alike(self) -> Mapping[str, int]:
        """Return the modes like the base mode, and how many of their presses confirm that."""
        counts = {mode: self.confirmations_like_base(mode) for mode in self.hypotheses}
        return {mode: count for mode, count in counts.items() if count}

    def confirmations_like_base(self, mode: str) -> int:
        """Return the number of confirming presses of another mode like the base mode."""
        if mode == self.evidence.base_mode or not self._is_like_base(mode):
            return 0
        return self._confirmations(mode)

    def _is_like_base(self, mode: str) -> bool:
        """Return whether all values have the effect of the base mode in the first hypothesis."""
        if not (near := self.hypotheses.get(mode)):
            return False
        return all(effect is Effect.SHARED for effect in near[0].effects.values()) and all(
            extra.origin is not None for extra in near[0].extras
        )

    def _confirmations(self, mode: str) -> int:
        near = self.hypotheses.get(mode)
        return near[0].equations.confirmations if near else 0

    def is_understood(self, mode: str) -> bool:
        """Return whether the cost of a mode and the base mode is low enough for predictions.

        A press that contradicts all others is taken for a mistake, unless it is received again, or
        is another one then, which contradicts them, too: nothing explains what the remote control
        does.
        """
        return self._understood[mode]

    @cached_property
    def _understood(self) -> Mapping[str, bool]:
        return {mode: self._is_understood(mode) for mode in self.evidence.capabilities}

    def _is_understood(self, mode: str) -> bool:
        unexplained = Counter(state.mode for state in self.outliers if state in self.repeated)
        if max(unexplained[mode], unexplained[self.evidence.base_mode]) > limits.MAX_UNEXPLAINED:
            return False
        if self.changing_again & self.data:
            return False
        return all(
            name in self.hypotheses and self.hypotheses[name][0].cost < limit
            for name, limit in (
                (mode, limits.COST_NOT_UNDERSTOOD),
                (self.evidence.base_mode, limits.COST_NO_WAY_TO_COUNT),
            )
        )

    def undecided(self, mode: str) -> Iterator[tuple[ExtraTerm, Sequence[float]]]:
        """Yield extra terms, with temperatures for which it is unknown whether they apply."""
        temperatures = self.evidence.capabilities[mode].temperatures
        for hypothesis in self.hypotheses.get(mode, ()):
            for extra in hypothesis.extras:
                below, above = extra.last_below, extra.first_above
                if extra.outlier is not None:
                    continue
                if below is not None and above is not None:
                    if between := [t for t in temperatures if below < t < above]:
                        yield extra, between
                elif extra.origin is None and len(having := self._pressed_with(mode, extra)) == 1:
                    yield extra, [t for t in temperatures if t != having[0].temperature]

    def is_confirmed_exception(self, mode: str, extra: ExtraTerm) -> bool:
        """Return whether an extra term of a value was received often enough to be no accident."""
        return (
            extra.is_of_values
            and extra.origin is None
            and len(self._pressed_with(mode, extra)) >= limits.PRESSES_OF_TERM
        )

    # What a state's message is

    def predict(self, state: State) -> frozenset[int]:
        """Return the possible messages of a state; empty if unknown.

        There are several if its checks have several formulas.
        """
        if (known := self._predicted.get(state)) is None:
            known = self._predicted[state] = frozenset(self._predict(state))
        return known

    @cached_property
    def _predicted(self) -> dict[State, frozenset[int]]:
        """Cache of predictions: several questions examine the same states."""
        return {}

    def _predict(self, state: State) -> Collection[int]:
        if state in self.evidence.messages and state not in self.outliers:
            return {self.evidence.messages[state]}
        if state.mode not in self.hypotheses or not self._is_explained(state):
            return ()
        return self.guess(state, strict=True)

    def is_sent_for(self, state: State, message: int) -> bool:
        """Return whether a message is that of a state, apart from checks and volatile bits."""
        if state in self.evidence.messages and state not in self.outliers:
            return self.matches(message, {self.evidence.messages[state]})
        if state.mode not in self.hypotheses or not self._is_explained(state):
            return False
        return self.answers(state) == {message & self.data}

    def is_sent_as_in_base(self, state: State, message: int) -> bool:
        """Return whether a message is that of the base mode, and a value sets it in some mode."""
        like = replace(state, mode=self.evidence.base_mode)
        return any(
            extra.toggles == MODE and extra.applies_to(state)
            for mode in self.hypotheses
            for extra in self.extras(mode)
        ) and self.agrees(message, self.predict(like))

    def guess(self, state: State, *, strict: bool = False) -> set[int]:
        """Return the possible messages of a state, even if too little of its mode was pressed."""
        if state.mode not in self.hypotheses:
            return set()
        answers = self.answers(state, strict=strict)
        if len(answers) > 1 or (bits := answers.pop()) is None:
            return set()
        return self.with_checks(bits)

    def with_checks(self, bits: int) -> set[int]:
        """Return the possible messages with these bits of the state."""
        messages = {bits | self.evidence.received[0][1] & ~self.data}
        for alternatives in reversed(self.evidence.checks):
            messages = {
                check.compute(message, self.evidence.frames)
                for message in messages
                for check in alternatives
            }
        return messages

    def answers(self, state: State, *, strict: bool = True) -> set[int | None]:
        """Return the different bits of a state by the hypotheses of its mode; None where unknown.

        A strict answer requires presses that show whether the extra terms apply to the state.
        """
        return {*self.each_answer(state, strict=strict)}

    def each_answer(self, state: State, *, strict: bool) -> Iterator[int | None]:
        """Yield the answer of each hypothesis of a state's mode, the cheapest first."""
        for hypothesis in self.hypotheses.get(state.mode, ()):
            unknowns = hypothesis.unknowns_of(state, self.evidence)
            if strict and not self._are_extras_shown(hypothesis, state):
                unknowns = None
            yield None if unknowns is None else hypothesis.equations.solve(unknowns)

    def contradiction(self, outlier: State, hypothesis: Hypothesis) -> int:
        """Return the bits in which an outlier differs from what the other presses predict."""
        unknowns = hypothesis.unknowns_of(outlier, self.evidence, with_outlier=False)
        expected = None if unknowns is None else hypothesis.equations.solve(unknowns)
        return 0 if expected is None else (expected ^ self.evidence.messages[outlier]) & self.data

    def matches(self, message: int, predicted: Collection[int]) -> bool:
        """Return whether a message is one of these, apart from checks and volatile bits."""
        return any(not (message ^ other) & self.data for other in predicted)

    def agrees(self, message: int, predicted: Collection[int]) -> bool:
        """Return whether a message is one of these, and has correct checks."""
        return self.matches(message, predicted) and self.has_right_checks(message)

    def has_right_checks(self, message: int) -> bool:
        """Return whether all checks of a message are correct, each by one of its formulas."""
        return all(
            any(check.compute(message, self.evidence.frames) == message for check in alternatives)
            for alternatives in self.evidence.checks
        )

    # What confirms it

    def is_proven(self, state: State) -> bool:
        """Return whether enough of a state's mode and of its values in it was pressed."""
        if state.mode == self.evidence.base_mode:
            return True
        return self.is_confirmed(state.mode) and all(
            self.is_tried(state.mode, attribute, setting)
            for attribute in NAMED
            if (setting := value(state, attribute)) is not None
        )

    def modes_with(self, attribute: str, setting: Value) -> Collection[str]:
        """Return the modes in which a value was pressed."""
        return {
            state.mode for state in self.evidence.messages if value(state, attribute) == setting
        }

    def unconfirmed_presses(self, state: State) -> int:
        """Return the number of unconfirmed presses from which a known state follows."""
        near = self.hypotheses.get(state.mode)
        unknowns = near[0].unknowns_of(state, self.evidence) if near else None
        if unknowns is None:
            return 0
        presses = self.equations.presses_for(unknowns)
        return (presses & ~self.equations.confirmed).bit_count()

    def is_press_confirmed(self, state: State) -> bool:
        """Return whether the press of a state is confirmed by others, or was received twice."""
        return bool(self.evidence.press[state] & self.equations.confirmed)

    def distinctive_presses(self) -> int:
        """Return the presses that are as predicted except for a value that no other press has.

        A mistaken press would have sent the bits of another value.
        """
        presses = 0
        known = self.equations.confirmed | self.equations.doubtful
        for state, message in self.evidence.messages.items():
            if (
                not self.evidence.press[state] & known
                and state not in self.outliers
                and any(self._is_distinctive(state, message, table) for table in NAMED)
            ):
                presses |= self.evidence.press[state]
        return presses

    def _is_distinctive(self, state: State, message: int, table: str) -> bool:
        """Return whether a message differs from those of other values, only in their bits.

        These may include further bits of the same half bytes, if no other attribute flips them.
        """
        others = self._without_press(state, table)
        differing = [(message ^ other) & self.data for other in others]
        if len(others) < 2 or not all(differing):  # noqa: PLR2004
            return False
        flips = reduce(or_, (others[0] ^ other for other in others), 0) & self.data
        of_others = (
            bits for name in ATTRIBUTES if name != table for bits in self.flips(name).values()
        )
        around = self.evidence.units_with(flips, NIBBLE) & ~reduce(or_, of_others, 0)
        return not any(bits & ~(flips | around) for bits in differing)

    def _without_press(self, state: State, attribute: str) -> Sequence[int]:
        """Return the bits of a state with other values of an attribute, as other presses say."""
        (hypothesis, *_), press = self.hypotheses[state.mode], self.evidence.press[state]
        others: list[int] = []
        for other in self.evidence.capabilities[state.mode].values(attribute):
            if (setting := value(state, attribute)) is not None and other != setting:
                changed: dict[str, Any] = {attribute: other}
                instead = replace(state, **changed)
                answers = self.answers(instead)
                unknowns = hypothesis.unknowns_of(instead, self.evidence) or 0
                is_circular = self.equations.presses_for(unknowns) & press
                if len(answers) == 1 and (bits := answers.pop()) is not None and not is_circular:
                    others.append(bits)
        return others

    @cached_property
    def unchecked(self) -> int:
        """Return the volatile bits that no check confirms: they may be part of an unknown check.

        A check confirms the bits that all its formulas confirm.
        """
        confirmed = 0
        for alternatives in self.evidence.checks:
            confirmed |= reduce(
                and_, (check.confirms(self.evidence.frames) for check in alternatives)
            )
        return self.volatile & ~confirmed

    def _is_explained(self, state: State) -> bool:
        if state.mode in self._overfitted:
            return False
        return state.mode == self.evidence.base_mode or all(
            value(state, attribute) is None
            or self.has_tested(state.mode, attribute)
            or self.evidence.pressed(attribute, state.mode).keys() == {value(state, attribute)}
            for attribute in ATTRIBUTES
        )

    @cached_property
    def _overfitted(self) -> Collection[str]:
        """Return the modes with overfitted hypotheses only."""
        return {
            mode
            for mode, near in self.hypotheses.items()
            if all(hypothesis.is_overfitted for hypothesis in near)
        }

    def _are_extras_shown(self, hypothesis: Hypothesis, state: State) -> bool:
        """Return whether presses show which extra terms apply to a state."""
        return state in self.evidence.messages or all(
            extra.outlier is not None
            or extra.origin is not None
            or self._is_shown(hypothesis, extra, state)
            for extra in hypothesis.extras
        )

    def _is_shown(self, hypothesis: Hypothesis, extra: ExtraTerm, state: State) -> bool:
        """Return whether presses show that an extra term applies to a state, or that it does not.

        A single press may be an outlier. A term that begins at a temperature may apply to one fan
        speed only, a term of a value to all temperatures, and one of two values to all states with
        one of them.
        """
        if not (extra.common(state) or extra.applies_to(state) or extra.is_of_temperatures):
            return True
        alike = self._pressed_alike(extra, state)
        if len(alike) == 1 and alike[0] not in self.repeated:
            return False
        telling = [table for table in NAMED if hypothesis.effect(table) is not Effect.NONE]
        return bool(extra.values) or any(
            all(value(other, table) == value(state, table) for table in telling) for other in alike
        )

    @cached_property
    def sole_exceptions(self) -> Mapping[State, ExtraTerm]:
        """Return presses that alone show that values do not suffice for an extra term.

        It depends on another value or on the temperature, too, unless another fan speed was pressed
        by mistake.
        """
        return {
            state: extra
            for state in self.evidence.messages
            for extra in self.extras(state.mode)
            if extra.outlier is None
            and extra.origin is None
            and state not in self.repeated
            and extra.common(state)
            and not extra.applies_to(state)
            and self._pressed_alike(extra, state) == [state]
        }

    def _pressed_alike(self, extra: ExtraTerm, state: State) -> Sequence[State]:
        """Return the pressed states of a mode that are to an extra term what a state is."""
        applies, common = bool(extra.applies_to(state)), extra.common(state)
        return [
            other
            for other in self.evidence.messages
            if other.mode == state.mode
            and extra.applies_to(other) is applies
            and extra.common(other) >= common
        ]

    def _pressed_with(self, mode: str, extra: ExtraTerm) -> Sequence[State]:
        pressed = (state for state in self.evidence.messages if state.mode == mode)
        return [state for state in pressed if extra.applies_to(state)]

    def is_tried(self, mode: str, attribute: str, setting: Value) -> bool:
        """Return whether a value was pressed in a mode, or is the same in all modes."""
        near = self.hypotheses[mode]
        modes = self.modes_with(attribute, setting)
        if mode in modes:
            return True
        is_apart = setting in self._values_apart[attribute]
        is_plain = _is_plain(setting) and not is_apart
        if any(
            extra.origin is None and not self.is_confirmed_exception(mode, extra)
            for hypothesis in near
            for extra in hypothesis.extras
        ):
            return is_plain and len(modes) > 1
        is_everywhere = len(modes) >= limits.MODES_ALIKE
        if is_plain or (is_everywhere and self.is_like_others(mode)):
            return True
        effects = {hypothesis.effect(attribute) for hypothesis in near}
        if limits.SPECIAL.search(str(setting)) or (is_apart and Effect.NONE in effects):
            return False
        is_usual = setting == value(self.evidence.first, attribute)
        if is_everywhere or (is_usual and self.has_tested(mode, attribute)):
            return True
        return self.is_clean and effects == {Effect.NONE}

    @cached_property
    def _values_apart(self) -> Mapping[str, Collection[Value]]:
        """Return the values that flip bits in bytes in which no other value does.

        Plain values are compared with each other.
        """
        return {table: {*self._apart(self.flips(table))} for table in NAMED}

    def _apart(self, flips: Mapping[Value, int]) -> Iterator[Value]:
        for setting in flips:
            compared = [name for name in flips if name != setting]
            if _is_plain(setting):
                compared = [name for name in compared if _is_plain(name)]
            if len(compared) < 2:  # noqa: PLR2004
                continue
            first, *others = (flips[name] & self.data for name in compared)
            usual = reduce(or_, (first ^ bits for bits in others))
            if (flips[setting] & self.data ^ first) & ~self.evidence.bytes_with(usual):
                yield setting


def _is_plain(setting: Value) -> bool:
    """Return whether the name of a value is one that is the same in each mode."""
    return limits.PLAIN.fullmatch(str(setting)) is not None


def known_flips(
    equations: Equations, evidence: Evidence, attribute: str, mode: str
) -> dict[Value, int]:
    """Return the values of an attribute with the bits that they flip relative to the first one.

    If presses do not relate all values to each other, the largest related group is returned.
    """
    unknowns = evidence.values[attribute, mode]
    left = [setting for setting in unknowns if setting in evidence.pressed(attribute, mode)]
    best: dict[Value, int] = {}
    while left:
        first = left[0]
        known = {first: 0}
        for other, unknown in unknowns.items():
            if (bits := equations.solve(unknowns[first] ^ unknown)) is not None:
                known[other] = bits
        if len(known) > len(best):
            best = known
        left = [setting for setting in left if setting not in known]
    return best


def _outliers(hypotheses: Sequence[Hypothesis]) -> Iterator[State]:
    for hypothesis in hypotheses:
        for extra in hypothesis.extras:
            if extra.outlier is not None:
                yield extra.outlier
