"""What a packet means, with the infrared library that core of this version brings."""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import batched, product
from pathlib import Path
from random import Random
import re

from hypothesis import given, strategies as st
import pytest

from custom_components.irhub.ircodes.packet.packet import (
    TICK_US,
    from_bytes,
    from_timings,
    to_timings,
)
from custom_components.irhub.ircodes.packet.text_forms import parse_text
from custom_components.irhub.ircodes.protocols.presses import same_button
from custom_components.irhub.ircodes.protocols.protocols import (
    COMMANDS,
    Command,
    clean,
    closed,
    encode,
    learned,
    meaning,
    parameters,
    press,
)

from ...jitter import jittered
from ..captured import Captured, captured
from ..own_process import run
from .readable import READABLE, commands, is_ambiguous, reads

CAPTURED = captured()
NEC = [known for known in CAPTURED if known.decoded.startswith("NEC")]


def text_of(packet: bytes | None) -> str | None:
    assert packet is not None
    return meant.text if (meant := meaning(packet)) is not None else None


@pytest.mark.parametrize("known", NEC, ids=[known.what for known in NEC])
def test_nec(known: Captured) -> None:
    numbers = [int(number, 16) for number in re.findall("0x([0-9a-f]+)", known.decoded)]
    match numbers:
        case [address, command]:
            assert text_of(known.packet) == f"NEC 0x{address:02x}/0x{command:02x}"
        case [low, high, command]:
            assert text_of(known.packet) == f"NEC 0x{high << 8 | low:04x}/0x{command:02x}"


@pytest.mark.parametrize("known", CAPTURED, ids=[known.what for known in CAPTURED])
def test_nothing_is_taken_for_another_protocol(known: Captured) -> None:
    """Where a version of the library reads a protocol, it is the right one."""
    words = {"NEC": "NEC", "Samsung": "Samsung", "Sony": "Sony", "RC-5": "RC5", "RC-6": "RC6"}
    if text := text_of(known.packet):
        assert known.decoded.startswith(words[text.split()[0]])


def test_infrared_of_no_known_protocol() -> None:
    assert text_of(from_timings([9000, -4500, 560])) is None
    assert text_of(parse_text("26000200 1122")) is None


def test_radio_has_no_meaning() -> None:
    assert text_of(parse_text("b2000200 1122")) is None
    assert clean(parse_text("b2000200 1122")) is None


@given(st.binary(min_size=1, max_size=200))
def test_any_packet_may_be_asked_for_its_meaning(body: bytes) -> None:
    try:
        packet = from_bytes(b"\x26\0" + len(body).to_bytes(2, "little") + body)
    except ValueError:
        return
    meaning(packet)
    clean(packet)


def test_without_the_library(tmp_path: Path) -> None:
    """An installation whose core lacks it reads and writes what is in our own table."""
    assert find_spec("infrared_protocols")
    rc5 = encode("RC5", address=1, command=2)
    assert rc5 is not None
    program = (
        "import sys\n"
        "sys.modules['infrared_protocols'] = None\n"
        "from ircodes import encode, meaning, parse_text\n"
        f"print(meaning(parse_text({NEC[0].base64!r})).text, encode('Dyson', command=8))\n"
        f"print(meaning(bytes.fromhex({rc5.hex()!r})).text)"
    )
    printed = run(tmp_path, "-c", program)
    assert printed.split("\n")[:2] == [f"{text_of(NEC[0].packet)} None", "RC-5 0x01/0x02"]


def test_what_one_button_says_is_equal_whatever_it_repeats() -> None:
    once = parse_text(NEC[0].base64)
    held = from_timings([*to_timings(once), *[9000, -2250, 560, -96000] * 5])
    assert meaning(once) == meaning(held)
    assert hash(meaning(once)) == hash(meaning(held))


@pytest.mark.parametrize("protocol", ["RC-5", "RC-6"])
@given(address=st.integers(0, 31), command=st.integers(0, 127), seed=st.integers(0, 99))
def test_a_toggle_bit_says_nothing(protocol: str, address: int, command: int, seed: int) -> None:
    packets = press(protocol, {"D": address, "F": command}) or []
    pressed = [from_timings(jittered(to_timings(packet), Random(seed))) for packet in packets]
    assert len(pressed) == 2
    assert [text_of(packet) for packet in pressed] == [
        f"{protocol} 0x{address:02x}/0x{command:02x}"
    ] * 2
    for packet in pressed:
        same, other = learned([packet])
        assert same == packet
        assert text_of(other) == text_of(packet)
        assert other == packets[1 - pressed.index(packet)]


