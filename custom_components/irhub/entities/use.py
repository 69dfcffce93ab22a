"""The use of a hub by a config entry or YAML: the data that platforms create entities from."""

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
    """A hub with the settings of one config entry or YAML entry.

    Commands of `devices` are sent by `devices.sender`.
    """

    hub: Transceiver
    """The hub, or Home Assistant's emitters and receivers in its place."""
    coordinator: StatusCoordinator | None
    """Polls the hub's status; None without a hub."""
    devices: Devices
    settings: TransceiverSettings
    """Settings of this use; those of the hub are merged from all its uses."""
    options: HubOptions
    name: str | None = None
    """Name of the entity, for YAML platforms with a `name`."""
    belongs_to: DeviceInfo | None = None
    """Device of the entities of a config entry; None in YAML."""
    registries: Registries
    """The hub's entries in Home Assistant's registries."""
    platforms: Sequence[Platform] = ()
    """Platforms of a config entry: those that YAML does not set up for the hub."""
    ends: list[CALLBACK_TYPE] = field(default_factory=list)
    """Called when the use ends: the entry is unloaded, or YAML is reloaded."""

    @property
    def status(self) -> StatusCoordinator:
        """Return the status coordinator, for platforms that only hubs have."""
        assert self.coordinator is not None  # noqa: S101 - for mypy
        return self.coordinator

    @property
    def own_hub(self) -> Hub:
        """Return the hub, for platforms that only hubs have."""
        return self.status.hub

    @property
    def hub_settings(self) -> HubSettings:
        """Return the settings, for platforms that only hubs have."""
        assert isinstance(self.settings, HubSettings)  # noqa: S101 - for mypy
        return self.settings

    def unique_id(self, key: str | None = None) -> str:
        """Return the unique id of the hub's main entity in a domain, or of one with a key."""
        mac = self.settings.mac
        return str(mac) if key is None else f"{mac}-{key}"

    @callback
    def async_on_end(self, end: CALLBACK_TYPE) -> None:
        """Call `end` when the use ends."""
        self.ends.append(end)

    @callback
    def async_end(self) -> None:
        """Call the registered functions, last registered first."""
        while self.ends:
            self.ends.pop()()

    @contextmanager
    def isolated_setup(self, device: Device, platform: Platform) -> Iterator[None]:
        """Context manager for the set-up of a device by a platform: a failure is not raised.

        Instead, a repair issue offers to delete the device, until its set-up succeeds.
        """
        issue = f"failed_{platform}_{device.id}"
        try:
            yield
        except Exception as err:  # noqa: BLE001  (no failure may affect other devices)
            async_create_failed_issue(self.hub.hass, self.devices, device, issue, err)
        else:
            ir.async_delete_issue(self.hub.hass, DOMAIN, issue)

    def add[EntityT: Entity](
        self,
        async_add_entities: AddConfigEntryEntitiesCallback,
        device: Device,
        make: Callable[[Use], Sequence[EntityT]],
    ) -> Sequence[EntityT]:
        """Add the entities of a device; for a config entry, register it and use its subentry.

        All platforms must add entities of devices with this function: Home Assistant moves a device
        to the subentry of the entity that is added last, and removes its entities in any other
        subentry.
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
