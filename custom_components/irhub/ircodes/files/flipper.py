"""Flipper's .ir files, which do not name the device: blocks of lines `key: value`.

name, type: parsed, protocol, address, command   four bytes each in hex, little-endian
name, type: raw, frequency, duty_cycle, data     microseconds without signs, mark first

Read: all signals of protocols that can be written; files that begin with a comment. Not read:
frequency and duty cycle, because a hub's carrier is fixed; .sub files.
"""

from collections.abc import Iterable, Iterator
from functools import partial
import re
from typing import Final

from ..packet.packet import from_durations, short
from ..reasons import RefusedError
from .by_protocol import by_address, number
from .imported import Collector, Packets, required_name
from .timings import timings_of

NAME: Final = "Flipper"
SUFFIX: Final = ".ir"
SUFFIXES: Final = (SUFFIX,)
_FIRST: Final = "Filetype: IR signals file"
_LIBRARY: Final = "Filetype: IR library file"
_SIGNAL: Final = re.compile(r"^name: .*\r?\ntype: (?:raw|parsed)\s*$", re.MULTILINE)
"""Start of a signal, for files that begin with a comment or lack the file type."""
_FREQUENCY_HZ: Final = 38_000
_DUTY_CYCLE: Final = 0.33


def fits(text: str) -> bool:
    """Return whether a text is a Flipper file."""
    return text.startswith((_FIRST, _LIBRARY)) or _SIGNAL.search(text) is not None


def read(text: str, device: str | None, collector: Collector) -> None:
    """Add all signals of a file."""
    device = required_name(device)
    for block in _blocks(text.splitlines()):
        collector.count(sum(map(len, block.values())))
        collector.add(device, block.get("name", ""), partial(_packets, block))


def write(commands: Iterable[tuple[str, bytes]]) -> str:
    """Return a file with a raw signal for each packet. Raise ValueError for radio."""
    lines = [_FIRST, "Version: 1"]
    for name, packet in commands:
        data = " ".join(str(abs(duration)) for duration in timings_of(packet))
        lines += ["#", f"name: {name}", "type: raw", f"frequency: {_FREQUENCY_HZ}"]
        lines += [f"duty_cycle: {_DUTY_CYCLE:f}", f"data: {data}"]
    return "\n".join([*lines, ""])


def _blocks(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """Yield the keys and values of each signal.

    A line without a key continues the previous value. A second `type` begins a signal without a
    name.
    """
    block: dict[str, str] = {}
    last_key = ""
    for line in lines:
        if line.startswith("#"):
            continue
        key, colon, value = line.partition(":")
        key, text = (key.strip(), value) if colon else (last_key, line)
        begins_signal = key == "name" or (key == "type" and ("type" in block or not block))
        if colon and begins_signal:
            if block:
                yield block
            block = {}
        if block or (colon and begins_signal):
            block[key] = f"{block.get(key, '')} {text.strip()}".strip()
            last_key = key
    if block:
        yield block


def _packets(block: dict[str, str]) -> Packets:
    match block:
        case {"type": "raw", "data": data}:
            return [from_durations([number(duration) for duration in data.split()])]
        case {"type": "parsed", "protocol": protocol, "address": address, "command": command}:
            return by_address(protocol, address=_little(address), command=_little(command))
        case _:
            raise RefusedError("no_code")


def _little(text: str) -> int:
    """Parse hex bytes, little-endian. Raise RefusedError."""
    try:
        reversed_bytes = bytes.fromhex(text)[::-1]
    except ValueError as err:
        raise RefusedError("no_number", text=short(text)) from err
    return number(f"0x{reversed_bytes.hex() or 0}")
