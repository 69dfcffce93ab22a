"""Teach an air conditioner by some presses of its remote control, and prove their rule."""

from abc import abstractmethod
import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from homeassistant.config_entries import SubentryFlowResult
from homeassistant.helpers.selector import BooleanSelector
import voluptuous as vol

from ..codes.state import MODES
from ..devices.device import Device, Kind, Taught, new_id
from ..errors import UserError, common_texts
from ..hub.ear import Captured
from ..teaching.remote import Has, Remote
from ..teaching.rule import TaughtRule
from ..teaching.teacher import Heard, Teacher
from .appliance_step import CONF_UNIT, UNITS, Input, select
from .form import number, out_of_range, sentence
from .listening import ListeningStep
from .words import words

CONF_FANS: Final = "fans"
CONF_HALVES: Final = "halves"
CONF_HIGHEST: Final = "highest"
CONF_LOWEST: Final = "lowest"
CONF_MODES: Final = "modes"
CONF_SWINGS: Final = "swings"

LIMITS: Final = {"celsius": (5.0, 40.0), "fahrenheit": (40.0, 105.0)}
USUAL: Final[Mapping[str, Any]] = {
    CONF_MODES: ["cool", "heat", "dry", "fan_only", "auto"],
    CONF_FANS: ["auto", "low", "medium", "high"],
    CONF_SWINGS: [],
    CONF_LOWEST: 16.0,
    CONF_HIGHEST: 30.0,
    CONF_HALVES: False,
    CONF_UNIT: "celsius",
}
"""What most remote controls have."""
_FANS: Final = ("auto", "quiet", "low", "medium", "high", "turbo")
_SWINGS: Final = ("off", "on", "vertical", "horizontal", "both")