def test_only_what_has_a_toggle_bit_is_toggled() -> None:
    for packet in (NEC[0].packet, parse_text("b2000200 1122")):
        assert learned([packet]) == [packet]
    alternating = [encode("RC5", address=1, command=command) or b"" for command in (2, 3)]
    assert learned(alternating) == alternating


def test_clean_is_without_a_cut_repeat() -> None:
    timings = to_timings(encode("NEC", address=4, command=8) or b"")
    noisy = jittered(timings, Random(1))
    repeat = [9000, -2250, 560]
    assert clean(from_timings([*noisy, *repeat[:2]])) == clean(from_timings(noisy))
    cleaned = clean(from_timings(noisy))
    assert cleaned is not None
    assert to_timings(cleaned)[:-1] == pytest.approx(timings[:-1], abs=16)


def test_clean_is_one_press_of_a_button_that_was_held_or_pressed_twice() -> None:
    """What stands behind a repeat is another press: a power button would turn it off again."""
    press_us = to_timings(encode("NEC", address=4, command=8) or b"")
    repeat = [9000, -2250, 560, -96_000]
    once = clean(from_timings(press_us))
    assert once is not None
    for held in ([*repeat], [*repeat, *press_us], [*repeat * 2, *press_us, *repeat, *press_us]):
        assert clean(from_timings(press_us + held)) == once
    assert len(to_timings(clean(from_timings(press_us * 2 + repeat + press_us)) or b"")) == 2 * len(
        press_us
    )


def test_what_has_a_second_frame_of_its_own_has_no_meaning_by_the_first() -> None:
    """A projector's buttons all begin with one frame; an air conditioner's second block counts."""
    frame, other = (
        to_timings(encode(name, address=4, command=8) or b"") for name in ("NEC", "Samsung32")
    )
    packet = from_timings([*frame[:-1], -36_000, *other])
    assert text_of(packet) is None
    assert clean(packet) is None
    assert learned([packet]) == [packet]


def test_two_protocols_that_differ_in_the_leader_are_two() -> None:
    packets = [(press(name, {"D": 0x88, "F": 0x808}) or [b""])[0] for name in ("LG", "LG2")]
    assert [clean(packet) for packet in packets] == packets
    assert packets[0] != packets[1]


def test_whole_copies_stay() -> None:
    frame = to_timings(encode("RC5", address=1, command=2) or b"")
    assert len(to_timings(clean(from_timings(frame * 2)) or b"")) == 2 * len(frame)
    assert len(to_timings(clean(from_timings(frame * 9)) or b"")) == 3 * len(frame)


def test_what_has_no_meaning_is_not_cleaned() -> None:
    assert clean(from_timings([9000, -4500, 560])) is None


@pytest.mark.parametrize(
    ("protocol", "address", "command", "text"),
    [
        ("NEC", 0x04, 0x08, "NEC 0x04/0x08"),
        ("nec1", 0x04, 0x08, "NEC 0x04/0x08"),
        ("NECext", 0x8604, 0xF708, "NEC 0x8604/0x08"),
        ("RC5", 0x14, 0x35, "RC-5 0x14/0x35"),
        ("RC5X", 0x14, 0x75, "RC-5 0x14/0x75"),
        ("RC-6", 0x04, 0x0C, "RC-6 0x04/0x0c"),
    ],
)
def test_encode(protocol: str, address: int, command: int, text: str) -> None:
    assert text_of(encode(protocol, address=address, command=command)) == text


@pytest.mark.parametrize("protocol", ["Samsung32", "NECx1", "SIRC", "Sony12", "sirc15", "SIRC20"])
def test_every_host_writes(protocol: str) -> None:
    assert encode(protocol, address=1, command=2)


def test_encode_with_what_else_a_protocol_needs() -> None:
    assert encode("Kaseikyo", address=0x2002, data=bytes([0xA0, 0, 0xD0, 0x70]))


