"""Known air conditioners: what a press says, and the thermostat that it makes.

The packets are those of IRremoteESP8266's encoders (pyhvac) and of public code files.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, reduce
import gzip
from itertools import product
from operator import or_
from pathlib import Path
from random import Random
from time import process_time
from typing import Any, Final

import pytest

from benchmarks.virtual_remotes import VirtualRemote
from custom_components.irhub.ircodes import (
    OFF,
    BitRule,
    State,
    from_timings,
    to_timings,
)
from custom_components.irhub.ircodes.known import (
    KnownAirConditioners,
    KnownReading,
    RequestedState,
    Row,
    is_open,
    narrow,
)
from custom_components.irhub.ircodes.packet.reader import Packet
from custom_components.irhub.ircodes.packet.text_forms import from_base64
from custom_components.irhub.ircodes.states import messages
from tests.irhub.ircodes.captured import FAN, HDMI, POWER

COOL: Final = State(mode="cool", preset="none", fan="auto", swing="off", temperature=24.0)
_BLOCKS: Final = 4
"""Frames of Kelvinator."""
SLOWEST_LOAD_S: Final = 0.2
SLOWEST_PRESS_S: Final = 0.05
"""Ten times what is promised: other tests run beside these."""


@cache
def known() -> KnownAirConditioners:
    """Return the table that is shipped."""
    return KnownAirConditioners.load()


@cache
def remote_of(name: str) -> VirtualRemote:
    """Return the remote control of a protocol."""
    return VirtualRemote(name)


COMMON: Final = (
    "COOLIX",
    "GREE",
    "ELECTRA_AC",
    "MITSUBISHI_AC",
    "TCL112AC",
    "PANASONIC_AC",
    "MIDEA",
    "DAIKIN",
    "HAIER_AC_YRW02",
    "WHIRLPOOL_AC",
    "NEOCLIMA",
)
of_common = pytest.mark.parametrize("name", COMMON)


def pressed(remote: VirtualRemote, state: State, random: Random | None = None) -> bytes:
    """Return what a receiver hears of a remote control that shows a state."""
    packet = remote.packet(state)
    if random is None:
        return packet
    longer = random.randint(30, 120)
    timings = [round(us * random.uniform(0.95, 1.05)) + longer for us in to_timings(packet)]
    return from_timings(timings)


def mode_of(mode: str) -> str:
    """Return what tells modes apart that have two names."""
    return "auto" if mode == "heat_cool" else mode


@of_common
def test_one_press_says_protocol_and_state(name: str) -> None:
    """Cool, 24 °C and the fan speed are read, also from what a bad receiver has heard."""
    remote = remote_of(name)
    for random in (None, Random(name)):
        readings = known().identify(pressed(remote, COOL, random))
        assert readings
        state = readings[0].state
        assert isinstance(state, State)
        assert (state.mode, state.temperature) == ("cool", 24.0)


@of_common
def test_two_presses_make_a_thermostat(name: str) -> None:
    """All states of the remote control that the row has are encoded as it sends them."""
    remote = remote_of(name)
    first = known().identify(pressed(remote, COOL))
    second = known().identify(pressed(remote, replace(COOL, temperature=25.0)))
    confirmed = narrow(first, second)
    assert confirmed
    rule = BitRule.from_data(confirmed[0].rule().as_data())
    assert rule.can_turn_off or name == "FUJITSU_AC"
    read = wrong = 0
    for mode, fan, degrees in product(("cool", "heat", "dry"), ("auto", "low"), range(18, 30, 3)):
        state = replace(COOL, mode=mode, fan=fan, temperature=float(degrees))
        packet = remote.packet(state)
        decoded, sent = rule.decode(packet), messages.read(packet)
        if isinstance(decoded, State) and sent is not None:
            read += 1
            made = messages.read(rule.encode(rule.find(decoded) or rule.fit(decoded)))
            assert made is not None
            assert made[0] == sent[0]
            wrong += bool((made[1] ^ sent[1]) & ~rule.volatile & rule.data)
            wrong += mode_of(decoded.mode) != state.mode
    assert read >= 16  # of 24: some have fewer fan speeds in a mode
    assert not wrong


@pytest.mark.parametrize(("sent", "shown"), [("low", "medium"), ("high", "high")])
def test_three_speeds_are_named_as_on_the_display(sent: str, shown: str) -> None:
    """The encoder calls them min, low and high; remote controls low, medium and high."""
    readings = known().identify(remote_of("GREE").packet(replace(COOL, fan=sent)))
    assert {state.fan for reading in readings if isinstance(state := reading.state, State)} == {
        shown
    }


def test_other_devices_are_none() -> None:
    """A television, a fan, and noise are no air conditioner."""
    random = Random(0)
    noise = [
        [random.randint(100, 2000) * (-1 if n % 2 else 1) for n in range(random.randint(8, 200))]
        for _ in range(200)
    ]
    for packet in (POWER, HDMI, FAN, *map(from_timings, noise)):
        assert not known().identify(packet)


def test_a_check_that_is_wrong_is_none() -> None:
    """A bit that was received wrongly makes no state."""
    packet = pressed(remote_of("COOLIX"), COOL)
    timings = to_timings(packet)
    at = next(n for n, us in enumerate(timings) if n > 20 and us < -1000)
    timings[at] = -560
    assert not known().identify(from_timings(timings))


def test_the_second_press_decides() -> None:
    """The press of another remote control confirms nothing."""
    coolix, gree = (remote_of(name) for name in ("COOLIX", "GREE"))
    first = known().identify(pressed(coolix, COOL))
    assert first
    assert not narrow(first, known().identify(pressed(gree, COOL)))


def test_off_is_read() -> None:
    """What turns it off says so, and a thermostat has it."""
    remote = remote_of("GREE")
    assert [reading.state for reading in known().identify(remote.packet(OFF))][:1] == [OFF]
    reading = known().identify(pressed(remote, COOL))[0]
    off = reading.rule().off
    assert off is not None
    assert [candidate.state for candidate in known().identify(off)][:1] == [OFF]


def test_blocks_that_are_equal_by_chance_are_no_repeats() -> None:
    """Kelvinator sends two blocks, of which the second half may be the same in both."""
    remote = remote_of("KELVINATOR")
    modes, fans, degrees = ("cool", "heat", "dry"), ("auto", "low", "high"), range(18, 30)
    equal = 0
    for mode, fan, temperature in product(modes, fans, degrees):
        state = replace(COOL, mode=mode, fan=fan, temperature=float(temperature))
        packet = remote.packet(state)
        decoded = messages.read(packet)
        if decoded is not None and len(decoded[0].frames) < _BLOCKS:
            equal += 1
            [reading, *_] = known().identify(packet)
            assert isinstance(reading.state, State)
            assert reading.protocol == "KELVINATOR"
            assert reading.state.mode == mode
            assert reading.state.temperature in {None, state.temperature}
            assert isinstance(reading.rule().decode(packet), State)
    assert equal


def test_what_resembles_off_is_nothing() -> None:
    """Haier's remote control numbers its buttons: 0 is off, 6 is warmer; neither is a state."""
    [row] = [row for row in known().rows if row.protocol == "HAIER_AC"]
    off = messages.read(remote_of("HAIER_AC").packet(OFF))
    assert off is not None
    message = off[1] ^ 0b11 << 13
    for check in row.rule.checks:
        message = check.compute(message, row.layout.frames)
    assert not known().identify(messages.write(row.rule.signal, message))


