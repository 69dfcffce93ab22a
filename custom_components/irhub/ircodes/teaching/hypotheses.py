"""Hypotheses: possible compositions of the messages of one mode.

In the base mode each value flips bits of its own. In another mode an attribute has the same effect,
none (dry has one fan speed, whatever is displayed) or an effect of its own. In addition, some
states may have an extra term: those with one fan speed, or from a temperature on, or a single one,
which was then a mistaken press. Other states may lack the effect of an attribute: turbo sets the
fan speed, whatever is displayed. A value may even set the mode: its states are sent as in the base
mode.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property, lru_cache
from heapq import merge
from itertools import combinations, pairwise, product
from operator import itemgetter
from typing import Final, NamedTuple

from ..states.state import ATTRIBUTES, NAMED, State, Value, value
from . import limits
from .equations import Equation, Equations, GrowingEquations
from .evidence import Evidence, Unknown, is_special
from .temperatures import Guess


class Effect(Enum):
    """Effect of an attribute in a mode."""

    SHARED = "shared"
    """Its values flip the same bits as in the base mode."""
    NONE = "none"
    OWN = "own"
    """Its values flip bits unrelated to those in other modes."""


type Effects = Mapping[str, Effect]
"""Attribute of State → its effect; default SHARED."""


class ExtraTerm(NamedTuple):
    """Additional bits that some states of a mode flip, the same for all of them."""

    values: tuple[tuple[str, Value], ...] = ()
    """Attributes and values that all these states have."""
    last_below: float | None = None
    """If it depends on the temperature: the last pressed one below the limit."""
    first_above: float | None = None
    above: bool = True
    """Whether it applies to temperatures above the limit."""
    outlier: State | None = None
    """The only state it applies to, if that is a press that contradicts all others."""
    toggles: str = ""
    """An attribute that has an effect only in these states, or only in the others; MODE if these
    states are sent as in the base mode."""
    origin: tuple[str, int] | None = None
    """Mode and number of the term, if it is inherited from another mode."""

    def unknown(self, mode: str, number: int) -> Unknown:
        """Return the unknown of the flipped bits, for the n-th term of a mode."""
        return ("extra", *(self.origin or (mode, number)))

    def applies_to(self, state: State) -> bool | None:
        """Return whether the term applies to a state; None if unknown."""
        if self.outlier is not None:
            return state == self.outlier
        for attribute, needed in self.values:
            if value(state, attribute) != needed:
                return False
        if self.last_below is None:
            return True
        return False if state.temperature is None else self.applies_at(state.temperature)

    def common(self, state: State) -> frozenset[tuple[str, Value]]:
        """Return those of its values that a state has."""
        return frozenset(pair for pair in self.values if value(state, pair[0]) == pair[1])

    def applies_at(self, temperature: float) -> bool | None:
        """Return whether the term applies at a temperature; None between the limits."""
        if self.last_below is None or self.first_above is None:
            return True
        if self.last_below < temperature < self.first_above:
            return None
        return (temperature >= self.first_above) == self.above

    @property
    def is_of_values(self) -> bool:
        """Return whether it depends on values and does not set another attribute."""
        return bool(self.values) and not self.toggles

    @property
    def is_of_temperatures(self) -> bool:
        """Return whether it applies to all states above or below a temperature."""
        return not self.values and self.last_below is not None

    @property
    def cost(self) -> float:
        """Return the cost, a measure of unlikelihood."""
        if self.origin is not None:
            return 0.0
        if self.outlier is not None:
            return limits.COST_OUTLIER
        narrower = max(0, len(self.values) - 1)
        from_temperature = bool(self.values) and self.last_below is not None
        return (
            limits.COST_EXTRA
            + limits.COST_EXTRA_NARROWER * narrower
            + limits.COST_EXTRA_FROM_TEMPERATURE * (from_temperature or bool(self.toggles))
        )


MODE: Final = "mode"
"""What a term toggles if a value sets the mode."""

type TermsAtCost = tuple[float, tuple[ExtraTerm, ...]]
"""Extra terms, with what they cost together."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Hypothesis:
    """A composition of the messages of one mode, and the equations that follow from its presses."""

    cost: float
    """Measure of unlikelihood (see `limits`)."""
    mode: str
    effects: Effects
    extras: tuple[ExtraTerm, ...]
    equations: Equations
    """Of this mode and of those explained before it."""
    counts: Sequence[Sequence[Guess]] | None = ()
    """Possible encodings of temperatures, if searched for; None if no known one fits."""

    def effect(self, attribute: str) -> Effect:
        """Return the effect of an attribute in the mode."""
        return self.effects.get(attribute, Effect.SHARED)

    @property
    def is_overfitted(self) -> bool:
        """Return whether it has too many special cases for the few presses of a mode.

        An attribute that has an effect only for some of its values counts as one: more likely, one
        of these presses was a mistake. What a value sets in the base mode is no special case.
        """
        without = {name for name, effect in self.effects.items() if effect is Effect.NONE}
        own = sum(effect is Effect.OWN for effect in self.effects.values())
        return terms_of(self.extras) + own > 1 or any(
            attribute in without
            for extra in self.extras
            if extra.origin is None
            for attribute, _ in extra.values
        )

    @property
    def is_apart(self) -> bool:
        """Return whether an attribute has an effect of its own: the mode tells little of others."""
        return Effect.OWN in self.effects.values()

    def unknowns_of(
        self, state: State, evidence: Evidence, *, with_outlier: bool = True
    ) -> int | None:
        """Return the unknowns that add up to a state's message; None if undetermined.

        `with_outlier` False: without the terms of outliers, as if these presses were correct.
        """
        kept = self.extras if with_outlier else [e for e in self.extras if e.outlier is None]
        return unknowns_of(state, self.effects, kept, evidence)


