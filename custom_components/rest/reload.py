"""rest.reload: validate the YAML, then set up only what has changed.

An entity whose entry and request are unchanged is left alone, so its state is not interrupted.
"""

import asyncio
from itertools import chain
from typing import Any

from homeassistant.config import format_schema_error
from homeassistant.const import SERVICE_RELOAD, Platform
from homeassistant.core import HomeAssistant, ServiceCall, callback
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers.entity_component import DATA_INSTANCES
from homeassistant.helpers.entity_platform import EntityPlatform, async_get_platforms
from homeassistant.helpers.reload import async_reload_integration_platforms
from homeassistant.helpers.typing import ConfigType
from homeassistant.setup import async_setup_component
import voluptuous as vol

from ._common.yaml_reload import (
    Entries,
    read_yaml,
    set_up_entries,
    uninterrupted,
    valid_entries,
)
from .config import valid_blocks
from .const import DOMAIN
from .elements import all_elements
from .polling.coordinator import async_coordinators
from .settings import SETTINGS
from .sources import ENTITIES, Source, source_of_entry, sources_of_blocks

SWITCH = Platform.SWITCH
NOTIFY = Platform.NOTIFY


@callback
def async_setup_reload(hass: HomeAssistant) -> None:
    """Register the action, replacing core's."""

    async def reload(_call: ServiceCall) -> None:
        config = await read_yaml(hass, DOMAIN)
        blocks, mistakes = valid_blocks(config.get(DOMAIN))
        entries, problems = await valid_entries(hass, DOMAIN, config, SETTINGS)
        problems += [format_schema_error(hass, mistake, DOMAIN, config) for mistake in mistakes]
        # Core's switches are all set up again, or all left alone.
        switches, wrong_switches = await valid_entries(hass, DOMAIN, config, [SWITCH])
        _, wrong_notify = await valid_entries(hass, DOMAIN, config, [NOTIFY])
        problems += wrong_switches + wrong_notify
        coordinators = async_coordinators(hass)
        try:
            await _replace(hass, entries, blocks, is_whole=not problems)
        finally:
            coordinators.drop_idle()
        for coordinator in coordinators.active():
            coordinator.poll_soon()
        if not wrong_switches:
            await _replace_switches(hass, switches)
        if not wrong_notify:
            await async_reload_integration_platforms(hass, DOMAIN, [NOTIFY])
        if problems:
            raise ServiceValidationError(
                translation_domain=DOMAIN,
                translation_key="reload_incomplete",
                translation_placeholders={"error": "; ".join(problems)},
            )

    hass.services.async_register(
        DOMAIN,
        SERVICE_RELOAD,
        uninterrupted(hass, DOMAIN, reload),
        schema=vol.Schema({}),
    )


async def _replace(
    hass: HomeAssistant, entries: Entries, blocks: list[ConfigType], *, is_whole: bool
) -> None:
    """Remove entities whose configuration has changed or gone, and set up new ones.

    If the YAML has mistakes (`is_whole` is False), a missing entity may be an invalid one, so it
    is kept.
    """
    with_sources = {
        domain: [(source_of_entry(hass, domain, entry), entry) for entry in entries.pop(domain, [])]
        for domain in SETTINGS
    }
    of_entries = {domain: [source for source, _ in pairs] for domain, pairs in with_sources.items()}
    of_blocks = sources_of_blocks(hass, blocks)

    def is_gone(source: Source[Any], domain: Platform) -> bool:
        """Return whether a source is gone from the YAML; if not, remove it from the lists."""
        source_lists = of_entries.get(domain, []), of_blocks.get(domain, [])
        if any(_remove_source(source, sources) for sources in source_lists):
            return False
        settings = source.settings
        return is_whole or any(
            settings.is_same_entity(new.settings) for new in chain(*source_lists)
        )

    for elements in list(all_elements(hass)):
        if is_gone(elements.source, elements.platform):
            await elements.async_remove()
        else:
            elements.reconsider()
    for platform in _platforms_of_yaml(hass):
        for entity in list(platform.entities.values()):
            source = getattr(entity, "source", None)  # core's switches do not have it
            if not isinstance(source, Source) or source.element:
                continue
            if is_gone(source, Platform(platform.domain)):
                await platform.async_remove_entity(entity.entity_id)
    # Blocks come first, as at the start.
    await asyncio.gather(*(_set_up_blocks(hass, *of_domain) for of_domain in of_blocks.items()))
    for domain, pairs in with_sources.items():
        new = {*map(id, of_entries[domain])}
        entries[domain] = [entry for source, entry in pairs if id(source) in new]
    await set_up_entries(hass, DOMAIN, entries)


async def _replace_switches(hass: HomeAssistant, entries: Entries) -> None:
    for platform in _platforms_of_yaml(hass):
        if platform.domain == SWITCH:
            await platform.async_reset()
    await set_up_entries(hass, DOMAIN, entries)


def _platforms_of_yaml(hass: HomeAssistant) -> list[EntityPlatform]:
    return [
        platform for platform in async_get_platforms(hass, DOMAIN) if platform.config_entry is None
    ]


def _remove_source(source: Source[Any], sources: list[Source[Any]]) -> bool:
    """Remove a source from the list of sources to set up; return whether it was there."""
    if source not in sources:
        return False
    sources.remove(source)
    return True


async def _set_up_blocks(hass: HomeAssistant, domain: Platform, sources: list[Source[Any]]) -> None:
    await async_setup_component(hass, domain, {})
    await hass.data[DATA_INSTANCES][domain].async_setup_platform(DOMAIN, {}, {ENTITIES: sources})
