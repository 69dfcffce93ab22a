"""A binary sensor is added in the browser, after it was tried on a live topic."""

import asyncio
import json

from playwright.async_api import Page, expect
import pytest

from demo.client import Client
from virtual_home.home import Home

from .clicks import check, choose, dialogue, enter, finish

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

INTEGRATION = "/config/integrations/integration/mqtt_binary"


async def go_on(page: Page) -> None:
    """Send a page that is not the last one."""
    await dialogue(page).get_by_role("button", name="Next").click()


async def test_a_sensor_is_tried_and_added(page: Page, client: Client, home: Home) -> None:
    home.contact.publish("home/attic/hatch", "2", retain=True)
    await page.goto(INTEGRATION)
    await page.get_by_role("button", name="Add sensor").click()
    await choose(page, "Enter its topic")
    await enter(page, "Name", "Attic hatch")
    await enter(page, "Topic", "home/#/hatch")
    await go_on(page)
    await expect(dialogue(page)).to_contain_text("This is no topic that can be subscribed to")
    await enter(page, "Topic", "home/attic/hatch")
    await go_on(page)
    await expect(dialogue(page)).to_contain_text("Time and availability")
    await go_on(page)

    await expect(dialogue(page)).to_contain_text("the message would be ignored")
    home.contact.publish("home/attic/hatch", "ON", retain=True)
    await choose(page, "Try again")
    await expect(dialogue(page)).to_contain_text("The sensor would be on")
    await choose(page, "Keep the sensor")
    await finish(page)
    await client.wait_state("binary_sensor.attic_hatch", "on")
    await expect(page.get_by_text("Attic hatch").first).to_be_visible()


async def test_a_sensor_is_found_by_watching(page: Page, client: Client, home: Home) -> None:
    topic = "home/shed/[door](https://example.com)"
    home.contact.publish(topic, '{"contact": true}', retain=True)
    await page.goto(INTEGRATION)
    await page.get_by_role("button", name="Add sensor").click()
    await choose(page, "I do not know the topic")
    await enter(page, "Watch below", "home/shed")
    await go_on(page)
    await expect(dialogue(page)).to_contain_text("Open and close it twice now")
    await asyncio.sleep(1)  # until the broker is watched
    for number in range(20):
        home.contact.publish(f"home/shed/camera/{number}", b"\xff\xfe")
    for contact in ("false", "true", "false", "true"):
        home.contact.publish(topic, f'{{"contact": {contact}}}', retain=True)
        await asyncio.sleep(0.3)
    await expect(dialogue(page)).to_contain_text("This went on and off")
    # What was left out does not push the choice off the page.
    await expect(dialogue(page).get_by_text("contact: True")).to_be_in_viewport()
    await expect(dialogue(page).get_by_text("home/shed/camera/7: 1")).to_be_hidden()
    await dialogue(page).get_by_text("Messages that cannot be read here").click()
    await expect(dialogue(page).get_by_text("home/shed/camera/7: 1")).to_be_visible()
    await check(page, "contact: True")
    await go_on(page)
    await enter(page, "Name", "Shed door")
    await go_on(page)
    await expect(dialogue(page)).to_contain_text("Time and availability")
    await go_on(page)
    await expect(dialogue(page)).to_contain_text("The sensor would be off")
    # What others have written is shown, and is no link.
    await expect(dialogue(page)).to_contain_text(topic)
    assert await dialogue(page).locator("a[href*='example.com']").count() == 0
    await choose(page, "Keep the sensor")
    await finish(page)
    await client.wait_state("binary_sensor.shed_door", "off")
    home.contact.publish(topic, '{"contact": false}')
    await client.wait_state("binary_sensor.shed_door", "on")


async def test_a_whole_device_is_taken_over(page: Page, client: Client, home: Home) -> None:
    device = {"ids": ["garage"], "name": "Garage"}
    for part in ("gate", "motion"):
        message = {
            "name": part.capitalize(),
            "stat_t": f"garage/{part}",
            "uniq_id": f"garage_{part}",
            "dev": device,
        }
        home.contact.publish(
            f"homeassistant/binary_sensor/garage/{part}/config", json.dumps(message), retain=True
        )
        home.contact.publish(f"garage/{part}", "ON", retain=True)
        await client.wait_state(f"binary_sensor.garage_{part}", "on")
    await page.goto(INTEGRATION)
    await page.get_by_role("button", name="Add sensor").click()
    await choose(page, "Choose one that Home Assistant has discovered")
    await expect(dialogue(page)).to_contain_text("sensors were found")
    chosen = dialogue(page).locator("ha-selector-select", has_text="Sensors")
    await chosen.get_by_role("button").last.click()
    await chosen.get_by_placeholder("Search").fill("Gate")
    await chosen.get_by_text("Garage: Gate, Motion", exact=True).last.click()
    await expect(chosen.locator("ha-input-chip")).to_be_visible()
    await go_on(page)
    await expect(dialogue(page)).to_contain_text("binary_sensor.garage_motion")
    await choose(page, "In its place")
    await finish(page)
    for part in ("gate", "motion"):
        await client.wait_state(f"binary_sensor.garage_{part}", "on")
        home.contact.publish(f"garage/{part}", "OFF")
        await client.wait_state(f"binary_sensor.garage_{part}", "off")
