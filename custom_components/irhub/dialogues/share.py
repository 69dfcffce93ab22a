"""Export devices to a file, in our format or in that of another program."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, override

from homeassistant.const import CONF_DEVICE
import voluptuous as vol

from ..devices.device import Device
from ..devices.exports import export_text
from ..devices.importing import write_devices
from ..ircodes import FORMATS
from ..ircodes.files import OUR_FORMAT
from .download import async_download_link
from .exchange import list_refused
from .form import select
from .page import Answers, Fields, HubPage, Page, Shown
from .upload import CONF_TEXT, LONG_TEXT

CONF_FORMAT: Final = "format"


class SharePage(HubPage):
    """Asks for one device or all, and for a format; no format leads back."""

    @override
    async def show(self) -> Shown:
        formats = select([OUR_FORMAT, *FORMATS], translation_key="code_format")
        fields: Fields = {
            vol.Optional(CONF_DEVICE): self.device_selector(),
            vol.Optional(CONF_FORMAT): formats,
        }
        return await self.form("share", fields)

    @override
    async def submit(self, answers: Answers) -> Page:
        if (format_name := answers.get(CONF_FORMAT)) is None:
            return await self.choose("init")
        name, devices = answers.get(CONF_DEVICE), self.devices
        shared = [*devices.values()] if name is None else [devices.named(name)]
        device = shared[0] if len(shared) == 1 else None
        if format_name == OUR_FORMAT:
            return SharedPage(self, "shared", format_name, device, [export_text(shared)])
        write = partial(write_devices, format_name, shared)
        texts, refused = await self.hass.async_add_executor_job(write)
        return SharedPage(self, "shared", format_name, device, [*texts.values()], refused)


@dataclass(repr=False)
class SharedPage(HubPage):
    """Shows the download link, and the text to copy if there is only one file."""

    step: str
    format_name: str
    device: Device | None
    """None for all devices."""
    texts: Sequence[str]
    refused: Mapping[str, object] = field(default_factory=dict)

    @override
    async def show(self) -> Shown:
        text = self.texts[0] if len(self.texts) == 1 else None
        fields: Fields = {} if text is None else {vol.Optional(CONF_TEXT): LONG_TEXT}
        return await self.form(
            self.step,
            fields,
            {CONF_TEXT: text},
            download=async_download_link(self.hass, self.entry, self.format_name, self.device),
            refused=list_refused(self.refused),
        )

    @override
    async def submit(self, answers: Answers) -> Page:
        return await self.choose("init")


def export_all(page: HubPage) -> Page:
    """Return the page that exports all devices in our format."""
    text = export_text(page.devices.values())
    return SharedPage(page, "export_codes", OUR_FORMAT, None, [text])
