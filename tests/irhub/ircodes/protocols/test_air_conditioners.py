"""Air conditioners whose protocol the library reads and writes, in the version installed."""

from itertools import islice
from random import Random

import pytest

from custom_components.irhub.ircodes.packet.noise import is_noise
from custom_components.irhub.ircodes.packet.packet import from_timings
from custom_components.irhub.ircodes.protocols.air_conditioners import (
    PROTOCOLS,
    ClimateProtocol,
    readings,
    written,
)
from custom_components.irhub.ircodes.protocols.presses import is_ambient
from custom_components.irhub.ircodes.protocols.protocol_rule import ProtocolRule
from custom_components.irhub.ircodes.protocols.protocols import (
    COMMANDS,
    Command,
    meaning,
    parameters,
)
from custom_components.irhub.ircodes.states.state import OFF

from .readable import commands

SAMPLE = 29
"""One state of so many is compared: a prime, since states are in the order of their levels."""

HOTTEST_CELSIUS = 40


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=PROTOCOLS.keys())
def test_each_state_is_read_as_it_was_written(protocol: ClimateProtocol) -> None:
    states, rule = protocol.states({}), ProtocolRule.of(protocol.name, {})
    degrees = [state.temperature or 0 for state in states if state is not OFF]
    unit = "F" if max(degrees, default=0) > HOTTEST_CELSIUS else "C"
    for state, command in islice(states.items(), 0, None, SAMPLE):
        reading = readings(written(command))[protocol.name]
        assert reading.state == state
        assert not protocol.without_defaults(reading.state, reading.fields)
        assert (reading.unit, rule.capabilities.unit or "C") == (unit, unit)


@pytest.mark.parametrize(
    "cls", [cls for cls in COMMANDS if "power_toggle" in parameters(cls)], ids=lambda c: c.__name__
)
def test_a_power_toggle_is_no_state(cls: type[Command]) -> None:
    """Sent with each state it would turn the air conditioner off and on; without, never on."""
    mode, temperature = 2, 24
    for toggles in (True, False):
        try:
            command = cls(mode=mode, temperature=temperature, power_toggle=toggles)  # type: ignore[call-arg]
        except TypeError, ValueError:
            continue  # of other models of the class
        assert not readings(from_timings(command.get_raw_timings()))


@pytest.mark.parametrize(
    "cls", [cls for cls in COMMANDS if cls.__name__ == "Ira211Command"], ids=lambda c: c.__name__
)
def test_what_a_protocol_reads_is_a_press(cls: type[Command]) -> None:
    """Its marks have nine lengths, more than the form of a press allows."""
    packets = [from_timings(c.get_raw_timings()) for c in commands(cls, Random(3))]
    irregular = [packet for packet in packets if is_noise(packet)]
    assert irregular
    for packet in irregular:
        assert meaning(packet) is not None
        assert not is_ambient(packet)
