"""The bits of a packet: read with a receiver's errors, and written back."""

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from time import process_time

from hypothesis import assume, example, given, strategies as st
import pytest

from custom_components.irhub.ircodes.packet.bits import Signal
from custom_components.irhub.ircodes.packet.packet import (
    INFRARED,
    from_radio_timings,
    from_timings,
    to_timings,
)
from custom_components.irhub.ircodes.packet.reader import Unread, read
from custom_components.irhub.ircodes.protocols.protocols import encode

from ..captured import captured, lenient
from .spaces import rcmm, xmp

NEC = ((9000, 4500), (560, 560), (560, 1690))
LG2 = ((3200, 9900), (480, 530), (480, 1560))
SONY = ((2400, 600), (600, 600), (1200, 600))
RADIO = ((), (350, 1050), (1050, 350))
CODINGS = {"nec": NEC, "lg2": LG2, "sony": SONY, "toshiba": ((4400, 4400), (540, 540), (540, 1620))}
GAP_US = 30_000


def frame(bits: str, coding: tuple[tuple[int, ...], ...] = NEC) -> list[int]:
    """Return microseconds: leader, bits, and a mark behind them where spaces differ."""
    leader, zero, one = coding
    durations = [*leader, *(us for bit in bits for us in (one if bit == "1" else zero))]
    if zero[0] == one[0]:
        durations.append(zero[0])
    else:
        del durations[-1]
    return [us * (-1 if index % 2 else 1) for index, us in enumerate(durations)]


def sent(*frames: list[int], gap_us: int = GAP_US) -> bytes:
    """Return the packet of some frames."""
    return from_timings([us for each in frames for us in (*each, -gap_us)])


def heard(
    packet: bytes, random: Random, *, percent: float, longer_us: int, copies: int = 1
) -> bytes:
    """Return what a receiver makes of a packet: marks longer, spaces shorter, all a little off."""
    off = [
        round(us * random.uniform(1 - percent / 100, 1 + percent / 100)) + longer_us
        for us in to_timings(packet) * copies
    ]
    return from_timings(
        [max(30, us) if index % 2 == 0 else min(-30, us) for index, us in enumerate(off)]
    )


def bits_of(packet: bytes) -> list[str]:
    """Return the bits of each frame that is not a repeat."""
    signal = read(packet).signal
    assert signal is not None
    return ["".join(map(str, each.bits)) for each in signal.distinct]


BITS = st.text("01", min_size=10, max_size=140).filter(lambda bits: {*bits[1:-1]} == {"0", "1"})


@given(
    bits=BITS,
    coding=st.sampled_from(list(CODINGS)),
    seed=st.integers(0, 999),
    longer_us=st.sampled_from([0, 60, 100]),
    copies=st.integers(1, 4),
)
def test_bits_are_read_whatever_the_receiver_makes_of_them(
    bits: str, coding: str, seed: int, longer_us: int, copies: int
) -> None:
    packet = sent(frame(bits, CODINGS[coding]))
    press = heard(packet, Random(seed), percent=5, longer_us=longer_us, copies=copies)
    assert bits_of(packet) == bits_of(press) == [bits]
    assert read(press).key == read(packet).key


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("longer_us", [-60, 0, 60])
def test_a_one_may_be_a_mark_almost_four_times_as_long(seed: int, longer_us: int) -> None:
    """A fan's: it is no leader's mark, since many are so long."""
    fan = ((), (335, 1280), (1250, 426))
    packet = sent(frame("110110001000", fan), gap_us=7300)
    press = heard(packet, Random(seed), percent=5, longer_us=longer_us, copies=6)
    assert bits_of(press) == ["110110001000"]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(("gap_us", "longer_us"), [(2980, 60), (2010, 150)])
def test_a_gap_before_a_leader_may_be_short(seed: int, gap_us: int, longer_us: int) -> None:
    first, second = "01000000" * 7, "00010001" * 7
    coding = ((2985, 8955), (487, 520), (487, 1490))
    packet = from_timings([*frame(first, coding), -gap_us, *frame(second, coding), -40_000])
    press = heard(packet, Random(seed), percent=5, longer_us=longer_us)
    assert bits_of(press) == [first, second]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("longer_us", [0, 60, 150])
