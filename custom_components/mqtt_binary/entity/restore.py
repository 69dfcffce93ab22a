"""What a sensor with `restore` remembers over a restart."""

from dataclasses import dataclass
from typing import Any, Self, override

from homeassistant.helpers.restore_state import ExtraStoredData


@dataclass(frozen=True, kw_only=True)
class LastValue(ExtraStoredData):
    """The value, the attributes, and when the value was received (seconds since 1970)."""

    value: bool | None
    received: float | None
    attributes: dict[str, Any]

    @override
    def as_dict(self) -> dict[str, Any]:
        return {"value": self.value, "received": self.received, "attributes": self.attributes}

    @classmethod
    def from_stored(cls, stored: ExtraStoredData | None) -> Self | None:
        """Read what was stored; return None if there is nothing to be used."""
        match stored.as_dict() if stored is not None else None:
            case {
                "value": bool() | None as value,
                "received": int() | float() | None as received,
                "attributes": dict() as attributes,
            }:
                return cls(value=value, received=received, attributes=attributes)
            case _:
                return None
