"""Fix flows of the repair issues."""

from collections.abc import Awaitable, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any, Final

from homeassistant.components.repairs import RepairsFlow, RepairsFlowResult
from homeassistant.config_entries import SOURCE_RECONFIGURE
from homeassistant.const import CONF_DEVICE, CONF_MAC
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir
import voluptuous as vol

from ._common.markdown import EscapedPages
from .const import DOMAIN
from .devices.device import Device
from .devices.kinds import Kind
from .devices.meanings import with_meanings
from .devices.store import Devices, devices_of
from .entities.device_issues import FAILED, WITHOUT_OFF
from .entities.registries import async_show_devices, subentry_of
from .entities.use import IrhubConfigEntry
from .errors import HubError, IrhubError, sentence
from .hub.connection import locked_issue
from .hub.hubs import DATA_HUBS
from .settings import Mac

_CAN_OPEN_FLOW: Final = "next_flow" in signature(RepairsFlow.async_abort).parameters
"""Whether a fix flow can open another dialogue: since Home Assistant 2026.8."""


async def async_create_fix_flow(
    _hass: HomeAssistant, issue_id: str, data: dict[str, str | int | float | None] | None
) -> RepairsFlow:
    """Return the fix flow of an issue."""
    issue = data or {}
    mac = Mac(str(issue[CONF_MAC]))
    if CONF_DEVICE in issue:
        return AirConditionerFlow(mac, str(issue[CONF_DEVICE]))
    if FAILED in issue:
        return FailedFlow(mac, str(issue[FAILED]))
    if WITHOUT_OFF in issue:
        return WithoutOffFlow(mac, str(issue[WITHOUT_OFF]))
    if "deleted" in issue:
        return DeletedFlow(mac, str(issue["deleted"]))
    return LockedFlow(mac) if issue_id == locked_issue(mac) else KeptCodesFlow(mac)


