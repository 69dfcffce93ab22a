"""Sources of entities: the coordinator whose replies an entity shows, and its settings."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from homeassistant.const import CONF_SCAN_INTERVAL, Platform
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.typing import ConfigType

from .const import BLOCK_SCAN_INTERVAL, CONF_MAX_FAILURES, PLATFORM_SCAN_INTERVAL
from .polling.coordinator import RestCoordinator, async_coordinators
from .polling.request import ConfiguredRequest
from .settings import SETTINGS, Settings

ENTITIES = "entities"
"""Key of the sources of `rest:` blocks in a platform's discovery info."""


class Element(Protocol):
    """One of several parts of a reply that have an entity each."""

    @property
    def key(self) -> str:
        """Return the key that identifies it, wherever it is in the reply."""

    @property
    def item(self) -> object:
        """Return the element in the last reply, or ABSENT."""


@dataclass(frozen=True)
class Source[S: Settings]:
    """The coordinator whose replies an entity shows, and the settings of the entity."""

    coordinator: RestCoordinator
    settings: S
    element: Element | None = field(default=None, compare=False)
    """The element that it shows, if the settings have `for_each`."""


@callback
def source_of_entry(hass: HomeAssistant, platform: Platform, config: ConfigType) -> Source[Any]:
    """Return the source of a `platform: rest` entry."""
    interval = config.get(CONF_SCAN_INTERVAL, PLATFORM_SCAN_INTERVAL)
    request = ConfiguredRequest.from_config(config)
    settings = SETTINGS[platform].from_config(config)
    return Source(async_coordinators(hass).get(request, interval), settings)


@callback
def sources_of_blocks(
    hass: HomeAssistant, blocks: list[ConfigType]
) -> dict[Platform, list[Source[Any]]]:
    """Return the sources of the entities in `rest:` blocks."""
    sources: dict[Platform, list[Source[Any]]] = {platform: [] for platform in SETTINGS}
    for block in blocks:
        interval = block.get(CONF_SCAN_INTERVAL, BLOCK_SCAN_INTERVAL)
        request = ConfiguredRequest.from_config(block)
        coordinator = async_coordinators(hass).get(request, interval)
        inherited = {key: block[key] for key in (CONF_MAX_FAILURES,) if key in block}
        for platform, settings in SETTINGS.items():
            sources[platform] += [
                Source(coordinator, settings.from_config(inherited | config))
                for config in block.get(platform, ())
            ]
    return {platform: entities for platform, entities in sources.items() if entities}
