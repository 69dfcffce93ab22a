"""Packets captured from real remotes, each with its source."""

import base64
import csv
from pathlib import Path
from typing import NamedTuple

PACKETS = Path(__file__).parent / "data" / "packets.tsv"


class Captured(NamedTuple):
    """One line of the table."""

    what: str
    decoded: str
    base64: str
    kind: str

    @property
    def packet(self) -> bytes:
        """The bytes up to the header's length; the rest is the capture's padding."""
        raw = base64.b64decode(self.base64)
        return raw[: 4 + int.from_bytes(raw[2:4], "little")]


def captured() -> list[Captured]:
    """Read the table."""
    with PACKETS.open(encoding="utf-8", newline="") as file:
        return [
            Captured(
                row["what"], row["decoded"], row["base64"], "ir" if row["kind"] == "IR" else "rf"
            )
            for row in csv.DictReader(file, delimiter="\t")
        ]
