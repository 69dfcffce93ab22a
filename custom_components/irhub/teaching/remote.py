"""A remote control: the states that it has, as its owner says."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, cast

from ..codes.state import State

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
