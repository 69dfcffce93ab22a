"""Import and export learned commands: from a file or a text, and as either."""

from collections.abc import Mapping
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import Final, override

from homeassistant.components.file_upload import process_uploaded_file
from homeassistant.const import CONF_COMMAND, CONF_DEVICE
from homeassistant.core import HomeAssistant
from homeassistant.helpers.selector import (
    FileSelector,
    FileSelectorConfig,
    TextSelector,
    TextSelectorConfig,
)
import voluptuous as vol

from .._common.markdown import Markdown, bullets
from ..devices.importing import async_own_integrations, async_store, read_import
from ..devices.layout import export_text
from ..entities.registries import async_show
from ..errors import LISTED, UserError, common_texts, list_names, told
from ..ircodes import RefusedError
from ..ircodes.files import MAX_TEXT, SUFFIXES, Imported, text_of
from ..ircodes.packet import is_packet
from ..ircodes.reasons import reason_of
from .choose import Done
from .download import async_download_link
from .page import Answers, Fields, HubPage, Page, Shown, option

CONF_FILE: Final = "file"
CONF_TEXT: Final = "text"
LONG_TEXT: Final = TextSelector(TextSelectorConfig(multiline=True))


class ImportCodes(HubPage):
    """Takes commands from a file or a text: our export, a packet, a file of any format."""

    steps = ("import_codes",)

    @override
    async def show(self) -> Shown:
        fields: Fields = {
            vol.Optional(CONF_FILE): FileSelector(FileSelectorConfig(accept=",".join(SUFFIXES))),
            vol.Optional(CONF_TEXT): LONG_TEXT,
            vol.Optional(CONF_DEVICE): self.device_selector(),
            vol.Optional(CONF_COMMAND): TextSelector(),
        }
        return await self.form("import_codes", fields)

    @override
    async def submit(self, answers: Answers) -> Page:
        self.answers = {key: value for key, value in answers.items() if key != CONF_FILE}
        if not (text := await self._text(answers)):
            return await self.choose("init")
        return Preview(self, await self._read(text, answers))

    async def _text(self, given: Answers) -> str:
        """Return the text of the file, or the one that was pasted."""
        if (file := given.get(CONF_FILE)) is None:
            return str(given.get(CONF_TEXT, "")).strip()
        try:
            return await self.hass.async_add_executor_job(_uploaded, self.hass, file)
        except (OSError, ValueError) as err:
            raise UserError("not_imported", error=reason_of(err, "unreadable")) from err

    async def _read(self, text: str, given: Answers) -> Imported:
        """Return what a text holds. Raise UserError if nothing, or a packet without names."""
        device = given.get(CONF_DEVICE, "").strip() or None
        command = given.get(CONF_COMMAND, "").strip() or None
        if not (device and command) and is_packet(text):
            raise UserError("nameless_packet")
        read = partial(read_import, text, device=device, command=command)
        try:
            return await self.hass.async_add_executor_job(read)
        except ValueError as err:
            raise UserError("not_imported", error=err) from err


class Preview(HubPage):
    """Shows what would be new, what would be replaced, and what cannot be used."""

    steps = ("preview",)

    def __init__(self, before: Page, imported: Imported) -> None:
        super().__init__(before)
        self._imported = imported

    @override
    async def show(self) -> Shown:
        imported, there = self._imported, self.devices
        replaced = [
            f"{device} \N{RIGHTWARDS ARROW} {command}"
            for device, commands in imported.commands.items()
            for command in commands
            if (known := there.known(device)) is not None and known.named(command) is not None
        ]
        usable = ["import_now"] if imported.commands else []
        return self.menu(
            "preview",
            [*usable, "import_codes", "init"],
            format=imported.format,
            devices=list_names(imported.commands),
            count=str(imported.count),
            total=str(imported.count + len(imported.refused)),
            new=str(imported.count - len(replaced)),
            replaced=f"{len(replaced)} ({list_names(replaced)})" if replaced else "0",
            refused=list_refused(imported.refused),
            problem=await self.problem_text(),
        )

    @option
    async def import_now(self) -> Page:
        """Store what can be used; say how many there were, and what core has for their maker."""
        await async_store(self.devices, self._imported)
        async_show(self.hass, self.devices)
        own = ""
        if names := await async_own_integrations(self.hass, self._imported):
            text = (await common_texts(self.hass))["own_integration"]
            own = text.format(integrations=list_names(names))
        count = str(self._imported.count)
        return Done(self, "imported", lambda: "import_codes", count=count, own=own)


class ExportCodes(HubPage):
    """Gives all commands as a file, and as a text to copy."""

    steps = ("export_codes",)

    @override
    async def show(self) -> Shown:
        return await self.form(
            "export_codes",
            {vol.Optional(CONF_TEXT): LONG_TEXT},
            {CONF_TEXT: export_text(self.devices.values())},
            download=async_download_link(self.hass, self.entry),
        )

    @override
    async def submit(self, answers: Answers) -> Page:
        return await self.choose("init")


def list_refused(refused: Mapping[str, object]) -> str:
    """Return how many commands cannot be used, and why, a line each."""
    lines = [
        f"{name}: {told(reason)}"
        for name, reason in islice(sorted(refused.items(), key=itemgetter(0)), LISTED)
    ]
    if len(refused) > LISTED:
        lines.append("\N{HORIZONTAL ELLIPSIS}")
    return Markdown("\n".join([str(len(refused)), *([bullets(lines)] if lines else [])]))


def _uploaded(hass: HomeAssistant, file: str) -> str:
    """Return the text of a file from the user's computer. Raise OSError or ValueError."""
    with process_uploaded_file(hass, file) as path:
        if path.stat().st_size > MAX_TEXT:
            raise RefusedError("large", limit=MAX_TEXT)
        if not (text := text_of(path.read_bytes()).strip()):
            raise RefusedError("empty")
        return text
