"""A device as it will be: what pages hand on to each other, and the pages on the way to it."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Final, override

from homeassistant.const import CONF_DEVICE_CLASS, Platform
from homeassistant.helpers import entity_registry as er

from ..const import DOMAIN
from ..devices.code_file import CodeFile, account_of, understand
from ..devices.device import Device, Taught, free_name, new_id
from ..devices.kinds import KINDS_OF_PLATFORMS, Kind
from ..devices.lessons import Lesson, begun, lessons_of, of_rule
from ..devices.meanings import with_meanings
from ..devices.profile import Profile, profile_of
from ..devices.rules import PacketRule
from ..entities.device_setup import async_rule_of
from ..errors import UserError, common_texts, list_reasons
from ..ircodes import BitRule, State
from ..ircodes.files import Account
from ..yaml.device_schema import CONF_HUMIDITY_SENSOR, CONF_TEMPERATURE_SENSOR
from .faults import NO_FAULTS, CodeFaults, async_faults_of
from .page import HubPage, Page

CONF_BUTTONS: Final = "buttons"
MAX_BUTTONS: Final = 100
"""Of what its entity does not use, so many commands get buttons unasked."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A device as it will be."""

    device: Device
    rule: PacketRule | None = None
    """What makes its packets, if they are not commands."""
    area: str | None = None
    """Where it is put when it is made."""
    alias: str | None = None
    """What it is called besides, by voice; None: nobody has said."""
    note: str = ""
    """What its page says besides."""
    last_press: str = ""
    """What its remote control said last."""
    account: Account | None = None
    """Where the codes of its file have gone."""
    is_unconfirmed: bool = False
    """Whether its rule came from a file, and no press of its remote control has confirmed it."""
    is_made_anew: bool = False
    """Whether its commands or its rule are to take the place of those that it has."""
    lesson: Lesson | None = None
    """What has taught its rule."""
    faults: CodeFaults = field(default=NO_FAULTS)
    """What is wrong in its file, as far as nobody has mended it."""
    mended: Mapping[State, bytes] = field(default_factory=dict)
    """The packets that states have instead of those of the file."""

    def of(self, device: Device, **changes: Any) -> Draft:  # noqa: ANN401 - as `replace` has it
        """Return the same with the device as it will be now."""
        return replace(self, device=device, **changes)

    @property
    def profile(self) -> Profile:
        """Return what the device can do."""
        return profile_of(self.device, self.rule)

    @property
    def is_useful(self) -> bool:
        """Return whether there is something that it can do."""
        is_plain = self.device.kind.platform is None
        return is_plain or self.rule is not None or bool(self.profile.used)

    @property
    def unused(self) -> list[str]:
        """Return the names of the commands that its entity does not use."""
        used = self.profile.used
        return [command.name for id_, command in self.device.commands.items() if id_ not in used]


def as_kind(device: Device, kind: Kind) -> Device:
    """Return a device as one of a kind, with what the names of its commands say for that."""
    if kind is not device.kind:
        settings = replace(device.settings, device_class=None)
        device = replace(device, kind=kind, functions={}, settings=settings)
    return with_meanings(device, device.commands.values())


class Maker(HubPage):
    """A page from which ways lead to a device, and which takes what they have come to."""

    elsewhere: ClassVar[Sequence[str]] = ("which_file", "how")
    """What else it offers where a way leads nowhere."""

    @property
    @abstractmethod
    def kind(self) -> Kind:
        """Return what the device is, as its owner says."""

    @property
    def existing(self) -> Device | None:
        """Return the device that is changed, None if it is a new one."""
        return None

    @property
    def lesson_for(self) -> str:
        """Return for what a lesson is kept that was begun: the hub's entry, or a device."""
        return self.entry.entry_id

    async def kept_lesson(self) -> Lesson | None:
        """Return the lesson that can be gone on with, if there is one."""
        return await lessons_of(self.hass).get(begun(self.lesson_for))

    @abstractmethod
    async def take(self, draft: Draft) -> Page:
        """Return the page of a device as it was made."""

    def free(self, name: str, *, but: Device | None = None) -> str:
        """Return a name that no other device has: "Fan 2" if there is a fan."""
        devices = self.devices
        others = [other for other in devices.values() if but is None or other.id != but.id]
        return free_name(
            name.strip(), {*(other.name for other in others), *map(devices.label, others)}
        )

    def with_suggestions(self, draft: Draft) -> Draft:
        """Return a new device with what the hub has for it, and buttons for what is left."""
        device, registry = draft.device, er.async_get(self.hass)
        traits, settings = device.kind.traits, device.settings
        mac = str(self.entry.runtime_data.settings.mac)
        suggested: dict[str, Any] = {}
        for key, of in (
            (CONF_TEMPERATURE_SENSOR, "temperature"),
            (CONF_HUMIDITY_SENSOR, "humidity"),
        ):
            if key in traits.settings:
                sensor = registry.async_get_entity_id(Platform.SENSOR, DOMAIN, f"{mac}-{of}")
                suggested[key] = getattr(settings, key) or sensor
        if traits.suggested_class is not None:
            suggested[CONF_DEVICE_CLASS] = settings.device_class or traits.suggested_class
        emitters = self.devices.sender.emitters_of(device)
        if not settings.buttons and len(draft.unused) <= MAX_BUTTONS:
            suggested[CONF_BUTTONS] = None
        return draft.of(
            replace(device, settings=replace(settings.with_emitters(emitters), **suggested))
        )


