"""The YAML read anew, without a restart."""

import asyncio
from typing import Any

from homeassistant import config as conf_util
from homeassistant.components.binary_sensor import DATA_COMPONENT
from homeassistant.const import CONF_PLATFORM, SERVICE_RELOAD, Platform
from homeassistant.core import HomeAssistant, ServiceCall
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers.entity_platform import async_get_platforms
from homeassistant.helpers.service import async_register_admin_service
from homeassistant.helpers.typing import ConfigType
from homeassistant.loader import async_get_integration
from homeassistant.setup import async_setup_component
import voluptuous as vol

from .const import DOMAIN
from .data import DATA
from .discovered import DiscoveredBinarySensor
from .prefix import async_import
from .schema import CONFIG_SCHEMA


def async_register_reload(hass: HomeAssistant) -> None:
    """Register `mqtt_binary.reload`."""
    lock = asyncio.Lock()

    async def reload(_call: ServiceCall) -> None:
        async with lock:
            if not hass.is_stopping:
                await async_reload(hass)

    async_register_admin_service(hass, DOMAIN, SERVICE_RELOAD, reload)


async def async_reload(hass: HomeAssistant) -> None:
    """Replace all sensors of the YAML by those it has now.

    Raises ServiceValidationError, and changes nothing, if an entry of ours is wrong.
    """
    try:
        raw = await conf_util.async_hass_config_yaml(hass)
        top: dict[str, Any] = CONFIG_SCHEMA(raw)
    except (HomeAssistantError, vol.Invalid) as err:
        raise _failure(str(err)) from err
    sensors = await _read_sensors(hass, raw)

    for platform in async_get_platforms(hass, DOMAIN):
        if platform.config_entry is None:
            await platform.async_reset()
    # Sensors that were refused or disabled hold their ids still.
    data = hass.data[DATA]
    data.unique_ids.release_where(lambda owner: not isinstance(owner, DiscoveredBinarySensor))

    if (component := hass.data.get(DATA_COMPONENT)) is None:
        await async_setup_component(hass, Platform.BINARY_SENSOR, {Platform.BINARY_SENSOR: sensors})
    else:
        await asyncio.gather(
            *(component.async_setup_platform(DOMAIN, sensor) for sensor in sensors)
        )
    if DOMAIN in top:
        await async_import(hass, top[DOMAIN])


async def _read_sensors(hass: HomeAssistant, raw: ConfigType) -> list[ConfigType]:
    """Return our validated entries; what is wrong with others' is their business."""
    integration = await async_get_integration(hass, Platform.BINARY_SENSOR)
    info = await conf_util.async_process_component_config(hass, raw, integration)
    problems = [
        _describe(hass, problem)
        for problem in info.exception_info_list
        if problem.config.get(CONF_PLATFORM) == DOMAIN
    ]
    if problems:
        raise _failure("; ".join(problems))
    entries: list[ConfigType] = (info.config or {}).get(Platform.BINARY_SENSOR) or []
    return [entry for entry in entries if entry.get(CONF_PLATFORM) == DOMAIN]


def _describe(hass: HomeAssistant, problem: conf_util.ConfigExceptionInfo) -> str:
    if not isinstance(problem.exception, vol.Invalid):
        return str(problem.exception)
    return conf_util.format_schema_error(
        hass,
        problem.exception,  # type: ignore[arg-type]  # voluptuous up to 2026.8, probatio after
        Platform.BINARY_SENSOR,
        problem.config,
    )


def _failure(problem: str) -> ServiceValidationError:
    return ServiceValidationError(
        translation_domain=DOMAIN,
        translation_key="reload_failed",
        translation_placeholders={"problem": problem},
    )
