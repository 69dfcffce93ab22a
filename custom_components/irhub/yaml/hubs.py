"""The hubs that YAML names."""

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
"""Entity domain and MAC address of each hub that YAML has entities of there, and the device whose
commands they are, of an appliance that is made of such."""


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


def check_same_device(hub: HubSettings, other: HubSettings) -> None:
    """Raise UserError if two entries for one host and port name different devices."""
    if (hub.host, hub.port) == (other.host, other.port) and hub.mac != other.mac:
        raise UserError("mac_conflict", hub=hub.label, one=hub.mac.label, other=other.mac.label)
