"""Codes that are written as a protocol and its numbers, encoded for the hub.

Which protocols there are is the choice of the library that comes with Home Assistant; RC-5 and
RC-6 are always there. Their codes become two packets that alternate, with the toggle bit flipped.
"""

from collections.abc import Mapping
import re
from typing import Final

from ..codes.packet import from_timings, short
from ..codes.protocols import encode, learned
from ..codes.reasons import RefusedError
from .imported import Packets

_BYTE: Final = 0xFF
_TWO_BYTES: Final = 0xFFFF
_MOST_BITS: Final = 48
_PAUSE_US: Final = 40_000
_SONY_COPIES: Final = 2
"""A device of Sony's wants to hear a frame three times."""


def by_protocol(protocol: str, *, address: int, command: int) -> Packets:
    """Return the packets of an address and a command, as Flipper and ESPHome number them.

    Raise RefusedError if the protocol is none that can be written, or for wrong numbers.
    """
    name = _simple(protocol)
    if name == "necext":
        return [_nec(address, command)]
    if name == "kaseikyo":  # address: 2 bits of an id, 16 of the maker, two times 4 of the device
        first, second, third = address & 0xF0, address & 0x0F, address >> 24 << 6
        second, third = second | (command & 0x0F) << 4, third | command >> 4
        return _kaseikyo(address >> 8 & _TWO_BYTES, first, second, third)
    sony = name.startswith(("sirc", "sony"))
    try:
        packet = encode(
            protocol, address=address, command=command, repeats=_SONY_COPIES if sony else 0
        )
    except TypeError:
        packet = None  # a protocol that wants to be told more than address and command
    if packet is None:
        raise RefusedError("protocol", protocol=protocol)
    return learned([packet])


def by_device(protocol: str, *, device: int, subdevice: int | None, function: int) -> Packets:
    """Return the packets of a device, subdevice and function, as irdb and Girr number them."""
    address, name = device, _simple(protocol)
    if name in _OTHERWISE:
        raise RefusedError("protocol", protocol=protocol)
    if name == "panasonic":
        return _kaseikyo(_PANASONIC, device, subdevice or 0, function)
    if subdevice is not None:
        address |= subdevice << (5 if name.startswith("sony") else 8)
    if name in _SAMSUNG and subdevice is not None:
        if subdevice != device:
            raise RefusedError("protocol", protocol=f"{protocol} (subdevice)")
        address = device
    if name in _NEC and subdevice is not None:
        return by_protocol("NECext", address=address, command=function | (~function & _BYTE) << 8)
    return by_protocol(protocol, address=address, command=function)


def by_data(protocol: str, *, data: int, bits: int) -> Packets:
    """Return the packets of data that are written with the bit that is sent first on the left.

    So do Tasmota and IRremoteESP8266.
    """
    if bits > _MOST_BITS:
        raise RefusedError("protocol", protocol=f"{protocol} ({bits} bits)")
    sent = [(data >> shift) & 1 for shift in reversed(range(bits))]
    name = _simple(protocol)
    if bits == 32 and name in {"nec", "neclike", "samsung"}:  # noqa: PLR2004  (their length)
        address, command = _number(sent[:16]), _number(sent[16:])
        if name == "samsung":
            low, high = address & _BYTE, address >> 8
            return by_device(protocol, device=low, subdevice=high, function=command & _BYTE)
        return by_protocol("NECext", address=address, command=command)
    if name == "sony" and bits in {12, 15, 20}:
        return by_protocol(f"SIRC{bits}", address=_number(sent[7:]), command=_number(sent[:7]))
    if name == "panasonic" and bits == 48:  # noqa: PLR2004  (its length)
        *three, check = (_number(sent[at : at + 8]) for at in range(16, 48, 8))
        if check == three[0] ^ three[1] ^ three[2]:
            return _kaseikyo(_number(sent[:16]), *three)
    raise RefusedError("protocol", protocol=protocol)


def number(text: str) -> int:
    """Return a number in decimal or, with 0x, in hex. Raise RefusedError."""
    try:
        return int(text.strip(), 0)
    except ValueError as err:
        raise RefusedError("no_number", text=short(text)) from err


def parameters(protocol: str, values: Mapping[str, str]) -> Packets:
    """Return the packets of IRP's parameters D, S and F."""
    if missing := [name for name in ("D", "F") if name not in values]:
        raise RefusedError("no_parameter", parameter=missing[0])
    subdevice = number(values["S"]) if "S" in values else -1
    return by_device(
        protocol,
        device=number(values["D"]),
        subdevice=None if subdevice < 0 else subdevice,
        function=number(values["F"]),
    )


def _nec(address: int, command: int) -> bytes:
    """Return a packet of NEC with two free bytes each: not every version of the library has it."""
    if not (0 <= address <= _TWO_BYTES and 0 <= command <= _TWO_BYTES):
        raise RefusedError(
            "address",
            address=address,
            command=command,
            highest_address=_TWO_BYTES,
            highest_command=_TWO_BYTES,
            protocol="NEC",
        )
    timings = [9000, -4500]
    for place in range(32):
        timings += [562, -1687 if (address | command << 16) >> place & 1 else -562]
    return from_timings([*timings, 562, -_PAUSE_US])


def _kaseikyo(maker: int, *data: int) -> Packets:
    """Return the packet of three bytes; in the first the protocol has its own lower half."""
    packet = encode("Kaseikyo", address=maker, data=bytes(data), error_correction=_check_byte)
    if packet is None:
        raise RefusedError("protocol", protocol="Kaseikyo")
    return [packet]


def _check_byte(frame: bytes) -> bytes:
    return bytes([frame[2] ^ frame[3] ^ frame[4]])


def _number(bits: list[int]) -> int:
    """Return the number of bits of which the lowest is sent first."""
    return sum(bit << place for place, bit in enumerate(bits))


def _simple(protocol: str) -> str:
    return re.sub(r"[^a-z0-9]", "", protocol.lower())


_NEC: Final = {"nec", "nec1", "nec2"}
_OTHERWISE: Final = {"rc5x", "kaseikyo"}
"""What the formats with devices and subdevices call other protocols than Flipper does."""
_PANASONIC: Final = 0x2002
_SAMSUNG: Final = {"samsung32", "samsung", "necx1", "necx2"}
