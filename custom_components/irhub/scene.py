"""The scene platform: the favourites of air conditioners."""

from collections.abc import Iterable
from functools import partial
from typing import Any, override

from homeassistant.components.scene import Scene
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .climate import AirConditioner
from .devices.device import Device, Favourite
from .entities.device_entity import entity_of
from .entities.entity import SendingEntity
from .entities.use import IrhubConfigEntry, Use
from .errors import UserError

PARALLEL_UPDATES = 0


async def async_setup_entry(
    _hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add a scene for each favourite, now and later."""
    use = entry.runtime_data
    registries = use.registries
    added: set[str] = set()
    if not await use.devices.try_load():
        return

    def make(device: Device, new: Iterable[Favourite], use: Use) -> list[FavouriteScene]:
        scenes = [FavouriteScene(use, device, favourite) for favourite in new]
        for scene in scenes:
            scene.async_on_remove(partial(added.discard, str(scene.unique_id)))
        return scenes

    @callback
    def changed() -> None:
        shown = [
            device
            for device in use.devices.values()
            if device.entity is not None and not registries.lacks_subentry(device)
        ]
        known = {favourite.id for device in shown for favourite in device.favourites}
        registries.remove_other_entities(Platform.SCENE, known)
        for device in shown:
            if new := [favourite for favourite in device.favourites if favourite.id not in added]:
                added.update(favourite.id for favourite in new)
                with use.isolated_setup(device, Platform.SCENE):
                    use.add(async_add_entities, device, partial(make, device, new))

    use.async_on_end(use.devices.async_add_listener(changed))
    changed()


class FavouriteScene(SendingEntity, Scene):
    """Scene of a favourite: turns the air conditioner on in a state."""

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
        """Send the state. Raise UserError if the air conditioner or favourite does not exist."""
        favourites = {favourite.id: favourite for favourite in self.device.favourites}
        entity = entity_of(self.hass, self.device)
        favourite = favourites.get(str(self.unique_id))
        if not isinstance(entity, AirConditioner) or favourite is None:
            raise UserError("favourite_gone", device=self.device.name, favourite=str(self.name))
        if self._context is not None:
            entity.async_set_context(self._context)
        await entity.async_reach(favourite.state)