@dataclass(repr=False)
class WayPage(HubPage):
    """A page on a way to a device."""

    before: Maker | WayPage

    @property
    def maker(self) -> Maker:
        """Return the page that takes the device."""
        return self.before.maker if isinstance(self.before, WayPage) else self.before

    @property
    def kind(self) -> Kind:
        """Return what the device is, as its owner says."""
        return self.maker.kind

    def new_id(self) -> str:
        """Return the id of a new device."""
        return new_id(str(self.entry.runtime_data.settings.mac))

    async def take_text(self, path: str, text: str) -> Page:
        """Return what follows a code file. Raise UserError if it is none, or has nothing."""
        try:
            file = await self.hass.async_add_executor_job(partial(understand, text, file=path))
        except ValueError as err:
            raise UserError("bad_file", file=path, error=err) from err
        return await self.take_file(file)

    async def take_file(self, file: CodeFile) -> Page:
        """Return what follows a code file. Raise UserError if nothing in it can be used."""
        file.check()
        device = Device(
            id=self.new_id(),
            name=self.maker.free(file.device),
            manufacturer=file.manufacturer,
            model=", ".join(file.models),
        )
        device = file.on(device)
        draft = Draft(device=device, rule=await async_rule_of(self.hass, device))
        if file.whole is not None:
            is_unconfirmed = isinstance(draft.rule, BitRule)
            return await self.maker.take(replace(draft, is_unconfirmed=is_unconfirmed))
        kind = self.kind
        if file.head is not None and kind.platform != file.head.platform:
            kind = KINDS_OF_PLATFORMS[file.head.platform]  # the file says what it is
        notes = []
        if refused := len(file.refused):
            text = (await common_texts(self.hass))["not_usable"]
            total, reasons = refused + len(device.commands), list_reasons(file.refused)
            notes.append(text.format(count=refused, total=total, reasons=reasons))
        if file.contradictions:
            notes.append(list_reasons(file.contradictions))
        device = as_kind(device, kind)
        file.check_states(device)
        account = account_of(device, file.account)
        faults, note = await async_faults_of(self.hass, device, notes)
        return await self.maker.take(draft.of(device, faults=faults, note=note, account=account))


@dataclass(repr=False)
class DraftPage(HubPage):
    """A page that changes a device as it will be, and hands it back."""

    before: DraftOwner

    @property
    def owner(self) -> DraftOwner:
        """Return the page that has the device."""
        return self.before

    @property
    def draft(self) -> Draft:
        """Return the device as it will be."""
        return self.owner.draft

    @property
    def device(self) -> Device:
        """Return the device as it will be."""
        return self.owner.draft.device


@dataclass(repr=False)
class DraftOwner(Maker):
    """A page that has a device as it will be."""

    draft: Draft

    @property
    @override
    def kind(self) -> Kind:
        return self.draft.device.kind

    @property
    @override
    def lesson_for(self) -> str:
        return super().lesson_for if self.is_new else self.draft.device.id

    @override
    async def kept_lesson(self) -> Lesson | None:
        return await super().kept_lesson() or await self.lesson_of_rule()

    async def lesson_of_rule(self) -> Lesson | None:
        """Return the lesson that has taught the rule, if its presses are kept."""
        rule = self.draft.device.rule
        if self.draft.lesson is not None or not isinstance(rule, Taught):
            return self.draft.lesson
        return await lessons_of(self.hass).get(of_rule(rule))

    def keep(self, draft: Draft) -> Page:
        """Return the page of the device, as it will be now."""
        self.draft = draft
        return self

    @abstractmethod
    async def make_anew(self, kind: Kind) -> Page:
        """Return the page that asks for another way to its commands, as one of a kind."""

    @abstractmethod
    async def write(self) -> Device:
        """Keep the device in the hub's file, and return it."""

    @property
    def is_new(self) -> bool:
        """Return whether the device is not kept yet."""
        return self.draft.device.id not in self.devices