def test_repeats_are_the_hubs() -> None:
    packet = encode("NEC", address=4, command=8, repeats=2)
    assert packet is not None
    assert packet[1] == 2


def test_what_cannot_be_encoded() -> None:
    assert encode("Nobody's", address=1, command=2) is None
    assert encode("NEC", address=1, command=2, color=3) is None
    with pytest.raises(ValueError, match="D is 99, which is not within 0 to 31"):
        encode("RC5", address=99, command=2)
    with pytest.raises(ValueError, match="repeat_count is 300, which is not within 0 to 255"):
        encode("NEC", address=4, command=8, repeats=300)


@pytest.mark.parametrize("cls", READABLE, ids=lambda cls: cls.__name__)
def test_the_librarys_own_protocols(cls: type[Command]) -> None:
    """What it writes and reads itself is read from a capture, too, 5 % off."""
    random = Random(cls.__name__)
    for command in commands(cls, random):
        timings = command.get_raw_timings()
        if not reads(cls, timings):
            continue
        received = jittered(timings, random)
        if not reads(cls, received):
            continue  # it expects durations that are less than 5 % off
        exact = meaning(from_timings(timings))
        assert (exact is None) is is_ambiguous(from_timings(timings)), vars(command)
        assert meaning(from_timings(received)) == exact, vars(command)


LIBRARY: dict[str, Callable[..., Command]] = {
    cls.__name__.removesuffix("Command"): cls for cls in COMMANDS
}


@pytest.mark.parametrize(
    ("cls", "row", "addresses", "commands", "others"),
    [
        ("NEC", "NEC", 0xFFFF, 0xFF, {}),
        ("NEC", "NEC", 0xFF, 0xFF, {}),
        ("Samsung32", "Samsung32", 0xFF, 0xFF, {}),
        ("Samsung32", "Samsung32", 0xFFFF, 0xFF, {}),
        ("RC5", "RC5", 0x1F, 0x7F, {}),
        ("RC6", "RC6", 0xFF, 0xFF, {}),
        ("Sony", "Sony12", 0x1F, 0x7F, {"address_bits": 5}),
        ("Sony", "Sony15", 0xFF, 0x7F, {"address_bits": 8}),
        ("Sony", "Sony20", 0x1FFF, 0x7F, {"address_bits": 13}),
        ("Proton", "Proton", 0xFF, 0xFF, {}),
        ("Pioneer", "Pioneer", 0xFF, 0xFF, {}),
        ("Sharp", "Denon", 0x1F, 0xFF, {"extension": 0}),
        ("Sharp", "Sharp", 0x1F, 0xFF, {"extension": 1}),
    ],
)
def test_what_the_library_knows_too_it_writes_the_same(
    cls: str, row: str, addresses: int, commands: int, others: dict[str, int]
) -> None:
    """As far as the library of the installed host has the protocol."""
    for numbers in numbers_of(addresses, commands) if cls in LIBRARY else ():
        theirs = from_timings(closed(LIBRARY[cls](**numbers, **others).get_raw_timings()))
        ours = encode(row, **numbers)
        assert ours is not None
        assert same_button(theirs, ours)
        assert meaning(theirs) == meaning(ours) is not None


@pytest.mark.parametrize("cls", ["RC5", "RC6", "MarantzExtended"])
def test_the_library_writes_the_same_two_packets_of_a_toggle(cls: str) -> None:
    for numbers in numbers_of(0x1F, 0x3F) if cls in LIBRARY else ():
        address, command = numbers["address"], numbers["command"]
        others = {"extension": 63 - command} if cls == "MarantzExtended" else {}
        ours = (
            press("RC5x", {"D": address, "S": command, "F": 63 - command})
            if others
            else press(cls, {"D": address, "F": command})
        )
        assert ours is not None
        for toggle, packet in enumerate(ours):
            library = LIBRARY[cls](**numbers, **others, toggle=toggle).get_raw_timings()
            assert to_timings(packet)[:-1] == pytest.approx(library, abs=TICK_US)


