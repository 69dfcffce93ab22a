"""The frames that LIRC's own library (liblirc 0.10.1) transmits for an lircd.conf."""

from itertools import chain, repeat

import pytest

from custom_components.irhub.ircodes.files.reading import read_codes
from custom_components.irhub.ircodes.packet.packet import TICK_US, to_timings
from custom_components.irhub.ircodes.protocols.protocols import meaning

DISH = """
  bits 4
  flags SPACE_ENC|NO_HEAD_REP
  header 400 6100
  one 400 1700
  zero 400 2800
  ptrail 400
  gap 6200
  min_repeat 2
"""
LENGTH = """
  bits 4
  flags SPACE_ENC|NO_HEAD_REP|CONST_LENGTH
  header 4000 2000
  one 500 1500
  zero 500 500
  ptrail 500
  gap 9900
  min_repeat 1
"""
FOOT = """
  bits 4
  flags SPACE_ENC|NO_FOOT_REP
  one 500 1500
  zero 500 500
  ptrail 500
  foot 600 2200
  gap 9000
  min_repeat 1
"""
LOEWE = """
  bits 4
  flags RC6
  header 2723 847
  one 468 411
  zero 468 411
  pre_data_bits 3
  pre_data 0x6
  gap 80964
  toggle_bit 3
"""
UNCLOSED = """
  bits 4
  flags SPACE_ENC
  header 2400 600
  one 1200 600
  zero 600 600
  gap 26000
"""
HELD = """
  bits 4
  flags SPACE_ENC|CONST_LENGTH
  header 9000 4500
  one 560 1690
  zero 560 560
  ptrail 560
  repeat 9000 2250
  gap 40000
  min_repeat 2
"""
HEADED = """
  bits 4
  flags SPACE_ENC|REPEAT_HEADER
  header 4500 4500
  one 560 1690
  zero 560 560
  ptrail 560
  repeat 560 1690
  gap 40000
  repeat_gap 90000
  min_repeat 1
"""
ALTERNATING = """
  bits 4
  flags SPACE_ENC
  one 264 1848
  zero 264 792
  ptrail 264
  gap 43500
  toggle_mask 0x3
  min_repeat 2
"""
PIONEER = """
  bits 4
  flags SPACE_ENC
  header 8500 4200
  one 500 1500
  zero 500 500
  ptrail 500
  gap 25000
"""
PREFIX = """
  bits 0
  pre_data_bits 4
  pre_data 0xA
  flags SPACE_ENC
  one 500 1500
  zero 500 500
  ptrail 500
  gap 25000
"""
XMP = """
  bits 8
  flags XMP
  one 0 137
  zero 250 710
  ptrail 250
  pre_data_bits 4
  pre_data 0x1
  pre 250 12921
  gap 81698
  toggle_bit_mask 0x8
"""
RCMM = """
  bits 8
  flags RCMM
  header 417 278
  zero 167 277
  one 167 444
  two 167 611
  three 167 778
  ptrail 167
  gap 27778
"""
SPACE_FIRST = """
  bits 4
  flags SPACE_FIRST
  plead 400
  one 300 700
  zero 700 300
  gap 12000
"""
DISH_FRAME = (400, 1700, 400, 2800, 400, 1700, 400, 2800, 400, 6200)
PIONEER_HEADER = (8500, 4200)
ONE, ZERO = (500, 1500), (500, 500)


def remote(settings: str, codes: str) -> str:
    return f"begin remote\n  name x{settings}  begin codes\n    {codes}\n  end codes\nend remote\n"


