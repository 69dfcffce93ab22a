"""Subentry flow of a sensor: choose a topic, configure it, try it, save it."""

import asyncio
from types import MappingProxyType
from typing import Any, Final

from homeassistant.config_entries import (
    SOURCE_RECONFIGURE,
    ConfigSubentry,
    ConfigSubentryFlow,
    SubentryFlowContext,
    SubentryFlowResult,
)
from homeassistant.const import (
    CONF_NAME,
    CONF_PAYLOAD_OFF,
    CONF_PAYLOAD_ON,
    CONF_UNIQUE_ID,
)
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.selector import (
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TextSelector,
)
import voluptuous as vol

from . import const
from ._common.markdown import EscapedPages, Markdown, bullets, code
from .core_sensors.announced import CoreSensor, CoreSensors, are_there, async_find
from .core_sensors.merging import DEFAULTS, without_defaults
from .core_sensors.replacing import ENDING, is_replaced
from .data import DATA
from .schema import subscribe_topic
from .sensor_fields import DETAILS, async_note, async_reading_schema, core_sensor_options
from .subentry_settings import settings_of
from .trial import TRY_S, TrialResult, async_try
from .watching.candidates import Candidate, candidates_in, is_certain
from .watching.recording import LeftOut, Recording
from .watching.watch import WATCH_S, async_watch

EXAMPLE: Final = "{{ value_json.motion }}"

_BELOW: Final = "below"
_CANDIDATE: Final = "candidate"
_SENSORS: Final = "sensors"

type Input = dict[str, Any] | None

_ERRORS: Final = {
    const.CONF_STATE_TOPIC: "invalid_topic",
    const.CONF_AVAILABILITY_TOPIC: "invalid_topic",
    CONF_PAYLOAD_OFF: "same_payload",
}


