"""Typed settings of a hub, from YAML or from a config entry."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from functools import cached_property
import re
from typing import Final, override

from .const import DEFAULT_PORT

_DIGITS: Final = re.compile(r"[0-9a-fA-F]{12}")


@dataclass(frozen=True, eq=False)
class Mac:
    """A MAC address as written; equal to the same address in reversed byte order.

    Devices send it in one order, and some tools show it in the other. Its text is twelve
    hexadecimal digits, as in unique ids and file names.
    """

    digits: str

    @classmethod
    def read(cls, text: str) -> Mac | None:
        """Return the address of a text of twelve hexadecimal digits; None for any other text."""
        return cls(text) if _DIGITS.fullmatch(text) else None

    @override
    def __str__(self) -> str:
        return self.digits

    @override
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mac) and self._either_order == other._either_order

    @override
    def __hash__(self) -> int:
        return hash(self._either_order)

    @property
    def reversed(self) -> Mac:
        """Return the address in reversed byte order."""
        return Mac(bytes.fromhex(self.digits)[::-1].hex())

    @property
    def label(self) -> str:
        """Return the address as on the label of a device: AA:BB:CC:DD:EE:FF."""
        return bytes.fromhex(self.digits).hex(":").upper()

    @property
    def _either_order(self) -> str:
        return min(self.digits, self.reversed.digits)


type ReceiverId = Mac | str
"""The MAC address of a hub, or the id of a receiver entity."""
type EmitterId = Mac | str
"""The MAC address of a hub, or the id of an emitter entity."""


OWN_RECEIVER: Final = "own"
"""The receiver of the hub itself."""
ALL_RECEIVERS: Final = "all"
"""All hubs and all infrared receiver entities."""


class Others(StrEnum):
    """When a hub listens for other integrations."""

    ALWAYS = "always"
    ON_REQUEST = "on_request"
    NEVER = "never"


NO_HUB: Final = Mac("026972687562")
"""Id of a home without a hub: a locally administered MAC address, which no device has."""


@dataclass(frozen=True, kw_only=True)
class TransceiverSettings:
    """Settings of a hub, or of a home without one."""

    mac: Mac
    min_gap: float
    """Seconds between two transmissions."""
    name: str | None = None
    """The user's name of the hub; None in YAML, where only entities have names."""
    receivers: tuple[str, ...] = ()
    """Receivers for its devices' remote controls: OWN_RECEIVER, ALL_RECEIVERS, MAC addresses of
    hubs, ids of entities. Empty: its own receiver, or all if it has none."""

    @property
    def label(self) -> str:
        """Return the name for messages."""
        return self.name or str(self.mac)


@dataclass(frozen=True, kw_only=True)
class WithoutHubSettings(TransceiverSettings):
    """Settings of a home without a hub."""

    mac: Mac = NO_HUB
    emitters: tuple[str, ...] = ()
    """Emitters for devices that have none of their own. Empty: the only existing emitter."""


@dataclass(frozen=True, kw_only=True)
class HubSettings(TransceiverSettings):
    """Settings of a hub."""

    host: str
    port: int
    timeout: float
    """Seconds."""
    others: Others | None = None
    """When it listens for other integrations; None: as another entry has it, else always."""
    fallback: int | None = None
    """Device type of the configured `type`, for hardware that the library does not know."""
    other_hosts: tuple[tuple[str, int], ...] = ()
    """(host, port) of other entries for the same device."""

    @property
    @override
    def label(self) -> str:
        """Return the name for messages: the hub's name with its host, or the host."""
        return f"{self.name} ({self.host_label})" if self.name else self.host_label

    @property
    def host_label(self) -> str:
        """Return the host, with the port unless it is the default."""
        return host_label(self.host, self.port)

    @cached_property
    def host_names(self) -> frozenset[str]:
        """Return the host as actions may name it: without and with the port."""
        return frozenset({self.host, f"{self.host}:{self.port}"})


@dataclass(frozen=True, kw_only=True)
class HubOptions:
    """Options for the entities of a hub."""

    scan_interval: timedelta | None = None
    """None: the default of the platform."""
    frequency: float | None = None
    """Frequency of radio commands to learn, in MHz; None: the hub searches for it."""
    collection: str | None = None
    """Location of code files: a URL, a folder or a zip file; None: GitHub."""
    emitters: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """From YAML: name of a device → emitter entities that transmit its commands."""


def host_label(name: str, port: int) -> str:
    """Return a host for messages and dialogues, with the port unless it is the default."""
    return name if port == DEFAULT_PORT else f"{name}:{port}"


def is_address(source: str) -> bool:
    """Return whether a location of files is a URL, and not a path."""
    return "://" in source
