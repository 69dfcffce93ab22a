"""Tuya's plain codes: 16-bit numbers, told from packets by their length."""

from base64 import b64encode
import struct

import pytest

from custom_components.irhub.ircodes import RefusedError, parse_text, read_codes
from custom_components.irhub.ircodes.packet.packet import from_durations
from custom_components.irhub.ircodes.packet.text_forms import from_packed

from ..captured import Captured, captured

BITS = [560, 560, 560, 1690]
NEC = [9000, 4500, *BITS * 16, 560, 40_000]


def plain(durations: list[int]) -> str:
    """Return durations as tuya_local stores them."""
    return b64encode(struct.pack(f"<{len(durations)}H", *durations)).decode()


RC5 = [889, 889, 1778, 889, 889, 1778, 1778, 889, 889, 889, 889, 1778, 889, 889]


@pytest.mark.parametrize(
    "durations",
    [
        NEC,
        NEC[:-1],
        # 806 is 0x0326: a packet's first bytes, with three repeats. What follows is its length.
        [806, 806, *[806, 1600] * 12, 806, 40_000],
        [806, 2400, *[806, 806] * 200],
        [806, 806, *[420, 1260] * 20],
        # 9138 is 0x23B2: radio's
        [9138, 4500, *BITS * 16],
        [*RC5, *RC5, 40_000],
    ],
)
def test_plain_codes_are_read(durations: list[int]) -> None:
    packet = from_durations(durations)
    text = plain(durations)
    assert parse_text(text) == parse_text(f"b64:{text}") == packet
    assert from_packed(text) == parse_text(f"tuya:{text}") == packet


@pytest.mark.parametrize("known", captured(), ids=lambda known: known.what)
def test_packets_stay_packets(known: Captured) -> None:
    assert parse_text(known.base64) == known.packet
    assert parse_text(f"b64:{known.base64}") == known.packet


def test_what_is_as_long_as_it_says_is_a_packet() -> None:
    """These bytes could be either: their length decides."""
    body = struct.pack("<40H", *[0x0226, 0x0226] * 20)
    data = b"\x26\x03" + len(body).to_bytes(2, "little") + body
    assert parse_text(b64encode(data).decode())[:4] == data[:4]


@pytest.mark.parametrize(
    "text",
    [
        plain([560, 560, 560]),  # too short to be told
        plain([30, 20_000, 17, 60_000] * 10),  # no remote control's
        "JgAcAB0dHB44Hhwe",  # a packet that was cut off
        b64encode(bytes(range(64, 120))).decode(),
    ],
)
def test_what_is_none(text: str) -> None:
    with pytest.raises(RefusedError):
        parse_text(text)


def test_the_store_of_tuya_local() -> None:
    """It is imported as that of core's integration is."""
    store = {
        "version": 1,
        "minor_version": 1,
        "key": "tuya_local_remote_bf0123456789_codes",
        "data": {"tv": {"power": plain(NEC), "input": [plain(NEC), plain(RC5 * 2)]}},
    }
    imported = read_codes(store)
    assert not imported.refused
    assert imported.commands == {
        "tv": {
            "power": [from_durations(NEC)],
            "input": [from_durations(NEC), from_durations(RC5 * 2)],
        }
    }
