"""What any rule does with states: which comes next, which is nearest, which are missing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import override

import pytest

from custom_components.irhub.ircodes import Capabilities, Levels, RefusedError, Rule, State
from custom_components.irhub.ircodes.states import Changes, Lacks
from custom_components.irhub.ircodes.teaching.teacher import Teacher

COOL = State(mode="cool", fan="low", temperature=24)


@dataclass(frozen=True, kw_only=True)
class Named(Rule[str]):
    """A rule whose codes are the labels of its states."""

    known: Sequence[State]

    @property
    @override
    def states(self) -> Sequence[State]:
        return self.known

    @cached_property
    @override
    def capabilities(self) -> Capabilities:
        return Capabilities.of_states(self.known)

    @override
    def encode(self, state: State) -> str:
        return state.label

    @override
    def decode(self, code: str) -> State | None:
        return next((state for state in self.known if state.label == code), None)


def cooling(*temperatures: float) -> list[State]:
    return [replace(COOL, fan=fan, temperature=t) for fan in ("low", "high") for t in temperatures]


RULE = Named(
    known=[*cooling(18, 21, 24), State(mode="dry", temperature=20), State(mode="fan_only")]
)


@pytest.mark.parametrize(
    ("changes", "after"),
    [
        (Changes(fan="high"), replace(COOL, fan="high")),
        (Changes(temperature=21.5), replace(COOL, temperature=21)),  # the nearest step
        (Changes(temperature=40), replace(COOL, temperature=40)),  # none is as warm: no state
        (Changes(mode="dry"), replace(COOL, mode="dry", temperature=20)),  # its own temperature
        (Changes(mode="dry", temperature=24), replace(COOL, mode="dry", temperature=24)),
        (Changes(mode="fan_only"), replace(COOL, mode="fan_only")),  # kept for the next mode
        (Changes(mode="heat"), None),
    ],
)
def test_the_state_after_a_change(changes: Changes, after: State | None) -> None:
    if after is None:
        assert RULE.find(replace(COOL, **changes)) is None
    else:
        assert RULE.after(COOL, changes) == after


def test_a_step_between_two_temperatures_does_not_end_where_it_began() -> None:
    rule = Named(known=cooling(20, 21))
    assert rule.after(replace(COOL, temperature=20), Changes(temperature=20.5)).temperature == 21
    assert rule.after(replace(COOL, temperature=21), Changes(temperature=20.5)).temperature == 20


def test_changes_are_made_together_or_one_after_the_other() -> None:
    changes: list[Changes] = [{"mode": "dry"}, {"temperature": 20}]
    dry = replace(COOL, mode="dry", temperature=20)
    assert RULE.after_all(COOL, changes, Changes(fan="high")) == (
        replace(dry, fan="high"),
        [None, None],
    )
    refused = replace(COOL, fan="medium")
    assert RULE.after_all(COOL, [{"fan": "medium"}, {"temperature": 18}], Changes()) == (
        replace(COOL, temperature=18),
        [refused, None],
    )
    assert RULE.nearest(refused)[0] == COOL


def test_the_usual_state() -> None:
    assert RULE.usual == replace(COOL, temperature=21)
    fahrenheit = Named(known=cooling(61, 72, 80))
    assert fahrenheit.usual.temperature == 72


def test_what_is_lacking() -> None:
    rule = Named(known=[*RULE.known[:5], *RULE.known[6:]])
    assert rule.lacks == Lacks(
        off=True,
        attributes={"dry": ["fan"], "fan_only": ["fan", "temperature"]},
        states={"cool": 1},
    )
    assert replace(rule, toggle="power").lacks.off is False


def test_states_are_counted_before_they_are_made() -> None:
    many = [f"{number}" for number in range(300)]
    capabilities = Capabilities.alike(["cool"], Levels(presets=many, fans=many, swings=many))
    with pytest.raises(RefusedError, match="more than 20000 commands"):
        Teacher(capabilities)