class SensorFlow(
    EscapedPages[SubentryFlowContext, SubentryFlowResult, tuple[str, str]], ConfigSubentryFlow
):
    """Adds or changes a sensor."""

    def __init__(self) -> None:
        self._entered: dict[str, Any] = {**DEFAULTS}
        self._trial: asyncio.Task[TrialResult | None] | None = None
        self._search: asyncio.Task[CoreSensors] | None = None
        self._core_sensors: dict[str, CoreSensor] = {}
        self._refused: list[str] = []
        """A line for each core sensor that cannot be taken over."""
        self._below = ""
        self._watch: asyncio.Task[Recording] | None = None
        self._candidates: list[Candidate] = []
        self._left_out: dict[LeftOut, dict[str, int]] = {}
        self._unmatched = ""
        """The last payload, if it was neither on nor off."""
        self._cores: list[CoreSensor] = []
        """The core sensors to take over."""

    async def async_step_reconfigure(self, _user_input: Input = None) -> SubentryFlowResult:
        """Begin with the current configuration of the sensor."""
        self._entered = {**DEFAULTS, **self._get_reconfigure_subentry().data}
        return await self.async_step_read()

    async def async_step_user(self, _user_input: Input = None) -> SubentryFlowResult:
        """Ask whether to enter a topic, watch a device, or take over core's sensors."""
        if not self._is_connected:
            return await self.async_step_read()
        discovered = ["discovered"] if are_there(self.hass) else []
        return self.async_show_menu(step_id="user", menu_options=["read", "watch", *discovered])

    async def async_step_watch(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask which topics to watch, and explain what to do meanwhile."""
        errors: dict[str, str] = {}
        if user_input is not None:
            below = user_input.get(_BELOW, "").strip().strip("/")
            try:
                subscribe_topic(f"{below}/#" if below else "#")
            except vol.Invalid:
                errors = {_BELOW: "invalid_topic"}
            else:
                self._below = below
                return await self.async_step_watching()
        return self.async_show_form(
            step_id="watch",
            data_schema=vol.Schema({vol.Optional(_BELOW): TextSelector()}),
            errors=errors,
            last_step=False,
        )

    async def async_step_watching(self, _user_input: Input = None) -> SubentryFlowResult:
        """Watch while the user operates the device."""
        if self._watch is None:
            prefix = self._get_entry().options[const.CONF_DISCOVERY_PREFIX]
            self._watch = self.hass.async_create_task(
                async_watch(self.hass, self._below, {prefix}, is_certain)
            )
        if not self._watch.done():
            return self.async_show_progress(
                step_id="watching",
                progress_action="watching",
                progress_task=self._watch,
                description_placeholders={"seconds": str(int(WATCH_S))},
            )
        watch, self._watch = self._watch, None
        recording = await watch
        self._candidates, self._left_out = candidates_in(recording), recording.left_out
        return self.async_show_progress_done(
            next_step_id="candidates" if self._candidates else "saw_nothing"
        )

    async def async_step_saw_nothing(self, _user_input: Input = None) -> SubentryFlowResult:
        """Report that no topic changed on and off."""
        return self.async_show_menu(
            step_id="saw_nothing",
            menu_options=["watch", "read"],
            description_placeholders={"note": await self._note_on_watching()},
        )

    async def async_step_candidates(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask which topic to use; the most likely is first."""
        if user_input is not None:
            candidate = self._candidates[int(user_input[_CANDIDATE])]
            self._entered = {**DEFAULTS, **candidate.config}
            return await self.async_step_read()
        options = [
            SelectOptionDict(value=str(number), label=candidate.label)
            for number, candidate in enumerate(self._candidates)
        ]
        select = SelectSelector(SelectSelectorConfig(options=options, mode=SelectSelectorMode.LIST))
        return self.async_show_form(
            step_id="candidates",
            data_schema=vol.Schema({vol.Required(_CANDIDATE): select}),
            description_placeholders={
                "count": str(len(options)),
                "note": await self._note_on_watching(),
            },
            last_step=False,
        )

    async def _note_on_watching(self) -> Markdown:
        """Return paragraphs on messages that were left out: the topics, and how many each."""
        notes = [
            await async_note(
                self.hass,
                reason,
                [f"{topic}: {count}" for topic, count in self._left_out[reason].items()],
                limit=reason.limit,
            )
            for reason in LeftOut
            if reason in self._left_out
        ]
        return Markdown("".join(notes))

    async def async_step_discovered(self, _user_input: Input = None) -> SubentryFlowResult:
        """Search for sensors that devices announce to core."""
        if self._search is None:
            self._search = self.hass.async_create_task(async_find(self.hass))
        if not self._search.done():
            return self.async_show_progress(
                step_id="discovered", progress_action="searching", progress_task=self._search
            )
        result = await self._search
        self._core_sensors = {sensor.registry_id: sensor for sensor in result.usable}
        self._refused = result.refused
        return self.async_show_progress_done(next_step_id="which")

    async def async_step_which(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask which of core's sensors to take over: one, several, or all of a device."""
        is_offered = bool(self._core_sensors)
        note = await async_note(self.hass, "not_offered", self._refused, is_open=not is_offered)
        if not is_offered:
            return self.async_abort(
                reason="none_usable" if self._refused else "nothing_announced",
                description_placeholders={"note": note},
            )
        errors: dict[str, str] = {}
        if user_input is not None:
            chosen = user_input.get(_SENSORS, [])
            self._cores = [
                sensor
                for sensor in self._core_sensors.values()
                if sensor.registry_id in chosen or sensor.device_id in chosen
            ]
            if len(self._cores) > 1:
                return await self.async_step_place()
            if self._cores:
                [core] = self._cores
                self._entered = {**DEFAULTS, **_config_of(core)}
                return await self.async_step_read()
            errors = {"base": "nothing_chosen"}
        select = SelectSelector(
            SelectSelectorConfig(
                options=core_sensor_options(self._core_sensors.values()),
                multiple=True,
                mode=SelectSelectorMode.DROPDOWN,
            )
        )
        return self.async_show_form(
            step_id="which",
            data_schema=vol.Schema({vol.Optional(_SENSORS): select}),
            errors=errors,
            description_placeholders={"count": str(len(self._core_sensors)), "note": note},
            last_step=False,
        )

    async def async_step_read(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask for the topic and how its payloads are read."""
        schema = await async_reading_schema(self.hass)
        errors = self._store_input(schema, user_input)
        if user_input is not None and not errors:
            return await self.async_step_details()
        return self._form("read", schema, errors)

    async def async_step_details(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask for delays, expiry and availability."""
        errors = self._store_input(DETAILS, user_input)
        if user_input is not None and not errors:
            return await self.async_step_try_it()
        return self._form("details", DETAILS, errors)

    async def async_step_try_it(self, _user_input: Input = None) -> SubentryFlowResult:
        """Wait for a message, to show its effect."""
        if not self._is_connected:
            return self._menu("not_connected")
        if self._trial is None:
            settings = settings_of(self._data, self.flow_id)
            self._trial = self.hass.async_create_task(async_try(self.hass, settings))
        if not self._trial.done():
            return self.async_show_progress(
                step_id="try_it",
                progress_action="listening",
                progress_task=self._trial,
                description_placeholders={
                    "topic": self._entered[const.CONF_STATE_TOPIC],
                    "seconds": str(TRY_S),
                },
            )
        return self.async_show_progress_done(next_step_id="tried")

    async def async_step_tried(self, _user_input: Input = None) -> SubentryFlowResult:
        """Show the effect of the message."""
        result, self._trial = await self._result(), None
        if result is None:
            return self._menu("heard_nothing")
        match result.value:
            case True:
                step = "heard_on"
            case False:
                step = "heard_off"
            case None:
                step = "heard_unknown"
            case _:
                step = "heard_ignored"
                self._unmatched = result.whole_output
        return self._menu(step, result)

    async def async_step_is_on(self, _user_input: Input = None) -> SubentryFlowResult:
        """Add the last payload to the payloads for on."""
        return await self._add_payload(CONF_PAYLOAD_ON, CONF_PAYLOAD_OFF)

    async def async_step_is_off(self, _user_input: Input = None) -> SubentryFlowResult:
        """Add the last payload to the payloads for off."""
        return await self._add_payload(CONF_PAYLOAD_OFF, CONF_PAYLOAD_ON)

    async def _add_payload(self, key: str, other_key: str) -> SubentryFlowResult:
        """Add the unmatched payload to those of a state, replacing the default payload."""
        for payloads in (key, other_key):
            excluded = [self._unmatched, *DEFAULTS[payloads]]
            entered = self._entered.get(payloads, [])
            self._entered[payloads] = [payload for payload in entered if payload not in excluded]
        self._entered[key] = [*self._entered[key], self._unmatched]
        return await self.async_step_read()

    # Home Assistant needs a step method for each page.
    async_step_not_connected = async_step_try_it
    async_step_heard_nothing = async_step_tried
    async_step_heard_on = async_step_heard_off = async_step_tried
    async_step_heard_unknown = async_step_heard_ignored = async_step_tried

    async def async_step_keep(self, _user_input: Input = None) -> SubentryFlowResult:
        """Save the sensor; if it takes over core's, ask first whether to replace that."""
        return self._save_sensor() if not self._cores else await self.async_step_place()

    async def async_step_place(self, _user_input: Input = None) -> SubentryFlowResult:
        """Ask whether to replace core's sensors or to add ours beside them."""
        return self.async_show_menu(
            step_id="place",
            menu_options=["replace", "beside"],
            description_placeholders={
                "entity_id": bullets(sensor.entity_id for sensor in self._cores),
                "count": str(len(self._cores)),
                "ending": ENDING,
            },
        )

    async def async_step_replace(self, _user_input: Input = None) -> SubentryFlowResult:
        """Save ours; they replace core's sensors when they are set up."""
        registry = er.async_get(self.hass)
        entries = [registry.async_get(sensor.registry_id) for sensor in self._cores]
        if not any(
            entry and not entry.disabled and not is_replaced(self.hass, entry.id)
            for entry in entries
        ):
            return self.async_abort(reason="already_replaced")
        return self._save_replacements(replaces=True)

    async def async_step_beside(self, _user_input: Input = None) -> SubentryFlowResult:
        """Save ours; core's sensors are not changed."""
        return self._save_replacements(replaces=False)

    def _save_replacements(self, *, replaces: bool) -> SubentryFlowResult:
        """Add a sensor per core sensor; a single one with the values entered on the pages."""
        first, *others = self._cores
        config_of_first = self._entered if not others else {**DEFAULTS, **_config_of(first)}
        for core in others:
            config = without_defaults({**_config_of(core), **_link_to(core, replaces=replaces)})
            self.hass.config_entries.async_add_subentry(
                self._get_entry(),
                ConfigSubentry(
                    data=MappingProxyType(config),
                    subentry_type=const.SUBENTRY_SENSOR,
                    title=core.name,
                    unique_id=None,
                ),
            )
        self._entered = {**config_of_first, **_link_to(first, replaces=replaces)}
        return self._save_sensor()

    def _save_sensor(self) -> SubentryFlowResult:
        """Save the new or changed sensor."""
        title, data = self._entered[CONF_NAME], self._data
        if self.source == SOURCE_RECONFIGURE:
            return self.async_update_and_abort(
                self._get_entry(), self._get_reconfigure_subentry(), title=title, data=data
            )
        return self.async_create_entry(title=title, data=data)

    @property
    def _is_connected(self) -> bool:
        return self.hass.data[DATA].connection.connected

    @property
    def _data(self) -> dict[str, Any]:
        """Return the entered values, without empty ones and defaults."""
        return without_defaults(self._entered)

    def _store_input(self, schema: vol.Schema, user_input: Input) -> dict[str, str]:
        """Store the input; return the errors by field."""
        if user_input is None:
            return {}
        for key in map(str, schema.schema):
            self._entered.pop(key, None)
        self._entered |= user_input
        if CONF_NAME in schema.schema and not self._entered[CONF_NAME].strip():
            return {CONF_NAME: "empty_name"}
        try:
            settings_of(self._data, self.flow_id)
        except vol.Invalid as err:
            problems = err.errors if isinstance(err, vol.MultipleInvalid) else [err]
            fields = [str(problem.path[0]) for problem in problems]
            # Other keys of core's sensor, which have no field, are kept.
            return {
                field if field in schema.schema else "base": _ERRORS.get(field, "invalid")
                for field in fields
            }
        return {}

    async def _result(self) -> TrialResult | None:
        return None if self._trial is None else await self._trial

    def _form(self, step_id: str, schema: vol.Schema, errors: dict[str, str]) -> SubentryFlowResult:
        return self.async_show_form(
            step_id=step_id,
            data_schema=self.add_suggested_values_to_schema(schema, self._entered),
            errors=errors,
            description_placeholders={"example": EXAMPLE},
            last_step=False,
        )

    def _menu(self, step_id: str, result: TrialResult | None = None) -> SubentryFlowResult:
        placeholders = {"topic": self._entered[const.CONF_STATE_TOPIC], "seconds": str(TRY_S)}
        can_mean = step_id == "heard_ignored" and bool(self._unmatched)
        if result is not None:
            placeholders |= {"payload": code(result.payload), "output": code(result.output)}
        return self.async_show_menu(
            step_id=step_id,
            menu_options=[
                *(["is_on", "is_off"] if can_mean else []),
                *("keep", "try_it", "read"),
            ],
            description_placeholders=placeholders,
        )


def _config_of(core: CoreSensor) -> dict[str, Any]:
    """Return the configuration of our sensor that is equivalent to core's."""
    return {**core.announced, CONF_NAME: core.name}


def _link_to(core: CoreSensor, *, replaces: bool) -> dict[str, Any]:
    """Return the link of our sensor to core's."""
    link = {CONF_UNIQUE_ID: core.unique_id, "config": without_defaults(core.announced)}
    return {const.CONF_ANNOUNCED: link} | (
        {const.CONF_REPLACES: core.registry_id} if replaces else {}
    )
