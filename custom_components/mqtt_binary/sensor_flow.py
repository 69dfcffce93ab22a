"""The dialogue of one sensor: what to read, tried on the live topic, kept."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from homeassistant.components.binary_sensor import (  # type: ignore[attr-defined]  # as core does
    DOMAIN as BINARY_SENSOR_DOMAIN,
    BinarySensorDeviceClass,
)
from homeassistant.config_entries import (
    SOURCE_RECONFIGURE,
    ConfigSubentryFlow,
    SubentryFlowContext,
    SubentryFlowResult,
)
from homeassistant.const import (
    CONF_DEVICE_CLASS,
    CONF_NAME,
    CONF_PAYLOAD_OFF,
    CONF_PAYLOAD_ON,
    CONF_VALUE_TEMPLATE,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers.selector import (
    BooleanSelector,
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TemplateSelector,
    TextSelector,
)
from homeassistant.helpers.translation import async_get_translations
import voluptuous as vol

from . import const
from ._common.markdown import EscapedPages, code
from .core_sensors import ENDING, CoreSensor, are_there, async_find, async_replace
from .data import DATA
from .subentries import settings_of
from .trial import TRY_S, Heard, async_hear

EXAMPLE: Final = "{{ value_json.motion }}"

_SENSOR: Final = "sensor"

type Input = dict[str, Any] | None

_SECONDS: Final = NumberSelector(
    NumberSelectorConfig(min=0, step="any", unit_of_measurement="s", mode=NumberSelectorMode.BOX)
)
_PAYLOADS: Final = SelectSelector(
    SelectSelectorConfig(
        options=[], multiple=True, custom_value=True, mode=SelectSelectorMode.DROPDOWN
    )
)
_DETAILS: Final = vol.Schema(
    {
        vol.Optional(const.CONF_OFF_DELAY): _SECONDS,
        vol.Optional(const.CONF_EXPIRE_AFTER): _SECONDS,
        vol.Optional(const.CONF_RESTORE): BooleanSelector(),
        vol.Optional(const.CONF_IGNORE_RETAINED): BooleanSelector(),
        vol.Optional(const.CONF_AVAILABILITY_TOPIC): TextSelector(),
        vol.Optional(const.CONF_PAYLOAD_AVAILABLE): TextSelector(),
        vol.Optional(const.CONF_PAYLOAD_NOT_AVAILABLE): TextSelector(),
    }
)
_DEFAULTS: Final[Mapping[str, Any]] = {
    CONF_PAYLOAD_ON: [*const.DEFAULT_PAYLOAD_ON],
    CONF_PAYLOAD_OFF: [*const.DEFAULT_PAYLOAD_OFF],
    const.CONF_PAYLOAD_AVAILABLE: const.DEFAULT_PAYLOAD_AVAILABLE,
    const.CONF_PAYLOAD_NOT_AVAILABLE: const.DEFAULT_PAYLOAD_NOT_AVAILABLE,
}
_ERRORS: Final = {
    const.CONF_STATE_TOPIC: "invalid_topic",
    const.CONF_AVAILABILITY_TOPIC: "invalid_topic",
    CONF_PAYLOAD_OFF: "same_payload",
}


class SensorFlow(
    EscapedPages[SubentryFlowContext, SubentryFlowResult, tuple[str, str]], ConfigSubentryFlow
):
    """Adds a sensor, or changes one."""

    def __init__(self) -> None:
        self._given: dict[str, Any] = {**_DEFAULTS}
        self._trial: asyncio.Task[Heard | None] | None = None
        self._search: asyncio.Task[list[CoreSensor]] | None = None
        self._found: dict[str, CoreSensor] = {}
        self._core: CoreSensor | None = None
        """The sensor of core's that ours is to read the same as."""

    async def async_step_reconfigure(self, _user_input: Input = None) -> SubentryFlowResult:
        """Begin with what the sensor is."""
        self._given = {**_DEFAULTS, **self._get_reconfigure_subentry().data}
        return await self.async_step_read()

    async def async_step_user(self, _user_input: Input = None) -> SubentryFlowResult:
        """Begin with nothing, or with a sensor that core has discovered."""
        if not (self._is_connected and are_there(self.hass)):
            return await self.async_step_read()
        return self.async_show_menu(step_id="user", menu_options=["read", "discovered"])

    async def async_step_discovered(self, _user_input: Input = None) -> SubentryFlowResult:
        """Read what devices have announced."""
        if self._search is None:
            self._search = self.hass.async_create_task(async_find(self.hass))
        if not self._search.done():
            return self.async_show_progress(
                step_id="discovered", progress_action="searching", progress_task=self._search
            )
        self._found = {sensor.registry_id: sensor for sensor in await self._search}
        return self.async_show_progress_done(next_step_id="which")

    async def async_step_which(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask which of core's sensors it is to be."""
        if not self._found:
            return self.async_abort(reason="nothing_announced")
        if user_input is not None:
            self._core = self._found[user_input[_SENSOR]]
            self._given = {**_DEFAULTS, **self._core.config}
            return await self.async_step_read()
        options = [
            SelectOptionDict(
                value=sensor.registry_id, label=f"{sensor.config[CONF_NAME]} ({sensor.entity_id})"
            )
            for sensor in self._found.values()
        ]
        select = SelectSelector(
            SelectSelectorConfig(options=options, mode=SelectSelectorMode.DROPDOWN, sort=True)
        )
        schema = vol.Schema({vol.Required(_SENSOR): select})
        return self.async_show_form(step_id="which", data_schema=schema, last_step=False)

    async def async_step_read(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask what to read."""
        schema = vol.Schema(
            {
                vol.Required(CONF_NAME): TextSelector(),
                vol.Required(const.CONF_STATE_TOPIC): TextSelector(),
                vol.Optional(CONF_PAYLOAD_ON): _PAYLOADS,
                vol.Optional(CONF_PAYLOAD_OFF): _PAYLOADS,
                vol.Optional(CONF_VALUE_TEMPLATE): TemplateSelector(),
                vol.Optional(CONF_DEVICE_CLASS): await _device_classes(self.hass),
            }
        )
        errors = self._take(schema, user_input)
        if user_input is not None and not errors:
            return await self.async_step_details()
        return self._form("read", schema, errors)

    async def async_step_details(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask what time does to the value, and how the device says that it is there."""
        errors = self._take(_DETAILS, user_input)
        if user_input is not None and not errors:
            return await self.async_step_try_it()
        return self._form("details", _DETAILS, errors)

    async def async_step_try_it(self, _user_input: Input = None) -> SubentryFlowResult:
        """Wait for a message, to see what it would do."""
        if not self._is_connected:
            return self._menu("not_connected")
        if self._trial is None:
            settings = settings_of(self._data, self.flow_id)
            self._trial = self.hass.async_create_task(async_hear(self.hass, settings))
        if not self._trial.done():
            return self.async_show_progress(
                step_id="try_it",
                progress_action="listening",
                progress_task=self._trial,
                description_placeholders={
                    "topic": self._given[const.CONF_STATE_TOPIC],
                    "seconds": str(TRY_S),
                },
            )
        return self.async_show_progress_done(next_step_id="tried")

    async def async_step_tried(self, _user_input: Input = None) -> SubentryFlowResult:
        """Show what the message would do."""
        heard, self._trial = await self._heard(), None
        if heard is None:
            return self._menu("heard_nothing")
        match heard.value:
            case True:
                step = "heard_on"
            case False:
                step = "heard_off"
            case None:
                step = "heard_unknown"
            case _:
                step = "heard_ignored"
        return self._menu(step, heard)

    # For Home Assistant, each page is a step.
    async_step_not_connected = async_step_try_it
    async_step_heard_nothing = async_step_tried
    async_step_heard_on = async_step_heard_off = async_step_tried
    async_step_heard_unknown = async_step_heard_ignored = async_step_tried

    async def async_step_keep(self, _user_input: Input = None) -> SubentryFlowResult:
        """Keep the sensor, or ask first what is to become of core's."""
        return self._kept() if self._core is None else await self.async_step_place()

    async def async_step_place(self, _user_input: Input = None) -> SubentryFlowResult:
        """Ask what is to become of core's sensor."""
        assert self._core is not None  # noqa: S101 - for mypy: the page comes after `which`
        return self.async_show_menu(
            step_id="place",
            menu_options=["replace", "beside"],
            description_placeholders={"entity_id": self._core.entity_id, "ending": ENDING},
        )

    async def async_step_replace(self, _user_input: Input = None) -> SubentryFlowResult:
        """Take the place of core's sensor."""
        assert self._core is not None  # noqa: S101 - for mypy: the page comes after `which`
        self._given |= await async_replace(self.hass, self._core)
        return self._kept()

    async def async_step_beside(self, _user_input: Input = None) -> SubentryFlowResult:
        """Leave core's sensor as it is."""
        return self._kept()

    def _kept(self) -> SubentryFlowResult:
        """Add the sensor, or change it."""
        title, data = self._given[CONF_NAME], self._data
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
        """Return what was given, without what says nothing."""
        return {
            key: value
            for key, value in self._given.items()
            if value not in ("", []) and value is not False and value != _DEFAULTS.get(key)
        }

    def _take(self, schema: vol.Schema, user_input: Input) -> dict[str, str]:
        """Take what was entered; return the errors by field."""
        if user_input is None:
            return {}
        for key in map(str, schema.schema):
            self._given.pop(key, None)
        self._given |= user_input
        try:
            settings_of(self._data, self.flow_id)
        except vol.Invalid as err:
            problems = err.errors if isinstance(err, vol.MultipleInvalid) else [err]
            fields = [str(problem.path[0]) for problem in problems]
            # What core's sensor has besides stands in no field.
            return {
                field if field in schema.schema else "base": _ERRORS.get(field, "invalid")
                for field in fields
            }
        return {}

    async def _heard(self) -> Heard | None:
        return None if self._trial is None else await self._trial

    def _form(self, step_id: str, schema: vol.Schema, errors: dict[str, str]) -> SubentryFlowResult:
        return self.async_show_form(
            step_id=step_id,
            data_schema=self.add_suggested_values_to_schema(schema, self._given),
            errors=errors,
            description_placeholders={"example": EXAMPLE},
            last_step=False,
        )

    def _menu(self, step_id: str, heard: Heard | None = None) -> SubentryFlowResult:
        placeholders = {"topic": self._given[const.CONF_STATE_TOPIC], "seconds": str(TRY_S)}
        if heard is not None:
            placeholders |= {"payload": code(heard.payload), "output": code(heard.output)}
        return self.async_show_menu(
            step_id=step_id,
            menu_options=["keep", "try_it", "read"],
            description_placeholders=placeholders,
        )


async def _device_classes(hass: HomeAssistant) -> SelectSelector:
    """Return the choice of a device class, in Home Assistant's own words for them.

    Its `DeviceClassSelector` is younger than the oldest Home Assistant that is supported.
    """
    names = await async_get_translations(
        hass, hass.config.language, "entity_component", [BINARY_SENSOR_DOMAIN]
    )
    key = f"component.{BINARY_SENSOR_DOMAIN}.entity_component.{{}}.name"
    options = [
        SelectOptionDict(value=one.value, label=names.get(key.format(one.value), one.value))
        for one in BinarySensorDeviceClass
    ]
    return SelectSelector(
        SelectSelectorConfig(options=options, mode=SelectSelectorMode.DROPDOWN, sort=True)
    )
