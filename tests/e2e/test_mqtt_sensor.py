"""A binary sensor is added in the browser, after it was tried on a live topic."""

from playwright.async_api import Page, expect
import pytest

from demo.client import Client
from virtual_home.home import Home

from .clicks import choose, dialogue, enter, finish

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

INTEGRATION = "/config/integrations/integration/mqtt_binary"


async def go_on(page: Page) -> None:
    """Send a page that is not the last one."""
    await dialogue(page).get_by_role("button", name="Next").click()


async def test_a_sensor_is_tried_and_added(page: Page, client: Client, home: Home) -> None:
    home.contact.publish("home/attic/hatch", "2", retain=True)
    await page.goto(INTEGRATION)
    await page.get_by_role("button", name="Add sensor").click()
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
