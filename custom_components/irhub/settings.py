"""What is configured of a hub, in YAML or in a config entry, as typed values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
import re
from typing import Final, override

from .const import DEFAULT_PORT

_DIGITS: Final = re.compile(r"[0-9a-fA-F]{12}")


@dataclass(frozen=True, eq=False)
class Mac:
    """A MAC address, as it was written; equal to the same address in the other byte order.

    Devices send it in one order, and some tools show it in the other. As text it is twelve
    hexadecimal digits, as in unique ids and names of files.
    """

    digits: str

    @classmethod
    def read(cls, text: str) -> Mac | None:
        """Return the address that a text is; None if it is something else."""
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
        """Return the same address, written in the other byte order."""
        return Mac(bytes.fromhex(self.digits)[::-1].hex())

    @property
    def label(self) -> str:
        """Return the address the way the device's label has it: AA:BB:CC:DD:EE:FF."""
        return bytes.fromhex(self.digits).hex(":").upper()

    @property
    def _either_order(self) -> str:
        return min(self.digits, self.reversed.digits)


type ReceiverId = Mac | str
"""Of what receives: the MAC address of a hub, or the id of an entity."""
type EmitterId = Mac | str
"""Of what transmits, likewise."""


OWN_RECEIVER: Final = "own"
"""The receiver of the hub itself."""
ALL_RECEIVERS: Final = "all"
"""Every hub and every infrared receiver of Home Assistant's."""


class Others(StrEnum):
    """When a hub listens for other integrations."""

    ALWAYS = "always"
    ON_REQUEST = "on_request"
    NEVER = "never"


NO_HUB: Final = Mac("026972687562")
"""In place of a hub's address, of a home without one: no maker may give it to a device."""


@dataclass(frozen=True, kw_only=True)
class TransceiverSettings:
    """What is said of a hub, or of what is in its place."""

    mac: Mac
    min_gap: float
    """Seconds between two transmissions."""
    name: str | None = None
    """What the user calls it; None in YAML, which names its entities alone."""
    receivers: tuple[str, ...] = ()
    """What receives its devices' remote controls: OWN_RECEIVER, ALL_RECEIVERS, MAC addresses of
    hubs, ids of entities; none is its own, or all if it has none."""

    @property
    def label(self) -> str:
        """Return what messages call it."""
        return self.name or str(self.mac)


@dataclass(frozen=True, kw_only=True)
class WithoutHubSettings(TransceiverSettings):
    """What is said of Home Assistant's emitters and receivers, in place of a hub."""

    mac: Mac = NO_HUB
    emitters: tuple[str, ...] = ()
    """What transmits for devices that name no emitters; none: the only one there is."""


@dataclass(frozen=True, kw_only=True)
class HubSettings(TransceiverSettings):
    """Where one hub is, and how it is talked to."""

    host: str
    port: int
    timeout: float
    """Seconds."""
    others: Others | None = None
    """When it listens for other integrations; None: always, unless another entry says it."""
    fallback: int | None = None
    """Device type of the configured `type`, for hardware the library does not know."""
    other_hosts: tuple[tuple[str, int], ...] = ()
    """Hosts and ports by which others name the same device."""

    @property
    @override
    def label(self) -> str:
        """Return what messages call the hub: its name with the host behind it, or the host."""
        return f"{self.name} ({self.host_label})" if self.name else self.host_label

    @property
    def host_label(self) -> str:
        """Return the host, with a port that is not the usual one."""
        return host_label(self.host, self.port)


@dataclass(frozen=True, kw_only=True)
class HubOptions:
    """What a user may say of a hub's entities."""

    scan_interval: timedelta | None = None
    """None: the platform's own."""
    frequency: float | None = None
    """In MHz, of the radio commands to learn; None: the hub searches for it."""
    collection: str | None = None
    """Where code files are fetched from: an address, a folder or a zip; None: GitHub."""
    emitters: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Of YAML: device → the infrared emitters of Home Assistant's that transmit its commands."""


def host_label(name: str, port: int) -> str:
    """Return a host as messages and dialogues show it: its port only if it is not the usual one."""
    return name if port == DEFAULT_PORT else f"{name}:{port}"


def is_address(source: str) -> bool:
    """Return whether a place where files are is an address, and no path."""
    return "://" in source
