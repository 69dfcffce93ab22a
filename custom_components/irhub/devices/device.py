"""Data classes of a device that a hub controls: its commands, functions, rule and settings."""

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
"""Default delay, in seconds, between commands that are sent in sequence."""
POWER_DELAY_S: Final = 10
"""Default time, in seconds, until a power sensor reports a change."""
MAX_DELAY_S: Final = 3600
"""Maximum delay that can be set for a device, in seconds."""
MAX_SENT: Final = 50
"""Maximum number of repeats that can be set."""
DEVICE_CLASSES: Final = (
    *("tv", "speaker", "receiver", "projector"),
    *("awning", "blind", "curtain", "damper", "door", "garage", "gate", "shade", "shutter"),
    "window",
)
"""Device classes of Home Assistant's media players and covers; older releases lack some."""
_ID_BYTES: Final = 4
DEVICE_ID: Final = re.compile(r"[0-9a-f]{12}-(?:[0-9a-f]{8}|[\w.~%-]+)")
COMMAND_ID: Final = re.compile(r"[0-9a-f]{12}-(?:[0-9a-f]{8}|[\w.~%-]+/[\w.~%-]+)")
ENTITY_ID: Final = re.compile(r"[0-9a-f]{12}-[0-9a-f]{8}|[0-9A-Z]{26}")
"""Patterns of the ids of devices, commands and entities; old versions derived them from names."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """A command of a device."""

    id: str
    """Never changes and is never reused; unique among all hubs."""
    name: str
    """Unique within the device."""
    packets: tuple[bytes, ...]
    """One packet, or several that are sent in turn (an alternating command)."""
    state: State | None = None
    """The state that the command sets an air conditioner to."""
    unknown_keys: Mapping[str, Any] = field(default_factory=dict)
    """Unknown keys of the file, kept for newer versions."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Favourite:
    """A named state of an air conditioner."""

    id: str
    """Never changes and is never reused."""
    name: str
    """Unique within the device."""
    state: State


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """A rule by a known protocol, which encodes states, in place of commands."""

    name: str
    fields: Mapping[str, str | float] = field(default_factory=dict)
    """Values of the protocol's fields that are not part of the state."""


@dataclass(frozen=True, kw_only=True)
class Taught:
    """A rule that was learned from presses of the remote control, in place of commands."""

    data: Mapping[str, Any]
    """In the format of `BitRule.as_data`."""

    @cached_property
    def rule(self) -> BitRule:
        """Return the rule. Raise ValueError if the data is invalid."""
        return BitRule.from_data(self.data)


@dataclass(frozen=True, kw_only=True)
class UnknownRule:
    """A rule of a newer version; it is kept but cannot be used."""

    data: Any
    """JSON of the file, unchanged."""


type DeviceRule = Protocol | Taught | UnknownRule


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The user's settings of a device."""

    delay: float = DELAY_S
    """Seconds between two commands."""
    repeats: int = 1
    """Number of times that each command is sent."""
    repeat_delay: float = DELAY_S
    """Seconds between the repeats."""
    temperature_sensor: str | None = None
    humidity_sensor: str | None = None
    report_temperature: bool = False
    """Whether to send the sensor's temperature to the air conditioner, if its protocol can."""
    power_sensor: str | None = None
    """A binary sensor, a switch, or a sensor with a numeric state."""
    power_threshold: float = 0.0
    """A numeric state above it means on."""
    power_delay: float = POWER_DELAY_S
    """Seconds after a command during which the power sensor is ignored."""
    power_restores: bool = True
    """Whether a device that is switched on by hand is in its last state; else it is unknown."""
    device_class: str | None = None
    source_names: Mapping[str, str | None] | None = None
    """Of a player: source → its shown name; None hides the source."""
    emitter: str | None = None
    """Entity id of an infrared emitter that transmits in place of the hub."""
    more_emitters: tuple[str, ...] = ()
    """Further emitters, which transmit after the first; separate for older versions."""
    follow: bool = False
    """Whether the entity follows the device's own remote control."""
    events: bool = False
    """Whether presses of the device's own remote control are events."""
    resend: bool = False
    """Whether a command in doubt is sent again, if sending it twice does no harm."""
    buttons: tuple[str, ...] | None = None
    """Ids of the commands with a button; None: all commands that the entity does not use.

    Without an entity, all commands have a button.
    """

    @property
    def emitters(self) -> tuple[str, ...]:
        """Return the emitters that transmit one after another in place of the hub."""
        return () if self.emitter is None else (self.emitter, *self.more_emitters)

    def with_emitters(self, emitters: Iterable[str]) -> Settings:
        """Return the settings with other emitters."""
        chosen = tuple(dict.fromkeys(emitters))
        return replace(self, emitter=next(iter(chosen), None), more_emitters=chosen[1:])


