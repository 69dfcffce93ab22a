"""Try, rename, delete, import and export learned commands."""

from functools import partial
import json
from typing import Any, Final

from homeassistant.config_entries import ConfigFlowResult
from homeassistant.const import CONF_COMMAND, CONF_DEVICE
from homeassistant.helpers.selector import (
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TextSelector,
    TextSelectorConfig,
)
import voluptuous as vol

from ..codes.importing import parse_codes
from ..errors import IrhubError, UserError, list_names
from .form import show_form
from .step import OptionsStep

CONF_COMMANDS: Final = "commands"
CONF_TEXT: Final = "text"
LONG_TEXT: Final = TextSelector(TextSelectorConfig(multiline=True))

type Chosen = tuple[str, str | None]
"""A command, as device and command; or all commands of a device."""


class CodesFlow(OptionsStep):
    """Does with learned commands what the actions do."""

    _chosen: Chosen
    _condemned: list[Chosen]
    _imported: int

    async def async_step_try_command(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Transmit a command; as often as the user likes."""
        schema = vol.Schema({vol.Required(CONF_COMMAND): self._command_selector(devices=False)})
        if user_input is None:
            return await show_form(self, "try_command", schema)
        device, command = _read(user_input[CONF_COMMAND])
        try:
            await self._codes.send(self._hub, [self._codes.find(device, str(command))])
        except IrhubError as err:
            return await show_form(self, "try_command", schema, user_input, error=err)
        sent = _label((device, command))
        return await show_form(
            self, "tried_command", schema, user_input, placeholders={"command": sent}
        )

    async_step_tried_command = async_step_try_command

    async def async_step_rename(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Choose a command or a device."""
        if user_input is not None:
            self._chosen = _read(user_input[CONF_COMMAND])
            return await self.async_step_new_name()
        schema = vol.Schema({vol.Required(CONF_COMMAND): self._command_selector()})
        return await show_form(self, "rename", schema)

    async def async_step_new_name(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Enter its new name; a command may also go to another device."""
        device, command = self._chosen
        fields: dict[vol.Marker, object] = {vol.Required(CONF_DEVICE): self._device_selector()}
        given = {CONF_DEVICE: device}
        if command is not None:
            fields[vol.Required(CONF_COMMAND)] = TextSelector()
            given[CONF_COMMAND] = command
        error: IrhubError | None = None
        if user_input is not None:
            given = {key: text.strip() for key, text in user_input.items()}
            if all(given.values()):
                try:
                    await self._codes.rename(
                        device, command, given[CONF_DEVICE], given.get(CONF_COMMAND)
                    )
                except IrhubError as err:
                    error = err
                else:
                    return await self.async_step_renamed()
            else:
                error = UserError("empty_name")
        return await show_form(
            self,
            "new_name",
            vol.Schema(fields),
            given,
            error=error,
            placeholders={"chosen": _label(self._chosen)},
        )

    async def async_step_renamed(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Say what has changed."""
        return self._show_done("renamed", again="rename")

    async def async_step_delete(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Choose commands and devices."""
        if user_input is not None and user_input[CONF_COMMANDS]:
            self._condemned = [_read(value) for value in user_input[CONF_COMMANDS]]
            return await self.async_step_confirm_delete()
        selector = self._command_selector(multiple=True)
        return await show_form(self, "delete", vol.Schema({vol.Required(CONF_COMMANDS): selector}))

    async def async_step_confirm_delete(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Delete them, after a last look."""
        error: IrhubError | None = None
        if user_input is not None:
            try:
                await self._delete()
            except IrhubError as err:
                error = err
            else:
                return await self.async_step_deleted()
        condemned = list_names(map(_label, self._condemned))
        return await show_form(
            self,
            "confirm_delete",
            vol.Schema({}),
            error=error,
            placeholders={"commands": condemned},
        )

    async def async_step_deleted(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Say that they are gone."""
        return self._show_done("deleted", again="delete")

    async def _delete(self) -> None:
        whole = {device for device, command in self._condemned if command is None}
        single: dict[str, list[str]] = {}
        for device, command in self._condemned:
            if command is not None and device not in whole:
                single.setdefault(device, []).append(command)
        for device in whole:
            await self._codes.delete(device)
        for device, commands in single.items():
            await self._codes.delete(device, commands)

    async def async_step_import_codes(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Take commands from a text: our export, a packet, a SmartIR file."""
        error: IrhubError | None = None
        if user_input is not None:
            parse = partial(
                parse_codes,
                user_input[CONF_TEXT],
                device=user_input.get(CONF_DEVICE, "").strip() or None,
                command=user_input.get(CONF_COMMAND, "").strip() or None,
            )
            try:
                commands = await self.hass.async_add_executor_job(parse)
                await self._codes.store(commands)
            except ValueError as err:
                error = UserError("not_imported", error=err)
            except IrhubError as err:
                error = err
            else:
                self._imported = sum(map(len, commands.values()))
                return await self.async_step_imported()
        schema = vol.Schema(
            {
                vol.Required(CONF_TEXT): LONG_TEXT,
                vol.Optional(CONF_DEVICE): self._device_selector(),
                vol.Optional(CONF_COMMAND): TextSelector(),
            }
        )
        return await show_form(self, "import_codes", schema, user_input, error=error)

    async def async_step_imported(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Say how many there were."""
        return self._show_done("imported", again="import_codes", count=str(self._imported))

    async def async_step_export_codes(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Show all commands as a text to copy."""
        if user_input is not None:
            return await self.async_step_init()
        text = json.dumps(self._codes.export(), ensure_ascii=False, indent=2)
        return await show_form(
            self,
            "export_codes",
            vol.Schema({vol.Optional(CONF_TEXT): LONG_TEXT}),
            {CONF_TEXT: text},
        )

    def _command_selector(self, *, devices: bool = True, multiple: bool = False) -> SelectSelector:
        """Return a field for commands, and for whole devices."""
        chosen: list[Chosen] = []
        for device, commands in sorted(self._codes.commands.items()):
            if devices:
                chosen.append((device, None))
            chosen += [(device, command) for command in sorted(commands)]
        return SelectSelector(
            SelectSelectorConfig(
                options=[
                    SelectOptionDict(value=json.dumps(each), label=_label(each)) for each in chosen
                ],
                multiple=multiple,
                mode=SelectSelectorMode.DROPDOWN,
            )
        )


def _label(chosen: Chosen) -> str:
    device, command = chosen
    return device if command is None else f"{device} → {command}"


def _read(value: str) -> Chosen:
    device, command = json.loads(value)
    return device, command