class TeachFlow(ListeningStep):
    """Asks for the presses that a rule is found by, and for those that prove it."""

    _teacher: Teacher
    _turn: asyncio.Lock
    """The teacher thinks about one thing at a time."""
    _last = Heard.ACCEPTED
    """What became of the last press."""
    _said_of_remote: Mapping[str, Any] = USUAL
    """What its owner says that the remote control has."""

    @abstractmethod
    async def async_step_how(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask how the device comes to its commands."""

    async def async_step_teach(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask what the remote control has."""
        await self._end_listening()
        error: UserError | None = None
        if user_input is not None:
            self._said_of_remote = said = {
                **USUAL,
                CONF_FANS: [],
                **user_input,
            }
            limits = LIMITS[said[CONF_UNIT]]
            error = out_of_range({CONF_LOWEST: limits, CONF_HIGHEST: limits}, said)
            if error is None and (not said[CONF_MODES] or said[CONF_LOWEST] > said[CONF_HIGHEST]):
                error = UserError("nothing_to_teach")
            if error is None:
                self._teacher, self._turn = Teacher(_remote(said)), asyncio.Lock()
                self._last = Heard.ACCEPTED
                return await self._hear_taught()
        of_language = await words(self.hass)
        fields: dict[vol.Marker, object] = {
            vol.Required(CONF_MODES): select(MODES, multiple=True, translation_key="mode"),
            vol.Optional(CONF_FANS): select(
                _FANS, multiple=True, custom=True, called=partial(of_language.level, "fan_mode")
            ),
            vol.Optional(CONF_SWINGS): select(
                _SWINGS, multiple=True, custom=True, called=partial(of_language.level, "swing_mode")
            ),
            vol.Required(CONF_LOWEST): number("°"),
            vol.Required(CONF_HIGHEST): number("°"),
            vol.Required(CONF_UNIT): select(UNITS, translation_key="unit"),
            vol.Required(CONF_HALVES): BooleanSelector(),
        }
        return await self._form(
            "teach",
            fields,
            user_input or self._said_of_remote,
            error=error,
            placeholders={"kind": of_language.kind(Kind.AIR_CONDITIONER)},
        )

    async def _hear_taught(self, _user_input: Input = None) -> SubentryFlowResult:
        """Let the hub listen, if there is something left to ask for."""
        if self._teacher.ask is None:
            return await self.async_step_taught()
        return await self._listen("ask", self._take_taught)

    async_step_ask_on = _hear_taught

    async def _take_taught(self, captured: Captured) -> bool:
        """Let the teacher judge what was heard; the page says meanwhile to let go."""
        self._to_do = None
        self.async_notify_flow_changed()
        async with self._turn:
            if self._teacher.ask is not None:
                heard = self._teacher.heard
                self._last = await self.hass.async_add_executor_job(heard, captured.packet)
        return self._teacher.ask is not None

    async def async_step_ask(self, _user_input: Input = None) -> SubentryFlowResult:
        """Say what to press next; every press heard leads to the next one."""
        if (asked := self._teacher.ask) is None:
            return await self.async_step_taught()
        options = ["no_such_button", *(["ask_back"] if self._teacher.asked else []), "taught"]
        if self._session is None:
            page, options = "ask_stopped", ["ask_on", *options]
        elif self._to_do is None:
            page, options = "ask_let_go", ["taught"]
        else:
            page = {
                Heard.ACCEPTED: "ask",
                Heard.CONTRADICTS: "ask_again",
                Heard.UNREADABLE: "ask_unreadable",
            }[self._last]
        return self.async_show_menu(
            step_id=page,
            menu_options=options,
            description_placeholders={
                "asked": (await words(self.hass)).state(asked),
                "number": str(self._teacher.asked + 1),
                "left": str(self._teacher.left),
                "seconds": str(self._seconds_left()),
                "problem": ""
                if self._problem is None
                else await sentence(self.hass, self._problem),
            },
        )

    async_step_ask_stopped = async_step_ask_let_go = async_step_ask
    async_step_ask_again = async_step_ask_unreadable = async_step_ask

    async def async_step_no_such_button(self, _user_input: Input = None) -> SubentryFlowResult:
        """Leave a state out that the remote control does not have."""
        return await self._turn_to(self._teacher.skip)

    async def async_step_ask_back(self, _user_input: Input = None) -> SubentryFlowResult:
        """Ask for the last press once more."""
        return await self._turn_to(self._teacher.back)

    async def _turn_to(self, turn: Callable[[], None]) -> SubentryFlowResult:
        if not self._is_double_click():
            async with self._turn:
                await self.hass.async_add_executor_job(turn)
                self._last = Heard.ACCEPTED
        self._extend()
        return await (self.async_step_ask() if self._session is not None else self._hear_taught())

    async def async_step_taught(self, _user_input: Input = None) -> SubentryFlowResult:
        """Show the air conditioner, if there are states that are proven."""
        await self._end_listening()
        async with self._turn:
            rule = await self.hass.async_add_executor_job(self._teacher.rule)
            missing = await self.hass.async_add_executor_job(self._teacher.open)
        if rule is None or not rule.states:
            return self.async_show_menu(
                step_id="not_taught", menu_options=["teach", "which_file", "how"]
            )
        self._rule = rule
        if missing:
            of_language, texts = await words(self.hass), await common_texts(self.hass)
            modes = ", ".join(
                f"{of_language.mode(mode)} ({len(states)})" for mode, states in missing.items()
            )
            self._note = texts["not_proven"].format(modes=modes)
        return await self._show_device(await self._device_of(rule))

    async_step_not_taught = async_step_taught

    async def _device_of(self, rule: TaughtRule) -> Device:
        data = await self.hass.async_add_executor_job(rule.as_data)
        return Device(
            id=new_id(str(self._entry.runtime_data.settings.mac)),
            name=self._free((await words(self.hass)).kind(Kind.AIR_CONDITIONER)),
            kind=Kind.AIR_CONDITIONER,
            rule=Taught(data=data),
            levels=rule.levels,
        )


def _remote(said: Mapping[str, Any]) -> Remote:
    """Return what its owner says that the remote control has."""
    step = 0.5 if said[CONF_HALVES] else 1.0
    count = int((said[CONF_HIGHEST] - said[CONF_LOWEST]) / step) + 1
    has = Has(
        fans=tuple(said[CONF_FANS]),
        swings=tuple(said[CONF_SWINGS]),
        temperatures=[said[CONF_LOWEST] + number * step for number in range(count)],
    )
    return dict.fromkeys(said[CONF_MODES], has)
