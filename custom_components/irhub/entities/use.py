"""The use of a hub: what YAML or a config entry makes once, and platforms make entities of."""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
import logging
from typing import Final

from homeassistant.config import config_per_platform
from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_DEVICE, CONF_MAC, CONF_NAME, Platform
from homeassistant.core import CALLBACK_TYPE, Context, HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.device_registry import DeviceInfo
from homeassistant.helpers.typing import ConfigType
from homeassistant.util.hass_dict import HassKey
import voluptuous as vol

from .._common.markdown import escaped_values
from ..const import APPLIANCES, DOMAIN, PLATFORMS
from ..devices.device import Command, Device
from ..devices.store import Devices, devices_of
from ..errors import IrhubError, UserError, told
from ..hub.hub import Hub
from ..hub.hubs import DATA_HUBS, Hubs
from ..hub.polling import StatusCoordinator
from ..schema import hub_options, hub_settings, mac
from ..settings import HubOptions, HubSettings, Mac
from .device_registry import RegisteredDevices

_LOGGER = logging.getLogger(__package__)

FAILED: Final = "failed"
"""In a repair's data: the device that cannot be set up."""

type InYaml = frozenset[tuple[str, Mac, str | None]]
"""Entity domain and MAC address of each hub that YAML has entities of there, and the device whose
commands they are, of an appliance that is made of such."""


@dataclass(frozen=True, kw_only=True)
class Use:
    """A hub as one YAML entry or one config entry uses it.

    Use → device → what it sends → hub: `devices` are the hub's, `send` is the way out.
    """

    hub: Hub
    status: StatusCoordinator
    devices: Devices
    settings: HubSettings
    """As configured here; the hub's own are merged of all uses."""
    options: HubOptions
    name: str | None = None
    """Of YAML: what its entity is called, where the platform has a name."""
    belongs_to: DeviceInfo | None = None
    """Of a config entry: the device of its entities, which are named by what they are."""
    registered: RegisteredDevices | None = None
    """Of a config entry: what stands in the device registry."""
    platforms: Sequence[Platform] = ()
    """Of a config entry: those that YAML does not set up for the hub."""
    ends: list[CALLBACK_TYPE] = field(default_factory=list)
    """What is called when the use ends: the entry is unloaded, or YAML is read anew."""

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
            async_tell_of_failed(self, device, issue, err)
        else:
            ir.async_delete_issue(self.hub.hass, DOMAIN, issue)

    async def send(
        self,
        device: Device | None,
        items: Iterable[Command | bytes],
        context: Context | None = None,
    ) -> list[bytes]:
        """Transmit commands of a device, or packets of none, as `Devices.send` does."""
        return await self.devices.send(self.hub, device, items, context)


type IrhubConfigEntry = ConfigEntry[Use]


class YamlHubs:
    """The hubs as YAML uses them, until it is read anew."""

    def __init__(self, hass: HomeAssistant, hubs: Hubs, named: InYaml) -> None:
        self.named = named
        self._hass = hass
        self._hubs = hubs
        self._uses: list[Use] = []
        self._ends: list[CALLBACK_TYPE] = []
        self._conflicts: set[str] = set()

    def platforms_beside(self, mac: Mac) -> list[Platform]:
        """Return the platforms in which YAML leaves a hub to its config entry."""
        return [platform for platform in PLATFORMS if (platform, mac, None) not in self.named]

    def appliances(self, mac: Mac, device: str) -> list[str]:
        """Return the domains in which YAML has entities of the commands of a hub's device."""
        return [domain for domain, *of in self.named if of == [mac, device]]

    @callback
    def use(self, config: ConfigType, settings: HubSettings) -> Use | None:
        """Return the hub that a validated entry is for, connecting in the background from now on.

        None, with an error in the log and a repair, if another entry gives the same host
        another MAC address: the platform then sets up nothing.
        """
        try:
            for use in self._uses:
                check_same_device(use.settings, settings)
        except UserError as err:
            self._report_conflict(settings, err)
            return None
        hub, status = self._hubs.use(settings)
        use = Use(
            hub=hub,
            status=status,
            devices=devices_of(self._hass, settings.mac),
            settings=settings,
            options=hub_options(config),
            name=config.get(CONF_NAME),
            ends=self._ends,
        )
        self._uses.append(use)
        if use.options.emitters:
            use.async_on_end(use.devices.async_emit_through(use.options.emitters))
        return use

    @callback
    def async_on_end(self, end: CALLBACK_TYPE) -> None:
        """Call `end` before YAML is read anew."""
        self._ends.append(end)

    @asynccontextmanager
    async def reloading(self) -> AsyncIterator[None]:
        """End all uses before the entries are set up anew."""
        self._hubs.reloading = True
        try:
            while self._ends:
                self._ends.pop()()
            uses, self._uses = self._uses, []
            await self._hubs.release(use.settings for use in uses)
            while self._conflicts:
                ir.async_delete_issue(self._hass, DOMAIN, self._conflicts.pop())
            yield
        finally:
            self._hubs.reloading = False

    def _report_conflict(self, settings: HubSettings, error: UserError) -> None:
        _LOGGER.error("%s", error)
        issue = f"mac_conflict_{settings.host}_{settings.port}"
        self._conflicts.add(issue)
        ir.async_create_issue(
            self._hass,
            DOMAIN,
            issue,
            is_fixable=False,
            severity=ir.IssueSeverity.ERROR,
            translation_key="mac_conflict",
            translation_placeholders=escaped_values(error.translation_placeholders or {}),
        )


