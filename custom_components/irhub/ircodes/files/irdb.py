"""irdb's CSV files: `functionname,protocol,device,subdevice,function`; subdevice -1 means none.

Read: all protocols of the table. Not read: other protocols, rows without a name, parameters for
which irdb has no column (E of NEC1-f16).
"""

import csv
from functools import partial
from typing import Final

from ..reasons import RefusedError
from .by_protocol import by_parameters, number
from .imported import Collector, Packets, required_name

NAME: Final = "irdb"
SUFFIXES: Final = (".csv",)
_FIELDS: Final = ("functionname", "protocol", "device", "subdevice", "function")


def fits(text: str) -> bool:
    """Return whether a text is a CSV file of irdb."""
    return text.lower().startswith("functionname,")


def read(text: str, device: str | None, collector: Collector) -> None:
    """Add all functions of a file."""
    device = required_name(device)
    head, *lines = text.splitlines()
    rows = csv.DictReader(lines, fieldnames=head.lower().split(","))
    try:
        for row in rows:
            collector.count(sum(len(value) for value in row.values() if isinstance(value, str)))
            collector.add(device, row.get("functionname"), partial(_packets, row))
    except csv.Error as err:
        raise RefusedError("line", line=rows.line_num + 1, notation="CSV") from err


def _packets(row: dict[str, str | None]) -> Packets:
    _, protocol, *given = (row.get(name) or "" for name in _FIELDS)
    values = {
        name: number(text) for name, text in zip("DSF", given, strict=True) if text and text != "-1"
    }
    return by_parameters(protocol, values)
