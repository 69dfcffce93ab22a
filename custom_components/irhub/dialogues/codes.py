"""Try, rename and delete learned commands."""

from typing import Any, Final

from homeassistant.config_entries import ConfigFlowResult
from homeassistant.const import CONF_COMMAND, CONF_DEVICE
from homeassistant.helpers.selector import BooleanSelector, TextSelector
import voluptuous as vol

from ..errors import IrhubError, UserError
from .form import show_form
from .step import OptionsStep

CONF_COMMANDS: Final = "commands"
CONF_WHOLE: Final = "whole"


class CodesFlow(OptionsStep):
    """Does with learned commands what the actions do."""

    _command: str | None
    """The command that gets another name; None for its whole device."""
    _condemned: list[str]
    """Commands of the chosen device that are to be deleted."""

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
        names = {"device": self._shown(self._device)}
        if user_input is None:
            return await show_form(self, "try_which", schema, placeholders=names)
        if (command := user_input.get(CONF_COMMAND)) is None:
            return await self._back_to_devices(self.async_step_try_command)
        try:
            packet = self._codes.find(self._device, command)
            emitter = self._codes.emitter_of(self._device)
            await self._codes.send(self._hub, [packet], emitter=emitter)
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
        names = {"device": self._shown(self._device)}
        return await show_form(self, "rename_which", schema, placeholders=names)

    async def async_step_new_name(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Enter its new name; a command may also go to another device."""
        device, command = self._device, self._command
        fields: dict[vol.Marker, object] = {vol.Optional(CONF_DEVICE): self._device_selector()}
        named = {CONF_DEVICE: device}
        if command is not None:
            fields[vol.Optional(CONF_COMMAND)] = TextSelector()
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
                await self._codes.rename(
                    device, command, given[CONF_DEVICE], given.get(CONF_COMMAND)
                )
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
            placeholders={"chosen": " → ".join(filter(None, (self._shown(device), command)))},
        )

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
        if user_input is not None:
            of_device = self._codes.commands.get(self._device, {})
            chosen = user_input.get(CONF_COMMANDS, [])
            self._condemned = list(of_device) if user_input[CONF_WHOLE] else chosen
            if self._condemned:
                return await self.async_step_confirm_delete()
            return await self._back_to_devices(self.async_step_delete)
        schema = vol.Schema(
            {
                vol.Optional(CONF_COMMANDS): self._command_selector(multiple=True),
                vol.Required(CONF_WHOLE, default=False): BooleanSelector(),
            }
        )
        names = {"device": self._shown(self._device)}
        return await show_form(self, "delete_which", schema, placeholders=names)

    async def async_step_confirm_delete(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Count what would be deleted."""
        return self.async_show_menu(
            step_id="confirm_delete",
            menu_options=["delete_now", "delete_which", "init"],
            description_placeholders={
                "device": self._shown(self._device),
                "count": str(len(self._condemned)),
                "total": str(len(self._codes.commands.get(self._device, ()))),
                "problem": await self._problem_once(),
            },
        )

    async def async_step_delete_now(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Delete them."""
        try:
            await self._codes.delete(self._device, self._condemned)
        except IrhubError as err:
            self._problem = err
            return await self.async_step_confirm_delete()
        return await self.async_step_deleted()

    async def async_step_deleted(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Say that they are gone."""
        again = "delete" if self._codes.commands else "learn_remote"
        return self._show_done("deleted", again=again)