@dataclass(frozen=True, kw_only=True)
class Device:
    """A device with a remote control."""

    id: str
    """Never changes; unique among all hubs."""
    name: str
    """Label that actions accept; unique among the devices of the hub."""
    kind: Kind = Kind.OTHER
    manufacturer: str = ""
    model: str = ""
    commands: Mapping[str, Command] = field(default_factory=dict)
    """By id, in the order of addition."""
    functions: Mapping[str, str] = field(default_factory=dict)
    """Function ("off", "volume_up", "source HDMI 2") → id of its command."""
    rule: DeviceRule | None = None
    """The rule that computes packets, if they are not those of commands."""
    unconfirmed: bool = False
    """Whether the rule was taught elsewhere, and no press has confirmed it here."""
    capabilities: Capabilities = field(default_factory=Capabilities)
    """Of an air conditioner, from its code file, its protocol or the user."""
    steps: Steps = field(default_factory=Steps)
    settings: Settings = Settings()
    favourites: tuple[Favourite, ...] = ()
    """Of an air conditioner, in the order of addition."""
    entity: str | None = None
    """Unique id of its entity (media player, climate, …); None if it has only buttons."""
    unknown_keys: Mapping[str, Any] = field(default_factory=dict)
    """Unknown keys of the file, which are written back for newer versions."""

    def named(self, name: str) -> Command | None:
        """Return the command with a name, if any."""
        return next((command for command in self.commands.values() if command.name == name), None)

    @property
    def is_radio(self) -> bool:
        """Return whether all its packets are radio, which infrared emitters cannot transmit."""
        kinds = {kind(packet) for command in self.commands.values() for packet in command.packets}
        return self.rule is None and kinds == {"rf"}

    @property
    def by_name(self) -> Mapping[str, Command]:
        """Return the commands by name, in the order of addition."""
        return {command.name: command for command in self.commands.values()}

    @property
    def by_id(self) -> dict[str, str]:
        """Return the names of the commands by id."""
        return {id_: command.name for id_, command in self.commands.items()}

    def with_commands(self, *commands: Command) -> Device:
        """Return the device with these commands added, replacing those with the same ids."""
        added = {command.id: command for command in commands}
        return replace(self, commands={**self.commands, **added})

    def only(self, ids: Iterable[str]) -> Device:
        """Return the device with only these commands, and their functions."""
        kept = {*ids}
        return replace(
            self,
            commands={id_: command for id_, command in self.commands.items() if id_ in kept},
            functions={name: id_ for name, id_ in self.functions.items() if id_ in kept},
        )


def new_id(mac: str) -> str:
    """Return a new unique id; the hub's MAC address in it is informative only."""
    return f"{mac}-{token_hex(_ID_BYTES)}"


def id_in(device: Device, name: str) -> str:
    """Return the id for a command that has only a name, as in a code file."""
    return f"{device.id}/{quote(name, safe='')}"


def free_name(name: str, taken: Iterable[str]) -> str:
    """Return a name that is not taken, with a number appended if necessary."""
    others, number, free = {*taken}, 2, name
    while free in others:
        free, number = f"{name} {number}", number + 1
    return free


def packets_of(commands: Iterable[Command]) -> list[tuple[str, bytes]]:
    """Return (id of the command, packet) for all packets of commands."""
    return [(command.id, packet) for command in commands for packet in command.packets]


def copied(device: Device, mac: str) -> Device:
    """Return a copy of a device with new ids."""
    own = new_id(mac)
    ids = {id_: new_id(mac) for id_ in device.commands}
    return with_ids(device, own, ids, None if device.entity is None else own)


def with_ids(device: Device, own: str, ids: Mapping[str, str], entity: str | None) -> Device:
    """Return a device with other ids: its own, those of its commands, and its entity's."""
    buttons = device.settings.buttons
    return replace(
        device,
        id=own,
        commands={
            ids[id_]: replace(command, id=ids[id_]) for id_, command in device.commands.items()
        },
        functions={function: ids[id_] for function, id_ in device.functions.items()},
        settings=replace(
            device.settings,
            buttons=buttons and tuple(ids[id_] for id_ in buttons if id_ in ids),
        ),
        favourites=tuple(
            favourite
            if favourite.id.startswith(f"{own}/")
            else replace(favourite, id=f"{own}/{number}")
            for number, favourite in enumerate(device.favourites)
        ),
        entity=entity,
    )
