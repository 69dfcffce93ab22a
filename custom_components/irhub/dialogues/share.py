"""Share learned commands: one device or all of them, as a file of another program's."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from homeassistant.config_entries import ConfigFlowResult
from homeassistant.const import CONF_DEVICE
from homeassistant.helpers.selector import (
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
import voluptuous as vol

from ..devices.device import Device
from ..devices.importing import write_devices
from ..devices.layout import export_text
from ..errors import IrhubError
from ..ircodes import FORMATS, OUR_FORMAT
from .download import async_download_link
from .exchange import CONF_TEXT, LONG_TEXT, list_refused
from .form import show_form
from .step import OptionsStep

CONF_FORMAT: Final = "format"


class ShareFlow(OptionsStep):
    """Asks what is shared and for which program, and gives it as a file and as a text."""

    _shared: Sequence[Device] = ()
    """The devices that were chosen."""
    _format: str
    """What they are written in."""

    async def async_step_share(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for a device, or all of them, and for a format; without one it leads back."""
        error: IrhubError | None = None
        if user_input is not None:
            if (chosen := user_input.get(CONF_FORMAT)) is None:
                return await self.async_step_init()
            self._format, name = chosen, user_input.get(CONF_DEVICE)
            try:
                devices = self._devices
                self._shared = [*devices.values()] if name is None else [devices.named(name)]
                return await self.async_step_shared()
            except IrhubError as err:
                error = err
        schema = vol.Schema(
            {
                vol.Optional(CONF_DEVICE): self._device_selector(),
                vol.Optional(CONF_FORMAT): SelectSelector(
                    SelectSelectorConfig(
                        options=[OUR_FORMAT, *FORMATS],
                        mode=SelectSelectorMode.DROPDOWN,
                        translation_key="code_format",
                    )
                ),
            }
        )
        return await show_form(self, "share", schema, user_input, error=error)

    async def async_step_shared(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Give the file; a text to copy, too, if it is one."""
        if user_input is not None:
            return await self.async_step_init()
        texts: Mapping[str, str]
        refused: Mapping[str, object] = {}
        if self._format == OUR_FORMAT:
            texts = {"": export_text(self._shared)}
        else:
            write = partial(write_devices, self._format, self._shared)
            texts, refused = await self.hass.async_add_executor_job(write)
        text = next(iter(texts.values())) if len(texts) == 1 else None
        fields = {} if text is None else {vol.Optional(CONF_TEXT): LONG_TEXT}
        one = self._shared[0] if len(self._shared) == 1 else None
        return await show_form(
            self,
            "shared",
            vol.Schema(fields),
            {CONF_TEXT: text},
            placeholders={
                "download": async_download_link(self.hass, self._entry, self._format, one),
                "refused": list_refused(refused),
            },
        )
