"""Packets and their texts: every form, every captured packet, everything malformed."""

import base64
from importlib import import_module
from textwrap import wrap

from hypothesis import given, strategies as st
import pytest

from custom_components.irhub.packet import (
    MAX_PACKET,
    MAX_TEXT,
    TICK_US,
    check,
    from_base64,
    from_hex,
    from_pronto,
    from_timings,
    kind,
    parse_text,
    to_base64,
    to_hex,
    to_timings,
    trim,
)

from .captured import Captured, captured

CAPTURED = captured()
INFRARED = [known for known in CAPTURED if known.kind == "ir"]
every_captured = pytest.mark.parametrize("known", CAPTURED, ids=[known.what for known in CAPTURED])

TV_POWER = bytes.fromhex("26001c001d1d1e1c1e1e1c1e1b1e1c1d1d3a1d1c1d1e1c1e1f1b1e1c1e000d05")
TV_POWER_BASE64 = "JgAcAB0dHhweHhweGx4cHR06HRwdHhweHxseHB4ADQU="
RM4_RF = bytes.fromhex("b1c00d00 009f0600 0c 24 0c 000139 0b 0c 0f".replace(" ", ""))
PRONTO_NEC = (
    "0000 006D 0022 0002 0157 00AC 0015 0016 0015 0016 0015 0041 0015 0016 0015 0016 0015 0016"
    " 0015 0016 0015 0016 0015 0041 0015 0041 0015 0016 0015 0041 0015 0041 0015 0041 0015 0041"
    " 0015 0041 0015 0016 0015 0016 0015 0016 0015 0041 0015 0016 0015 0016 0015 0016 0015 0016"
    " 0015 0041 0015 0041 0015 0041 0015 0016 0015 0041 0015 0041 0015 0041 0015 0041 0015 0602"
    " 0157 0056 0015 0E3D"
)


def packet(body: bytes, *, first: int = 0x26, repeat: int = 0) -> bytes:
    return bytes([first, repeat]) + len(body).to_bytes(2, "little") + body


@every_captured
def test_captured_packet_round_trips_in_every_form(known: Captured) -> None:
    expected = known.packet
    digits = expected.hex()
    bare = known.base64.rstrip("=")
    for text in (
        known.base64,
        bare,
        bare + "==",
        f"  {known.base64}\n",
        "\n".join(wrap(known.base64, 20)),
        known.base64.replace("+", "-").replace("/", "_"),
        f"b64:{known.base64}",
        f"B64: {known.base64}",
        digits,
        digits.upper(),
        f"0x{digits}",
        " ".join(wrap(digits, 2)),
        " ".join(wrap(digits, 4)),
        ":".join(wrap(digits, 2)),
        ", ".join(f"0x{byte}" for byte in wrap(digits, 2)),
        f"hex:{digits}",
        f"hex:{':'.join(wrap(digits, 2))}",
        base64.b64decode(known.base64).hex(),
    ):
        assert parse_text(text) == expected, text
    assert parse_text(to_base64(expected)) == expected
    assert parse_text(to_hex(expected)) == expected
    assert trim(base64.b64decode(known.base64)) == expected
    assert kind(expected) == known.kind


@pytest.mark.parametrize("known", INFRARED, ids=[known.what for known in INFRARED])
def test_captured_packet_survives_its_timings(known: Captured) -> None:
    timings = to_timings(known.packet)
    assert from_timings(timings) == known.packet
    assert parse_text(" ".join(map(str, timings))) == known.packet
    # the library of the hubs reads the same durations
    library = import_module("broadlink_async.remote").data_to_pulses(known.packet)
    assert all(abs(abs(a) - b) <= 1 for a, b in zip(timings, library, strict=True))


@pytest.mark.parametrize(
    "text",
    [
        "9000 -4500 560 -560 560",
        "+9000 -4500 +560 -560 +560",
        "+9000,-4500,+560,-560,+560",
        "[9000, -4500, 560, -560, 560]",
        "raw:9000, -4500, 560, -560, 560",
        "9000 -4500 560 -260 -300 560",
        "-40000 9000 -4500 560 -560 560",
    ],
)
def test_microseconds(text: str) -> None:
    assert parse_text(text) == packet(b"\x00\x01\x28\x94\x12\x12\x12")


