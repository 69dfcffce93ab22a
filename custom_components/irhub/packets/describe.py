"""What a packet means to the device it is for, where that is known.

Decoded by `infrared_protocols`, which comes with core's `infrared` and is
therefore not always there. Its versions differ: each reads back some of the
protocols that it can write.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Protocol

from .packet import kind, to_timings

_ONE_BYTE = 0xFF


class _Decoded(Protocol):
    address: int
    command: int


def describe(packet: bytes) -> str | None:
    """Say "NEC address 0x04 command 0x08", or nothing if nothing recognises the packet."""
    if kind(packet) == "rf":
        return None
    timings = to_timings(packet)
    for protocol, decode in _DECODERS.items():
        if decoded := decode(timings):
            address = _address(protocol, decoded.address)
            return f"{protocol} address {address} command 0x{decoded.command:02x}"
    return None


def _address(protocol: str, address: int) -> str:
    """Undo the check byte: an 8-bit address comes with its complement (NEC) or twice (Samsung)."""
    low, high = address & _ONE_BYTE, address >> 8
    match protocol:
        case "NEC" if high == low ^ _ONE_BYTE:
            return f"0x{low:02x}"
        case "NEC":
            return f"0x{address:04x}"
        case "Samsung" if high == low:
            return f"0x{low:02x}"
        case _:
            return f"0x{address:02x}"


def _decoders() -> dict[str, Callable[[list[int]], _Decoded | None]]:
    """Give what the installed library reads, by the name that people call it.

    Runs when this module is imported, because importing is not for the event loop.
    """
    decoders = {}
    for protocol, module, name in (
        ("NEC", "nec", "NECCommand"),
        ("Samsung", "samsung", "Samsung32Command"),
        ("Sony", "sony", "SonyCommand"),
        ("RC-5", "rc5", "RC5Command"),
        ("RC-6", "rc6", "RC6Command"),
    ):
        try:
            command = getattr(import_module(f"infrared_protocols.commands.{module}"), name)
            decoders[protocol] = command.from_raw_timings
        except ImportError, AttributeError:
            continue
    return decoders


_DECODERS = _decoders()
