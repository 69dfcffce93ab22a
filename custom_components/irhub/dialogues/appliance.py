"""Make a device an appliance: of a code file, of its remote control, of commands that are there."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, override

from homeassistant.components.file_upload import process_uploaded_file
from homeassistant.config_entries import SubentryFlowResult
from homeassistant.const import CONF_DEVICE, CONF_NAME
from homeassistant.core import HomeAssistant
from homeassistant.helpers.selector import (
    FileSelector,
    FileSelectorConfig,
    TextSelector,
    TextSelectorConfig,
)
import voluptuous as vol

from ..appliances.schema import (
    CONF_FILE,
)
from ..appliances.setup import async_with_protocol
from ..codes.air_conditioners import PROTOCOLS, Fields
from ..collection.index import FOLDERS
from ..devices.code_file import CodeFile, read_file, understand
from ..devices.names import Kind
from ..devices.profile import kind_of
from ..devices.protocol import ProtocolCommands
from ..devices.settings import ApplianceSettings
from ..errors import IrhubError, UserError, list_names, list_reasons
from ..formats.head import Levels
from .appliance_step import Input, select
from .form import sentence
from .from_remote import FromRemoteFlow

CONF_KIND: Final = "kind"
CONF_PATH: Final = "path"
CONF_TEXT: Final = "text"

MAX_FILES: Final = 1000
SUFFIXES: Final = ".json,.txt,.yaml,.ir,.csv,.conf,.xml,.girr"
_LEVELS: Final = ("modes", "fans", "swings")


class ApplianceFlow(FromRemoteFlow):
    """Adds an appliance to a hub, or changes one."""

    async def async_step_user(self, _user_input: Input = None) -> SubentryFlowResult:
        """Ask where the commands come from."""
        self._check_loaded()
        await self._codes.load()
        options = ["file", "which_file"]
        if PROTOCOLS:
            options.append("from_remote")
        if self._free_devices():
            options.append("commands")
        return self.async_show_menu(step_id="user", menu_options=options)

    async def async_step_file(self, user_input: Input = None) -> SubentryFlowResult:
        """Take a code file: of this computer, of the configuration folder, or as text."""
        error: IrhubError | None = None
        if user_input is not None:
            try:
                file = await self.hass.async_add_executor_job(partial(_read, self.hass, user_input))
                file.check()
            except ValueError as err:
                error = UserError("not_imported", error=err)
            except IrhubError as err:
                error = err
            else:
                return await self._go_on(file)
        root = Path(self.hass.config.config_dir)
        files = await self.hass.async_add_executor_job(_files, root)
        fields: dict[vol.Marker, object] = {
            vol.Optional(CONF_FILE): FileSelector(FileSelectorConfig(accept=SUFFIXES))
        }
        if files:
            fields[vol.Optional(CONF_PATH)] = select(files)
        fields[vol.Optional(CONF_TEXT)] = TextSelector(TextSelectorConfig(multiline=True))
        given = {key: value for key, value in (user_input or {}).items() if key != CONF_FILE}
        return await self._form("file", fields, given, error=error)

    @override
    async def _take(self, path: str, text: str) -> SubentryFlowResult:
        try:
            file = await self.hass.async_add_executor_job(partial(understand, text, file=path))
        except ValueError as err:
            raise UserError("bad_file", file=path, error=err) from err
        file.check()
        return await self._go_on(file)

    async def _go_on(self, file: CodeFile) -> SubentryFlowResult:
        self._file, self._commands = file, file.commands
        return await self.async_step_kind()

    async def async_step_commands(self, user_input: Input = None) -> SubentryFlowResult:
        """Choose a device that the hub has commands of."""
        if user_input is not None:
            self._commands = self._codes.commands.get(user_input[CONF_DEVICE], {})
            self._settings = ApplianceSettings(
                kind=kind_of(self._commands) or Kind.MEDIA_PLAYER, device=user_input[CONF_DEVICE]
            )
            return await self.async_step_kind()
        return await self._form(
            "commands", {vol.Required(CONF_DEVICE): select(self._free_devices())}
        )

    async def async_step_kind(self, user_input: Input = None) -> SubentryFlowResult:
        """Say what it is, and what a file's commands are called together."""
        file, error = self._file, None
        fields: dict[vol.Marker, object] = {
            vol.Required(CONF_KIND): select(Kind, translation_key="kind")
        }
        if file is not None:
            fields[vol.Required(CONF_NAME)] = TextSelector()
        if user_input is not None:
            error = self._begin(Kind(user_input[CONF_KIND]), user_input.get(CONF_NAME, ""))
            if error is None:
                return await self.async_step_functions()
        head = None if file is None else file.head
        kind = kind_of(self._commands) if head is None else Kind(head.platform)
        given: dict[str, object] = {} if kind is None else {CONF_KIND: kind.value}
        if file is not None:
            given[CONF_NAME] = file.device
        refused = 0 if file is None else len(file.refused)
        return await self._form(
            "kind",
            fields,
            user_input or given,
            error=error,
            placeholders={
                "count": str(len(self._commands)),
                "total": str(len(self._commands) + refused),
                "refused": "" if file is None or not refused else list_reasons(file.refused),
            },
        )

    def _begin(self, kind: Kind, name: str) -> IrhubError | None:
        """Begin with what is known now. Return what is wrong with it."""
        if (file := self._file) is None:
            self._settings = replace(self._settings, kind=kind)
            return None
        if (error := self._wrong_name(name)) is not None:
            return error
        self._settings = ApplianceSettings(
            kind=kind,
            device=name.strip(),
            levels=file.head.levels if file.head and file.head.platform == kind else None,
            manufacturer=file.manufacturer or None,
            model=", ".join(file.models) or None,
        )
        return None

    def _wrong_name(self, name: str) -> IrhubError | None:
        """Return what is wrong with the name of a new appliance."""
        if not (name := name.strip()):
            return UserError("empty_name")
        if (taken := self._codes.commands.get(name)) is not None:
            return UserError("name_taken", device=name, command=list_names(taken))
        if any(name == other.unique_id for other in self._entry.subentries.values()):
            return UserError("appliance_taken", device=name)
        return None

    @override
    async def _take_protocol(
        self, protocol: str, fields: Fields, commands: ProtocolCommands
    ) -> SubentryFlowResult:
        self._commands, self._file = commands, None
        self._settings = ApplianceSettings(
            kind=Kind.CLIMATE,
            device="",
            protocol=protocol,
            protocol_fields=fields,
            levels=commands.levels,
        )
        return await self.async_step_levels()

    async def async_step_levels(self, user_input: Input = None) -> SubentryFlowResult:
        """Choose what an air conditioner has of what its protocol has."""
        settings, error = self._settings, None
        levels = settings.levels or Levels()
        every = await async_with_protocol(self.hass, replace(settings, levels=None))
        if user_input is not None:
            name = user_input.get(CONF_NAME, settings.device)
            if self.source == "user":
                error = self._wrong_name(name)
            modes, fans, swings = (tuple(user_input.get(key, ())) for key in _LEVELS)
            levels = replace(levels, modes=modes, fans=fans, swings=swings)
            wanted = await async_with_protocol(
                self.hass, replace(settings, device=name.strip(), levels=levels)
            )
            if error is None and len(wanted.packets or ()) <= 1:
                error = UserError("no_levels")
            if error is None:
                self._settings = replace(wanted, packets=None)
                self._commands = wanted.packets or {}
                return await self.async_step_details()
        fields: dict[vol.Marker, object] = {}
        if self.source == "user":
            fields[vol.Required(CONF_NAME)] = TextSelector()
        for key in _LEVELS:
            if options := getattr(every.levels, key):
                fields[vol.Optional(key)] = select(options, multiple=True)
        given = {key: [*getattr(levels, key)] for key in _LEVELS}
        return await self._form(
            "levels",
            fields,
            user_input or given,
            error=error,
            placeholders={"heard": self._said or str(settings.protocol)},
        )

    async def async_step_finish(self, _user_input: Input = None) -> SubentryFlowResult:
        """Keep it; the entity comes with the hub's next set-up, which this begins."""
        settings, file = self._settings, self._file
        if self.source != "user":
            return self.async_update_and_abort(
                self._entry, self._get_reconfigure_subentry(), data=settings.as_data()
            )
        if file is not None:
            # Its commands get the buttons that were chosen, and not one each until then.
            self._entry.runtime_data.becoming.add(settings.device)
            try:
                await self._codes.store({settings.device: file.commands})
            except IrhubError as err:
                error = await sentence(self.hass, err)
                return self.async_abort(reason="failed", description_placeholders={"error": error})
        return self.async_create_entry(
            title=settings.device, data=settings.as_data(), unique_id=settings.device
        )

    async def async_step_reconfigure(self, _user_input: Input = None) -> SubentryFlowResult:
        """Change an appliance that is there."""
        self._check_loaded()
        await self._codes.load()
        self._settings = ApplianceSettings.from_data(self._get_reconfigure_subentry().data)
        self._commands = self._codes.commands.get(self._settings.device, {})
        if self._settings.protocol is not None:
            try:
                known = await async_with_protocol(self.hass, self._settings)
            except UserError as err:
                error = await sentence(self.hass, err)
                return self.async_abort(reason="failed", description_placeholders={"error": error})
            self._commands = known.packets or {}
        return await self.async_step_ready()

    def _free_devices(self) -> list[str]:
        """Return the devices with commands that are no appliances."""
        taken = {subentry.unique_id for subentry in self._entry.subentries.values()}
        return sorted(self._codes.commands.keys() - taken)


def _files(root: Path) -> list[str]:
    """Return the code files in the configuration folder."""
    found = (path for folder in FOLDERS for path in sorted((root / folder).rglob("*.json")))
    return [str(path.relative_to(root)) for path, _ in zip(found, range(MAX_FILES), strict=False)]


def _read(hass: HomeAssistant, given: Mapping[str, Any]) -> CodeFile:
    """Return what a file or a text says. Raise ValueError or UserError; for the executor."""
    if (uploaded := given.get(CONF_FILE)) is not None:
        with process_uploaded_file(hass, uploaded) as path:
            return read_file(path.parent, [path.name])
    if (name := given.get(CONF_PATH)) is not None:
        return read_file(Path(hass.config.config_dir), [name])
    return understand(given.get(CONF_TEXT, ""))