@callback
def async_tell_of_failed(use: Use, device: Device, issue: str, err: Exception) -> None:
    """Let a repair offer to delete a device that cannot be set up; log why, once."""
    label, is_ours = use.devices.label(device), isinstance(err, IrhubError)
    if ir.async_get(use.hub.hass).async_get_issue(DOMAIN, issue) is None:
        _LOGGER.error("%s: %s", label, err if is_ours else repr(err), exc_info=not is_ours)
    ir.async_create_issue(
        use.hub.hass,
        DOMAIN,
        issue,
        data={CONF_MAC: str(use.devices.mac), FAILED: device.id},
        is_fixable=True,
        severity=ir.IssueSeverity.ERROR,
        translation_key="failed_device",
        translation_placeholders={
            "device": label,
            "count": str(len(device.commands)),
            "error": told(err) if is_ours else repr(err),
        },
    )


@callback
def async_forget_failed(hass: HomeAssistant, id_: str) -> None:
    """Let the repairs of a device go, which is gone itself."""
    for issue in list(ir.async_get(hass).issues.values()):
        if issue.domain == DOMAIN and (issue.data or {}).get(FAILED) == id_:
            ir.async_delete_issue(hass, DOMAIN, issue.issue_id)


DATA_YAML_HUBS: HassKey[YamlHubs] = HassKey(f"{DOMAIN}_yaml")


@callback
def async_use_in_yaml(
    hass: HomeAssistant, config: ConfigType, hub: HubSettings | None = None
) -> Use | None:
    """Return the hub of a validated YAML entry; None if the platform is to set up nothing.

    `hub` says which one it is if the entry itself does not.
    """
    return hass.data[DATA_YAML_HUBS].use(config, hub or hub_settings(config))


@callback
def async_setup_uses(hass: HomeAssistant, config: ConfigType) -> None:
    """Make room for the hubs that YAML names."""
    hass.data[DATA_YAML_HUBS] = YamlHubs(hass, hass.data[DATA_HUBS], hubs_in_yaml(config))


def hubs_in_yaml(config: ConfigType) -> InYaml:
    """Return what each irhub entry in YAML names.

    An entry may still be wrong: then what it says is missing, until it is right.
    """
    named: set[tuple[str, Mac, str | None]] = set()
    for domain in (*PLATFORMS, *APPLIANCES):
        for platform, entry in config_per_platform(config, domain):
            device = entry.get(CONF_DEVICE) if domain in APPLIANCES else None
            if platform == DOMAIN and (domain in PLATFORMS or device is not None):
                with suppress(vol.Invalid):
                    named.add((domain, Mac(mac(entry.get(CONF_MAC))), device and str(device)))
    return frozenset(named)


def check_same_device(one: HubSettings, other: HubSettings) -> None:
    """Raise UserError if two entries for one host and port name different devices."""
    if (one.host, one.port) == (other.host, other.port) and one.mac != other.mac:
        raise UserError("mac_conflict", hub=one.label, one=one.mac.label, other=other.mac.label)
