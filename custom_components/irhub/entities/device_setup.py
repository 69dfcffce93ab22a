"""Set-up of the device entities of a config entry, which follow the stored devices."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from homeassistant.const import (
    Platform,
)
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
)

from ..const import CONF_ALIAS
from ..devices.device import Device, DeviceRule, Settings
from ..devices.kinds import Kind
from ..devices.rules import PacketRule, rule_of
from ..ircodes import Capabilities
from ..ircodes.states import Steps
from .device_entity import DeviceEntity
from .use import IrhubConfigEntry, Use


@dataclass(frozen=True, kw_only=True)
class _SetUp:
    """The parts of a device that its entity depends on; if one changes, it is created again."""

    entity: str
    """Unique id of the entity."""
    subentry: str
    kind: Kind
    rule: DeviceRule | None
    capabilities: Capabilities
    steps: Steps
    settings: Settings


type MakeEntity = Callable[[Use, Callable[[], Device], str, PacketRule | None], DeviceEntity]


async def async_add_from_entry(
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
    platform: Platform,
    make: MakeEntity,
) -> None:
    """Add the entities of a platform for the devices of a hub, now and later."""
    await _Entities(entry, async_add_entities, platform, make).follow()


class _Entities:
    """The entities of one platform for the devices of a hub.

    An entity is created again if its set-up changes; it handles all other changes of its device.
    """

    def __init__(
        self,
        entry: IrhubConfigEntry,
        add: AddConfigEntryEntitiesCallback,
        platform: Platform,
        make: MakeEntity,
    ) -> None:
        self._entry = entry
        self._use = entry.runtime_data
        self._hass = self._use.hub.hass
        self._registries = self._use.registries
        self._add = add
        self._platform = platform
        self._make = make
        self._set_up: dict[str, _SetUp] = {}
        """Device id → current set-up."""
        self._entities: dict[str, DeviceEntity] = {}
        self._lock = asyncio.Lock()
        self._has_ended = False

    async def follow(self) -> None:
        """Add the entities, and track the devices until the use of the hub ends."""
        self._use.async_on_end(self._use.devices.async_add_listener(self._changed))
        self._use.async_on_end(self._end)
        await self._update()

    @callback
    def _end(self) -> None:
        self._has_ended = True

    @callback
    def _changed(self) -> None:
        if self._planned() != self._set_up:
            name = f"irhub: change {self._platform} entities of {self._entry.title}"
            _ = self._hass.async_create_task(self._update(), name)

    def _planned(self) -> dict[str, _SetUp]:
        """Return the intended set-up of all devices of the platform, by device id."""
        return {
            id_: _SetUp(
                entity=device.entity,
                subentry=subentry.subentry_id,
                kind=device.kind,
                rule=device.rule,
                capabilities=device.capabilities,
                steps=device.steps,
                settings=replace(device.settings, buttons=None, events=False),
            )
            for id_, device in self._use.devices.items()
            if device.entity is not None
            and device.kind.platform == self._platform
            and (subentry := self._registries.subentry_of(device)) is not None
        }

    async def _update(self) -> None:
        async with self._lock:
            planned = self._planned()
            for id_, previous in list(self._set_up.items()):
                if planned.get(id_) != previous:
                    await self._remove(id_, leaves=id_ not in planned)
            for id_, set_up in planned.items():
                if id_ not in self._set_up and self._is_still_planned(id_, set_up):
                    self._set_up[id_] = set_up
                    await self._add_entity(self._use.devices[id_], set_up)

    def _is_still_planned(self, id_: str, set_up: _SetUp) -> bool:
        """Return whether a set-up is still intended: devices may have changed meanwhile."""
        return not self._has_ended and self._planned().get(id_) == set_up

    async def _remove(self, id_: str, *, leaves: bool) -> None:
        """Remove an entity; if it `leaves` for good, from the entity registry as well."""
        previous, entity = self._set_up.pop(id_), self._entities.pop(id_, None)
        if leaves:
            self._registries.remove_entity(self._platform, previous.entity)
        if entity is not None:
            await entity.async_remove()

    async def _add_entity(self, device: Device, set_up: _SetUp) -> None:
        """Add the entity of a device; a failure does not affect other devices."""
        with self._use.isolated_setup(device, self._platform):
            await self._make_entity(device, set_up)

    async def _make_entity(self, device: Device, set_up: _SetUp) -> None:
        rule = await async_rule_of(self._hass, device)
        if not self._is_still_planned(device.id, set_up):
            return

        def make(use: Use) -> list[DeviceEntity]:
            entity = self._make(use, partial(use.devices.latest, device), set_up.entity, rule)
            entity.async_on_remove(partial(self._entity_removed, device.id, set_up.entity))
            if self._registries.entity_id(self._platform, set_up.entity) is None:
                subentry = self._registries.subentry_of(device)
                entity.new_alias = None if subentry is None else subentry.data.get(CONF_ALIAS)
            self._entities[device.id] = entity
            return [entity]

        self._use.add(self._add, device, make)

    @callback
    def _entity_removed(self, id_: str, unique_id: str) -> None:
        """Handle a removed entity; if it is not registered any more, it may be added again."""
        self._entities.pop(id_, None)
        if self._registries.entity_id(self._platform, unique_id) is None:
            self._set_up.pop(id_, None)


async def async_rule_of(hass: HomeAssistant, device: Device) -> PacketRule | None:
    """Return the rule that computes the packets of a device, if any. Raise as `rule_of`."""
    return await hass.async_add_executor_job(rule_of, device)