def test_it_is_loaded_and_asked_quickly() -> None:
    """It costs some milliseconds, once, and nearly nothing for each press."""
    start = process_time()
    table = KnownAirConditioners.load()
    assert process_time() - start < SLOWEST_LOAD_S
    packet = pressed(remote_of("COOLIX"), COOL)
    table.identify(packet)
    start = process_time()
    table.identify(Packet(packet))
    assert process_time() - start < SLOWEST_PRESS_S


def test_a_press_is_compared_with_the_rows_of_its_layout_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The others are not even parsed."""
    table = KnownAirConditioners.load()
    parsed: list[object] = []
    from_data = Row.from_data

    def counted(data: Mapping[str, Any]) -> Row:
        parsed.append(data["frames"])
        return from_data(data)

    monkeypatch.setattr(Row, "from_data", counted)
    readings = table.identify(pressed(remote_of("GREE"), COOL))
    assert readings
    assert parsed
    assert all(frames == [*readings[0].row.layout.frames] for frames in parsed)
    assert len(parsed) < len(known().rows) / 5


def test_every_row_is_found_by_its_layout() -> None:
    """What is read of a line without parsing it is what the row says."""
    for row in known().rows:
        assert row in known().of_layout(row.layout)


def test_every_row_comes_back() -> None:
    """A row can be kept as a rule, says where it comes from, and reads itself."""
    for row in known().rows[::8]:  # all of them take ten seconds
        rule = BitRule.from_data(row.data)
        assert row.sources
        state = rule.offered[0]
        readings = known().identify(rule.encode(state))
        assert any(reading.row is row for reading in readings), row.protocol


def row_of(protocol: str) -> Row:
    """Return the row of a protocol that has the most makers."""
    return next(row for row in known().rows if row.protocol == protocol)


def with_flipped(packet: bytes, row: Row, flips: int) -> bytes:
    """Return a packet of a row with some bits flipped, and right checks."""
    read = messages.read(packet)
    assert read is not None
    message = read[1] ^ flips
    for check in row.rule.checks:
        message = check.compute(message, row.layout.frames)
    return messages.write(row.rule.signal, message)


def by_row(row: Row, packet: bytes) -> list[KnownReading]:
    """Return what a packet says by a row."""
    return [reading for reading in known().identify(packet) if reading.row is row]


@pytest.mark.parametrize(
    "protocol",
    ["CORONA_AC", "DAIKIN64", "HITACHI_AC264", "KELON", "MIRAGE", "SHARP_AC", "TROTEC", "VOLTAS"],
)
def test_no_mode_sends_another_one(protocol: str) -> None:
    """What a protocol does not have is not offered: encoders send *cool* for *auto*, say."""
    for row in (row for row in known().rows if row.protocol == protocol):
        modes = row.rule.modes.items()
        sent = {name: {*mode.messages(name).values()} for name, mode in modes}
        for name, other in product(sent, sent):
            shared = sent[name] & sent[other]
            assert name == other or len(shared) < len(sent[name]) / 2, (name, other)


def test_a_temperature_that_means_nothing_is_kept() -> None:
    """A remote control may send any number as the temperature of a mode that has none."""
    row = row_of("ELECTRA_AC")
    cool, dry = (State(mode=mode, fan="auto", swing="off", temperature=24.0) for mode in MODES)
    degrees = row.rule.modes["dry"].tables["temperature"]
    zero = reduce(or_, degrees.values()) & (row.rule.modes["dry"].message(dry) or 0)
    strange = with_flipped(row.rule.encode(dry), row, zero)
    [reading] = by_row(row, strange)
    assert isinstance(reading.state, State)
    assert (reading.state.mode, reading.state.temperature) == ("dry", None)
    [confirmed] = narrow(by_row(row, row.rule.encode(cool)), [reading])
    rule = BitRule.from_data(confirmed.rule().as_data())
    assert messages.read(rule.encode(replace(dry, temperature=None))) == messages.read(strange)
    assert rule.encode(cool) == row.rule.encode(cool)
    assert replace(cool, mode="heat", temperature=30.0) in rule.states
    # where a temperature has a meaning, one that is not known is not read
    assert not by_row(row, with_flipped(row.rule.encode(cool), row, zero))


MODES: Final = ("cool", "dry")


def test_a_swing_that_is_not_known_is_kept() -> None:
    """What was pressed is sent as it was pressed, whichever swing the row has first."""
    rows = (row for row in known().rows if row.protocol == "Daikin 64+152")
    row = next(row for row in rows if "swing" in row.rule.modes["cool"].tables)
    swings = row.rule.modes["cool"].tables["swing"]
    mask = reduce(or_, swings.values())
    assert next(iter(swings.values())), "the first one flips nothing: this shows nothing"
    state = next(state for state in row.rule.offered if state.mode == "cool")
    lowest = (mask & -mask).bit_length() - 1
    others = (number << lowest for number in range(1 << mask.bit_length() - lowest))
    strange = [bits for bits in others if not bits & ~mask and bits not in swings.values()]
    assert strange
    for bits in strange:
        packet = with_flipped(row.rule.encode(state), row, bits ^ swings[state.swing or ""])
        [reading] = (candidate for candidate in known().readings(packet) if candidate.row is row)
        assert isinstance(reading.state, State)
        assert reading.state.swing is None
        rule = reading.rule()
        assert messages.read(rule.encode(reading.state)) == messages.read(packet)


def test_each_mode_keeps_its_own_unknown_bit() -> None:
    """Of a protocol with a good check, one new bit of one mode does not contradict the other."""
    row = row_of("MIRAGE")
    cool = next(state for state in row.rule.offered if state.mode == "cool")
    heat = next(state for state in row.rule.offered if state.mode == "heat")
    everything = (1 << sum(row.layout.frames)) - 1
    checked = reduce(or_, (check.target.mask for check in row.rule.checks), 0)
    free = everything & ~row.state_bits & ~row.carried & ~checked
    bits = [1 << place for place in range(free.bit_length()) if free >> place & 1]
    first = by_row(row, row.rule.encode(cool))
    for bit, other in zip(bits, bits[3:], strict=False):
        pressed_heat = with_flipped(row.rule.encode(heat), row, bit)
        if (second := by_row(row, pressed_heat)) and isinstance(second[0].state, State):
            [confirmed] = narrow(first, second)
            rule = confirmed.rule()
            assert messages.read(rule.encode(heat)) == messages.read(pressed_heat)
            assert rule.encode(cool) == row.rule.encode(cool)
            several = with_flipped(row.rule.encode(heat), row, bit | other | bits[-1])
            assert not narrow(first, by_row(row, several))
            return
    pytest.fail("no bit is free")


def test_the_display_decides_if_no_protocol_says_what_was_asked_for() -> None:
    """Another remote control may send the same packets for other temperatures."""
    requested = RequestedState(mode="cool", degrees={"C": 24.0, "F": 75.0})
    remote = remote_of("COOLIX")
    second = known().identify(remote.packet(replace(COOL, mode="heat")))
    for degrees, is_requested in ((24.0, False), (26.0, True)):
        first = known().identify(remote.packet(replace(COOL, temperature=degrees)))
        matching = requested.matching(first)
        celsius = [reading for reading in matching if reading.row.protocol == "COOLIX"]
        assert is_open(narrow(celsius, second), celsius, requested) is is_requested


def files() -> Iterator[tuple[str, dict[tuple[str, ...], bytes]]]:
    """Yield the public code files beside the repository."""
    path = Path(__file__).parents[5] / "shared" / "data" / "climate.tsv.gz"
    found: dict[str, dict[tuple[str, ...], bytes]] = {}
    for line in gzip.decompress(path.read_bytes()).decode().splitlines()[1:]:
        name, _, _, states, text = line.split("\t")
        found.setdefault(name, {})[tuple(states.split(" > "))] = from_base64(text)
    yield from found.items()


def test_public_files_are_identified() -> None:
    """Of nine of ten public code files a press is identified."""
    identified = total = 0
    for _, packets in files():
        packet = next(packet for path, packet in packets.items() if len(path) > 1)
        total += 1
        identified += bool(known().identify(packet))
    assert identified >= 0.9 * total


ROOM: Final = ("ELECTRA_AC", "MIDEA", "SANYO_AC", "ECOCLIM")
SENT: Final = {"ECOCLIM": "auto"}
"""What encoders send for each mode, where they do not send it."""


@pytest.mark.parametrize("name", ROOM)
@pytest.mark.parametrize("celsius", [18, 23, 29])
def test_the_temperature_of_the_room_is_no_part_of_the_state(name: str, celsius: int) -> None:
    """A press is read whatever its remote control measures, and that is not sent on."""
    remote = remote_of(name)
    for room in (celsius, celsius + 3):
        [reading, *_] = known().identify(remote.packet(COOL, room=room))
        assert isinstance(reading.state, State)
        assert reading.state.mode == SENT.get(name, "cool")
        assert reading.state.temperature == 24.0
        rule = reading.rule()
        assert rule.room is not None
        sent = messages.read(rule.encode(reading.state))
        assert sent is not None
        assert sent[1] & rule.room.mask == rule.room.off


@pytest.mark.parametrize("name", ROOM)
def test_a_rule_says_the_temperature_of_the_room_as_the_remote_control_does(name: str) -> None:
    """The packets are those of independent encoders, bit for bit."""
    remote = remote_of(name)
    rule = BitRule.from_data(known().identify(remote.packet(COOL))[0].rule().as_data())
    assert rule.room is not None
    for mode, degrees, celsius in product(("cool", "heat"), (20.0, 26.0), (17, 21, 30)):
        state = replace(COOL, mode=mode, temperature=degrees)
        plain, sent = remote.packet(state), remote.packet(state, room=celsius, feels=True)
        [known_state, *_] = rule.nearest(replace(state, mode=SENT.get(name, mode)))
        made = rule.encode_in_room(known_state, celsius)
        differing = bits_of(made, rule) ^ bits_of(sent, rule)
        assert not differing & rule.room.mask
        # makers differ in other bits, which are the same either way
        of_makers = bits_of(rule.encode(known_state), rule) ^ bits_of(plain, rule)
        assert not (differing ^ of_makers) & ~rule.room.mask


def bits_of(packet: bytes, rule: BitRule) -> int:
    """Return what a packet says: its checks, too, are those of the rule."""
    decoded = messages.read(packet)
    assert decoded is not None
    message = decoded[1]
    for check in rule.checks:
        assert check.compute(message, rule.layout.frames) == message
    checked = reduce(or_, (check.target.mask for check in rule.checks), 0)
    return message & ~checked
