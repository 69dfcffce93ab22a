"""The use of a hub: what YAML or a config entry makes once, and platforms make entities of."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
import logging
from typing import Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_MAC, Platform
from homeassistant.core import CALLBACK_TYPE, Context, HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.device_registry import DeviceInfo

from ..const import DOMAIN
from ..devices.device import Command, Device
from ..devices.store import Devices
from ..errors import IrhubError, told
from ..hub.hub import Hub
from ..hub.polling import StatusCoordinator
from ..settings import HubOptions, HubSettings
from .device_registry import RegisteredDevices

_LOGGER = logging.getLogger(__package__)

FAILED: Final = "failed"
"""In a repair's data: the device that cannot be set up."""


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
        """Transmit commands of a device, or packets of none, as `Sender.send` does."""
        return await self.devices.sender.send(self.hub, device, items, context)


type IrhubConfigEntry = ConfigEntry[Use]


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
