"""Validate `rest:` blocks separately, so that a mistake in one does not affect the others."""

from asyncio import Future
from collections.abc import Hashable, Iterator
from typing import Any

from homeassistant.config import async_log_schema_error, config_without_domain
from homeassistant.core import HomeAssistant
from homeassistant.helpers.typing import ConfigType
from homeassistant.setup import async_notify_setup_error
from homeassistant.util.hass_dict import HassKey
import voluptuous as vol

from .const import DOMAIN
from .schema import BLOCK_SCHEMA, ENTITY_SCHEMAS, HIDDEN

PACKAGE_MERGE_HINT = "list"

# Home Assistant's own: the integrations that are being set up.
_SETUP_TASKS: HassKey[dict[str, Future[bool]]] = HassKey("setup_tasks")


async def async_validate_config(hass: HomeAssistant, config: ConfigType) -> ConfigType:
    """Return the configuration with the valid blocks and entities; log the others.

    If the configuration is only checked, raise an error with all mistakes instead.
    """
    blocks, mistakes = valid_blocks(config.get(DOMAIN))
    if mistakes and not _is_set_up_now(hass):
        raise vol.MultipleInvalid(mistakes)
    for mistake in mistakes:
        async_log_schema_error(mistake, DOMAIN, config, hass)
    if mistakes:
        async_notify_setup_error(hass, DOMAIN)
    return config_without_domain(config, DOMAIN) | {DOMAIN: blocks}


def _is_set_up_now(hass: HomeAssistant) -> bool:
    """Return whether this integration is being set up. If not, its configuration is checked."""
    if DOMAIN in hass.config.components:
        return False
    return DOMAIN in hass.data.get(_SETUP_TASKS, {})


def valid_blocks(blocks: object) -> tuple[list[ConfigType], list[vol.Invalid]]:
    """Return the valid parts of the `rest:` blocks, and the mistakes.

    Each block, and each entity in it, is validated separately.
    """
    valid: list[ConfigType] = []
    mistakes: list[vol.Invalid] = []
    for block, *path in _items(blocks, DOMAIN):
        if not block:
            continue
        try:
            request = BLOCK_SCHEMA(_without_entities(block))
        except vol.Invalid as err:
            mistakes.append(_at(err, path))
            continue
        for platform, schema in ENTITY_SCHEMAS.items():
            for entity, *inner in _items(block.get(platform), platform.value):
                try:
                    request.setdefault(platform, []).append(schema(entity))
                except vol.Invalid as err:
                    mistakes.append(_at(err, path + inner))
        valid.append(request)
    return valid, mistakes


def _items(value: Any, key: str) -> Iterator[tuple[Any, *tuple[Hashable, ...]]]:  # noqa: ANN401  (YAML)
    """Yield the value under a key, or the items of a list, each with its path."""
    if isinstance(value, list):
        yield from ((item, key, number) for number, item in enumerate(value))
    elif value is not None:
        yield value, key


def _without_entities(block: object) -> ConfigType:
    if not isinstance(block, dict):
        raise vol.Invalid("expected a map with the keys of a request", path=[HIDDEN])
    return {key: value for key, value in block.items() if key not in ENTITY_SCHEMAS}


def _at(err: vol.Invalid, path: list[Hashable]) -> vol.Invalid:
    err.prepend(path)
    return err


def _all_blocks(value: object) -> list[ConfigType]:
    """Return the blocks. Raise an error with all mistakes, if any."""
    blocks, mistakes = valid_blocks(value)
    if mistakes:
        raise vol.MultipleInvalid(mistakes)
    return blocks


# For tools that expect a schema; Home Assistant itself calls `async_validate_config`.
CONFIG_SCHEMA = vol.Schema({DOMAIN: _all_blocks}, extra=vol.ALLOW_EXTRA)
