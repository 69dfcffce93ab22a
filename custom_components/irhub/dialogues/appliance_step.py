"""What an appliance can do, and what it has: asked step by step."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from homeassistant.components.cover import CoverDeviceClass
from homeassistant.components.media_player import (  # type: ignore[attr-defined]  # its own names, since 2026.10 imported
    MediaPlayerDeviceClass,
)
from homeassistant.config_entries import ConfigEntryState, ConfigSubentryFlow, SubentryFlowResult
from homeassistant.const import CONF_DEVICE_CLASS, Platform, UnitOfPower
from homeassistant.data_entry_flow import AbortFlow
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.selector import (
    AreaSelector,
    BooleanSelector,
    EntitySelector,
    EntitySelectorConfig,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
import voluptuous as vol

from ..appliances.schema import (
    CONF_EMITTER,
    CONF_FOLLOW,
    CONF_HUMIDITY_SENSOR,
    CONF_POWER_SENSOR,
    CONF_TEMPERATURE_SENSOR,
)
from ..const import DOMAIN
from ..devices.code_file import CodeFile
from ..devices.learned import Codes
from ..devices.names import FUNCTIONS, Kind, values
from ..devices.profile import Profile, profile_of
from ..devices.protocol import ProtocolCommands
from ..devices.settings import ApplianceSettings
from ..entry import IrhubConfigEntry
from ..errors import IrhubError, UserError
from ..formats.head import Levels
from ..hub.hub import DeferredPacket, Hub
from .form import emitter_selector, number, out_of_range, sentence

CONF_AREA: Final = "area_id"
CONF_BUTTONS: Final = "buttons"
CONF_COMMAND: Final = "command"
CONF_POWER_THRESHOLD: Final = "power_threshold"
CONF_SOURCES: Final = "sources"
CONF_SPEEDS: Final = "speeds"
CONF_UNIT: Final = "unit"

UNITS: Final = {"celsius": "C", "fahrenheit": "F"}
MAX_W: Final = 10_000
_LISTS: Final = {Kind.MEDIA_PLAYER: (CONF_SOURCES, "source"), Kind.FAN: (CONF_SPEEDS, "speed")}
"""Fields for several commands, and the functions that they are."""
_DEVICE_CLASSES: Final[Mapping[Kind, Iterable[str]]] = {
    Kind.COVER: CoverDeviceClass,
    Kind.MEDIA_PLAYER: MediaPlayerDeviceClass,
}

type Input = dict[str, Any] | None


def select(
    options: Iterable[str], *, multiple: bool = False, translation_key: str | None = None
) -> SelectSelector:
    """Return a list that drops down."""
    config = SelectSelectorConfig(
        options=[*options], multiple=multiple, mode=SelectSelectorMode.DROPDOWN
    )
    if translation_key is not None:
        config["translation_key"] = translation_key
    return SelectSelector(config)


class ApplianceStep(ConfigSubentryFlow):
    """What all steps of an appliance share, and those that ask for functions and details."""

    _settings: ApplianceSettings
    _commands: Mapping[str, object]
    """What the appliance can be made of: command → packets."""
    _file: CodeFile | None = None
    """Where the commands come from, if they are not the hub's yet."""

    async def async_step_functions(self, user_input: Input = None) -> SubentryFlowResult:
        """Show which command does what, to be changed."""
        settings, profile = self._settings, self._profile
        kind = settings.kind
        states = profile.climate.states
        names = [name for name in self._commands if name not in states]
        several, prefix = _LISTS.get(kind, (None, ""))
        if user_input is not None:
            unit = user_input.pop(CONF_UNIT, None)
            chosen = [] if several is None else user_input.pop(several, [])
            fixed = {*FUNCTIONS[kind], prefix}
            functions = {
                function: command
                for function, command in profile.functions.items()
                if function.partition(" ")[0] not in fixed
            }
            functions |= {key: command for key, command in user_input.items() if command}
            was = {command: function for function, command in profile.functions.items()}
            for command in chosen:
                functions[was.get(command, f"{prefix} {command}")] = command
            levels = settings.levels or Levels()
            if several == CONF_SPEEDS:
                speeds = [was.get(command, f" {command}").partition(" ")[2] for command in chosen]
                levels = replace(levels, speeds=tuple(speeds))
            if unit is not None:
                levels = replace(levels, unit=UNITS[unit])
            self._settings = replace(settings, functions=functions, levels=levels)
            if self._profile.used:
                return await self.async_step_details()
            error: IrhubError | None = UserError("no_functions")
        else:
            error = None
        fields: dict[vol.Marker, object] = {
            vol.Optional(function): select(names) for function in FUNCTIONS[kind]
        }
        given: dict[str, object] = {
            function: profile.functions[function]
            for function in FUNCTIONS[kind]
            if function in profile.functions
        }
        if several is not None:
            fields[vol.Optional(several)] = select(names, multiple=True)
            given[several] = [*values(profile.functions, prefix).values()]
        if kind is Kind.CLIMATE:
            fields[vol.Required(CONF_UNIT)] = select(UNITS, translation_key="unit")
            given[CONF_UNIT] = next(name for name in UNITS if UNITS[name] == profile.climate.unit)
        return await self._form(
            "functions", fields, given, error=error, placeholders={"found": self._found}
        )

    async def async_step_details(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask for sensors, the area, and which commands get a button."""
        settings = self._settings
        error = out_of_range({CONF_POWER_THRESHOLD: (0, MAX_W)}, user_input or {})
        if user_input is not None and error is None:
            buttons = user_input.get(CONF_BUTTONS, "none")
            chosen = settings.buttons or ()
            known = {key: user_input.get(key) for key in self._details_keys}
            self._settings = ApplianceSettings.from_data(
                {
                    **settings.as_data(),
                    **known,
                    CONF_POWER_THRESHOLD: user_input.get(CONF_POWER_THRESHOLD, 0.0),
                    CONF_FOLLOW: user_input.get(CONF_FOLLOW, False),
                    CONF_BUTTONS: {"none": (), "all": None}.get(buttons, chosen),
                }
            )
            if buttons == "chosen":
                return await self.async_step_buttons()
            return await self.async_step_ready()
        fields: dict[vol.Marker, object] = {}
        for key in self._details_keys:
            fields[vol.Optional(key)] = self._detail(key)
        fields[vol.Optional(CONF_POWER_THRESHOLD)] = number(UnitOfPower.WATT)
        fields[vol.Optional(CONF_FOLLOW, default=settings.follow)] = BooleanSelector()
        if settings.protocol is None:
            fields[vol.Required(CONF_BUTTONS)] = select(
                ("none", "chosen", "all"), translation_key="buttons"
            )
        given = {key: getattr(settings, key) for key in self._details_keys} | {
            CONF_POWER_THRESHOLD: settings.power_threshold or None,
            CONF_BUTTONS: "all"
            if settings.buttons is None
            else "chosen"
            if settings.buttons
            else "none",
        }
        if user_input is not None:
            given = user_input
        elif self.source == "user":
            given |= self._suggested()
        return await self._form(
            "details",
            fields,
            {key: value for key, value in given.items() if value is not None},
            error=error,
            placeholders={"unused": str(len(self._unused)), "count": str(len(self._commands))},
        )

    async def async_step_buttons(self, user_input: Input = None) -> SubentryFlowResult:
        """Choose the commands that get a button."""
        if user_input is not None:
            self._settings = replace(
                self._settings, buttons=tuple(user_input.get(CONF_BUTTONS, ()))
            )
            return await self.async_step_ready()
        return await self._form(
            "buttons",
            {vol.Optional(CONF_BUTTONS): select(self._unused, multiple=True)},
            {CONF_BUTTONS: [*(self._settings.buttons or ())]},
        )

    async def async_step_ready(self, _user_input: Input = None) -> SubentryFlowResult:
        """Show what it will be: to be tried, changed, or kept."""
        return self.async_show_menu(
            step_id="ready",
            menu_options=self._ready_options,
            description_placeholders={"device": self._settings.device, "found": self._found},
        )

    async def async_step_try_it(self, user_input: Input = None) -> SubentryFlowResult:
        """Send a command; as often as the user likes."""
        if user_input is None:
            return await self._form("try_it", self._tried)
        command = user_input[CONF_COMMAND]
        try:
            if isinstance(self._commands, ProtocolCommands):
                item: bytes | DeferredPacket = self._commands[command][0]
            elif self._file is None:
                item = self._codes.find(self._settings.device, command)
            else:
                item = self._file.commands[command][0]
            await self._codes.send(self._hub, [item], emitter=self._settings.emitter)
        except IrhubError as err:
            return await self._form("try_it", self._tried, user_input, error=err)
        return self.async_show_menu(
            step_id="tried",
            menu_options=self._ready_options,
            description_placeholders={"command": command},
        )

    async_step_tried = async_step_ready

    @property
    def _entry(self) -> IrhubConfigEntry:
        return self._get_entry()

    @property
    def _hub(self) -> Hub:
        """Return the hub. Raise AbortFlow if it was unloaded or removed meanwhile."""
        self._check_loaded()
        return self._entry.runtime_data.hub

    @property
    def _codes(self) -> Codes:
        return self._entry.runtime_data.codes

    @property
    def _profile(self) -> Profile:
        settings = self._settings
        return profile_of(
            settings.kind,
            self._commands,
            levels=settings.levels,
            functions=settings.functions,
            states=settings.states if self._file is None else self._file.states,
        )

    @property
    def _ready_options(self) -> list[str]:
        of_protocol = self._settings.protocol is not None
        return ["finish", "try_it", "levels" if of_protocol else "functions", "details"]

    @property
    def _unused(self) -> list[str]:
        used = self._profile.used
        return [name for name in self._commands if name not in used]

    @property
    def _found(self) -> str:
        """Return what the appliance can do, in words that are the same in every language."""
        profile = self._profile
        lines: list[str] = []
        for mode, of in profile.climate.modes.items():
            levels = [_range(of.temperatures), *map(", ".join, (of.presets, of.fans, of.swings))]
            lines.append(f"- {mode}: {' · '.join(filter(None, levels))}")
        lines += [f"- {function}: {command}" for function, command in profile.functions.items()]
        return "\n".join(lines)

    @property
    def _tried(self) -> dict[vol.Marker, object]:
        """Return the form that asks what to send: of states, one of each mode."""
        profile = self._profile
        states: dict[str, str] = {}
        by_rule = isinstance(self._commands, ProtocolCommands)
        for state in profile.climate.sends:
            if state.mode not in states:
                sends = state.label if by_rule else profile.climate.sends[state]
                states[state.mode] = str(sends)
        names = dict.fromkeys([*profile.functions.values(), *states.values(), *self._unused[:100]])
        return {vol.Required(CONF_COMMAND): select(names)}

    @property
    def _details_keys(self) -> list[str]:
        keys = [CONF_AREA, CONF_POWER_SENSOR, CONF_EMITTER]
        if self._settings.kind is Kind.CLIMATE:
            keys[:0] = [CONF_TEMPERATURE_SENSOR, CONF_HUMIDITY_SENSOR]
        if self._settings.kind in _DEVICE_CLASSES:
            keys.append(CONF_DEVICE_CLASS)
        return keys if self.source == "user" else [key for key in keys if key != CONF_AREA]

    def _detail(self, key: str) -> object:
        match key:
            case "area_id":
                return AreaSelector()
            case "device_class":
                return select(_DEVICE_CLASSES[self._settings.kind])
            case "emitter":
                return emitter_selector()
            case "power_sensor":
                return EntitySelector(
                    EntitySelectorConfig(domain=["binary_sensor", "switch", "sensor"])
                )
            case _:
                measured = key.removesuffix("_sensor")
                return EntitySelector(EntitySelectorConfig(domain="sensor", device_class=measured))

    def _suggested(self) -> dict[str, str]:
        """Return the hub's own thermometer, and where the hub is."""
        mac = str(self._entry.runtime_data.settings.mac)
        suggested: dict[str, str] = {}
        thermometer = er.async_get(self.hass).async_get_entity_id(
            Platform.SENSOR, DOMAIN, f"{mac}-temperature"
        )
        if thermometer is not None:
            suggested[CONF_TEMPERATURE_SENSOR] = thermometer
        if (area := self._entry.runtime_data.devices.register_hub().area_id) is not None:
            suggested[CONF_AREA] = area
        if (emitter := self._codes.emitter_of(self._settings.device)) is not None:
            suggested[CONF_EMITTER] = emitter
        return suggested

    def _check_loaded(self) -> None:
        if self._entry.state is not ConfigEntryState.LOADED:
            raise AbortFlow("not_loaded")

    async def _form(
        self,
        step_id: str,
        fields: dict[vol.Marker, object],
        given: Mapping[str, Any] | None = None,
        *,
        error: IrhubError | None = None,
        placeholders: Mapping[str, str] | None = None,
    ) -> SubentryFlowResult:
        shown = {**(placeholders or {})}
        if error is not None:
            shown["error"] = await sentence(self.hass, error)
        return self.async_show_form(
            step_id=step_id,
            data_schema=self.add_suggested_values_to_schema(vol.Schema(fields), given),
            errors={} if error is None else {"base": "failed"},
            description_placeholders=shown,
        )


def _range(temperatures: Sequence[float]) -> str:
    return f"{temperatures[0]:g}° … {temperatures[-1]:g}°" if temperatures else ""
