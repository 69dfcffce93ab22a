"""Packets: what is cut off, what is refused, durations there and back."""

from importlib import import_module
from importlib.util import find_spec

from hypothesis import given, strategies as st
import pytest

from custom_components.irhub.ircodes.packet.packet import (
    MAX_AIR_TIME_S,
    MAX_PACKET,
    TICK_US,
    air_time_s,
    carrier_mhz,
    from_bytes,
    from_capture,
    from_timings,
    join,
    kind,
    to_timings,
)
from custom_components.irhub.ircodes.packet.text_forms import parse_text, to_base64, to_hex

from ..captured import Captured, Lenient, captured, lenient, more_types

INFRARED = [known for known in captured() if known.kind == "ir"]

TV_POWER = bytes.fromhex("26001c001d1d1e1c1e1e1c1e1b1e1c1d1d3a1d1c1d1e1c1e1f1b1e1c1e000d05")
RM4_RF = bytes.fromhex("b1c00d00 009f0600 0c 24 0c 000139 0b 0c 0f".replace(" ", ""))


def packet(body: bytes, *, first: int = 0x26, repeat: int = 0) -> bytes:
    return bytes([first, repeat]) + len(body).to_bytes(2, "little") + body


@pytest.mark.parametrize("known", INFRARED, ids=[known.what for known in INFRARED])
def test_captured_packet_survives_its_timings(known: Captured) -> None:
    timings = to_timings(known.packet)
    assert from_timings(timings) == known.packet
    assert parse_text(" ".join(map(str, timings))) == known.packet


@pytest.mark.parametrize(
    "library", [name for name in ("broadlink", "broadlink_async") if find_spec(name)]
)
def test_the_libraries_of_the_hubs_read_the_same_durations(library: str) -> None:
    """They truncate, misread an RM4 pro's carrier, and take a duration that is cut off for 0."""
    remote = import_module(f"{library}.remote")
    packets = [
        *(known.packet for known in captured()),
        *(known.transmitted for known in (*lenient(), *more_types()) if known.packet[1] != 0xC0),
    ]
    assert len(packets) > 50
    for published in packets:
        ours = [abs(us) for us in to_timings(published)]
        theirs = remote.data_to_pulses(published + bytes(2), TICK_US)
        assert ours == pytest.approx(theirs[: len(ours)], abs=1)
        assert theirs[len(ours) :] in ([], [0])


@pytest.mark.parametrize("known", INFRARED, ids=[known.what for known in INFRARED])
def test_the_library_of_the_hubs_writes_the_same_packet(known: Captured) -> None:
    library = import_module("broadlink_async.remote")
    assert library.pulses_to_data([abs(us) for us in to_timings(known.packet)]) == known.packet


def test_a_tick_is_8192_269ths_of_a_microsecond_rounded() -> None:
    assert from_timings([round(200 * TICK_US), -46, 45]) == packet(b"\xc8\x02\x01")
    assert from_timings([1, -1, 15]) == packet(b"\x01\x01\x01")
    assert from_timings([7797, -7766]) == packet(b"\x00\x01\x00\xff")


def test_repeats_stand_in_the_header() -> None:
    assert from_timings([600, -600], repeats=3)[:2] == b"\x26\x03"
    with pytest.raises(ValueError, match="repeat_count is 256, which is not within 0 to 255"):
        from_timings([600, -600], repeats=256)


