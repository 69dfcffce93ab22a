"""Lists of packets: lines with a name and a packet, or a line with a name above each packet.

Name and packet are separated by `=`, `:`, `,`, `;`, a tab or several blanks; before Pronto, one
blank is enough. Written by wrappers of broadlink_cli and by BlackBeanControl; Pronto codes are
shared this way, too.

Read: packets in any form. Not read: lists of more than a million characters.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
import re
from typing import Final

from ..packet.text_forms import PRONTO_UNIT_US, from_packed, is_packet, parse_text
from ..packet.tuya import to_tuya
from ..reasons import RefusedError
from .codes import parse_packets
from .imported import Collector, required_name
from .timings import timings_of

NAME: Final = "list"
SUFFIX: Final = ".txt"
MAX_LIST: Final = 1024 * 1024
"""Characters; a thousand packets take a third of it."""
_SEPARATED: Final = (
    re.compile(r"\s*(.{0,254}?\S)\s+((?:0000|0100)(?:\s+[0-9A-Fa-f]{4}){5,}\s*)"),
    re.compile(r"\s*([^=\t]*?\S)\s*[=\t]\s*(\S.*)"),
    re.compile(r"\s*([^:,;]*?\S)\s*[:,;]\s*(\S.*)"),
    re.compile(r"\s*(.*?\S)\s{2,}(\S.*)"),
)
_CODE: Final = re.compile(r"[0-9A-Za-z+/_-]{24}|(?:\b[0-9A-Fa-f]{2,4}\s+){8}")
"""Occurs in every code, complete or damaged, and in no heading."""
_CARRIER_HZ: Final = 38_000
_CARRIER: Final = 0x6D
"""Carrier word for 38 kHz."""
_WORDS: Final = 0xFFFF


def is_list(text: str) -> bool:
    """Return whether a text is a list: it has a packet after or below a name."""
    if len(text) > MAX_LIST:
        return False
    return any(name and is_packet(packet) for name, packet in _named_packets(text.splitlines()))


def read(text: str, device: str | None, collector: Collector) -> None:
    """Add the packets of a list."""
    device = required_name(device)
    for name, packet in _named_packets(text.splitlines()):
        collector.count(len(packet))
        collector.add(device, name, partial(parse_packets, packet))


def write(commands: Iterable[tuple[str, bytes]], form: Callable[[bytes], str]) -> str:
    """Return lines with a name and a packet in a given form. Raise ValueError for radio."""
    return "".join(f"{name}\t{form(packet)}\n" for name, packet in commands)


def to_packed(packet: bytes) -> str:
    """Return a packed code for Tuya's blasters. Raise ValueError for radio."""
    text = to_tuya(timings_of(packet))
    is_known = is_packet(text) and parse_text(text) == from_packed(text)
    return text if is_known else f"tuya:{text}"


def to_pronto(packet: bytes) -> str:
    """Return a packet as Pronto, all of it in the once sequence. Raise ValueError for radio."""
    period_us = _CARRIER * PRONTO_UNIT_US
    words = [max(1, round(abs(us) / period_us)) for us in timings_of(packet)]
    if max(words) > _WORDS:
        raise RefusedError("not_in_format")
    if len(words) % 2:
        words.append(round(_CARRIER_HZ * 0.04))
    head = (0, _CARRIER, len(words) // 2, 0)
    return " ".join(f"{word:04X}" for word in (*head, *words))


def _named_packets(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield names and possible packets; everything that looks like a code is included."""
    above = ""
    for line in map(str.strip, lines):
        if not line or line.startswith(("#", ";", "//", "[")):
            continue
        if above and is_packet(line):
            yield above, line
            above = ""
            continue
        for pattern in _SEPARATED:
            if match := pattern.fullmatch(line):
                yield match[1].rstrip(" :=,;").strip("\"'"), match[2].strip("\"', ;")
                above = ""
                break
        else:
            if _CODE.search(line) is None or "://" in line:
                above = line
                continue
            name, _, packet = line.rpartition(" ")
            if not (name and is_packet(packet)):  # damaged or without a name: will be refused
                first, _, rest = line.partition(" ")
                name, packet = (above, line) if above or is_packet(line) else (first, rest or line)
            yield name, packet
            above = ""
