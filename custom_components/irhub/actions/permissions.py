"""Permissions for a hub, as for Home Assistant's own remotes.

Users who may control the hub's remote may send, listen and learn, and change, export and download
commands. Users who may read the remote or an entity of a device may see the device on the card.
Automations, which have no user, may do everything.
"""

from collections.abc import Iterable

from homeassistant.auth.models import User
from homeassistant.auth.permissions.const import POLICY_CONTROL, POLICY_READ
from homeassistant.const import Platform
from homeassistant.core import Context, HomeAssistant, callback
from homeassistant.exceptions import Unauthorized, UnknownUser
from homeassistant.helpers import entity_registry as er

from ..const import DOMAIN
from ..settings import Mac


async def async_check_control(hass: HomeAssistant, context: Context, owner: Mac | str) -> None:
    """Raise Unauthorized unless the user may control an entity (id), or a hub's remote (MAC).

    Raise UnknownUser if the user does not exist any more.
    """
    if (user := await _user(hass, context)) is None:
        return
    entity_id = owner if isinstance(owner, str) else remote_of(hass, owner)
    if not _may_control(user, entity_id):
        raise Unauthorized(
            context=context,
            user_id=user.id,
            entity_id=entity_id,
            permission=POLICY_CONTROL,
        )


@callback
def may_control(hass: HomeAssistant, user: User, mac: Mac) -> bool:
    """Return whether a user may control the remote of a hub."""
    return _may_control(user, remote_of(hass, mac))


@callback
def async_check_read(hass: HomeAssistant, user: User, mac: Mac, entity_ids: Iterable[str]) -> None:
    """Raise Unauthorized unless the user may read one of a device's entities or its hub's remote.

    Users who may read all entities may also see devices without entities.
    """
    remote = remote_of(hass, mac)
    entities = [*entity_ids, *([] if remote is None else [remote])]
    if not (
        user.permissions.access_all_entities(POLICY_READ)
        or any(user.permissions.check_entity(entity_id, POLICY_READ) for entity_id in entities)
    ):
        raise Unauthorized(user_id=user.id, permission=POLICY_READ)


async def async_is_limited(hass: HomeAssistant, context: Context) -> bool:
    """Return whether the call is from a user who is not an administrator."""
    user = await _user(hass, context)
    return user is not None and not user.is_admin


async def _user(hass: HomeAssistant, context: Context) -> User | None:
    if context.user_id is None:
        return None
    if (user := await hass.auth.async_get_user(context.user_id)) is None:
        raise UnknownUser(context=context, user_id=context.user_id)
    return user


@callback
def remote_of(hass: HomeAssistant, mac: Mac) -> str | None:
    """Return the remote of a hub, with its MAC address in either byte order; None if none."""
    registry = er.async_get(hass)
    ids = (
        registry.async_get_entity_id(Platform.REMOTE, DOMAIN, str(known_mac))
        for known_mac in (mac, mac.reversed)
    )
    return next((entity_id for entity_id in ids if entity_id is not None), None)


def _may_control(user: User, entity_id: str | None) -> bool:
    """Return whether a user may control an entity; for None, all entities."""
    if entity_id is None:
        return user.permissions.access_all_entities(POLICY_CONTROL)
    return user.permissions.check_entity(entity_id, POLICY_CONTROL)
