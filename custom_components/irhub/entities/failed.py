"""Devices that cannot be set up: a repair offers to delete one, until it can be set up."""

import logging
from typing import Final

from homeassistant.const import CONF_MAC
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir

from ..const import DOMAIN
from ..devices.device import Device
from ..devices.store import Devices
from ..errors import IrhubError, localized

_LOGGER = logging.getLogger(__package__)

FAILED: Final = "failed"
"""In a repair's data: the device that cannot be set up."""


@callback
def async_notify_of_failure(
    hass: HomeAssistant, devices: Devices, device: Device, issue: str, err: Exception
) -> None:
    """Let a repair offer to delete a device that cannot be set up; log why, once."""
    label, is_ours = devices.label(device), isinstance(err, IrhubError)
    if ir.async_get(hass).async_get_issue(DOMAIN, issue) is None:
        _LOGGER.error("%s: %s", label, err if is_ours else repr(err), exc_info=not is_ours)
    ir.async_create_issue(
        hass,
        DOMAIN,
        issue,
        data={CONF_MAC: str(devices.mac), FAILED: device.id},
        is_fixable=True,
        severity=ir.IssueSeverity.ERROR,
        translation_key="failed_device",
        translation_placeholders={
            "device": label,
            "count": str(len(device.commands)),
            "error": localized(err) if is_ours else repr(err),
        },
    )


@callback
def async_forget_failed(hass: HomeAssistant, id_: str) -> None:
    """Let the repairs of a device go, which is gone itself."""
    for issue in list(ir.async_get(hass).issues.values()):
        if issue.domain == DOMAIN and (issue.data or {}).get(FAILED) == id_:
            ir.async_delete_issue(hass, DOMAIN, issue.issue_id)
