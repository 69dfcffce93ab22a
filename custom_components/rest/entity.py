"""A sensor that shows one value, and attributes, of a reply."""

from datetime import date, datetime, timedelta
from typing import Any, override

from homeassistant.components.sensor import CONF_STATE_CLASS, SensorEntity
from homeassistant.const import (
    CONF_DEVICE_CLASS,
    CONF_FORCE_UPDATE,
    CONF_ICON,
    CONF_NAME,
    CONF_UNIQUE_ID,
    CONF_UNIT_OF_MEASUREMENT,
    CONF_VALUE_TEMPLATE,
)
from homeassistant.core import callback
from homeassistant.helpers.template import TemplateStateFromEntityId
from homeassistant.helpers.trigger_template_entity import CONF_AVAILABILITY, CONF_PICTURE
from homeassistant.helpers.typing import ConfigType

from .attribute_source import AttributeSource
from .complaints import Complaints
from .const import CONF_MAX_FAILURES, DEFAULT_NAME
from .coordinator import RestCoordinator
from .coordinators import async_coordinators
from .rendering import Rendering
from .reply import ABSENT, Reply
from .request import Request
from .too_long import clear_too_long, report_too_long
from .value import TooLongError, native_value

_DECORATION = {
    CONF_NAME: "_attr_name",
    CONF_ICON: "_attr_icon",
    CONF_PICTURE: "_attr_entity_picture",
}


class RestSensor(SensorEntity):
    """One entry's sensor. Its request's coordinator tells it of replies and failures."""

    _attr_should_poll = False
    _attr_name = DEFAULT_NAME

    def __init__(self, config: ConfigType, request: Request, interval: timedelta) -> None:
        self._request = request
        self._interval = interval
        self._max_failures: int = config[CONF_MAX_FAILURES]
        self._coordinator: RestCoordinator | None = None
        self._complaints = Complaints()
        self._has_value = False
        self._is_too_long = False
        self._writes_itself = False
        self._attr_device_class = config.get(CONF_DEVICE_CLASS)
        self._attr_state_class = config.get(CONF_STATE_CLASS)
        self._attr_native_unit_of_measurement = config.get(CONF_UNIT_OF_MEASUREMENT)
        self._attr_unique_id = config.get(CONF_UNIQUE_ID)
        self._attr_force_update = config[CONF_FORCE_UPDATE]

        self._attributes = AttributeSource(config, self._complain)
        self._value = self._rendering(config, CONF_VALUE_TEMPLATE)
        self._availability = self._rendering(config, CONF_AVAILABILITY, strict=True)
        self._decoration: dict[str, Rendering] = {}
        for key, attribute in _DECORATION.items():
            if rendering := self._rendering(config, key):
                if rendering.is_static or key == CONF_NAME:  # the name makes the entity id
                    self._show(attribute, rendering.text({}))
                if not rendering.is_static:
                    self._decoration[attribute] = rendering
        renderings = [
            rendering
            for rendering in (
                self._value,
                self._availability,
                self._attributes.rendering,
                *self._decoration.values(),
            )
            if rendering and not rendering.is_static
        ]
        self._has_templates = bool(renderings)
        self.wants_text = self._value is None or any(one.reads_text for one in renderings)

    @override
    async def async_added_to_hass(self) -> None:
        """Begin to listen."""
        self._this = TemplateStateFromEntityId(self.hass, self.entity_id)
        self._coordinator = async_coordinators(self.hass).get(self._request, self._interval)
        self.async_on_remove(self._coordinator.listen(self))
        self._writes_itself = True

    @override
    async def async_will_remove_from_hass(self) -> None:
        """Take back what was reported."""
        self._writes_itself = False
        if self._is_too_long:
            clear_too_long(self.hass, self.entity_id)

    async def async_update(self) -> None:
        """Poll at once, for `homeassistant.update_entity`, which writes the state afterwards."""
        if self._coordinator is None:
            return
        self._writes_itself = False
        try:
            await self._coordinator.poll()
        finally:
            self._writes_itself = True

    @callback
    def on_reply(self, reply: Reply) -> None:
        """Show a reply."""
        self._has_value = True
        variables = self._variables(reply)
        self._attr_available = self._is_available(variables)
        if self._attr_available:
            if self._attributes:
                self._attr_extra_state_attributes = self._attributes.read(reply, variables)
            self._attr_native_value = self._native_value(reply, variables)
            for attribute, rendering in self._decoration.items():
                self._show(attribute, rendering.text(variables))
        self._publish()

    @callback
    def on_failure(self, failures: int) -> None:
        """Become unavailable, unless a value is there and may stay."""
        if self._has_value and failures < self._max_failures:
            return
        self._has_value = False
        if self._attr_available:
            self._attr_available = False
            self._publish()

    def _rendering(self, config: ConfigType, key: str, *, strict: bool = False) -> Rendering | None:
        if key not in config:
            return None
        return Rendering(key, config[key], self._complain, strict=strict)

    def _variables(self, reply: Reply) -> dict[str, Any]:
        if not self._has_templates:
            return {}
        variables: dict[str, Any] = {"this": self._this}
        if self.wants_text:
            variables["value"] = reply.value
        if reply.json is not ABSENT:
            variables["value_json"] = reply.json
        return variables

    def _is_available(self, variables: dict[str, Any]) -> bool:
        if self._availability is None:
            return True
        return self._availability.truth(variables) is not False

    def _native_value(
        self, reply: Reply, variables: dict[str, Any]
    ) -> str | date | datetime | None:
        text = self._value.text(variables) if self._value else reply.value
        if text is None:
            return None
        try:
            value = native_value(text, self._attr_device_class)
        except TooLongError as err:
            if not self._is_too_long:
                self._is_too_long = True
                report_too_long(self.hass, self.entity_id, str(self.name), err.length)
            return None
        except ValueError as err:
            self._complain("state", f"{err}; the state is unknown")
            return None
        if self._is_too_long:
            self._is_too_long = False
            clear_too_long(self.hass, self.entity_id)
        return value

    def _show(self, attribute: str, text: str | None) -> None:
        if text is not None:
            setattr(self, attribute, text)

    def _publish(self) -> None:
        """Write the state; Home Assistant writes it itself after adding and `async_update`."""
        try:
            if self._writes_itself:
                self.async_write_ha_state()
            else:
                self.state  # noqa: B018  (raises what writing it would)
        except ValueError:
            self._attr_native_value = None
            self._complain(
                "state", "the value is no number, as its unit or class wants; the state is unknown"
            )
            if self._writes_itself:
                self.async_write_ha_state()
        else:
            if self._attr_native_value is not None:
                self._complain("state", None)

    def _complain(self, topic: str, message: str | None) -> None:
        if self._coordinator is None:
            return  # the name, rendered before there is a reply
        if message is None:
            self._complaints.settle(topic)
        else:
            self._complaints.say(topic, f"{self.entity_id}: {message}")
