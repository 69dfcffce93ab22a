"""RC-6 of lircd.conf files whose remote controls are described elsewhere.

That of Windows Media Center sends 0x800f040c for power and 0x800f0416 for play, as the Linux
kernel's table of keys says (rc-rc6-mce); a Philips television's stop, pause and play are 49, 48 and
44 of device 0 in Philips' list of RC-6 commands. LIRC's files hold the inverse, and the table of
protocols was not made from them.
"""

import pytest

from custom_components.irhub.ircodes.files.reading import read_codes
from custom_components.irhub.ircodes.packet.packet import to_timings
from custom_components.irhub.ircodes.protocols.protocols import meaning, press

MCE = """begin remote
  name mceusb
  bits 16
  flags RC6|CONST_LENGTH
  header 2667 889
  one 444 444
  zero 444 444
  pre_data_bits 21
  pre_data 0x37FF0
  gap 105000
  toggle_bit 22
  rc6_mask 0x100000000
  begin codes
    power 0x7BF3
    play 0x7BE9
  end codes
end remote
"""
PHILIPS = """begin remote
  name philips
  bits 13
  flags RC6|CONST_LENGTH
  header 2691 868
  one 467 413
  zero 467 413
  pre_data_bits 8
  pre_data 0x77
  gap 106894
  toggle_bit_mask 0x10000
  rc6_mask 0x10000
  begin codes
    stop 0x0FFFCE
    pause 0x0EFFCF
    play 0x0FFFD3
  end codes
end remote
"""


NEAR_US = 100


def near(packet: bytes, other: bytes) -> bool:
    """Say if two packets have the same durations up to their gap, as far as they were measured."""
    first, second = to_timings(packet)[:-1], to_timings(other)[:-1]
    return len(first) == len(second) and all(
        abs(a - b) <= NEAR_US for a, b in zip(first, second, strict=True)
    )


@pytest.mark.parametrize(
    ("text", "name", "protocol", "values"),
    [
        (MCE, "power", "MCE", {"D": 4, "S": 15, "F": 12}),
        (MCE, "play", "MCE", {"D": 4, "S": 15, "F": 22}),
        (PHILIPS, "stop", "RC6", {"D": 0, "F": 49}),
        (PHILIPS, "pause", "RC6", {"D": 0, "F": 48}),
        (PHILIPS, "play", "RC6", {"D": 0, "F": 44}),
    ],
)
def test_lircs_rc6_is_the_tables(
    text: str, name: str, protocol: str, values: dict[str, int]
) -> None:
    [commands] = read_codes(text).commands.values()
    ours = press(protocol, values)
    assert ours is not None
    theirs = [*commands[name]]
    assert [meaning(packet) for packet in theirs] == [meaning(ours[0])] * 2
    assert {first for packet in theirs for first in range(2) if near(packet, ours[first])} == {0, 1}
