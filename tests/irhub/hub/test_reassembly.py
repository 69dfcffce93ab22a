"""Presses that an ESPHome receiver cuts in pieces, with the delays that these have."""

import asyncio
from collections.abc import Iterator
import csv
import gzip
from pathlib import Path
from random import Random
import time

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
import pytest

from benchmarks.measure_pieces import IDLE_US, cut, received
from custom_components.irhub.entities.use import Use
from custom_components.irhub.ircodes import (
    Recognizer,
    State,
    from_timings,
    parse_text,
    read,
    to_timings,
)
from custom_components.irhub.ircodes.packet import TICK_US
from custom_components.irhub.ircodes.protocols import table
from tests.home import until
from tests.reliability.virtual_time import leaping
from virtual_home.esphome import EsphomeProxy

from ..dialogue import configure
from ..dialogues.appliances import act, begin, finish
from ..esphome_proxy import THERMOSTAT, press, transmitted
from ..followed import follow
from ..home import known
from ..learning import learn
from ..remotes_of_protocols import shows, state_in
from ..without_hub import NO_HUB, import_codes

pytestmark = pytest.mark.usefixtures("no_hubs", "no_pauses")


@pytest.fixture
def exact_delays(request: pytest.FixtureRequest, hass: HomeAssistant) -> Iterator[None]:
    """Let pieces arrive when the receiver reports them, however busy this machine is.

    Everything is set up before, since that starts a process (ffmpeg), which takes real time.
    """
    for fixture in ("no_hubs", "no_pauses", "entry_with_proxy"):
        request.getfixturevalue(fixture)
    with leaping(hass):
        yield


CLIMATE = Path(__file__).parents[4] / "shared/data/climate.tsv.gz"
LATE_S = 0.005
FRAME = [3000, -1500, *[450, -1250, 450, -420] * 12, 450]
OTHER_FRAME = [3000, -1500, *[450, -420, 450, -1250] * 12, 450]
TWO_FRAMES = from_timings([*FRAME, -25_000, *OTHER_FRAME])
"""A message of two frames that are further apart than a receiver waits."""


@pytest.mark.usefixtures("exact_delays")
@pytest.mark.parametrize("name", ["GREE", "DAIKIN", "DAIKIN2", "PANASONIC_AC32"])
async def test_a_thermostat_of_two_presses(
    hass: HomeAssistant, proxy: EsphomeProxy, entry_with_proxy: ConfigEntry[Use], name: str
) -> None:
    dialogue = await (await begin(hass, entry_with_proxy)).choose("press_button")
    await dialogue.progress("press_state")
    assert len([*cut(to_timings(shows(name, "cool", 24)))]) > 1
    await press(proxy, shows(name, "cool", 24))
    await dialogue.arrive("heard")
    await dialogue.choose("known_state")
    if dialogue.step != "ready":
        await dialogue.progress("press_another")
        await press(proxy, shows(name, "cool", 22))
        await dialogue.arrive("ready")
    await finish(hass, dialogue, THERMOSTAT, name="Air conditioner")
    await act(
        hass, "climate", "set_temperature", entity_id=THERMOSTAT, hvac_mode="cool", temperature=21
    )
    await until(lambda: proxy.transmitted)
    state = state_in(transmitted(proxy)[-1])
    assert isinstance(state, State)
    assert (state.mode, state.temperature) == ("cool", 21)


async def test_the_first_press_loads_nothing(
    hass: HomeAssistant, entry_with_proxy: ConfigEntry[Use]
) -> None:
    """Parsing the protocols blocks for as long as there is between two pieces of a press."""
    table.cache_clear()
    await learn(await configure(hass, entry_with_proxy), "power")
    assert table.cache_info().currsize == 1

    await import_codes(hass, tv={"power": TWO_FRAMES.hex()})
    table.cache_clear()
    await follow(hass, entry_with_proxy)
    await hass.async_block_till_done()
    assert table.cache_info().currsize == 1


@pytest.mark.usefixtures("exact_delays")
async def test_it_is_learned_and_followed_as_a_single_press(
    hass: HomeAssistant, proxy: EsphomeProxy, entry_with_proxy: ConfigEntry[Use]
) -> None:
    dialogue = await learn(await configure(hass, entry_with_proxy), "power")
    await press(proxy, TWO_FRAMES)
    await dialogue.arrive("heard")
    await dialogue.choose("keep")
    await hass.async_block_till_done()
    [packet] = known(hass, NO_HUB).named("tv").by_name["power"].packets
    assert Recognizer([("power", TWO_FRAMES)]).recognize(packet) == ["power"]
    gaps = [-us for us in to_timings(packet)[:-1] if us < -IDLE_US]
    assert len(gaps) == 1
    assert 10_000 - TICK_US < gaps[0] < 70_000

    events = await follow(hass, entry_with_proxy)
    await press(proxy, TWO_FRAMES)
    await until(lambda: events)
    await asyncio.sleep(0.5)
    assert [event["command"] for event in events] == ["power"]


