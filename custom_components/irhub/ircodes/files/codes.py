"""Parse a single code as written in files and by programs.

a text           a packet in any form of `parse_text`; several in a list
numbers          microseconds, in a list
Tasmota          `{"Protocol": "NEC", "Bits": 32, "Data": "0x…", "Repeat": 1}`, or with `RawData`;
                 received codes are in `{"IrReceived": …}`
Zigbee2MQTT      `{"ir_code_to_send": "…"}`, packed for Tuya's blasters; `learned_ir_code` for a
                 learned code

The latter two are JSON, or a text of JSON. Names are not case-sensitive.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from ..packet.packet import MAX_REPEATS, from_capture, join, kind, repeats_of, short, with_repeats
from ..packet.text_forms import MAX_TEXT, from_packed, from_raw, parse_text
from ..reasons import RefusedError
from .by_protocol import by_irremote, number
from .imported import Packets
from .notation import read_notation

_ZIGBEE: Final = ("ir_code_to_send", "learned_ir_code")
_KEYS: Final = ("protocol", "rawdata", "irreceived", *_ZIGBEE)
"""Keys of these programs; each of their codes contains at least one."""
_REPEAT: Final = "repeat"
"""Number of repeats in a command of Tasmota."""
_MOST_BITS: Final = 64
MAX_COPIES: Final = 100
"""Maximum number of copies accepted from a text."""


def is_code(value: object) -> bool:
    """Return whether a value is a single code of Tasmota or Zigbee2MQTT."""
    if isinstance(value, str):
        return _is_json_code(value)
    if not isinstance(value, Mapping):
        return False
    names = {str(name).lower() for name in value}
    return (
        bool({"rawdata", "irreceived", *_ZIGBEE} & names)
        or {"protocol", "data"} <= names
        or {"protocol", "datalsb"} <= names
    )


def parse_packets(value: object, prefix: str = "", *, repeats: int = 0) -> list[bytes]:
    """Return the packets of a code, or of a list of codes; a list of numbers is one packet.

    `prefix` is the default form of texts that do not name their form. `repeats` are those that a
    command of Tasmota has at least.
    """
    if is_code(value):
        return [*_packets_of_code(value, repeats)]
    packets = []
    for text in _as_texts(value):
        packets += parse_packets(text) if is_code(text) else [_packet(text, prefix)]
    return packets


def copies_of(parameter: str, count: object) -> int:
    """Return how often a packet is sent; once by default. Raise RefusedError."""
    copies = number(str(1 if count is None else count))
    if not 1 <= copies <= MAX_COPIES:
        raise RefusedError(
            "parameter", parameter=parameter, value=copies, lowest=1, highest=MAX_COPIES
        )
    return copies


def repeated(packet: bytes, copies: int, *, gap_us: int) -> bytes:
    """Return a packet that sends another one several times.

    Radio packets are repeated by the hub itself, without gaps. Raise RefusedError for a radio
    packet that has no number of repeats.
    """
    if copies == 1:
        return packet
    if kind(packet) != "ir":
        if (repeats := repeats_of(packet)) is None:
            raise RefusedError("radio_in_sequence")
        return with_repeats(packet, min((1 + repeats) * copies - 1, MAX_REPEATS))
    return join([packet] * copies, gap_us=gap_us)


def _packets_of_code(value: object, repeats: int = 0) -> Packets:
    """Return the packets of a code of Tasmota or Zigbee2MQTT. Raise RefusedError."""
    content = read_notation(value.strip()) if isinstance(value, str) else value
    if not isinstance(content, Mapping):
        raise RefusedError("no_code")
    match {str(name).lower(): item for name, item in content.items()}:
        case {"ir_code_to_send": str(packed)} | {"learned_ir_code": str(packed)}:
            return [from_packed(packed.strip().removeprefix("tuya:"))]
        case {"irreceived": Mapping() as received}:  # Repeat: a frame of a button that is held
            return _packets_of_code(
                {name: item for name, item in received.items() if str(name).lower() != _REPEAT}
            )
        case {"rawdata": str(raw)}:
            return [from_raw(raw)]
        case {"rawdata": list(raw)}:
            return parse_packets(raw)
        case {"protocol": str(protocol), **others} if "data" in others or "datalsb" in others:
            bits = number(str(others.get("bits", 32)))
            data = (
                number(str(others["data"]))
                if "data" in others
                else _reversed(number(str(others["datalsb"])), bits)
            )
            repeats = max(repeats, _repeats_of(others.get(_REPEAT)))
            return by_irremote(protocol, data=data, bits=bits, repeats=repeats)
        case _:
            raise RefusedError("no_code")


def _repeats_of(count: object) -> int:
    """Return how often a command is repeated; 0 by default. Raise RefusedError."""
    repeats = number(str(0 if count is None else count))
    if not 0 <= repeats < MAX_COPIES:
        raise RefusedError(
            "parameter", parameter="Repeat", value=repeats, lowest=0, highest=MAX_COPIES - 1
        )
    return repeats


def _reversed(data: int, bits: int) -> int:
    """Return the number with the bits of each byte reversed: each byte is sent lowest bit first."""
    if not 0 < bits <= _MOST_BITS or bits % 8:
        raise RefusedError("no_number", text=short(str(data)))
    return int.from_bytes(
        int(f"{byte:08b}"[::-1], 2) for byte in data.to_bytes(_MOST_BITS // 8)[-bits // 8 :]
    )


def _is_json_code(text: str) -> bool:
    text = text.strip()
    if not text.startswith("{") or not text.endswith("}") or len(text) > MAX_TEXT:
        return False
    if not any(key in text.lower() for key in _KEYS):
        return False
    try:
        content = read_notation(text)
    except ValueError:
        return False
    return isinstance(content, Mapping) and is_code(content)


def _as_texts(value: object) -> Sequence[object]:
    match value:
        case str():
            return [value]
        case list() if value and all(map(_is_duration, value)):
            return [" ".join(map(str, value))]
        case list():
            return value
        case _:
            raise RefusedError("no_packet")


def _is_duration(item: object) -> bool:
    return isinstance(item, int) or (isinstance(item, str) and item.lstrip("+-").isdecimal())


def _packet(text: object, prefix: str) -> bytes:
    if not isinstance(text, str):
        raise RefusedError("no_packet")
    return from_capture(parse_text(text if ":" in text else prefix + text))
