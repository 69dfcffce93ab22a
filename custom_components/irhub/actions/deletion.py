"""Deletions by users who are not administrators: a repair issue offers to restore them."""

from collections.abc import Iterable
from datetime import datetime

from homeassistant.const import CONF_MAC
from homeassistant.core import Context, HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.util import dt as dt_util

from ..const import DOMAIN
from ..devices.journal import Change
from ..devices.store import Devices
from ..errors import list_names
from .permissions import async_is_limited


async def async_delete_named(
    hass: HomeAssistant,
    devices: Devices,
    name: str,
    commands: Iterable[str] | None,
    context: Context | None,
) -> None:
    """Delete commands of a device, or the whole device, by name.

    If the user is not an administrator, a repair issue offers to restore them.
    """
    label = devices.label(devices.named(name))
    deleted = await devices.delete_named(name, commands)
    if context is not None and await async_is_limited(hass, context):
        async_notify_of_deletion(hass, devices, deleted, label)


@callback
def async_notify_of_deletion(
    hass: HomeAssistant, devices: Devices, deleted: Change, label: str
) -> None:
    """Create a repair issue that offers to restore a deleted device or deleted commands."""
    lost = deleted.lost
    ir.async_create_issue(
        hass,
        DOMAIN,
        deleted_issue(deleted.id),
        data={CONF_MAC: str(devices.mac), "deleted": deleted.id},
        is_fixable=True,
        is_persistent=True,
        severity=ir.IssueSeverity.WARNING,
        translation_key="deleted_commands" if lost.id in devices else "deleted_device",
        translation_placeholders={
            "device": label,
            "count": str(len(lost.commands)),
            "commands": list_names(lost.by_name),
            "when": shown_time(deleted.when),
        },
    )


def deleted_issue(deleted_id: str) -> str:
    """Return the id of the repair issue of a deletion."""
    return f"deleted_{deleted_id}"


def shown_time(when: datetime) -> str:
    """Return a local time for dialogues and repairs, in a format for all languages."""
    return f"{dt_util.as_local(when):%Y-%m-%d %H:%M}"
