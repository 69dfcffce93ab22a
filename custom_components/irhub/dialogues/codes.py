"""Try, rename, delete and restore commands."""

from typing import Any, Final

from homeassistant.config_entries import ConfigFlowResult
from homeassistant.const import CONF_COMMAND, CONF_DEVICE
from homeassistant.helpers.selector import (
    BooleanSelector,
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TextSelector,
)
import voluptuous as vol

from ..actions.deletion import shown_time
from ..devices.device import Command
from ..devices.layout import Deleted
from ..entities.subentries import async_show
from ..errors import IrhubError, UserError, list_names
from .form import show_form
from .step import OptionsStep

CONF_COMMANDS: Final = "commands"
CONF_DELETED: Final = "deleted"
CONF_WHOLE: Final = "whole"
REPLACED: Final = "\N{ANTICLOCKWISE OPEN CIRCLE ARROW}"
"""Behind commands that are still there, with other packets: the page says so."""


class CodesFlow(OptionsStep):
    """Does with learned commands what the actions do."""

    _command: str | None
    """The name of the command that gets another one; None for its whole device."""
    _to_delete: list[Command] | None
    """Commands of the chosen device; None for the whole device."""
    _is_deleting = False
    """Whether that has begun: a second click would find nothing to delete."""

    async def async_step_try_command(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Choose the device of a command."""
        return await self._choose_device("try_command", user_input, self.async_step_try_which)

    async def async_step_try_which(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Transmit a command; as often as the user likes."""
        schema = vol.Schema({vol.Optional(CONF_COMMAND): self._command_selector()})
        names = {"device": self._label}
        if user_input is None:
            return await show_form(self, "try_which", schema, placeholders=names)
        if (command := user_input.get(CONF_COMMAND)) is None:
            return await self._back_to_devices(self.async_step_try_command)
        try:
            device, found = self._devices.find(self._device.name, command)
            await self._entry.runtime_data.send(device, [found])
        except IrhubError as err:
            return await show_form(
                self, "try_which", schema, user_input, error=err, placeholders=names
            )
        return await show_form(
            self, "tried", schema, user_input, placeholders={**names, "command": command}
        )

    async_step_tried = async_step_try_which

    async def async_step_rename(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Choose a device, or the device of a command."""
        return await self._choose_device("rename", user_input, self.async_step_rename_which)

    async def async_step_rename_which(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Choose one of its commands, or none for the device itself."""
        if user_input is not None:
            self._command = user_input.get(CONF_COMMAND)
            return await self.async_step_new_name()
        schema = vol.Schema({vol.Optional(CONF_COMMAND): self._command_selector()})
        names = {"device": self._label}
        return await show_form(self, "rename_which", schema, placeholders=names)

    async def async_step_new_name(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Enter its new name; a command may also go to another device."""
        device, command = self._label, self._command
        fields: dict[vol.Marker, object] = {vol.Optional(CONF_DEVICE): TextSelector()}
        named = {CONF_DEVICE: device}
        if command is not None:
            fields = {
                vol.Optional(CONF_DEVICE): self._device_selector(),
                vol.Optional(CONF_COMMAND): TextSelector(),
            }
            named[CONF_COMMAND] = command
        given = named
        error: IrhubError | None = None
        if user_input is not None:
            given = {key: user_input.get(key, "").strip() for key in named}
            if given == named:
                return await self.async_step_init()
            try:
                if not all(given.values()):
                    raise UserError("empty_name")
                await self._rename(given[CONF_DEVICE], given.get(CONF_COMMAND))
            except IrhubError as err:
                error = err
            else:
                return self._show_done("renamed", again="rename")
        return await show_form(
            self,
            "new_name",
            vol.Schema(fields),
            given,
            error=error,
            placeholders={"chosen": " → ".join(filter(None, (device, command)))},
        )

    async def _rename(self, name: str, command: str | None) -> None:
        """Give the device another name, or the command of it that was chosen."""
        device, moved = self._device, name != self._label
        if self._command is None or command is None:
            await self._devices.rename(device, name)
            return
        device, found = self._devices.find(device.name, self._command)
        await self._devices.rename_command(device, found, command, name if moved else None)

    async def async_step_renamed(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Say what has changed."""
        return self._show_done("renamed", again="rename")

    async def async_step_delete(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Choose a device."""
        return await self._choose_device("delete", user_input, self.async_step_delete_which)

    async def async_step_delete_which(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Choose which of its commands are deleted, or all."""
        self._problem, self._is_deleting = None, False
        if user_input is not None:
            by_name = self._device.by_name
            chosen = user_input.get(CONF_COMMANDS, [])
            self._to_delete = [by_name[name] for name in chosen if name in by_name]
            if user_input[CONF_WHOLE]:
                self._to_delete = None
            if self._to_delete != []:
                return await self.async_step_confirm_delete()
            return await self._back_to_devices(self.async_step_delete)
        schema = vol.Schema(
            {
                vol.Optional(CONF_COMMANDS): self._command_selector(multiple=True),
                vol.Required(CONF_WHOLE, default=False): BooleanSelector(),
            }
        )
        names = {"device": self._label}
        return await show_form(self, "delete_which", schema, placeholders=names)

    async def async_step_confirm_delete(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Count what would be deleted."""
        total = len(self._device.commands)
        return self.async_show_menu(
            step_id="confirm_delete",
            menu_options=["delete_now", "delete_which", "init"],
            description_placeholders={
                "device": self._label,
                "count": str(total if self._to_delete is None else len(self._to_delete)),
                "total": str(total),
                "problem": await self._problem_text(),
            },
        )

    async def async_step_delete_now(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Delete them."""
        if self._is_deleting:
            return await self.async_step_deleted()
        self._problem, self._is_deleting = None, True
        try:
            await self._devices.delete(self._device, self._to_delete)
        except IrhubError as err:
            self._problem, self._is_deleting = err, False
            return await self.async_step_confirm_delete()
        return await self.async_step_deleted()

    async def async_step_deleted(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Say that they are gone."""
        again = "delete" if self._devices else "add_appliance"
        return self._show_done("deleted", again=again)

    async def async_step_restore(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Choose what was deleted and comes back: what, of which device, and when it went."""
        devices, error = self._devices, None
        if user_input is not None:
            if not (chosen := user_input.get(CONF_DELETED, [])):
                return await self.async_step_init()
            try:
                await devices.restore(*chosen)
            except IrhubError as err:
                error = err
            else:
                async_show(self.hass, devices)
                return self._show_done("restored", again=self._restore_again)
        options = [
            SelectOptionDict(value=deleted.id, label=_described(deleted))
            for deleted in reversed([*devices.deleted.values()])
        ]
        selector = SelectSelector(
            SelectSelectorConfig(options=options, multiple=True, mode=SelectSelectorMode.LIST)
        )
        schema = vol.Schema({vol.Optional(CONF_DELETED): selector})
        return await show_form(self, "restore", schema, user_input, error=error)

    async def async_step_restored(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Say that it is back."""
        return self._show_done("restored", again=self._restore_again)

    @property
    def _restore_again(self) -> str:
        return "restore" if self._devices.deleted else "try_command"


def _described(deleted: Deleted) -> str:
    """Return what was deleted or replaced, and when, without a word of any language."""
    device, sign = deleted.device, f" {REPLACED}" if deleted.replaced else ""
    label = deleted.label or device.name
    return f"{label} ({list_names(device.by_name)}){sign} · {shown_time(deleted.when)}"
