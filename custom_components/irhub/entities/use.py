"""The use of a hub: what YAML or a config entry makes once, and platforms make entities of."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import Platform
from homeassistant.core import CALLBACK_TYPE, callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.device_registry import DeviceInfo
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from ..const import DOMAIN
from ..devices.device import Device
from ..devices.store import Devices
from ..hub.hub import Hub
from ..hub.polling import StatusCoordinator
from ..hub.transceiver import Transceiver
from ..settings import HubOptions, HubSettings, TransceiverSettings
from .device_issues import async_create_failed_issue
from .registries import EntryRegistries, Registries


@dataclass(frozen=True, kw_only=True)
class Use:
    """A hub as one YAML entry or one config entry uses it.

    `devices` are the hub's; what they send goes out by their sender.
    """

    hub: Transceiver
    """The hub, or what is in its place."""
    coordinator: StatusCoordinator | None
    """What reads the hub's status; None without a hub."""
    devices: Devices
    settings: TransceiverSettings
    """As configured here; the hub's own are merged of all uses."""
    options: HubOptions
    name: str | None = None
    """Of YAML: what its entity is called, where the platform has a name."""
    belongs_to: DeviceInfo | None = None
    """Of a config entry: the device of its entities, which are named by what they are."""
    registries: Registries
    """What Home Assistant's registries have of the hub."""
    platforms: Sequence[Platform] = ()
    """Of a config entry: those that YAML does not set up for the hub."""
    ends: list[CALLBACK_TYPE] = field(default_factory=list)
    """What is called when the use ends: the entry is unloaded, or YAML is read anew."""

    @property
    def status(self) -> StatusCoordinator:
        """Return what reads the hub's status, for platforms that only hubs have."""
        assert self.coordinator is not None  # noqa: S101 - for mypy
        return self.coordinator

    @property
    def own_hub(self) -> Hub:
        """Return the hub, for platforms that only hubs have."""
        return self.status.hub

    @property
    def hub_settings(self) -> HubSettings:
        """Return the settings of a hub."""
        assert isinstance(self.settings, HubSettings)  # noqa: S101 - for mypy
        return self.settings

    def unique_id(self, key: str | None = None) -> str:
        """Return the unique id of the hub's entity in a domain, or of that with a key."""
        mac = self.settings.mac
        return str(mac) if key is None else f"{mac}-{key}"

    @callback
    def async_on_end(self, end: CALLBACK_TYPE) -> None:
        """Call `end` when the use ends."""
        self.ends.append(end)

    @callback
    def async_end(self) -> None:
        """End what the use began, the last first."""
        while self.ends:
            self.ends.pop()()

    @contextmanager
    def apart(self, device: Device, platform: Platform) -> Iterator[None]:
        """Let a device that a platform cannot set up affect no other one.

        A repair offers to delete it, until it can be set up.
        """
        issue = f"failed_{platform}_{device.id}"
        try:
            yield
        except Exception as err:  # noqa: BLE001  (whatever it is, the others go on)
            async_create_failed_issue(self.hub.hass, self.devices, device, issue, err)
        else:
            ir.async_delete_issue(self.hub.hass, DOMAIN, issue)

    def add[EntityT: Entity](
        self,
        async_add_entities: AddConfigEntryEntitiesCallback,
        device: Device,
        make: Callable[[Use], Sequence[EntityT]],
    ) -> Sequence[EntityT]:
        """Add the entities of a device: for a config entry, with the device and in its subentry.

        Every platform adds entities of a device by this function. Home Assistant moves a device
        to the subentry of the entity that is added last, and removes its entities of any other
        one.
        """
        registries = self.registries
        if not isinstance(registries, EntryRegistries):
            entities = make(self)
            async_add_entities(entities)
            return entities
        registered = registries.register(device)
        subentry = registries.subentry_of(device)
        entities = make(replace(self, belongs_to=DeviceInfo(identifiers=registered.identifiers)))
        async_add_entities(
            entities, config_subentry_id=None if subentry is None else subentry.subentry_id
        )
        return entities


type IrhubConfigEntry = ConfigEntry[Use]
