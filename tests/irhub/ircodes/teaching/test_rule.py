"""A rule is data: it comes back as it was, is small, and is refused if somebody broke it."""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
import json
from pathlib import Path
from typing import Any, Final

import pytest

from custom_components.irhub.ircodes.packet.reader import read
from custom_components.irhub.ircodes.states import messages
from custom_components.irhub.ircodes.states.bit_rule import BitRule
from custom_components.irhub.ircodes.states.capabilities import Levels
from custom_components.irhub.ircodes.states.state import OFF, Off, State
from custom_components.irhub.ircodes.teaching.teacher import Teacher

from . import remotes
from .lessons import ALL, after_lesson, rule_of
from .remotes import RemoteControl

OF_BEFORE: Final = json.loads(
    (Path(__file__).parents[1] / "data" / "rules_of_0_4_1.json").read_text()
)
BYTES: Final = 900
"""What the rule of a remote control is at most, as JSON."""
HAS: Final = Levels(fans=("auto", "low", "high"), temperatures=[float(t) for t in range(18, 26)])
COMMON: Final[Mapping[str, Levels]] = dict.fromkeys(("dry", "heat", "cool"), HAS)


def without_dry_auto() -> BitRule:
    """Return the rule of a remote control that cannot say one of the fan speeds of a mode."""
    control = replace(remotes.clock_and_button(), remote=COMMON)
    teacher = Teacher(control.capabilities)
    while (ask := teacher.ask) is not None:
        if isinstance(ask, State) and (ask.mode, ask.fan) == ("dry", "auto"):
            teacher.skip()
        else:
            teacher.take(control.press(ask))
    return rule_of(teacher)


def come_back(rule: BitRule) -> BitRule:
    """Return a rule that was JSON meanwhile."""
    return BitRule.from_data(json.loads(json.dumps(rule.as_data())))


def assert_same(rule: BitRule, other: BitRule) -> None:
    """Compare all that rules say, send and read."""
    assert other.states == rule.states
    assert other.capabilities == rule.capabilities
    assert other.off == rule.off
    for state in rule.states:
        packet = rule.encode(state)
        assert other.encode(state) == packet
        assert other.decode(packet) == rule.decode(packet)
    assert other == rule


@pytest.mark.thorough
@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_a_rule_comes_back(make: Callable[[], RemoteControl]) -> None:
    """It is a few hundred bytes; states, packets, what is read and the order are as before."""
    rule = rule_of(after_lesson(make))
    assert len(json.dumps(rule.as_data())) < BYTES
    assert_same(rule, come_back(rule))


def test_what_the_rule_does_not_say_comes_back() -> None:
    """States that are left out, alone or for each temperature, and packets as they were heard."""
    rule = without_dry_auto()
    alone = State(mode="heat", fan="auto", temperature=20.0)
    assert alone in rule.states
    whole = {State(mode="heat", fan="low"), State(mode="heat", fan="high")}
    alike, other = State(mode="dry", fan="auto"), State(mode="auto", fan="low", temperature=20.5)
    rule = replace(
        rule,
        without=rule.without | whole | {alone},
        pressed={
            alike: rule.encode(min(rule.states, key=str)),
            other: remotes.bytes_by_mode().press(OFF),
        },
    )
    assert not any(one.mode == "heat" and one.fan in ("low", "high") for one in rule.states)
    assert alone not in rule.states
    assert replace(alone, temperature=21.0) in rule.states
    assert_same(rule, come_back(rule))
    [[*_, as_message], [*_, as_packet]] = rule.as_data()["pressed"]
    assert as_message.startswith("0x")
    assert not as_packet.startswith("0x")


