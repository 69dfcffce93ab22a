"""Replace a sensor of core by one of ours, and restore it when ours is removed.

Our sensor takes over the entity id and all user settings. Replaced sensors are stored in the data
of the config entry, by subentry id, so that they are also restored if the subentry is removed
while the entry is disabled.
"""

import asyncio
from collections.abc import Mapping
import contextlib
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Self

from homeassistant.config_entries import (
    SIGNAL_CONFIG_ENTRY_CHANGED,
    ConfigEntry,
    ConfigEntryChange,
    ConfigSubentry,
)
from homeassistant.const import STATE_OFF, STATE_ON, STATE_UNAVAILABLE, Platform
from homeassistant.core import Event, HomeAssistant, State, callback, split_entity_id
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.dispatcher import async_dispatcher_connect

from .. import const, mqtt
from ..entity.state import LastValue
from ..mqtt import BLOCKED_ATTRIBUTES
from ..settings import Settings

GONE_S: Final = 5.0
"""Maximum seconds to wait until an entity id is free."""

ENDING: Final = "mqtt"
"""Suffix of the entity id of a core sensor that was replaced."""

_USER: Final = er.RegistryEntryDisabler.USER


@dataclass(frozen=True, kw_only=True)
class Replaced:
    """A sensor of core that was replaced."""

    registry_id: str
    entity_id: str
    disabled: bool
    """Whether this integration, not the user, has disabled it."""

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> Self:
        """Return a replaced sensor from stored data."""
        return cls(
            registry_id=str(stored["registry_id"]),
            entity_id=str(stored["entity_id"]),
            disabled=bool(stored["disabled"]),
        )


def replaced_by(entry: ConfigEntry) -> dict[str, Replaced]:
    """Return the replaced sensors: subentry id → sensor."""
    stored: Mapping[str, Mapping[str, Any]] = entry.data.get(const.CONF_REPLACED, {})
    return {id_: Replaced.from_stored(sensor) for id_, sensor in stored.items()}


def is_replaced(hass: HomeAssistant, registry_id: str) -> bool:
    """Return whether a sensor of core was replaced."""
    return any(
        replaced.registry_id == registry_id
        for entry in hass.config_entries.async_entries(const.DOMAIN)
        for replaced in replaced_by(entry).values()
    )


@callback
def _remember(hass: HomeAssistant, entry: ConfigEntry, replaced: Mapping[str, Replaced]) -> None:
    stored = {id_: asdict(sensor) for id_, sensor in replaced.items()}
    hass.config_entries.async_update_entry(entry, data={**entry.data, const.CONF_REPLACED: stored})


async def async_replace(
    hass: HomeAssistant, entry: ConfigEntry, subentry: ConfigSubentry, settings: Settings
) -> LastValue | None:
    """Replace core's sensor: take over its entity id and all user settings.

    Return the last value of core's sensor, if any. If that sensor was disabled, removed or replaced
    meanwhile, change nothing, so that ours is added independently.
    """
    registry = er.async_get(hass)
    core = registry.async_get(subentry.data[const.CONF_REPLACES])
    if core is None or core.disabled or is_replaced(hass, core.id):
        return None
    entity_id = core.entity_id
    state = hass.states.get(entity_id)
    domain, object_id = split_entity_id(entity_id)
    _remember(
        hass,
        entry,
        {
            **replaced_by(entry),
            subentry.subentry_id: Replaced(registry_id=core.id, entity_id=entity_id, disabled=True),
        },
    )
    registry.async_update_entity(
        entity_id,
        disabled_by=_USER,
        new_entity_id=registry.async_get_available_entity_id(domain, f"{object_id}_{ENDING}"),
    )
    await _wait_until_free(hass, entity_id)
    ours = registry.async_get_or_create(
        domain,
        const.DOMAIN,
        subentry.subentry_id,
        config_entry=entry,
        config_subentry_id=subentry.subentry_id,
        device_id=core.device_id,
        suggested_object_id=object_id,
    )
    _take_on(registry, ours.entity_id, core)
    return None if state is None else _last_value(state, settings)


def _take_on(registry: er.EntityRegistry, entity_id: str, core: er.RegistryEntry) -> None:
    """Copy the user settings of core's sensor to ours."""
    registry.async_update_entity(
        entity_id,
        aliases=core.aliases,
        area_id=core.area_id,
        categories=core.categories,
        device_class=core.device_class,
        hidden_by=core.hidden_by,
        icon=core.icon,
        labels=core.labels,
        name=core.name,
    )
    for domain, options in core.options.items():
        registry.async_update_entity_options(entity_id, domain, dict(options))


def _last_value(state: State, settings: Settings) -> LastValue | None:
    if state.state == STATE_UNAVAILABLE:
        return None
    return LastValue(
        value={STATE_ON: True, STATE_OFF: False}.get(state.state),
        received=state.last_reported.timestamp(),
        attributes={
            name: value
            for name, value in state.attributes.items()
            if name not in BLOCKED_ATTRIBUTES
        },
        availability={topic.topic: True for topic in settings.availability},
    )


