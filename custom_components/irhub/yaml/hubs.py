"""The hubs in YAML."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
import logging

from homeassistant.config import config_per_platform
from homeassistant.const import CONF_DEVICE, CONF_MAC, CONF_NAME, Platform
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.typing import ConfigType
from homeassistant.util.hass_dict import HassKey
import voluptuous as vol

from .._common.markdown import escaped_values
from ..const import APPLIANCES, DOMAIN, PLATFORMS
from ..devices.store import devices_of
from ..entities.registries import Registries
from ..entities.use import Use
from ..errors import UserError
from ..hub.hubs import DATA_HUBS, Hubs
from ..schema import hub_options, hub_settings, mac
from ..settings import HubSettings, Mac

_LOGGER = logging.getLogger(__package__)

type InYaml = frozenset[tuple[str, Mac, str | None]]
"""(entity domain, MAC address of the hub, device or None) of each YAML entry; the device is the
stored one whose commands an appliance uses."""


class YamlHubs:
    """The uses of hubs by YAML, until the next reload."""

    def __init__(self, hass: HomeAssistant, hubs: Hubs, named: InYaml) -> None:
        self.named = named
        self._hass = hass
        self._hubs = hubs
        self._uses: list[Use] = []
        self._ends: list[CALLBACK_TYPE] = []
        self._conflicts: set[str] = set()

    def platforms_beside(self, mac: Mac) -> list[Platform]:
        """Return the platforms that the hub's config entry sets up, because YAML does not."""
        return [platform for platform in PLATFORMS if (platform, mac, None) not in self.named]

    def appliances(self, mac: Mac, device: str) -> list[str]:
        """Return the domains in which YAML has entities with the commands of a device."""
        return [domain for domain, *of_entry in self.named if of_entry == [mac, device]]

    @callback
    def use(self, config: ConfigType, settings: HubSettings) -> Use | None:
        """Return the use of a validated entry's hub; connect in the background if it is new.

        Return None, log an error and create a repair issue if another entry has the same host with
        another MAC address. The platform must not set up anything then.
        """
        try:
            for use in self._uses:
                check_same_device(use.hub_settings, settings)
        except UserError as err:
            self._report_conflict(settings, err)
            return None
        hub, status = self._hubs.use(settings)
        use = Use(
            hub=hub,
            coordinator=status,
            devices=devices_of(self._hass, settings.mac),
            registries=Registries(self._hass, settings.mac),
            settings=settings,
            options=hub_options(config),
            name=config.get(CONF_NAME),
            ends=self._ends,
        )
        self._uses.append(use)
        if use.options.emitters:
            use.async_on_end(use.devices.sender.async_emit_through(use.options.emitters))
        return use

    @callback
    def async_on_end(self, end: CALLBACK_TYPE) -> None:
        """Call `end` at the next reload."""
        self._ends.append(end)

    @asynccontextmanager
    async def reloading(self) -> AsyncIterator[None]:
        """Context manager of a reload: end all uses, then let entries be set up again."""
        self._hubs.reloading = True
        try:
            while self._ends:
                self._ends.pop()()
            uses, self._uses = self._uses, []
            await self._hubs.release(use.hub_settings for use in uses)
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


DATA_YAML_HUBS: HassKey[YamlHubs] = HassKey(f"{DOMAIN}_yaml")


@callback
def async_use_in_yaml(
    hass: HomeAssistant, config: ConfigType, hub: HubSettings | None = None
) -> Use | None:
    """Return the use of a validated YAML entry; None if nothing must be set up.

    `hub` is the hub's settings if the entry does not contain them.
    """
    return hass.data[DATA_YAML_HUBS].use(config, hub or hub_settings(config))


@callback
def async_setup_uses(hass: HomeAssistant, config: ConfigType) -> None:
    """Create the registry of YAML's hubs."""
    hass.data[DATA_YAML_HUBS] = YamlHubs(hass, hass.data[DATA_HUBS], hubs_in_yaml(config))


def hubs_in_yaml(config: ConfigType) -> InYaml:
    """Return the hubs and devices of the irhub entries in unvalidated YAML.

    Invalid entries are omitted.
    """
    named: set[tuple[str, Mac, str | None]] = set()
    for domain in (*PLATFORMS, *APPLIANCES):
        for platform, entry in config_per_platform(config, domain):
            device = entry.get(CONF_DEVICE) if domain in APPLIANCES else None
            if platform == DOMAIN and (domain in PLATFORMS or device is not None):
                with suppress(vol.Invalid):
                    named.add((domain, Mac(mac(entry.get(CONF_MAC))), device and str(device)))
    return frozenset(named)


def check_same_device(hub: HubSettings, other: HubSettings) -> None:
    """Raise UserError if two entries have the same host and port but different MAC addresses."""
    if (hub.host, hub.port) == (other.host, other.port) and hub.mac != other.mac:
        raise UserError("mac_conflict", hub=hub.label, one=hub.mac.label, other=other.mac.label)