async def test_a_piece_that_arrives_while_home_assistant_is_busy_belongs_to_its_press(
    hass: HomeAssistant, proxy: EsphomeProxy, entry_with_proxy: ConfigEntry[Use]
) -> None:
    await import_codes(hass, tv={"power": TWO_FRAMES.hex()})
    events = await follow(hass, entry_with_proxy)
    (first, _), (second, _) = cut(to_timings(TWO_FRAMES))
    proxy.receive(first)
    await asyncio.sleep(0.03)
    proxy.receive(second)
    time.sleep(0.7)  # noqa: ASYNC251  (blocks the event loop, as other integrations do)
    await until(lambda: events)
    assert [event["command"] for event in events] == ["power"]


@pytest.mark.usefixtures("exact_delays")
async def test_two_presses_stay_two(
    hass: HomeAssistant, proxy: EsphomeProxy, entry_with_proxy: ConfigEntry[Use]
) -> None:
    up, down = from_timings(FRAME), from_timings(OTHER_FRAME)
    await import_codes(hass, tv={"up": up.hex(), "down": down.hex()})
    events = await follow(hass, entry_with_proxy)
    for packet in (up, down):
        await press(proxy, packet)
        await asyncio.sleep(0.2)
    await until(lambda: len(events) == 2)
    assert [event["command"] for event in events] == ["up", "down"]


@pytest.mark.usefixtures("exact_delays")
async def test_noise_and_a_reflection_do_not_spoil_the_press_behind_them(
    hass: HomeAssistant, proxy: EsphomeProxy, entry_with_proxy: ConfigEntry[Use]
) -> None:
    await import_codes(hass, tv={"power": TWO_FRAMES.hex()})
    events = await follow(hass, entry_with_proxy)
    for timings in ([560, -30_000, 560, -25_000, 560], [560, -560, 560]):
        proxy.receive(timings)
    await press(proxy, TWO_FRAMES)
    await until(lambda: events)


@pytest.mark.parametrize(
    ("signals", "count"),
    [
        pytest.param([(TWO_FRAMES, 0)], 1, id="two frames"),
        pytest.param([(TWO_FRAMES, 0.15), (TWO_FRAMES, 0)], 2, id="pressed twice"),
        pytest.param([(from_timings(FRAME), 0.02)] * 4, 2, id="a held button"),
        pytest.param([(from_timings(FRAME), 0.2)] * 4, 4, id="the same button again and again"),
    ],
)
def test_how_many_presses_it_is(signals: list[tuple[bytes, float]], count: int) -> None:
    pieces = received([(read(packet), pause) for packet, pause in signals], LATE_S, Random(1))
    assert len(pieces) == count


def test_a_receiver_that_waits_longer_is_not_waited_for() -> None:
    """What has a dark time within it comes of a receiver that does not cut."""
    whole, other = read(from_timings([*FRAME, -9_000, *FRAME])), read(from_timings(OTHER_FRAME))
    assert len(received([(whole, 0.02), (other, 0)], LATE_S, Random(1))) == 1
    uncut = read(from_timings([*FRAME, -40_000, *FRAME]))
    pieces = received([(uncut, 0.02), (other, 0)], LATE_S, Random(1), idle_us=65_000)
    assert len(pieces) == 2


def test_public_codes_come_back_whole() -> None:
    """Frames of a message are up to 50 ms apart; what is further apart are its copies."""
    random = Random(1)
    with gzip.open(CLIMATE, "rt") as file:
        packets = [read(parse_text(row["packet"])) for row in csv.DictReader(file, delimiter="\t")]
    cut_packets = [
        packet
        for packet in random.sample(packets, 400)
        if (darks := [dark for _, dark in cut(to_timings(packet))][:-1]) and max(darks) < 50_000
    ]
    assert len(cut_packets) > 50
    lost = [
        packet
        for packet in cut_packets
        if not any(
            Recognizer([(None, packet)]).recognize(piece)
            for piece in received([(packet, 0)], LATE_S, random)
        )
    ]
    assert len(lost) <= 1  # its recording begins with two pulses of something else
