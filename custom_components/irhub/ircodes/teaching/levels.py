"""Levels shown by a single press, which may have been a mistake.

A level that flips the same bits as in the base mode is confirmed by its presses there. Any other
must be pressed once more in its own mode, in another state, before states with it are offered.
"""

from collections import Counter
from collections.abc import Collection, Iterator

from ..states.state import NAMED, Value, value
from . import limits
from .hypotheses import Effect
from .model import Model

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
    temperatures = {t for mode in others for t in _of_base_mode(model, mode)}
    return levels | {(base, "temperature", temperature) for temperature in temperatures}


def _of_attribute(model: Model, mode: str, table: str) -> Iterator[Value]:
    """Yield the values of an attribute shown by a single press, if they differ from other modes.

    If an attribute seems to have no effect, the reason may be a mistaken press: if only two values
    were pressed, or if one of them does have an effect.
    """
    counts = Counter(
        setting
        for state, _ in model.evidence.received
        if state.mode == mode and (setting := value(state, table)) is not None
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
    if effect is Effect.OWN or seems_without:
        yield from (setting for setting, count in counts.items() if count == 1)


def _of_base_mode(model: Model, mode: str) -> Iterator[float]:
    """Yield temperatures shown by a single press of the base mode that another mode contradicts.

    That mode seems to flip more bits from a temperature on, but the press may be a mistake.
    """
    base = model.evidence.base_mode
    for extra in model.extras(mode):
        if extra.is_of_temperatures and extra.origin is None:
            pressed = [state for state, _ in model.evidence.received if state.mode == base]
            if sum(bool(extra.applies_to(state)) for state in pressed) == 1:
                temperatures = model.evidence.capabilities[base].temperatures
                yield from (t for t in temperatures if extra.applies_at(t))
