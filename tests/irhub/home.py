"""Helpers of many tests: YAML entries for virtual hubs, set-up, and waiting for conditions."""

from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component

from custom_components.irhub.devices.store import Devices, devices_of
from custom_components.irhub.hub.hub import Hub
from custom_components.irhub.hub.hubs import DATA_HUBS
from custom_components.irhub.hub.polling import StatusCoordinator
from custom_components.irhub.settings import Mac
from tests.home import until
from virtual_home.hub import VirtualHub

from .ircodes import captured

RC5, NEC, RF = captured.RC5, captured.NEC, captured.RF
POWER, HDMI, FAN = captured.POWER, captured.HDMI, captured.FAN


def entry(hub: VirtualHub, **keys: object) -> dict[str, Any]:
    """Return an entry of any irhub platform for a virtual hub, with a short timeout."""
    return {
        "platform": "irhub",
        "host": hub.host,
        "port": hub.port,
        "mac": hub.mac,
        "timeout": 1,
        "min_gap": 0,
        **keys,
    }


async def set_up(hass: HomeAssistant, domain: str, *entries: dict[str, Any]) -> None:
    """Set a domain up as YAML does."""
    assert await async_setup_component(hass, domain, {domain: list(entries)})
    await hass.async_block_till_done()


def our_hub(hass: HomeAssistant, virtual: VirtualHub) -> Hub:
    """Return our side of a virtual hub."""
    return hass.data[DATA_HUBS].find(f"{virtual.host}:{virtual.port}")


def our_status(hass: HomeAssistant, virtual: VirtualHub) -> StatusCoordinator:
    """Return what is read of a virtual hub."""
    ours = our_hub(hass, virtual)
    shared = hass.data[DATA_HUBS]._used  # noqa: SLF001  (platforms are given it)
    return shared[ours.settings.mac].status


def known(hass: HomeAssistant, mac: str = "34ea34000001") -> Devices:
    """Return the devices of a hub."""
    return devices_of(hass, Mac(mac))


def commands(devices: Devices) -> dict[str, dict[str, list[bytes]]]:
    """Return names of devices → names of commands → packets."""
    return {
        device.name: {each.name: [*each.packets] for each in device.commands.values()}
        for device in devices.values()
    }


async def start(hass: HomeAssistant, hub: VirtualHub, **keys: object) -> None:
    """Set up the remote of a virtual hub, and wait until it is connected."""
    await set_up(hass, "remote", entry(hub, **keys))
    await until(lambda: our_hub(hass, hub).available)


async def send(hass: HomeAssistant, virtual: VirtualHub, packet: str | list[str]) -> None:
    """Call irhub.send as an automation does."""
    await hass.services.async_call(
        "irhub",
        "send",
        {"host": f"{virtual.host}:{virtual.port}", "packet": packet},
        blocking=True,
    )
