"""A press is decoded once, however many follow it."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

from homeassistant.core import HomeAssistant
import pytest

from custom_components.irhub.ircodes import from_timings, to_timings
from custom_components.irhub.ircodes.packet import reader
from tests.home import until
from virtual_home.hub import VirtualHub

from ..home import entry, our_hub, set_up
from ..ircodes.code_files import Codes, air_conditioner, bytes_of, temperatures, write
from ..jitter import jittered

CODES = Codes()
FOLLOWERS = 5
"""Events, and as many appliances."""


@pytest.fixture(name="decodings")
def count_decodings(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], Counter[str]]:
    """Return what says how often a packet was decoded, by the short way and by the long one."""
    decoded: list[tuple[str, bytes]] = []

    def counted[T](name: str, decode: Callable[[bytes], T]) -> Callable[[bytes], T]:
        def decode_and_count(packet: bytes) -> T:
            decoded.append((name, bytes(packet)))
            return decode(packet)

        return decode_and_count

    for name in ("usual_bits", "_decode"):
        monkeypatch.setattr(reader, name, counted(name, getattr(reader, name)))
    return lambda packet: Counter(name for name, each in decoded if each == packet)


async def test_a_press_is_decoded_once_for_all_followers(
    hass: HomeAssistant,
    config_dir: Path,
    decodings: Callable[[bytes], Counter[str]],
    virtual_hub: VirtualHub,
) -> None:
    """Its bits are read once the short way; its durations once, when the first follower asks."""
    pressed, degrees = CODES.packet(), CODES.nest(temperatures(18, 24))
    fans = {"auto": degrees, "low": {**degrees, "21": pressed}}
    file = air_conditioner({"off": CODES.packet(), "cool": fans}, fanModes=[*fans])
    numbers = range(FOLLOWERS)
    names = [write(config_dir, f"codes/ac{number}.json", file) for number in numbers]
    codes = {f"thing {number}": {"set": pressed} for number in numbers}
    await set_up(hass, "remote", entry(virtual_hub))
    await hass.services.async_call(
        "irhub",
        "import_codes",
        {"entity_id": "remote.broadlink", "codes": codes},
        blocking=True,
    )
    events = [entry(virtual_hub, device=name, name=name) for name in codes]
    offices = [entry(virtual_hub, name=f"Office {n}", file=names[n], follow=True) for n in numbers]
    await set_up(hass, "event", *events)
    await set_up(hass, "climate", *offices)
    received = from_timings(jittered(to_timings(bytes_of(pressed)), Random(1)))
    await virtual_hub.press_when_listening(received)
    await until(lambda: {value(hass, f"climate.office_{n}") for n in numbers} == {"cool"})
    await until(lambda: "unknown" not in {value(hass, f"event.thing_{n}") for n in numbers})
    [press] = our_hub(hass, virtual_hub).receiver.remembered
    assert press.packet == received
    assert decodings(received) == {"usual_bits": 1, "_decode": 1}


def value(hass: HomeAssistant, entity_id: str) -> str:
    """Return the state of an entity."""
    state = hass.states.get(entity_id)
    assert state is not None
    return state.state