@pytest.mark.parametrize("often", [1, 2])
def test_off_is_sent_as_the_states_are(often: int) -> None:
    """Off is written as all others are, if it has their frames, and as it was pressed if not."""
    plain = remotes.bytes_by_mode()

    def says(state: State | Off, presses: int) -> remotes.Frames:
        return plain.says(state, presses) * (often if state is OFF else 1)

    control = RemoteControl(COMMON, says, msb=True)
    teacher, heard = Teacher(control.capabilities), b""
    while (ask := teacher.ask) is not None:
        packet = control.press(ask)
        teacher.take(packet)
        heard = packet if ask is OFF else heard
    rule = rule_of(teacher)
    assert rule.off is not None
    assert read(rule.off).key == read(heard).key
    assert rule.decode(control.press(OFF)) is OFF
    assert (rule.off == heard) == (often == 2)
    assert rule.as_data()["off"].startswith("0x") == (often == 1)
    assert_same(rule, come_back(rule))


def test_levels_are_in_the_order_in_which_they_were_named() -> None:
    """Whichever of them were found first, or pressed alone."""
    rule = without_dry_auto()
    assert not any((state.mode, state.fan) == ("dry", "auto") for state in rule.states)
    for each in (rule, come_back(rule)):
        assert [*each.capabilities] == ["dry", "heat", "cool"]
        assert each.capabilities.levels.fans == ("auto", "low", "high")


def broken(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what somebody may have made of a rule: something left out, or something else there."""
    nonsense: tuple[object, ...] = (
        None,
        "",
        "x",
        "9999",
        "0x",
        -1,
        10**6,
        1.5,
        [],
        {},
        ["a"],
        [[1]],
    )

    def paths(node: object, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        items = node.items() if isinstance(node, dict) else enumerate(node)  # type: ignore[arg-type]
        for key, below in items:
            yield (*path, key)
            if isinstance(below, dict | list):
                yield from paths(below, (*path, key))

    for path in paths(data, ()):
        for instead in (*nonsense, paths):
            whole: Any = deepcopy(data)
            *above, last = path
            node = whole
            for key in above:
                node = node[key]
            if instead is paths:
                del node[last]
            else:
                node[last] = instead
            yield whole


def test_a_broken_rule_is_refused_or_works() -> None:
    """Who edits the store by hand is told at once, and never by another error later."""
    refused = 0
    for number, each in enumerate(broken(without_dry_auto().as_data())):
        try:
            rule = BitRule.from_data(each)
        except ValueError:
            refused += 1
            continue
        assert rule.capabilities or not rule.states, number
        for state in sorted(rule.states, key=str)[:3]:
            rule.decode(rule.encode(state))
    assert refused > 100


@pytest.mark.parametrize("stored", OF_BEFORE, ids=lambda stored: stored["remote"])
def test_a_rule_of_an_older_version(stored: dict[str, Any]) -> None:
    """What 0.4.1 has stored sends the same packets, and is stored as it was."""
    rule = BitRule.from_data(stored["rule"])
    assert rule.as_data() == stored["rule"]
    assert len(rule.states) == stored["states"]
    by_label = {state.label: state for state in rule.states}
    made = {label: rule.encode(by_label[label]).hex() for label in stored["packets"]}
    assert made == stored["packets"]
    for label, packet in made.items():
        decoded = rule.decode(bytes.fromhex(packet))
        assert isinstance(decoded, State)
        assert decoded.mode == by_label[label].mode
        assert decoded.temperature in (by_label[label].temperature, None)
    assert rule.off is not None
    assert rule.off.hex() == stored["off"]
    assert rule.decode(rule.off) is OFF


@pytest.mark.parametrize(
    "make", [remotes.sum_over_two_frames, remotes.clock_and_button], ids=lambda make: make.__name__
)
def test_a_packet_with_a_wrong_check_is_no_state(make: Callable[[], RemoteControl]) -> None:
    """Something was heard wrongly: nobody knows what else is."""
    rule = rule_of(after_lesson(make))
    state = next(iter(rule.states - rule.pressed.keys()))
    packet = rule.encode(state)
    assert rule.decode(packet) == state
    decoded = messages.read(read(packet))
    assert decoded is not None
    assert rule.checks
    for check in rule.checks:
        lowest = check.target.mask & -check.target.mask
        assert rule.decode(messages.write(rule.signal, decoded[1] ^ lowest)) is None
