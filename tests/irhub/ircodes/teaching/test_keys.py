"""A lesson asks in the order in which a person presses: setting a state takes keys, too."""

from collections.abc import Callable

import pytest

from custom_components.irhub.ircodes.states.state import OFF, Off, State
from custom_components.irhub.ircodes.teaching.teacher import Teacher

from . import remotes
from .keyed import KeyedRemote, Person
from .lessons import assert_right, rule_of
from .remotes import RemoteControl


def asked_of(control: RemoteControl) -> list[State]:
    """Return the states that a lesson asks for, in order."""
    teacher, asked = Teacher(control.capabilities), list[State]()
    while (ask := teacher.ask) is not None:
        if isinstance(ask, State):
            asked.append(ask)
        teacher.take(control.press(ask))
    return asked


@pytest.mark.parametrize(
    "make",
    [remotes.bytes_by_mode, remotes.rolling_bit, remotes.clock_and_button],
    ids=lambda make: make.__name__,
)
def test_a_lesson_takes_at_most_100_keys(make: Callable[[], RemoteControl]) -> None:
    """That is with modes that cycle, 15 temperatures by two keys, four fan speeds and a swing."""
    control = make()
    remote = KeyedRemote(make())
    person, teacher = Person(remote), Teacher(control.capabilities)
    while (ask := teacher.ask) is not None:
        teacher.take(person.press(ask))
    rule = rule_of(teacher)
    assert {*rule.states} == {*control.capabilities.states()}
    assert remote.pressed <= 100


def test_temperatures_are_passed_once_up_and_once_down() -> None:
    """Fan speeds are asked for at the first temperature; each stop lies on the way to an end."""
    asked = asked_of(remotes.two_modes())
    in_cool = [(state.fan, state.temperature) for state in asked[:9]]
    assert in_cool == [
        *(("auto", 23), ("auto", 23), ("low", 23), ("medium", 23), ("high", 23)),
        *(("auto", 26), ("auto", 30), ("auto", 19), ("auto", 16)),
    ]


def test_another_mode_begins_at_the_lowest_temperature_and_goes_up() -> None:
    """The temperature beside the lowest one is asked for, too, if presses are to spare."""
    asked = asked_of(remotes.two_modes())
    in_heat = [state.temperature for state in asked if state.mode == "heat"]
    assert in_heat[:4] == [16, 17, 24, 30]


def test_a_lesson_without_presses_to_spare_asks_in_the_same_order() -> None:
    """Presets come after fan speeds, then with another one; the ends have one stop less."""
    asked = asked_of(remotes.another_in_each_mode())
    in_cool = [(state.preset, state.fan, state.temperature) for state in asked[2:12]]
    assert in_cool == [
        *(("none", "low", 23), ("none", "medium", 23), ("none", "high", 23)),
        *(("boost", "auto", 23), ("sleep", "auto", 23)),
        *(("boost", "low", 23), ("sleep", "low", 23)),
        *(("none", "auto", 26), ("none", "auto", 30), ("none", "auto", 16)),
    ]


def test_each_mode_is_pressed_once_before_one_is_pressed_again() -> None:
    """The mode key leads from one to the next."""
    asked = asked_of(remotes.another_in_each_mode())
    modes = [state.mode for state in asked if state.mode != "cool"]
    assert modes[:6] == ["heat", "dry", "fan_only"] * 2


def test_a_mode_that_differs_beside_its_lowest_temperature_is_not_guessed() -> None:
    """In dry, 17° is sent as 20° with all fan speeds but one: no other temperature shows it."""
    plain = remotes.two_modes()

    def says(state: State | Off, presses: int) -> remotes.Frames:
        if state is OFF or state.mode != "dry":
            return plain.says(state, presses)
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        is_other = state.temperature == 17 and state.fan != "auto"
        body = [0x23, 2, 4 if is_other else round(state.temperature) - 16, 0]
        return [[*body, sum(body) & 0xFF]]

    control = RemoteControl({**plain.remote, "dry": plain.remote["cool"]}, says)
    teacher = Teacher(control.capabilities)
    while (ask := teacher.ask) is not None:
        teacher.take(control.press(ask))
    rule = rule_of(teacher)
    assert_right(rule, control)
    assert len(rule.states) > 0.9 * len([*control.capabilities.states()])


@pytest.mark.parametrize("modes", [("cool", "heat"), ("cool", "heat", "dry")], ids=len)
@pytest.mark.parametrize("fan", ["low", "medium", "high"])
def test_a_fan_speed_that_was_pressed_at_an_end_only_is_not_guessed(
    modes: tuple[str, ...], fan: str
) -> None:
    """A byte has another value at 16°; in heat, a fan speed has that value up to 29°."""
    plain = remotes.two_modes()
    fans = plain.remote["cool"].fans

    def says(state: State | Off, presses: int) -> remotes.Frames:
        if state is OFF:
            return plain.says(state, presses)
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        is_other = (state.mode, state.fan) == ("heat", fan) and state.temperature < 30
        last = 0x43 if is_other or state.temperature == 16 else 0x44
        degrees = round(state.temperature) - 16
        body = [0x23, modes.index(state.mode) + 1, degrees, fans.index(state.fan or ""), last]
        return [[*body, sum(body) & 0xFF]]

    control = RemoteControl(dict.fromkeys(modes, plain.remote["cool"]), says)
    teacher = Teacher(control.capabilities)
    while (ask := teacher.ask) is not None:
        teacher.take(control.press(ask))
    assert_right(rule_of(teacher), control)
