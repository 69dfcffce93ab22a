"""A remote control: the states that it has, as its owner says."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any, Final, cast

from ..states.state import Off, State

TABLES: Final = ("preset", "fan", "swing")
ATTRIBUTES: Final = (*TABLES, "temperature")

type Value = str | float


@dataclass(frozen=True, kw_only=True, slots=True)
class Has:
    """What there is in a mode."""

    presets: Sequence[str] = ()
    fans: Sequence[str] = ()
    swings: Sequence[str] = ()
    temperatures: Sequence[float] = ()
    """Lowest first."""

    def values(self, attribute: str) -> Sequence[Value]:
        """Return the values of an attribute of State."""
        return cast("Sequence[Value]", getattr(self, f"{attribute}s"))


type Remote = Mapping[str, Has]
"""Mode → what there is in it."""


def states(remote: Remote, mode: str) -> Iterator[State]:
    """Yield the states of a mode."""
    has = remote[mode]
    for preset, fan, swing, temperature in product(
        has.presets or (None,),
        has.fans or (None,),
        has.swings or (None,),
        has.temperatures or (None,),
    ):
        yield State(mode=mode, preset=preset, fan=fan, swing=swing, temperature=temperature)


def value(state: State, attribute: str) -> Value | None:
    """Return what a state has of an attribute."""
    return cast("Value | None", getattr(state, attribute))


@lru_cache(maxsize=4096)  # a press is explained in thousands of ways
def attributes(state: State) -> Sequence[tuple[str, Value]]:
    """Return the attributes that a state has, with their values."""
    return tuple((one, has) for one in ATTRIBUTES if (has := value(state, one)) is not None)


def as_in(state: State | Off, remote: Remote) -> State | Off | None:
    """Return a state without what its mode does not have; None if it has another value of it."""
    if isinstance(state, Off):
        return state
    if (has := remote.get(state.mode)) is None:
        return None
    lacks: dict[str, Any] = dict.fromkeys(one for one in ATTRIBUTES if not has.values(one))
    state = replace(state, **lacks)
    return state if state in states({state.mode: has}, state.mode) else None


def without(has: Has, attribute: str, *values: Value) -> Has:
    """Return what there is in a mode that lacks values of an attribute; all, if none is named."""
    left = tuple(one for one in has.values(attribute) if values and one not in values)
    changed: dict[str, Any] = {f"{attribute}s": left}
    return replace(has, **changed)