@pytest.mark.parametrize(
    ("settings", "code", "sent"),
    [
        pytest.param(
            DISH, "on 0xA", [400, 6100, *DISH_FRAME * 3], id="a repeat without the header"
        ),
        pytest.param(
            LENGTH,
            "on 0xA",
            [
                *(4000, 2000, 500, 1500, 500, 500, 500, 1500, 500, 500, 500, 3400),
                *(500, 1500, 500, 500, 500, 1500, 500, 500, 500, 3400),
            ],
            id="a constant length without the header that is not repeated",
        ),
        pytest.param(
            FOOT,
            "on 0xA",
            [
                *(500, 1500, 500, 500, 500, 1500, 500, 500, 500, 2200, 600, 9000),
                *(500, 1500, 500, 500, 500, 1500, 500, 500, 500, 9000),
            ],
            id="a foot is a space, then a mark",
        ),
        pytest.param(
            LOEWE,
            "on 0xA",
            [2723, 1258, 468, 411, 1404, 1233, 936, 822, 936, 80964],
            id="without rc6_mask the toggle bit is twice as long",
        ),
        pytest.param(
            UNCLOSED,
            "on 0xA",
            [2400, 600, 1200, 600, 600, 600, 1200, 600, 600, 26000],
            id="the gap follows the last mark",
        ),
        pytest.param(
            HELD,
            "on 0xA",
            [
                *(9000, 4500, 560, 1690, 560, 560, 560, 1690, 560, 560, 560, 19200),
                *(9000, 2250, 560, 28190) * 2,
            ],
            id="a press that requires repeats",
        ),
        pytest.param(
            HEADED,
            "on 0xA",
            [
                *(4500, 4500, 560, 1690, 560, 560, 560, 1690, 560, 560, 560, 40000),
                *(4500, 4500, 560, 1690, 560, 90000),
            ],
            id="a repeat with a header and a gap of its own",
        ),
        pytest.param(
            ALTERNATING,
            "on 0xA",
            [
                *(264, 1848, 264, 792, 264, 1848, 264, 792, 264, 43500),
                *(264, 1848, 264, 792, 264, 792, 264, 1848, 264, 43500),
                *(264, 1848, 264, 792, 264, 1848, 264, 792, 264, 43500),
            ],
            id="every second frame is inverted",
        ),
        pytest.param(
            PIONEER,
            "on 0xA 0x6",
            [
                *(*PIONEER_HEADER, *ONE, *ZERO, *ONE, *ZERO, 500, 25000),
                *(*PIONEER_HEADER, *ZERO, *ONE, *ONE, *ZERO, 500, 25000),
            ],
            id="two codes with the gap of the remote",
        ),
        pytest.param(PREFIX, "on 0x0", [*ONE, *ZERO, *ONE, *ZERO, 500, 25000], id="a prefix alone"),
        pytest.param(
            PREFIX, "#/x 0x0", [*ONE, *ZERO, *ONE, *ZERO, 500, 25000], id="a name with a sign"
        ),
        pytest.param(
            XMP, "on 0x0F", [250, 847, 250, 12921, 250, 710, 250, 2765, 250, 81698], id="XMP"
        ),
        pytest.param(
            RCMM,
            "on 0x1B",
            [417, 278, 167, 277, 167, 444, 167, 611, 167, 778, 167, 27778],
            id="RC-MM",
        ),
        pytest.param(
            SPACE_FIRST,
            "on 0xA",
            [400, 700, 300, 300, 700, 700, 300, 300, 700, 12000],
            id="the space of a bit first",
        ),
    ],
)
def test_what_lirc_transmits(settings: str, code: str, sent: list[int]) -> None:
    [commands] = read_codes(remote(settings, code)).commands.values()
    [(name, packets)] = commands.items()
    assert name == code.split(maxsplit=1)[0]
    transmitted = [[abs(us) for us in to_timings(packet)] for packet in packets]
    assert pytest.approx(sent, abs=TICK_US) in transmitted


def test_repeats_of_raw_codes() -> None:
    """Raw codes are repeated as a whole, or by the frame of the remote for repeats."""
    raw = "begin raw_codes\n name on\n  9000 4500 560\nend raw_codes\nend remote\n"
    head = "begin remote\n name x\n flags RAW_CODES\n gap 40000\n min_repeat 2\n"
    [(commands)] = read_codes(head + raw).commands.values()
    [packet] = commands["on"]
    assert (packet[1], len(to_timings(packet))) == (2, 4)
    [(commands)] = read_codes(f"{head} ptrail 560\n repeat 9000 2250\n{raw}").commands.values()
    [packet] = commands["on"]
    sent = [*(9000, -4500, 560, -40000), *chain(*repeat((9000, -2250, 560, -40000), 2))]
    assert packet[1] == 0
    assert to_timings(packet) == pytest.approx(sent, abs=TICK_US)


def test_xmp_is_the_tables() -> None:
    """A set-top box of Comcast, whose XMP another reader, the table of protocols, decodes."""
    box = """
  bits 24
  flags XMP
  one 0 137
  zero 250 710
  ptrail 250
  pre_data_bits 32
  pre_data 0x170F443E
  post_data_bits 8
  post_data 0x0
  pre 250 12921
  gap 81698
"""
    [commands] = read_codes(remote(box, "power 0x10000F")).commands.values()
    [packet] = commands["power"]
    decoded = meaning(packet)
    assert decoded is not None
    assert decoded.text == "XMP 0x103e/0xf00 oem 0x44"


def test_a_comment_is_not_a_name() -> None:
    codes = "on 0xA\n    # 0xB is off\n#off 0xB\n    off 0xC # 0xD"
    imported = read_codes(remote(PIONEER, codes))
    assert [[*commands] for commands in imported.commands.values()] == [["on", "off"]]
    assert not imported.refused
    raw = "begin raw_codes\n   name #\n    500 1500 500\n    # 500 500\nend raw_codes\nend remote\n"
    [commands] = read_codes(f"begin remote\n name x\n gap 25000\n {raw}").commands.values()
    assert {name: len(to_timings(packet)) for name, [packet] in commands.items()} == {"#": 4}
