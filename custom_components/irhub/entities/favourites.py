"""Favourites: states of an air conditioner that its user has given names."""

from dataclasses import replace
from secrets import token_hex
from typing import Protocol

from homeassistant.core import CALLBACK_TYPE, Context, HomeAssistant, callback
from homeassistant.util.hass_dict import HassKey

from ..const import DOMAIN
from ..devices.device import Device, Favourite
from ..devices.fields import MAX_FAVOURITES
from ..devices.store import Devices
from ..errors import UserError, list_names
from ..ircodes import State


class AirConditioner(Protocol):
    """The entity of an air conditioner, as a favourite uses it."""

    @property
    def device(self) -> Device:
        """Return what it is."""

    def async_set_context(self, context: Context) -> None:
        """Act for whoever has that context."""

    async def async_reach(self, state: State) -> None:
        """Turn it on in a state."""


_AIR_CONDITIONERS: HassKey[dict[str, AirConditioner]] = HassKey(f"{DOMAIN}_air_conditioners")


@callback
def async_come(hass: HomeAssistant, entity: AirConditioner) -> CALLBACK_TYPE:
    """Let an entity be there for the favourites of its device. Return what lets it go."""
    there, id_ = hass.data.setdefault(_AIR_CONDITIONERS, {}), entity.device.id
    there[id_] = entity

    @callback
    def go() -> None:
        if there.get(id_) is entity:
            del there[id_]

    return go


@callback
def air_conditioner_of(hass: HomeAssistant, device: Device) -> AirConditioner | None:
    """Return the entity of a device, if it is there."""
    return hass.data.setdefault(_AIR_CONDITIONERS, {}).get(device.id)


async def async_save(devices: Devices, device: Device, name: str, state: State) -> None:
    """Keep a state of a device under a name, in place of what had that name.

    Raise UserError for a device that stands in YAML, and for too many.
    """

    def save(now: Device) -> Device:
        others = {favourite.name: favourite for favourite in now.favourites}
        before = others.get(name)
        id_ = f"{now.id}/{token_hex(4)}" if before is None else before.id
        others[name] = Favourite(id=id_, name=name, state=state)
        if len(others) > MAX_FAVOURITES:
            raise UserError("many_favourites", device=devices.label(now), limit=str(MAX_FAVOURITES))
        return replace(now, favourites=tuple(others.values()))

    await devices.change(_kept(devices, device), save)


async def async_delete(devices: Devices, device: Device, name: str) -> None:
    """Delete a favourite. Raise UserError if there is none of that name."""

    def delete(now: Device) -> Device:
        left = tuple(favourite for favourite in now.favourites if favourite.name != name)
        if len(left) == len(now.favourites):
            known = list_names(favourite.name for favourite in now.favourites)
            raise UserError(
                "unknown_favourite", device=devices.label(now), favourite=name, known=known
            )
        return replace(now, favourites=left)

    await devices.change(_kept(devices, device), delete)


def _kept(devices: Devices, device: Device) -> Device:
    """Return a device of the hub. Raise UserError if it stands in YAML."""
    if device.id not in devices or devices[device.id].entity is None:
        raise UserError("favourite_in_yaml", device=device.name)
    return device
