"""What an appliance is and what its commands do: small data, made of names and a file's head."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ..codes.state import State
from ..formats.head import Levels
from .names import Functions, Kind, functions_of, slowest_first, values, with_toggle
from .protocol import ProtocolCommands
from .state_names import states_of_names
from .states import States, table

_OFF: Final = {"off": "off"}
"""What a rule has besides its states."""
_POWER: Final = {"on", "off", "toggle"}

_known_states = lru_cache(maxsize=8)(states_of_names)
"""`states_of_names` for names and levels as tuples, which several ask for."""


@dataclass(frozen=True, kw_only=True)
class Profile:
    """What the commands of an appliance do."""

    kind: Kind
    functions: Functions
    climate: States
    """Of what is no air conditioner, none."""
    speeds: tuple[str, ...] = ()
    """Of a fan, slowest first."""
    by_rule: frozenset[str] = frozenset()
    """What the states of a rule are called."""

    @property
    def used(self) -> frozenset[str]:
        """Return the commands that the entity sends."""
        return frozenset(self.functions.values()) | self.climate.used | self.by_rule


def profile_of(
    kind: Kind,
    commands: Mapping[str, object],
    *,
    levels: Levels | None = None,
    functions: Functions | None = None,
    states: Mapping[str, State] | None = None,
) -> Profile:
    """Return what these commands do: name → packets, of which only those that are equal matter.

    `levels` is what a code file says, `functions` what the user has said instead of the names;
    `states` what an air conditioner's commands are known to be for.
    """
    said = levels or Levels()
    if kind is Kind.CLIMATE:
        if isinstance(commands, ProtocolCommands):
            named = frozenset(commands)
            return Profile(kind=kind, functions=_OFF, climate=commands.states, by_rule=named)
        known = _known_states(tuple(commands), levels) if states is None else states
        does = functions_of(kind, (name for name in commands if name not in known))
        if functions is not None:
            modes = {key: name for key, name in does.items() if key.startswith("off ")}
            does = {**modes, **functions}
        power = {function: name for function, name in does.items() if function in _POWER}
        return Profile(kind=kind, functions=power, climate=table(known, does, levels))
    if functions is None:
        functions = with_toggle(functions_of(kind, commands), commands)
    present = {function: name for function, name in functions.items() if name in commands}
    speeds = {
        **values(present, "speed"),
        **values(present, "forward"),
        **values(present, "reverse"),
    }
    ordered = [speed for speed in said.speeds if speed in speeds]
    ordered += slowest_first(speed for speed in speeds if speed not in said.speeds)
    return Profile(kind=kind, functions=present, climate=table({}), speeds=tuple(ordered))


def kind_of(commands: Mapping[str, object]) -> Kind | None:
    """Return what these commands seem to be for; None if most of them say nothing."""
    found = {kind: len(profile_of(kind, commands).used) for kind in Kind}
    best = max(found, key=lambda kind: found[kind])
    return best if found[best] * 2 > len(commands) else None