@pytest.mark.parametrize(
    ("timings", "sentence"),
    [
        ([], "no durations"),
        ([-500], "no durations"),
        ([600, 0, 600], "is 0 µs"),
        ([600, 600], "not microseconds such as"),
        ([600, -2_000_000], "2000000 µs, which is not within 1 to 1995"),
        ([600, -600] * MAX_PACKET, "longer than 8192"),
        ([9000, -9000] * 1500, "longer than 8192"),
    ],
)
def test_impossible_timings(timings: list[int], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        from_timings(timings)


@pytest.mark.parametrize(
    "behind",
    [
        b"\x0d\x05",
        b"\x0d\x05\0\0",
        b"\x2a\x0e\x0d",
        pytest.param(bytes(9000), id="9 kB"),
        b"\0\0\x11\x26",
    ],
)
def test_what_stands_behind_the_length_is_cut_off(behind: bytes) -> None:
    for text in ((TV_POWER + behind).hex(), to_base64(TV_POWER + behind)):
        assert parse_text(text) == TV_POWER


@pytest.mark.parametrize("end", [b"\0", b"\0\x0d"])
def test_a_last_duration_that_is_incomplete_stays(end: bytes) -> None:
    incomplete = packet(b"\x11\x22" + end)
    assert from_bytes(incomplete + b"\x0d\x05") == incomplete
    assert to_timings(incomplete) == to_timings(packet(b"\x11\x22"))


@pytest.mark.parametrize("missing", [1, 15])
def test_a_body_a_few_bytes_short_stays_as_it_is(missing: int) -> None:
    short = TV_POWER[:-missing]
    assert parse_text(to_base64(short)) == short
    assert to_timings(short) == to_timings(TV_POWER)[: len(to_timings(short))]


def test_the_size_counts_after_cutting() -> None:
    largest = packet(b"\x11" * (MAX_PACKET - 4))
    assert parse_text(largest.hex() + "00" * MAX_PACKET) == largest


def test_the_carrier_of_captures_is_read() -> None:
    b1, b2 = RM4_RF, b"\xb2" + RM4_RF[1:]
    assert carrier_mhz(b1) == carrier_mhz(b2) == 433.92
    assert to_timings(b1) == to_timings(b2)
    assert air_time_s(b1) == air_time_s(b2) == pytest.approx(0.0125, rel=0.01)
    # 192 repeats, and durations where a carrier would be
    repeated = packet(b"\x0c\x24" * 4, first=0xB2, repeat=0xC0)
    assert carrier_mhz(repeated) is None
    assert len(to_timings(repeated)) == 8


def test_the_carrier_is_told_by_its_shape() -> None:
    b0 = next(known.packet for known in more_types() if known.packet[0] == 0xB0)
    assert carrier_mhz(b0) == 433.17
    assert air_time_s(b0) == pytest.approx(0.26, rel=0.1)
    [off, lowest] = [x.packet for x in more_types() if x.packet.startswith(b"\x78\xc0")]
    assert carrier_mhz(off) == carrier_mhz(lowest) == 315
    assert carrier_mhz(b"\x26" + b0[1:]) is None
    assert carrier_mhz(b0[:4] + b"\x10\x20\x0c\x24" + b0[8:]) is None


@pytest.mark.parametrize("known", more_types(), ids=[known.what for known in more_types()])
def test_radio_of_other_types(known: Lenient) -> None:
    for text in (known.base64, known.raw.hex(), known.raw.hex(" ")):
        assert parse_text(text) == known.packet
    assert kind(known.packet) == "rf"
    with pytest.raises(ValueError, match="not a code in Base64/hex/Pronto/Tuya"):
        from_bytes(b"\x78" + known.packet[1:] + bytes(16))
    assert from_capture(known.packet) == known.packet


@pytest.mark.parametrize("first", [0xB0, 0xB1, 0xB2, 0x78])
def test_a_capture_that_began_inside_a_pulse_is_put_right(first: int) -> None:
    frame = [0x0C, 0x24, 0x24, 0x0C, 0x0C]
    whole = bytes([*frame, 0, 1, 0x40] * 3)
    head = bytes.fromhex("789f0600")
    aligned = packet(head + whole, first=first, repeat=0xC0)
    for rest in (b"\x05", b"\0\x01\x05", b"\0\0\x05"):
        late = packet(head + rest + whole, first=first, repeat=0xC0)
        assert from_capture(late) == aligned
        assert from_capture(late + bytes(5)) == aligned
    assert from_capture(aligned) == aligned
    once = packet(head + b"\x05" + whole[:8], first=first, repeat=0xC0)
    assert from_capture(once) == once
    infrared = packet(b"\x05" + whole, repeat=0xC0)
    assert from_capture(infrared) == infrared


def test_nobody_waits_longer_for_a_packet_than_the_longest_takes() -> None:
    assert round(MAX_AIR_TIME_S) == 64
    assert air_time_s(packet(b"\0\xff\xff" * 100)) == MAX_AIR_TIME_S
    assert air_time_s(packet(b"\xff" * 1000, repeat=255)) == MAX_AIR_TIME_S


def test_the_time_in_the_air_counts_the_repeats() -> None:
    assert air_time_s(packet(b"\x11\x22")) == pytest.approx(51 * TICK_US / 1e6)
    assert air_time_s(packet(b"\x11\x22", repeat=9)) == pytest.approx(510 * TICK_US / 1e6)


def test_several_packets_are_joined_with_their_repeats() -> None:
    first, other = packet(b"\x11\x22\x33", repeat=1), packet(b"\x44\x55")
    ticks = [round(abs(us) / TICK_US) for us in to_timings(join([first, other], gap_us=100_000))]
    assert ticks == [0x11, 0x22, 0x33, 3284, 0x11, 0x22, 0x33, 3284, 0x44, 3284]
    with pytest.raises(ValueError, match="with radio packets cannot be one command"):
        join([first, RM4_RF], gap_us=100_000)


def test_rm4_pro_capture_passes_untouched() -> None:
    for text in (RM4_RF.hex(), to_base64(RM4_RF)):
        assert parse_text(text) == RM4_RF
    assert kind(RM4_RF) == "rf"
    assert len(to_timings(RM4_RF)) == 7
    assert from_bytes(RM4_RF + bytes(7)) == RM4_RF
    assert carrier_mhz(RM4_RF) == 433.92


@pytest.mark.parametrize("first", [0xB2, 0xB4, 0xB1, 0xD7, 0xE9])
def test_radio_types(first: int) -> None:
    assert kind(parse_text(packet(b"\x0c" * 12, first=first).hex())) == "rf"


@given(st.binary(max_size=300), st.sampled_from([b"", b"\x26\x00", b"\xb1\xc0", b"\xb2\x05"]))
def test_any_bytes_are_checked(data: bytes, head: bytes) -> None:
    try:
        result = from_bytes(head + data)
    except ValueError:
        return
    assert parse_text(to_base64(result)) == result
    assert parse_text(to_hex(result)) == result
    assert all(to_timings(result))


@given(st.lists(st.integers(1, 1_995_000), min_size=2, max_size=200))
def test_any_timings_keep_their_number_and_length(durations: list[int]) -> None:
    timings = [value * (-1 if index % 2 else 1) for index, value in enumerate(durations)]
    back = to_timings(from_timings(timings))
    assert len(back) == len(timings)
    assert all(
        abs(a - b) <= TICK_US / 2 + 1 or abs(b) < TICK_US
        for a, b in zip(back, timings, strict=True)
    )
