"""What can be done about a locked hub, and about what was deleted or removed."""

from dataclasses import replace

from homeassistant.components.repairs import RepairsFlow, RepairsFlowResult
from homeassistant.const import CONF_DEVICE, CONF_MAC
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir
import voluptuous as vol

from .button import air_conditioner_issue
from .const import DOMAIN
from .devices.device import Device, Kind
from .devices.meanings import with_meanings
from .devices.store import devices_of
from .errors import HubError, IrhubError, StorageFailedError, sentence
from .hub.connection import locked_issue
from .hub.hubs import DATA_HUBS
from .settings import Mac
from .subentries import async_show


async def async_create_fix_flow(
    _hass: HomeAssistant, issue_id: str, data: dict[str, str | int | float | None] | None
) -> RepairsFlow:
    """Return the dialogue of an issue."""
    said = data or {}
    mac = Mac(str(said[CONF_MAC]))
    if CONF_DEVICE in said:
        return AirConditionerFlow(mac, str(said[CONF_DEVICE]))
    if "deleted" in said:
        return DeletedFlow(issue_id, mac, str(said["deleted"]))
    return LockedFlow(mac) if issue_id == locked_issue(mac) else KeptCodesFlow(mac)


class LockedFlow(RepairsFlow):
    """Tries again after the user has unlocked the hub."""

    def __init__(self, mac: Mac) -> None:
        self._mac = mac

    async def async_step_init(self, _user_input: dict[str, str] | None = None) -> RepairsFlowResult:
        """Say how to unlock it."""
        return self._form()

    async def async_step_confirm(
        self, _user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """See whether the hub lets us in now."""
        if (hub := self.hass.data[DATA_HUBS].get(self._mac)) is not None:
            try:
                await hub.connection.connect()
            except HubError as err:
                return self._form(await sentence(self.hass, err))
        return self.async_create_entry(data={})

    def _form(self, error: str | None = None) -> RepairsFlowResult:
        hub = self.hass.data[DATA_HUBS].get(self._mac)
        return self.async_show_form(
            step_id="confirm",
            data_schema=vol.Schema({}),
            errors={} if error is None else {"base": "failed"},
            description_placeholders={
                "hub": "" if hub is None else hub.label,
                "error": error or "",
            },
        )


class AirConditionerFlow(RepairsFlow):
    """Offers to make an air conditioner of a device with very many commands."""

    def __init__(self, mac: Mac, device: str) -> None:
        self._mac = mac
        self._device = device

    async def async_step_init(self, _user_input: dict[str, str] | None = None) -> RepairsFlowResult:
        """Ask."""
        return self.async_show_menu(
            step_id="init",
            menu_options=["make", "leave"],
            description_placeholders=self._placeholders,
        )

    async def async_step_make(self, _user_input: dict[str, str] | None = None) -> RepairsFlowResult:
        """Add the appliance to the hub."""
        entry = next(
            (
                entry
                for entry in self.hass.config_entries.async_loaded_entries(DOMAIN)
                if Mac(entry.data[CONF_MAC]) == self._mac
            ),
            None,
        )
        if entry is None:
            return self.async_abort(reason="not_loaded")
        devices = entry.runtime_data.devices
        if (device := devices.get(self._device)) is not None:
            try:
                await devices.change(device, _as_air_conditioner)
            except IrhubError as err:
                return self.async_abort(
                    reason="failed",
                    description_placeholders={"error": await sentence(self.hass, err)},
                )
            async_show(self.hass, devices)
        return self.async_create_entry(data={})

    async def async_step_leave(
        self, _user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Leave everything as it is, until the next start."""
        return self.async_create_entry(data={})

    @property
    def _placeholders(self) -> dict[str, str]:
        issue = ir.async_get(self.hass).async_get_issue(
            DOMAIN, air_conditioner_issue(str(self._mac), self._device)
        )
        return {} if issue is None else issue.translation_placeholders or {}


def _as_air_conditioner(device: Device) -> Device:
    settings = replace(device.settings, buttons=())
    changed = replace(
        device, kind=Kind.AIR_CONDITIONER, functions={}, settings=settings, entity=device.id
    )
    return with_meanings(changed, device.commands.values())


class DeletedFlow(RepairsFlow):
    """Offers to bring back a device that Home Assistant's own button has deleted."""

    def __init__(self, issue_id: str, mac: Mac, deleted: str) -> None:
        self._issue = issue_id
        self._mac = mac
        self._deleted = deleted

    async def async_step_init(self, _user_input: dict[str, str] | None = None) -> RepairsFlowResult:
        """Ask."""
        issue = ir.async_get(self.hass).async_get_issue(DOMAIN, self._issue)
        return self.async_show_menu(
            step_id="init",
            menu_options=["restore", "leave"],
            description_placeholders=(issue and issue.translation_placeholders) or {},
        )

    async def async_step_restore(
        self, _user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Bring it back."""
        devices = devices_of(self.hass, self._mac)
        try:
            await devices.load()
            await devices.restore(self._deleted)
        except IrhubError as err:
            return self.async_abort(
                reason="failed",
                description_placeholders={"error": await sentence(self.hass, err)},
            )
        async_show(self.hass, devices)
        return self.async_create_entry(data={})

    async def async_step_leave(
        self, _user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Leave it where it is: the hub's dialogue can bring it back, too."""
        return self.async_create_entry(data={})


class KeptCodesFlow(RepairsFlow):
    """Asks what becomes of the commands of a hub that was removed."""

    def __init__(self, mac: Mac) -> None:
        self._mac = mac

    async def async_step_init(self, _user_input: dict[str, str] | None = None) -> RepairsFlowResult:
        """Ask."""
        return self.async_show_menu(step_id="init", menu_options=["delete", "keep"])

    async def async_step_delete(
        self, _user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Delete the commands; the hub's dialogue can bring them back if it is added again."""
        devices = devices_of(self.hass, self._mac)
        try:
            await devices.load()
            await devices.delete_all()
        except StorageFailedError as err:
            return self.async_abort(
                reason="failed",
                description_placeholders={"error": await sentence(self.hass, err)},
            )
        return self.async_create_entry(data={})

    async def async_step_keep(self, _user_input: dict[str, str] | None = None) -> RepairsFlowResult:
        """Leave everything where it is."""
        return self.async_create_entry(data={})
