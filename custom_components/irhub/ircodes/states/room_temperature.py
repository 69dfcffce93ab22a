"""Room temperature measured by the remote control: "I feel", "follow me".

Some air conditioners can use the room temperature that their remote control measures and includes
in each packet. As JSON (notation of the table: see `rule_parts`):

    {"values": "16 17 18", "table": "51 56-63: 0 b5 b7 b9", "report": "30"}

The bits of the table are set, not flipped: to the first number if the remote control does not
measure, else to that of the temperature. If the bits of `report` are also set, the message contains
only the temperature and the air conditioner does not change its state; without `report` there is no
such message.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from . import rule_parts as parts
from .state import Value

_OFF: Final = "off"


@dataclass(frozen=True, kw_only=True, slots=True)
class RoomTemperature:
    """The bits that encode the temperature of the room."""

    mask: int
    """All bits used."""
    off: int
    """Bits set if the remote control does not measure."""
    degrees: Mapping[float, int]
    """Temperature in °C → bits set."""
    report: int = 0
    """Bits also set in a message without a state."""

    def written(self, message: int, celsius: float | None, *, only: bool = False) -> int:
        """Return a message with the nearest possible temperature; `celsius` None: not measured.

        `only`: report only the temperature, without a state, if there is such a message.
        """
        message &= ~(self.mask | self.report)
        if celsius is None:
            return message | self.off
        return message | self.degrees[self.nearest(celsius)] | self.report * only

    def nearest(self, celsius: float) -> float:
        """Return the temperature that is sent for this one."""
        return min(self.degrees, key=lambda available: abs(available - celsius))

    def as_data(self) -> dict[str, Any]:
        """Return the data for `from_data`."""
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
        """Parse JSON data. Raise the exceptions of the readers in `rule_parts`."""
        values = parts.read_degrees(data["values"])
        table = parts.read_table(data["table"], [_OFF, *values])
        off = table.pop(_OFF)
        return cls(
            mask=parts.read_bits(data["table"].partition(":")[0]),
            off=off,
            degrees={float(celsius): bits for celsius, bits in table.items()},
            report=parts.read_bits(data.get("report", "")),
        )