def test_a_leader_may_have_two_marks(seed: int, longer_us: int) -> None:
    """A heater's: the second is little longer than the mark of a 1."""
    heater = ((20_200, 1000, 1800, 630), (600, 630), (1200, 630))
    packet = sent(frame("10001001" * 7, heater), gap_us=40_000)
    press = heard(packet, Random(seed), percent=5, longer_us=longer_us)
    assert bits_of(press) == ["10001001" * 7]


@pytest.mark.parametrize("first_us", [1900, 1950, 2050, 2100])
def test_a_leader_may_begin_with_a_mark_that_is_not_very_long(first_us: int) -> None:
    pulse_width = ((), (518, 487), (1500, 487))
    bits = "1000001000010001"
    packet = from_timings([first_us, -975, 5480, -975, *frame(bits, pulse_width), -9000])
    assert bits_of(packet) == [bits]


def test_no_bits_are_claimed_whose_space_would_be_none() -> None:
    """Noise: some pairs are shorter together than the usual mark is alone."""
    noise = [2190, -2680] * 30 + [600, -550] * 12
    signal = read(from_timings(noise)).signal
    assert signal is None or min(*signal.coding.one, *signal.coding.zero) >= 0


@given(
    bits=st.lists(BITS, min_size=1, max_size=3, unique=True), coding=st.sampled_from(list(CODINGS))
)
def test_what_is_read_is_written_back(bits: list[str], coding: str) -> None:
    # A last frame with which another one begins is that one, cut off: see the test of these.
    assume(not any(earlier.startswith(bits[-1]) for earlier in bits[:-1]))
    packet = sent(*(frame(each, CODINGS[coding]) for each in bits))
    signal = read(packet).signal
    assert signal is not None
    again = to_timings(signal.packet())
    assert len(again) == len(to_timings(packet))
    assert all(abs(one - other) <= 60 for one, other in zip(again, to_timings(packet), strict=True))


def halves(bits: str) -> list[int]:
    """Return a biphase frame behind Airwell's leader, whose space a one makes longer."""
    runs = [3000, -3000]
    for bit in bits:
        for us in (-975, 975) if bit == "1" else (975, -975):
            if (us > 0) == (runs[-1] > 0):
                runs[-1] += us
            else:
                runs.append(us)
    return runs


def signed(durations: Iterable[int]) -> list[int]:
    """Return durations, marks and spaces in turn, as signed microseconds."""
    return [us * (-1 if index % 2 else 1) for index, us in enumerate(durations)]


ZERO, ONE = (914, 2619), (2619, 1000)
BLOCK = "0010110111010010" * 2
PANASONIC = ((3500, 3500), (870, 870), (870, 2610))
DAIKIN = ((9800, 9800, 9800, 9800, 4600, 2500), (370, 370), (370, 950))
ENDS = {
    "daikin": [*frame(BLOCK * 2, DAIKIN), -20_300, 4600, -GAP_US],
    "panasonic": [*(frame(BLOCK, PANASONIC)), -870, *frame("", PANASONIC), -GAP_US],
    "gi cable": [*frame(BLOCK[:16]), -40_000, 9000, -2200, 490, -GAP_US],
    "carrier": [*frame(BLOCK * 3, ((), (550, 550), (550, 1650))), -7400, 550, -GAP_US],
    "airwell": [*halves(BLOCK + "00"), *halves(BLOCK + "00"), 3950, -GAP_US],
    "airwell, without a pause": [*halves(BLOCK + "00") * 3, 3950],
    "steps": [*(3500, -3500), *(400, -900, 800, -400, 800, -2600) * 8, 800, -900, 3500, -3500, 800],
    "the first bit again": [*frame(BLOCK), -46_000, *([*frame(BLOCK[:1]), -96_000] * 2)],
    "bits of another frame's end": signed(
        [*ZERO * 4, *ONE * 2, *ZERO * 4, *ONE * 2, *ZERO * 5, 914, 26_220]
    ),
    "the last pulse": frame(BLOCK + "1", SONY),
    "the last pulse of two frames": [*frame(BLOCK, SONY), -GAP_US, *frame(BLOCK, SONY)],
    "the last pulse of a half": [*halves(BLOCK)[:-1], -GAP_US, *halves(BLOCK)[:-1]],
    "a long mark and its space": [*frame(BLOCK), -GAP_US, 9000, -4500],
}


