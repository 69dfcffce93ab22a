"""Teach an air conditioner by some presses of its remote control, and prove their rule."""

from abc import abstractmethod
import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from homeassistant.config_entries import SubentryFlowResult
from homeassistant.const import UnitOfTemperature
from homeassistant.core import callback
from homeassistant.helpers.selector import BooleanSelector
from homeassistant.util.hass_dict import HassKey
import voluptuous as vol

from ..const import DOMAIN
from ..devices.device import Device, Kind, Taught, new_id
from ..errors import UserError, common_texts
from ..hub.ear import Captured
from ..ircodes import MODES, PRESSES, BitRule, Heard, Levels, Off, RefusedError, State, Teacher
from .appliance_step import CONF_UNIT, UNITS, Input, select
from .form import number, out_of_range
from .listening import ListeningStep
from .remote_control import (
    CONF_FANS,
    CONF_HALVES,
    CONF_HIGHEST,
    CONF_LOWEST,
    CONF_MODES,
    CONF_PRESETS,
    CONF_SWINGS,
    FANS,
    LIMITS,
    NOTHING,
    PRESETS,
    SWINGS,
    USUAL,
    USUAL_LIMITS,
    capabilities_of,
    lacks,
    without_colder,
    without_warmer,
)
from .words import words


@dataclass
class Teaching:
    """What is taught of an air conditioner, as far as it is."""

    said: Mapping[str, Any]
    """What its owner says that the remote control has."""
    teacher: Teacher
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """The teacher thinks about one thing at a time."""
    last: Heard = Heard.ACCEPTED
    """What became of the last press."""
    pressed: State | Off | None = None
    """What was asked for then."""
    proven: tuple[BitRule | None, Mapping[str, list[State]]] | None = None
    """The rule and what it lacks of each mode, if they were asked for since."""


DATA_TEACHING: Final[HassKey[dict[str, Teaching]]] = HassKey(f"{DOMAIN}_teaching")
"""Config entry → what was begun there: a dialogue that was closed is gone on with."""

type _Step = Callable[[TeachFlow, Input], Coroutine[None, None, SubentryFlowResult]]


def _lacking(left: Callable[[Levels, State], Levels | None]) -> _Step:
    """Return a step that leaves in the mode that is asked for what `left` says."""

    async def step(self: TeachFlow, _user_input: Input = None) -> SubentryFlowResult:
        teacher = self._teaching.teacher
        if not isinstance(asked := teacher.ask, State):
            return await self._hear_taught()
        levels = left(teacher.capabilities[asked.mode], asked)
        return await self._turn_to(partial(teacher.correct, asked.mode, levels))

    return step


def _value(attribute: str) -> _Step:
    return _lacking(lambda levels, asked: levels.without(attribute, getattr(asked, attribute)))


def _all(attribute: str) -> _Step:
    return _lacking(lambda levels, _asked: levels.without(attribute))


