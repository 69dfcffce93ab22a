"""Levels (a fan speed, a swing, a preset) shown by a single press, which may have been a mistake.

A level that flips the same bits as in the base mode is confirmed by its presses there. Any other
must be pressed once more in its own mode, in another state, before states with it are offered. So
must a temperature that flips bits which no other pressed temperature flips, in a byte of their own.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from functools import reduce
from itertools import combinations
from operator import or_

from ..states.state import NAMED, Value, value
from . import limits
from .hypotheses import Effect
from .model import Model
from .temperatures import FEWEST

type Level = tuple[str, str, Value]
"""A mode, an attribute, and its value there."""


def unconfirmed_levels(model: Model) -> Collection[Level]:
    """Return the levels that only a single press shows."""
    base = model.evidence.base_mode
    others = [mode for mode in model.hypotheses if mode != base]
    levels: set[Level] = {
        (mode, table, setting)
        for mode in others
        for table in NAMED
        for setting in _of_attribute(model, mode, table)
    }
    levels |= {
        (mode, "temperature", temperature)
        for temperature in _temperatures_with_sole_bits(model)
        for mode in model.hypotheses
        if model.effect(mode, "temperature") is Effect.SHARED
    }
    return levels | {
        (base, attribute, setting)
        for mode in others
        for attribute, setting in _of_base_mode(model, mode)
    }


def _of_attribute(model: Model, mode: str, table: str) -> Iterator[Value]:
    """Yield the values of an attribute shown by a single press, if they differ from other modes.

    If an attribute seems to have no effect, the reason may be a mistaken press: if only two values
    were pressed, or if one of them does have an effect. A press with turbo shows no fan speed if
    turbo sets it. If two values have the same effect, which the base mode does not show, a press of
    one may have been a press of the other. If bits of the lowest or highest temperature are encoded
    apart from the others, a press there does not show what is sent at the others.
    """
    extras = (*model.extras(mode), *model.extras(model.evidence.base_mode))
    setters = [extra for extra in extras if extra.toggles == table]
    counts = Counter(
        setting
        for state, _ in model.evidence.received
        if state.mode == mode
        and (setting := value(state, table)) is not None
        and not any(extra.applies_to(state) for extra in setters)
    )
    effect = model.effect(mode, table)
    has_effect_at_some = any(
        name == table
        for extra in model.extras(mode)
        if extra.origin is None and extra.outlier is None
        for name, _ in extra.values
    )
    seems_without = effect is Effect.NONE and (
        has_effect_at_some or 1 < len(counts) <= limits.VALUES_ONE_MISTAKE_HIDES
    )
    once = [setting for setting, count in counts.items() if count == 1]
    if effect is Effect.OWN or seems_without:
        yield from once
        return
    if effect is Effect.SHARED:
        flips = model.flips(table)
        in_base = model.evidence.pressed(table, model.evidence.base_mode)
        yield from (
            setting
            for setting in once
            for other in counts
            if other != setting
            and not {setting, other} <= in_base.keys()
            and flips.get(setting) == flips.get(other, -1)
        )
    if model.counts_apart:
        temperatures = model.evidence.capabilities[mode].temperatures
        between = {
            value(state, table)
            for state, _ in model.evidence.received
            if state.mode == mode and state.temperature in temperatures[1:-1]
        }
        if temperatures:
            yield from {*model.evidence.capabilities[mode].values(table)} - between


def _of_base_mode(model: Model, mode: str) -> Iterator[tuple[str, Value]]:
    """Yield levels shown by a single press of the base mode that another mode contradicts.

    That mode seems to flip more bits from a temperature on, or with a value those of another fan
    speed, but the press of the base mode may be a mistake.
    """
    base = model.evidence.base_mode
    pressed = [state for state, _ in model.evidence.received if state.mode == base]
    for extra, flips in model.extra_flips(mode):
        if extra.origin is not None or sum(bool(extra.applies_to(s)) for s in pressed) != 1:
            continue
        if extra.is_of_temperatures:
            temperatures = model.evidence.capabilities[base].temperatures
            yield from (("temperature", t) for t in temperatures if extra.applies_at(t))
        elif extra.is_of_values and len(extra.values) == 1:
            [(attribute, setting)] = extra.values
            if _is_of_another_attribute(model, attribute, flips):
                yield attribute, setting


def _temperatures_with_sole_bits(model: Model) -> Iterator[Value]:
    """Yield the temperatures that flip bits which a single press shows.

    All other bits of their bytes are the same at the other pressed temperatures: they may be no
    part of the number, but of the button that was pressed.
    """
    evidence = model.evidence
    flips = {t: bits & model.data for t, bits in model.flips("temperature").items()}
    in_base = [t for t in evidence.pressed("temperature", evidence.base_mode) if t in flips]
    if len(in_base) < FEWEST:
        return
    for pressed in in_base:
        first, *others = (flips[temperature] for temperature in in_base if temperature != pressed)
        usual = reduce(or_, (first ^ bits for bits in others))
        sole = (flips[pressed] ^ first) & ~evidence.bytes_with(usual)
        if sole and _is_shown_once(model, pressed, sole):
            yield from (temperature for temperature, bits in flips.items() if (bits ^ first) & sole)


def _is_shown_once(model: Model, temperature: Value, bits: int) -> bool:
    """Return whether only one press of a temperature sent these bits as in the base mode."""
    received = [
        (state.mode, message & bits)
        for state, message in model.evidence.received
        if state.temperature == temperature
        and model.effect(state.mode, "temperature") is Effect.SHARED
    ]
    sent = [bits for mode, bits in received if mode == model.evidence.base_mode]
    return sum(bits == sent[0] for _, bits in received) == 1


def _is_of_another_attribute(model: Model, attribute: str, flips: int) -> bool:
    """Return whether these are the bits that another attribute flips with another value."""
    return any(
        first ^ second == flips
        for table in NAMED
        if table != attribute
        for first, second in combinations(model.flips(table).values(), 2)
    )
