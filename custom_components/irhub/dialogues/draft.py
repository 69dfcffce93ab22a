"""The draft of a device, which pages pass to each other, and base classes of these pages."""

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
from ..devices.lessons import Lesson, key_of_rule, lessons_of, unfinished_key
from ..devices.meanings import with_meanings
from ..devices.profile import Profile, profile_of
from ..devices.rules import PacketRule
from ..entities.device_setup import async_rule_of
from ..errors import UserError, list_reasons
from ..ircodes import State
from ..ircodes.files import Account
from ..yaml.device_schema import CONF_HUMIDITY_SENSOR, CONF_TEMPERATURE_SENSOR
from .faults import NO_FAULTS, CodeFaults, async_faults_of
from .page import HubPage, Page

CONF_BUTTONS: Final = "buttons"
MAX_BUTTONS: Final = 100
"""Maximum number of commands, among those its entity does not use, that get buttons by default."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A device that is not saved yet, and what its page shows besides."""

    device: Device
    rule: PacketRule | None = None
    """The rule that encodes its packets, unless its commands hold them."""
    area: str | None = None
    """The id of the area to assign to a new device."""
    alias: str | None = None
    """Its alias for voice assistants; None if the user has not been asked."""
    note: str = ""
    """Markdown that its page shows as a note."""
    last_press: str = ""
    """The state sent by the last press of its remote control, as text."""
    account: Account | None = None
    """What became of the codes of its file."""
    refused: Mapping[str, object] = field(default_factory=dict)
    """The commands of its file that cannot be used: name → reason."""
    replaces_saved: bool = False
    """Whether its commands or its rule replace the saved ones."""
    lesson: Lesson | None = None
    """The lesson from which its rule was inferred."""
    faults: CodeFaults = field(default=NO_FAULTS)
    """Faults in its code file that have not been corrected."""
    corrected: Mapping[State, bytes] = field(default_factory=dict)
    """Corrected packets, which replace those of the file: state → packet."""

    def with_device(self, device: Device, **changes: Any) -> Draft:  # noqa: ANN401 - as `replace` has it
        """Return a copy with another device and other changes."""
        return replace(self, device=device, **changes)

    @property
    def profile(self) -> Profile:
        """Return what the device can do."""
        return profile_of(self.device, self.rule)

    @property
    def is_useful(self) -> bool:
        """Return whether its entity would have any function."""
        is_plain = self.device.kind.platform is None
        return is_plain or self.rule is not None or bool(self.profile.used)

    @property
    def unused(self) -> list[str]:
        """Return the names of the commands that its entity does not use."""
        used = self.profile.used
        return [command.name for id_, command in self.device.commands.items() if id_ not in used]


def as_kind(device: Device, kind: Kind) -> Device:
    """Return a device changed to a kind, with functions inferred from its commands' names."""
    if kind is not device.kind:
        settings = replace(device.settings, device_class=None)
        device = replace(device, kind=kind, functions={}, settings=settings)
    return with_meanings(device, device.commands.values())


class CreatorPage(HubPage):
    """A page that offers several ways to make a device and accepts the result."""

    alternative_options: ClassVar[Sequence[str]] = ("which_file", "how")
    """Menu options to offer when one way has failed."""

    @property
    @abstractmethod
    def kind(self) -> Kind:
        """Return the kind of device that the user has chosen."""

    @property
    def existing(self) -> Device | None:
        """Return the device to change, None for a new one."""
        return None

    @property
    def lesson_for(self) -> str:
        """Return the key of an unfinished lesson: the id of the hub's entry, or of a device."""
        return self.entry.entry_id

    async def saved_lesson(self) -> Lesson | None:
        """Return the lesson that can be continued, if any."""
        return await lessons_of(self.hass).get(unfinished_key(self.lesson_for))

    @abstractmethod
    async def accept(self, draft: Draft) -> Page:
        """Accept the result; return the page of the device."""

    def unused_name(self, name: str, *, exempt: Device | None = None) -> str:
        """Return a name that no other device has, such as "Fan 2"; `exempt` may have it."""
        devices = self.devices
        others = [other for other in devices.values() if exempt is None or other.id != exempt.id]
        return free_name(
            name.strip(), {*(other.name for other in others), *map(devices.label, others)}
        )

    def with_suggestions(self, draft: Draft) -> Draft:
        """Return a draft with suggested settings of this hub, and buttons for unused commands."""
        device, registry = draft.device, er.async_get(self.hass)
        traits, settings = device.kind.traits, device.settings
        mac = str(self.entry.runtime_data.settings.mac)
        suggested: dict[str, Any] = {}
        for key, measurement in (
            (CONF_TEMPERATURE_SENSOR, "temperature"),
            (CONF_HUMIDITY_SENSOR, "humidity"),
        ):
            if key in traits.settings:
                sensor = registry.async_get_entity_id(
                    Platform.SENSOR, DOMAIN, f"{mac}-{measurement}"
                )
                suggested[key] = getattr(settings, key) or sensor
        if traits.suggested_class is not None:
            suggested[CONF_DEVICE_CLASS] = settings.device_class or traits.suggested_class
        emitters = self.devices.sender.emitters_of(device)
        if not settings.buttons and len(draft.unused) <= MAX_BUTTONS:
            suggested[CONF_BUTTONS] = None
        return draft.with_device(
            replace(device, settings=replace(settings.with_emitters(emitters), **suggested))
        )


