"""ESPHome: its names of protocols and numbers; writing a configuration.

`remote_transmitter.transmit_raw: {code: […]}`, `…_pronto: {data: …}`, `…_nec: {address: …, command:
…}`; logs of received codes use the same names: `NEC: address=0x…, command=0x…`.

`repeat: {times: …, wait_time: …}` (or a number) sends a code several times.

Read: durations, Pronto, and protocols that the table or the library writes. Not read: other
protocols. Ignored: the carrier.
"""

from collections.abc import Iterable, Mapping, Sequence
import json
from math import ceil
import re
from typing import Final

from ..packet.packet import join, short
from ..packet.text_forms import from_pronto
from ..reasons import RefusedError
from .by_protocol import by_address, by_data, number
from .codes import copies_of, parse_packets
from .imported import Packets
from .timings import timings_of

SUFFIX: Final = ".yaml"
TRANSMITS: Final = "remote_transmitter.transmit_"
_PAIR: Final = re.compile(r"\b(\w{1,40})=(\w+)")
_BITS: Final[Mapping[str, str]] = {"sony": "12", "lg": "28", "jvc": "16", "samsung": "32"}
"""Protocols that are given as bits → number of bits, if `nbits` is missing."""

_CANALSAT: Final = (("device", 7), ("address", 6), ("", 2), ("command", 7))
_FIELDS: Final[Mapping[str, Sequence[tuple[str, int]]]] = {
    "panasonic": (("address", 16), ("command", 32)),
    "samsung36": (("address", 16), ("command", 20)),
    "canalsat": _CANALSAT,
    "canalsatld": _CANALSAT,
}
"""Protocols whose numbers are sent highest bit first → the numbers and their bits, in the order of
transmission. Bits without a name are 0."""
_OPTIONAL: Final = {("canalsat", "address"), ("canalsatld", "address")}
"""(protocol, number) that ESPHome takes for 0 if it is missing."""
_FRAMES: Final[Mapping[str, int]] = {"sony": 3}
"""Protocol → frames in the packet of a press; ESPHome counts each frame as a copy."""
_COMMANDS: Final = "command_repeats"
"""Number of times that a frame of NEC contains the command; more than once for a few devices."""
_WAIT: Final = "25ms"
"""Default pause between copies."""
_TIME: Final = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)\s*(us|ms|s)")
_UNITS_US: Final = {"us": 1, "ms": 1_000, "s": 1_000_000}


def packets_of_log_line(protocol: str, text: str) -> Packets:
    """Return the packets for a decoder's line in the log. Raise RefusedError.

    `text` follows the name of the protocol: `address=0x…, command=0x…`.
    """
    return _packets_of_values(protocol.lower(), dict(_PAIR.findall(text)))


def packets_of_action(key: str, settings: object) -> Packets:
    """Return the packets that an action beginning with TRANSMITS sends. Raise RefusedError."""
    protocol = key.removeprefix(TRANSMITS)
    match protocol, settings:
        case "raw", {"code": list(code)} | list(code):
            packets: Packets = parse_packets(code)
        case _, Mapping():
            packets = _packets_of_values(
                protocol, {str(key): str(value) for key, value in settings.items()}
            )
        case _:
            raise RefusedError("no_code")
    if not isinstance(settings, Mapping):
        return packets
    copies, wait_us = _repeats(settings.get("repeat"))
    copies = ceil(copies / _FRAMES.get(protocol, 1))
    if copies == 1:
        return packets
    return [join([packet] * copies, gap_us=wait_us) for packet in packets]


def _repeats(repeat: object) -> tuple[int, int]:
    """Return the number of copies, and the microseconds between them. Raise RefusedError."""
    times, wait = (
        (repeat.get("times"), repeat.get("wait_time", _WAIT))
        if isinstance(repeat, Mapping)
        else (repeat, _WAIT)
    )
    if (match := _TIME.fullmatch(str(wait).strip())) is None:
        raise RefusedError("no_number", text=short(str(wait)))
    wait_us = max(1, round(float(match[1]) * _UNITS_US[match[2]]))  # 0 would join two marks
    return copies_of("repeat", times), wait_us


def write(commands: Iterable[tuple[str, bytes]]) -> str:
    """Return YAML with a button for each packet. Raise ValueError for radio."""
    lines = ["button:"]
    for name, packet in commands:
        code = ", ".join(map(str, timings_of(packet)))
        lines += ["  - platform: template", f"    name: {json.dumps(name, ensure_ascii=False)}"]
        lines += ["    on_press:", f"      - {TRANSMITS}raw:"]
        lines += ["          carrier_frequency: 38kHz", f"          code: [{code}]"]
    return "\n".join([*lines, ""])


def _packets_of_values(protocol: str, values: Mapping[str, str]) -> Packets:
    match values:
        case {"data": data} if protocol == "pronto":
            return [from_pronto(data)]
        case {"data": data, **others} if protocol in _BITS:
            bits = number(others.get("nbits", _BITS[protocol]))
            return by_data(protocol, data=number(data), bits=bits)
        case {"command": _} if protocol in _FIELDS:
            return _packets_of_fields(protocol, values)
        case {"address": address, "command": command}:
            if (count := number(values.get(_COMMANDS, "1"))) != 1:
                raise RefusedError(
                    "parameter", parameter=_COMMANDS, value=count, lowest=1, highest=1
                )
            name = "NECext" if protocol == "nec" else protocol
            return by_address(name, address=number(address), command=number(command))
        case _:
            raise RefusedError("no_code")


def _packets_of_fields(protocol: str, values: Mapping[str, str]) -> Packets:
    data = bits = 0
    for name, width in _FIELDS[protocol]:
        if name and name not in values and (protocol, name) not in _OPTIONAL:
            raise RefusedError("no_code")
        value = number(values.get(name, "0"))
        if value >> width:
            raise RefusedError(
                "parameter", parameter=name, value=value, lowest=0, highest=(1 << width) - 1
            )
        data, bits = data << width | value, bits + width
    return by_data(protocol, data=data, bits=bits)
