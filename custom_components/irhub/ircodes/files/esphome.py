"""ESPHome: how it calls protocols and their numbers, and a configuration for it.

`remote_transmitter.transmit_raw: {code: […]}`, `…_pronto: {data: …}`, `…_nec: {address: …,
command: …}`; its log says the same of what was heard: `NEC: address=0x…, command=0x…`.

Read: durations, Pronto, and protocols that the table or the library writes. Not read: others.
Passed over: the carrier.
"""

from collections.abc import Iterable, Mapping
import json
import re
from typing import Final

from ..packet.text_forms import from_pronto
from ..reasons import RefusedError
from .by_protocol import by_address, by_data, number
from .codes import parse_packets
from .imported import Packets
from .written import timings_of

SUFFIX: Final = ".yaml"
TRANSMITS: Final = "remote_transmitter.transmit_"
_PAIR: Final = re.compile(r"\b(\w{1,40})=(\w+)")
_BITS: Final[Mapping[str, str]] = {"sony": "12", "lg": "28", "jvc": "16", "samsung": "32"}
"""Protocols that are given as bits → how many, if `nbits` does not say it."""


def of_log(what: str, text: str) -> Packets:
    """Return the packets of what a decoder says in the log. Raise RefusedError."""
    return _of_values(what.lower(), dict(_PAIR.findall(text)))


def of_action(key: str, settings: object) -> Packets:
    """Return the packets of what an action that begins with TRANSMITS sends. Raise RefusedError."""
    what = key.removeprefix(TRANSMITS)
    match what, settings:
        case "raw", {"code": list(code)} | list(code):
            return parse_packets(code)
        case _, Mapping():
            return _of_values(what, {str(key): str(value) for key, value in settings.items()})
        case _:
            raise RefusedError("no_code")


def write(commands: Iterable[tuple[str, bytes]]) -> str:
    """Return YAML with a button for each packet. Raise ValueError for radio."""
    lines = ["button:"]
    for name, packet in commands:
        code = ", ".join(map(str, timings_of(packet)))
        lines += ["  - platform: template", f"    name: {json.dumps(name, ensure_ascii=False)}"]
        lines += ["    on_press:", f"      - {TRANSMITS}raw:"]
        lines += ["          carrier_frequency: 38kHz", f"          code: [{code}]"]
    return "\n".join([*lines, ""])


def _of_values(what: str, values: Mapping[str, str]) -> Packets:
    match values:
        case {"data": data} if what == "pronto":
            return [from_pronto(data)]
        case {"data": data, **others} if what in _BITS:
            bits = number(others.get("nbits", _BITS[what]))
            return by_data(what, data=number(data), bits=bits)
        case {"address": address, "command": command} if what == "panasonic":
            return by_data(what, data=number(address) << 32 | number(command), bits=48)
        case {"address": address, "command": command}:
            name = "NECext" if what == "nec" else what
            return by_address(name, address=number(address), command=number(command))
        case _:
            raise RefusedError("no_code")
