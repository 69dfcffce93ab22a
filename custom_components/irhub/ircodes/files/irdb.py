"""irdb's CSV files: `functionname,protocol,device,subdevice,function`; subdevice -1 means none.

Some files name the first column `function`, or separate it by a tab; some have no head.

Read: all protocols of the table. Not read: other protocols, rows without a name, parameters for
which irdb has no column (E of NEC1-f16).
"""

import csv
from functools import partial
import re
from typing import Final

from ..reasons import RefusedError
from .by_protocol import by_parameters, number
from .imported import Collector, Packets, required_name

NAME: Final = "irdb"
SUFFIXES: Final = (".csv",)
_FIELDS: Final = ("functionname", "protocol", "device", "subdevice", "function")
_HEAD: Final = re.compile(r"function(?:name)?[,;\t][^\n]*", re.IGNORECASE)
_ROW: Final = re.compile(r"[^,\n]{1,255},[\w{}-]{1,40},\d+,(?:-1|\d+),\d+\s*(?:\n|\Z)")
"""The first line of a file without a head."""


def fits(text: str) -> bool:
    """Return whether a text is a CSV file of irdb."""
    if (head := _HEAD.match(text)) is not None:
        return "protocol" in head[0].lower()
    return _ROW.match(text) is not None


def read(text: str, device: str | None, collector: Collector) -> None:
    """Add all functions of a file."""
    device = required_name(device)
    lines, fields = text.splitlines(), [*_FIELDS]
    has_head = _HEAD.match(text) is not None
    if has_head:
        columns = [name.strip() for name in re.split(r"[,;\t]", lines.pop(0).lower())]
        fields = columns if {*_FIELDS} <= {*columns} else fields
    rows = csv.DictReader(lines, fieldnames=fields)
    try:
        for row in rows:
            collector.count(sum(len(value) for value in row.values() if isinstance(value, str)))
            collector.add(device, row.get("functionname"), partial(_packets, row))
    except csv.Error as err:
        raise RefusedError("line", line=rows.line_num + has_head, notation="CSV") from err


def _packets(row: dict[str, str | None]) -> Packets:
    _, protocol, *numbers = (row.get(name) or "" for name in _FIELDS)
    values = {
        name: number(text)
        for name, text in zip("DSF", numbers, strict=True)
        if text and text != "-1"
    }
    return by_parameters(protocol, values)
