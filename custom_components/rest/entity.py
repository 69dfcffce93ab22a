"""Base class of REST sensors and binary sensors."""

from abc import abstractmethod
import logging
from typing import Any, override

from homeassistant.const import (
    CONF_ICON,
    CONF_NAME,
    CONF_VALUE_TEMPLATE,
)
from homeassistant.core import callback
from homeassistant.helpers.restore_state import ExtraStoredData, RestoredExtraData, RestoreEntity
from homeassistant.helpers.template import Template, TemplateStateFromEntityId
from homeassistant.helpers.trigger_template_entity import CONF_AVAILABILITY, CONF_PICTURE

from ._common.log_once import LogOnce
from .const import (
    CONF_JSON_ATTRS,
    CONF_SELECT,
    CONF_VALUE,
)
from .reply.html import Selector
from .reply.reply import ABSENT, Content, Reply, text_of
from .reply.templates import ReplyTemplate
from .settings import ValueSettings
from .sources import Source

_LOGGER = logging.getLogger(__name__)

NONE_OUTPUT = "None"
"""What a template prints for no value."""


class RestEntity[S: ValueSettings](RestoreEntity):
    """A value of a reply; it is available as long as the coordinator has a reply.

    Not Home Assistant's ManualTriggerEntity, which logs a failing template with each reply,
    including the text that it failed on.
    """

    _attr_should_poll = False

    def __init__(self, source: Source[S], default_name: str) -> None:
        settings = source.settings
        self.source = source
        self.coordinator = source.coordinator
        self._settings = settings
        self._selector = settings.selector
        self._log = LogOnce(_LOGGER)
        self._is_updating = False
        self._is_restored = False
        self._has_templates = False
        self._attr_unique_id = settings.unique_id
        self._attr_force_update = settings.force_update
        self._value = self._template(CONF_VALUE_TEMPLATE, settings.value_template)
        self._availability = self._template(CONF_AVAILABILITY, settings.availability)
        # The entity id is derived from the first name, which is rendered before any reply.
        name = self._template(CONF_NAME, settings.name)
        self._name = None if name is None or name.is_static else name
        self._attr_name = self._first_name(name, default_name)
        self._pictures: dict[str, ReplyTemplate] = {}
        for attribute, key, configured in (
            ("icon", CONF_ICON, settings.icon),
            ("entity_picture", CONF_PICTURE, settings.picture),
        ):
            if (template := self._template(key, configured)) is None:
                continue
            if template.is_static:
                setattr(self, f"_attr_{attribute}", template.text({}))
            else:
                self._pictures[attribute] = template

    def _first_name(self, name: ReplyTemplate | None, default_name: str) -> str:
        """Return the name before the first reply; the name of an element uses the reply."""
        element = self.source.element
        if element is None:
            return (name and name.text({})) or default_name
        if self._name and element.item is not ABSENT and self.coordinator.data:
            variables = self._with_element(self.coordinator.data.variables())
            if text := self._name.text(variables):
                return text
        text = name.text({}) if name and name.is_static else None
        return f"{text or default_name} {element.key}"

    def _with_element(self, variables: dict[str, Any]) -> dict[str, Any]:
        """Return the variables for templates, with `item` and `key` if it shows an element."""
        if (element := self.source.element) is None:
            return variables
        return {**variables, "item": element.item, "key": element.key}

    @property
    def _item(self) -> object:
        """Return the element that it shows, or ABSENT if it shows the whole reply."""
        return ABSENT if self.source.element is None else self.source.element.item

    def _template(self, key: str, template: Template | None) -> ReplyTemplate | None:
        if template is None:
            return None
        reply_template = ReplyTemplate(key, template, self._report)
        self._has_templates |= not reply_template.is_static
        return reply_template

    @property
    @override
    def available(self) -> bool:
        """Return whether there is a recent reply and `availability` is not false."""
        return self._attr_available

    @override
    async def async_added_to_hass(self) -> None:
        """Subscribe to polls and show the reply, if any; Home Assistant writes the state."""
        self._this = TemplateStateFromEntityId(self.hass, self.entity_id)
        if (reply := self.coordinator.data) is not None:
            await self.coordinator.async_parse(reply, [self._selector] if self._selector else ())
        self.async_on_remove(
            self.coordinator.async_add_listener(self, self._polled, self._selector)
        )
        stored = await self.async_get_last_extra_data() if self._settings.restore else None
        if stored and self.coordinator.data is None:
            self._is_restored = self._restore(stored.as_dict())
            if self._is_restored:
                self._restore_look(stored.as_dict())
        if self._is_lost:
            self._attr_available = False
        elif self.coordinator.data is not None:
            self._show(self.coordinator.data)

    @property
    @override
    def extra_restore_state_data(self) -> ExtraStoredData | None:
        """Return the value, attributes, name, icon and picture to restore after a restart."""
        if not self._settings.restore:
            return None
        look = {attribute: getattr(self, f"_attr_{attribute}", None) for attribute in self._look}
        return RestoredExtraData({**self._stored(), "look": look})

    @abstractmethod
    def _stored(self) -> dict[str, Any]:
        """Return the value for `_restore`, as JSON-compatible data."""

    @abstractmethod
    def _restore(self, stored: dict[str, Any]) -> bool:
        """Restore the value from before the restart; return False if the data is not ours.

        Data is stored by entity id, which may have belonged to another integration.
        """

    def _restore_look(self, stored: dict[str, Any]) -> None:
        """Restore the name, icon and picture that templates gave before the restart."""
        match stored:
            case {"look": dict() as look}:
                for attribute in self._look:
                    if isinstance(text := look.get(attribute), str):
                        setattr(self, f"_attr_{attribute}", text)

    @property
    def _look(self) -> tuple[str, ...]:
        """Return the names of attributes that templates give: name, icon, picture."""
        return ("name", *self._pictures) if self._name else tuple(self._pictures)

    async def async_update(self) -> None:
        """Poll, for `homeassistant.update_entity`, which writes the state afterwards."""
        self._is_updating = True
        try:
            await self.coordinator.async_poll()
        finally:
            self._is_updating = False

    @property
    def _is_lost(self) -> bool:
        """Return whether too many polls failed to keep showing the last reply, if any."""
        failures = self.coordinator.failures
        has_value = self._is_restored or self.coordinator.data is not None
        return failures > 0 and (not has_value or failures >= self._settings.max_failures)

    def show_once(self, reply: Reply, this: TemplateStateFromEntityId) -> None:
        """Show a reply without being added to Home Assistant."""
        self._this = this
        self._show(reply)

    @callback
    def _polled(self) -> None:
        """Update the state after a poll."""
        if self.coordinator.failures == 0 and self.coordinator.data is not None:
            self._show(self.coordinator.data)
        elif self._is_lost and self._attr_available:
            self._attr_available = False
        else:
            return
        if not self._is_updating:
            self.async_write_ha_state()

    def _show(self, reply: Reply) -> None:
        if self.source.element and self._item is ABSENT:
            self._attr_available = False  # its element is gone or was never seen
            return
        variables = (
            self._with_element(reply.variables(this=self._this)) if self._has_templates else {}
        )
        if self._selector:
            variables[CONF_VALUE] = self._selected(reply.content, self._selector)
        available = self._availability is None or self._availability.truth(variables) is True
        if available is not self._attr_available:
            self._attr_available = available
        if available:
            self._show_value(reply, variables)
            if self._name and (name := self._name.text(variables)):
                self._attr_name = name
        for attribute, template in self._pictures.items():
            setattr(self, f"_attr_{attribute}", template.text(variables) if available else None)

    @abstractmethod
    def _show_value(self, reply: Reply, variables: dict[str, Any]) -> None:
        """Set the value from a reply."""

    def _selected(self, content: Content, selector: Selector) -> str | None:
        """Return the text of the selected HTML element, or log the problem and return None."""
        try:
            text = content.selected(selector)
        except ValueError as err:
            self._report(CONF_SELECT, f"{CONF_SELECT}: {err}")
            return None
        self._report(CONF_SELECT)
        return text

    def _text(self, reply: Reply, variables: dict[str, Any]) -> str | None:
        """Return the state as text: from the template, the element or the whole reply."""
        if self._selector:
            text: str | None = variables[CONF_VALUE]
            if text is None or self._value is None:
                return text
        if self._value:
            text = self._value.text(variables)
            return None if text == NONE_OUTPUT else text
        return reply.content.value if self._item is ABSENT else text_of(self._item)

    def _report(self, subject: str, *problems: str) -> None:
        """Log each problem of this entity once; a call without problems clears the subject."""
        if not self.entity_id:
            return  # the first name is rendered before the entity has an id
        if not problems:
            self._log.settle(subject)
        for problem in problems:
            reads_json = subject == CONF_JSON_ATTRS or "value_json" in problem
            if not (reads_json and self.coordinator.is_page()):
                self._log.report(subject, f"{self.entity_id}: {problem}")
