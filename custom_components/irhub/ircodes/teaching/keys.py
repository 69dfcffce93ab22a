"""Keys: how many a person presses until a remote control shows a state.

The mode, the fan speed and the swing have a key each that goes on to the next value; two keys
change the temperature by a step; a preset has a key of its own for on and off.
"""

from collections.abc import Sequence
from typing import Final

from ..states.capabilities import Capabilities
from ..states.state import State, Value, value

_CYCLED: Final = ("fan", "swing")
_SAME_AGAIN: Final = 2
"""A change, and its way back."""


def between(shown: State, target: State, capabilities: Capabilities) -> int:
    """Return how many keys are pressed from the state that is shown to another one, at least one.

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
    """Return how often a key is pressed that goes through values, and begins again."""
    if shown == target or target not in values:
        return 0
    start = values.index(shown) if shown in values else 0
    return (values.index(target) - start) % len(values)
