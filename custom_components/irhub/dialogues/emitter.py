"""Have another infrared emitter of Home Assistant's transmit the commands of a device."""

from typing import Any

from homeassistant.config_entries import ConfigFlowResult
import voluptuous as vol

from ..appliances.schema import CONF_EMITTER
from ..const import CONF_EMITTERS
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
        entry, device = self._entry, self._device
        if user_input is None:
            return await show_form(
                self,
                "which_emitter",
                vol.Schema({vol.Optional(CONF_EMITTER): emitter_selector()}),
                {CONF_EMITTER: self._codes.emitter_of(device)},
                placeholders={"device": self._shown(device)},
            )
        for subentry in entry.subentries.values():
            if subentry.data["device"] == device:
                data = {key: value for key, value in subentry.data.items() if key != CONF_EMITTER}
                self.hass.config_entries.async_update_subentry(
                    entry, subentry, data=data | user_input
                )
                return await self.async_step_finish()
        emitters = {**entry.options.get(CONF_EMITTERS, {})}
        emitters.pop(device, None)
        if (emitter := user_input.get(CONF_EMITTER)) is not None:
            emitters[device] = emitter
        return self.async_create_entry(data={**entry.options, CONF_EMITTERS: emitters})