def test_the_library_writes_the_same_extended_nec_and_kaseikyo() -> None:
    nec, kaseikyo = LIBRARY.get("NEC"), LIBRARY.get("Kaseikyo")
    has_subfunction = nec is not None and "subfunction" in parameters(nec)
    for numbers in numbers_of(0xFF, 0xFF):
        first, second = numbers["address"], numbers["command"]
        values = {"D": first, "S": 0x5A, "F": second, "E": 0xFF - first}
        if nec is not None and has_subfunction:
            library = nec(
                address=first | 0x5A00, command=second, subfunction=0xFF - first
            ).get_raw_timings()
            [ours] = press("NEC1-f16", values) or []
            assert to_timings(ours)[:-1] == pytest.approx(library, abs=TICK_US)
        if kaseikyo is not None:
            maker = 0x2002  # Panasonic
            data = bytes([first & 0xF0, 0x5A, second, (first & 0xF0) ^ 0x5A ^ second])
            library = kaseikyo(address=maker, data=data).get_raw_timings()
            [ours] = (
                press("Kaseikyo", {"M": 2, "N": 32, "D": first >> 4, "S": 0x5A, "F": second}) or []
            )
            assert meaning(ours) == meaning(from_timings(closed(library))) is not None
            assert to_timings(ours)[:-1] == pytest.approx(library, rel=0.05, abs=TICK_US)


def numbers_of(addresses: int, commands: int) -> Iterator[dict[str, int]]:
    """Yield the limits of address and command, and some values between."""
    random = Random(addresses)
    pairs = [*product((0, 1, addresses), (0, 1, commands))]
    pairs += [(random.randint(0, addresses), random.randint(0, commands)) for _ in range(10)]
    for address, command in pairs:
        yield {"address": address, "command": command}


@pytest.mark.parametrize(
    ("protocol", "values", "sent"),
    [
        # An Apple TV: captures by a Flipper, whose check counts the bits of the device, too.
        ("Apple", {"D": 0xE5, "F": 22, "PairID": 0xFE}, "e5872cfe"),
        ("Apple", {"D": 0xE0, "F": 2, "PairID": 0x28}, "e0870528"),
        ("Apple", {"D": 0xEE, "F": 2, "PairID": 0xD4}, "ee8704d4"),
        ("Roku", {"D": 0xEA, "S": 0xC2, "F": 3}, "eac203fc"),
    ],
)
def test_the_bytes_of_a_frame_like_necs(protocol: str, values: dict[str, int], sent: str) -> None:
    [packet] = press(protocol, values) or []
    bits = [-us > 1000 for us in to_timings(packet)[3 : 3 + 8 * len(sent) : 2]]
    message = bytes(
        sum(bit << n for n, bit in enumerate(byte)) for byte in batched(bits, 8, strict=True)
    )
    assert message.hex() == sent
    assert meaning(packet) is not None


@pytest.mark.parametrize(
    ("protocol", "values", "sent"),
    [
        (
            "DirecTV_P3",
            {"D": 12, "F": 17},
            [
                *(6000, 1200, 1200, 1200, 600, 600, 600, 600, 600, 1200),
                *(600, 600, 600, 1200, 600, 1200, 1200, 600, 600, 30000),
            ],
        ),
        (
            "Thomson",
            {"D": 16, "F": 1},
            [
                *(500, 2000, 500, 2000, 500, 2000, 500, 2000, 500, 2000, 500, 4500),
                *(500, 4500, 500, 2000, 500, 2000, 500, 2000, 500, 2000, 500, 2000, 500),
            ],
        ),
        (
            "XMP",
            {"D": 61, "S": 16, "F": 3840, "OEM": 69},
            [210, 896, 210, 1712, 210, 760, 210, 2800, 210, 1304, 210, 1440, 210, 1168, 210, 2528],
        ),
        (
            "GXB",
            {"D": 3, "F": 6},
            [
                *(520, 520, 520, 1560, 520, 1560, 1560, 520, 1560, 520, 520, 1560, 520, 1560),
                *(520, 1560, 520, 1560, 520, 1560, 1560, 520, 1560, 520, 520, 1560),
            ],
        ),
    ],
)
def test_what_irptransmogrifier_encodes(
    protocol: str, values: dict[str, int], sent: list[int]
) -> None:
    packet, *_ = press(protocol, values) or []
    durations = [abs(us) for us in to_timings(packet)]
    assert durations[: len(sent)] == pytest.approx(sent, abs=TICK_US)
