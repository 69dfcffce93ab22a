"""Encode codes that are given as a protocol and numbers.

There are three kinds of numbers: IRP parameters (irdb, Girr), address and command (Flipper,
ESPHome), and the transmitted bits, first bit leftmost (Tasmota, ESPHome). A protocol with a toggle
gives two packets, to be sent in turn.
"""

from collections.abc import Mapping
from typing import Final

from ..packet.packet import short
from ..protocols.irp_reader import parameters_of_bits
from ..protocols.protocol_table import rows_of, simple
from ..protocols.protocols import addressed, encode, learned, press
from ..reasons import RefusedError
from .imported import Packets

_MOST_BITS: Final = 64
"""Maximum length of a number or a message; no protocol has longer ones."""


def by_parameters(protocol: str, values: Mapping[str, int]) -> Packets:
    """Return the packets for IRP parameters. Raise RefusedError."""
    return _supported(protocol, press(protocol, values))


def by_address(protocol: str, *, address: int, command: int) -> Packets:
    """Return the packets for an address and a command. Raise RefusedError.

    Protocols that are not in the table may be written by the installed library.
    """
    packets = addressed(protocol, address=address, command=command)
    if packets is None:
        try:
            packet = encode(protocol, address=address, command=command)
        except TypeError:
            packet = None  # the protocol requires more arguments than address and command
        packets = None if packet is None else learned([packet])
    return _supported(protocol, packets)


def by_data(protocol: str, *, data: int, bits: int) -> Packets:
    """Return the packets that send these bits, first bit leftmost. Raise RefusedError."""
    transmitted = [data >> position & 1 for position in reversed(range(min(bits, _MOST_BITS)))]
    for name in _ROWS_BY_BITS.get((simple(protocol), bits), (f"{protocol}{bits}", protocol)):
        for row in rows_of(name)[0]:
            if (values := parameters_of_bits(row.irp, transmitted)) is not None:
                return _supported(protocol, press(row.name, values))
    raise RefusedError("protocol", protocol=f"{protocol} ({bits} bits)")


def number(text: str) -> int:
    """Parse a number in decimal or, with 0x, in hex, of at most 64 bits. Raise RefusedError."""
    try:
        value = int(text.strip(), 0)
    except ValueError as err:
        raise RefusedError("no_number", text=short(text)) from err
    if value.bit_length() > _MOST_BITS:
        raise RefusedError("no_number", text=short(text))
    return value


def _supported(protocol: str, packets: Packets | None) -> Packets:
    """Return the packets. Raise RefusedError if there are none: the protocol is not supported."""
    if packets is None:
        raise RefusedError("protocol", protocol=protocol)
    return packets


_ROWS_BY_BITS: Final[Mapping[tuple[str, int], tuple[str, ...]]] = {
    ("nec", 32): ("NEC1", "NEC1-f16"),
    ("neclike", 32): ("NEC1", "NEC1-f16"),
    ("samsung", 32): ("Samsung", "NECx-f16"),
    ("samsunglg", 32): ("Samsung", "NECx-f16"),
    ("panasonic", 48): ("Panasonic", "Kaseikyo"),
    ("sanyolc7461", 42): ("Aiwa", "NEC42ext"),
    ("lg2", 28): ("LG2",),
    ("lg", 32): ("NEC1-f16",),
    ("rc5x", 12): ("RC5",),
    ("mitsubishi", 16): ("Mitsubishi",),
    ("denon", 15): ("Denon{1}", "Sharp{1}"),
    ("sharp", 15): ("Sharp{1}", "Denon{1}"),
}
"""Name in IRremoteESP8266 or ESPHome, and number of bits → names of the table's rows, where these
differ."""
