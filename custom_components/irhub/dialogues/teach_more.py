"""Extend the rule of a taught air conditioner, by further questions or by one chosen state."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, override

import voluptuous as vol

from ..devices.device import Taught
from ..devices.kinds import Kind
from ..devices.lessons import Lesson
from ..errors import UserError, common_texts
from ..hub.learning import Captured
from ..ircodes import OFF, BitRule, Capabilities, Packet, State, Teacher
from ..ircodes.known import KnownAirConditioners
from ..ircodes.states import ATTRIBUTES
from ..ircodes.teaching import KeptPress
from .draft import CreatorPage, Draft, DraftOwner, DraftPage, SourcePage
from .form import number, select
from .listening import OnePressPage
from .page import Answers, MenuPage, Page, Shown, option
from .teach import AskPressPage, ModesAndLevelsPage, UnfinishedLessonPage
from .teaching import async_resume
from .words import async_words

CONF_MODE: Final = "mode"
CONF_TEMPERATURE: Final = "temperature"
_LEVELS: Final = {"fan": "fan_mode", "swing": "swing_mode", "preset": "preset_mode"}
"""Attribute of a state → attribute of Home Assistant's climate entities."""


async def teach_more(owner: DraftOwner) -> Page:
    """Return the page that asks for further presses, or reports that none are needed."""
    creator = ExistingDevicePage(owner)
    if (unfinished := await creator.saved_lesson()) is not None:
        return UnfinishedLessonPage(creator, unfinished)
    if (lesson := await owner.lesson_of_rule()) is None:
        return NoMoreQuestionsPage(creator, "not_kept")
    teaching = await async_resume(owner.hass, lesson, owner.lesson_for)
    if teaching.teacher.ask is None or OFF in lesson.record.missing:
        await owner.hass.async_add_executor_job(teaching.teacher.allow_more)
    if teaching.teacher.ask is None:
        return NoMoreQuestionsPage(creator, "all_asked", lesson.answers)
    return AskPressPage(creator, teaching)


@dataclass(repr=False)
class ExistingDevicePage(CreatorPage):
    """Accepts an extended rule for an existing device."""

    alternative_options = ("how",)

    before: DraftOwner

    @property
    def owner(self) -> DraftOwner:
        """Return the page of the device."""
        return self.before

    @property
    @override
    def kind(self) -> Kind:
        return self.owner.kind

    @property
    @override
    def lesson_for(self) -> str:
        return self.owner.lesson_for

    @override
    async def accept(self, draft: Draft) -> Page:
        new, owner = draft.device, self.owner
        device = replace(
            owner.draft.device,
            rule=new.rule,
            unconfirmed=False,
            capabilities=new.capabilities,
        )
        updated = owner.draft.with_device(
            device, rule=draft.rule, note=draft.note, lesson=draft.lesson
        )
        return owner.update_draft(updated)

    @option
    async def how(self) -> Page:
        """Return to the page of the device."""
        return self.owner


@dataclass(repr=False)
class NoMoreQuestionsPage(SourcePage):
    """Explains why there are no further questions, and offers other options."""

    before: ExistingDevicePage
    step: str
    """The step id, whose text gives the reason."""
    earlier_answers: Mapping[str, Any] = field(default_factory=dict)

    @override
    async def show(self) -> Shown:
        return self.menu(self.step, ["press_state", "teach_anew", "how"])

    @option
    async def press_state(self) -> Page:
        """Ask which state the user will press."""
        return WhichStatePage(self.before.owner)

    @option
    async def teach_anew(self) -> Page:
        """Ask for the modes and levels of the remote control."""
        return ModesAndLevelsPage(self, self.earlier_answers)


class WhichStatePage(DraftPage):
    """Asks which state to press: one that is sent wrongly or missing."""

    @override
    async def show(self) -> Shown:
        words, capabilities = await async_words(self.hass), await self._capabilities()
        levels = capabilities.levels
        fields: dict[vol.Marker, object] = {
            vol.Required(CONF_MODE): select([*capabilities], label_of=words.mode)
        }
        if levels.temperatures:
            fields[vol.Optional(CONF_TEMPERATURE)] = number("°")
        for attribute, of_climate in _LEVELS.items():
            if values := levels.values(attribute):
                label_of = partial(words.level, of_climate)
                fields[vol.Optional(attribute)] = select(map(str, values), label_of=label_of)
        first_state = next(capabilities.states(next(iter(capabilities))))
        suggested = {key: getattr(first_state, key) for key in (CONF_MODE, *ATTRIBUTES)}
        return await self.form("which_state", fields, suggested)

    @override
    async def submit(self, answers: Answers) -> Page:
        capabilities = await self._capabilities()
        levels = {attribute: answers.get(attribute) for attribute in ATTRIBUTES}
        state = State(mode=answers[CONF_MODE], **levels)
        requested = capabilities.narrowed(state)
        if not isinstance(requested, State):
            raise UserError("no_such_state", state=(await async_words(self.hass)).state(state))
        return PressStatePage(
            self.owner, requested, (await async_words(self.hass)).display(requested)
        )

    async def _capabilities(self) -> Capabilities:
        """Return the states that can be pressed: those of the lesson, else those of the rule."""
        if (lesson := await self.owner.lesson_of_rule()) is not None:
            return lesson.record.capabilities
        assert self.draft.rule is not None  # noqa: S101 - for mypy: else this was not offered
        return self.draft.rule.capabilities