@pytest.mark.parametrize("name", ENDS)
def test_what_a_code_ends_with_is_written_back(name: str) -> None:
    """A last frame without bits is no beginning of another one that was cut off."""
    signal = read(from_timings(ENDS[name])).signal
    assert signal is not None
    again = to_timings(signal.packet())
    assert len(again) == len(ENDS[name])
    assert all(abs(one - other) <= 60 for one, other in zip(again, ENDS[name], strict=True))


def test_each_duration_of_real_packets_is_written_back() -> None:
    for packet in [
        *(known.packet for known in captured() if known.kind == "ir"),
        *(known.packet for known in lenient()),
    ]:
        if packet[0] != INFRARED or (signal := read(packet).signal) is None:
            continue
        assert_is_received(signal, to_timings(packet))


SERIAL = [int(units) for units in "212121113151212233234141111216161119"]
"""Marks and spaces of a serial code, in units of 430 µs."""


@pytest.mark.parametrize(
    ("timings", "reason"),
    [
        ([560, -560, 560, -40_000], Unread.SHORT),
        ([us for n in range(1, 90) for us in (100 + 25 * n, -(100 + 37 * n))], Unread.UNCERTAIN),
        (signed(430 * units for units in SERIAL), Unread.DIFFERENT),
    ],
)
def test_why_a_packet_has_no_signal_is_said(timings: list[int], reason: Unread) -> None:
    packet = read(from_timings(timings))
    assert packet.signal is None
    assert packet.unread is reason


DURATIONS = st.one_of(
    st.integers(30, 20_000), st.sampled_from([300, 600, 900, 1200, 1700, 4500, 9000, 12_000])
)


# The first frame is like the end of another one, but for its parity.
@example([30, 30, 30, 30, 30, 107, 107, 30, 2878, 30, 30], 3)
@given(st.lists(DURATIONS, min_size=1, max_size=200), st.integers(1, 4))
def test_a_signal_is_what_was_received_whatever_that_was(durations: list[int], copies: int) -> None:
    packet = read(from_timings(signed(durations * copies)))
    began = process_time()
    signal = packet.signal
    assert process_time() - began < LONGEST_S
    assert (signal is None) == (packet.unread is not None)
    assert packet.key == (signal.key if signal is not None else None)
    if signal is not None:
        assert_is_received(signal, to_timings(packet))


LONGEST_S = 0.5
"""On a busy machine; 5 ms alone."""


