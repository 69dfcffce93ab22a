"""The texts of packets: every form, every captured packet, everything malformed."""

import base64
from textwrap import wrap

from hypothesis import given, strategies as st
import pytest

from custom_components.irhub.ircodes.packet.packet import (
    MAX_PACKET,
    TICK_US,
    from_bytes,
    kind,
    to_timings,
)
from custom_components.irhub.ircodes.packet.text_forms import (
    MAX_TEXT,
    from_base64,
    from_hex,
    from_pronto,
    parse_text,
    to_base64,
    to_hex,
)

from ..captured import Captured, captured

CAPTURED = captured()
every_captured = pytest.mark.parametrize("known", CAPTURED, ids=[known.what for known in CAPTURED])

TV_POWER = bytes.fromhex("26001c001d1d1e1c1e1e1c1e1b1e1c1d1d3a1d1c1d1e1c1e1f1b1e1c1e000d05")
TV_POWER_BASE64 = "JgAcAB0dHhweHhweGx4cHR06HRwdHhweHxseHB4ADQU="
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
    assert from_bytes(base64.b64decode(known.base64)) == expected
    assert kind(expected) == known.kind


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
        "9000 4500 560 560 560",
        "9000,4500,560,560,560",
        "[9000, 4500, 560, 560, 560]",
        "{9000, 4500, 560, 560, 560}",
        "raw: 9000 4500 560 560 560",
        "+9000-4500+560-560+560",
        "9000-4500+560-560+560",
        "+9000-4500+560cC",
        "0,+9000-4500+560cC",
        "38000,+9000-4500+560-560+560",
        "38000,9000,4500,560,560,560",
        "0,9000,4500,560,560,560",
    ],
)
def test_microseconds(text: str) -> None:
    assert parse_text(text) == packet(b"\x00\x01\x28\x94\x12\x12\x12")


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


@pytest.mark.parametrize(
    ("text", "periods"),
    [
        ("sendir,1:1,1,38000,1,1,342,171,21,64,21,1500", [342, 171, 21, 64, 21, 1500]),
        ("SENDIR,3,99,38000,1,1, 342,171, 21,64, 21,1500\r", [342, 171, 21, 64, 21, 1500]),
        (
            "sendir,1:1,1,38000,2,3,342,171,21,64,21,1500",
            [342, 171, 21, 64, 21, 1500, 21, 64, 21, 1500],
        ),
        (
            "sendir,1:1,1,38000,1,1,342,171,21,21,21,64BCA21,1500",
            [342, 171, 21, 21, 21, 64, 21, 21, 21, 64, 342, 171, 21, 1500],
        ),
    ],
    ids=["plain", "spaces", "repeated", "letters"],
)
def test_global_cache(text: str, periods: list[int]) -> None:
    timings = to_timings(parse_text(text))
    assert len(timings) == len(periods)
    for us, count in zip(timings, periods, strict=True):
        assert abs(abs(us) - count / 0.038) < TICK_US


def test_pronto_with_only_a_repeat_sequence_is_sent_three_times() -> None:
    once = from_pronto("0000 006d 0001 0001 0020 0040 0010 0010")
    again = from_pronto("0000 006d 0000 0001 0020 0040")
    assert to_timings(once) == to_timings(again) == [853, -1675]
    assert (once[1], again[1]) == (0, 2)


def test_pronto_and_hex_of_nothing_but_digits() -> None:
    assert to_timings(parse_text("0000 0067 0000 0001 0060 0018"))[0] == 2375
    assert parse_text("26000400 11223344") == packet(b"\x11\x22\x33\x44")
    assert parse_text("26 00 02 00 11 22") == packet(b"\x11\x22")


def test_hex_without_letters_is_no_list_of_microseconds() -> None:
    for text in ("26 00 02 00 11 22", "2600 0200 1122", "26000400 11223344"):
        assert parse_text(text)[0] == 0x26
    # what is of one even length and begins with 26 is a packet, unless the prefix says otherwise
    assert to_timings(parse_text("2600 1300 560"))[0] == 2589
    assert to_timings(parse_text("raw: 2600 1300 5600"))[0] == 2589


def test_hex_that_is_also_valid_base64_is_hex() -> None:
    for text in ("26000800" + "1122334455667788", "b2000800" + "11223344556677aa"):
        base64.b64decode(text, validate=True)
        assert parse_text(text) == bytes.fromhex(text)


