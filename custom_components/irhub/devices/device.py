"""A device that a hub controls: what it is, what its commands are, and what they do."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
import re
from secrets import token_hex
from typing import Any, Final
from urllib.parse import quote

from ..ircodes import BitRule, Capabilities, State
from ..ircodes.packet import kind
from ..ircodes.states import Steps
from .kinds import Kind

DELAY_S: Final = 0.5
"""Between two commands that belong together."""
POWER_DELAY_S: Final = 10
"""How long a power sensor may take to report a change."""
MAX_DELAY_S: Final = 3600
"""The longest delay that can be set for a device."""
MAX_SENT: Final = 50
"""The most repeats that can be set for a command."""
DEVICE_CLASSES: Final = (
    *("tv", "speaker", "receiver", "projector"),
    *("awning", "blind", "curtain", "damper", "door", "garage", "gate", "shade", "shutter"),
    "window",
)
"""Home Assistant's, of players and of covers; an older one lacks some."""
_ID_BYTES: Final = 4
DEVICE_ID: Final = re.compile(r"[0-9a-f]{12}-(?:[0-9a-f]{8}|[\w.~%-]+)")
COMMAND_ID: Final = re.compile(r"[0-9a-f]{12}-(?:[0-9a-f]{8}|[\w.~%-]+/[\w.~%-]+)")
ENTITY_ID: Final = re.compile(r"[0-9a-f]{12}-[0-9a-f]{8}|[0-9A-Z]{26}")
"""What the ids of devices, commands and entities look like; older versions made them of names."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """Something that can be sent."""

    id: str
    """Never changes, and is never used again; unique in the house."""
    name: str
    """What people call it; unique in its device."""
    packets: tuple[bytes, ...]
    """One, or several that alternate."""
    state: State | None = None
    """What an air conditioner is in after it."""
    beyond: Mapping[str, Any] = field(default_factory=dict)
    """What the file says besides, which this version does not understand."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Favourite:
    """A state of an air conditioner that its user has given a name."""

    id: str
    """Never changes, and is never used again."""
    name: str
    """Unique in its device."""
    state: State


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """A rule that makes the packet of each state, in place of commands."""

    name: str
    fields: Mapping[str, str | float] = field(default_factory=dict)
    """What the remote control says in that protocol besides the state."""


@dataclass(frozen=True, kw_only=True)
class Taught:
    """A rule that presses of the remote control have taught, in place of commands."""

    data: Mapping[str, Any]
    """As `BitRule.as_data` writes it."""

    @cached_property
    def rule(self) -> BitRule:
        """Return the rule. Raise ValueError if the data is none."""
        return BitRule.from_data(self.data)


@dataclass(frozen=True, kw_only=True)
class UnknownRule:
    """A rule of a newer version: it is kept, and makes nothing."""

    data: Any
    """As it stands in the file."""


type DeviceRule = Protocol | Taught | UnknownRule


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the user has said of a device, and may say otherwise at any time."""

    delay: float = DELAY_S
    """Seconds between two commands."""
    repeats: int = 1
    """How often each command is sent."""
    repeat_delay: float = DELAY_S
    """Seconds between those."""
    temperature_sensor: str | None = None
    humidity_sensor: str | None = None
    report_temperature: bool = False
    """Whether the air conditioner goes by the temperature sensor, where its packets can say it."""
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
    emitter: str | None = None
    """Another infrared emitter of Home Assistant's, which transmits in place of the hub."""
    more_emitters: tuple[str, ...] = ()
    """Further ones, which transmit after it; apart, so that older versions read the first."""
    follow: bool = False
    """Whether its entity takes over what its own remote control sends."""
    events: bool = False
    """Whether each press of its own remote control is an event."""
    resend: bool = False
    """Whether what sets something is sent again when no receiver has heard it that should have."""
    buttons: tuple[str, ...] | None = None
    """The commands, by id, that have a button besides the entity; None: all that it does not use.

    Without an entity, all commands have one.
    """

    @property
    def emitters(self) -> tuple[str, ...]:
        """Return the emitters that transmit in place of the hub, each in turn."""
        return () if self.emitter is None else (self.emitter, *self.more_emitters)

    def with_emitters(self, emitters: Iterable[str]) -> Settings:
        """Return the settings with other emitters."""
        chosen = tuple(dict.fromkeys(emitters))
        return replace(self, emitter=next(iter(chosen), None), more_emitters=chosen[1:])


@dataclass(frozen=True, kw_only=True)
class Device:
    """What one remote control is for."""

    id: str
    """Never changes; unique in the house."""
    name: str
    """A label, unique among the devices of its hub: actions take it."""
    kind: Kind = Kind.OTHER
    manufacturer: str = ""
    model: str = ""
    commands: Mapping[str, Command] = field(default_factory=dict)
    """By id, in the order in which they came."""
    functions: Mapping[str, str] = field(default_factory=dict)
    """Function → the id of the command that does it: "off", "volume_up", "source HDMI 2"."""
    rule: DeviceRule | None = None
    """What makes its packets, if they are not commands."""
    capabilities: Capabilities = field(default_factory=Capabilities)
    """Of an air conditioner, as its file, its protocol or its owner lists them."""
    steps: Steps = field(default_factory=Steps)
    settings: Settings = Settings()
    favourites: tuple[Favourite, ...] = ()
    """Of an air conditioner, in the order in which they came."""
    entity: str | None = None
    """The unique id of its entity: media player, thermostat…; None: it has buttons alone."""
    beyond: Mapping[str, Any] = field(default_factory=dict)
    """What the file says besides, which this version does not understand: it is written back."""

    def named(self, name: str) -> Command | None:
        """Return the command of that name."""
        return next((command for command in self.commands.values() if command.name == name), None)

    @property
    def is_radio(self) -> bool:
        """Return whether all that it can be sent is radio, which no infrared emitter transmits."""
        kinds = {kind(packet) for command in self.commands.values() for packet in command.packets}
        return self.rule is None and kinds == {"rf"}

    @property
    def by_name(self) -> Mapping[str, Command]:
        """Return the commands by name, in the order in which they came."""
        return {command.name: command for command in self.commands.values()}

    @property
    def by_id(self) -> dict[str, str]:
        """Return the names of the commands by their ids."""
        return {id_: command.name for id_, command in self.commands.items()}

    def with_commands(self, *commands: Command) -> Device:
        """Return the device with these commands, in place of those of the same ids."""
        added = {command.id: command for command in commands}
        return replace(self, commands={**self.commands, **added})

    def only(self, ids: Iterable[str]) -> Device:
        """Return the device with no more than these commands, and what they do."""
        kept = {*ids}
        return replace(
            self,
            commands={id_: command for id_, command in self.commands.items() if id_ in kept},
            functions={name: id_ for name, id_ in self.functions.items() if id_ in kept},
        )


def new_id(mac: str) -> str:
    """Return an id that nothing has; of the hub, as far as anybody wants to know whose it was."""
    return f"{mac}-{token_hex(_ID_BYTES)}"


def id_in(device: Device, name: str) -> str:
    """Return the id of a command that is known by its name so far."""
    return f"{device.id}/{quote(name, safe='')}"


def free_name(name: str, taken: Iterable[str]) -> str:
    """Return a name that is not taken: with a number behind it, if need be."""
    others, number, free = {*taken}, 2, name
    while free in others:
        free, number = f"{name} {number}", number + 1
    return free


def packets_of(commands: Iterable[Command]) -> list[tuple[str, bytes]]:
    """Return the id of its command with each packet."""
    return [(command.id, packet) for command in commands for packet in command.packets]
