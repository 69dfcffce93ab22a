"""What changes make of an air conditioner: the state, what is refused, what is sent. No hub."""

from dataclasses import replace

import pytest

from custom_components.irhub.devices.rules import CommandRule
from custom_components.irhub.devices.thermostat import Change, ChangeResult, Thermostat, kept_state
from custom_components.irhub.ircodes import OFF, State
from custom_components.irhub.ircodes.states import Changes

COOL = State(mode="cool", fan="low", temperature=22)
STATES = {
    **{f"cool {degrees}": replace(COOL, temperature=degrees) for degrees in (20, 21, 22, 23)},
    "cool high": replace(COOL, fan="high"),
    "heat": State(mode="heat", temperature=24),
    "dry": State(mode="dry"),
}
RULE = CommandRule.of(STATES, {"off": "off", "off heat": "heat off"})
AC = Thermostat(rule=RULE, modes=[*RULE.capabilities], state=COOL, is_on=True)
WITH_ON = replace(AC, rule=CommandRule.of(STATES, {"on": "on", "off": "off"}))
WITH_TOGGLE = replace(AC, rule=CommandRule.of(STATES, {"toggle": "power"}))


def change(*, on: bool | None = None, upcoming: Changes | None = None, **changes: object) -> Change:
    made = Changes(**changes)  # type: ignore[typeddict-item]  # what a test names
    return Change(on=on, changes=made, upcoming=upcoming or Changes())


def test_a_change_is_a_single_state_and_command() -> None:
    assert AC.after([change(temperature=23)]) == ChangeResult(
        state=replace(COOL, temperature=23), on=True, refused=[None], sends=["cool 23"]
    )


def test_changes_at_once_are_a_single_command() -> None:
    reached = AC.after([change(mode="heat"), change(temperature=24)])
    assert (reached.sends, reached.refused) == (["heat"], [None, None])


def test_the_next_changes_of_a_scene_are_sent_together() -> None:
    upcoming = Changes(mode="heat", temperature=24)
    assert AC.after([change(on=True, mode="heat", upcoming=upcoming)]).sends == ["heat"]


def test_an_impossible_change_is_refused_and_the_others_are_made() -> None:
    reached = AC.after([change(temperature=30), change(fan="high")])
    assert reached.refused == [replace(COOL, temperature=30), None]
    assert (reached.sends, reached.is_refused) == (["cool high"], False)
    alone = AC.after([change(temperature=30)])
    assert (alone.state, alone.sends, alone.is_refused) == (COOL, (), True)


def test_while_it_is_off_changes_are_remembered() -> None:
    off = replace(AC, is_on=False)
    reached = off.after([change(temperature=20)])
    assert (reached.state, reached.on, reached.sends) == (STATES["cool 20"], None, ())


@pytest.mark.parametrize(
    ("of", "is_on", "sends"),
    [
        (WITH_ON, True, ["cool 20"]),
        (WITH_ON, False, ["on", "cool 20"]),
        (WITH_ON, None, ["on", "cool 20"]),
        (WITH_TOGGLE, True, ["cool 20"]),
        (WITH_TOGGLE, False, ["power", "cool 20"]),
        (AC, False, ["cool 20"]),
    ],
)
def test_it_is_turned_on_before_its_state(
    of: Thermostat, is_on: bool | None, sends: list[str]
) -> None:
    assert replace(of, is_on=is_on).after([change(on=True, temperature=20)]).sends == sends


def test_off_wins_if_it_comes_last() -> None:
    reached = AC.after([change(temperature=20), change(on=False)])
    assert (reached.state, reached.on, reached.sends) == (STATES["cool 20"], False, ())


def test_the_current_state_is_not_sent_again() -> None:
    made = (
        change(temperature=22),
        change(on=True),
        change(on=False),
        change(temperature=20),
    )
    assert [*map(AC.is_unchanged_by, made)] == [True, True, False, False]
    assert not replace(AC, state=replace(COOL, temperature=30)).is_unchanged_by(
        change(temperature=30)
    )


def test_limits_are_those_of_the_mode_while_it_is_on() -> None:
    those = (
        AC,
        replace(AC, is_on=False),
        replace(AC, state=STATES["dry"]),
        replace(AC, state=None, is_restored=False),
    )
    assert [of.limits for of in those] == [(20, 23), (20, 24), None, (20, 24)]


def test_a_state_that_was_never_set_is_the_usual_one() -> None:
    assert replace(AC, state=None).shown == RULE.usual
    assert replace(AC, state=None, is_restored=False).shown is None
    assert replace(AC, state=None, is_restored=False).after([change(temperature=20)]).sends == [
        "cool 20"
    ]
    nothing = Thermostat(rule=CommandRule.of({}), modes=[])
    assert nothing.shown is None
    assert nothing.after([change(on=True)]) == ChangeResult(state=None, on=True, refused=[None])


def test_a_state_that_is_no_more_gives_way_to_the_nearest() -> None:
    assert replace(AC, state=replace(COOL, temperature=28)).fitted == STATES["cool 23"]
    assert AC.fitted == COOL
    gone = State(mode="fan_only")
    assert replace(AC, state=gone).fitted == gone
    assert replace(AC, state=gone).shown == RULE.usual


def test_what_its_remote_control_sends_is_its_state() -> None:
    assert AC.received(["heat"]) == replace(STATES["heat"], fan="low")  # which it has not
    assert AC.received(["heat off"]) is OFF
    assert AC.received(["lamp"]) is None
    two = [STATES["cool 20"], STATES["cool 21"]]
    assert AC.received(two) == COOL  # they do not agree on the temperature


def test_what_was_pressed_is_shown_as_far_as_it_can_be() -> None:
    """A temperature as it is, a fan speed that its mode does not have as unknown."""
    warm = AC.received([replace(COOL, temperature=28)])
    assert warm == replace(COOL, temperature=28)
    turbo = AC.received([replace(COOL, fan="turbo")])
    assert turbo == replace(COOL, fan=None)
    other = AC.received([State(mode="fan_only", temperature=20)])
    assert other == State(mode="fan_only", temperature=20)
    for state, shown in ((warm, warm), (turbo, turbo), (other, None)):
        beyond = replace(AC, state=state, is_beyond=True)
        assert (beyond.fitted, beyond.shown) == (state, shown)
        assert beyond.after([change(mode="cool", temperature=21, fan="low")]).sends == ["cool 21"]


def test_a_state_is_kept_over_a_restart_or_it_is_none() -> None:
    kept = {"mode": "cool", "preset": None, "fan": "low", "swing": None, "temperature": 22}
    assert kept_state(kept) == COOL
    for broken in ({}, kept | {"mode": 3}, kept | {"temperature": "22"}):
        assert kept_state(broken) is None
