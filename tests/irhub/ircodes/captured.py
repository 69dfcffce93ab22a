"""Packets captured from real remotes, each with its source."""

import base64
import csv
from pathlib import Path
from typing import Any, NamedTuple

from custom_components.irhub.ircodes.packet.text_forms import parse_text

DATA = Path(__file__).parent / "data"
RC5 = "JgAcAB0dHB44HhweGx4cHR06HB0cHhwdHB8bHhwADQUAAAAAAAAAAAAAAAA="
NEC = (
    "JgBQAAABJJMSEhISETgSEhITEBMSEhMSETcSNxMREjcSNxI3EjcSOBETERITNhM2EhITERM2EzcRNxI3ExISEhI3EjcRExET"
    "EgAFLQABJEoRAA0FAAAAAAAAAAA="
)
RF = "sgcyABgJCBkZCRkJGQkIGQgZCBkZCQgaCBkIGQgZCBkIGRgJGQkYCRkJCBoIGQj8GQkYCQgaAAAAAAAA"
POWER, HDMI, FAN = map(parse_text, (RC5, NEC, RF))
"""The packets of these texts."""


class Captured(NamedTuple):
    """One line of packets.tsv."""

    what: str
    decoded: str
    base64: str
    kind: str

    @property
    def packet(self) -> bytes:
        """The bytes up to the header's length; the rest is the capture's padding."""
        return _cut(decode(self.base64))


class Lenient(NamedTuple):
    """One line of packets_lenient.tsv: it works elsewhere, though its length is not exact."""

    what: str
    source: str
    command: str
    base64: str

    @property
    def raw(self) -> bytes:
        """The published bytes."""
        return decode(self.base64)

    @property
    def packet(self) -> bytes:
        """The bytes up to the header's length; all of them if they are too few."""
        return _cut(self.raw)

    @property
    def transmitted(self) -> bytes:
        """The bytes that a hub transmits: the cipher's zero padding completes a short packet."""
        return self.packet.ljust(_end(self.packet), b"\0")


def _end(packet: bytes) -> int:
    return 4 + int.from_bytes(packet[2:4], "little")


def _cut(raw: bytes) -> bytes:
    return raw[: _end(raw)]


def decode(text: str) -> bytes:
    """Read Base64, padded or not."""
    return base64.b64decode(text + "=" * (-len(text) % 4))


def _rows(name: str) -> list[dict[str, Any]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def captured() -> list[Captured]:
    """Read packets.tsv."""
    return [
        Captured(row["what"], row["decoded"], row["base64"], "ir" if row["kind"] == "IR" else "rf")
        for row in _rows("packets.tsv")
    ]


def more_types() -> list[Lenient]:
    """Read packets_more_types.tsv: radio packets of undocumented types."""
    return [
        Lenient(row["what"], row["source"], "", row["base64"])
        for row in _rows("packets_more_types.tsv")
    ]


def lenient() -> list[Lenient]:
    """Read packets_lenient.tsv."""
    return [
        Lenient(row["what"], row["source"], row["command"], row["base64"])
        for row in _rows("packets_lenient.tsv")
    ]
