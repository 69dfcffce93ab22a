"""Estimate the number of keys to press until a remote control shows a state.

The mode, the fan speed and the swing each have a key that cycles through the values; two keys
change the temperature by a step; each preset has a key that switches it on and off.
"""

from collections.abc import Sequence
from typing import Final

from ..states.capabilities import Capabilities
from ..states.state import State, Value, value

_CYCLED: Final = ("fan", "swing")
_SAME_AGAIN: Final = 2
"""A change, and its reversal."""


def between(shown: State, target: State, capabilities: Capabilities) -> int:
    """Return the number of keys to press from the shown state to another one, at least one.

    The last key sends the state.
    """
    if shown == target:
        return _SAME_AGAIN
    levels = capabilities[target.mode]
    keys = _cycled([*capabilities], shown.mode, target.mode)
    for attribute in _CYCLED:
        keys += _cycled(levels.values(attribute), value(shown, attribute), value(target, attribute))
    keys += shown.preset != target.preset
    if shown.temperature is not None and target.temperature is not None:
        low, high = sorted((shown.temperature, target.temperature))
        keys += sum(low < temperature <= high for temperature in levels.temperatures)
    return max(keys, 1)


def _cycled(values: Sequence[Value], shown: Value | None, target: Value | None) -> int:
    """Return the number of presses of a key that cycles through the values."""
    if shown == target or target not in values:
        return 0
    start = values.index(shown) if shown in values else 0
    return (values.index(target) - start) % len(values)
