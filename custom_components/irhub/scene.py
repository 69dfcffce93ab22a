"""The scene platform: the favourites of air conditioners."""

from functools import partial
from typing import Any, override

from homeassistant.components.scene import Scene
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .const import DOMAIN
from .devices.device import Device, Favourite
from .entities.entity import SendingEntity
from .entities.favourites import air_conditioner_of
from .entities.subentries import async_add_of_device, subentry_of
from .entities.use import IrhubConfigEntry, Use
from .errors import UserError

PARALLEL_UPDATES = 0


async def async_setup_entry(
    _hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add a scene for each favourite, and follow the devices."""
    use = entry.runtime_data
    scenes = _Scenes(entry, async_add_entities)
    use.async_on_end(use.devices.async_add_listener(scenes.update))
    scenes.update()


class _Scenes:
    """The scenes of a hub: they come and go with the favourites of its air conditioners."""

    def __init__(self, entry: IrhubConfigEntry, add: AddConfigEntryEntitiesCallback) -> None:
        self._entry = entry
        self._use = entry.runtime_data
        self._add = add
        self._there: set[str] = set()

    @callback
    def update(self) -> None:
        """Add the scenes of new favourites; remove those of favourites that are gone."""
        if not self._use.devices.loaded:
            return
        known: set[str] = set()
        for device in self._use.devices.values():
            if device.entity is None or subentry_of(self._entry, device) is None:
                continue
            known |= {favourite.id for favourite in device.favourites}
            if new := [each for each in device.favourites if each.id not in self._there]:
                self._there |= {favourite.id for favourite in new}
                async_add_of_device(
                    self._entry, self._add, device, partial(self._made, device, new)
                )
        self._forget_all_but(known)

    def _made(self, device: Device, new: list[Favourite], use: Use) -> list[FavouriteScene]:
        scenes = [FavouriteScene(use, device, favourite) for favourite in new]
        for scene in scenes:
            scene.async_on_remove(partial(self._there.discard, str(scene.unique_id)))
        return scenes

    def _forget_all_but(self, known: set[str]) -> None:
        registry = er.async_get(self._use.hub.hass)
        for entry in er.async_entries_for_config_entry(registry, self._entry.entry_id):
            if (entry.domain, entry.platform) == (Platform.SCENE, DOMAIN) and (
                entry.unique_id not in known
            ):
                registry.async_remove(entry.entity_id)


class FavouriteScene(SendingEntity, Scene):
    """A favourite: activated, it turns its air conditioner on in that state."""

    def __init__(self, use: Use, device: Device, favourite: Favourite) -> None:
        super().__init__(use)
        self._of = device
        self._attr_unique_id = favourite.id
        self._attr_name = favourite.name

    @property
    @override
    def device(self) -> Device:
        return self._use.devices.latest(self._of)

    @override
    async def async_activate(self, **kwargs: Any) -> None:
        """Send the state. Raise UserError if the air conditioner or the favourite is gone."""
        favourites = {favourite.id: favourite for favourite in self.device.favourites}
        entity = air_conditioner_of(self.hass, self.device)
        favourite = favourites.get(str(self.unique_id))
        if entity is None or favourite is None:
            raise UserError("favourite_gone", device=self.device.name, favourite=str(self.name))
        if self._context is not None:
            entity.async_set_context(self._context)
        await entity.async_reach(favourite.state)