class TeachFlow(ListeningStep):
    """Asks for the presses that a rule is found by, and for those that prove it."""

    _teaching: Teaching

    @abstractmethod
    async def async_step_how(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask how the device comes to its commands."""

    async def async_step_teach(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask what the remote control has; or go on with what was begun before."""
        await self._end_listening()
        if user_input is None and (kept := self._lessons.get(self._entry.entry_id)) is not None:
            self._teaching = kept
            return self.async_show_menu(
                step_id="teach_kept",
                menu_options=["ask_on", "teach_anew", "how"],
                description_placeholders={"number": str(kept.teacher.asked)},
            )
        error: UserError | None = None
        if user_input is not None:
            said = {**NOTHING, **user_input}
            limits = LIMITS[said[CONF_UNIT]]
            error = out_of_range({CONF_LOWEST: limits, CONF_HIGHEST: limits}, said)
            if error is None and (not said[CONF_MODES] or said[CONF_LOWEST] > said[CONF_HIGHEST]):
                error = UserError("nothing_to_teach")
            if error is None:
                try:
                    self._teaching = Teaching(said, Teacher(capabilities_of(said)))
                except RefusedError as err:
                    error = UserError("too_many_states", limit=str(err.reason.values["limit"]))
                else:
                    return await self._hear_taught()
        of_language = await words(self.hass)
        fields: dict[vol.Marker, object] = {
            vol.Required(CONF_MODES): select(MODES, multiple=True, called=of_language.mode),
        }
        for key, options, attribute in (
            (CONF_FANS, FANS, "fan_mode"),
            (CONF_SWINGS, SWINGS, "swing_mode"),
            (CONF_PRESETS, PRESETS, "preset_mode"),
        ):
            called = partial(of_language.level, attribute)
            fields[vol.Optional(key)] = select(options, multiple=True, custom=True, called=called)
        fields |= {
            vol.Required(CONF_LOWEST): number("°"),
            vol.Required(CONF_HIGHEST): number("°"),
            vol.Required(CONF_UNIT): select(UNITS, translation_key="unit"),
            vol.Required(CONF_HALVES): BooleanSelector(),
        }
        return await self._form(
            "teach",
            fields,
            user_input or self._said_before,
            error=error,
            placeholders={"kind": of_language.kind(Kind.AIR_CONDITIONER)},
        )

    async_step_teach_kept = async_step_teach

    async def async_step_teach_anew(self, _user_input: Input = None) -> SubentryFlowResult:
        """Forget what was begun, and ask what the remote control has."""
        self._forget_teaching()
        return await self.async_step_teach()

    @property
    def _lessons(self) -> dict[str, Teaching]:
        return self.hass.data.setdefault(DATA_TEACHING, {})

    @callback
    def _forget_teaching(self) -> None:
        self._lessons.pop(self._entry.entry_id, None)

    @property
    def _said_before(self) -> Mapping[str, Any]:
        """Return what was said of the remote control; at first, what most have."""
        if hasattr(self, "_teaching"):
            return self._teaching.said
        is_metric = self.hass.config.units.temperature_unit == UnitOfTemperature.CELSIUS
        unit = "celsius" if is_metric else "fahrenheit"
        lowest, highest = USUAL_LIMITS[unit]
        return {**USUAL, CONF_LOWEST: lowest, CONF_HIGHEST: highest, CONF_UNIT: unit}

    async def _hear_taught(self, _user_input: Input = None) -> SubentryFlowResult:
        """Let the hub listen, if there is something left to ask for."""
        if self._teaching.teacher.ask is None:
            return await self.async_step_taught()
        return await self._listen("ask", self._take_taught)

    async_step_ask_on = _hear_taught

    async def _take_taught(self, captured: Captured) -> bool:
        """Let the teacher judge what was heard; the page says meanwhile to let go."""
        self._to_do = None
        self.async_notify_flow_changed()
        self._lessons[self._entry.entry_id] = self._teaching
        judge = self.hass.async_create_task(
            self._judge(captured.packet), "irhub: judge a press", eager_start=False
        )
        await asyncio.shield(judge)  # to its end, even if nobody listens any more
        return self._teaching.teacher.ask is not None

    async def _judge(self, packet: bytes) -> None:
        teaching = self._teaching
        async with teaching.turn:
            if (asked := teaching.teacher.ask) is not None:
                heard, teaching.pressed, teaching.proven = teaching.teacher.heard, asked, None
                teaching.last = await self.hass.async_add_executor_job(heard, packet)

    async def async_step_ask(self, _user_input: Input = None) -> SubentryFlowResult:
        """Say what to press next; every press heard leads to the next one."""
        teacher, texts = self._teaching.teacher, await common_texts(self.hass)
        if (asked := teacher.ask) is None:
            return await self.async_step_taught()
        options = ["no_such_button", *(["ask_back"] if teacher.can_go_back else []), "taught"]
        if self._session is None:
            page, options = "ask_stopped", ["ask_on", *options]
        elif self._to_do is None:
            page, options = "ask_let_go", ["taught"]
        else:
            page = {
                Heard.ACCEPTED: "ask_same" if asked == self._teaching.pressed else "ask",
                Heard.CONTRADICTS: "ask_again",
                Heard.UNREADABLE: "ask_unreadable",
            }[self._teaching.last]
        return self.async_show_menu(
            step_id=page,
            menu_options=options,
            description_placeholders={
                "asked": (await words(self.hass)).state(asked),
                "number": str(teacher.asked + 1),
                "most": str(PRESSES),
                "left": str(teacher.left),
                "seconds": str(self._seconds_left()),
                "problem": await self._problem_text("ask"),
                "kept": texts["heard_before_kept"] if teacher.asked else "",
            },
        )

    async_step_ask_stopped = async_step_ask_let_go = async_step_ask
    async_step_ask_same = async_step_ask_again = async_step_ask_unreadable = async_step_ask

    async def async_step_no_such_button(self, _user_input: Input = None) -> SubentryFlowResult:
        """Ask what of a state its mode does not have: that is not asked for again."""
        teacher = self._teaching.teacher
        if not isinstance(asked := teacher.ask, State):
            return await self._turn_to(teacher.skip)
        await self._end_listening()
        of_language = await words(self.hass)
        return self.async_show_menu(
            step_id="lacks",
            menu_options=lacks(teacher.capabilities, asked),
            description_placeholders={
                "asked": of_language.state(asked),
                "mode": of_language.mode(asked.mode),
                "degrees": "" if asked.temperature is None else f"{asked.temperature:g}°",
                "fan": of_language.level("fan_mode", asked.fan or ""),
                "swing": of_language.level("swing_mode", asked.swing or ""),
                "preset": of_language.level("preset_mode", asked.preset or ""),
            },
        )

    async_step_lacks = async_step_no_such_button
    async_step_no_temperatures = _all("temperature")
    async_step_no_colder, async_step_no_warmer = (
        _lacking(without_colder),
        _lacking(without_warmer),
    )
    async_step_no_fans, async_step_no_fan = _all("fan"), _value("fan")
    async_step_no_swings, async_step_no_swing = _all("swing"), _value("swing")
    async_step_no_presets, async_step_no_preset = _all("preset"), _value("preset")
    async_step_no_mode = _lacking(lambda _levels, _asked: None)

    async def async_step_not_together(self, _user_input: Input = None) -> SubentryFlowResult:
        """Leave one state out."""
        return await self._turn_to(self._teaching.teacher.skip)

    async def async_step_ask_back(self, _user_input: Input = None) -> SubentryFlowResult:
        """Ask for the last press once more."""
        return await self._turn_to(self._teaching.teacher.back)

    async def _turn_to(self, turn: Callable[[], None]) -> SubentryFlowResult:
        teaching = self._teaching
        if not self._is_double_click():
            async with teaching.turn:
                await self.hass.async_add_executor_job(turn)
                teaching.last, teaching.pressed, teaching.proven = Heard.ACCEPTED, None, None
        self._extend()
        return await (self.async_step_ask() if self._session is not None else self._hear_taught())

    async def async_step_taught(self, _user_input: Input = None) -> SubentryFlowResult:
        """Show the air conditioner, if there are states that are proven."""
        await self._end_listening()
        teacher = self._teaching.teacher
        rule, missing = await self._proven()
        on = [] if teacher.ask is None else ["ask_on"]
        if rule is None or not rule.states:
            return self.async_show_menu(
                step_id="not_taught", menu_options=[*on, "teach_anew", "which_file", "how"]
            )
        if on:
            return self.async_show_menu(
                step_id="taught_in_part",
                menu_options=[*on, "take_taught"],
                description_placeholders={
                    "proven": str(len(rule.states)),
                    "open": str(sum(map(len, missing.values()))),
                    "left": str(teacher.left),
                },
            )
        return await self._take_rule(rule, missing)

    async_step_not_taught = async_step_taught_in_part = async_step_taught

    async def async_step_take_taught(self, _user_input: Input = None) -> SubentryFlowResult:
        """Show the air conditioner with what is proven so far."""
        rule, missing = await self._proven()
        assert rule is not None  # noqa: S101 - for mypy: else this was not offered
        return await self._take_rule(rule, missing)

    async def _proven(self) -> tuple[BitRule | None, Mapping[str, list[State]]]:
        """Return the rule, and what is not proven of each mode.

        A page that changes is asked for several times: it is found out once.
        """
        teaching = self._teaching
        async with teaching.turn:
            if teaching.proven is None:
                teaching.proven = (
                    await self.hass.async_add_executor_job(teaching.teacher.rule),
                    await self.hass.async_add_executor_job(teaching.teacher.open),
                )
            return teaching.proven

    async def _take_rule(
        self, rule: BitRule, missing: Mapping[str, list[State]]
    ) -> SubentryFlowResult:
        of_language, texts = await words(self.hass), await common_texts(self.hass)
        device = await self._device_of(rule)
        if rule is self._rule:
            return await self.async_step_ready()
        self._rule = rule
        if missing:
            modes = ", ".join(
                f"{of_language.mode(mode)} ({len(states)})" for mode, states in missing.items()
            )
            self._note = texts["not_proven"].format(modes=modes)
        return await self._show_device(device)

    async def _device_of(self, rule: BitRule) -> Device:
        data = await self.hass.async_add_executor_job(rule.as_data)
        return Device(
            id=new_id(str(self._entry.runtime_data.settings.mac)),
            name=self._free((await words(self.hass)).kind(Kind.AIR_CONDITIONER)),
            kind=Kind.AIR_CONDITIONER,
            rule=Taught(data=data),
            capabilities=rule.capabilities.listed,
        )
