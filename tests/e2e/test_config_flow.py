"""The dialogues of `mqtt_binary`, clicked through."""

from playwright.async_api import Locator, Page, expect
import pytest

from .clicks import add_integration, finish, submit

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]


def prefix_of(page: Page) -> Locator:
    """Return the field for the discovery prefix."""
    return page.get_by_role("textbox", name="Discovery prefix")


async def test_discovery_is_set_up_and_its_prefix_changed(troubled_page: Page) -> None:
    page = troubled_page
    await add_integration(page, "MQTT Binary Sensor")
    await expect(prefix_of(page)).to_have_value("mqtt_binary")

    await prefix_of(page).fill("home/#")
    await submit(page)
    await expect(page.locator("ha-alert")).to_contain_text("This is not a topic")
    await prefix_of(page).fill("home/announced")
    await submit(page)
    await finish(page)

    await page.goto("/config/integrations/integration/mqtt_binary")
    await page.get_by_role("button", name="Configure").click()
    await expect(prefix_of(page)).to_have_value("home/announced")
    await prefix_of(page).fill("home/new")
    await submit(page)
    await finish(page)
    await page.get_by_role("button", name="Configure").click()
    await expect(prefix_of(page)).to_have_value("home/new")