def unknowns_of(
    state: State, effects: Effects, extras: Sequence[ExtraTerm], evidence: Evidence
) -> int | None:
    """Return the unknowns that add up to a state's message; None if undetermined."""
    total, values = evidence.unknowns_of(state)
    for attribute, shared, own in values:
        effect = effects.get(attribute, Effect.SHARED)
        if effect is not Effect.NONE:
            total |= own if effect is Effect.OWN else shared
    for number, extra in enumerate(extras):
        if (applies := extra.applies_to(state)) is None:
            return None
        if applies:
            if extra.toggles == MODE:
                like = replace(state, mode=evidence.base_mode)
                kept = [e for e in extras if e.origin is not None and e.toggles != MODE]
                return unknowns_of(like, {}, kept, evidence)
            total ^= evidence.unknowns[extra.unknown(state.mode, number)]
            if extra.toggles and (toggled := value(state, extra.toggles)) is not None:
                total ^= evidence.unknowns[extra.toggles, "", toggled]
    return total


def terms_of(extras: Sequence[ExtraTerm]) -> int:
    """Return the number of a mode's own terms, without outliers.

    Values that set attributes count as one (turbo sets the fan speed, and eco stops the swing).
    """
    own = [extra for extra in extras if extra.outlier is None and extra.origin is None]
    toggling = sum(bool(extra.toggles) for extra in own)
    return len(own) - toggling + bool(toggling)