class LockedFlow(EscapedPages[Any, RepairsFlowResult, str], RepairsFlow):
    """Connects again after the user has unlocked the hub."""

    def __init__(self, mac: Mac) -> None:
        self._mac = mac

    async def async_step_init(self, _user_input: dict[str, str] | None = None) -> RepairsFlowResult:
        """Show how to unlock it."""
        return self._form()

    async def async_step_confirm(
        self, _user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Check whether a session can be opened now."""
        if (hub := self.hass.data[DATA_HUBS].hub(self._mac)) is not None:
            try:
                await hub.connection.connect()
            except HubError as err:
                return self._form(await sentence(self.hass, err))
        return self.async_create_entry(data={})

    def _form(self, error: str | None = None) -> RepairsFlowResult:
        hub = self.hass.data[DATA_HUBS].hub(self._mac)
        return self.async_show_form(
            step_id="confirm",
            data_schema=vol.Schema({}),
            errors={} if error is None else {"base": "failed"},
            description_placeholders={
                "hub": "" if hub is None else hub.label,
                "error": error or "",
            },
        )


class ChoiceFlow(EscapedPages[Any, RepairsFlowResult, str], RepairsFlow):
    """A menu with one choice that acts, and `leave` or `keep`, which do nothing."""

    _choices: Sequence[str]

    def __init__(self, mac: Mac, id_: str = "") -> None:
        self._mac = mac
        self._id = id_
        """Id of the device or of the change that the issue is about, if it is about one."""

    async def async_step_init(self, _user_input: dict[str, str] | None = None) -> RepairsFlowResult:
        """Show the menu."""
        issue = ir.async_get(self.hass).async_get_issue(DOMAIN, self.issue_id)
        return self.async_show_menu(
            step_id="init",
            menu_options=self._choices,
            description_placeholders=(issue and issue.translation_placeholders) or {},
        )

    async def async_step_leave(
        self, _user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Change nothing."""
        return self.async_create_entry(data={})

    async def async_step_keep(self, _user_input: dict[str, str] | None = None) -> RepairsFlowResult:
        """Change nothing."""
        return self.async_create_entry(data={})

    @property
    def _entry(self) -> IrhubConfigEntry | None:
        """Return the config entry of the hub, if it is loaded."""
        entries = self.hass.config_entries.async_loaded_entries(DOMAIN)
        return next((entry for entry in entries if Mac(entry.data[CONF_MAC]) == self._mac), None)

    async def _devices(self) -> Devices:
        """Return the devices of the hub. Raise StorageFailedError if they cannot be read."""
        devices = devices_of(self.hass, self._mac)
        await devices.load()
        return devices

    async def _end_with(self, work: Awaitable[None]) -> RepairsFlowResult:
        """Await `work` and finish the flow, or abort it with the error."""
        try:
            await work
        except IrhubError as err:
            return self.async_abort(
                reason="failed",
                description_placeholders={"error": await sentence(self.hass, err)},
            )
        return self.async_create_entry(data={})


class AirConditionerFlow(ChoiceFlow):
    """Offers to turn a device with very many commands into an air conditioner."""

    _choices = ("make", "leave")

    async def async_step_make(self, _user_input: dict[str, str] | None = None) -> RepairsFlowResult:
        """Add the appliance to the hub."""
        if (entry := self._entry) is None:
            return self.async_abort(reason="not_loaded")
        return await self._end_with(self._make(entry.runtime_data.devices))

    async def _make(self, devices: Devices) -> None:
        if (device := devices.get(self._id)) is not None:
            await devices.change(device, _as_air_conditioner)
            async_show_devices(self.hass, devices)


def _as_air_conditioner(device: Device) -> Device:
    settings = replace(device.settings, buttons=())
    changed = replace(
        device, kind=Kind.AIR_CONDITIONER, functions={}, settings=settings, entity=device.id
    )
    return with_meanings(changed, device.commands.values())


class FailedFlow(ChoiceFlow):
    """Offers to delete a device whose set-up fails. The hub's dialogue can restore it."""

    _choices = ("delete", "leave")

    async def async_step_delete(
        self, _user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Delete the device."""
        return await self._end_with(self._delete())

    async def _delete(self) -> None:
        devices = await self._devices()
        if (device := devices.get(self._id)) is not None:
            await devices.delete(device)


class WithoutOffFlow(ChoiceFlow):
    """Opens *Change appliance* of a taught air conditioner, where *Off* can be pressed."""

    _choices = ("press_off", "leave")

    async def async_step_press_off(
        self, _user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Open *Change appliance*; the issue is deleted once *Off* was pressed there."""
        entry = self._entry
        device = None if entry is None else entry.runtime_data.devices.get(self._id)
        subentry = None if entry is None or device is None else subentry_of(entry, device)
        if entry is None or subentry is None:
            return self.async_abort(reason="not_loaded")
        if not _CAN_OPEN_FLOW:
            return self.async_abort(reason="press_off")
        from homeassistant.components.repairs.const import (  # noqa: PLC0415  (not in 2026.7)
            FlowType,
        )

        flow = await self.hass.config_entries.subentries.async_init(
            (entry.entry_id, subentry.subentry_type),
            context={"source": SOURCE_RECONFIGURE, "subentry_id": subentry.subentry_id},
        )
        return self.async_abort(
            reason="press_off", next_flow=(FlowType.CONFIG_SUBENTRIES_FLOW, flow["flow_id"])
        )


class DeletedFlow(ChoiceFlow):
    """Offers to restore deleted commands or a deleted device.

    The hub's dialogue can restore them, too.
    """

    _choices = ("restore", "leave")

    async def async_step_restore(
        self, _user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Restore it."""
        return await self._end_with(self._restore())

    async def _restore(self) -> None:
        devices = await self._devices()
        await devices.restore(self._id)
        async_show_devices(self.hass, devices)


class KeptCodesFlow(ChoiceFlow):
    """Offers to delete the commands of a removed hub.

    The hub's dialogue can restore them if it is added again.
    """

    _choices = ("delete", "keep")

    async def async_step_delete(
        self, _user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Delete the commands."""
        return await self._end_with(self._delete())

    async def _delete(self) -> None:
        await (await self._devices()).delete_all()
