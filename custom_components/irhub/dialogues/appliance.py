"""Add what a hub controls: what is it, how does it come to its commands, and what that makes."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, override
from urllib.parse import quote

from homeassistant.components.file_upload import process_uploaded_file
from homeassistant.config_entries import SubentryFlowResult
from homeassistant.const import CONF_DEVICE
from homeassistant.core import HomeAssistant
from homeassistant.helpers.selector import (
    FileSelector,
    FileSelectorConfig,
    TextSelector,
    TextSelectorConfig,
)
import voluptuous as vol

from ..devices.code_file import CodeFile, read_file, understand
from ..devices.device import KINDS_OF_PLATFORMS, Device, Kind, Protocol, Taught, new_id
from ..devices.taken_over import appliance_data
from ..entities.device_setup import async_rule_of
from ..entities.subentries import subentry_of
from ..errors import IrhubError, UserError, common_texts, list_reasons
from ..hub.library import Capability
from ..ircodes import FOLDERS, SUFFIXES, Capabilities, Fields, Levels, ProtocolRule
from ..yaml.device_schema import CONF_FILE
from .appliance_step import CONF_AREA, Input, select
from .faults import FaultsFlow
from .form import sentence
from .press import PressFlow
from .words import words

CONF_PATH: Final = "path"
CONF_TEXT: Final = "text"

MAX_FILES: Final = 1000
_LEVELS: Final = ("modes", "fans", "swings")

type Step = Callable[[ApplianceFlow, Input], Coroutine[None, None, SubentryFlowResult]]


def _what(kind: Kind) -> Step:
    async def what(self: ApplianceFlow, _user_input: Input = None) -> SubentryFlowResult:
        self._kind = kind
        return await self.async_step_how()

    return what


class ApplianceFlow(FaultsFlow, PressFlow):
    """Asks what a device is, and how it comes to its commands; shows what that makes."""

    async def async_step_user(self, _user_input: Input = None) -> SubentryFlowResult:
        """Ask what it is."""
        self._check_loaded()
        await self._devices.load()
        return self.async_show_menu(step_id="user", menu_options=[*Kind])

    async_step_air_conditioner = _what(Kind.AIR_CONDITIONER)
    async_step_television = _what(Kind.TELEVISION)
    async_step_receiver = _what(Kind.RECEIVER)
    async_step_projector = _what(Kind.PROJECTOR)
    async_step_player = _what(Kind.PLAYER)
    async_step_fan = _what(Kind.FAN)
    async_step_light = _what(Kind.LIGHT)
    async_step_cover = _what(Kind.COVER)
    async_step_other = _what(Kind.OTHER)

    @override
    async def async_step_how(self, _user_input: Input = None) -> SubentryFlowResult:
        """Ask how it comes to its commands, the best way first."""
        await self._end_listening()
        self._pressed = None
        learns, is_climate = self._hub.can(Capability.LEARN), self._kind is Kind.AIR_CONDITIONER
        options = {
            "press_button": learns,
            "learn_remote": learns and not is_climate,
            "maker_and_model": self._kind is not Kind.COVER,  # the collection has none
            "file": True,
            "commands": self._kind is not Kind.OTHER and bool(self._free_devices()),
            "user": True,
        }
        return self.async_show_menu(
            step_id="how",
            menu_options=[step for step, is_offered in options.items() if is_offered],
        )

    async def async_step_file(self, user_input: Input = None) -> SubentryFlowResult:
        """Take a code file: of this computer, of the configuration folder, or as text."""
        error: IrhubError | None = None
        if user_input is not None:
            try:
                file = await self.hass.async_add_executor_job(partial(_read, self.hass, user_input))
                file.check()
                return await self._go_on(file)
            except ValueError as err:
                error = UserError("not_imported", error=err)
            except IrhubError as err:
                error = err
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
        device = Device(
            id=new_id(str(self._entry.runtime_data.settings.mac)),
            name=self._free(file.device),
            manufacturer=file.manufacturer,
            model=", ".join(file.models),
        )
        device = file.on(device)
        self._rule = await async_rule_of(self.hass, device)
        if file.whole is not None:
            return await self._show_device(device)
        kind = self._kind
        if file.head is not None and kind.platform != file.head.platform:
            kind = KINDS_OF_PLATFORMS[file.head.platform]  # the file says what it is
        texts, refused = await common_texts(self.hass), len(file.refused)
        if refused:
            self._note = texts["not_usable"].format(
                count=refused,
                total=refused + len(device.commands),
                reasons=list_reasons(file.refused),
            )
        await self._look_for_faults(device)
        return await self._show_device(self._as(device, kind))

    async def async_step_commands(self, user_input: Input = None) -> SubentryFlowResult:
        """Choose a device that the hub has commands of."""
        if user_input is not None:
            self._rule = None
            device = self._devices.named(user_input[CONF_DEVICE])
            return await self._show_device(self._as(device, self._kind))
        return await self._form(
            "commands", {vol.Required(CONF_DEVICE): select(self._free_devices())}
        )

    @override
    async def _take_protocol(
        self, protocol: str, fields: Fields, rule: ProtocolRule
    ) -> SubentryFlowResult:
        self._rule = rule
        maker, words_of = protocol.partition(" ")[0], await words(self.hass)
        self._draft = Device(
            id=new_id(str(self._entry.runtime_data.settings.mac)),
            name=self._free(f"{maker} {words_of.kind(Kind.AIR_CONDITIONER)}"),
            kind=Kind.AIR_CONDITIONER,
            rule=Protocol(name=protocol, fields=fields),
            capabilities=rule.chosen.listed,
        )
        self._draft = self._with_suggestions(self._draft)
        return await self.async_step_levels()

    @override
    async def async_step_levels(self, user_input: Input = None) -> SubentryFlowResult:
        """Choose what an air conditioner has of what its protocol has."""
        draft, error = self._draft, None
        every = await async_rule_of(self.hass, replace(draft, capabilities=Capabilities()))
        if user_input is not None:
            modes, fans, swings = (tuple(user_input.get(key, ())) for key in _LEVELS)
            capabilities = Capabilities.alike(
                modes, Levels(fans=fans, swings=swings), unit=draft.capabilities.unit
            )
            wanted = replace(draft, capabilities=capabilities)
            rule = await async_rule_of(self.hass, wanted) if modes else None
            if rule is not None and rule.states:
                self._draft, self._rule = wanted, rule
                return await self.async_step_ready()
            error = UserError("no_levels")
        of_language = await words(self.hass)
        called: dict[str, Callable[[str], str]] = {
            "modes": of_language.mode,
            "fans": partial(of_language.level, "fan_mode"),
            "swings": partial(of_language.level, "swing_mode"),
        }
        fields: dict[vol.Marker, object] = {}
        if isinstance(every, ProtocolRule):
            for key, options in _listed(every.chosen).items():
                if options:
                    fields[vol.Optional(key)] = select(options, multiple=True, called=called[key])
        return await self._form(
            "levels",
            fields,
            user_input or _listed(draft.capabilities),
            error=error,
            placeholders={
                "heard": self._said or (draft.rule.name if isinstance(draft.rule, Protocol) else "")
            },
        )

    @override
    async def async_step_finish(self, _user_input: Input = None) -> SubentryFlowResult:
        """Keep it; its entity comes, or changes, by itself."""
        draft = self._draft
        if draft.kind.platform is not None:
            draft = replace(draft, entity=draft.entity or draft.id)
        elif self.source == "user":
            draft = replace(draft, entity=None)
        try:
            if draft.id in self._devices:
                await self._devices.change(draft, partial(_as_in, draft))
            else:
                await self._devices.put(_with_own_ids(draft))
        except IrhubError as err:
            self._problem = "ready", err
            return await self.async_step_ready()
        if self.source != "user":
            return self.async_abort(reason="reconfigure_successful")
        if draft.entity is None:
            return self.async_abort(
                reason="buttons_added", description_placeholders={"device": draft.name}
            )
        if isinstance(draft.rule, Taught):
            self._forget_teaching()
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
                self._draft, self._kind = device, device.kind
        try:
            self._rule = await async_rule_of(self.hass, self._draft)
        except UserError as err:
            error = await sentence(self.hass, err)
            return self.async_abort(reason="failed", description_placeholders={"error": error})
        return await self.async_step_ready()

    def _free_devices(self) -> list[str]:
        """Return what the devices are called that have no entity."""
        return [name for name, device in self._devices.by_label.items() if device.entity is None]


def _listed(capabilities: Capabilities) -> dict[str, list[str]]:
    """Return modes, fan speeds and swings, as a form has them."""
    levels = capabilities.levels
    return dict(zip(_LEVELS, ([*capabilities], [*levels.fans], [*levels.swings]), strict=True))


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