@dataclass(frozen=True)
class Candidates:
    """Generates hypotheses for the presses of one mode."""

    evidence: Evidence
    repeated: Collection[State]
    """States that were received twice."""
    presses: Sequence[tuple[State, int]]
    """States of the mode with their messages."""
    inherited: tuple[ExtraTerm, ...] = ()
    """Terms of the base mode that are likely in other modes, too."""

    @property
    def mode(self) -> str:
        """Return the mode."""
        return self.presses[0][0].mode

    def effects(self) -> list[tuple[float, Effects]]:
        """Return possible effects of the attributes in a mode, with their cost, cheapest first.

        Attributes that have a single value in the mode, or were never pressed, are omitted.
        """
        capabilities = self.evidence.capabilities[self.mode]
        choices: list[list[tuple[float, str, Effect]]] = []
        for attribute in ATTRIBUTES:
            pressed = {value(state, attribute) for state, _ in self.presses} - {None}
            if not pressed or len(capabilities.values(attribute)) == 1:
                continue
            costs = {Effect.SHARED: 0.0, Effect.NONE: limits.COST_NO_EFFECT}
            if len(pressed) > 1:
                costs[Effect.OWN] = limits.COST_OWN_EFFECT
            choices.append([(cost, attribute, effect) for effect, cost in costs.items()])
        return sorted(
            (
                (
                    sum(cost for cost, _, _ in chosen),
                    {attribute: effect for _, attribute, effect in chosen},
                )
                for chosen in product(*choices)
            ),
            key=itemgetter(0),
        )

    def extras(
        self, before: Equations, effects: Effects, is_too_dear: Callable[[float], bool]
    ) -> Iterator[TermsAtCost]:
        """Yield extra terms with which all presses agree, with their cost, cheapest first.

        They are those of the mode beside the inherited ones (turbo sets the fan speed here, too),
        beside these and a value that sets the mode (turbo is sent as in the base mode), or without
        the inherited ones. Most of those that are too dear are not searched for.
        """
        inherited = tuple(
            extra
            for extra in self.inherited
            if effects.get(extra.toggles, Effect.SHARED) is Effect.SHARED
        )
        is_of_none = any(
            effects.get(table) is Effect.NONE for extra in inherited for table, _ in extra.values
        )
        without_effect = limits.COST_SETS_WITHOUT_EFFECT * is_of_none
        beside = self._extras_beside(before, effects, inherited, is_too_dear)
        possible = ((cost + without_effect, (*inherited, *extras)) for cost, extras in beside)
        if inherited == self.inherited and (setting := self._setting_mode(before)):
            kept = (*inherited, *setting)
            beside = self._extras_beside(before, effects, kept, is_too_dear)
            as_in_base = ((cost, (*kept, *extras)) for cost, extras in beside)
            possible = merge(possible, as_in_base, key=itemgetter(0))
        if not inherited:
            return possible
        others = (
            (cost + limits.COST_NOT_INHERITED, extras)
            for cost, extras in self._extras_beside(before, effects, (), is_too_dear)
        )
        return merge(possible, others, key=itemgetter(0))

    def _setting_mode(self, before: Equations) -> tuple[ExtraTerm, ...]:
        """Return terms of special values whose presses sent what the base mode sends."""
        base = self.evidence.base_mode
        sent: dict[tuple[str, Value], bool] = {}
        for state, message in self.presses if self.mode != base else ():
            for table in NAMED:
                setting = value(state, table)
                if setting is None or not is_special(table, setting):
                    continue
                like = replace(state, mode=base)
                unknowns = unknowns_of(like, {}, self.inherited, self.evidence)
                known = None if unknowns is None else before.solve(unknowns)
                is_sent = known == message & before.data
                sent[table, setting] = sent.get((table, setting), True) and is_sent
        return tuple(
            ExtraTerm((pair,), toggles=MODE, origin=(base, 0))
            for pair, is_sent in sent.items()
            if is_sent
        )

    def _extras_beside(
        self,
        before: Equations,
        effects: Effects,
        kept: tuple[ExtraTerm, ...],
        is_too_dear: Callable[[float], bool],
    ) -> Iterator[TermsAtCost]:
        """Yield extra terms that, added to `kept`, make all presses agree.

        A press whose unknowns are a sum of earlier ones should have the sum of their messages.
        Differing bits must be those of extra terms that occur an odd number of times in it.
        """
        equations = before.growing()
        rests = map(equations.remainder, self._equations(effects, kept))
        sums = [(rest.bits & before.data, rest.presses) for rest in rests if rest is not None]
        agree = not any(differing for differing, _ in sums)
        if agree:
            yield 0, ()
            if self.mode != self.evidence.base_mode:
                return
        if is_too_dear(limits.COST_EXTRA):
            return
        possible: list[TermsAtCost] = [
            (self._cost_of(extra, presses, effects), (extra,))
            for extra, presses in self._possible
            if _is_one_term(sums, presses)
        ]
        if not agree:
            possible += self._toggling(before, effects, kept, is_too_dear)
        yield from sorted(possible, key=itemgetter(0))
        if possible or agree or is_too_dear(2 * limits.COST_EXTRA):
            return
        likely = [
            (extra, presses, cost)
            for extra, presses in self._possible
            if (cost := self._cost_of(extra, presses, effects)) <= limits.COST_EXTRA
            or extra.outlier is not None
        ]
        pairs = (
            (cost + other_cost, (extra, other))
            for (extra, presses, cost), (other, others, other_cost) in combinations(likely, 2)
            if _are_two_terms(sums, presses, others)
        )
        yield from sorted(pairs, key=itemgetter(0))

    def outliers(self) -> list[TermsAtCost]:
        """Return possible outliers, the last first: presses alone at their temperature.

        Without one of them, temperatures may fit another encoding.
        """
        temperatures = Counter(state.temperature for state, _ in self.presses)
        return [
            (self._cost(extra), (extra,))
            for state, _ in reversed(self.presses[1:])
            if temperatures[state.temperature] == 1
            for extra in [ExtraTerm(outlier=state)]
        ]

    @cached_property
    def _possible(self) -> Sequence[tuple[ExtraTerm, int]]:
        """Return all single extra terms, with the presses they apply to."""
        return _possible_extras(
            tuple((state, self.evidence.press[state]) for state, _ in self.presses)
        )

    def _cost_of(self, extra: ExtraTerm, presses: int, effects: Effects) -> float:
        cost = self._cost(extra) + limits.COST_EXTRA_OF_PRESS * presses.bit_count()
        if extra.last_below is not None and effects.get("temperature") is Effect.NONE:
            cost += limits.COST_EXTRA_IGNORED_TEMPERATURE
        return cost

    def _cost(self, extra: ExtraTerm) -> float:
        return extra.cost + limits.COST_REPEATED_OUTLIER * (extra.outlier in self.repeated)

    def _toggling(
        self,
        before: Equations,
        effects: Effects,
        kept: tuple[ExtraTerm, ...],
        is_too_dear: Callable[[float], bool],
    ) -> Iterator[TermsAtCost]:
        """Yield sets of values that set attributes, with which all presses agree.

        Several values may set the same attribute, and one value several attributes. If that does
        not explain all presses, each special value may set other attributes.
        """
        possible = [extra for extra in self._toggles(effects) if extra not in kept]
        agreeing: list[set[ExtraTerm]] = []
        for count in range(1, limits.MAX_TOGGLING + 1):
            cost = limits.COST_TOGGLING + limits.COST_TOGGLING_MORE * (count - 1)
            if is_too_dear(cost):
                return
            for extras in combinations(possible, count):
                attributes_set = {extra.toggles for extra in extras}
                is_alike = len(attributes_set) == 1 or len({e.values for e in extras}) == 1
                if not is_alike or any(known <= {*extras} for known in agreeing):
                    continue
                equations = before.growing()
                if not any(map(equations.add, self._equations(effects, (*kept, *extras)))):
                    agreeing.append({*extras})
                    yield cost, extras
        if not agreeing and (extras := self._set_by_each(before, effects, kept, possible)):
            more = len({extra.values for extra in extras}) + len({e.toggles for e in extras}) - 2
            _, contradicting = self.with_extras(before, effects, (*kept, *extras))
            if not contradicting:
                yield limits.COST_TOGGLING + limits.COST_TOGGLING_MORE * more, extras

    def _set_by_each(
        self,
        before: Equations,
        effects: Effects,
        kept: tuple[ExtraTerm, ...],
        possible: Sequence[ExtraTerm],
    ) -> tuple[ExtraTerm, ...]:
        """Return the fewest terms of each special value with which its own presses agree."""
        by_value: dict[tuple[tuple[str, Value], ...], list[ExtraTerm]] = {}
        for extra in possible:
            [(table, setting)] = extra.values
            if is_special(table, setting):
                by_value.setdefault(extra.values, []).append(extra)
        terms: list[ExtraTerm] = []
        for of_value in by_value.values():
            sets = (
                extras
                for count in range(len(of_value) + 1)
                for extras in combinations(of_value, count)
                if not any(
                    of_value[0].applies_to(state)
                    for state in self.with_extras(before, effects, (*kept, *extras))[1]
                )
            )
            terms += next(sets, ())
        return tuple(terms)

    def _toggles(self, effects: Effects) -> Iterator[ExtraTerm]:
        """Yield the terms for values that may set an attribute with these effects."""
        for extra in self._every_toggle:
            effect = effects.get(extra.toggles, Effect.SHARED)
            if effect is Effect.SHARED or (
                extra.toggles == "temperature" and effect is not Effect.OWN
            ):
                yield extra

    @cached_property
    def _every_toggle(self) -> Sequence[ExtraTerm]:
        """Return terms for a value that may set an attribute, if several presses could show it.

        Any value may disable the effect of temperatures; only presets, and speeds like them, may
        set the fan speed or the swing.
        """
        pressed: dict[tuple[str, str, Value], set[Value]] = {}
        for state, _ in self.presses:
            for table, toggled in product(NAMED, ATTRIBUTES):
                setting, other = value(state, table), value(state, toggled)
                if (
                    setting is not None
                    and other is not None
                    and table != toggled
                    and (
                        toggled == "temperature"
                        or (is_special(table, setting) and toggled != "preset")
                    )
                ):
                    pressed.setdefault((toggled, table, setting), set()).add(other)
        toggles = (
            ExtraTerm(((table, setting),), toggles=toggled)
            for (toggled, table, setting), values in pressed.items()
            if len(values) > 1
        )
        return [
            extra
            for extra in toggles
            if not all(extra.applies_to(state) for state, _ in self.presses)
        ]

    def with_extras(
        self, before: Equations, effects: Effects, extras: Sequence[ExtraTerm]
    ) -> tuple[GrowingEquations, list[State]]:
        """Return the equations of all presses, and the states that contradict earlier ones."""
        equations = before.growing()
        contradict = map(equations.add, self._equations(effects, extras))
        both = zip(self.presses, contradict, strict=True)
        return equations, [state for (state, _), contradicts in both if contradicts]

    def _equations(self, effects: Effects, extras: Sequence[ExtraTerm] = ()) -> Iterator[Equation]:
        for state, message in self.presses:
            unknowns = unknowns_of(state, effects, extras, self.evidence)
            assert unknowns is not None  # noqa: S101 - for mypy: no press is between limits
            yield Equation(unknowns, message, self.evidence.press[state])


