"""Favourites: named states of an air conditioner."""

from dataclasses import replace
from secrets import token_hex

from ..devices.device import Device, Favourite
from ..devices.fields import MAX_FAVOURITES
from ..devices.store import Devices
from ..errors import UserError, list_names
from ..ircodes import State


async def async_save(devices: Devices, device: Device, name: str, state: State) -> None:
    """Save a state of a device under a name, replacing the favourite of that name.

    Raise UserError for a device that is configured in YAML, and for too many favourites.
    """

    def save(now: Device) -> Device:
        others = {favourite.name: favourite for favourite in now.favourites}
        before = others.get(name)
        id_ = f"{now.id}/{token_hex(4)}" if before is None else before.id
        others[name] = Favourite(id=id_, name=name, state=state)
        if len(others) > MAX_FAVOURITES:
            raise UserError("many_favourites", device=devices.label(now), limit=str(MAX_FAVOURITES))
        return replace(now, favourites=tuple(others.values()))

    await devices.change(_stored_device(devices, device), save)


async def async_delete(devices: Devices, device: Device, name: str) -> None:
    """Delete a favourite. Raise UserError if there is none of that name."""

    def delete(now: Device) -> Device:
        others = tuple(favourite for favourite in now.favourites if favourite.name != name)
        if len(others) == len(now.favourites):
            known = list_names(favourite.name for favourite in now.favourites)
            raise UserError(
                "unknown_favourite", device=devices.label(now), favourite=name, known=known
            )
        return replace(now, favourites=others)

    await devices.change(_stored_device(devices, device), delete)


def _stored_device(devices: Devices, device: Device) -> Device:
    """Return the stored device. Raise UserError if its entity is configured in YAML."""
    if device.id not in devices or devices[device.id].entity is None:
        raise UserError("favourite_in_yaml", device=device.name)
    return device
