"""Encode codes that are given as a protocol and numbers.

There are four kinds of numbers: IRP parameters (irdb, Girr), address and command (Flipper,
ESPHome), the transmitted bits, first bit leftmost (ESPHome, irplus), and those of IRremoteESP8266
(Tasmota), which for some protocols are other bits than the transmitted ones. A protocol with a
toggle gives two packets, to be sent in turn.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
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
    rows = _ROWS_BY_BITS.get((simple(protocol), bits), (f"{protocol}{bits}", protocol))
    return _sending(protocol, data, bits, dict.fromkeys(rows, list))


def by_irremote(protocol: str, *, data: int, bits: int, repeats: int = 0) -> Packets:
    """Return the packets for protocol, number and bits in IRremoteESP8266. Raise RefusedError."""
    rows = _ROWS_OF_IRREMOTE.get((simple(protocol), bits))
    rows = rows or dict.fromkeys((f"{protocol}{bits}", protocol), list)
    return _sending(protocol, data, bits, rows, repeats)


type _Bits = Callable[[Sequence[int]], Iterable[int]]
"""Returns the bits that are transmitted for the bits of a number, highest bit first."""


def _sending(
    protocol: str, data: int, bits: int, rows: Mapping[str, _Bits], repeats: int = 0
) -> Packets:
    """Return the packets of the first row of the table that sends the bits of a number."""
    bit_values = [data >> position & 1 for position in reversed(range(min(bits, _MOST_BITS)))]
    for name, transmitted in rows.items():
        for row in rows_of(name)[0]:
            if (values := parameters_of_bits(row.irp, [*transmitted(bit_values)])) is not None:
                return _supported(protocol, press(row.name, values, repeats=repeats))
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


def _last_first(bits: Sequence[int]) -> Iterable[int]:
    return reversed(bits)


def _inverted(bits: Sequence[int]) -> Iterable[int]:
    return (1 - bit for bit in bits)


def _first_inverted(bits: Sequence[int]) -> Iterable[int]:
    return (1 - bits[0], *bits[1:])


def _after_start_bit(bits: Sequence[int]) -> Iterable[int]:
    return (1, *bits)


def _without_trailer(bits: Sequence[int]) -> Iterable[int]:
    """Return the bits of RC-6 without the trailer of a protocol whose trailer is always 0."""
    return () if bits[_RC6_TRAILER] else (1, *bits[:_RC6_TRAILER], *bits[_RC6_TRAILER + 1 :])


def _with_inverted_frame(bits: Sequence[int]) -> Iterable[int]:
    """Return two frames; in the second all bits behind the address are inverted."""
    address = bits[:_SHARP_ADDRESS]
    return (*bits, *address, *_inverted(bits[_SHARP_ADDRESS:]))


_RC6_TRAILER: Final = 3
_SHARP_ADDRESS: Final = 5
_SHARP: Final[Mapping[str, _Bits]] = dict.fromkeys(("Denon", "Sharp"), _with_inverted_frame)

_ROWS_BY_BITS: Final[Mapping[tuple[str, int], tuple[str, ...]]] = {
    ("nec", 32): ("NEC1", "NEC1-f16"),
    ("samsung", 32): ("Samsung", "NECx-f16"),
    ("panasonic", 48): ("Panasonic", "Kaseikyo"),
    ("lg", 32): ("NEC1-f16",),
}
"""Name in ESPHome or irplus, and number of bits → names of the table's rows, where these differ."""
_ROWS_OF_IRREMOTE: Final[Mapping[tuple[str, int], Mapping[str, _Bits]]] = {
    ("nec", 32): dict.fromkeys(("NEC1", "NEC1-f16"), list),
    ("neclike", 32): dict.fromkeys(("NEC1", "NEC1-f16"), list),
    ("samsung", 32): dict.fromkeys(("Samsung", "NECx-f16"), list),
    ("samsunglg", 32): dict.fromkeys(("Samsung", "NECx-f16"), list),
    ("lg", 32): dict.fromkeys(("Samsung", "NECx-f16"), list),
    ("lg2", 28): {"LG2": list},
    ("panasonic", 48): dict.fromkeys(("Panasonic", "Kaseikyo"), list),
    ("denon", 48): dict.fromkeys(("Denon-K", "Kaseikyo"), list),
    ("denon", 15): _SHARP,
    ("sharp", 15): _SHARP,
    ("sanyolc7461", 42): dict.fromkeys(("Aiwa", "NEC42ext"), list),
    ("mitsubishi2", 16): {"Proton": list},
    ("dish", 16): {"Dish_Network": list},
    ("nikai", 24): {"RCA": _inverted},
    ("bose", 16): {"Bose": _last_first},
    ("rc5", 12): {"RC5": _after_start_bit},
    ("rc5x", 13): {"RC5": _first_inverted},
    ("rc6", 20): {"RC6": _after_start_bit},
    ("rc6", 24): {"RC6-6-20": _after_start_bit},
    ("rc6", 28): {"Replay": _after_start_bit},
    ("rc6", 36): {"MCE": _without_trailer, "RC6-6-32": _after_start_bit},
}
"""Name in IRremoteESP8266, and number of bits → names of the table's rows, and the bits that they
send."""