@dataclass(repr=False)
class PressStatePage(OnePressPage, DraftPage):
    """Listens for the press of a state and corrects the rule with it."""

    step = "press_state"
    to_press = "press_this"

    requested: State
    displayed: str
    """The state as the display of the remote control shows it."""
    doubted: Packet | None = None
    """A packet received for it before that contradicted the rule; a second one is accepted."""

    @property
    @override
    def texts(self) -> Mapping[str, str]:
        return {"asked": self.displayed}

    @override
    async def next_page(self, captured: Sequence[Captured]) -> Page:
        """Add the press to the rule. Raise UserError the first time it contradicts the rule."""
        packet, requested = captured[0].packet, self.requested
        rule, in_executor = self.draft.rule, self.hass.async_add_executor_job
        assert isinstance(rule, BitRule)  # noqa: S101 - for mypy: else this was not offered
        words, texts = await async_words(self.hass), await common_texts(self.hass)
        decoded, doubted, self.doubted = await in_executor(rule.decode, packet), self.doubted, None
        is_other_state = decoded is not None and decoded != requested
        if decoded is not None and is_other_state and not _is_same(packet, doubted):
            self.doubted = Packet(packet)
            decoded_text = words.state(decoded)
            raise UserError("looks_like", heard=decoded_text, asked=words.state(requested))
        if (lesson := await self.owner.lesson_of_rule()) is not None:
            press = KeptPress(state=requested, packet=packet, twice=is_other_state)
            lesson = replace(lesson, record=lesson.record.in_place(press))
        changed, device, note = rule, self.device, texts["sent_already"]
        if not await in_executor(_sends, rule, requested, packet):
            changed = await in_executor(_with_press, rule, requested, packet, lesson)
            taught, note = Taught(data=await in_executor(changed.as_data)), texts["state_kept"]
            device = replace(device, rule=taught, capabilities=changed.capabilities.listed)
        note = note.format(state=words.state(requested))
        return self.owner.update_draft(
            self.draft.with_device(device, rule=changed, note=note, lesson=lesson)
        )

    @override
    async def on_failure(self) -> Page:
        choices = ["press_state", "which_state", "back"]
        handlers = {
            "press_state": self._listen_again,
            "which_state": self._choose_state,
            "back": self._back,
        }
        return MenuPage(self.owner, "other_heard", choices, handlers=handlers, problem=self.problem)

    async def _listen_again(self) -> Page:
        """Listen again; the same packet again is accepted."""
        return PressStatePage(self.owner, self.requested, self.displayed, self.doubted)

    async def _choose_state(self) -> Page:
        return WhichStatePage(self.owner)

    async def _back(self) -> Page:
        return self.owner


def _is_same(packet: bytes, doubted: Packet | None) -> bool:
    return doubted is not None and Packet(packet).key == doubted.key


def _with_press(rule: BitRule, state: State, packet: bytes, lesson: Lesson | None) -> BitRule:
    """Return a rule that sends a state as it was pressed. Takes up to a second.

    With all presses of its lesson, the rule is inferred again, which may correct other states, too.
    """
    shipped = KnownAirConditioners.shipped
    inferred = None if lesson is None else Teacher.resume(lesson.record, shipped).rule()
    changed = rule if inferred is None or len(inferred.states) < len(rule.states) else inferred
    others = {other: pressed for other, pressed in changed.pressed.items() if other != state}
    candidates = (
        changed,
        replace(changed, pressed=others),
        replace(changed, pressed={**others, state: bytes(packet)}),
    )
    return next(candidate for candidate in candidates if _sends(candidate, state, packet))


def _sends(rule: BitRule, state: State, packet: bytes) -> bool:
    """Return whether a rule sends this packet for a state, except for bits that change anyway."""
    pressed = rule.pressed.get(state)
    is_pressed = pressed is None or Packet(pressed).key == Packet(packet).key
    return is_pressed and rule.decode(packet) == state
