"""Try, rename, delete and restore commands."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, override

from homeassistant.const import CONF_COMMAND, CONF_DEVICE
from homeassistant.helpers.selector import BooleanSelector, TextSelector
import voluptuous as vol

from ..actions.deletion import shown_time
from ..devices.device import Command
from ..devices.journal import Change
from ..entities.registries import async_show_devices
from ..errors import UserError, list_names
from ..ircodes.packet import MAX_REPEATS, repeats_of
from .choose import ChooseDevicePage
from .form import number, out_of_range, select
from .page import Answers, DevicePage, Fields, HubPage, MenuPage, Page, Shown, option

CONF_COMMANDS: Final = "commands"
CONF_DELETED: Final = "deleted"
CONF_REPEATS: Final = "repeats"
CONF_WHOLE: Final = "whole"
REPLACED: Final = "\N{ANTICLOCKWISE OPEN CIRCLE ARROW}"
"""Marks commands that were replaced rather than deleted; the page explains the sign."""


@dataclass(repr=False)
class ChosenDevicePage(DevicePage):
    """A page about the device chosen on the page before."""

    before: ChooseDevicePage


class TryCommandPage(ChosenDevicePage):
    """Asks for a command and transmits it, repeatedly."""

    _sent_command = ""
    """The command last transmitted."""

    @override
    async def show(self) -> Shown:
        fields: Fields = {vol.Optional(CONF_COMMAND): self.command_selector()}
        if not self._sent_command or self.problem is not None:
            return await self.form("try_which", fields, device=self.label)
        suggested = {CONF_COMMAND: self._sent_command}
        return await self.form(
            "tried", fields, suggested, device=self.label, command=self._sent_command
        )

    @override
    async def submit(self, answers: Answers) -> Page:
        if (command := answers.get(CONF_COMMAND)) is None:
            return self.before.page_without_choice
        device, item = self.devices.find(self.device.name, command)
        await self.devices.sender.send(self.hub, device, [item])
        self._sent_command = command
        return self


class RenamePage(ChosenDevicePage):
    """Asks for the command to rename; no choice renames the device."""

    @override
    async def show(self) -> Shown:
        fields: Fields = {vol.Optional(CONF_COMMAND): self.command_selector()}
        return await self.form("rename_which", fields, device=self.label)

    @override
    async def submit(self, answers: Answers) -> Page:
        return NewNamePage(self, self.device, answers.get(CONF_COMMAND))


@dataclass(repr=False)
class NewNamePage(DevicePage):
    """Asks for a new name; a command can also be moved to another device or get repeats."""

    command: str | None
    """None for the device itself."""

    @property
    def _names(self) -> dict[str, str]:
        command = {} if self.command is None else {CONF_COMMAND: self.command}
        return {CONF_DEVICE: self.label} | command

    @property
    def _repeats(self) -> int | None:
        """Return the command's number of repeats; None for a device or an empty command."""
        command = None if self.command is None else self.device.by_name.get(self.command)
        if command is None or not command.packets:
            return None
        return repeats_of(command.packets[0])

    @override
    async def show(self) -> Shown:
        names = self._names
        fields: Fields = {vol.Optional(CONF_DEVICE): TextSelector()}
        if self.command is not None:
            fields = self.name_fields()
        suggested: Answers = {**names}
        if self._repeats is not None:
            fields = {**fields, vol.Optional(CONF_REPEATS): number("x")}
            suggested[CONF_REPEATS] = self._repeats
        return await self.form("new_name", fields, suggested, chosen=" → ".join(names.values()))

    @override
    async def submit(self, answers: Answers) -> Page:
        names = self._names
        new_names = {key: answers.get(key, "").strip() for key in names}
        repeats = answers.get(CONF_REPEATS, self._repeats or 0)
        self.answers = {**new_names, CONF_REPEATS: repeats}
        changes_repeats = self._repeats is not None and repeats != self._repeats
        if new_names == names and not changes_repeats:
            return await self.choose("init")
        if not all(new_names.values()):
            raise UserError("empty_name")
        if (error := out_of_range({CONF_REPEATS: (0, MAX_REPEATS)}, self.answers)) is not None:
            raise error
        device, name = self.device, new_names[CONF_DEVICE]
        if self.command is None:
            await self.devices.rename(device, name)
        else:
            target = name if name != names[CONF_DEVICE] else None
            device, command = self.devices.find(device.name, self.command)
            await self.devices.rename_command(
                device,
                command,
                new_names[CONF_COMMAND],
                target,
                repeats=round(repeats) if changes_repeats else None,
            )
        return MenuPage(self, "renamed", ["rename", "init", "finish"])


class DeletePage(ChosenDevicePage):
    """Asks which commands to delete, or whether to delete the whole device."""

    @override
    async def show(self) -> Shown:
        fields: Fields = {
            vol.Optional(CONF_COMMANDS): self.command_selector(multiple=True),
            vol.Required(CONF_WHOLE, default=False): BooleanSelector(),
        }
        return await self.form("delete_which", fields, device=self.label)

    @override
    async def submit(self, answers: Answers) -> Page:
        by_name, deletes_device = self.device.by_name, answers[CONF_WHOLE]
        chosen = [by_name[name] for name in answers.get(CONF_COMMANDS, []) if name in by_name]
        if not chosen and not deletes_device:
            return self.before.page_without_choice
        total = len(by_name)
        return MenuPage(
            self,
            "confirm_delete",
            ["delete_now", "delete_which", "init"],
            texts={
                "device": self.label,
                "count": str(total if deletes_device else len(chosen)),
                "total": str(total),
            },
            handlers={"delete_now": partial(self._delete, None if deletes_device else chosen)},
        )

    @option
    async def delete_which(self) -> Page:
        """Ask again."""
        return self

    async def _delete(self, commands: Sequence[Command] | None) -> Page:
        """Delete commands, or the whole device."""
        await self.devices.delete(self.device, commands)
        next_option = "delete" if self.devices else "add_appliance"
        return MenuPage(self, "deleted", [next_option, "init", "finish"])


class RestorePage(HubPage):
    """Asks which deleted commands to restore."""

    @override
    async def show(self) -> Shown:
        deleted = self.devices.deleted
        options = select(
            reversed([*deleted]),
            multiple=True,
            as_list=True,
            label_of=lambda id_: _label_of(deleted[id_]),
        )
        return await self.form("restore", {vol.Optional(CONF_DELETED): options})

    @override
    async def submit(self, answers: Answers) -> Page:
        devices = self.devices
        if not (chosen := answers.get(CONF_DELETED, [])):
            return await self.choose("init")
        await devices.restore(*chosen)
        async_show_devices(self.hass, devices)
        next_option = "restore" if devices.deleted else "try_command"
        return MenuPage(self, "restored", [next_option, "init", "finish"])


def _label_of(deleted: Change) -> str:
    """Return a language-neutral label: device, its commands deleted or replaced, time."""
    device, sign = deleted.lost, f" {REPLACED}" if deleted.replaced else ""
    label = deleted.label or device.name
    commands = f" ({list_names(device.by_name)})" if device.commands else ""
    return f"{label}{commands}{sign} · {shown_time(deleted.when)}"
