"""What ESPHome and Tasmota tell of what they hear, and ESPHome's buttons that send.

ESPHome's log:  `Received Raw: 9000, -4500, …` over several lines, `Received Pronto: data=…`,
                `Received NEC: address=0x…, command=0x…` and the like
ESPHome's YAML: `remote_transmitter.transmit_raw: {code: […]}`, `…_pronto: {data: …}`,
                `…_nec: {address: …, command: …}`; the button above it has the name
Tasmota:        `{"IrReceived": {"Protocol": "NEC", "Bits": 32, "Data": "0x…", "RawData": …}}`, and
                what sends: `IRsend {"Protocol": "NEC", …}`, `IRsend 0,9000,4500,…`

Read: durations, Pronto, and protocols that the table or the library writes. Not read: others that
come without durations. Passed over: the carrier.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
import json
import re
from typing import Final

from ..packet.text_forms import from_pronto, from_raw
from ..reasons import RefusedError
from .by_protocol import by_address, by_data, number
from .imported import Found, Packets, needed, parse_packets
from .notation import pairs, read_notation
from .written import timings_of

NAME: Final = "ESPHome or Tasmota"
SUFFIX: Final = ".yaml"
_HEARD: Final = re.compile(r"Received ([A-Za-z0-9_]+):\s*(.*)")
_PAIR: Final = re.compile(r"\b(\w{1,40})=(\w+)")
_MORE: Final = re.compile(r"\[remote\.(?:raw|pronto)[^\]]*\]:\s+([-0-9A-Fa-f, ]+)$")
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")
_TASMOTA: Final = '"IrReceived"'
_SENT: Final = re.compile(r"\bIRsend\d*\s+(.+)", re.IGNORECASE)
_BITS: Final[Mapping[str, str]] = {"sony": "12", "lg": "28", "jvc": "16", "samsung": "32"}
"""Protocols of ESPHome that are given as bits → how many, if `nbits` does not say it."""
_SENDS: Final = "remote_transmitter.transmit_"
_MAX_LEVELS: Final = 30


def is_dump(text: str) -> bool:
    """Tell a log with codes that were heard from other texts."""
    return _TASMOTA in text or any(each.search(text) is not None for each in (_HEARD, _SENT))


def read(text: str, device: str | None, found: Found, command: str | None = None) -> None:
    """Take what was heard; it has no names: each is named by its number, or as `command` says."""
    device = needed(device)
    heard = [*_heard(_COLOUR.sub("", text).splitlines())]
    for count, (what, packets) in enumerate(heard, 1):
        found.count(len(text) // len(heard))
        name = f"{count} {what}"
        if command:
            name = command if len(heard) == 1 else f"{command} {count}"
        found.add(device, name, packets)


def is_esphome(content: Mapping[object, object]) -> bool:
    """Tell a configuration with buttons that send from other YAML."""
    return any(isinstance(content.get(domain), list) for domain in ("button", "script", "switch"))


def read_configuration(content: Mapping[object, object], device: str | None, found: Found) -> None:
    """Take what the buttons and switches of a configuration send."""
    settings = content.get("esphome")
    known = settings.get("name") if isinstance(settings, Mapping) else None
    device = needed(device or (str(known) if known else None))
    _walk(content, device, "", found, 0)


def write(commands: Iterable[tuple[str, bytes]]) -> str:
    """Return YAML with a button for each packet. Raise ValueError for radio."""
    lines = ["button:"]
    for name, packet in commands:
        code = ", ".join(map(str, timings_of(packet)))
        lines += ["  - platform: template", f"    name: {json.dumps(name, ensure_ascii=False)}"]
        lines += ["    on_press:", f"      - {_SENDS}raw:"]
        lines += ["          carrier_frequency: 38kHz", f"          code: [{code}]"]
    return "\n".join([*lines, ""])


def is_tasmota(content: Mapping[object, object]) -> bool:
    """Tell a code as Tasmota writes it from devices and commands."""
    return "RawData" in content or {"Protocol", "Data"} <= content.keys()


def of_tasmota(content: Mapping[object, object]) -> Packets:
    """Return the packets of what Tasmota heard or sends. Raise ValueError."""
    match content:
        case {"RawData": str(raw)}:
            return [from_raw(raw)]
        case {"RawData": list(raw)}:
            return parse_packets(raw)
        case {"Protocol": str(protocol), "Data": data, **others}:
            bits = number(str(others.get("Bits", 32)))
            return by_data(protocol, data=number(str(data)), bits=bits)
        case _:
            raise RefusedError("no_code")


def _heard(lines: Iterable[str]) -> Iterable[tuple[str, Callable[[], Packets]]]:
    long: list[str] | None = None
    for line in lines:
        if match := _HEARD.search(line):
            what, rest = match[1], match[2]
            long = [rest] if what in {"Raw", "Pronto"} else None
            if long is None:
                yield what, partial(_esphome, what.lower(), dict(_PAIR.findall(rest)))
            elif what == "Raw":
                yield what, partial(_joined, from_raw, long, ", ")
            else:
                long[0] = rest.removeprefix("data=")
                yield what, partial(_joined, from_pronto, long, " ")
        elif long is not None and (match := _MORE.search(line)):
            long.append(match[1].strip())
        elif _TASMOTA in line:
            yield "heard", partial(_tasmota_line, line[line.find("{") : line.rfind("}") + 1])
        elif match := _SENT.search(line):
            yield "sent", partial(_tasmota_sent, match[1].strip())


def _joined(read: Callable[[str], bytes], parts: list[str], separator: str) -> Packets:
    return [read(separator.join(part.strip(" ,") for part in parts))]


def _tasmota_line(text: str) -> Packets:
    content = read_notation(text)
    heard = content.get("IrReceived") if isinstance(content, dict) else None
    if not isinstance(heard, dict):
        raise RefusedError("no_code")
    return of_tasmota(heard)


def _tasmota_sent(text: str) -> Packets:
    if not text.startswith("{"):
        return [from_raw(text)]
    content = read_notation(text[: text.rfind("}") + 1])
    if not isinstance(content, dict):
        raise RefusedError("no_code")
    return of_tasmota(content)


def _walk(value: object, device: str, name: str, found: Found, level: int) -> None:
    if level > _MAX_LEVELS:
        raise RefusedError("too_deep")
    if isinstance(value, list):
        for each in value:
            _walk(each, device, name, found, level + 1)
    if not isinstance(value, Mapping):
        return
    name = str(value.get("name") or value.get("id") or name)
    for key, inner in pairs(value):
        if str(key).startswith(_SENDS):
            found.count(len(str(inner)))
            what = str(key).removeprefix(_SENDS)
            found.add(device, name, partial(_configured, what, inner))
        elif key in _OF_A_SWITCH:
            _walk(inner, device, f"{name} {_OF_A_SWITCH[key]}", found, level + 1)
        else:
            _walk(inner, device, name, found, level + 1)


_OF_A_SWITCH: Final[Mapping[object, str]] = {"turn_on_action": "on", "turn_off_action": "off"}


def _configured(what: str, settings: object) -> Packets:
    match what, settings:
        case "raw", {"code": list(code)} | list(code):
            return parse_packets(code)
        case _, Mapping():
            values = {str(key): str(value) for key, value in settings.items()}
            return _esphome(what, values)
        case _:
            raise RefusedError("no_code")


def _esphome(what: str, values: Mapping[str, str]) -> Packets:
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