@dataclass(repr=False)
class SourcePage(HubPage):
    """A page on one way to make a device."""

    before: CreatorPage | SourcePage

    @property
    def creator(self) -> CreatorPage:
        """Return the page that accepts the device."""
        return self.before.creator if isinstance(self.before, SourcePage) else self.before

    @property
    def kind(self) -> Kind:
        """Return the kind of device that the user has chosen."""
        return self.creator.kind

    def new_id(self) -> str:
        """Return the id of a new device."""
        return new_id(str(self.entry.runtime_data.settings.mac))

    async def take_text(self, path: str, text: str) -> Page:
        """Return the next page for the text of a code file. Raise UserError if it is unusable."""
        try:
            file = await self.hass.async_add_executor_job(partial(understand, text, file=path))
        except ValueError as err:
            raise UserError("bad_file", file=path, error=err) from err
        return await self.take_file(file)

    async def take_file(self, file: CodeFile) -> Page:
        """Return the next page for a code file. Raise UserError if nothing in it is usable."""
        file.check()
        device = Device(
            id=self.new_id(),
            name=self.creator.unused_name(file.device),
            manufacturer=file.manufacturer,
            model=", ".join(file.models),
        )
        device = file.on(device)
        draft = Draft(device=device, rule=await async_rule_of(self.hass, device))
        if file.whole is not None:
            return await self.creator.accept(draft)
        kind = self.kind
        if file.head is not None and kind.platform != file.head.platform:
            kind = KINDS_OF_PLATFORMS[file.head.platform]  # the file says what it is
        notes = []
        if file.contradictions:
            notes.append(list_reasons(file.contradictions))
        device = as_kind(device, kind)
        file.check_states(device)
        account = account_of(device, file.account)
        faults, note = await async_faults_of(self.hass, device, notes)
        return await self.creator.accept(
            draft.with_device(
                device, faults=faults, note=note, account=account, refused=file.refused
            )
        )


@dataclass(repr=False)
class DraftPage(HubPage):
    """A page that edits the draft of its owner."""

    before: DraftOwner

    @property
    def owner(self) -> DraftOwner:
        """Return the page that owns the draft."""
        return self.before

    @property
    def draft(self) -> Draft:
        """Return the draft."""
        return self.owner.draft

    @property
    def device(self) -> Device:
        """Return the device of the draft."""
        return self.owner.draft.device


@dataclass(repr=False)
class DraftOwner(CreatorPage):
    """A page that owns a draft."""

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
    async def saved_lesson(self) -> Lesson | None:
        return await super().saved_lesson() or await self.lesson_of_rule()

    async def lesson_of_rule(self) -> Lesson | None:
        """Return the lesson from which the rule was inferred, if its presses are saved."""
        rule = self.draft.device.rule
        if self.draft.lesson is not None or not isinstance(rule, Taught):
            return self.draft.lesson
        return await lessons_of(self.hass).get(key_of_rule(rule))

    def update_draft(self, draft: Draft) -> Page:
        """Replace the draft; return this page."""
        self.draft = draft
        return self

    @abstractmethod
    async def choose_other_source(self, kind: Kind) -> Page:
        """Return the page that asks for another source of commands, for a device of this kind."""

    @abstractmethod
    async def write(self) -> Device:
        """Save the device in the hub's file, and return it."""

    @property
    def is_new(self) -> bool:
        """Return whether the device is not saved yet."""
        return self.draft.device.id not in self.devices
