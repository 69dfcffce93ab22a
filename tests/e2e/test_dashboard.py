"""The dashboard of the demo, as its user sees it."""

import re

from playwright.async_api import Locator, Page, expect
import pytest

from demo.client import Client
from demo.walk import DISCOVERY, LG_BUTTON, add_hub, import_television, set_up_lg
from virtual_home.home import Home

from .hubs import a_hub_to_be_found
from .pictures import take

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

DASHBOARD = "/virtual-home/home"


def tile(page: Page, name: str) -> Locator:
    """Return the tile with that name."""
    return page.locator("hui-tile-card").filter(has=page.get_by_text(name, exact=True))


async def test_nothing_is_missing(page: Page, home: Home, client: Client) -> None:
    home.contact.publish("mqtt_binary/binary_sensor/garage/config", DISCOVERY, retain=True)
    home.contact.publish("home/garage/state", "ON", retain=True)
    home.contact.publish("home/motion", "ON")
    home.contact.report("OFF")
    for name in "lamp", "aquarium", "television":
        await client.call("switch.turn_on", {"entity_id": f"switch.{name}"})
    await client.call("climate.turn_off", {"entity_id": "climate.office"})
    await set_up_lg(client)
    async with a_hub_to_be_found(mac="34:EA:34:00:00:22", name="Neighbour"):
        await add_hub(client, home.hubs["bedroom"])
    for button in LG_BUTTON, *await import_television(client):
        await client.call("button.press", {"entity_id": button})
    await page.set_viewport_size({"width": 1500, "height": 640})
    await page.goto(DASHBOARD)
    await expect(page.locator("hui-tile-card")).to_have_count(29)
    await expect(tile(page, "Garage door (found)")).to_contain_text("Open")
    await expect(tile(page, "Lamp power")).to_contain_text("13 W")
    await expect(tile(page, "Humidity")).to_contain_text("%")
    await expect(tile(page, "Lounge emitter")).to_contain_text("ago")
    for wrong in "Unavailable", "Unknown", "Entity not found":
        await expect(page.get_by_text(wrong)).to_have_count(0)
    await page.get_by_role("button", name="Sidebar toggle").click()
    await expect(tile(page, "Motion")).to_contain_text("Clear")
    await take("dashboard", page)
    for name in "lamp", "aquarium", "television":
        await client.call("switch.turn_off", {"entity_id": f"switch.{name}"})


async def test_rest_values_arrive_and_change(page: Page) -> None:
    await page.goto(DASHBOARD)
    boiler = tile(page, "Boiler")
    await expect(boiler).to_contain_text(re.compile(r"\d\.\d\s°C"))
    shown = await boiler.get_by_text("°C").text_content()
    assert shown
    await expect(boiler).not_to_contain_text(shown)


async def test_contact_opens_on_the_dashboard(page: Page, home: Home) -> None:
    await page.goto(DASHBOARD)
    window = tile(page, "Window")
    home.contact.report("ON")
    await expect(window).to_contain_text("Open")
    home.contact.report("OFF")
    await expect(window).to_contain_text("Closed")


async def test_toggling_a_tile_switches_the_plug(page: Page, home: Home) -> None:
    plug = home.hubs["lamp"]
    await page.goto(DASHBOARD)
    lamp = tile(page, "Lamp")
    await expect(lamp).to_contain_text("Off")
    await lamp.get_by_role("switch").click()
    await expect(lamp).to_contain_text("On")
    assert plug.state.power
    await lamp.get_by_role("switch").click()
    await expect(lamp).to_contain_text("Off")
    assert not plug.state.power