@callback
def device_of(hass: HomeAssistant, subentry: ConfigSubentry) -> str | None:
    """Return the id of the device of core's sensor, which is also the device of ours."""
    registry = er.async_get(hass)
    core = registry.async_get(subentry.data.get(const.CONF_REPLACES, ""))
    if core is not None:
        return core.device_id
    # Core removes its sensor when it is not announced any more.
    entity_id = registry.async_get_entity_id(
        Platform.BINARY_SENSOR, const.DOMAIN, subentry.subentry_id
    )
    ours = registry.async_get(entity_id) if entity_id else None
    return None if ours is None else ours.device_id


@callback
def async_watch(hass: HomeAssistant) -> None:
    """Restore core's sensors when ours are removed, until Home Assistant stops."""

    @callback
    def entry_changed(_change: ConfigEntryChange, entry: ConfigEntry) -> None:
        if entry.domain == const.DOMAIN and entry.entry_id in hass.config_entries.async_entry_ids():
            async_give_back_removed(hass, entry)

    @callback
    def is_enabled(event_data: er.EventEntityRegistryUpdatedData) -> bool:
        return event_data["action"] == "update" and "disabled_by" in event_data["changes"]

    @callback
    def entity_changed(event: Event[er.EventEntityRegistryUpdatedData]) -> None:
        """Store that the user has enabled a replaced sensor, so that it will be left alone."""
        core = er.async_get(hass).async_get(event.data["entity_id"])
        if core is None or core.disabled_by is _USER:
            return
        for entry in hass.config_entries.async_entries(const.DOMAIN):
            replaced = replaced_by(entry)
            for subentry_id, sensor in replaced.items():
                if sensor.registry_id == core.id and sensor.disabled:
                    changed = {**replaced, subentry_id: replace(sensor, disabled=False)}
                    _remember(hass, entry, changed)

    async_dispatcher_connect(hass, SIGNAL_CONFIG_ENTRY_CHANGED, entry_changed)
    hass.bus.async_listen(er.EVENT_ENTITY_REGISTRY_UPDATED, entity_changed, event_filter=is_enabled)


@callback
def async_give_back_removed(hass: HomeAssistant, entry: ConfigEntry) -> None:
    """Restore the sensors replaced by subentries that were removed."""
    replaced = replaced_by(entry)
    orphaned = [sensor for id_, sensor in replaced.items() if id_ not in entry.subentries]
    if orphaned:
        remaining = {id_: sensor for id_, sensor in replaced.items() if id_ in entry.subentries}
        _remember(hass, entry, remaining)
        async_restore_core_sensors(hass, orphaned)


@callback
def async_restore_core_sensors(hass: HomeAssistant, replaced: list[Replaced]) -> None:
    """Enable core's sensors in the background, once ours have left the entity registry."""
    for sensor in replaced:
        _ = hass.async_create_task(
            _give_back(hass, sensor), "mqtt_binary give back", eager_start=False
        )


async def _give_back(hass: HomeAssistant, replaced: Replaced) -> None:
    """Enable a sensor of core and restore its entity id.

    A sensor that the user has enabled or removed since is left alone.
    """
    registry = er.async_get(hass)
    await _wait_until_free(hass, replaced.entity_id)
    core = registry.async_get(replaced.registry_id)
    if core is None or not replaced.disabled or core.disabled_by is not _USER:
        return
    mqtt_entry = hass.config_entries.async_get_entry(core.config_entry_id or "")
    disabled = mqtt_entry is not None and mqtt_entry.disabled_by is not None
    registry.async_update_entity(
        core.entity_id,
        disabled_by=er.RegistryEntryDisabler.CONFIG_ENTRY if disabled else None,
        new_entity_id=registry.async_get_available_entity_id(
            *split_entity_id(replaced.entity_id), current_entity_id=core.entity_id
        ),
    )


@callback
def async_take_over_old(hass: HomeAssistant, entry: ConfigEntry) -> None:
    """Migrate data that 0.4.0 stored in subentries, without who has disabled the sensor."""
    replaced = replaced_by(entry)
    registry = er.async_get(hass)
    for subentry in entry.subentries.values():
        core = registry.async_get(subentry.data.get(const.CONF_REPLACES, ""))
        if (
            subentry.subentry_id in replaced
            or const.CONF_DEFAULT_ENTITY_ID not in subentry.data
            or core is None
            or core.platform != mqtt.DOMAIN
        ):
            continue
        replaced[subentry.subentry_id] = Replaced(
            registry_id=core.id,
            entity_id=subentry.data[const.CONF_DEFAULT_ENTITY_ID],
            disabled=core.disabled_by is _USER,
        )
    if replaced != replaced_by(entry):
        _remember(hass, entry, replaced)


async def _wait_until_free(hass: HomeAssistant, entity_id: str) -> None:
    """Wait until an entity id is free."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(GONE_S):
            while hass.states.get(entity_id) is not None:  # noqa: ASYNC110 - rare and short
                await asyncio.sleep(0.05)
