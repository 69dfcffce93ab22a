"""Special values of the base mode that set other attributes: turbo sets a fan speed, eco the swing.

A press with the special value and other fan speeds or swings shows this: its message is that of the
special value alone, apart from the bits of attributes that it does not set. A single such press may
be a mistake; a second one, with further values, then contradicts it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations
from operator import xor

from ..states.state import NAMED, State, Value, value
from .model import Model
from .observations import Observations, with_values


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """What a special value seems to set."""

    shown_by: State
    """The press with other values that shows it."""
    alone: State
    """The first state with the special value."""
    table: str
    """The attribute of the special value."""
    tables: Collection[str]
    """The attributes that it sets."""

    @property
    def special(self) -> Value | None:
        """Return the special value."""
        return value(self.alone, self.table)


@dataclass(frozen=True)
class SpecialValues:
    """The special values of a lesson, as far as presses show what they set."""

    observations: Observations
    model: Model

    def what_it_sets(self, state: State, message: int) -> Setting | None:
        """Return which attributes the special value of a pressed state seems to set, else None."""
        first, messages = self.observations.first, self.model.evidence.messages
        if (state.mode, state.temperature) != (first.mode, first.temperature):
            return None
        special = [t for t in NAMED if self.observations.is_special(t, value(state, t))]
        others = [t for t in NAMED if t not in special and value(state, t) != value(first, t)]
        if len(special) != 1 or not others:
            return None
        [table] = special
        alone = _with_values_of(first, state, [table])
        singly = {other: _with_values_of(first, state, [other]) for other in others}
        if any(needed not in messages for needed in (alone, *singly.values())):
            return None
        data = self.model.data
        flips = {other: (messages[once] ^ messages[first]) & data for other, once in singly.items()}
        of_others = (message ^ messages[alone]) & data
        possible = [
            tables
            for count in range(1, len(others) + 1)
            for tables in combinations(others, count)
            if of_others == reduce(xor, (flips[o] for o in others if o not in tables), 0)
        ]
        if len(possible) != 1:
            return None
        return Setting(shown_by=state, alone=alone, table=table, tables=possible[0])

    @cached_property
    def settings(self) -> Sequence[Setting]:
        """Return what special values seem to set, by the presses of the base mode."""
        each = (self.what_it_sets(*press) for press in self.model.evidence.messages.items())
        return [setting for setting in each if setting is not None]

    def with_third_values(self) -> State | None:
        """Return a state to press: a special value that seems to set others, with further values.

        If presses are short, another mode shows it. But the first one proves the base mode, too;
        and nothing else must explain the one press.
        """
        observations, first = self.observations, self.observations.first
        levels = observations.capabilities[first.mode]
        is_one_confirmed = len(self._unconfirmed) < len(self.settings)
        is_clear = len(self.model.hypotheses[first.mode]) == 1
        far = max(
            levels.temperatures, key=lambda t: abs(t - (first.temperature or 0)), default=None
        )
        for setting in self._unconfirmed:
            if (
                is_one_confirmed
                and is_clear
                and self.may_be_shown_elsewhere(setting.table, setting.special, setting.tables)
            ):
                continue
            others: Mapping[str, Value | None] = {
                table: next(
                    (
                        third
                        for third in levels.values(table)
                        if third not in (value(first, table), value(setting.shown_by, table))
                    ),
                    value(setting.shown_by, table),
                )
                for table in setting.tables
            }
            target = with_values(setting.alone, {**others, "temperature": far})
            if (third := observations.nearest(target, keeping=setting.table)) is not None:
                return third
        return None

    def like_alone(self, state: State) -> Collection[int]:
        """Return the possible messages of a state whose special value sets its other values.

        Empty if it does not set them: otherwise these values have no effect.
        """
        first, flips = self.observations.first, self.model.flips("temperature")
        both = (first.temperature, state.temperature)
        of_both = [flips[t] for t in both if t is not None and t in flips]
        if state.mode != first.mode or len(of_both) < len(both):
            return ()
        warmer = reduce(xor, of_both)
        for setting in self.settings:
            alike = (*setting.tables, "temperature")
            if _with_values_of(setting.alone, state, alike) == state:
                message = self.model.evidence.messages[setting.alone]
                return self.model.with_checks((message ^ warmer) & self.model.data)
        return ()

    def is_unconfirmed(self, state: State) -> bool:
        """Return whether a single press shows that a special value sets the others of a state."""
        first = self.observations.first
        return any(
            value(state, setting.table) == setting.special
            and any(value(state, table) != value(first, table) for table in setting.tables)
            for setting in self._unconfirmed
        )

    def may_be_shown_elsewhere(
        self, table: str, setting: Value | None, others: Collection[str]
    ) -> bool:
        """Return whether presses are short, and another mode is going to show what a value sets.

        It has several values of the other attributes, and was not pressed with the value yet.
        """
        observations, mode = self.observations, self.observations.first.mode
        if observations.has_presses_to_spare or any(
            state.mode != mode and value(state, table) == setting for state in observations.pressed
        ):
            return False
        return any(
            setting in levels.values(table)
            and all(len(levels.values(other)) > 1 for other in others)
            for name, levels in observations.capabilities.items()
            if name != mode and not observations.is_missing(name)
        )

    @cached_property
    def _unconfirmed(self) -> Sequence[Setting]:
        return [setting for setting in self.settings if not self._is_confirmed(setting)]

    def _is_confirmed(self, setting: Setting) -> bool:
        """Return whether each attribute was pressed twice with another value than the first one.

        A press of another mode counts if the value certainly sets the same attributes there.
        """
        first = self.observations.first
        counts = [
            (state, count)
            for state, count in self.observations.pressed.items()
            if value(state, setting.table) == setting.special
            and (state.mode == first.mode or self._sets_alike(setting, state.mode))
        ]
        return all(
            sum(count for state, count in counts if value(state, t) != value(first, t)) > 1
            for t in setting.tables
        )

    def _sets_alike(self, setting: Setting, mode: str) -> bool:
        return all(
            {extra.toggles for extra in hypothesis.extras if extra.origin is not None}
            >= {*setting.tables}
            for hypothesis in self.model.hypotheses[mode]
        )


def _with_values_of(state: State, other: State, attributes: Collection[str]) -> State:
    """Return a state with some values of another one."""
    return with_values(state, {attribute: value(other, attribute) for attribute in attributes})
