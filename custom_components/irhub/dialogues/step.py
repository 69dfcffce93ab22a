"""What every step of the options has: the hub, its learned commands, fields to choose from them."""

from abc import ABC, abstractmethod
import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, override

from homeassistant.config_entries import (
    ConfigEntryState,
    ConfigFlowContext,
    ConfigFlowResult,
    OptionsFlow,
)
from homeassistant.const import CONF_DEVICE
from homeassistant.core import callback
from homeassistant.data_entry_flow import AbortFlow
from homeassistant.helpers.selector import (
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
import voluptuous as vol

from .._common.markdown import EscapedPages
from ..devices.device import Device
from ..devices.store import Devices
from ..entities.use import IrhubConfigEntry
from ..errors import IrhubError, UserError
from ..hub.hub import Hub
from .form import DOUBLE_CLICK_S, clicked_twice, sentence, show_form


class OptionsStep(EscapedPages[ConfigFlowContext, ConfigFlowResult, str], OptionsFlow, ABC):
    """A step of the options of one hub.

    Fields to choose from are optional: the frontend fills required ones with the first choice.
    A form without a choice leads back.
    """

    _chosen: Device
    """The device that was chosen, as it was then."""
    _problem: IrhubError | None = None
    """What went wrong in the last try, for its page to say until the next one.

    Home Assistant asks for a page twice after progress.
    """
    _closing: asyncio.Task[None] | None = None
    """Ends when the dialogue is closed."""

    @callback
    @override
    def async_show_menu(self, **shown: Any) -> ConfigFlowResult:
        return clicked_twice(super().async_show_menu(**shown))

    @callback
    @override
    def async_show_form(self, **shown: Any) -> ConfigFlowResult:
        return clicked_twice(super().async_show_form(**shown))

    @property
    def _entry(self) -> IrhubConfigEntry:
        """Return the hub's entry. Raise AbortFlow if it was unloaded or removed meanwhile."""
        entry: IrhubConfigEntry | None = self.hass.config_entries.async_get_entry(self.handler)
        if entry is None or entry.state is not ConfigEntryState.LOADED:
            raise AbortFlow("not_loaded")
        return entry

    @property
    def _hub(self) -> Hub:
        return self._entry.runtime_data.hub

    @property
    def _devices(self) -> Devices:
        return self._entry.runtime_data.devices

    @property
    def _device(self) -> Device:
        """Return the device that was chosen, as it is now."""
        return self._devices.latest(self._chosen)

    @abstractmethod
    async def async_step_init(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Show what can be done with the hub."""

    async def async_step_finish(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Close the dialogue."""
        return self._close("finish", then="finished")

    def _close(self, step_id: str, *, then: str) -> ConfigFlowResult:
        """Go on with the last step, but not at once: a second click would find no dialogue."""
        if self._closing is None:
            self._closing = self.hass.async_create_task(
                asyncio.sleep(DOUBLE_CLICK_S), "irhub: close a dialogue", eager_start=False
            )
        if not self._closing.done():
            return self.async_show_progress(
                step_id=step_id, progress_action="closing", progress_task=self._closing
            )
        return self.async_show_progress_done(next_step_id=then)

    async def async_step_finished(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Say in its own words that it is closed; the settings stay."""
        return self.async_abort(reason="finished")

    async def _problem_text(self) -> str:
        """Return what went wrong in the last try."""
        return "" if self._problem is None else await sentence(self.hass, self._problem)

    def _show_done(self, step_id: str, *, again: str, **placeholders: str) -> ConfigFlowResult:
        """Say that something is done, and offer to do it again, or something else."""
        return self.async_show_menu(
            step_id=step_id,
            menu_options=[again, "init", "finish"],
            description_placeholders=placeholders,
        )

    async def _choose_device(
        self,
        step_id: str,
        user_input: dict[str, Any] | None,
        then: Callable[[], Awaitable[ConfigFlowResult]],
    ) -> ConfigFlowResult:
        """Let a device be chosen, unless there is only one; go on with `then`."""
        devices = self._devices
        error: UserError | None = None
        if user_input is None and len(devices) == 1:
            [self._chosen] = devices.values()
            return await then()
        if user_input is not None:
            if (name := user_input.get(CONF_DEVICE)) is None:
                return await self.async_step_init()
            try:
                self._chosen = devices.named(name)
            except UserError as err:
                error = err
            else:
                return await then()
        schema = vol.Schema({vol.Optional(CONF_DEVICE): self._device_selector()})
        return await show_form(self, step_id, schema, user_input, error=error)

    async def _back_to_devices(
        self, step: Callable[[], Awaitable[ConfigFlowResult]]
    ) -> ConfigFlowResult:
        """Return to the step that chose the device, or to the overview if it had no choice."""
        return await (step() if len(self._devices) > 1 else self.async_step_init())

    def _device_selector(self) -> SelectSelector:
        """Return a field for a device that is there or a new one."""
        return dropdown([*self._devices.by_label])

    def _command_selector(self, *, multiple: bool = False) -> SelectSelector:
        """Return a field for commands of the chosen device."""
        return dropdown(sorted(self._device.by_name), multiple=multiple)

    @property
    def _label(self) -> str:
        """Return what the chosen device is called."""
        return self._devices.label(self._device)


def dropdown(options: Sequence[str], *, multiple: bool = False) -> SelectSelector:
    """Return a field to choose from, or to type in."""
    return SelectSelector(
        SelectSelectorConfig(
            options=[*options],
            custom_value=True,
            multiple=multiple,
            mode=SelectSelectorMode.DROPDOWN,
        )
    )