def assert_is_received(signal: Signal, timings: list[int]) -> None:
    """Assert that a signal is what was received, but for what a receiver cuts off or disturbs."""
    again = to_timings(signal.packet())
    if len(signal.whole) < len(signal.frames):
        cut_off = replace(signal, frames=signal.frames[-1:])
        del timings[len(timings) - len(to_timings(cut_off.packet())) :]
    missing = max(0, len(again) - len(timings))
    assert not missing or signal.whole[0] != signal.frames[0]
    pairs = [*zip(again[missing:], timings, strict=True)][1:]
    off = [place for place, (one, other) in enumerate(pairs) if not near(one, other)]
    assert len(off) <= max(1, len(pairs) // 16) * len(signal.frames)
    for place in off:
        beside = [pairs[max(0, place - 1) : place + 1], pairs[place : place + 2]]
        assert any(near(total(both, 0), total(both, 1)) for both in beside)


def near(one: int, other: int) -> bool:
    """Return whether two durations may be the same, received twice, and rounded to ticks."""
    return abs(one - other) <= 0.25 * max(abs(one), abs(other)) + 150 + 35


def total(pairs: list[tuple[int, int]], side: int) -> int:
    """Return how long neighbouring durations are together."""
    return sum(abs(pair[side]) for pair in pairs)


def test_a_stray_pulse_says_nothing_and_is_written_back() -> None:
    """Behind a code of two halves a bit it is none of its bits."""
    heard = [*halves(BLOCK), -30_000, *halves(BLOCK), -50_000, 240, -GAP_US]
    signal = read(from_timings(heard)).signal
    assert signal is not None
    assert bits_of(from_timings(heard)) == [BLOCK]
    assert abs(to_timings(signal.packet())[-2] - 240) <= 30


@given(bits=BITS, other=BITS)
def test_a_leader_contains_half_a_bit_where_that_is_a_space(bits: str, other: str) -> None:
    sent_twice = [*halves("01" + bits), -GAP_US] * 2
    signal = read(from_timings(sent_twice)).signal
    assert signal is not None
    for first in ("01", "10"):
        expected = [*halves(first + other), -GAP_US]
        written = signal.with_bits([tuple(map(int, first + other))]).packet()
        again = to_timings(written)[: len(expected) - len(expected) % 2]
        assert all(abs(a - b) <= 60 for a, b in zip(again[:-1], expected, strict=False))


@pytest.mark.parametrize("bits", [12, 20, 24, 28, 32])
@pytest.mark.parametrize("longer_us", [-60, 0, 60, 120])
def test_four_spaces(bits: int, longer_us: int) -> None:
    """A code may have but two or three of them, as close as what a receiver is off by."""
    numbers = [*range(256), *(Random(bits).randrange(1 << bits) for _ in range(100))]
    codes = {number: read(rcmm(number, bits=bits)).key for number in numbers}
    assert len({*codes.values()}) == len(codes)
    for number, code in codes.items():
        press = rcmm(number, bits=bits, longer_us=longer_us)
        signal = read(press).signal
        assert signal is not None
        assert signal.key == read(press).key == code
        again = to_timings(signal.packet())
        assert len(again) == len(to_timings(press))
        assert all(abs(a - b) <= 80 for a, b in zip(again, to_timings(press), strict=True))


@pytest.mark.parametrize("longer_us", [-60, 0, 60, 120])
def test_sixteen_spaces(longer_us: int) -> None:
    """Two buttons may differ in two spaces, each by less than a receiver is off by."""
    numbers = [*range(256), *(Random(1).randrange(1 << 56) for _ in range(100))]
    codes = {number: read(xmp(number)).key for number in numbers}
    assert len({*codes.values()}) == len(codes)
    for number, code in codes.items():
        press = read(xmp(number, longer_us=longer_us))
        assert press.signal is not None
        assert press.key == press.signal.key == code
        assert_is_received(press.signal, to_timings(press))


@given(bits=BITS, other=BITS)
def test_other_bits_are_written_the_same_way(bits: str, other: str) -> None:
    signal = read(sent(frame(bits), frame(bits))).signal
    assert signal is not None
    changed = signal.with_bits([tuple(map(int, other))])
    assert bits_of(changed.packet()) == [other]
    assert len(changed.frames) == 2
    with pytest.raises(ValueError, match="zip"):
        signal.with_bits([(0, 1), (1, 0)])


def test_the_fast_path_agrees_with_the_full_reader() -> None:
    for known in captured():
        packets = [known.packet]
        if known.kind == "ir":
            packets += [
                heard(known.packet, Random(seed), percent=8, longer_us=60) for seed in range(20)
            ]
        for packet in packets:
            signal = read(packet).signal
            assert read(packet).key == (signal.key if signal is not None else None)


def test_a_frame_behind_a_long_pause_is_part_of_what_is_said() -> None:
    """Projectors and air conditioners begin all their codes with the same frame."""
    first, plus, minus = "0" * 12 + "1" * 20, "0011" * 8, "0101" * 8
    for gap_us in (20_000, 40_000, 100_000):
        zoom_in = sent(frame(first), frame(plus), gap_us=gap_us)
        zoom_out = sent(frame(first), frame(minus), gap_us=gap_us)
        assert bits_of(zoom_in) == [first, plus]
        assert read(zoom_in).key != read(zoom_out).key != read(sent(frame(first))).key


def test_a_second_block_without_a_leader_is_a_frame() -> None:
    block, second = "1001000001100000000001000001010010"[:35], "0010000000000010000000001011"
    packet = sent([*frame(block), -20_000, *frame(second, ((), *NEC[1:]))], gap_us=40_000)
    assert bits_of(packet) == [block, second]
    assert bits_of(heard(packet, Random(1), percent=8, longer_us=80, copies=2)) == [block, second]


def test_bits_of_one_kind_in_a_frame_of_their_own() -> None:
    """Some air conditioners begin with five zeros and a pause."""
    wake = [us for _ in range(5) for us in (430, -430)] + [430, -25_000]
    bits = "1000100001011011111001000000"
    whole = frame(bits, ((3500, 1750), (430, 430), (430, 1290)))
    assert bits_of(sent([*wake, *whole])) == ["00000", bits]


@pytest.mark.parametrize("lost", [1, 2, 3, 8, 20])
def test_a_first_frame_that_is_cut_off_is_put_right_by_its_repeat(lost: int) -> None:
    packet = sent(frame("0010110111010010" * 2))
    late = to_timings(packet)[lost - 1 :] + to_timings(packet)
    late = late[lost % 2 == 0 :]
    late[0] = min(200, late[0])
    assert read(from_timings(late)).key == read(packet).key


def test_a_last_frame_that_is_cut_off_does_not_count() -> None:
    packet = sent(frame("0010110111010010" * 2))
    timings = to_timings(packet)
    for end in (5, 20, 41):
        cut = from_timings(timings + timings[:end])
        assert read(cut).key == read(packet).key
        signal = read(cut).signal
        assert signal is not None
        assert len(to_timings(signal.packet())) == len(timings)


def test_repeats_of_nec_are_no_frames_that_say_something() -> None:
    ditto = [9000, -2250, 560, -96_000]
    whole = [*frame("0010110111010010" * 2), -40_000]
    assert read(from_timings(whole + ditto * 3)).key == read(from_timings(whole)).key


def test_a_single_disturbed_pulse_does_not_matter() -> None:
    packet = sent(frame("0010110111010010" * 2))
    for place in (8, 21, 40):
        timings = to_timings(packet)
        timings[place] += 210
        timings[place + 1] += 210
        assert read(from_timings(timings)).key == read(packet).key


@pytest.mark.parametrize("address", [0, 5, 31])
@pytest.mark.parametrize("command", [0, 12, 63])
def test_biphase(address: int, command: int) -> None:
    packet = encode("RC5", address=address, command=command)
    assert packet is not None
    expected = f"110{address:05b}{command:06b}"
    assert bits_of(packet) == [expected]
    assert bits_of(heard(packet, Random(command), percent=8, longer_us=80, copies=2)) == [expected]
    signal = read(packet).signal
    assert signal is not None
    assert bits_of(signal.packet()) == [expected]


def test_radio_is_the_frame_that_is_there_most_often() -> None:
    bits = "010011010010110100101101"
    code = [*frame(bits + "0", RADIO), -10_850]
    noise = [100, -220, 340, -90, 60, -5000]
    known = from_radio_timings(code * 6, frequency_hz=433_920_000)
    late = from_radio_timings([*code[13 * 2 :], *code * 4, *noise], frequency_hz=433_920_000)
    assert bits_of(known) == [bits + "0"]
    assert read(late).key == read(known).key
    signal = read(known).signal
    assert signal is not None
    assert signal.packet()[0] == known[0]


@given(st.lists(st.integers(30, 20_000), min_size=1, max_size=120))
def test_noise_is_no_error(durations: list[int]) -> None:
    packet = from_timings([us * (-1 if index % 2 else 1) for index, us in enumerate(durations)])
    signal = read(packet).signal
    assert read(packet).key == (signal.key if signal is not None else None)
    if signal is not None:
        signal.packet()


@pytest.mark.parametrize("packet", ["", "26", "2600", "26000000", "b2c00400"])
def test_what_is_too_short_says_nothing(packet: str) -> None:
    """A row of a table that holds no packet is none, and disturbs no other."""
    assert read(bytes.fromhex(packet)).signal is None
    assert read(bytes.fromhex(packet)).key is None
