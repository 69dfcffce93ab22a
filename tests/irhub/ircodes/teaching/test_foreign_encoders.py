"""Remote controls that nobody here wrote: IRremoteESP8266's encoders, by `pyhvac`.

Their presets set fan speeds and swings, their temperatures are in °C and °F side by side: what is
offered must be what the encoder sends, for each state.
"""

from dataclasses import replace
from random import Random

import pytest

from benchmarks.virtual_remotes import VirtualRemote
from custom_components.irhub.ircodes.states import messages
from custom_components.irhub.ircodes.states.bit_rule import BitRule
from custom_components.irhub.ircodes.states.capabilities import Capabilities
from custom_components.irhub.ircodes.states.state import State
from custom_components.irhub.ircodes.teaching.teacher import Teacher


def taught(
    remote: VirtualRemote, *, has_clock: bool = False, wrong_once: State | None = None
) -> BitRule:
    """Press what is asked for; the clock goes on by a minute with each press if there is one.

    `wrong_once` is pressed by mistake the first time that its mode and swing are asked for with
    another fan speed.
    """
    teacher = Teacher(Capabilities.of_states(remote.codes))
    while (ask := teacher.ask) is not None:
        pressed = ask
        if wrong_once is not None and isinstance(ask, State):
            asked = replace(ask, fan=wrong_once.fan, temperature=None)
            if asked == wrong_once and ask.fan != wrong_once.fan:
                pressed, wrong_once = replace(ask, fan=wrong_once.fan), None
        teacher.take(remote.packet(pressed, minutes=teacher.asked if has_clock else 0))
    rule = teacher.rule()
    assert rule is not None
    return rule


def wrong(rule: BitRule, remote: VirtualRemote) -> list[State]:
    """Return the states that are offered, and sent otherwise than the encoder sends them."""
    return [
        state
        for state in rule.states
        if messages.read(rule.encode(state)) != messages.read(remote.codes[state])
    ]


@pytest.mark.parametrize(
    "name",
    [
        "TRUMA",  # quiet sets the fan speed
        "TROTEC_3550",  # °F, cut off, in a byte of its own
        "DAIKIN64",  # turbo and quiet set the fan speed
        "TOSHIBA_AC",  # turbo and eco have a longer frame
        pytest.param("AIRTON", marks=pytest.mark.thorough),
        pytest.param("DAIKIN128", marks=pytest.mark.thorough),
        pytest.param("KELVINATOR", marks=pytest.mark.thorough),
        pytest.param("MITSUBISHI112", marks=pytest.mark.thorough),
        pytest.param("MITSUBISHI_AC", marks=pytest.mark.thorough),
        pytest.param("SHARP_AC", marks=pytest.mark.thorough),  # turbo has a second frame
    ],
)
def test_what_a_preset_sets_and_both_units(name: str) -> None:
    remote = VirtualRemote(name)
    rule = taught(remote)
    assert wrong(rule, remote) == []
    assert len(rule.states) >= 0.95 * len(remote.codes)


@pytest.mark.parametrize(
    "name",
    [
        "KELON",
        *(
            pytest.param(name, marks=pytest.mark.thorough)
            for name in ("DAIKIN216", "SAMSUNG_AC", "TCL112AC")
        ),
    ],
)
def test_what_is_not_understood_is_not_offered(name: str) -> None:
    """Presets that have an effect on much else: only what was pressed, or follows, is offered."""
    remote = VirtualRemote(name)
    assert wrong(taught(remote), remote) == []


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "pressed"),
    [
        ("ARGO", State(mode="cool", preset="none", fan="low", swing="lowest")),
        ("MITSUBISHI112", State(mode="fan_only", preset="none", fan="auto", swing="highest")),
        ("TCL112AC", State(mode="cool", preset="none", fan="medium", swing="on")),
    ],
)
def test_another_fan_speed_in_the_only_press_of_a_value(name: str, pressed: State) -> None:
    """The first press of a swing, or of a speed in a mode that seems to have none, is confirmed.

    In the second case the remaining fan speeds were pressed with *quiet*, which sets one. In the
    third one the lesson explains little: a press does not confirm itself.
    """
    remote = VirtualRemote(name)
    assert wrong(taught(remote, wrong_once=pressed), remote) == []


def test_another_fan_speed_at_the_highest_temperature() -> None:
    """Temperatures fit no encoding then, which no other explanation of the values changes."""
    remote = VirtualRemote("ARGO")
    teacher = Teacher(Capabilities.of_states(remote.codes))
    is_wrong = False
    while (ask := teacher.ask) is not None:
        pressed = ask
        if isinstance(ask, State) and ask.temperature == 30 and not is_wrong:
            pressed, is_wrong = replace(ask, fan="low"), True
        teacher.take(remote.packet(pressed))
    assert is_wrong
    rule = teacher.rule()
    assert rule is not None
    assert wrong(rule, remote) == []
    assert len(rule.states) >= 0.95 * len(remote.codes)


@pytest.mark.thorough
def test_the_last_presses_prove_a_mode() -> None:
    """A level that a second press would confirm is not worth a press that all states wait for."""
    remote = VirtualRemote("WHIRLPOOL_AC")
    rule = taught(remote)
    assert len(rule.states) >= 0.2 * len(remote.codes)
    assert wrong(rule, remote) == []


@pytest.mark.parametrize("name", ["HAIER_AC", "VESTEL_AC", "ECOCLIM"])
def test_a_clock_that_runs(name: str) -> None:
    """The clock of any moment of the lesson may be sent, nothing else may differ."""
    remote = VirtualRemote(name)
    rule = taught(remote, has_clock=True)
    states = Random(1).sample(sorted(rule.states, key=str), min(40, len(rule.states)))
    for state in states:
        sent = messages.read(rule.encode(state))
        moments = (remote.packet(state, minutes=minutes) for minutes in range(31))
        assert any(messages.read(packet) == sent for packet in moments), state
