"""Add an appliance: ask for its kind and for the source of its commands."""

from dataclasses import dataclass, replace
from typing import ClassVar, override

from homeassistant.config_entries import (
    ConfigSubentry,
)
from homeassistant.const import CONF_DEVICE
import voluptuous as vol

from ..devices.device import Device, Protocol
from ..devices.kinds import Kind
from ..devices.lessons import Lesson, lessons_of, unfinished_key
from ..entities.device_setup import async_rule_of
from ..entities.registries import subentry_of
from ..ircodes import Capabilities, Collection, Content
from .draft import CreatorPage, Draft, SourcePage, as_kind
from .follow import plain_devices
from .form import select
from .from_remote import FromRemotePage
from .functions import FunctionsPage, LevelsPage
from .learn_remote import begin_lesson
from .maker_and_model import MakerAndModelPage
from .page import Answers, HubPage, LeadsTo, Page, Shown, option
from .press import PressButtonPage
from .ready import ReadyPage, with_own_ids
from .teach import (
    begin_teaching,
    continue_lesson,
)
from .upload import UploadPage, WhichFilePage
from .which_file import IndexingPage


class LearnedDevicePage(SourcePage):
    """Asks for a device that has learned commands but no entity yet."""

    @override
    async def show(self) -> Shown:
        fields = {vol.Required(CONF_DEVICE): select(plain_devices(self.devices))}
        return await self.form("commands", fields)

    @override
    async def submit(self, answers: Answers) -> Page:
        device = self.devices.named(answers[CONF_DEVICE])
        return await self.creator.accept(Draft(device=as_kind(device, self.kind)))


@dataclass(repr=False)
class ChooseSourcePage(CreatorPage):
    """Asks for the source of the commands; the best comes first."""

    leads_to: ClassVar[LeadsTo] = {
        "press_button": PressButtonPage,
        "which_file": WhichFilePage,
        "from_remote": FromRemotePage,
        "file": UploadPage,
        "commands": LearnedDevicePage,
    }

    before: Page
    chosen_kind: Kind
    is_new: ClassVar[bool] = True
    """Whether the device is added; otherwise it exists and has commands already."""

    @property
    @override
    def kind(self) -> Kind:
        return self.chosen_kind

    @override
    async def show(self) -> Shown:
        can_learn, traits = self.hub.reception.can_learn, self.kind.traits
        options = {
            "press_button": can_learn,
            "learn_remote": can_learn and not traits.has_states,
            "teach": can_learn and traits.has_states and not self.is_new,
            "maker_and_model": traits.is_collected,
            "file": True,
            "commands": self.is_new and plain_devices(self.devices),
            "user": True,
        }
        return self.menu("how", options)

    @override
    async def accept(self, draft: Draft) -> Page:
        ready = ReadyPage(self, self.with_suggestions(draft))
        if isinstance(draft.device.rule, Protocol):
            return LevelsPage(ready)
        return ready if draft.is_useful else FunctionsPage(ready)

    @option
    async def how(self) -> Page:
        """Ask again."""
        return self

    @option
    async def user(self) -> Page:
        """Ask for the kind of device."""
        return self.before

    @option
    async def teach(self) -> Page:
        """Infer its rule from presses of its remote control."""
        return await begin_teaching(self)

    @option
    async def learn_remote(self) -> Page:
        """Learn its remote control, button by button."""
        return await begin_lesson(self)

    @option
    async def maker_and_model(self) -> Page:
        """Choose maker and model among all files of this kind."""
        collection = await self.hass.async_add_executor_job(Collection.load)
        matches = collection.search("", kind=self.kind.platform)
        return MakerAndModelPage(self, "maker_and_model", collection, matches)


@dataclass(repr=False)
class ChooseKindPage(HubPage):
    """Asks for the kind of device."""

    content: Content | None = None
    """A collection of files that was uploaded in another dialogue."""

    @override
    async def enter(self) -> None:
        await self.devices.load()

    @override
    async def show(self) -> Shown:
        if (lesson := await self._unfinished_lesson()) is None:
            return self.menu("user", [*Kind])
        return self.menu("user", ["continue_lesson", *Kind], number=str(lesson.record.asked))

    @option
    async def continue_lesson(self) -> Page:
        """Continue an unfinished lesson."""
        page = ChooseSourcePage(self, Kind.AIR_CONDITIONER)
        lesson = await self._unfinished_lesson()
        return await (begin_teaching(page) if lesson is None else continue_lesson(page, lesson))

    async def _unfinished_lesson(self) -> Lesson | None:
        """Return the unfinished lesson of a new air conditioner, if any."""
        return await lessons_of(self.hass).get(unfinished_key(self.entry.entry_id))

    @override
    async def choose(self, chosen: str) -> Page:
        if chosen not in [*Kind]:
            return await super().choose(chosen)
        how = ChooseSourcePage(self, Kind(chosen))
        if self.content is None:
            return how
        return IndexingPage(WhichFilePage(how), self.content.index)


class ChooseOtherSourcePage(ChooseSourcePage):
    """Asks for another source of the commands of an existing device."""

    before: ReadyPage
    is_new = False

    @property
    @override
    def existing(self) -> Device | None:
        return self.before.existing

    @property
    @override
    def lesson_for(self) -> str:
        return self.before.lesson_for

    @override
    async def saved_lesson(self) -> Lesson | None:
        return await self.before.saved_lesson()

    @override
    async def accept(self, draft: Draft) -> Page:
        """Return the page of the device, with its new commands or its new rule."""
        current, ready, device = self.before.draft.device, self.before, draft.device
        if device.id == current.id and self.kind is current.kind:
            return await ready.accept(draft)
        if device.id == current.id:  # its buttons were learned, for another kind than it is
            device = replace(
                device, rule=None, unconfirmed=False, capabilities=Capabilities(), favourites=()
            )
            device = as_kind(device, self.kind)
        else:
            device = with_own_ids(replace(device, id=current.id), current.by_name)
        settings = replace(as_kind(current, device.kind).settings, buttons=None)
        device = replace(
            device,
            name=current.name,
            settings=settings,
            entity=current.entity,
            unknown_keys=current.unknown_keys,
        )
        ready.update_draft(replace(draft, device=device, replaces_saved=True))
        if isinstance(device.rule, Protocol):
            return LevelsPage(ready)
        return ready if ready.draft.is_useful else FunctionsPage(ready)


@dataclass(repr=False)
class ChangeDevicePage(HubPage):
    """Opens the page of the device that a subentry is for."""

    subentry: ConfigSubentry

    @override
    async def show(self) -> Shown | Page:
        await self.devices.load()
        device = next(
            device
            for device in self.devices.values()
            if subentry_of(self.entry, device) is self.subentry
        )
        rule = await async_rule_of(self.hass, device)
        return ReadyPage(self, Draft(device=device, rule=rule), ChooseOtherSourcePage)
