"""Import and export learned commands: from a file or a text, and as either."""

from collections.abc import Mapping
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import Any, Final

from homeassistant.components.file_upload import process_uploaded_file
from homeassistant.config_entries import ConfigFlowResult
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
from ..entities.subentries import async_show
from ..errors import LISTED, IrhubError, UserError, list_names, told
from ..ircodes import MAX_TEXT, SUFFIXES, Imported, RefusedError, is_packet, reason_of, text_of
from .download import async_download_link
from .form import common_texts, show_form
from .step import OptionsStep

CONF_FILE: Final = "file"
CONF_TEXT: Final = "text"
LONG_TEXT: Final = TextSelector(TextSelectorConfig(multiline=True))


class ExchangeFlow(OptionsStep):
    """Takes commands that people bring, and gives those that are there."""

    _imported: Imported

    async def async_step_import_codes(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Take commands from a file or a text: our export, a packet, a file of any format."""
        self._problem = None
        error: IrhubError | None = None
        if user_input is not None:
            try:
                if not (text := await self._text(user_input)):
                    return await self.async_step_init()
                self._imported = await self._read(text, user_input)
            except IrhubError as err:
                error = err
            else:
                return await self.async_step_preview()
        schema = vol.Schema(
            {
                vol.Optional(CONF_FILE): FileSelector(
                    FileSelectorConfig(accept=",".join(SUFFIXES))
                ),
                vol.Optional(CONF_TEXT): LONG_TEXT,
                vol.Optional(CONF_DEVICE): self._device_selector(),
                vol.Optional(CONF_COMMAND): TextSelector(),
            }
        )
        given = {key: value for key, value in (user_input or {}).items() if key != CONF_FILE}
        return await show_form(self, "import_codes", schema, given, error=error)

    async def _text(self, given: dict[str, Any]) -> str:
        """Return the text of the file, or the one that was pasted."""
        if (file := given.get(CONF_FILE)) is None:
            return str(given.get(CONF_TEXT, "")).strip()
        try:
            return await self.hass.async_add_executor_job(_uploaded, self.hass, file)
        except (OSError, ValueError) as err:
            raise UserError("not_imported", error=reason_of(err, "unreadable")) from err

    async def _read(self, text: str, given: dict[str, Any]) -> Imported:
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

    async def async_step_preview(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Show what would be new, what would be replaced, and what cannot be used."""
        imported, there = self._imported, self._devices
        replaced = [
            f"{device} \N{RIGHTWARDS ARROW} {command}"
            for device, commands in imported.commands.items()
            for command in commands
            if (known := there.known(device)) is not None and known.named(command) is not None
        ]
        usable = ["import_now"] if imported.commands else []
        return self.async_show_menu(
            step_id="preview",
            menu_options=[*usable, "import_codes", "init"],
            description_placeholders={
                "format": imported.format,
                "devices": list_names(imported.commands),
                "count": str(imported.count),
                "total": str(imported.count + len(imported.refused)),
                "new": str(imported.count - len(replaced)),
                "replaced": f"{len(replaced)} ({list_names(replaced)})" if replaced else "0",
                "refused": list_refused(self._imported.refused),
                "problem": await self._problem_text(),
            },
        )

    async def async_step_import_now(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Store what can be used."""
        self._problem = None
        try:
            await async_store(self._devices, self._imported)
        except IrhubError as err:
            self._problem = err
            return await self.async_step_preview()
        async_show(self.hass, self._devices)
        return await self.async_step_imported()

    async def async_step_imported(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Say how many there were, and what Home Assistant has for their maker."""
        count, own = str(self._imported.count), await self._own_integrations()
        return self._show_done("imported", again="import_codes", count=count, own=own)

    async def _own_integrations(self) -> str:
        """Return the sentence that names Home Assistant's own integrations, or nothing."""
        if not (names := await async_own_integrations(self.hass, self._imported)):
            return ""
        text = (await common_texts(self.hass))["own_integration"]
        return text.format(integrations=list_names(names))

    async def async_step_export_codes(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Give all commands as a file, and as a text to copy."""
        if user_input is not None:
            return await self.async_step_init()
        text = export_text(self._devices.values())
        return await show_form(
            self,
            "export_codes",
            vol.Schema({vol.Optional(CONF_TEXT): LONG_TEXT}),
            {CONF_TEXT: text},
            placeholders={"download": async_download_link(self.hass, self._entry)},
        )


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
