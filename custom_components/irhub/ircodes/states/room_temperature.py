"""How warm a remote control says that it is: "I feel", "follow me".

Some air conditioners can measure the room by their remote control instead of by themselves. Each of
its packets then has the temperature. As JSON (`rule_parts` has the notation of the table):

    {"values": "16 17 18", "table": "51 56-63: 0 b5 b7 b9", "report": "30"}

All bits of the table are set, not flipped: to the first number when the remote control does not
measure, else to that of the temperature. With the bits of `report` set, too, a message says the
temperature alone, and the air conditioner stays as it is; without them there is no such message.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from . import rule_parts as parts
from .state import Value

_OFF: Final = "off"


@dataclass(frozen=True, kw_only=True, slots=True)
class RoomTemperature:
    """The bits that say the temperature of the room."""

    mask: int
    """All of them."""
    off: int
    """Those that are set when the remote control does not measure."""
    degrees: Mapping[float, int]
    """Temperature in °C → those that are set."""
    report: int = 0
    """Those that are set besides in a message that says nothing else."""

    def written(self, message: int, celsius: float | None, *, only: bool = False) -> int:
        """Return a message that says the nearest temperature it can; None: it is not measured.

        `only` if the air conditioner is to stay as it is, where there is such a message.
        """
        message &= ~(self.mask | self.report)
        if celsius is None:
            return message | self.off
        return message | self.degrees[self.nearest(celsius)] | self.report * only

    def nearest(self, celsius: float) -> float:
        """Return the temperature that is said for this one."""
        return min(self.degrees, key=lambda known: abs(known - celsius))

    def as_data(self) -> dict[str, Any]:
        """Return what `from_data` reads."""
        table: dict[Value, int] = {_OFF: self.off, "all": self.mask}
        table.update(self.degrees.items())
        data = {
            "values": parts.degrees_text(self.degrees),
            "table": parts.table_text(table, [_OFF, *self.degrees]),
            "report": parts.bits_text(self.report),
        }
        return {key: value for key, value in data.items() if value}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Return what JSON says. Raise what the readers of `rule_parts` raise."""
        values = parts.read_degrees(data["values"])
        table = parts.read_table(data["table"], [_OFF, *values])
        off = table.pop(_OFF)
        return cls(
            mask=parts.read_bits(data["table"].partition(":")[0]),
            off=off,
            degrees={float(celsius): bits for celsius, bits in table.items()},
            report=parts.read_bits(data.get("report", "")),
        )
