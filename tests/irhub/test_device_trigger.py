"""What the automation editor offers for a remote control that is followed."""

import logging

from homeassistant.components.device_automation import DeviceAutomationType
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.helpers import device_registry as dr
from homeassistant.setup import async_setup_component
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    async_get_device_automations,
)

from tests.home import Home, until
from virtual_home.hub import VirtualHub

from .buttons import devices
from .dialogue import add, configure
from .followed import TV, pressed, teach
from .home import HDMI, POWER


async def offered(hass: HomeAssistant, device_id: str) -> dict[str, dict[str, str]]:
    """Return what the editor offers of a device's own: command → trigger."""
    triggers = await async_get_device_automations(hass, DeviceAutomationType.TRIGGER, device_id)
    return {each["subtype"]: each for each in triggers if each["domain"] == "irhub"}


async def automate(hass: HomeAssistant, trigger: dict[str, str]) -> None:
    """Have an automation that tells what it was triggered by."""
    told = {"event": "told", "event_data": {"what": "{{ trigger.description }}"}}
    automation = {"triggers": [trigger], "actions": [told]}
    assert await async_setup_component(hass, "automation", {"automation": [automation]})
    await hass.async_block_till_done()


async def test_a_pressed_button_starts_an_automation(home: Home, lounge: VirtualHub) -> None:
    hass, heard = home.hass, list[str]()

    @callback
    def tell(event: Event) -> None:
        heard.append(event.data["what"])

    hass.bus.async_listen("told", tell)
    ours = await add(hass, lounge)
    await teach(home, "remote.lounge", tv=TV)
    await hass.async_block_till_done()
    device = devices(hass, ours)["tv"].id
    assert await offered(hass, device) == {}

    dialogue = await (await configure(hass, ours)).choose("follow")
    await dialogue.submit(followed=["tv"])
    await hass.async_block_till_done()
    triggers = await offered(hass, device)
    assert [*triggers] == ["power", "hdmi"]
    assert triggers["hdmi"]["type"] == "pressed"
    await automate(hass, {k: v for k, v in triggers["hdmi"].items() if k != "metadata"})

    await lounge.press_when_listening(pressed(POWER))
    await home.wait_for(
        "event.tv_remote_control", lambda state: state.attributes["event_type"] == "power"
    )
    await lounge.press_when_listening(pressed(HDMI))
    await until(lambda: heard)
    assert heard == ["hdmi pressed"]


async def test_a_device_of_somebody_elses(home: Home, lounge: VirtualHub) -> None:
    ours = await add(home.hass, lounge)
    other = dr.async_get(home.hass).async_get_or_create(
        config_entry_id=ours.entry_id, identifiers={("other", "1")}
    )
    trigger = {"platform": "device", "domain": "irhub", "device_id": other.id}
    await automate(home.hass, {**trigger, "type": "pressed", "subtype": "power"})
    [told] = home.log(logging.ERROR, "homeassistant.components.automation")
    assert f"{other.id} is no device of irhub" in told
