"""An appliance as one YAML entry or one subentry describes it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from ..codes.state import State
from ..formats.head import Levels
from .names import Functions, Kind

DELAY_S: Final = 0.5
"""Between two commands that belong together."""
POWER_DELAY_S: Final = 10
"""So long a power sensor may take to notice."""


@dataclass(frozen=True, kw_only=True)
class ApplianceSettings:
    """What is known of an appliance before its commands are looked at."""

    kind: Kind
    device: str
    """Of the hub's learned commands; or what the commands of a file are called together."""
    packets: Mapping[str, Sequence[bytes]] | None = None
    """The commands of a file; None: those that the hub knows for `device`."""
    states: Mapping[str, State] | None = None
    """What the commands of a file set an air conditioner to."""
    protocol: str | None = None
    """Of an air conditioner whose states are encoded when they are sent."""
    protocol_fields: Mapping[str, str | float] | None = None
    """What its remote control says in that protocol besides the state."""
    levels: Levels | None = None
    functions: Functions | None = None
    """None: what the names say."""
    delay: float = DELAY_S
    """Seconds between two commands."""
    repeats: int = 1
    """So often each command is sent."""
    repeat_delay: float = DELAY_S
    """Seconds between those."""
    temperature_sensor: str | None = None
    humidity_sensor: str | None = None
    power_sensor: str | None = None
    """A binary sensor, a switch, or a reading."""
    power_threshold: float = 0.0
    """A reading above it means on."""
    power_delay: float = POWER_DELAY_S
    """Seconds until the power sensor is believed after a command."""
    power_restores: bool = True
    """Whether what was turned on by hand is in its last state, and not in an unknown one."""
    device_class: str | None = None
    source_names: Mapping[str, str | None] | None = None
    """Of a player: source → what it is called instead; None: it is not shown."""
    manufacturer: str | None = None
    model: str | None = None
    emitter: str | None = None
    """Another infrared emitter of Home Assistant's, which transmits in place of the hub."""
    area_id: str | None = None
    """Where the appliance is put when it is made."""
    follow: bool = False
    """Whether it takes over what its own remote control sends."""
    buttons: tuple[str, ...] | None = ()
    """The commands that have a button besides; None: all that the entity does not use."""

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> ApplianceSettings:
        """Return what a subentry says."""
        levels, buttons = data.get("levels"), data.get("buttons", ())
        return cls(
            **{
                **data,
                "kind": Kind(data["kind"]),
                "levels": None if levels is None else Levels.from_data(levels),
                "buttons": None if buttons is None else tuple(buttons),
            }
        )

    def as_data(self) -> dict[str, Any]:
        """Return what `from_data` reads: what is not as it is without being said."""
        return {
            field.name: asdict(value) if isinstance(value, Levels) else value
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default
        }
