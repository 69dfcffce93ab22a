"""Follow remote controls: a box for each device that has commands."""

from collections.abc import Mapping, Sequence
from typing import Any

from homeassistant.config_entries import ConfigFlowResult
from homeassistant.helpers.selector import (
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
import voluptuous as vol

from ..codes.presses import Recognizer
from ..const import CONF_FOLLOWED
from ..devices.learned import packets_of
from .form import common_texts, show_form
from .step import OptionsStep


class FollowFlow(OptionsStep):
    """Chooses the devices whose remote controls are followed."""

    async def async_step_follow(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Show what is followed, and which commands cannot be told apart."""
        options = self._entry.options
        if user_input is not None:
            return self.async_create_entry(data={**options, **user_input})
        devices = {device: dict(commands) for device, commands in self._codes.commands.items()}
        alike = await self.hass.async_add_executor_job(_alike, devices)
        field = SelectSelector(
            SelectSelectorConfig(
                options=[
                    SelectOptionDict(value=device, label=self._shown(device))
                    for device in sorted(devices)
                ],
                multiple=True,
                mode=SelectSelectorMode.LIST,
            )
        )
        followed = [device for device in options.get(CONF_FOLLOWED, ()) if device in devices]
        return await show_form(
            self,
            "follow",
            vol.Schema({vol.Required(CONF_FOLLOWED, default=followed): field}),
            placeholders={"alike": await self._told(alike)},
        )

    async def _told(self, alike: Sequence[tuple[str, list[str]]]) -> str:
        """Return the list of commands that cannot be told apart, if there are any."""
        if not alike:
            return ""
        lines = [f"- {self._shown(device)}: {' = '.join(names)}" for device, names in alike]
        return "\n".join([(await common_texts(self.hass))["alike"], "", *lines])


def _alike(devices: Mapping[str, Mapping[str, Sequence[str]]]) -> list[tuple[str, list[str]]]:
    """Return the commands of each device that cannot be told apart."""
    return [
        (device, names)
        for device, commands in sorted(devices.items())
        for names in Recognizer(packets_of(commands)).alike()
    ]
