"""Which commands do the same when they are sent twice."""

import pytest

from custom_components.irhub.devices.device import Command, Device
from custom_components.irhub.devices.kinds import FUNCTIONS, Kind
from custom_components.irhub.devices.profile import may_repeat
from custom_components.irhub.ircodes import State

from ..home import HDMI, POWER

COOL = State(mode="cool", preset="none", fan="auto", swing="off", temperature=21.0)
SET = {"on", "off"}
"""The functions without a value that lead to the same whatever was before."""
VALUES = {
    "source HDMI 2": Kind.TELEVISION,
    "sound_mode film": Kind.RECEIVER,
    "speed 2": Kind.FAN,
    "forward 2": Kind.FAN,
    "off cool": Kind.AIR_CONDITIONER,
}


def repeats(kind: Kind, *functions: str, packets: tuple[bytes, ...] = (POWER,)) -> bool:
    """Return whether a command with these functions may be sent again."""
    command = Command(id="1", name="x", packets=packets)
    does = dict.fromkeys(functions, "1")
    device = Device(id="d", name="d", kind=kind, commands={"1": command}, functions=does)
    return may_repeat(device, command)


@pytest.mark.parametrize("kind", Kind)
def test_what_toggles_or_steps_is_sent_once(kind: Kind) -> None:
    functions = {*kind.traits.functions, *kind.traits.keys}
    assert {name for name in functions if repeats(kind, name)} == SET & functions
    assert not any(repeats(kind, name) for name in FUNCTIONS.keys() - functions)
    assert not repeats(kind, "digit 5")
    assert not repeats(kind, "preset breeze")
    assert not repeats(kind), "nobody knows what it does"


@pytest.mark.parametrize(("function", "kind"), VALUES.items())
def test_what_sets_a_value_may_be_sent_again(function: str, kind: Kind) -> None:
    assert repeats(kind, function)
    assert not repeats(kind, function, packets=(POWER, HDMI)), "they alternate"
    assert not repeats(kind, function, "toggle"), "it does something else, too"


def test_a_whole_state_may_be_sent_again() -> None:
    command = Command(id="1", name="x", packets=(POWER,), state=COOL)
    for kind in Kind:
        device = Device(id="d", name="d", kind=kind, commands={"1": command})
        assert may_repeat(device, command) is (kind is Kind.AIR_CONDITIONER)