def test_a_tick_is_8192_269ths_of_a_microsecond_rounded() -> None:
    assert from_timings([round(200 * TICK_US), -46, 45]) == packet(b"\xc8\x02\x01")
    assert from_timings([1, -1, 15]) == packet(b"\x01\x01\x01")
    assert from_timings([7797, -7766]) == packet(b"\x00\x01\x00\xff")


def test_repeats_stand_in_the_header() -> None:
    assert from_timings([600, -600], repeats=3)[:2] == b"\x26\x03"
    with pytest.raises(ValueError, match="256 repeats"):
        from_timings([600, -600], repeats=256)


@pytest.mark.parametrize(
    ("timings", "sentence"),
    [
        ([], "no durations"),
        ([-500], "no durations"),
        ([600, 0, 600], "a duration of 0"),
        ([600, 600], "no space"),
        ([600, -2_000_000], "2000000 µs is longer than 1995"),
        ([600, -600] * MAX_PACKET, "more than 8192"),
        ([9000, -9000] * 1500, "longer than 8192"),
    ],
)
def test_impossible_timings(timings: list[int], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        from_timings(timings)


@pytest.mark.parametrize(
    "text",
    [
        PRONTO_NEC,
        PRONTO_NEC.lower(),
        PRONTO_NEC.replace(" ", ""),
        PRONTO_NEC.replace(" ", "\n"),
        f"pronto:{PRONTO_NEC}",
        f"Pronto: {PRONTO_NEC}",
    ],
)
def test_pronto(text: str) -> None:
    timings = to_timings(parse_text(text))
    assert len(timings) == 68
    assert abs(timings[0] - 9024) < TICK_US
    assert abs(timings[1] + 4523) < TICK_US
    assert abs(timings[67] + 0x602 * 26.296) < TICK_US


def test_pronto_with_only_a_repeat_sequence() -> None:
    assert to_timings(from_pronto("0000 006d 0000 0001 0020 0040")) == [853, -1675]


def test_pronto_and_hex_of_nothing_but_digits() -> None:
    assert to_timings(parse_text("0000 0067 0000 0001 0060 0018"))[0] == 2375
    assert parse_text("26000400 11223344") == packet(b"\x11\x22\x33\x44")
    assert parse_text("26 00 02 00 11 22") == packet(b"\x11\x22")


def test_rm4_pro_capture_passes_untouched() -> None:
    for text in (RM4_RF.hex(), to_base64(RM4_RF)):
        assert parse_text(text) == RM4_RF
    assert kind(RM4_RF) == "rf"
    assert len(to_timings(RM4_RF)) == 7
    assert trim(RM4_RF + bytes(7)) == RM4_RF


@pytest.mark.parametrize("first", [0xB2, 0xB4, 0xB1, 0xD7])
def test_radio_types(first: int) -> None:
    assert kind(parse_text(packet(b"\x0c" * 12, first=first).hex())) == "rf"


def test_hex_that_is_also_valid_base64_is_hex() -> None:
    for text in ("26000800" + "1122334455667788", "b2000800" + "11223344556677aa"):
        base64.b64decode(text, validate=True)
        assert parse_text(text) == bytes.fromhex(text)


@pytest.mark.parametrize(
    ("first", "repeats"), [(0x26, 256), (0xB1, 256), (0xB2, 256), (0xB4, 256), (0xD7, 64)]
)
def test_no_base64_of_a_known_type_looks_like_hex(first: int, repeats: int) -> None:
    for repeat in range(repeats):
        text = to_base64(packet(b"\x11\x22", first=first, repeat=repeat))
        assert not set(text[:2]) <= set("0123456789abcdefABCDEF")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the packet is empty"),
        (" \n", "the packet is empty"),
        ("on", "not Base64, hex or Pronto of a packet: 'on'"),
        ("cG93ZXIgb24=", "not Base64, hex or Pronto of a packet: 'cG93ZXIg…' .12 characters"),
        ("power on!", r"not Base64, hex or Pronto: character '!' in 'power on…' .9 characters"),
        ("JgAcAB0dHhweHhweGx4cHR0", "28 bytes, but 13 follow: the end is missing"),
        (TV_POWER_BASE64[:33], "33 characters are one too many or too few"),
        ("b64:JgAc!", "character '!' in 'JgAc!'"),
        ("b64:ABwAAA==", "type 0x00 is neither infrared"),
        ("hex:" + TV_POWER_BASE64, "not hex: 'JgAcAB0d"),
        ("pronto:" + TV_POWER_BASE64, "not Pronto, which is words of four hex digits"),
        ("raw:JgAc", "not microseconds"),
        ("raw:9000 99999999999", "not microseconds"),
        ("raw:", "not microseconds"),
        ("hex:", "not hex"),
        ("9000 4500 560 560", r"an odd number of hex digits \(3\): '560'"),
        ("9000 4500", "type 0x90 is neither"),
        ("26001", r"an odd number of hex digits \(5\): '26001'"),
        ("26 00 1", r"an odd number of hex digits \(1\): '1'"),
        ("2600", "2 bytes are too few for a packet: '2600'"),
        ("410002001122", "type 0x41 is neither infrared"),
        ("26000300 1122", "announces 3 bytes, but 2 follow"),
        ("26000100 1122", "announces 1 bytes, but 2 follow, up to 0x22"),
        ("26000000", "no durations"),
        ("26000400 11000000", "duration 2 is 0"),
        ("26000200 1100", "the last duration is cut off"),
        ("26000300 110001", "the last duration is cut off"),
        ("b1c00400 009f0600", "no durations"),
        ("b1c00200 009f", "no durations"),
        ("26:" + "00:" * MAX_PACKET + "00", "longer than 8192"),
        ("A" * (MAX_TEXT + 1), "65537 characters is longer"),
        ("0000 006d 0001", "the first four words"),
        ("0000 0000 0001 0000 0020 0040", "the carrier"),
        ("0000 006d 0002 0000 0020 0040", "2 . 0 pairs are announced, which is 4 words, but 2"),
        ("0000 006d 0000 0000", "no durations"),
        ("0000 006d 0001 0000 20 40", "words of four hex digits"),
        ("pronto:5000 0000 0000 0001 0001 0002", "type 5000 is not supported"),
        ("0000 ffff 0001 0000 ffff ffff", "µs is longer than"),
    ],
)
def test_sentences(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        parse_text(text)


def test_only_the_header_of_a_packet_is_quoted() -> None:
    with pytest.raises(ValueError, match="missing") as caught:
        parse_text(TV_POWER.hex()[:-2])
    assert str(caught.value).endswith("missing: '26001c00…' (62 characters)")


@given(st.text(max_size=200) | st.from_regex(r"(b64:|hex:|pronto:|raw:)?[ -z]*", fullmatch=True))
def test_any_text_gives_a_packet_or_a_sentence(text: str) -> None:
    try:
        result = parse_text(text)
    except ValueError:
        return
    assert check(result) == result
    assert parse_text(to_base64(result)) == result
    assert parse_text(to_hex(result)) == result


@given(st.text("0123456789abcdefABCDEF+-/_=: ,x\n[]", max_size=120))
def test_any_mix_of_the_forms_gives_a_packet_or_a_sentence(text: str) -> None:
    for read in (parse_text, from_hex, from_pronto, from_base64):
        try:
            assert check(read(text))
        except ValueError:
            continue


@given(st.binary(max_size=300), st.sampled_from([b"", b"\x26\x00", b"\xb1\xc0", b"\xb2\x05"]))
def test_any_bytes_are_checked(data: bytes, head: bytes) -> None:
    try:
        result = check(head + data)
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
