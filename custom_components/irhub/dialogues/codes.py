"""Try, rename, delete and restore commands."""

from typing import Final, override

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
from ..devices.device import Command, Device
from ..devices.journal import Change
from ..entities.registries import async_show
from ..errors import UserError, list_names
from .choose import ChooseDevice, Done
from .page import Answers, DevicePage, Fields, HubPage, Page, Shown, option

CONF_COMMANDS: Final = "commands"
CONF_DELETED: Final = "deleted"
CONF_WHOLE: Final = "whole"
REPLACED: Final = "\N{ANTICLOCKWISE OPEN CIRCLE ARROW}"
"""Behind commands that are still there, with other packets: the page says so."""


class ChosenDevice(DevicePage):
    """A page about a device that was chosen."""

    def __init__(self, before: ChooseDevice, device: Device) -> None:
        super().__init__(before, device)
        self._choice = before


class TryCommand(ChosenDevice):
    """Transmits a command; as often as the user likes."""

    steps = ("try_which", "tried")
    _sent = ""
    """The command that was transmitted last."""

    @override
    async def show(self) -> Shown:
        fields: Fields = {vol.Optional(CONF_COMMAND): self.command_selector()}
        if not self._sent or self.problem is not None:
            return await self.form("try_which", fields, device=self.label)
        given = {CONF_COMMAND: self._sent}
        return await self.form("tried", fields, given, device=self.label, command=self._sent)

    @override
    async def submit(self, answers: Answers) -> Page:
        if (command := answers.get(CONF_COMMAND)) is None:
            return self._choice.again
        device, item = self.devices.find(self.device.name, command)
        await self.devices.sender.send(self.hub, device, [item])
        self._sent = command
        return self


class Rename(ChosenDevice):
    """Asks for one of its commands, or none for the device itself."""

    steps = ("rename_which",)

    @override
    async def show(self) -> Shown:
        fields: Fields = {vol.Optional(CONF_COMMAND): self.command_selector()}
        return await self.form("rename_which", fields, device=self.label)

    @override
    async def submit(self, answers: Answers) -> Page:
        return NewName(self, self.device, answers.get(CONF_COMMAND))


class NewName(DevicePage):
    """Asks for a new name; a command may also go to another device."""

    steps = ("new_name",)

    def __init__(self, before: Page, device: Device, command: str | None) -> None:
        super().__init__(before, device)
        self._command = command

    @property
    def _names(self) -> dict[str, str]:
        command = {} if self._command is None else {CONF_COMMAND: self._command}
        return {CONF_DEVICE: self.label} | command

    @override
    async def show(self) -> Shown:
        names = self._names
        fields: Fields = {vol.Optional(CONF_DEVICE): TextSelector()}
        if self._command is not None:
            fields = {
                vol.Optional(CONF_DEVICE): self.device_selector(),
                vol.Optional(CONF_COMMAND): TextSelector(),
            }
        return await self.form("new_name", fields, names, chosen=" → ".join(names.values()))

    @override
    async def submit(self, answers: Answers) -> Page:
        names = self._names
        given = {key: answers.get(key, "").strip() for key in names}
        self.answers = given
        if given == names:
            return await self.choose("init")
        if not all(given.values()):
            raise UserError("empty_name")
        device, name = self.device, given[CONF_DEVICE]
        if self._command is None:
            await self.devices.rename(device, name)
        else:
            moved = name if name != names[CONF_DEVICE] else None
            device, command = self.devices.find(device.name, self._command)
            await self.devices.rename_command(device, command, given[CONF_COMMAND], moved)
        return Done(self, "renamed", lambda: "rename")


class Delete(ChosenDevice):
    """Asks which of its commands are deleted, or all."""

    steps = ("delete_which",)

    @override
    async def show(self) -> Shown:
        fields: Fields = {
            vol.Optional(CONF_COMMANDS): self.command_selector(multiple=True),
            vol.Required(CONF_WHOLE, default=False): BooleanSelector(),
        }
        return await self.form("delete_which", fields, device=self.label)

    @override
    async def submit(self, answers: Answers) -> Page:
        by_name = self.device.by_name
        chosen = [by_name[name] for name in answers.get(CONF_COMMANDS, []) if name in by_name]
        if not chosen and not answers[CONF_WHOLE]:
            return self._choice.again
        return ConfirmDelete(self, self.device, None if answers[CONF_WHOLE] else chosen)

    @option
    async def delete_which(self) -> Page:
        """Ask anew."""
        return self


class ConfirmDelete(DevicePage):
    """Counts what would be deleted, and deletes it."""

    steps = ("confirm_delete",)

    def __init__(self, before: Page, device: Device, commands: list[Command] | None) -> None:
        """`commands` are those of the device; None for the whole device."""
        super().__init__(before, device)
        self._commands = commands

    @override
    async def show(self) -> Shown:
        total = len(self.device.commands)
        return self.menu(
            "confirm_delete",
            ["delete_now", "delete_which", "init"],
            device=self.label,
            count=str(total if self._commands is None else len(self._commands)),
            total=str(total),
            problem=await self.problem_text(),
        )

    @option
    async def delete_now(self) -> Page:
        """Delete them."""
        await self.devices.delete(self.device, self._commands)
        return Done(self, "deleted", lambda: "delete" if self.devices else "add_appliance")


class Restore(HubPage):
    """Asks what comes back that was deleted: what, of which device, and when it went."""

    steps = ("restore",)

    @override
    async def show(self) -> Shown:
        options = [
            SelectOptionDict(value=deleted.id, label=_described(deleted))
            for deleted in reversed([*self.devices.deleted.values()])
        ]
        config = SelectSelectorConfig(options=options, multiple=True, mode=SelectSelectorMode.LIST)
        return await self.form("restore", {vol.Optional(CONF_DELETED): SelectSelector(config)})

    @override
    async def submit(self, answers: Answers) -> Page:
        devices = self.devices
        if not (chosen := answers.get(CONF_DELETED, [])):
            return await self.choose("init")
        await devices.restore(*chosen)
        async_show(self.hass, devices)
        return Done(self, "restored", lambda: "restore" if self.devices.deleted else "try_command")


def _described(deleted: Change) -> str:
    """Return what was deleted or replaced, and when, without a word of any language."""
    device, sign = deleted.lost, f" {REPLACED}" if deleted.replaced else ""
    label = deleted.label or device.name
    return f"{label} ({list_names(device.by_name)}){sign} · {shown_time(deleted.when)}"
