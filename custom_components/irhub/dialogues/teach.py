"""Teach an air conditioner with some presses of its remote control, and prove their rule."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import Any, Final, override

from homeassistant.const import UnitOfTemperature
from homeassistant.core import callback
import voluptuous as vol

from ..devices.device import Device, Taught
from ..devices.kinds import Kind
from ..devices.lessons import Lesson
from ..errors import UserError, common_texts
from ..hub.learning import Captured
from ..ircodes import BitRule, Levels, Off, RefusedError, State, Teacher, Verdict
from ..ircodes.known import KnownAirConditioners
from ..ircodes.states import MODES
from ..ircodes.teaching import PRESSES
from .draft import CreatorPage, Draft, SourcePage
from .form import number, out_of_range, select
from .functions import CONF_UNIT, UNITS
from .listening import PressesPage
from .page import Answers, MenuPage, Page, Shown, option
from .remote_control import (
    CONF_FANS,
    CONF_HIGHEST,
    CONF_LOWEST,
    CONF_MODES,
    CONF_PRESETS,
    CONF_STEP,
    CONF_SWINGS,
    FANS,
    LIMITS,
    NOTHING,
    PRESETS,
    STEPS,
    SWINGS,
    USUAL,
    USUAL_LIMITS,
    capabilities_of,
    missing_level_options,
    temperatures_of,
    without_colder,
    without_warmer,
)
from .teaching import Missing, Teaching, async_resume
from .words import Words, async_words

REFRESH_S: Final = 60
"""Interval, in seconds, at which an open page is refreshed."""
ABANDONED_S: Final = 600
"""Seconds without a refresh after which the page counts as closed, as after a browser crash."""

type Leave = Callable[[Levels, State], Levels | None]
"""Returns the remaining levels of a mode; None if the mode does not exist at all."""


@dataclass(repr=False)
class TeachingPage(SourcePage):
    """A page with the progress of teaching."""

    teaching: Teaching

    @property
    def teacher(self) -> Teacher:
        """Return the teacher, which has all presses so far."""
        return self.teaching.teacher

    async def change_question(self, change: Callable[[], None]) -> None:
        """Call `change`, which makes the teacher ask for another press."""
        await self.teaching.change_question(self.hass, change)

    @option
    async def teach_anew(self) -> Page:
        """Start again; the first press of the new lesson replaces this one."""
        return ModesAndLevelsPage(self, self.teaching.answers)

    @option
    async def ask_on(self) -> Page:
        """Ask for the next press."""
        return AskPressPage(self, self.teaching)


async def begin_teaching(before: CreatorPage) -> Page:
    """Return the first page of a lesson, or the offer to continue an unfinished one."""
    lesson = await before.saved_lesson()
    return ModesAndLevelsPage(before) if lesson is None else UnfinishedLessonPage(before, lesson)


async def continue_lesson(creator: CreatorPage, lesson: Lesson) -> Page:
    """Return the page that asks for the next press of a saved lesson."""
    return AskPressPage(creator, await async_resume(creator.hass, lesson, creator.lesson_for))


@dataclass(repr=False)
class UnfinishedLessonPage(SourcePage):
    """Asks whether to continue an unfinished lesson."""

    lesson: Lesson

    @override
    async def show(self) -> Shown:
        options = ["ask_on", "teach_anew", "how"]
        return self.menu("teach_kept", options, number=str(self.lesson.record.asked))

    @option
    async def ask_on(self) -> Page:
        """Continue with the next press."""
        return await continue_lesson(self.creator, self.lesson)

    @option
    async def teach_anew(self) -> Page:
        """Start again; the first press of the new lesson replaces the old one."""
        return ModesAndLevelsPage(self, self.lesson.answers)


class ModesAndLevelsPage(SourcePage):
    """Asks for the modes and levels of the remote control."""

    def __init__(
        self, before: CreatorPage | SourcePage, answers: Mapping[str, Any] = MappingProxyType({})
    ) -> None:
        """Prefill the form with earlier `answers`."""
        super().__init__(before)
        self._earlier_answers = answers

    @override
    async def show(self) -> Shown:
        words = await async_words(self.hass)
        fields: dict[vol.Marker, object] = {
            vol.Required(CONF_MODES): select(
                MODES, multiple=True, custom=True, label_of=words.mode
            ),
        }
        for key, options, attribute in (
            (CONF_FANS, FANS, "fan_mode"),
            (CONF_SWINGS, SWINGS, "swing_mode"),
            (CONF_PRESETS, PRESETS, "preset_mode"),
        ):
            label_of = partial(words.level, attribute)
            fields[vol.Optional(key)] = select(
                options, multiple=True, custom=True, label_of=label_of
            )
        fields |= {
            vol.Required(CONF_LOWEST): number("°"),
            vol.Required(CONF_HIGHEST): number("°"),
            vol.Required(CONF_UNIT): select(UNITS, translation_key="unit"),
            vol.Required(CONF_STEP): select(STEPS, label_of=_degrees_text),
        }
        suggested = None if self.answers is not None else self._earlier_answers or self._usual
        return await self.form("teach", fields, suggested, kind=words.kind(Kind.AIR_CONDITIONER))

    @override
    async def submit(self, answers: Answers) -> Page:
        complete = {**NOTHING, **answers}
        limits = LIMITS[complete[CONF_UNIT]]
        if error := out_of_range({CONF_LOWEST: limits, CONF_HIGHEST: limits}, complete):
            raise error
        if not complete[CONF_MODES] or complete[CONF_LOWEST] > complete[CONF_HIGHEST]:
            raise UserError("nothing_to_teach")
        try:
            teacher = Teacher(capabilities_of(complete), KnownAirConditioners.shipped)
            return AskPressPage(self, Teaching(complete, teacher, self.creator.lesson_for))
        except RefusedError as err:
            limit = str(err.reason.values["limit"])
            raise UserError("too_many_states", limit=limit) from err

    @property
    def _usual(self) -> Mapping[str, Any]:
        """Return the defaults: levels that most remote controls have."""
        is_metric = self.hass.config.units.temperature_unit == UnitOfTemperature.CELSIUS
        unit = "celsius" if is_metric else "fahrenheit"
        lowest, highest = USUAL_LIMITS[unit]
        return {**USUAL, CONF_LOWEST: lowest, CONF_HIGHEST: highest, CONF_UNIT: unit}


@dataclass(repr=False)
class AskPressPage(TeachingPage, PressesPage):
    """Shows which state to press next; each received press leads to the next one.

    The hub listens as long as the page is open, so there is no time limit for a press.
    """

    _refreshed_at: float = field(default=0.0, init=False)
    """When the page was last refreshed, in event loop time."""

    @override
    async def enter(self) -> None:
        if self.teacher.ask is not None:
            await super().enter()

    @override
    async def handle_press(self, captured: Sequence[Captured]) -> bool:
        """Let the teacher judge a press; meanwhile the page asks to release the button."""
        [press] = captured
        self.to_do = None
        self.flow.async_notify_flow_changed()
        judge = self.hass.async_create_task(
            self.teaching.judge(self.hass, press.packet), "irhub: judge a press", eager_start=False
        )
        await asyncio.shield(judge)  # must complete even if listening is cancelled
        return self.teacher.ask is not None

    @override
    async def show_next(self) -> Shown | Page:
        self._refreshed_at = asyncio.get_running_loop().time()
        teacher, texts, doubt = self.teacher, await common_texts(self.hass), self.teaching.doubt
        words = await async_words(self.hass)
        if (requested := teacher.ask) is None:
            return await self.taught()
        options = ["no_such_button", *(["ask_back"] if teacher.can_go_back else []), "taught"]
        if not self.is_listening:
            page, options = "ask_stopped", ["ask_on", *options]
        elif self.to_do is None:
            page, options = "ask_let_go", ["taught"]
        else:
            page = self._page(requested)
        return self.menu(
            page,
            options,
            asked=words.display(requested),
            change=self._change(words, requested),
            how=words.lesson_how(requested),
            doubt="" if doubt is None else words.doubt(doubt),
            number=str(teacher.asked + 1),
            most=str(PRESSES),
            left=str(teacher.left),
            kept=texts["heard_before_kept"] if teacher.asked else "",
        )

    def _page(self, requested: State | Off) -> str:
        """Return the step that asks for a press, depending on the verdict on the last one."""
        if self.teaching.last_verdict is Verdict.UNREADABLE:
            return "ask_unreadable"
        if self.teaching.doubt is not None:
            return "ask_again"
        return "ask_same" if requested == self.teaching.pressed else "ask"

    def _change(self, words: Words, requested: State | Off) -> str:
        """Return the changes of the display for the next press, and how many keys they take.

        If the last press is to be repeated, return what to do if the display shows it already.
        """
        teacher, doubt = self.teacher, self.teaching.doubt
        if isinstance(requested, Off):
            return ""
        if self.teaching.last_verdict is Verdict.UNREADABLE or (
            doubt is not None and doubt.number == teacher.asked
        ):
            return words.lesson_same()  # the display shows what was pressed, whatever that was
        if (displayed := teacher.shown) is None:
            return ""
        changes = words.changes(displayed, requested, was_off=teacher.is_off)
        return words.lesson_change(changes, teacher.keys) if changes else ""

    @callback
    @override
    def _count_down(self, now: datetime) -> None:
        """Refresh the page at intervals; a refresh proves that it is open in a browser."""
        if asyncio.get_running_loop().time() - self._refreshed_at >= REFRESH_S:
            super()._count_down(now)

    @override
    def _keeps_waiting(self) -> bool:
        return asyncio.get_running_loop().time() - self._refreshed_at < ABANDONED_S

    @option
    @override
    async def ask_on(self) -> Page:
        """Continue listening."""
        if not self.is_listening:
            self.teaching = await self.teaching.latest(self.hass)
            self.listen()
        return self

    @option
    async def ask_back(self) -> Page:
        """Ask for the last press again."""
        return await self.change_button(partial(self.change_question, self.teacher.back))

    @option
    async def no_such_button(self) -> Page:
        """Ask which level of the state does not exist in its mode, or whether `off` is missing."""
        if isinstance(requested := self.teacher.ask, State):
            return MissingLevelPage(self, requested)
        handlers = {"ask_on": self._ask_same, "without_off": self._without_off}
        return MenuPage(self, "lacks_off", [*handlers], handlers=handlers)

    async def _ask_same(self) -> Page:
        """Ask for the same state again."""
        return self

    async def _without_off(self) -> Page:
        """Continue without `off`."""
        await self.change_question(self.teacher.skip)
        return self

    @option
    async def taught(self) -> Page:
        """Return the page of the air conditioner, or one that lists what is not proven."""
        rule, missing = await self.teaching.proven(self.hass)
        if self.teacher.ask is None and rule is not None and rule.states:
            return await self.take_rule(rule, missing)
        return UnprovenPage(self, rule, missing)

    async def take_rule(self, rule: BitRule, missing: Missing) -> Page:
        """Return the page of the air conditioner with the proven states."""
        words, texts = await async_words(self.hass), await common_texts(self.hass)
        notes: list[str] = []
        if (protocol := self.teacher.known) is not None:
            notes.append(texts["known_protocol"].format(protocol=protocol.name))
        if missing:
            modes = ", ".join(
                f"{words.mode(mode)} ({len(states)})" for mode, states in missing.items()
            )
            notes.append(texts["not_proven"].format(modes=modes))
        note = "\n\n".join(notes)
        data = await self.hass.async_add_executor_job(rule.as_data)
        device = Device(
            id=self.new_id(),
            name=self.creator.unused_name(words.kind(Kind.AIR_CONDITIONER)),
            kind=Kind.AIR_CONDITIONER,
            rule=Taught(data=data),
            capabilities=rule.capabilities.listed,
        )
        lesson = self.teaching.lesson
        return await self.creator.accept(Draft(device=device, rule=rule, note=note, lesson=lesson))


def _degrees_text(step: str) -> str:
    return f"{step}°"


def _without_all(attribute: str) -> Leave:
    return lambda levels, _requested: levels.without(attribute)


def _without(attribute: str) -> Leave:
    return lambda levels, requested: levels.without(attribute, getattr(requested, attribute))


_REMAINING: Final[Mapping[str, Leave]] = {
    "no_mode": lambda _levels, _requested: None,
    "no_colder": without_colder,
    "no_warmer": without_warmer,
    "no_temperatures": _without_all("temperature"),
    **{f"no_{attribute}s": _without_all(attribute) for attribute in ("fan", "swing", "preset")},
    **{f"no_{attribute}": _without(attribute) for attribute in ("fan", "swing", "preset")},
}
"""Menu option for a missing level → function that returns the remaining levels of the mode."""


@dataclass(repr=False)
class ModeTemperaturesPage(TeachingPage):
    """Asks which temperatures a mode has: other limits, another step, or a single one."""

    ask: AskPressPage
    mode: str

    @override
    async def show(self) -> Shown:
        temperatures = self.teacher.capabilities[self.mode].temperatures
        fields: dict[vol.Marker, object] = {
            vol.Required(CONF_LOWEST): number("°"),
            vol.Required(CONF_HIGHEST): number("°"),
            vol.Required(CONF_STEP): select(STEPS, label_of=_degrees_text),
        }
        step = temperatures[1] - temperatures[0] if len(temperatures) > 1 else 1
        limits = {CONF_LOWEST: temperatures[0], CONF_HIGHEST: temperatures[-1]}
        mode = (await async_words(self.hass)).mode(self.mode)
        return await self.form(
            "mode_temperatures", fields, {**limits, CONF_STEP: f"{step:g}"}, mode=mode
        )

    @override
    async def submit(self, answers: Answers) -> Page:
        levels = self.teacher.capabilities[self.mode]
        all_temperatures = self.teacher.capabilities.levels.temperatures
        limits = dict.fromkeys(
            (CONF_LOWEST, CONF_HIGHEST), (min(all_temperatures), max(all_temperatures))
        )
        if error := out_of_range(limits, answers):
            raise error
        if answers[CONF_LOWEST] > answers[CONF_HIGHEST]:
            raise UserError("nothing_to_teach")
        levels = replace(levels, temperatures=temperatures_of(answers))
        await self.change_question(partial(self.teacher.correct, self.mode, levels))
        return self.ask


class MissingLevelPage(TeachingPage):
    """Asks which level of a state does not exist in its mode; it will not be requested again."""

    def __init__(self, before: AskPressPage, requested: State) -> None:
        super().__init__(before, before.teaching)
        self._ask = before
        self._requested = requested

    @override
    async def show(self) -> Shown:
        requested, words = self._requested, await async_words(self.hass)
        return self.menu(
            "lacks",
            missing_level_options(self.teacher.capabilities, requested),
            asked=words.display(requested),
            mode=words.mode(requested.mode),
            degrees="" if requested.temperature is None else f"{requested.temperature:g}°",
            fan=words.level("fan_mode", requested.fan or ""),
            swing=words.level("swing_mode", requested.swing or ""),
            preset=words.level("preset_mode", requested.preset or ""),
        )

    @override
    async def choose(self, chosen: str) -> Page:
        if (remaining := _REMAINING.get(chosen)) is None:
            return await super().choose(chosen)
        mode = self._requested.mode
        levels = remaining(self.teacher.capabilities[mode], self._requested)
        await self.change_question(partial(self.teacher.correct, mode, levels))
        return self._ask

    @option
    @override
    async def ask_on(self) -> Page:
        """Ask for the state again."""
        return self._ask

    @option
    async def other_temperatures(self) -> Page:
        """Ask which temperatures the mode has."""
        return ModeTemperaturesPage(self, self.teaching, self._ask, self._requested.mode)

    @option
    async def not_together(self) -> Page:
        """Skip this state."""
        await self.change_question(self.teacher.skip)
        return self._ask


class UnprovenPage(TeachingPage):
    """Reports that nothing is proven yet, or which states are not."""

    def __init__(self, before: AskPressPage, rule: BitRule | None, missing: Missing) -> None:
        super().__init__(before, before.teaching)
        self._ask = before
        self._rule = rule
        self._missing = missing

    @override
    async def show(self) -> Shown:
        continue_options = [] if self.teacher.ask is None else ["ask_on"]
        if self._rule is None or not self._rule.states:
            return self.menu(
                "not_taught", [*continue_options, "teach_anew", *self.creator.alternative_options]
            )
        return self.menu(
            "taught_in_part",
            [*continue_options, "take_taught"],
            proven=str(len(self._rule.states)),
            open=str(sum(map(len, self._missing.values()))),
            left=str(self.teacher.left),
        )

    @option
    @override
    async def ask_on(self) -> Page:
        """Ask for the next press."""
        return self._ask

    @option
    async def take_taught(self) -> Page:
        """Return the page of the air conditioner with the states proven so far."""
        assert self._rule is not None  # noqa: S101 - for mypy: else this was not offered
        return await self._ask.take_rule(self._rule, self._missing)