@lru_cache(maxsize=64)  # called repeatedly, for other effects and ignored bits
def _possible_extras(pressed: tuple[tuple[State, int], ...]) -> Sequence[tuple[ExtraTerm, int]]:
    """Return the possible extra terms of states of a mode, with the presses they apply to."""
    extras: dict[ExtraTerm, None] = {}
    several = [
        table for table in NAMED if len({value(state, table) for state, _ in pressed} - {None}) > 1
    ]
    temperatures = sorted({s.temperature for s, _ in pressed if s.temperature is not None})
    for state, _ in pressed:
        pairs = [
            (table, setting) for table in several if (setting := value(state, table)) is not None
        ]
        for count in range(len(pairs) + 1):
            for values in combinations(pairs, count):
                if values:
                    extras[ExtraTerm(values)] = None
                if len(values) > 1 or state.temperature is None:
                    continue
                for below, above in pairwise(temperatures):
                    is_above = state.temperature >= above
                    if values or is_above:
                        extras[ExtraTerm(values, below, above, is_above)] = None
        extras[ExtraTerm(outlier=state)] = None
    return [
        (extra, sum(press for state, press in pressed if extra.applies_to(state)))
        for extra in extras
    ]


def _is_odd(presses: int, others: int) -> int:
    """Return whether the number of common presses is odd: 0 or 1."""
    return (presses & others).bit_count() & 1


def _is_one_term(sums: Sequence[tuple[int, int]], presses: int) -> bool:
    """Return whether the same bits differ wherever the term remains, and none elsewhere.

    `sums` are the differing bits of sums of presses, and these presses.
    """
    term: int | None = None
    for differing, summed in sums:
        if not _is_odd(summed, presses):
            if differing:
                return False
        elif term is None:
            term = differing
        elif term != differing:
            return False
    return term is not None


def _are_two_terms(sums: Sequence[tuple[int, int]], presses: int, others: int) -> bool:
    """Return whether the differing bits are those of two terms, wherever they remain."""
    by_terms = {(0, 0): 0}
    for differing, summed in sums:
        terms = _is_odd(summed, presses), _is_odd(summed, others)
        if by_terms.setdefault(terms, differing) != differing:
            return False
    first, second, both = (by_terms.get(terms) for terms in ((1, 0), (0, 1), (1, 1)))
    return first is None or second is None or both is None or first ^ second == both
