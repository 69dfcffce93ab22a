"""Give a device an entity: of a code file, of its remote control, of commands that are there."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, override
from urllib.parse import quote

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

from ..codes.air_conditioners import PROTOCOLS, Fields
from ..collection.index import FOLDERS
from ..device_schema import CONF_FILE
from ..device_setup import async_rule_of
from ..devices.code_file import CodeFile, read_file, understand
from ..devices.device import KINDS_OF_PLATFORMS, Device, Kind, Protocol, new_id
from ..devices.meanings import with_meanings
from ..devices.protocol import ProtocolRule
from ..devices.taken_over import appliance_data
from ..entry import subentry_of
from ..errors import IrhubError, UserError, list_names, list_reasons
from ..formats.head import Levels
from ..formats.reading import SUFFIXES
from .appliance_step import CONF_AREA, Input, select
from .form import sentence
from .from_remote import FromRemoteFlow

CONF_KIND: Final = "kind"
CONF_PATH: Final = "path"
CONF_TEXT: Final = "text"

MAX_FILES: Final = 1000
_KINDS: Final = [kind for kind in Kind if kind.platform is not None]
_LEVELS: Final = ("modes", "fans", "swings")


class ApplianceFlow(FromRemoteFlow):
    """Gives a device an entity: of a code file, a remote control, or commands that are there."""

    _file: CodeFile | None = None
    """Where the commands come from, if they are not the hub's yet."""

    async def async_step_user(self, _user_input: Input = None) -> SubentryFlowResult:
        """Ask where the commands come from."""
        self._check_loaded()
        await self._devices.load()
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
            vol.Optional(CONF_FILE): FileSelector(FileSelectorConfig(accept=",".join(SUFFIXES)))
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
        self._file = file
        device = Device(
            id=new_id(str(self._entry.runtime_data.settings.mac)),
            name=file.device,
            manufacturer=file.manufacturer,
            model=", ".join(file.models),
            levels=Levels() if file.head is None else file.head.levels,
        )
        self._draft = file.on(device)
        return await self.async_step_kind()

    async def async_step_commands(self, user_input: Input = None) -> SubentryFlowResult:
        """Choose a device that the hub has commands of."""
        if user_input is not None:
            self._draft = self._devices.named(user_input[CONF_DEVICE])
            return await self.async_step_kind()
        return await self._form(
            "commands", {vol.Required(CONF_DEVICE): select(self._free_devices())}
        )

    async def async_step_kind(self, user_input: Input = None) -> SubentryFlowResult:
        """Say what it is, and what a file's commands are called together."""
        file, error = self._file, None
        fields: dict[vol.Marker, object] = {
            vol.Required(CONF_KIND): select(_KINDS, translation_key="kind")
        }
        if file is not None:
            fields[vol.Required(CONF_NAME)] = TextSelector()
        if user_input is not None:
            error = self._begin(Kind(user_input[CONF_KIND]), user_input.get(CONF_NAME, ""))
            if error is None:
                return await self.async_step_functions()
        kind = self._draft.kind
        if file is not None and file.head is not None:
            kind = KINDS_OF_PLATFORMS[file.head.platform]
        given: dict[str, object] = {} if kind is Kind.OTHER else {CONF_KIND: kind.value}
        if file is not None:
            given[CONF_NAME] = file.device
        refused = 0 if file is None else len(file.refused)
        return await self._form(
            "kind",
            fields,
            user_input or given,
            error=error,
            placeholders={
                "count": str(len(self._draft.commands)),
                "total": str(len(self._draft.commands) + refused),
                "refused": "" if file is None or not refused else list_reasons(file.refused),
            },
        )

    def _begin(self, kind: Kind, name: str) -> IrhubError | None:
        """Begin with what is known now. Return what is wrong with it."""
        device = self._draft
        if self._file is not None:
            if (error := self._wrong_name(name)) is not None:
                return error
            device = replace(device, name=name.strip())
        if kind is not device.kind:
            device = replace(device, kind=kind, functions={})
            if self._file is not None and self._file.head is not None:
                fits = KINDS_OF_PLATFORMS[self._file.head.platform].platform == kind.platform
                device = replace(device, levels=self._file.head.levels if fits else Levels())
        self._draft = with_meanings(device, device.commands.values())
        return None

    def _wrong_name(self, name: str) -> IrhubError | None:
        """Return what is wrong with the name of a new device."""
        if not (name := name.strip()):
            return UserError("empty_name")
        if (taken := self._devices.known(name)) is None:
            return None
        if taken.commands:
            return UserError("name_taken", device=name, command=list_names(taken.by_name))
        return UserError("appliance_taken", device=name)

    @override
    async def _take_protocol(
        self, protocol: str, fields: Fields, rule: ProtocolRule
    ) -> SubentryFlowResult:
        self._rule, self._file = rule, None
        self._draft = Device(
            id=new_id(str(self._entry.runtime_data.settings.mac)),
            name="",
            kind=Kind.AIR_CONDITIONER,
            rule=Protocol(name=protocol, fields=fields),
            levels=rule.levels,
        )
        return await self.async_step_levels()

    async def async_step_levels(self, user_input: Input = None) -> SubentryFlowResult:
        """Choose what an air conditioner has of what its protocol has."""
        draft, error = self._draft, None
        every = await async_rule_of(self.hass, replace(draft, levels=Levels()))
        if user_input is not None:
            name = user_input.get(CONF_NAME, draft.name)
            if self.source == "user":
                error = self._wrong_name(name)
            modes, fans, swings = (tuple(user_input.get(key, ())) for key in _LEVELS)
            levels = replace(draft.levels, modes=modes, fans=fans, swings=swings)
            wanted = replace(draft, name=name.strip(), levels=levels)
            rule = await async_rule_of(self.hass, wanted) if modes else None
            if error is None and (rule is None or not rule.states):
                error = UserError("no_levels")
            if error is None:
                self._draft, self._rule = wanted, rule
                return await self.async_step_details()
        fields: dict[vol.Marker, object] = {}
        if self.source == "user":
            fields[vol.Required(CONF_NAME)] = TextSelector()
        for key in _LEVELS:
            if every is not None and (options := getattr(every.levels, key)):
                fields[vol.Optional(key)] = select(options, multiple=True)
        given = {key: [*getattr(draft.levels, key)] for key in _LEVELS}
        return await self._form(
            "levels",
            fields,
            user_input or given,
            error=error,
            placeholders={"heard": self._said or ("" if draft.rule is None else draft.rule.name)},
        )

    async def async_step_finish(self, _user_input: Input = None) -> SubentryFlowResult:
        """Keep it; the entity comes with the hub's next set-up, which this begins."""
        draft = self._draft
        try:
            if self.source != "user":
                await self._devices.change(draft, partial(_as_in, draft))
                return self.async_abort(reason="reconfigure_successful")
            self._draft = draft = replace(draft, entity=draft.entity or draft.id)
            if draft.id in self._devices:
                await self._devices.change(draft, partial(_as_in, draft))
            else:
                await self._devices.put(_with_own_ids(draft))
        except IrhubError as err:
            error = await sentence(self.hass, err)
            return self.async_abort(reason="failed", description_placeholders={"error": error})
        area = {} if self._area is None else {CONF_AREA: self._area}
        return self.async_create_entry(
            title=draft.name, data=appliance_data(draft) | area, unique_id=draft.id
        )

    async def async_step_reconfigure(self, _user_input: Input = None) -> SubentryFlowResult:
        """Change a device that is there."""
        self._check_loaded()
        await self._devices.load()
        subentry = self._get_reconfigure_subentry()
        for device in self._devices.values():
            if subentry_of(self._entry, device) is subentry:
                self._draft = device
        try:
            self._rule = await async_rule_of(self.hass, self._draft)
        except UserError as err:
            error = await sentence(self.hass, err)
            return self.async_abort(reason="failed", description_placeholders={"error": error})
        return await self.async_step_ready()

    def _free_devices(self) -> list[str]:
        """Return what the devices are called that have no entity."""
        return [name for name, device in self._devices.by_label.items() if device.entity is None]


def _as_in(draft: Device, now: Device) -> Device:
    """Return a device as its user wants it, with the commands that it has now."""
    return replace(draft, name=now.name, commands=now.commands).only(now.commands)


def _with_own_ids(device: Device) -> Device:
    """Return a new device whose commands are known by more than their names."""
    ids = {id_: f"{device.id}/{quote(id_, safe='')}" for id_ in device.commands}
    buttons = device.settings.buttons
    return replace(
        device,
        commands={
            ids[id_]: replace(command, id=ids[id_]) for id_, command in device.commands.items()
        },
        functions={function: ids[id_] for function, id_ in device.functions.items()},
        settings=replace(device.settings, buttons=buttons and tuple(ids[id_] for id_ in buttons)),
    )


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
