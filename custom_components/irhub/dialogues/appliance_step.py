"""What a device can do, and what it has: asked step by step."""

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

from ..codes.state import State
from ..const import DOMAIN
from ..device_schema import (
    CONF_EMITTER,
    CONF_FOLLOW,
    CONF_HUMIDITY_SENSOR,
    CONF_POWER_SENSOR,
    CONF_TEMPERATURE_SENSOR,
)
from ..devices.device import PLAYERS, Device, Kind
from ..devices.names import FUNCTIONS, values
from ..devices.profile import Profile, profile_of
from ..devices.protocol import ProtocolRule
from ..devices.store import Devices
from ..entry import IrhubConfigEntry
from ..errors import IrhubError, UserError
from ..hub.hub import Hub
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
_LISTS: Final = {
    **dict.fromkeys(PLAYERS, (CONF_SOURCES, "source")),
    Kind.FAN: (CONF_SPEEDS, "speed"),
}
"""Fields for several commands, and the functions that they are."""
_DEVICE_CLASSES: Final[Mapping[Kind, Iterable[str]]] = {
    Kind.COVER: CoverDeviceClass,
    **dict.fromkeys(PLAYERS, MediaPlayerDeviceClass),
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
    """What all steps of a device share, and those that ask for functions and details."""

    _draft: Device
    """The device as it will be."""
    _rule: ProtocolRule | None = None
    """What makes its packets, if they are not commands."""
    _area: str | None = None
    """Where it is put when it is made."""

    async def async_step_functions(self, user_input: Input = None) -> SubentryFlowResult:
        """Show which command does what, to be changed."""
        draft, profile = self._draft, self._profile
        kind = draft.kind
        names = [each.name for id_, each in draft.commands.items() if not self._is_state(id_)]
        known = {function: draft.commands[id_].name for function, id_ in profile.functions.items()}
        several, prefix = _LISTS.get(kind, (None, ""))
        if user_input is not None:
            unit = user_input.pop(CONF_UNIT, None)
            chosen = [] if several is None else user_input.pop(several, [])
            fixed = {*FUNCTIONS[kind], prefix}
            functions = {
                function: command
                for function, command in known.items()
                if function.partition(" ")[0] not in fixed
            }
            functions |= {key: command for key, command in user_input.items() if command}
            was = {command: function for function, command in known.items()}
            for command in chosen:
                functions[was.get(command, f"{prefix} {command}")] = command
            levels, by_name = draft.levels, draft.by_name
            if several == CONF_SPEEDS:
                speeds = [was.get(command, f" {command}").partition(" ")[2] for command in chosen]
                levels = replace(levels, speeds=tuple(speeds))
            if unit is not None:
                levels = replace(levels, unit=UNITS[unit])
            ids = {function: by_name[name].id for function, name in functions.items()}
            self._draft = replace(draft, functions=ids, levels=levels)
            if self._profile.used:
                return await self.async_step_details()
            error: IrhubError | None = UserError("no_functions")
        else:
            error = None
        fields: dict[vol.Marker, object] = {
            vol.Optional(function): select(names) for function in FUNCTIONS[kind]
        }
        given: dict[str, object] = {
            function: known[function] for function in FUNCTIONS[kind] if function in known
        }
        if several is not None:
            fields[vol.Optional(several)] = select(names, multiple=True)
            given[several] = [*values(known, prefix).values()]
        if kind is Kind.AIR_CONDITIONER:
            fields[vol.Required(CONF_UNIT)] = select(UNITS, translation_key="unit")
            given[CONF_UNIT] = next(name for name in UNITS if UNITS[name] == profile.climate.unit)
        return await self._form(
            "functions", fields, given, error=error, placeholders={"found": self._found}
        )

    async def async_step_details(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask for sensors, the area, and which commands get a button."""
        draft, settings = self._draft, self._draft.settings
        error = out_of_range({CONF_POWER_THRESHOLD: (0, MAX_W)}, user_input or {})
        if user_input is not None and error is None:
            buttons = user_input.get(CONF_BUTTONS, "none")
            chosen = settings.buttons or ()
            known: dict[str, Any] = {
                key: user_input.get(key) for key in self._details_keys if key != CONF_AREA
            }
            self._area = user_input.get(CONF_AREA)
            settings = replace(
                settings,
                **known,
                power_threshold=user_input.get(CONF_POWER_THRESHOLD, 0.0),
                follow=user_input.get(CONF_FOLLOW, False),
                buttons={"none": (), "all": None}.get(buttons, chosen),
            )
            self._draft = replace(draft, settings=settings)
            if buttons == "chosen":
                return await self.async_step_buttons()
            return await self.async_step_ready()
        fields: dict[vol.Marker, object] = {}
        for key in self._details_keys:
            fields[vol.Optional(key)] = self._detail(key)
        fields[vol.Optional(CONF_POWER_THRESHOLD)] = number(UnitOfPower.WATT)
        fields[vol.Optional(CONF_FOLLOW, default=settings.follow)] = BooleanSelector()
        if draft.rule is None:
            fields[vol.Required(CONF_BUTTONS)] = select(
                ("none", "chosen", "all"), translation_key="buttons"
            )
        given = {key: getattr(settings, key, self._area) for key in self._details_keys} | {
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
            placeholders={"unused": str(len(self._unused)), "count": str(len(draft.commands))},
        )

    async def async_step_buttons(self, user_input: Input = None) -> SubentryFlowResult:
        """Choose the commands that get a button."""
        if user_input is not None:
            by_name = self._draft.by_name
            chosen = tuple(by_name[name].id for name in user_input.get(CONF_BUTTONS, ()))
            settings = replace(self._draft.settings, buttons=chosen)
            self._draft = replace(self._draft, settings=settings)
            return await self.async_step_ready()
        return await self._form(
            "buttons",
            {vol.Optional(CONF_BUTTONS): select(self._unused, multiple=True)},
            {
                CONF_BUTTONS: [
                    self._draft.commands[id_].name
                    for id_ in self._draft.settings.buttons or ()
                    if id_ in self._draft.commands
                ]
            },
        )

    async def async_step_ready(self, _user_input: Input = None) -> SubentryFlowResult:
        """Show what it will be: to be tried, changed, or kept."""
        return self.async_show_menu(
            step_id="ready",
            menu_options=self._ready_options,
            description_placeholders={
                "device": self._devices.label(self._draft),
                "found": self._found,
            },
        )

    async def async_step_try_it(self, user_input: Input = None) -> SubentryFlowResult:
        """Send a command; as often as the user likes."""
        if user_input is None:
            return await self._form("try_it", self._tried)
        command = user_input[CONF_COMMAND]
        try:
            item = self._draft.named(command) or self._encoded[command]
            await self._devices.send(self._hub, self._draft, [item])
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
    def _devices(self) -> Devices:
        return self._entry.runtime_data.devices

    @property
    def _profile(self) -> Profile:
        return profile_of(self._draft, self._rule)

    def _is_state(self, id_: str) -> bool:
        return id_ in self._profile.climate.states

    @property
    def _encoded(self) -> Mapping[str, bytes]:
        """Return what a rule makes to be tried: off, and one state of each mode."""
        if (rule := self._rule) is None:
            return {}
        states: dict[str, State] = {}
        for state in self._profile.climate.sends:
            states.setdefault(state.mode, state)
        return {"off": rule.off} | {state.label: rule.encode(state) for state in states.values()}

    @property
    def _ready_options(self) -> list[str]:
        of_protocol = self._draft.rule is not None
        return ["finish", "try_it", "levels" if of_protocol else "functions", "details"]

    @property
    def _unused(self) -> list[str]:
        used = self._profile.used
        return [each.name for id_, each in self._draft.commands.items() if id_ not in used]

    @property
    def _found(self) -> str:
        """Return what the device can do, in words that are the same in every language."""
        profile = self._profile
        lines: list[str] = []
        for mode, of in profile.climate.modes.items():
            levels = [_range(of.temperatures), *map(", ".join, (of.presets, of.fans, of.swings))]
            lines.append(f"- {mode}: {' · '.join(filter(None, levels))}")
        if self._rule is not None:
            lines.append("- off: off")
        lines += [
            f"- {function}: {self._draft.commands[id_].name}"
            for function, id_ in profile.functions.items()
        ]
        return "\n".join(lines)

    @property
    def _tried(self) -> dict[vol.Marker, object]:
        """Return the form that asks what to send: of states, one of each mode."""
        profile, commands = self._profile, self._draft.commands
        states: dict[str, str] = {}
        for id_, state in profile.climate.states.items():
            states.setdefault(state.mode, id_)
        ids = [*profile.functions.values(), *states.values()]
        names = dict.fromkeys(
            [*self._encoded, *(commands[id_].name for id_ in ids), *self._unused[:100]]
        )
        return {vol.Required(CONF_COMMAND): select(names)}

    @property
    def _details_keys(self) -> list[str]:
        keys = [CONF_AREA, CONF_POWER_SENSOR, CONF_EMITTER]
        if self._draft.kind is Kind.AIR_CONDITIONER:
            keys[:0] = [CONF_TEMPERATURE_SENSOR, CONF_HUMIDITY_SENSOR]
        if self._draft.kind in _DEVICE_CLASSES:
            keys.append(CONF_DEVICE_CLASS)
        return keys if self.source == "user" else [key for key in keys if key != CONF_AREA]

    def _detail(self, key: str) -> object:
        match key:
            case "area_id":
                return AreaSelector()
            case "device_class":
                return select(_DEVICE_CLASSES[self._draft.kind])
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
        registered = self._entry.runtime_data.registered
        if registered is not None and (area := registered.register_hub().area_id) is not None:
            suggested[CONF_AREA] = area
        if (emitter := self._devices.emitter_of(self._draft)) is not None:
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
