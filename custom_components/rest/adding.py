"""Add the entities of a platform: one per source, or one per element of its replies."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import AddEntitiesCallback
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType
from homeassistant.util.hass_dict import HassKey

from .elements import Elements
from .settings import ValueSettings
from .sources import ENTITIES, Source, source_of_entry

BLOCKS_ADDED: HassKey[dict[Platform, asyncio.Event]] = HassKey("rest_blocks_added")
"""Set when the entities of the blocks in the YAML at start have been added."""


async def async_add(
    hass: HomeAssistant,
    platform: Platform,
    make: Callable[[Source[Any]], Entity],
    config: ConfigType,
    *,
    async_add_entities: AddEntitiesCallback,
    discovery_info: DiscoveryInfoType | None,
) -> None:
    """Add the entity of a `platform: rest` entry, or those of `rest:` blocks.

    Entities of blocks are added first, as in core, and so win conflicts of names or unique ids.
    """

    def add(sources: Iterable[Source[Any]]) -> None:
        single: list[Entity] = []
        for source in sources:
            settings = source.settings
            if isinstance(settings, ValueSettings) and (for_each := settings.for_each):
                Elements(
                    hass,
                    platform,
                    source,
                    for_each,
                    make=make,
                    async_add_entities=async_add_entities,
                ).start()
            else:
                single.append(make(source))
        async_add_entities(single)

    added = hass.data.get(BLOCKS_ADDED, {}).get(platform)
    if discovery_info is None:
        if added:
            await added.wait()
        add([source_of_entry(hass, platform, config)])
        return
    try:
        add(discovery_info[ENTITIES])
    finally:
        if added:
            added.set()
