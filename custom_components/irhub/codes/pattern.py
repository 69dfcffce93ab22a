"""A packet's pattern: what two captures of one button have alike, found fast.

Hundreds of thousands of packets are compared with one, so all is done by whole strings of bytes.
Whether two packets of one pattern are the same code is for `frames` and `protocols` to say.
"""

from itertools import pairwise
import re
from typing import Final

_HEADER: Final = 4
_LONG: Final = re.compile(rb"\x00..|[\x5f-\xff]", re.DOTALL)
"""Durations from 95 ticks (2.9 ms) on: leaders and pauses. No data are longer than 2.5 ms, no
leader's mark is shorter than 3.2 ms but Sony's of 2.4 ms, which goes with the data."""
_SHORTEST: Final = 8
"""Durations between two long ones that say something."""
_NEXT_CLASS: Final = 1.35
"""Durations of different meaning differ by more, at least two and three units; neighbours of those
that mean the same, by less."""


def pattern(packet: bytes) -> bytes | None:
    """Return the classes of an infrared packet's durations, shortest first; None if it has none.

    What stands between two long durations is one part; a part that came before, or is cut off
    at the end, does not count. Marks and spaces are classed apart: receivers change the one
    against the other.
    """
    parts: list[bytes] = []
    end = _HEADER + int.from_bytes(packet[2:_HEADER], "little")
    for part in _LONG.split(packet[_HEADER:end]):
        if len(part) >= _SHORTEST:
            classes = _classes(part[::2]) + b"|" + _classes(part[1::2])
            if classes not in parts:
                parts.append(classes)
    if len(parts) > 1 and _is_cut(parts[-1], parts[:-1]):
        del parts[-1]
    return b" ".join(parts) or None


def _is_cut(part: bytes, before: list[bytes]) -> bool:
    """Say if a part is the beginning of one that came before."""
    marks, _, spaces = part.partition(b"|")
    for other in before:
        all_marks, _, all_spaces = other.partition(b"|")
        if all_marks.startswith(marks) and all_spaces.startswith(spaces):
            return True
    return False


def _classes(ticks: bytes) -> bytes:
    values = sorted(set(ticks))
    table, low = b"", 0
    digit = 0x30
    for shorter, longer in pairwise(values):
        if longer > shorter * _NEXT_CLASS:
            table += bytes([digit]) * (longer - low)
            low, digit = longer, digit + 1
    return ticks.translate(table + bytes([digit]) * (256 - low))
