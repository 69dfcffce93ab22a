"""A house in which what an air conditioner receives is an event."""

from dataclasses import replace
from typing import Any

from homeassistant.components.device_automation import DeviceAutomationType
from homeassistant.config_entries import ConfigEntry
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.helpers import device_registry as dr
from homeassistant.setup import async_setup_component
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    async_get_device_automations,
)

from custom_components.irhub.entities.registries import async_show_devices
from custom_components.irhub.entities.use import Use
from custom_components.irhub.ircodes import Off, State
from tests.home import until
from virtual_home.hub import VirtualHub

from .devices.taught import NAME, taught_by
from .dialogue import add
from .ircodes.code_files import Codes
from .ircodes.teaching.remotes import RemoteControl, clock_and_button

CODES = Codes()


class House:
    """An air conditioner whose states a rule reads, and its remote control."""

    def __init__(self, hass: HomeAssistant, hub: VirtualHub) -> None:
        self._hass = hass
        self._hub = hub
        self.remote: RemoteControl = clock_and_button()
        self.heard: list[dict[str, Any]] = []
        hass.bus.async_listen("told", self._tell)

    @callback
    def _tell(self, event: Event) -> None:
        self.heard.append({**event.data})

    async def start(self, *, events: bool = False, follow: bool = False) -> ConfigEntry[Use]:
        """Add it as one that is followed."""
        entry = await add(self._hass, self._hub)
        device = taught_by(clock_and_button())
        devices = entry.runtime_data.devices
        await devices.load()
        await devices.put(
            replace(device, settings=replace(device.settings, events=events, follow=follow))
        )
        async_show_devices(self._hass, devices)
        await self._hass.async_block_till_done()
        await until(lambda: self._hass.states.get("climate.acme_a1") is not None)
        return entry

    @property
    def device(self) -> str:
        """Its id in the device registry."""
        [entry] = self._hass.config_entries.async_entries("irhub")
        registry = dr.async_get(self._hass)
        registered = dr.async_entries_for_config_entry(registry, entry.entry_id)
        [device] = [device for device in registered if device.name == NAME]
        return device.id

    async def press(self, state: State | Off) -> None:
        """Press what sets this on its remote control."""
        await self._hub.until(lambda: self._hub.receiver.listening == "ir")
        await self._hub.press_when_listening(self.remote.press(state))

    async def offered(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Return what the editor offers: type and subtype → trigger."""
        triggers = await async_get_device_automations(
            self._hass, DeviceAutomationType.TRIGGER, self.device
        )
        return {
            (each["type"], each["subtype"]): each for each in triggers if each["domain"] == "irhub"
        }

    async def automate(self, *subtypes: str, **filters: object) -> None:
        """Have an automation for each, which tells what it was triggered by."""
        data = {
            "what": "{{ trigger.subtype }}",
            "description": "{{ trigger.description }}",
            "received": "{{ trigger.received }}",
        }
        offered = await self.offered()
        automations = [
            {
                "alias": subtype,
                "triggers": [
                    {
                        **{k: v for k, v in offered["set_to", subtype].items() if k != "metadata"},
                        **filters,
                    }
                ],
                "actions": [{"event": "told", "event_data": data}],
            }
            for subtype in subtypes
        ]
        assert await async_setup_component(self._hass, "automation", {"automation": automations})
        await self._hass.async_block_till_done()
