"""Select a model: decide which bits are ignored, and which press is left out.

A clock, a measured temperature, or a code for the last button contradict every hypothesis. Bits are
ignored if the model is cheaper without them, if the other bits still distinguish all pressed
values, and if they cannot be a check of an unknown kind.
"""

from collections.abc import Iterator
from functools import reduce
from itertools import combinations, islice, pairwise
from operator import or_

from ..states import checks
from ..states.state import ATTRIBUTES, NAMED, attributes
from . import limits, temperatures
from .equations import Equation, GrowingEquations
from .evidence import Evidence, is_special
from .fitting import fit, settle
from .hypotheses import terms_of
from .model import Model


def find_model(evidence: Evidence, *, ignored: int = 0) -> Model:
    """Return the model that explains messages best.

    Bits that were ignored before (`ignored`) stay ignored while nothing contradicts it.
    """
    if ignored:
        model = fit(evidence, ignored=ignored)
        if model.cost < limits.COST_EXTRA and not may_hide_check(model):
            return settle(_with_what_is_constant(_with_explained_bits(model)))
    model = _with_ignored_bits(fit(evidence))
    if _is_base_suspect(model):
        model = _without_wrong_press(model)
    return settle(_with_what_is_constant(_with_explained_bits(model)))


def _with_explained_bits(model: Model) -> Model:
    """Return the model that ignores no bits that the state explains at the same cost.

    A byte may contain bits of the state beside a clock. Only bits that changed while the state was
    the same are certainly no part of it.
    """
    evidence = model.evidence
    open_bits = model.ignored & evidence.varied & ~evidence.shown(model.volatile)
    nibbles = (unit.mask & open_bits for unit in checks.units(evidence.frames, checks.NIBBLE))
    single = (1 << bit for bit in range(open_bits.bit_length()) if open_bits >> bit & 1)
    for bits in (open_bits, *nibbles, *single):
        if bits & model.ignored:
            other = fit(
                evidence,
                ignored=model.ignored & ~bits,
                left_out=model.left_out,
                max_cost=model.cost,
            )
            if other.cost <= model.cost:
                model = other
    return model


def _with_what_is_constant(model: Model) -> Model:
    """Return the model that ignores nothing if the ignored bits are seen to be constant.

    The same state was pressed often enough, late and among others, and sent the same. Then what
    the bits say belongs to the state, if it is one exception of a mode at most.
    """
    evidence = model.evidence
    if not model.unshown or evidence.late_repeats < limits.LATE_REPEATS:
        return model
    other = fit(evidence)
    is_simple = not other.outliers and all(
        near[0].cost < limits.COST_NOT_UNDERSTOOD and not near[0].is_overfitted
        for near in other.hypotheses.values()
    )
    return other if is_simple else model


def may_hide_check(model: Model) -> bool:
    """Return whether ignored bits may be a check of an unknown kind.

    Such bits have many values, more than in the first state alone, and no check confirms them.
    """
    received = model.evidence.received
    first = [message for state, message in received if state == model.evidence.first]
    for unit in checks.units(model.evidence.frames, checks.BYTE):
        if bits := unit.mask & model.unchecked:
            values = {message & bits for _, message in received}
            of_first = {message & bits for message in first}
            if len(values) >= limits.HIDDEN_CHECK_VALUES and values > of_first:
                return True
    return False


def lacks_check(model: Model) -> bool:
    """Return whether there may be an unknown check: then only received packets are correct."""
    like_check = _like_check(model)
    open_bits = model.evidence.bytes_with(model.unchecked) | like_check
    return (
        may_hide_check(model)
        or bool(like_check & _of_thresholds(model))
        or bool(open_bits and open_bits & _contradicting(model))
    )


def _of_thresholds(model: Model) -> int:
    """Return the bits that change at a single temperature, in bytes that do not count any.

    A byte with such bits may be a clock that went on while temperatures were pressed.
    """
    evidence = model.evidence
    flips = {float(t): bits for t, bits in model.flips("temperature").items()}
    of_base = map(float, evidence.pressed("temperature", evidence.base_mode))
    pressed = sorted(temperature for temperature in of_base if temperature in flips)
    steps = [flips[a] ^ flips[b] for a, b in pairwise(pressed)]
    once = counting = 0
    for step in steps:
        counting |= once & step
        once |= step
    return once & model.data & ~evidence.bytes_with(counting)


def _like_check(model: Model) -> int:
    """Return the half bytes with bits that temperatures and other values flip, as in a check.

    A value such as turbo may set a temperature.
    """
    of_temperatures = reduce(or_, model.flips("temperature").values(), 0)
    of_others = (
        flips
        for table in NAMED
        for setting, flips in model.flips(table).items()
        if not is_special(table, setting)
    )
    both = of_temperatures & reduce(or_, of_others, 0) & model.data
    return model.evidence.units_with(both, checks.NIBBLE)


def _with_ignored_bits(model: Model) -> Model:
    """Return the model with ignored bits if that is cheaper."""
    tried = 0
    for _ in range(limits.MAX_IGNORED_ROUNDS):
        if not _is_contradicted(model):
            break
        best, least = None, model.cost - limits.COST_IGNORED
        for ignored in islice(_to_ignore(model), limits.MAX_IGNORED_TRIALS - tried):
            tried += 1
            other = fit(model.evidence, ignored=ignored, max_cost=least)
            if other.cost < least and _is_better(other, model):
                best, least = other, other.cost
        if best is None:
            break
        model = best
    wider = model.evidence.bytes_with(model.ignored)
    if wider == model.ignored:
        return model
    # a clock may have more bits than those that have changed so far
    other = fit(model.evidence, ignored=wider, max_cost=model.cost)
    return other if other.cost <= model.cost and _is_better(other, model) else model


