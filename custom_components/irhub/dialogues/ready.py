"""The main page of a draft: the functions, settings and next steps of a device."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
import json
from types import MappingProxyType
from typing import ClassVar, Final, cast, override

from homeassistant.config_entries import ConfigSubentryFlow
from homeassistant.const import CONF_NAME
from homeassistant.data_entry_flow import section
from homeassistant.helpers.device_registry import DeviceEntry
from homeassistant.helpers.selector import AreaSelector, TextSelector
import voluptuous as vol

from .._common.markdown import Markdown, escaped
from ..const import CONF_ALIAS, DOMAIN
from ..devices.device import Command, Device, Protocol, Taught, id_in
from ..devices.kinds import Kind
from ..devices.legacy_format import appliance_data
from ..devices.lessons import key_of_rule, lessons_of, unfinished_key
from ..entities.registries import find_registered
from ..errors import UserError, common_texts
from ..ircodes import BitRule, State
from .confirm import ConfirmPressPage
from .device_settings import LIMITS, DeviceSettings
from .draft import CONF_BUTTONS, Draft, DraftOwner, as_kind
from .exchange import list_account
from .faults import NO_FAULTS, async_find_faults, with_packets
from .faults_page import FaultsPage
from .follow import async_alike
from .form import out_of_range, select
from .from_remote import ReplaceOffPage
from .functions import ButtonsPage, FunctionsPage, KindPage, LevelsPage, TryPage
from .learn_remote import begin_lesson
from .move import MovePage, other_hubs
from .page import Answers, EndPage, HubPage, LeadsTo, Page, Shown, offered, option
from .teach_more import WhichStatePage, teach_more
from .words import async_words

CONF_AREA: Final = "area_id"
CONF_MORE: Final = "more"
CONF_THEN: Final = "then"


@dataclass(repr=False)
class ReadyPage(DraftOwner):
    """Shows the functions of a device; asks for name, area, settings and the next step."""

    leads_to: ClassVar[LeadsTo] = {
        "try_it": TryPage,
        "functions": FunctionsPage,
        "buttons": ButtonsPage,
        "levels": LevelsPage,
        "own_off": ReplaceOffPage,
        "press_state": WhichStatePage,
        "confirm_press": ConfirmPressPage,
        "kind": KindPage,
        "faults": FaultsPage,
        "move": MovePage,
    }

    make_source_page: Callable[[ReadyPage, Kind], Page] | None = None
    """Makes the page that asks for another way to its commands; None for a new device."""

    @override
    async def accept(self, draft: Draft) -> Page:
        """Update the draft with newly learned commands; return this page."""
        device = draft.device
        if self.flow.source == "user":
            draft = self.with_suggestions(draft.with_device(as_kind(device, self.kind)))
        return self.update_draft(replace(self.draft, device=draft.device, note=draft.note))

    @override
    async def show(self) -> Shown:
        draft, device = self.draft, self.draft.device
        fields: dict[vol.Marker, object] = {}
        suggested: Answers = {CONF_THEN: "finish", CONF_MORE: self.settings.current_answers}
        if self.is_new:
            fields[vol.Required(CONF_NAME)] = TextSelector()
            suggested[CONF_NAME] = device.name
        if self.flow.source == "user":
            fields[vol.Optional(CONF_AREA)] = AreaSelector()
            if (area := draft.area or self._present_area) is not None:
                suggested[CONF_AREA] = area
        if self._has_alias:
            fields[vol.Optional(CONF_ALIAS)] = TextSelector()
            suggested[CONF_ALIAS] = (
                await self._suggested_alias() if draft.alias is None else draft.alias
            )
        words = await async_words(self.hass)
        if more := self.settings.fields(words):
            fields[vol.Optional(CONF_MORE)] = section(vol.Schema(more), {"collapsed": True})
        fields[vol.Required(CONF_THEN)] = select(
            self._next_steps, as_list=True, translation_key="then"
        )
        kind = words.kind(device.kind)
        return await self.form(
            "ready",
            fields,
            suggested,
            device=self.devices.label(device) or kind,
            kind=kind,
            found=words.abilities(device, draft.profile),
            commands=await self._command_count(),
            account="" if draft.account is None else list_account(draft.account, draft.refused),
            note=await self._notes(),
            alike=await self._alike(),
        )

    async def _alike(self) -> str:
        """Return a list of indistinguishable commands, if the device has events."""
        device = self.draft.device
        if not device.settings.events:
            return ""
        return await async_alike(self.hass, {self.devices.label(device): device})

    @property
    def _has_alias(self) -> bool:
        return self.flow.source == "user" and self.kind.traits.has_alias

    async def _suggested_alias(self) -> str:
        """Return the usual alias of such a device; empty if another entity has that name."""
        alias = (await common_texts(self.hass))[f"alias_{self.kind}"]
        is_taken = self.entry.runtime_data.registries.is_called(alias)
        return "" if is_taken or alias.casefold() in self.draft.device.name.casefold() else alias

    async def _notes(self) -> str:
        """Return the notes: first the gaps of its rule and what to do about them."""
        rule, note, texts = self.draft.rule, self.draft.note, await common_texts(self.hass)
        gaps: list[str] = []
        if isinstance(rule, BitRule) and not rule.can_turn_off:
            gaps.append(texts["no_off_pressed"])
        if self.draft.device.unconfirmed and self.hub.reception.can_learn:
            gaps.append(texts["unconfirmed"])
        if not gaps:
            return note
        own_notes = note if isinstance(note, Markdown) else escaped(note)
        return Markdown("\n\n".join([*gaps, own_notes]).strip())

    async def _command_count(self) -> str:
        """Return a text with the number of commands; empty if a rule encodes the packets."""
        commands = self.draft.device.commands
        if not commands and self.draft.rule is not None:
            return ""
        return (await common_texts(self.hass))["command_count"].format(count=len(commands))

    @override
    async def submit(self, answers: Answers) -> Page:
        buttons = self.settings.buttons
        self._keep_answers(answers)
        if buttons != "chosen" == answers.get(CONF_MORE, {}).get(CONF_BUTTONS):
            return ButtonsPage(self)
        return await self.choose(answers.get(CONF_THEN, "finish"))

    @property
    def _next_steps(self) -> list[str]:
        """Return the options for the next step."""
        rule, kind = self.draft.device.rule, self.kind
        can_learn, is_saved = self.hub.reception.can_learn, not self.is_new
        is_taught = can_learn and isinstance(self.draft.rule, BitRule)
        is_unconfirmed = is_taught and self.draft.device.unconfirmed
        first_steps = {"confirm_press": True} if is_unconfirmed else {}
        return offered(
            {
                **first_steps,
                "finish": True,
                "try_it": True,
                "functions": rule is None and kind.platform is not None,
                "buttons": rule is None and self.settings.buttons == "chosen",
                "levels": isinstance(rule, Protocol),
                "own_off": can_learn and isinstance(rule, Protocol | Taught),
                "teach_more": is_taught,
                "press_state": is_taught,
                "confirm_press": is_taught and (is_saved or is_unconfirmed),
                "learn_remote": can_learn and is_saved,
                "another_way": self.make_source_page is not None,
                "kind": rule is None or self.make_source_page is not None,
                "faults": self.draft.faults != NO_FAULTS,
                "check_codes": self._has_codes_to_check,
                "move": is_saved and other_hubs(self),
            }
        )

    @property
    def _has_codes_to_check(self) -> bool:
        """Return whether it is an existing device whose codes were not checked in this dialogue."""
        device = self.draft.device
        states = (command.state for command in device.commands.values())
        is_checked = self.is_new or self.draft.faults != NO_FAULTS
        return not is_checked and device.rule is None and any(states)

    @option
    async def teach_more(self) -> Page:
        """Ask for further presses."""
        return await teach_more(self)

    @option
    async def check_codes(self) -> Page:
        """Look for what is wrong in its codes."""
        faults = replace(await async_find_faults(self.hass, self.draft.device), missing={})
        if faults != NO_FAULTS:
            self.update_draft(replace(self.draft, faults=faults))
            return FaultsPage(self)
        return self.update_draft(
            replace(self.draft, note=(await common_texts(self.hass))["no_faults"])
        )

    @option
    async def learn_remote(self) -> Page:
        """Learn more buttons."""
        return await begin_lesson(self)

    @option
    async def another_way(self) -> Page:
        """Choose another source of its commands."""
        return await self.choose_other_source(self.kind)

    @property
    @override
    def existing(self) -> Device | None:
        return None if self.is_new else self.devices.latest(self.draft.device)

    @override
    async def choose_other_source(self, kind: Kind) -> Page:
        assert self.make_source_page is not None  # noqa: S101 - for mypy: else it is not offered
        return self.make_source_page(self, kind)

    @property
    def settings(self) -> DeviceSettings:
        """Return the settings that apply to the device of the draft."""
        device, hub = self.draft.device, self.hub
        emitters = self.devices.sender.emitters_of(device) or hub.emitter_ids
        return DeviceSettings(
            draft=self.draft,
            can_learn=hub.reception.can_learn,
            is_receivable=hub.delivery.has_others(emitters),
        )

    def _keep_answers(self, answers: Answers) -> None:
        """Store the answers in the draft. Raise UserError if they are invalid."""
        device, more = self.draft.device, answers.get(CONF_MORE, {})
        if (error := out_of_range(LIMITS, more)) is not None:
            raise error
        if self.is_new:
            if not (name := answers.get(CONF_NAME, device.name).strip()):
                raise UserError("empty_name")
            device = replace(device, name=self.unused_name(name, exempt=device))
        if CONF_MORE in answers:
            device = replace(device, settings=self.settings.updated(more))
        alias = answers.get(CONF_ALIAS, "").strip()
        self.update_draft(
            self.draft.with_device(device, area=answers.get(CONF_AREA), alias=alias, note="")
        )

    @property
    def _present_area(self) -> str | None:
        """Return the area of the device if it has buttons and is registered, else of the hub."""
        if (registered := find_registered(self.hass, self.draft.device)) is not None:
            return registered.area_id
        return self.entry.runtime_data.registries.hub_area

    @override
    async def write(self) -> Device:
        device, lesson_key = self.draft.device, unfinished_key(self.lesson_for)
        device = replace(device, entity=device.entity or device.id)
        if self.is_new:
            await self.devices.put(with_own_ids(device))
        else:
            take = (
                _with_current_name
                if self.draft.replaces_saved
                else partial(_with_current_commands, packets=self.draft.corrected)
            )
            await self.devices.change(device, partial(take, device))
        if isinstance(device.rule, Taught) and (lesson := self.draft.lesson) is not None:
            await lessons_of(self.hass).keep(key_of_rule(device.rule), lesson, ended=lesson_key)
        return device

    @option
    async def finish(self) -> Page:
        """Save the device; its entity is added or updated automatically."""
        device = await self.write()
        if self.flow.source != "user":
            return EndPage(self, "reconfigure_successful")
        return CreatedPage(self, device, self.draft)


@dataclass(repr=False)
class CreatedPage(HubPage):
    """Creates the subentry and ends the dialogue."""

    device: Device
    draft: Draft

    @override
    async def show(self) -> Shown:
        device, draft = self.device, self.draft
        requested = {CONF_AREA: draft.area, CONF_ALIAS: draft.alias}
        requested = {key: answer for key, answer in requested.items() if answer}
        registered = self.entry.runtime_data.registries.register(device, area_id=draft.area)
        texts = {"device": escaped(device.name), "page": _page_of(registered)}
        texts["card"] = _card_of(device)
        flow = cast(ConfigSubentryFlow, self.flow)
        result: Shown = flow.async_create_entry(
            title=device.name,
            data=appliance_data(device) | requested,
            unique_id=device.id,
            description_placeholders=texts,
        )
        return result


def _page_of(registered: DeviceEntry | None) -> Markdown:
    """Return the path of a device's page, or of the integration's if it is not registered."""
    if registered is None:
        return Markdown(f"/config/integrations/integration/{DOMAIN}")
    return Markdown(f"/config/devices/device/{registered.id}")


def _card_of(device: Device) -> Markdown:
    """Return the YAML of a remote control card for a device."""
    name = json.dumps(device.name, ensure_ascii=False)
    return Markdown(f"```yaml\ntype: custom:irhub-remote\ndevice: {name}\n```")


def _with_current_commands(
    draft: Device, current: Device, packets: Mapping[State, bytes]
) -> Device:
    """Return the draft's device with its current name and commands, and corrected packets."""
    device = replace(draft, name=current.name, commands=current.commands).only(current.commands)
    return with_packets(device, packets)


def _with_current_name(draft: Device, current: Device) -> Device:
    """Return the draft's device, made again, with its current name."""
    return replace(draft, name=current.name)


def with_own_ids(device: Device, known: Mapping[str, Command] = MappingProxyType({})) -> Device:
    """Return a device whose commands have ids of their own instead of their names.

    A command that is `known` under its name keeps its id.
    """
    ids = {id_: known[id_].id if id_ in known else id_in(device, id_) for id_ in device.commands}
    buttons = device.settings.buttons
    return replace(
        device,
        commands={
            ids[id_]: replace(command, id=ids[id_]) for id_, command in device.commands.items()
        },
        functions={function: ids[id_] for function, id_ in device.functions.items()},
        settings=replace(device.settings, buttons=buttons and tuple(ids[id_] for id_ in buttons)),
    )
