"""Share devices in the format of another program."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, override

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
from ..ircodes import FORMATS
from ..ircodes.files import OUR_FORMAT
from .brought import CONF_TEXT
from .download import async_download_link
from .exchange import LONG_TEXT, list_refused
from .page import Answers, Fields, HubPage, Page, Shown

CONF_FORMAT: Final = "format"


class Share(HubPage):
    """Asks for a device, or all of them, and for a format; without one it leads back."""

    steps = ("share",)

    @override
    async def show(self) -> Shown:
        config = SelectSelectorConfig(
            options=[OUR_FORMAT, *FORMATS],
            mode=SelectSelectorMode.DROPDOWN,
            translation_key="code_format",
        )
        fields: Fields = {
            vol.Optional(CONF_DEVICE): self.device_selector(),
            vol.Optional(CONF_FORMAT): SelectSelector(config),
        }
        return await self.form("share", fields)

    @override
    async def submit(self, answers: Answers) -> Page:
        if (chosen := answers.get(CONF_FORMAT)) is None:
            return await self.choose("init")
        name, devices = answers.get(CONF_DEVICE), self.devices
        shared = [*devices.values()] if name is None else [devices.named(name)]
        texts: Mapping[str, str] = {"": export_text(shared)}
        refused: Mapping[str, object] = {}
        if chosen != OUR_FORMAT:
            write = partial(write_devices, chosen, shared)
            texts, refused = await self.hass.async_add_executor_job(write)
        return Shared(self, chosen, shared, texts, refused)


class Shared(HubPage):
    """Gives the file; a text to copy, too, if it is one."""

    steps = ("shared",)

    def __init__(
        self,
        before: Page,
        format_name: str,
        devices: Sequence[Device],
        texts: Mapping[str, str],
        refused: Mapping[str, object],
    ) -> None:
        super().__init__(before)
        self._format = format_name
        self._devices = devices
        self._texts = texts
        self._refused = refused

    @override
    async def show(self) -> Shown:
        text = next(iter(self._texts.values())) if len(self._texts) == 1 else None
        fields: Fields = {} if text is None else {vol.Optional(CONF_TEXT): LONG_TEXT}
        device = self._devices[0] if len(self._devices) == 1 else None
        return await self.form(
            "shared",
            fields,
            {CONF_TEXT: text},
            download=async_download_link(self.hass, self.entry, self._format, device),
            refused=list_refused(self._refused),
        )

    @override
    async def submit(self, answers: Answers) -> Page:
        return await self.choose("init")