def _without_wrong_press(model: Model) -> Model:
    """Return the model without a press of the base mode if that makes several modes cheaper."""
    evidence = model.evidence
    for state in evidence.messages:
        if state.mode == evidence.base_mode and state != evidence.first:
            other = fit(evidence, ignored=model.ignored, left_out=state, max_cost=model.cost - 1)
            cheaper = sum(
                near[0].cost < model.hypotheses[mode][0].cost
                for mode, near in other.hypotheses.items()
            )
            if other.cost + 1 < model.cost and cheaper > 1:
                model = other
    return model


def _is_contradicted(model: Model) -> bool:
    """Return whether there are several extra terms, or temperatures without a known encoding.

    A single term that several presses agree on belongs to the state.
    """
    extras = sum(
        sum(extra.outlier is not None for extra in near[0].extras) + terms_of(near[0].extras)
        for near in model.hypotheses.values()
    )
    return extras > 1 or bool(model.uncounted)


def _is_base_suspect(model: Model) -> bool:
    """Return whether several modes contradict the base mode: one of its presses may be wrong."""
    costs = (
        near[0].cost for mode, near in model.hypotheses.items() if mode != model.evidence.base_mode
    )
    return sum(cost >= limits.COST_EXTRA for cost in costs) > 1


def _is_better(model: Model, before: Model) -> bool:
    """Return whether a model with more ignored bits still distinguishes all pressed values."""
    return _tells_apart(model, before) and not may_hide_check(model)


def _tells_apart(model: Model, before: Model) -> bool:
    for attribute in ATTRIBUTES:
        flips, were = model.flips(attribute), before.flips(attribute)
        for value, other in combinations(were, 2):
            if (were[value] ^ were[other]) & before.data and not (
                value in flips and other in flips and (flips[value] ^ flips[other]) & model.data
            ):
                return False
    counting = reduce(or_, model.flips("temperature").values(), 0) & model.data
    beside = model.evidence.bytes_with(counting) & ~before.changing_again
    if beside & model.ignored & before.data:
        return False
    first: dict[str, int] = {}
    for state, bits in model.evidence.messages.items():
        first.setdefault(state.mode, bits)
    messages = [first[mode] for mode in model.hypotheses]
    return len({bits & model.data for bits in messages}) == len(
        {bits & before.data for bits in messages}
    )


def _to_ignore(model: Model) -> Iterator[int]:
    """Yield sets of bits that may not belong to the state, including the volatile bits.

    First bits that changed when the same was pressed again, then single bytes and nibbles with
    bits of extra terms, with bits that do not count temperatures, or with contradicting bits; then
    all those bits together.
    """
    evidence = model.evidence
    if again := model.changing_again & model.data:
        yield again | model.volatile
    narrow = _of_extras(model) | _uncounted(model)
    wide = narrow | _contradicting(model)
    seen = {0}
    for width in (checks.BYTE, checks.NIBBLE):
        for unit in checks.units(evidence.frames, width):
            ignored = unit.mask & model.data
            if ignored & wide and ignored not in seen:
                seen.add(ignored)
                yield ignored | model.volatile
    for ignored in (narrow & model.data, wide & model.data):
        if ignored not in seen:
            seen.add(ignored)
            yield ignored | model.volatile


def _of_extras(model: Model) -> int:
    """Return the bits that extra terms flip, or in which outliers differ."""
    differing = 0
    for mode, (hypothesis, *_) in model.hypotheses.items():
        differing |= reduce(or_, (flips for _, flips in model.extra_flips(mode)), 0)
        for extra in hypothesis.extras:
            if extra.outlier is not None:
                differing |= model.contradiction(extra.outlier, hypothesis)
    return differing


def _contradicting(model: Model) -> int:
    """Return the bits that are not sums of the values of states in each mode."""
    evidence, equations, contradicting = model.evidence, GrowingEquations(model.data), 0
    for state, message in evidence.messages.items():
        unknowns = evidence.unknowns["mode", "", state.mode]
        for attribute, setting in attributes(state):
            unknowns |= evidence.unknowns[attribute, state.mode, setting]
        if (rest := equations.remainder(Equation(unknowns, message, 0))) is not None:
            contradicting |= rest.bits & model.data
    return contradicting


def _uncounted(model: Model) -> int:
    """Return the bits that change with the temperature, but do not count it."""
    evidence = model.evidence
    flips = {float(t): bits for t, bits in model.flips("temperature").items()}
    if evidence.base_mode not in model.uncounted or len(flips) < limits.UNCOUNTED_FROM:
        return 0
    uncounted = 0
    varied = reduce(or_, flips.values(), 0)
    for unit in checks.units(evidence.frames, checks.NIBBLE):
        of_unit = {t: bits & unit.mask for t, bits in flips.items()}
        if temperatures.explain(of_unit, evidence.temperatures, evidence.frames) is None:
            uncounted |= unit.mask & varied
    return uncounted
