"""Fitting: find the model that explains messages at the lowest cost.

The base mode is explained first, then each other mode with the equations of those before it. For
each mode, all hypotheses are kept that cost nearly as little as the cheapest one: where they
disagree, the message is unknown.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import islice
from operator import or_

from ..states.state import ATTRIBUTES, State
from . import limits, temperatures
from .equations import Equation, Equations, GrowingEquations
from .evidence import Evidence
from .hypotheses import Candidates, Effect, Effects, ExtraTerm, Hypothesis, TermsAtCost
from .model import Model, known_flips
from .temperatures import Guess

type _Counts = Sequence[Sequence[Guess]] | None
type _Found = tuple[Sequence[Hypothesis], bool]
"""Hypotheses of a mode, and whether the last one tried has no known encoding of temperatures."""


def fit(
    evidence: Evidence,
    *,
    ignored: int = 0,
    left_out: State | None = None,
    max_cost: float = float("inf"),
) -> Model:
    """Return the model of messages without ignored bits, and without one press.

    If its cost exceeds `max_cost`, the remaining modes are not explained.
    """
    checked = reduce(or_, (check[0].target.mask for check in evidence.checks), 0)
    volatile = (evidence.changing | ignored) & ~checked & evidence.every_bit
    data = evidence.every_bit & ~checked & ~volatile
    repeated = frozenset(evidence.repeated(evidence.changing | ignored))
    model = Model(
        evidence=evidence,
        ignored=ignored,
        left_out=left_out,
        repeated=repeated,
        volatile=volatile,
        data=data,
        hypotheses={},
        equations=Equations(data, confirmed=sum(evidence.press[state] for state in repeated)),
    )
    by_mode: dict[str, list[tuple[State, int]]] = {}
    for state, message in evidence.messages.items():
        if state != left_out:
            by_mode.setdefault(state.mode, []).append((state, message))
    base_mode = evidence.base_mode
    for mode in sorted(by_mode, key=lambda name: (name != base_mode, -len(by_mode[name]))):
        if mode != base_mode and model.cost > max_cost:
            break
        explain = _explain_base if mode == base_mode else _explain_like_base
        candidates = Candidates(evidence, repeated, by_mode[mode], _inherited(model))
        tried, is_uncounted = explain(model, candidates)
        tried = sorted(tried, key=lambda hypothesis: hypothesis.cost)[: limits.MAX_HYPOTHESES]
        most = tried[0].cost + limits.SIMILAR_COST
        near = [hypothesis for hypothesis in tried if hypothesis.cost <= most]
        model = replace(
            model,
            hypotheses={**model.hypotheses, mode: near},
            uncounted={*model.uncounted, *([mode] if is_uncounted else ())},
            equations=near[0].equations,
        )
    return model


def _inherited(model: Model) -> tuple[ExtraTerm, ...]:
    """Return the terms of the base mode that set an attribute: other modes probably have them."""
    base = model.evidence.base_mode
    return tuple(
        extra._replace(origin=(base, number))
        for number, extra in enumerate(model.extras(base))
        if extra.toggles
    )


def settle(model: Model) -> Model:
    """Return the chosen model with its confirmed presses marked.

    The presses of a temperature are confirmed if it would be predicted without them.
    """
    equations = model.equations.growing()
    equations.confirmations = model.equations.confirmations
    evidence = model.evidence
    own = [
        mode
        for mode in model.hypotheses
        if mode != evidence.base_mode and model.effect(mode, "temperature") is Effect.OWN
    ]
    counts = {evidence.base_mode: _count(equations, "", evidence, is_last=True)[0]}
    counts |= {mode: _count(equations, mode, evidence, is_last=True)[0] for mode in own}
    settled = replace(
        model,
        equations=equations,
        hypotheses={
            mode: [
                replace(
                    hypothesis,
                    equations=equations
                    if hypothesis.equations is model.equations
                    else hypothesis.equations,
                    counts=counts.get(mode, hypothesis.counts),
                )
                for hypothesis in near
            ]
            for mode, near in model.hypotheses.items()
        },
    )
    equations.confirmed |= settled.distinctive_presses()
    return settled


@dataclass
class _Tried:
    """The hypotheses of a mode tried so far."""

    hypotheses: list[Hypothesis] = field(default_factory=list)
    best: float = float("inf")
    """Cost of the cheapest one."""

    def add(self, hypothesis: Hypothesis) -> None:
        """Add a hypothesis."""
        self.hypotheses.append(hypothesis)
        self.best = min(self.best, hypothesis.cost)

    def is_too_dear(self, cost: float, more: float = 0.0) -> bool:
        """Return whether a hypothesis with this cost would not be kept beside the cheapest one."""
        return cost + more > self.best + limits.SIMILAR_COST


def _explain_base(model: Model, candidates: Candidates) -> _Found:
    """Return hypotheses of the base mode: each value flips bits of its own."""
    tried = _Tried()
    possible = _extras_of_base(model.equations, candidates, tried.is_too_dear)
    for cost, extras in islice(possible, limits.MAX_BASE_HYPOTHESES):
        if tried.is_too_dear(cost) or tried.best == 0:
            break
        equations, _ = candidates.with_extras(model.equations, {}, extras)
        counts, dearer = _count(equations, "", candidates.evidence)
        tried.add(
            Hypothesis(
                cost=cost + dearer,
                mode=candidates.mode,
                effects={},
                extras=extras,
                equations=equations,
                counts=counts,
            )
        )
    if not tried.hypotheses:
        return [_without_explanation(model, candidates, {})], False
    return tried.hypotheses, tried.hypotheses[-1].counts is None


def _extras_of_base(
    before: Equations, candidates: Candidates, is_too_dear: Callable[[float], bool]
) -> Iterator[TermsAtCost]:
    """Yield possible extra terms of the base mode, with their cost.

    If all presses agree without any, only an outlier changes how temperatures may be encoded. These
    have precedence if enough other temperatures are left to contradict an encoding.
    """
    is_long = len(candidates.presses) >= limits.LEAVE_OUT_FROM
    outliers = candidates.outliers() if is_long else []
    pressed = {state.temperature for state, _ in candidates.presses}
    room = limits.MAX_BASE_HYPOTHESES
    if len(pressed) - 1 > temperatures.FEWEST:
        room -= len(outliers)
    agree = False
    for number, (cost, extras) in enumerate(candidates.extras(before, {}, is_too_dear)):
        agree = agree or not cost
        if agree and number >= max(room, 1):
            break
        yield cost, extras
    if agree:
        yield from outliers


def _explain_like_base(model: Model, candidates: Candidates) -> _Found:
    """Return hypotheses of another mode: attributes have the effect of the base mode, or not."""
    tried, uncounted = _Tried(), False
    for cost, effects in candidates.effects():
        if tried.is_too_dear(cost):
            break
        is_too_dear = partial(tried.is_too_dear, cost)
        for more, extras in candidates.extras(model.equations, effects, is_too_dear):
            if is_too_dear(more):
                break
            equations, _ = candidates.with_extras(model.equations, effects, extras)
            counts: _Counts = ()
            if effects.get("temperature") is Effect.OWN:
                counts, _ = _count(equations, candidates.mode, candidates.evidence)
                if uncounted := counts is None:
                    continue
            total = cost + more + _cost_of_other_bits(model, equations, candidates.mode, effects)
            if _is_exception_elsewhere(model, equations, candidates.mode, extras):
                total -= limits.COST_EXTRA_ONCE
            tried.add(
                Hypothesis(
                    cost=total,
                    mode=candidates.mode,
                    effects=effects,
                    extras=extras,
                    equations=equations,
                    counts=counts,
                )
            )
    if not tried.hypotheses:
        own = dict.fromkeys(ATTRIBUTES, Effect.OWN)
        tried.add(_without_explanation(model, candidates, own))
    return tried.hypotheses, uncounted


def _without_explanation(model: Model, candidates: Candidates, effects: Effects) -> Hypothesis:
    """Return the hypothesis that each contradicting press is an outlier."""
    equations, outliers = candidates.with_extras(model.equations, effects, ())
    return Hypothesis(
        cost=limits.COST_NO_WAY_TO_COUNT + limits.COST_OUTLIER * len(outliers),
        mode=candidates.mode,
        effects=effects,
        extras=tuple(ExtraTerm(outlier=state) for state in outliers),
        equations=equations,
    )


def _is_exception_elsewhere(
    model: Model, equations: Equations, mode: str, extras: Sequence[ExtraTerm]
) -> bool:
    """Return whether an extra term flips what the same values flip in another mode, too."""
    known = {
        (extra.values, flips)
        for other in model.hypotheses
        for extra, flips in model.extra_flips(other)
        if extra.is_of_values and extra.last_below is None
    }
    unknowns = model.evidence.unknowns
    return any(
        (extra.values, equations.solve(unknowns[extra.unknown(mode, number)])) in known
        for number, extra in enumerate(extras)
        if extra.origin is None
    )


def _cost_of_other_bits(model: Model, equations: Equations, mode: str, effects: Effects) -> float:
    """Return the cost of attributes that flip bits which they do not flip in the base mode."""
    cost = 0.0
    for attribute, effect in effects.items():
        if effect is Effect.OWN:
            usual = reduce(or_, model.flips(attribute).values(), 0)
            own = known_flips(equations, model.evidence, attribute, mode)
            bits = reduce(or_, own.values(), 0)
            cost += limits.COST_OTHER_BITS * bool(bits & ~usual)
    return cost


def _count(
    equations: GrowingEquations, group: str, evidence: Evidence, *, is_last: bool = False
) -> tuple[_Counts, float]:
    """Add equations for temperatures that were not pressed.

    Return the possible encodings and their cost. At the end (`is_last`), presses whose message
    follows from the others are confirmed, too.
    """
    modes = evidence.capabilities
    targets = modes[group].temperatures if group else evidence.temperatures
    pressed = {
        float(temperature): bits
        for temperature, bits in known_flips(equations, evidence, "temperature", group).items()
    }
    if len(pressed) < temperatures.FEWEST:
        return (), 0
    counts, cost = _explained(pressed, targets, evidence.frames)
    if counts is None:
        return None, cost
    confirmations = equations.confirmations

    def unknown(temperature: float) -> int:
        return evidence.unknowns["temperature", group, temperature]

    first = unknown(next(iter(pressed)))
    by_others: Mapping[float, Mapping[float, int]] = {}
    if is_last:
        presses = {t: equations.presses_for(first ^ unknown(t)) for t in pressed}
        unconfirmed = ~equations.confirmed >> len(evidence.press) << len(evidence.press)
        counted_before = {t for t in pressed if presses[t] & unconfirmed}
        odd = _odd(pressed, counted_before, targets, evidence.frames)
        by_others = {**dict(_by_others(pressed, targets, evidence.frames)), **odd}
        equations.doubtful |= reduce(or_, (presses[t] for t in odd), 0)
    unsure: set[float] = set()
    for temperature, predicted in by_others.items():
        if predicted.get(temperature) == pressed[temperature]:
            equations.confirmed |= equations.presses_for(first ^ unknown(temperature))
        else:
            unsure.add(temperature)
    for temperature, bits in temperatures.agreed(counts, targets).items():
        counted = first ^ unknown(temperature)
        if by_others and all(by_others[t].get(temperature) == bits for t in unsure):
            equations.add(Equation(counted, bits, 0))
        elif equations.solve(counted) is None:
            # not pressed: represented by an additional press, which is never confirmed
            press = 1 << len(evidence.press) << unknown(temperature).bit_length()
            equations.add(Equation(counted, bits, press))
    equations.confirmations = confirmations
    return counts, cost


def _explained(
    pressed: Mapping[float, int], targets: Sequence[float], frames: tuple[int, ...]
) -> tuple[_Counts, float]:
    """Return the possible encodings of temperatures, None if no known one fits, and the cost."""
    cost = 0.0
    counts = temperatures.explain(pressed, targets, frames)
    if counts is None:
        cost = limits.COST_CLIPPED_TEMPERATURES
        counts = temperatures.explain_clipped(pressed, targets, frames)
    if counts is None:
        return None, limits.COST_NO_WAY_TO_COUNT
    return counts, cost + (limits.COST_SEVERAL_WAYS_TO_COUNT if len(counts) > 1 else 0)


def _odd(
    pressed: Mapping[float, int],
    counted: Collection[float],
    targets: Sequence[float],
    frames: tuple[int, ...],
) -> Mapping[float, Mapping[float, int]]:
    """Return temperatures that contradict the others, each with the predictions without it.

    Temperatures that were inferred, not pressed, are no evidence: they may follow from the press.
    """
    received = {t: bits for t, bits in pressed.items() if t not in counted}
    if len(received) < temperatures.FEWEST:
        return {}
    return {
        temperature: predicted
        for temperature, predicted in _by_others(received, targets, frames)
        if _is_odd(temperature, received, predicted)
    }


def _is_odd(
    temperature: float, pressed: Mapping[float, int], predicted: Mapping[float, int]
) -> bool:
    """Return whether a temperature contradicts the others, or flips bits that they do not.

    A different fan speed may have been pressed together with it.
    """
    first, *rest = (bits for other, bits in pressed.items() if other != temperature)
    if temperature in predicted:
        return predicted[temperature] != pressed[temperature]
    usual = reduce(or_, (bits ^ first for bits in rest), 0)
    return bool((pressed[temperature] ^ first) & ~usual)


def _by_others(
    pressed: Mapping[float, int], targets: Sequence[float], frames: tuple[int, ...]
) -> Iterator[tuple[float, Mapping[float, int]]]:
    """Yield each pressed temperature with the predictions for all temperatures without it."""
    for temperature in pressed:
        rest = {t: bits for t, bits in pressed.items() if t != temperature}
        predicted: dict[float, int] = {}
        if len(rest) >= temperatures.FEWEST:
            base = next(iter(rest.values()))
            rest = {t: bits ^ base for t, bits in rest.items()}
            every = [*targets, temperature]
            counts, _ = _explained(rest, every, frames)
            agreed = temperatures.agreed(counts, every) if counts else {}
            predicted = {t: bits ^ base for t, bits in agreed.items()}
        yield temperature, predicted
