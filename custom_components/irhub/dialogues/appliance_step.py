"""What a device can do, and what it has: one page, and those that it leads to."""

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, override

from homeassistant.components.cover import CoverDeviceClass
from homeassistant.components.media_player import (  # type: ignore[attr-defined]  # its own names, since 2026.10 imported
    MediaPlayerDeviceClass,
)
from homeassistant.config_entries import (
    ConfigEntryState,
    ConfigSubentryFlow,
    SubentryFlowContext,
    SubentryFlowResult,
)
from homeassistant.const import CONF_DEVICE_CLASS, CONF_NAME, Platform, UnitOfPower
from homeassistant.core import callback
from homeassistant.data_entry_flow import AbortFlow, section
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.selector import (
    AreaSelector,
    BooleanSelector,
    EntitySelector,
    EntitySelectorConfig,
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TextSelector,
)
import voluptuous as vol

from .._common.markdown import EscapedPages
from ..const import DOMAIN
from ..devices.device import PLAYERS, Command, Device, Kind, Protocol, free_name
from ..devices.meanings import with_meanings
from ..devices.names import FUNCTIONS, values
from ..devices.profile import Profile, profile_of
from ..devices.rules import CommandRule, PacketRule
from ..devices.store import Devices
from ..entities.use import IrhubConfigEntry
from ..errors import IrhubError, UserError, common_texts
from ..hub.hub import Hub
from ..ircodes import OFF, State
from ..yaml.device_schema import (
    CONF_EMITTER,
    CONF_FOLLOW,
    CONF_HUMIDITY_SENSOR,
    CONF_POWER_SENSOR,
    CONF_TEMPERATURE_SENSOR,
)
from .form import clicked_twice, emitter_selector, number, out_of_range, sentence
from .words import Words, words

CONF_AREA: Final = "area_id"
CONF_BUTTONS: Final = "buttons"
CONF_COMMAND: Final = "command"
CONF_KIND: Final = "kind"
CONF_MORE: Final = "more"
CONF_POWER_THRESHOLD: Final = "power_threshold"
CONF_SOURCES: Final = "sources"
CONF_SPEEDS: Final = "speeds"
CONF_THEN: Final = "then"
CONF_UNIT: Final = "unit"

UNITS: Final = {"celsius": "C", "fahrenheit": "F"}
MAX_W: Final = 10_000
MAX_BUTTONS: Final = 100
"""Of what its entity does not use, so many commands get buttons unasked."""
_LISTS: Final = {
    **dict.fromkeys(PLAYERS, (CONF_SOURCES, "source")),
    Kind.FAN: (CONF_SPEEDS, "speed"),
}
"""Fields for several commands, and the functions that they are."""
_DEVICE_CLASSES: Final[Mapping[Kind, Iterable[str]]] = {
    Kind.COVER: CoverDeviceClass,
    Kind.PLAYER: MediaPlayerDeviceClass,
}
"""Of the others, their kind says it."""
_POWERED: Final = frozenset({Kind.AIR_CONDITIONER, *PLAYERS, Kind.FAN, Kind.LIGHT})
"""What takes so little current when it is off that a sensor may tell."""

type Input = dict[str, Any] | None
type Then = Mapping[str, Callable[[], Awaitable[SubentryFlowResult]]]
"""What can come after the page of a device: an option → its step."""


def select(
    options: Iterable[str],
    *,
    multiple: bool = False,
    translation_key: str | None = None,
    custom: bool = False,
    called: Callable[[str], str] | None = None,
) -> SelectSelector:
    """Return a list that drops down; `custom`: one may type what it has not.

    `called` returns what an option is called.
    """
    config = SelectSelectorConfig(
        options=[*options]
        if called is None
        else [SelectOptionDict(value=each, label=called(each)) for each in options],
        multiple=multiple,
        mode=SelectSelectorMode.DROPDOWN,
        custom_value=custom,
    )
    if translation_key is not None:
        config["translation_key"] = translation_key
    return SelectSelector(config)


