"""A device that a hub controls: what it is, what its commands are, and what they do."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ..codes.state import State


class Kind(StrEnum):
    """What a device is. Its owner, its file or its protocol has said so; it is not guessed."""

    AIR_CONDITIONER = "air_conditioner"
    TELEVISION = "television"
    RECEIVER = "receiver"
    PROJECTOR = "projector"
    PLAYER = "player"
    FAN = "fan"
    LIGHT = "light"
    COVER = "cover"
    OTHER = "other"


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """Something that can be sent."""

    id: str
    """Never changes, and is never used again; unique in its device."""
    name: str
    """What people call it; unique in its device, too."""
    packets: tuple[bytes, ...]
    """One, or several that alternate."""
    state: State | None = None
    """What an air conditioner is in after it."""


@dataclass(frozen=True, kw_only=True)
class Device:
    """What one remote control is for."""

    id: str
    """Never changes; unique in the house."""
    name: str
    kind: Kind = Kind.OTHER
    manufacturer: str = ""
    model: str = ""
    commands: Mapping[str, Command] = field(default_factory=dict)
    """By id, in the order in which they came."""
    functions: Mapping[str, str] = field(default_factory=dict)
    """Function → the id of the command that does it: "off", "volume_up", "source HDMI 2"."""
