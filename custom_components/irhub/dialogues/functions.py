"""Pages that edit a draft: the kind of device, its functions, its buttons, its levels."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final, override

import voluptuous as vol

from ..devices.device import Command, Protocol
from ..devices.kinds import Kind
from ..devices.name_parsing import values
from ..devices.rules import CommandRule, PacketRule
from ..entities.device_setup import async_rule_of
from ..errors import UserError, common_texts
from ..ircodes import OFF, Capabilities, Levels, State
from ..ircodes.protocols import ProtocolRule
from .draft import CONF_BUTTONS, DraftPage, as_kind
from .form import select
from .page import Answers, Page, Shown
from .words import async_words

CONF_COMMAND: Final = "command"
CONF_KIND: Final = "kind"
CONF_SPEEDS: Final = "speeds"
CONF_UNIT: Final = "unit"

UNITS: Final = {"celsius": "C", "fahrenheit": "F"}
_LEVELS: Final = ("modes", "fans", "swings")
_MOST_OTHERS: Final = 100
"""Maximum number of commands, among those the entity does not use, offered to try."""


class KindPage(DraftPage):
    """Asks for another kind. A rule is bound to its kind, so changing it needs new commands."""

    @override
    async def show(self) -> Shown:
        fields = {vol.Required(CONF_KIND): select(Kind, translation_key="kind")}
        return await self.form("kind", fields, {CONF_KIND: self.device.kind.value})

    @override
    async def submit(self, answers: Answers) -> Page:
        kind = Kind(answers[CONF_KIND])
        if self.device.rule is not None:
            return (
                self.owner
                if kind is self.device.kind
                else await self.owner.choose_other_source(kind)
            )
        device = as_kind(self.device, kind)
        self.owner.update_draft(self.owner.with_suggestions(self.draft.with_device(device)))
        return self.owner if self.draft.is_useful else FunctionsPage(self.owner)


class FunctionsPage(DraftPage):
    """Shows and edits which command performs which function."""

    @override
    async def show(self) -> Shown:
        device, rule, command_names = self.device, self.draft.profile.rule, self._command_names
        traits, states = device.kind.traits, rule.meanings if isinstance(rule, CommandRule) else {}
        names = [command.name for id_, command in device.commands.items() if id_ not in states]
        list_field, prefix = _list_field_of(device.kind)
        fields: dict[vol.Marker, object] = {
            vol.Optional(function): select(names) for function in traits.functions
        }
        suggested: dict[str, object] = {
            function: command_names[function]
            for function in traits.functions
            if function in command_names
        }
        if list_field is not None:
            fields[vol.Optional(list_field)] = select(names, multiple=True)
            suggested[list_field] = [*values(command_names, prefix).values()]
        if traits.has_states:
            fields[vol.Required(CONF_UNIT)] = select(UNITS, translation_key="unit")
            code_unit = rule.capabilities.unit
            suggested[CONF_UNIT] = next(name for name, unit in UNITS.items() if unit == code_unit)
        return await self.form("functions", fields, suggested if self.answers is None else None)

    @override
    async def submit(self, answers: Answers) -> Page:
        device, command_names, commands = self.device, self._command_names, {**answers}
        list_field, prefix = _list_field_of(device.kind)
        unit = commands.pop(CONF_UNIT, None)
        listed = [] if list_field is None else commands.pop(list_field, [])
        fixed = {*device.kind.traits.functions, prefix}
        functions = {
            function: command
            for function, command in command_names.items()
            if function.partition(" ")[0] not in fixed
        }
        functions |= {key: command for key, command in commands.items() if command}
        function_of = {command: function for function, command in command_names.items()}
        for command in listed:
            functions[function_of.get(command, f"{prefix} {command}")] = command
        by_name = device.by_name
        if list_field == CONF_SPEEDS:
            speeds = [
                function_of.get(command, f" {command}").partition(" ")[2] for command in listed
            ]
            device = replace(device, steps=replace(device.steps, speeds=tuple(speeds)))
        if unit is not None:
            device = replace(device, capabilities=replace(device.capabilities, unit=UNITS[unit]))
        ids = {function: by_name[name].id for function, name in functions.items()}
        self.owner.update_draft(self.draft.with_device(replace(device, functions=ids)))
        if not self.draft.is_useful:
            raise UserError("no_functions")
        return self.owner

    @property
    def _command_names(self) -> dict[str, str]:
        """Return function → name of its command."""
        commands = self.device.commands
        return {function: commands[id_].name for function, id_ in self.device.functions.items()}


class ButtonsPage(DraftPage):
    """Asks which commands get a button."""

    @override
    async def show(self) -> Shown:
        commands, chosen = self.device.commands, self.device.settings.buttons or ()
        return await self.form(
            "buttons",
            {vol.Optional(CONF_BUTTONS): select(self.draft.unused, multiple=True)},
            {CONF_BUTTONS: [commands[id_].name for id_ in chosen if id_ in commands]},
        )

    @override
    async def submit(self, answers: Answers) -> Page:
        device, by_name = self.device, self.device.by_name
        chosen = tuple(by_name[name].id for name in answers.get(CONF_BUTTONS, ()))
        settings = replace(device.settings, buttons=chosen)
        return self.owner.update_draft(self.draft.with_device(replace(device, settings=settings)))


class TryPage(DraftPage):
    """Sends a command and returns to the page of the device."""

    @override
    async def show(self) -> Shown:
        return await self.form(
            "try_it", {vol.Required(CONF_COMMAND): select(await self._items_to_try())}
        )

    @override
    async def submit(self, answers: Answers) -> Page:
        command = answers[CONF_COMMAND]
        item = (await self._items_to_try())[command]
        await self.devices.sender.send(self.hub, self.device, [item])
        note = (await common_texts(self.hass))["was_sent"].format(command=command)
        return self.owner.update_draft(replace(self.draft, note=note))

    async def _items_to_try(self) -> dict[str, Command | bytes]:
        """Return the items to try by name: commands, and a few states of an air conditioner."""
        words, profile = await async_words(self.hass), self.draft.profile
        states: dict[str, State] = {}
        for state in (rule := profile.rule).offered:
            states.setdefault(state.mode, _at_middle_temperature(rule, state))
        items: dict[str, Command | bytes] = {}
        ids = [*profile.functions.values()]
        if isinstance(rule, CommandRule):
            ids += map(rule.encode, states.values())
        else:
            if rule.off is not None:
                items[words.state(OFF)] = rule.off
            items |= {words.state(state): rule.encode(state) for state in states.values()}
        commands = self.device.commands
        names = [*(commands[id_].name for id_ in ids), *self.draft.unused[:_MOST_OTHERS]]
        return items | {name: self.device.by_name[name] for name in names}


def _at_middle_temperature(rule: PacketRule | CommandRule, state: State) -> State:
    """Return a state at its mode's middle temperature: at the lowest, heating may not start."""
    if not (temperatures := rule.capabilities[state.mode].temperatures):
        return state
    middle = replace(state, temperature=temperatures[(len(temperatures) - 1) // 2])
    return middle if middle in rule.states else state


class LevelsPage(DraftPage):
    """Asks which modes and levels of the protocol the air conditioner has."""

    @override
    async def show(self) -> Shown:
        device, words = self.device, await async_words(self.hass)
        full_rule = await async_rule_of(self.hass, replace(device, capabilities=Capabilities()))
        label_of: dict[str, Callable[[str], str]] = {
            "modes": words.mode,
            "fans": partial(words.level, "fan_mode"),
            "swings": partial(words.level, "swing_mode"),
        }
        fields: dict[vol.Marker, object] = {}
        if isinstance(full_rule, ProtocolRule):
            for key, options in _listed(full_rule.chosen).items():
                if options:
                    fields[vol.Optional(key)] = select(
                        options, multiple=True, label_of=label_of[key]
                    )
        suggested: Any = None if self.answers else _listed(device.capabilities)
        protocol = device.rule.name if isinstance(device.rule, Protocol) else ""
        return await self.form("levels", fields, suggested, heard=self.draft.last_press or protocol)

    @override
    async def submit(self, answers: Answers) -> Page:
        device = self.device
        modes, fans, swings = (tuple(answers.get(key, ())) for key in _LEVELS)
        capabilities = Capabilities.alike(
            modes, Levels(fans=fans, swings=swings), unit=device.capabilities.unit
        )
        updated = replace(device, capabilities=capabilities)
        rule = await async_rule_of(self.hass, updated) if modes else None
        if rule is None or not rule.states:
            raise UserError("no_levels")
        return self.owner.update_draft(self.draft.with_device(updated, rule=rule))


def _list_field_of(kind: Kind) -> tuple[str | None, str]:
    """Return the field for several commands of a kind, and the prefix of their functions."""
    lists = (
        (traits.field, prefix) for prefix, traits in kind.traits.values.items() if traits.field
    )
    return next(lists, (None, ""))


def _listed(capabilities: Capabilities) -> dict[str, list[str]]:
    """Return modes, fan speeds and swings, as form answers."""
    levels = capabilities.levels
    return dict(zip(_LEVELS, ([*capabilities], [*levels.fans], [*levels.swings]), strict=True))
