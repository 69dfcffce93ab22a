"""Learn a command: ask for it, listen, show what was heard, keep it."""

import asyncio
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

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

from ..const import CONF_FREQUENCY
from ..errors import IrhubError, UserError
from ..hub.hub import Hub
from ..hub.learning import LEARN_WINDOW_S, Captured, Learning, Step
from ..hub.library import Capability
from ..packets.describe import describe
from ..packets.packet import kind, to_timings
from .form import sentence, show_form
from .step import OptionsStep

CONF_ALTERNATIVE: Final = "alternative"
CONF_COMMAND_TYPE: Final = "command_type"


class LearnFlow(OptionsStep):
    """Learns one command after the other."""

    _wanted: Mapping[str, Any] = MappingProxyType({})
    """The form's answers."""
    _listening: asyncio.Task[list[Captured]] | None = None
    _step: Step | None = None
    """What the user has to do; nothing until the hub listens."""
    _captured: list[Captured]
    _problem: IrhubError | None = None

    async def async_step_learn(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask what is to be learned."""
        problem, self._problem = self._problem, None
        if user_input is not None:
            names = {key: user_input[key].strip() for key in (CONF_DEVICE, CONF_COMMAND)}
            self._wanted = {**user_input, **names}
            if all(names.values()):
                return await self.async_step_listen()
            problem = UserError("empty_name")
        fields: dict[vol.Marker, object] = {
            vol.Required(CONF_DEVICE): self._device_selector(),
            vol.Required(CONF_COMMAND): TextSelector(),
        }
        if self._hub.can(Capability.RADIO):
            fields[vol.Required(CONF_COMMAND_TYPE, default="ir")] = SelectSelector(
                SelectSelectorConfig(
                    options=["ir", "rf"],
                    mode=SelectSelectorMode.LIST,
                    translation_key="command_type",
                )
            )
        fields[vol.Required(CONF_ALTERNATIVE, default=False)] = BooleanSelector()
        return await show_form(self, "learn", vol.Schema(fields), self._wanted, error=problem)

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
            hub, frequency = self._hub, self._entry.options.get(CONF_FREQUENCY)
            self._listening = self.hass.async_create_background_task(
                self._listen(hub, frequency), f"irhub: learn with {hub.label}", eager_start=False
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
            return self.async_show_progress_done(next_step_id="learn")
        return self.async_show_progress_done(next_step_id="heard")

    async def _listen(self, hub: Hub, frequency: float | None) -> list[Captured]:
        @callback
        def ask(step: Step) -> None:
            self._step = step
            self.async_notify_flow_changed()

        wanted = self._wanted
        async with Learning(hub) as session:
            return await session.capture(
                ask,
                command_type=wanted.get(CONF_COMMAND_TYPE, "ir"),
                frequency=frequency,
                presses=2 if wanted[CONF_ALTERNATIVE] else 1,
            )

    async def async_step_heard(self, _user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Show what was heard: to keep it, to try it, or to learn it again."""
        problem = "" if self._problem is None else await sentence(self.hass, self._problem)
        return self._show_heard("heard", problem=problem)

    async def async_step_try_heard(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Transmit what was heard."""
        self._problem = None
        try:
            await self._hub.transmit([captured.packet for captured in self._captured])
        except IrhubError as err:
            self._problem = err
            return await self.async_step_heard()
        return await self.async_step_tried_heard()

    async def async_step_tried_heard(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask whether it worked."""
        return self._show_heard("tried_heard")

    async def async_step_keep(self, _user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Store the command, in place of one of the same name."""
        device, command = self._name
        packets = [captured.packet for captured in self._captured]
        try:
            await self._codes.store({device: {command: packets}})
        except IrhubError as err:
            self._problem = err
            return await self.async_step_heard()
        return await self.async_step_kept()

    async def async_step_kept(self, _user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Say that it is learned."""
        return self._show_done("kept", again="learn", **self._placeholders)

    def _show_heard(self, step_id: str, **placeholders: str) -> ConfigFlowResult:
        heard = "\n".join(f"- {_describe(captured)}" for captured in self._captured)
        return self.async_show_menu(
            step_id=step_id,
            menu_options=["keep", "try_heard", "listen"],
            description_placeholders={**self._placeholders, "heard": heard, **placeholders},
        )

    @property
    def _name(self) -> tuple[str, str]:
        return self._wanted[CONF_DEVICE], self._wanted[CONF_COMMAND]

    @property
    def _placeholders(self) -> dict[str, str]:
        device, command = self._name
        return {"device": device, "command": command, "seconds": str(LEARN_WINDOW_S)}


def _describe(captured: Captured) -> str:
    """Say what was heard, in words that are the same in every language."""
    packet = captured.packet
    parts = [kind(packet).upper()]
    if captured.frequency is not None:
        parts.append(f"{captured.frequency:g} MHz")
    if (meaning := describe(packet)) is not None:
        parts.append(meaning)
    parts.append(f"{sum(map(abs, to_timings(packet))) / 1000:.0f} ms")
    return " · ".join(parts)
