"""Adds the entities of a platform: one for each source, or one for each element of its replies."""

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
"""Set when the entities of the blocks that Home Assistant started with are there."""


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

    Those of blocks come first, as in core: names and unique ids that stand twice are theirs.
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
