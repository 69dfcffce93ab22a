"""Learn a whole remote control: press after press, each kept under the name that is shown."""

import asyncio
from collections.abc import Iterable
from datetime import datetime, timedelta
from math import ceil
from typing import Any, Final, override

from homeassistant.config_entries import ConfigFlowResult
from homeassistant.const import CONF_DEVICE
from homeassistant.core import callback
from homeassistant.helpers.event import async_track_time_interval
from homeassistant.helpers.selector import (
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
import voluptuous as vol

from ..codes.presses import Recognizer
from ..codes.protocols import learned
from ..devices.store import Devices
from ..errors import IrhubError, NoSignalError, UserError, list_names
from ..hub.ear import LEARN_WINDOW_S, Captured, Step
from ..hub.hub import Hub
from .form import common_texts, show_form
from .learn import CONF_ALTERNATIVE, LearnFlow, describe_heard, each_once
from .lesson import FUNCTIONS_OF_BUTTONS, TEMPLATES, Lesson
from .step import dropdown

CONF_TEMPLATE: Final = "template"
CONF_COMMANDS: Final = "commands"
COUNTDOWN: Final = timedelta(seconds=5)
"""How often the seconds left are shown anew: more often, the page would flicker."""


class LearnRemoteFlow(LearnFlow):
    """Learns the buttons of a remote control one after the other."""

    _lesson: Lesson
    _hearing: asyncio.Task[None] | None = None
    _readiness: asyncio.Task[object] | None = None

    @callback
    @override
    def async_remove(self) -> None:
        """Stop listening with the dialogue."""
        if self._hearing is not None:
            self._hearing.cancel()

    async def async_step_learn_remote(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask what the remote control is for."""
        error: UserError | None = None
        if user_input is not None:
            device = user_input.get(CONF_DEVICE, "").strip()
            template = user_input.get(CONF_TEMPLATE)
            if not device and template is None:
                return await self.async_step_init()
            if device and template is not None:
                self._wanted = {**user_input, CONF_DEVICE: device}
                names = await self._names_of(template)
                self._lesson = Lesson(
                    device=device,
                    names=names,
                    kind=TEMPLATES[template].kind,
                    functions={
                        name: function
                        for name, button in zip(names, TEMPLATES[template].buttons, strict=True)
                        if (function := FUNCTIONS_OF_BUTTONS.get(button)) is not None
                    },
                )
                return await self.async_step_names()
            error = UserError("no_template" if device else "empty_name")
        fields: dict[vol.Marker, object] = {
            vol.Optional(CONF_DEVICE): self._device_selector(),
            vol.Optional(CONF_TEMPLATE): SelectSelector(
                SelectSelectorConfig(
                    options=[*TEMPLATES],
                    mode=SelectSelectorMode.LIST,
                    translation_key="template",
                )
            ),
            **self._kind_fields(),
        }
        return await show_form(self, "learn_remote", vol.Schema(fields), user_input, error=error)

    async def async_step_names(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask which buttons it has."""
        await self._end_hearing()
        lesson = self._lesson
        if user_input is not None:
            names = dict.fromkeys(name.strip() for name in user_input.get(CONF_COMMANDS, []))
            lesson.names = [name for name in names if name]
            lesson.go_to(0)
            if not lesson.names:
                return await self.async_step_learn_remote()
            return await (self.async_step_names_taken() if self._taken else self._hear())
        usual = await self._names_of(self._wanted[CONF_TEMPLATE])
        options = [*dict.fromkeys([*usual, *lesson.names])]
        return await show_form(
            self,
            "names",
            vol.Schema({vol.Optional(CONF_COMMANDS): dropdown(options, multiple=True)}),
            {CONF_COMMANDS: lesson.names},
            placeholders={"device": lesson.device},
        )

    async def _names_of(self, template: str) -> list[str]:
        """Return how the buttons of a template are called in Home Assistant's language."""
        texts = await common_texts(self.hass)
        return [texts[f"name_{button}"] for button in TEMPLATES[template].buttons]

    @property
    def _taken(self) -> list[str]:
        """Return which names there are already."""
        there = self._devices.known(self._lesson.device)
        if there is None:
            return []
        return [name for name in self._lesson.names if there.named(name) is not None]

    async def async_step_names_taken(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask before commands are replaced."""
        some_are_new = len(self._taken) < len(self._lesson.names)
        return self.async_show_menu(
            step_id="names_taken",
            menu_options=["replace", *(["only_new"] if some_are_new else []), "names", "init"],
            description_placeholders={
                "device": self._lesson.device,
                "commands": list_names(self._taken),
            },
        )

    async def async_step_only_new(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Learn what is not there."""
        taken = self._taken
        self._lesson.names = [name for name in self._lesson.names if name not in taken]
        return await self._hear()

    async def _hear(self, _user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Let the hub listen.

        A page of progress comes first: from that on, the frontend shows each change at once.
        """
        await self._end_hearing()
        hub, devices, frequency = self._hub, self._devices, self._frequency
        ready = asyncio.Event()
        self._problem = self._lesson.step = None
        self._readiness = self.hass.async_create_background_task(
            ready.wait(), f"irhub: wait for {hub.label}", eager_start=False
        )
        self._hearing = self.hass.async_create_background_task(
            self._listen_for_all(hub, devices, frequency, ready),
            f"irhub: learn a remote control with {hub.label}",
            eager_start=False,
        )
        return await self.async_step_hear()

    async_step_replace = async_step_hear_on = _hear

    async def async_step_hear(self, _user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Wait until the hub listens."""
        if self._readiness is None or self._readiness.done():
            return self.async_show_progress_done(next_step_id="press")
        return self.async_show_progress(
            step_id="hear", progress_action="connect", progress_task=self._readiness
        )

    async def _end_hearing(self) -> None:
        """Stop listening, and wait until another session can begin."""
        hearing, self._hearing = self._hearing, None
        if hearing is not None:
            hearing.cancel()
            await asyncio.wait({hearing})

    async def _listen_for_all(
        self, hub: Hub, devices: Devices, frequency: float | None, ready: asyncio.Event
    ) -> None:
        """Keep press after press until the last name has its command, or nobody presses."""
        lesson = self._lesson

        @callback
        def ask(step: Step) -> None:
            lesson.step = step
            self._extend()
            ready.set()
            self.async_notify_flow_changed()

        end_countdown = async_track_time_interval(self.hass, self._count_down, COUNTDOWN)
        try:
            async with hub.learn() as session:
                while lesson.name is not None:
                    try:
                        [captured] = await session.capture(
                            ask, command_type=self._command_type, frequency=frequency
                        )
                    except NoSignalError:
                        if self._seconds_left():  # another name was chosen meanwhile
                            continue
                        raise
                    if captured.frequency is not None:
                        frequency = captured.frequency
                        self._found = lesson.device, frequency
                    await self._take(captured, devices)
                    lesson.step = None
                    self.async_notify_flow_changed()
        except IrhubError as err:
            self._problem, self._found = err, None
        finally:
            end_countdown()
            ready.set()
            self._hearing = None
            self.async_notify_flow_changed()

    async def _take(self, captured: Captured, devices: Devices) -> None:
        """Keep what was heard under the name that is shown.

        A button that is held too long, or pressed twice, is not the next one.
        """
        lesson, name = self._lesson, str(self._lesson.name)
        others = [each for each in lesson.done.items() if each[0] != name]
        lesson.repeated = await self.hass.async_add_executor_job(_which, others, captured.packet)
        if lesson.repeated:
            return
        lesson.heard = f"\N{CHECK MARK} {name} · {describe_heard(captured)}"
        lesson.presses.append(captured)
        if self._wanted[CONF_ALTERNATIVE] and len(lesson.presses) == 1:
            return
        packets = learned([heard.packet for heard in each_once(lesson.presses)])
        lesson.presses.clear()
        await devices.store(
            {lesson.device: {name: packets}}, kind=lesson.kind, functions=lesson.functions
        )
        lesson.done[name] = packets[0]
        if lesson.name == name:
            lesson.go_to(lesson.number + 1)

    def _extend(self) -> None:
        self._lesson.deadline = asyncio.get_running_loop().time() + LEARN_WINDOW_S

    def _seconds_left(self) -> int:
        """Return how long the hub still listens, in steps of the countdown."""
        left = self._lesson.deadline - asyncio.get_running_loop().time()
        step = COUNTDOWN.seconds
        return max(0, ceil(left / step)) * step

    @callback
    def _count_down(self, _now: datetime) -> None:
        if self._lesson.step is not None:
            self.async_notify_flow_changed()

    async def async_step_press(self, _user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Say which button is next; every press heard leads to the next one."""
        lesson = self._lesson
        if lesson.name is None:
            return await self.async_step_learned()
        options = ["skip", *(["back"] if lesson.number else []), "names", "learned"]
        if self._hearing is None:
            page, options = "stopped", ["hear_on", *options]
        elif lesson.step is None:
            page = "let_go"
        elif lesson.step in {Step.HOLD, Step.AGAIN}:
            page = lesson.step
        elif lesson.presses:
            page = "second"
        else:
            page = "press_other" if lesson.repeated else "press"
        return self.async_show_menu(
            step_id=page,
            menu_options=options,
            description_placeholders={
                "device": lesson.device,
                "command": lesson.name,
                "previous": lesson.names[lesson.number - 1],
                "number": str(lesson.number + 1),
                "total": str(len(lesson.names)),
                "seconds": str(self._seconds_left()),
                "heard": lesson.heard,
                "repeated": lesson.repeated,
                "problem": await self._problem_once(),
            },
        )

    async_step_press_other = async_step_let_go = async_step_stopped = async_step_press
    async_step_hold = async_step_again = async_step_second = async_step_press

    async def async_step_skip(self, _user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Leave a button out."""
        return await self._go_to(self._lesson.number + 1)

    async def async_step_back(self, _user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Learn the button before once more."""
        return await self._go_to(self._lesson.number - 1)

    async def _go_to(self, number: int) -> ConfigFlowResult:
        self._lesson.go_to(number)
        if self._lesson.name is not None and self._hearing is None:
            return await self._hear()
        self._extend()
        return await self.async_step_press()

    async def async_step_learned(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Say what is learned, and what is not."""
        await self._end_hearing()
        lesson = self._lesson
        options = {
            "missing": bool(lesson.left),
            "try_command": bool(lesson.done),
            "learn_remote": True,
            "init": True,
            "finish": True,
        }
        return self.async_show_menu(
            step_id="learned_some" if lesson.left else "learned",
            menu_options=[step for step, shown in options.items() if shown],
            description_placeholders={
                "device": lesson.device,
                "count": str(len(lesson.names) - len(lesson.left)),
                "total": str(len(lesson.names)),
                "left": list_names(lesson.left),
            },
        )

    async_step_learned_some = async_step_learned

    async def async_step_missing(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Learn what was left out."""
        self._lesson.names = self._lesson.left
        self._lesson.go_to(0)
        return await self._hear()


def _which(known: Iterable[tuple[str, bytes]], packet: bytes) -> str:
    """Return which of the known buttons was pressed; nothing if it is a new one."""
    return next(iter(Recognizer(known).recognize(packet)), "")
