"""The YAML read again without a restart: validated first, then replaced to the end.

Core's own helper logs broken YAML and goes on, drops entries that are wrong, and resets one
entity platform per domain: entries with another scan_interval would stay behind.
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
    """Return a handler that runs `reload` one call after the other, each to its end.

    A script that is stopped in the middle must not leave Home Assistant without entities.
    While Home Assistant stops, and afterwards, nothing is reloaded.
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
    """Return the whole YAML, not validated. Raise ServiceValidationError if it is broken."""
    try:
        return await conf_util.async_hass_config_yaml(hass)
    except HomeAssistantError as err:
        raise reload_failed(domain, str(err)) from err


async def validate_entries(
    hass: HomeAssistant, domain: str, config: ConfigType, entity_domains: Iterable[str]
) -> Entries:
    """Return the entries with `platform: <domain>` under each of `entity_domains`.

    Raise ServiceValidationError that names every mistake in them. What is wrong with the
    entries of other platforms is not looked at.
    """
    entries, problems = await valid_entries(hass, domain, config, entity_domains)
    if problems:
        raise reload_failed(domain, "; ".join(problems))
    return entries


async def valid_entries(
    hass: HomeAssistant, domain: str, config: ConfigType, entity_domains: Iterable[str]
) -> tuple[Entries, list[str]]:
    """Return those of the entries that are right, and what is wrong with the others."""
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
    """Set up the platform `domain` once for each entry, as at the start."""
    await asyncio.gather(*(_set_up(hass, domain, *of_domain) for of_domain in entries.items()))


def reload_failed(domain: str, error: str) -> ServiceValidationError:
    """Return the error that says why nothing was reloaded."""
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
    # Without the entries, which are validated: no template survives that twice.
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
