"""Reload the YAML without a restart: validate all of it first, then replace the entities.

Core's helper logs broken YAML and continues, drops invalid entries, and resets only one entity
platform per domain, so entities of entries with another scan_interval would remain.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable

from homeassistant import config as conf_util
from homeassistant.core import HomeAssistant, ServiceCall
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers.entity_component import DATA_INSTANCES
from homeassistant.helpers.typing import ConfigType
from homeassistant.loader import async_get_integration
from homeassistant.setup import async_setup_component
import voluptuous as vol

from .finish import finish

type Entries = dict[str, list[ConfigType]]
"""Entity domain → validated entries of one platform."""


def uninterrupted(
    hass: HomeAssistant, domain: str, reload: Callable[[ServiceCall], Awaitable[None]]
) -> Callable[[ServiceCall], Coroutine[None, None, None]]:
    """Return an action handler that serialises calls of `reload` and completes each of them.

    A script that is stopped in the middle must not leave Home Assistant without entities. Nothing
    is reloaded while or after Home Assistant stops.
    """
    lock = asyncio.Lock()

    async def run(call: ServiceCall) -> None:
        async with lock:
            if hass.is_running:
                await reload(call)

    async def handle(call: ServiceCall) -> None:
        await finish(hass, run(call), f"{domain}: reload")

    return handle


async def read_yaml(hass: HomeAssistant, domain: str) -> ConfigType:
    """Return the whole YAML, unvalidated. Raise ServiceValidationError if it cannot be parsed."""
    try:
        return await conf_util.async_hass_config_yaml(hass)
    except HomeAssistantError as err:
        raise reload_failed(domain, str(err)) from err


async def validate_entries(
    hass: HomeAssistant, domain: str, config: ConfigType, entity_domains: Iterable[str]
) -> Entries:
    """Return the entries with `platform: <domain>` under each of `entity_domains`.

    Raise ServiceValidationError that names every mistake in them. Entries of other platforms are
    not validated.
    """
    entries, problems = await valid_entries(hass, domain, config, entity_domains)
    if problems:
        raise reload_failed(domain, "; ".join(problems))
    return entries


async def valid_entries(
    hass: HomeAssistant, domain: str, config: ConfigType, entity_domains: Iterable[str]
) -> tuple[Entries, list[str]]:
    """Return the valid entries, and the mistakes in the others."""
    entries: Entries = {}
    problems: list[str] = []
    for entity_domain in entity_domains:
        ours = [
            entry
            for platform, entry in conf_util.config_per_platform(config, entity_domain)
            if platform == domain
        ]
        if not ours:
            continue
        integration = await async_get_integration(hass, entity_domain)
        info = await conf_util.async_process_component_config(
            hass, {entity_domain: ours}, integration
        )
        problems += [_describe(hass, entity_domain, p) for p in info.exception_info_list]
        entries[entity_domain] = (info.config or {}).get(entity_domain) or []
    return entries, problems


async def set_up_entries(hass: HomeAssistant, domain: str, entries: Entries) -> None:
    """Set up the platform `domain` once per entry, as at the start."""
    await asyncio.gather(*(_set_up(hass, domain, *of_domain) for of_domain in entries.items()))


def reload_failed(domain: str, error: str) -> ServiceValidationError:
    """Return the error with the reason why nothing was reloaded."""
    return ServiceValidationError(
        translation_domain=domain,
        translation_key="reload_failed",
        translation_placeholders={"error": error},
    )


async def _set_up(
    hass: HomeAssistant, domain: str, entity_domain: str, entries: list[ConfigType]
) -> None:
    if not entries:
        return
    # Without the entries, which are validated: validating a template twice fails.
    await async_setup_component(hass, entity_domain, {})
    component = hass.data[DATA_INSTANCES][entity_domain]
    await asyncio.gather(*(component.async_setup_platform(domain, entry) for entry in entries))


def _describe(hass: HomeAssistant, domain: str, problem: conf_util.ConfigExceptionInfo) -> str:
    if not isinstance(problem.exception, vol.Invalid):
        return str(problem.exception)
    return conf_util.format_schema_error(
        hass,
        problem.exception,
        domain,
        problem.config,
    )
