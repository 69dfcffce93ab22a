"""Air conditioners that nothing turns off: a repair leads to the press of *Off*."""

from typing import Final

from homeassistant.const import CONF_MAC
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir

from ..const import DOMAIN
from ..devices.device import Device
from ..devices.store import Devices

WITHOUT_OFF: Final = "without_off"
"""In a repair's data: the air conditioner that nothing turns off."""


@callback
def async_tell_of_off(
    hass: HomeAssistant, devices: Devices, device: Device, *, is_missing: bool
) -> None:
    """Let a repair ask for the press of *Off* while that of a taught device is missing."""
    if not is_missing:
        async_forget_off(hass, device)
        return
    ir.async_create_issue(
        hass,
        DOMAIN,
        _issue(device),
        data={CONF_MAC: str(devices.mac), WITHOUT_OFF: device.id},
        is_fixable=True,
        severity=ir.IssueSeverity.WARNING,
        translation_key="without_off",
        translation_placeholders={"device": devices.label(device)},
    )


@callback
def async_forget_off(hass: HomeAssistant, device: Device) -> None:
    """Let the repair of a device go."""
    ir.async_delete_issue(hass, DOMAIN, _issue(device))


def _issue(device: Device) -> str:
    return f"{WITHOUT_OFF}_{device.id}"
