"""Repair issues of single devices."""

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
"""Key in the data of an issue: the id of the device whose set-up failed."""
WITHOUT_OFF: Final = "without_off"
"""Key in the data of an issue: the id of the air conditioner that has no *Off* code."""


@callback
def async_create_failed_issue(
    hass: HomeAssistant, devices: Devices, device: Device, issue: str, err: Exception
) -> None:
    """Create an issue that offers to delete a device whose set-up failed; log the error once."""
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
def async_delete_failed_issues(hass: HomeAssistant, id_: str) -> None:
    """Delete the issues about the failed set-up of a device."""
    for issue in list(ir.async_get(hass).issues.values()):
        if issue.domain == DOMAIN and (issue.data or {}).get(FAILED) == id_:
            ir.async_delete_issue(hass, DOMAIN, issue.issue_id)


@callback
def async_update_off_issue(
    hass: HomeAssistant, devices: Devices, device: Device, *, is_missing: bool
) -> None:
    """Create or delete the issue that asks for the missing *Off* press of a taught device."""
    if not is_missing:
        async_delete_off_issue(hass, device)
        return
    ir.async_create_issue(
        hass,
        DOMAIN,
        _off_issue(device),
        data={CONF_MAC: str(devices.mac), WITHOUT_OFF: device.id},
        is_fixable=True,
        severity=ir.IssueSeverity.WARNING,
        translation_key="without_off",
        translation_placeholders={"device": devices.label(device)},
    )


@callback
def async_delete_off_issue(hass: HomeAssistant, device: Device) -> None:
    """Delete the issue about the missing *Off* press of a device."""
    ir.async_delete_issue(hass, DOMAIN, _off_issue(device))


def _off_issue(device: Device) -> str:
    return f"{WITHOUT_OFF}_{device.id}"
