"""Have another infrared emitter of Home Assistant's transmit the commands of a device."""

from dataclasses import replace
from functools import partial
from typing import Any

from homeassistant.config_entries import ConfigFlowResult
import voluptuous as vol

from ..devices.device import Device
from ..errors import IrhubError
from ..yaml.device_schema import CONF_EMITTER
from .form import emitter_selector, show_form
from .step import OptionsStep


class EmitterFlow(OptionsStep):
    """Chooses what transmits the commands of a device: the hub, or an emitter in its place."""

    async def async_step_emitter(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Choose a device."""
        return await self._choose_device("emitter", user_input, self.async_step_which_emitter)

    async def async_step_which_emitter(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Choose the emitter; none is the hub. An appliance keeps it with the rest of it."""
        error: IrhubError | None = None
        if user_input is not None:
            emitter = user_input.get(CONF_EMITTER)
            try:
                await self._devices.change(self._device, partial(_transmitted_by, emitter))
            except IrhubError as err:
                error = err
            else:
                return await self.async_step_finish()
        return await show_form(
            self,
            "which_emitter",
            vol.Schema({vol.Optional(CONF_EMITTER): emitter_selector()}),
            {CONF_EMITTER: self._devices.emitter_of(self._device)},
            error=error,
            placeholders={"device": self._label},
        )


def _transmitted_by(emitter: str | None, device: Device) -> Device:
    return replace(device, settings=replace(device.settings, emitter=emitter))