@pytest.mark.parametrize(
    ("first", "repeats"),
    [(0x26, 256), (0xB1, 256), (0xB2, 256), (0xB4, 256), (0xD7, 64), (0xE9, 160)],
)
def test_no_base64_of_a_known_type_looks_like_hex(first: int, repeats: int) -> None:
    for repeat in range(repeats):
        text = to_base64(packet(b"\x11\x22", first=first, repeat=repeat))
        assert not set(text[:2]) <= set("0123456789abcdefABCDEF")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the text is empty"),
        (" \n", "the text is empty"),
        ("on", "not a code in Base64/hex/Pronto/Tuya: 'on'"),
        ("cG93ZXIgb24=", "not a code in Base64/hex/Pronto/Tuya: 'cG93ZXIg…' .12."),
        ("power on!", r"not a code in Base64/hex/Pronto/Tuya: 'power on…' .9."),
        ("JgAcAB0dHhweHhweGx4cHQ", "incomplete, or too long"),
        ("tgAcAB0dHhweHhweGx4cHQ", "incomplete, or too long"),
        (TV_POWER_BASE64[:33], "incomplete, or too long"),
        (TV_POWER_BASE64[:33] + "!", "character '!' in "),
        ("the name of a command, a long one!!", "not a code in Base64/hex/Pronto/Tuya: 'the na"),
        ("b64:JgAc!", "character '!' in 'JgAc!'"),
        ("b64:ABwAAA==", "no durations"),
        ("hex:" + TV_POWER_BASE64, "not a code in hex: 'JgAcAB0d"),
        ("pronto:" + TV_POWER_BASE64, "not a code in Pronto"),
        ("raw:JgAc", "not microseconds"),
        ("raw:9000 99999999999", "not microseconds"),
        ("raw:", "not microseconds"),
        ("hex:", "not a code in hex"),
        ("90 0b 450", r"incomplete, or too long: '450'"),
        ("9000 4500", "not a code in Base64/hex/Pronto/Tuya: '90004500'"),
        ("+9000-4500D", "not microseconds such as"),
        ("9000 4500 0 560", "not a code|incomplete|not microseconds"),
        ("raw:9000 4500 0 560", "duration 3 is 0"),
        ("Filetype: IR signals file\nVersion: 1", "not a packet but Flipper"),
        ("begin remote\n  name tv", "not a packet but lircd.conf"),
        ("<girr/>", "not a packet but XML"),
        ("functionname,protocol\n", "not a packet but CSV"),
        ("sendir,1:1,1,38000,1,1,342,171,21", "incomplete, or too long: 'sendir,1…'"),
        ("sendir,1:1,1,38000,1,1,342,171B", "incomplete, or too long"),
        ("sendir,1:1,1,38000,1,2,342,171", "incomplete, or too long"),
        ("sendir,1:1,1,38000,0,1,342,171", "incomplete, or too long"),
        ("sendir,1:1,1,38000,2,3,342,171", "incomplete, or too long"),
        ("sendir,1:1,1,00000,1,1,342,171", "not a code in Global Caché"),
        ("sendir,1:1,1,38000,1,1,0,171", "incomplete, or too long"),
        ("sendir,1:1,1,38000,99,1,342,171" + "A" * 50, "longer than 8192 bytes"),
        ("sendir,power", "not a code in Global Caché: 'sendir,p…'"),
        ('{"Protocol": "NEC"}', "not a packet but JSON"),
        ("26001", r"incomplete, or too long: '26001'"),
        ("26 00 1", r"incomplete, or too long: '1'"),
        ("2600", "incomplete, or too long: '2600'"),
        ("41000200" + "11" * 18, "not a code in Base64/hex/Pronto/Tuya: '41000200"),
        ("26001200 1122", "incomplete, or too long: '26001200…'"),
        ("26000000", "no durations"),
        ("26000400 11000000", "duration 2 is 0"),
        ("26000100 00", "no durations"),
        ("b1c00400 009f0600", "no durations"),
        ("b1c00200 009f", "no durations"),
        ("cG93ZXIgb24=", "not a code in Base64/hex/Pronto/Tuya: 'cG93ZXIg"),
        pytest.param(
            "2600fd1f" + "11" * (MAX_PACKET - 3), "the packet is longer than 8192 bytes", id="8 kB"
        ),
        pytest.param("A" * (MAX_TEXT + 1), "larger than 262144 bytes", id="256 kB"),
        ("0000 006d 0001", "incomplete, or too long"),
        ("0000 0000 0001 0000 0020 0040", "begins with 0000 0000 is not read"),
        ("0000 006d 0002 0000 0020 0040", "incomplete, or too long"),
        ("0000 006d 0000 0000", "no durations"),
        ("0000 006d 0001 0000 20 40", "not a code in Pronto"),
        ("pronto:5000 0000 0000 0001 0001 0002", "begins with 5000 is not read"),
        ("0000 ffff 0001 0000 ffff ffff", "µs, which is not within"),
    ],
)
def test_sentences(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        parse_text(text)


def test_only_the_header_of_a_packet_is_quoted() -> None:
    with pytest.raises(ValueError, match="incomplete") as caught:
        parse_text(TV_POWER.hex()[:-32])
    assert str(caught.value).endswith("too long: '26001c00…' (32)")


@given(st.text(max_size=200) | st.from_regex(r"(b64:|hex:|pronto:|raw:)?[ -z]*", fullmatch=True))
def test_any_text_gives_a_packet_or_a_sentence(text: str) -> None:
    try:
        result = parse_text(text)
    except ValueError:
        return
    assert from_bytes(result) == result
    assert parse_text(to_base64(result)) == result
    assert parse_text(to_hex(result)) == result


@given(st.text("0123456789abcdefABCDEF+-/_=: ,x\n[]", max_size=120))
def test_any_mix_of_the_forms_gives_a_packet_or_a_sentence(text: str) -> None:
    for read in (parse_text, from_hex, from_pronto, from_base64):
        try:
            assert from_bytes(read(text))
        except ValueError:
            continue
