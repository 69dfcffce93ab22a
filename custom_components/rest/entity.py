"""What a REST sensor and a REST binary sensor have in common."""

from abc import abstractmethod
import logging
from typing import Any, override

from homeassistant.const import (
    CONF_FORCE_UPDATE,
    CONF_ICON,
    CONF_NAME,
    CONF_SCAN_INTERVAL,
    CONF_UNIQUE_ID,
    CONF_VALUE_TEMPLATE,
    Platform,
)
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.template import TemplateStateFromEntityId
from homeassistant.helpers.trigger_template_entity import CONF_AVAILABILITY, CONF_PICTURE
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType
from homeassistant.helpers.update_coordinator import CoordinatorEntity

from ._common.log_once import LogOnce
from .const import (
    BLOCK_SCAN_INTERVAL,
    CONF_MAX_FAILURES,
    DEFAULT_MAX_FAILURES,
    PLATFORM_SCAN_INTERVAL,
)
from .polling.coordinator import RestCoordinator, async_coordinators
from .polling.request import ConfiguredRequest
from .reply.reply import ABSENT, Reply
from .reply.templates import ReplyTemplate

_LOGGER = logging.getLogger(__name__)

type Source = tuple[RestCoordinator, ConfigType]
"""What an entity shows: whose replies, and what of them."""

ENTITIES = "entities"
"""Where the entities of `rest:` blocks stand in a platform's discovery info."""


@callback
def source_of_entry(hass: HomeAssistant, config: ConfigType) -> Source:
    """Return the source of a `platform: rest` entry."""
    interval = config.get(CONF_SCAN_INTERVAL, PLATFORM_SCAN_INTERVAL)
    return async_coordinators(hass).get(ConfiguredRequest.from_config(config), interval), config


@callback
def sources_of_blocks(
    hass: HomeAssistant, blocks: list[ConfigType]
) -> dict[Platform, list[Source]]:
    """Return the sources of the entities in `rest:` blocks."""
    sources: dict[Platform, list[Source]] = {Platform.SENSOR: [], Platform.BINARY_SENSOR: []}
    for block in blocks:
        interval = block.get(CONF_SCAN_INTERVAL, BLOCK_SCAN_INTERVAL)
        request = ConfiguredRequest.from_config(block)
        coordinator = async_coordinators(hass).get(request, interval)
        inherited = {key: block[key] for key in (CONF_MAX_FAILURES,) if key in block}
        for platform, entities in sources.items():
            configs = block.get(platform, ())
            entities.extend((coordinator, inherited | config) for config in configs)
    return {platform: entities for platform, entities in sources.items() if entities}


@callback
def async_sources(
    hass: HomeAssistant, config: ConfigType, discovery_info: DiscoveryInfoType | None
) -> list[Source]:
    """Return the sources a platform is set up with: those of blocks, or that of one entry."""
    if discovery_info is None:
        return [source_of_entry(hass, config)]
    sources: list[Source] = discovery_info[ENTITIES]
    return sources


class RestEntity(CoordinatorEntity[RestCoordinator]):
    """One value of a reply, shown as long as its coordinator has one."""

    def __init__(self, source: Source, default_name: str) -> None:
        coordinator, config = source
        super().__init__(coordinator, context=self)
        self.source = source
        self._max_failures: int = config.get(CONF_MAX_FAILURES, DEFAULT_MAX_FAILURES)
        self._log = LogOnce(_LOGGER)
        self._troubles: set[str] = set()
        self._home_assistant_writes = True
        self._has_templates = False
        self._attr_unique_id = config.get(CONF_UNIQUE_ID)
        self._attr_force_update = config[CONF_FORCE_UPDATE]
        self._value = self._template(CONF_VALUE_TEMPLATE)
        self._availability = self._template(CONF_AVAILABILITY)
        # The first name makes the entity id: it is rendered before there is a reply.
        name = self._template(CONF_NAME)
        self._attr_name = (name and name.text({})) or default_name
        self._name = None if name is None or name.is_static else name
        self._pictures: dict[str, ReplyTemplate] = {}
        for attribute, key in ("_attr_icon", CONF_ICON), ("_attr_entity_picture", CONF_PICTURE):
            if (template := self._template(key)) is None:
                continue
            if template.is_static:
                setattr(self, attribute, template.text({}))
            else:
                self._pictures[attribute] = template

    def _template(self, key: str) -> ReplyTemplate | None:
        if (template := self.source[1].get(key)) is None:
            return None
        reply_template = ReplyTemplate(key, template, self._tell)
        self._has_templates |= not reply_template.is_static
        return reply_template

    @property
    @override
    def available(self) -> bool:
        """Return whether there is a value: polled lately, and `availability` does not say no."""
        return self._attr_available

    @override
    async def async_added_to_hass(self) -> None:
        """Listen, and show what the coordinator knows already."""
        self._this = TemplateStateFromEntityId(self.hass, self.entity_id)
        if self.coordinator.data is not None:
            await self.coordinator.async_parse(self.coordinator.data)
        await super().async_added_to_hass()
        if self._is_lost:
            self._attr_available = False
        elif self.coordinator.data is not None:
            self._show(self.coordinator.data)
        self._write()
        self._home_assistant_writes = False

    @override
    async def async_update(self) -> None:
        """Poll, for `homeassistant.update_entity`, which writes the state afterwards."""
        self._home_assistant_writes = True
        try:
            await super().async_update()
        finally:
            self._home_assistant_writes = False

    @property
    def _is_lost(self) -> bool:
        """Return whether so many polls failed that the last reply, if any, is worth nothing."""
        failures = self.coordinator.failures
        return failures > 0 and (self.coordinator.data is None or failures >= self._max_failures)

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        if self.coordinator.failures == 0:
            self._show(self.coordinator.data)
        elif self._is_lost and self._attr_available:
            self._attr_available = False
        else:
            return
        self._write()

    def _show(self, reply: Reply) -> None:
        variables = self._variables(reply)
        available = self._availability is None or self._availability.truth(variables) is not False
        if available is not self._attr_available:
            self._attr_available = available
        if available:
            self._show_value(reply, variables)
            if self._name and (name := self._name.text(variables)):
                self._attr_name = name
        for attribute, template in self._pictures.items():
            setattr(self, attribute, template.text(variables) if available else None)

    @abstractmethod
    def _show_value(self, reply: Reply, variables: dict[str, Any]) -> None:
        """Take the value out of a reply."""

    def _variables(self, reply: Reply) -> dict[str, Any]:
        """Return what templates may use."""
        if not self._has_templates:
            return {}
        value, value_json = reply.value_and_json
        variables = {"this": self._this, "value": value}
        return variables if value_json is ABSENT else variables | {"value_json": value_json}

    def _write(self) -> None:
        """Write the state, unless Home Assistant does afterwards."""
        if not self._home_assistant_writes:
            self.async_write_ha_state()

    def _tell(self, subject: str, problem: str | None) -> None:
        """Warn of a problem of this entity once; None says that the subject is well again."""
        if not self.entity_id:
            return  # the name, rendered before there is a reply
        if problem is not None:
            self._troubles.add(subject)
            self._log.report(subject, f"{self.entity_id}: {problem}")
        elif subject in self._troubles:
            self._troubles.remove(subject)
            self._log.settle(subject)
