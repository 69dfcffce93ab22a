"""Recent signals: a transmission is remembered for as long as a receiver may report it."""

from asyncio import AbstractEventLoop
from typing import cast
from weakref import ref

from custom_components.irhub.hub.recent_signals import ECHO_S, Emission, RecentSignals

from ..home import POWER

HUB, OTHER = "infrared.hub", "infrared.other"


class Clock:
    """The time of an event loop."""

    now = 0.0

    def time(self) -> float:
        """Return the time in seconds."""
        return self.now


def sent(signals: RecentSignals) -> ref[Emission]:
    """Send a packet; return what is known of it, without holding it."""
    emission = signals.begin(POWER, HUB, 0.1)
    signals.end(emission, is_confirmed=True)
    return ref(emission)


def test_a_transmission_is_expected_as_an_echo_for_a_while() -> None:
    clock = Clock()
    signals = RecentSignals(cast(AbstractEventLoop, clock))
    emissions = []
    for _ in range(3):
        emissions.append(sent(signals))
        clock.now += ECHO_S / 2
    assert [*signals.echoes(OTHER)] == [POWER, POWER]
    assert [*signals.echoes(HUB)] == []
    clock.now += 3600
    emissions.append(sent(signals))
    assert [emission() is None for emission in emissions] == [True, True, True, False]


def test_what_is_still_on_its_way_is_not_forgotten() -> None:
    """However long it takes: a hub that is busy confirms late."""
    clock = Clock()
    signals = RecentSignals(cast(AbstractEventLoop, clock))
    emission = signals.begin(POWER, HUB, 0.1)
    clock.now += 60
    sent(signals)
    signals.end(emission, is_confirmed=True)
    assert [*signals.echoes(OTHER)] == [POWER, POWER]