class ApplianceStep(
    EscapedPages[SubentryFlowContext, SubentryFlowResult, tuple[str, str]], ConfigSubentryFlow
):
    """What all steps of a device share, and its page: what it can do, what it has, what next."""

    _kind: Kind
    """What it is, as its owner says."""
    _draft: Device
    """The device as it will be."""
    _rule: PacketRule | None = None
    """What makes its packets, if they are not commands."""
    _area: str | None = None
    """Where it is put when it is made."""
    _note = ""
    """What the device's page says besides."""
    _problem: tuple[str, IrhubError] | None = None
    """The step whose page says what went wrong, and that."""

    @callback
    @override
    def async_show_menu(self, **shown: Any) -> SubentryFlowResult:
        return clicked_twice(super().async_show_menu(**shown))

    @callback
    @override
    def async_show_form(self, **shown: Any) -> SubentryFlowResult:
        return clicked_twice(super().async_show_form(**shown))

    @abstractmethod
    async def async_step_finish(self, user_input: Input = None) -> SubentryFlowResult:
        """Keep the device."""

    @abstractmethod
    async def async_step_levels(self, user_input: Input = None) -> SubentryFlowResult:
        """Choose what an air conditioner has of what its protocol has."""

    @abstractmethod
    async def async_step_learn_remote(self, user_input: Input = None) -> SubentryFlowResult:
        """Learn buttons of its remote control."""

    def _problem_of(self, step_id: str) -> IrhubError | None:
        """Return what the page of a step has to say that went wrong; no other page says it.

        Home Assistant asks for a page twice after progress.
        """
        page, problem = self._problem or ("", None)
        return problem if page == step_id else None

    async def _problem_text(self, step_id: str) -> str:
        """Return the same as a sentence, empty if there is nothing."""
        problem = self._problem_of(step_id)
        return "" if problem is None else await sentence(self.hass, problem)

    async def _show_device(self, device: Device) -> SubentryFlowResult:
        """Show what a new device can do; ask for that first if nothing is known."""
        self._draft = self._with_suggestions(device)
        if self._is_useful:
            return await self.async_step_ready()
        return await self.async_step_functions()

    @property
    def _is_useful(self) -> bool:
        return (
            self._draft.kind.platform is None or self._rule is not None or bool(self._profile.used)
        )

    def _with_suggestions(self, device: Device) -> Device:
        """Return a new device with what the hub has for it, and buttons for what is left."""
        settings, mac = device.settings, str(self._entry.runtime_data.settings.mac)
        registry = er.async_get(self.hass)
        suggested: dict[str, Any] = {}
        if device.kind is Kind.AIR_CONDITIONER:
            for key, of in (
                (CONF_TEMPERATURE_SENSOR, "temperature"),
                (CONF_HUMIDITY_SENSOR, "humidity"),
            ):
                sensor = registry.async_get_entity_id(Platform.SENSOR, DOMAIN, f"{mac}-{of}")
                suggested[key] = getattr(settings, key) or sensor
        if device.kind is Kind.COVER:
            suggested[CONF_DEVICE_CLASS] = settings.device_class or CoverDeviceClass.BLIND
        suggested[CONF_EMITTER] = self._devices.emitter_of(device)
        used = profile_of(device, self._rule).used
        if not settings.buttons and len(device.commands.keys() - used) <= MAX_BUTTONS:
            suggested[CONF_BUTTONS] = None
        return replace(device, settings=replace(settings, **suggested))

    async def async_step_ready(self, user_input: Input = None) -> SubentryFlowResult:
        """Show what it will be; where it is and what it has are asked, and what comes next."""
        error = self._problem_of("ready")
        if user_input is not None:
            self._problem = None
            buttons = self._buttons
            if (error := self._keep(user_input)) is None:
                if buttons != "chosen" == user_input.get(CONF_MORE, {}).get(CONF_BUTTONS):
                    return await self.async_step_buttons()
                return await self._then[user_input.get(CONF_THEN, "finish")]()
        fields: dict[vol.Marker, object] = {}
        given: dict[str, Any] = {CONF_THEN: "finish", CONF_MORE: self._given_more}
        if self._is_new:
            fields[vol.Required(CONF_NAME)] = TextSelector()
            given[CONF_NAME] = self._draft.name
        if self.source == "user" and self._draft.kind.platform is not None:
            fields[vol.Optional(CONF_AREA)] = AreaSelector()
            if (area := self._area or self._area_of_hub) is not None:
                given[CONF_AREA] = area
        of_language = await words(self.hass)
        if more := self._more_fields(of_language):
            fields[vol.Optional(CONF_MORE)] = section(vol.Schema(more), {"collapsed": True})
        fields[vol.Required(CONF_THEN)] = SelectSelector(
            SelectSelectorConfig(
                options=[*self._then], mode=SelectSelectorMode.LIST, translation_key="then"
            )
        )
        kind = of_language.kind(self._draft.kind)
        return await self._form(
            "ready",
            fields,
            given | (user_input or {}),
            error=error,
            placeholders={
                "device": self._devices.label(self._draft) or kind,
                "kind": kind,
                "found": of_language.found(self._draft, self._profile),
                "commands": await self._counted(),
                "note": self._note,
            },
        )

    async def _counted(self) -> str:
        """Return how many commands the device has; nothing if a rule makes what it sends."""
        if not self._draft.commands and self._rule is not None:
            return ""
        texts = await common_texts(self.hass)
        return texts["command_count"].format(count=len(self._draft.commands))

    @property
    def _then(self) -> Then:
        """Return what can come after the page of a device."""
        draft = self._draft
        steps = {"finish": self.async_step_finish, "try_it": self.async_step_try_it}
        if draft.rule is None:
            if draft.kind.platform is not None:
                steps["functions"] = self.async_step_functions
            if not self._is_new and draft.kind is not Kind.AIR_CONDITIONER:
                steps["learn_remote"] = self.async_step_learn_remote
            if self._buttons == "chosen":
                steps["buttons"] = self.async_step_buttons
            steps["kind"] = self.async_step_kind
        elif isinstance(draft.rule, Protocol):
            steps["levels"] = self.async_step_levels
        return steps

    @property
    def _more_keys(self) -> list[str]:
        """Return the settings that fit the kind."""
        kind = self._draft.kind
        keys = [CONF_TEMPERATURE_SENSOR, CONF_HUMIDITY_SENSOR] * (kind is Kind.AIR_CONDITIONER)
        keys += [CONF_DEVICE_CLASS] * (kind in _DEVICE_CLASSES)
        keys += [CONF_POWER_SENSOR, CONF_POWER_THRESHOLD] * (kind in _POWERED)
        return [*keys, CONF_FOLLOW, *([] if self._draft.is_radio else [CONF_EMITTER])]

    def _more_fields(self, of_language: Words) -> dict[vol.Marker, object]:
        if self._draft.kind.platform is None:
            return {}
        fields: dict[vol.Marker, object] = {
            vol.Optional(key): self._field_of(key, of_language) for key in self._more_keys
        }
        if self._unused:
            fields[vol.Required(CONF_BUTTONS)] = select(
                ("all", "chosen", "none"), translation_key="buttons"
            )
        return fields

    @property
    def _given_more(self) -> dict[str, Any]:
        said = {key: getattr(self._draft.settings, key) for key in self._more_keys}
        said[CONF_BUTTONS] = self._buttons
        return {key: value for key, value in said.items() if value not in (None, 0.0)}

    @property
    def _buttons(self) -> str:
        """Return for which of the commands that its entity does not use there are buttons."""
        if self._draft.settings.buttons is None:
            return "all"
        return "chosen" if self._draft.settings.buttons else "none"

    def _keep(self, said: Mapping[str, Any]) -> IrhubError | None:
        """Keep what the page of a device says. Return what is wrong with that."""
        more = said.get(CONF_MORE, {})
        if (error := out_of_range({CONF_POWER_THRESHOLD: (0, MAX_W)}, more)) is not None:
            return error
        if self._is_new:
            if not (name := said.get(CONF_NAME, self._draft.name).strip()):
                return UserError("empty_name")
            self._draft = replace(self._draft, name=self._free(name))
        self._area, self._note = said.get(CONF_AREA), ""
        if CONF_MORE in said:
            self._keep_more(more)
        return None

    def _keep_more(self, said: Mapping[str, Any]) -> None:
        settings = self._draft.settings
        known: dict[str, Any] = {key: said.get(key) for key in self._more_keys}
        if CONF_POWER_THRESHOLD in known:
            known[CONF_POWER_THRESHOLD] = said.get(CONF_POWER_THRESHOLD, 0.0)
        known[CONF_FOLLOW] = said.get(CONF_FOLLOW, False)
        match said.get(CONF_BUTTONS, self._buttons):
            case "all":
                known[CONF_BUTTONS] = None
            case "none":
                known[CONF_BUTTONS] = ()
            case _:
                known[CONF_BUTTONS] = settings.buttons or ()
        self._draft = replace(self._draft, settings=replace(settings, **known))

    async def async_step_kind(self, user_input: Input = None) -> SubentryFlowResult:
        """Say that it is something else."""
        if user_input is not None:
            self._kind = Kind(user_input[CONF_KIND])
            return await self._show_device(self._as(self._draft, self._kind))
        return await self._form(
            "kind",
            {vol.Required(CONF_KIND): select(Kind, translation_key="kind")},
            {CONF_KIND: self._draft.kind.value},
        )

    def _as(self, device: Device, kind: Kind) -> Device:
        """Return a device as one of a kind, with what the names of its commands say for that."""
        if kind is not device.kind:
            device = replace(device, kind=kind, functions={})
        return with_meanings(device, device.commands.values())

    async def async_step_functions(self, user_input: Input = None) -> SubentryFlowResult:
        """Show which command does what, to be changed."""
        draft, profile = self._draft, self._profile
        kind = draft.kind
        names = [each.name for id_, each in draft.commands.items() if not self._is_state(id_)]
        known = {function: draft.commands[id_].name for function, id_ in draft.functions.items()}
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
            by_name = draft.by_name
            if several == CONF_SPEEDS:
                speeds = [was.get(command, f" {command}").partition(" ")[2] for command in chosen]
                draft = replace(draft, steps=replace(draft.steps, speeds=tuple(speeds)))
            if unit is not None:
                capabilities = replace(draft.capabilities, unit=UNITS[unit])
                draft = replace(draft, capabilities=capabilities)
            ids = {function: by_name[name].id for function, name in functions.items()}
            self._draft = replace(draft, functions=ids)
            if self._is_useful:
                return await self.async_step_ready()
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
            of_codes = profile.rule.capabilities.unit
            given[CONF_UNIT] = next(name for name, unit in UNITS.items() if unit == of_codes)
        return await self._form("functions", fields, given, error=error)

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

    async def async_step_try_it(self, user_input: Input = None) -> SubentryFlowResult:
        """Send a command, and come back; as often as the user likes."""
        items, error = await self._sendable(), None
        if user_input is not None:
            command = user_input[CONF_COMMAND]
            try:
                await self._devices.send(self._hub, self._draft, [items[command]])
            except IrhubError as err:
                error = err
            else:
                texts = await common_texts(self.hass)
                self._note = texts["was_sent"].format(command=command)
                return await self.async_step_ready()
        return await self._form(
            "try_it", {vol.Required(CONF_COMMAND): select(items)}, user_input, error=error
        )

    async def _sendable(self) -> dict[str, Command | bytes]:
        """Return what can be tried, by its name: of the states of an air conditioner, a few."""
        of_language, profile, commands = await words(self.hass), self._profile, self._draft.commands
        states: dict[str, State] = {}
        for state in (rule := profile.rule).offered:
            states.setdefault(state.mode, state)
        items: dict[str, Command | bytes] = {}
        ids = [*profile.functions.values()]
        if isinstance(rule, CommandRule):
            ids += map(rule.encode, states.values())
        else:
            if rule.off is not None:
                items[of_language.state(OFF)] = rule.off
            items |= {of_language.state(state): rule.encode(state) for state in states.values()}
        names = [commands[id_].name for id_ in ids]
        return items | {name: self._draft.by_name[name] for name in [*names, *self._unused[:100]]}

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
        rule = self._profile.rule
        return isinstance(rule, CommandRule) and id_ in rule.meanings

    @property
    def _unused(self) -> list[str]:
        used = self._profile.used
        return [each.name for id_, each in self._draft.commands.items() if id_ not in used]

    def _field_of(self, key: str, of_language: Words) -> object:
        match key:
            case "device_class":
                domain = str(self._draft.kind.platform)
                options = [
                    SelectOptionDict(value=each, label=of_language.device_class(domain, each))
                    for each in _DEVICE_CLASSES[self._draft.kind]
                ]
                return SelectSelector(
                    SelectSelectorConfig(options=options, mode=SelectSelectorMode.DROPDOWN)
                )
            case "emitter":
                return emitter_selector()
            case "follow":
                return BooleanSelector()
            case "power_sensor":
                return EntitySelector(
                    EntitySelectorConfig(domain=["binary_sensor", "switch", "sensor"])
                )
            case "power_threshold":
                return number(UnitOfPower.WATT)
            case _:
                measured = key.removesuffix("_sensor")
                return EntitySelector(EntitySelectorConfig(domain="sensor", device_class=measured))

    @property
    def _is_new(self) -> bool:
        """Return whether the device is not kept yet."""
        return self._draft.id not in self._devices

    @property
    def _area_of_hub(self) -> str | None:
        registered = self._entry.runtime_data.registered
        return None if registered is None else registered.register_hub().area_id

    def _free(self, name: str) -> str:
        """Return a name that no other device has: "Fan 2" if there is a fan."""
        others = [each for each in self._devices.values() if each.id != self._draft_id]
        return free_name(
            name.strip(), {*(each.name for each in others), *map(self._devices.label, others)}
        )

    @property
    def _draft_id(self) -> str | None:
        return self._draft.id if hasattr(self, "_draft") else None

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
