"""Learn a command: listen, show what was heard, try it, keep it."""

import asyncio
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, cast

from homeassistant.config_entries import ConfigFlowResult
from homeassistant.const import CONF_COMMAND, CONF_DEVICE
from homeassistant.core import callback
from homeassistant.helpers.selector import (
    BooleanSelector,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TextSelector,
)
import voluptuous as vol

from .._common.markdown import Markdown, bullets, escaped
from ..const import CONF_FREQUENCY
from ..errors import IrhubError, UserError
from ..hub.ear import LEARN_WINDOW_S, Captured, CommandType, Step
from ..hub.hub import Hub
from ..hub.library import Capability
from ..ircodes import clean, kind, learned, meaning, median_of, read, same_button, to_timings
from .form import show_form, told_again
from .step import OptionsStep

CONF_ALTERNATIVE: Final = "alternative"
CONF_COMMAND_TYPE: Final = "command_type"
MOST_PRESSES: Final = 3
"""Of one button, whose median is kept."""


class LearnFlow(OptionsStep):
    """Learns one command after the other."""

    _wanted: Mapping[str, Any] = MappingProxyType({})
    """The form's answers."""
    _listening: asyncio.Task[list[Captured]] | None = None
    _step: Step | None = None
    """What the user has to do; nothing until the hub listens."""
    _captured: list[Captured]
    _cleaned: list[bytes]
    """The codes encoded anew; nothing if there is one whose meaning is not known."""
    _presses: list[bytes]
    """The presses of the one code that `_captured` has been made of."""
    _before: list[bytes]
    """Those that the next press is to be one more of."""
    _tried: int
    """How often what was heard has been sent."""
    _found: tuple[str, float] | None = None
    """The device whose remote control was learned by radio last, and the frequency in MHz."""

    async def async_step_learn(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask what is to be learned."""
        problem = self._problem
        if user_input is not None:
            self._problem = problem = None
            names = {key: user_input.get(key, "").strip() for key in (CONF_DEVICE, CONF_COMMAND)}
            self._wanted, self._before = {**user_input, **names}, []
            if not any(names.values()):
                return await self.async_step_init()
            if all(names.values()):
                device = self._devices.known(names[CONF_DEVICE])
                is_taken = device is not None and device.named(names[CONF_COMMAND]) is not None
                return await (self.async_step_taken() if is_taken else self.async_step_listen())
            problem = UserError("empty_name")
        fields: dict[vol.Marker, object] = {
            vol.Optional(CONF_DEVICE): self._device_selector(),
            vol.Optional(CONF_COMMAND): TextSelector(),
            **self._kind_fields(),
        }
        return await show_form(self, "learn", vol.Schema(fields), self._wanted, error=problem)

    def _kind_fields(self) -> dict[vol.Marker, object]:
        """Return the fields that say what a button sends."""
        fields: dict[vol.Marker, object] = {}
        if self._hub.can(Capability.RADIO):
            fields[vol.Required(CONF_COMMAND_TYPE, default="ir")] = SelectSelector(
                SelectSelectorConfig(
                    options=["ir", "rf"],
                    mode=SelectSelectorMode.LIST,
                    translation_key="command_type",
                )
            )
        fields[vol.Required(CONF_ALTERNATIVE, default=False)] = BooleanSelector()
        return fields

    async def async_step_taken(self, _user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask before a command is replaced."""
        return self.async_show_menu(
            step_id="taken",
            menu_options=["listen", "learn", "init"],
            description_placeholders=self._placeholders,
        )

    async def async_step_listen(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Say which press the hub waits for, until it has heard all of them.

        If the dialogue is closed meanwhile, Home Assistant cancels the task, and the hub
        stops listening.
        """
        if self._listening is None:
            self._step = self._problem = None
            # Not eager: done at once, it would hand the form's answers to the next step.
            hub, frequency = self._hub, self._frequency
            before, self._before = self._before, []
            self._listening = self.hass.async_create_background_task(
                self._listen(hub, frequency, before),
                f"irhub: learn with {hub.label}",
                eager_start=False,
            )
        if not self._listening.done():
            return self.async_show_progress(
                step_id="listen",
                progress_action="connect" if self._step is None else self._step,
                description_placeholders=self._placeholders,
                progress_task=self._listening,
            )
        listening, self._listening = self._listening, None
        try:
            self._captured = listening.result()
        except IrhubError as err:
            self._problem = err
            self._found = None  # it may have been another one's
            return self.async_show_progress_done(next_step_id="learn")
        self._tried = 0
        if (found := self._captured[0].frequency) is not None:
            self._found = self._wanted[CONF_DEVICE], found
        return self.async_show_progress_done(next_step_id="heard")

    async def async_step_press_more(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Hear the button once more, since no protocol says what its code is exactly."""
        self._before = self._presses
        return await self.async_step_listen()

    async def _listen(
        self, hub: Hub, frequency: float | None, before: list[bytes]
    ) -> list[Captured]:
        @callback
        def ask(step: Step) -> None:
            self._step = step
            self.async_notify_flow_changed()

        async with told_again(self), hub.learn() as session:
            captured = await session.capture(
                ask,
                command_type=self._command_type,
                frequency=frequency,
                presses=2 if self._wanted[CONF_ALTERNATIVE] else 1,
            )
        presses, heard = await self.hass.async_add_executor_job(_together, before, captured)
        self._presses = presses
        self._cleaned = await self.hass.async_add_executor_job(_clean, heard)
        return heard

    async def async_step_heard(self, _user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Show what was heard: to keep it, to try it, or to learn it again."""
        alternates = len(self._captured) > 1
        if alternates == self._wanted[CONF_ALTERNATIVE]:
            return await self._show_heard("heard")
        return await self._show_heard("heard_other" if alternates else "heard_same")

    async_step_heard_same = async_step_heard_other = async_step_heard

    async def async_step_try_heard(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Transmit what was heard; of two codes the one, the next time the other."""
        captured = self._captured[self._tried % len(self._captured)]
        self._problem = None
        try:
            await self._hub.transmit([captured.packet])
        except IrhubError as err:
            self._problem = err
            return await self.async_step_heard()
        self._tried += 1
        return await self.async_step_tried_heard()

    async def async_step_tried_heard(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask whether it worked."""
        return await self._show_heard("tried_heard")

    async def async_step_keep(self, _user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Store the command as it was heard, in place of one of the same name."""
        return await self._store([captured.packet for captured in self._captured])

    async def async_step_keep_clean(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Store the command without what the receiver made of it."""
        return await self._store(self._cleaned)

    async def _store(self, packets: list[bytes]) -> ConfigFlowResult:
        device, command = self._name
        self._problem = None
        try:
            await self._devices.store({device: {command: learned(packets)}})
        except IrhubError as err:
            self._problem = err
            return await self.async_step_heard()
        return await self.async_step_kept()

    async def async_step_kept(self, _user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Say that it is learned. Another one has another name."""
        kept = self._placeholders
        self._wanted = {**self._wanted, CONF_COMMAND: ""}
        return self._show_done("kept", again="learn", **kept)

    async def _show_heard(self, step_id: str) -> ConfigFlowResult:
        heard = bullets(map(describe_heard, self._captured))
        number = (self._tried - 1) % len(self._captured) + 1
        sent = describe_heard(self._captured[number - 1])
        return self.async_show_menu(
            step_id=step_id,
            menu_options=[
                "keep",
                *(["keep_clean"] if self._cleaned else []),
                "try_heard",
                *(["press_more"] if self._more_helps else []),
                *("listen", "init"),
            ],
            description_placeholders={
                **self._placeholders,
                "heard": heard,
                # A list that begins with the number of the packet that was sent.
                "sent": sent
                if len(self._captured) == 1
                else Markdown(f"{number}. {escaped(sent)}"),
                "problem": await self._problem_text(),
            },
        )

    @property
    def _more_helps(self) -> bool:
        """Say if another press makes the code more exact: if nothing else says what it is."""
        return (
            not self._cleaned
            and not self._wanted[CONF_ALTERNATIVE]
            and kind(self._presses[0]) == "ir"
            and len(self._presses) < MOST_PRESSES
        )

    @property
    def _frequency(self) -> float | None:
        """Return the frequency of the device's remote control, as set or as found."""
        if (set_by_user := self._entry.options.get(CONF_FREQUENCY)) is not None:
            return cast(float, set_by_user)
        device, found = self._found or (None, None)
        return found if device == self._wanted[CONF_DEVICE] else None

    @property
    def _command_type(self) -> CommandType:
        return cast(CommandType, self._wanted.get(CONF_COMMAND_TYPE, "ir"))

    @property
    def _name(self) -> tuple[str, str]:
        return self._wanted[CONF_DEVICE], self._wanted[CONF_COMMAND]

    @property
    def _placeholders(self) -> dict[str, str]:
        device, command = self._name
        return {"device": device, "command": command, "seconds": str(LEARN_WINDOW_S)}


def each_once(captured: list[Captured]) -> list[Captured]:
    """Return the presses without the second one if it was the code of the first."""
    first, *others = captured
    return [first, *(other for other in others if not same_button(first.packet, other.packet))]


def _together(before: list[bytes], captured: list[Captured]) -> tuple[list[bytes], list[Captured]]:
    """Return the presses of one code so far, and what was heard: their median.

    Where the last press is another code, it stands behind that.
    """
    if not before:
        heard = each_once(captured)
        return [heard[0].packet], heard
    [last] = captured
    if not same_button(before[0], last.packet):
        return before, [Captured(packet=read(median_of(before)), frequency=None), last]
    presses = [*before, last.packet]
    return presses, [Captured(packet=read(median_of(presses)), frequency=None)]


def _clean(heard: list[Captured]) -> list[bytes]:
    """Return the packets encoded anew; nothing if one of them cannot be."""
    cleaned = [packet for captured in heard if (packet := clean(captured.packet)) is not None]
    return cleaned if len(cleaned) == len(heard) else []


def describe_heard(captured: Captured) -> str:
    """Say what was heard, in words that are the same in every language."""
    packet = captured.packet
    parts = [kind(packet).upper()]
    if captured.frequency is not None:
        parts.append(f"{captured.frequency:g} MHz")
    if (meant := meaning(packet)) is not None:
        parts.append(meant.text)
    parts.append(f"{sum(map(abs, to_timings(packet))) / 1000:.0f} ms")
    return " · ".join(parts)
