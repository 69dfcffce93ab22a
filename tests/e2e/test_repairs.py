"""The Repairs page tells in plain words what is wrong and what to do."""

from pathlib import Path

from playwright.async_api import Browser, Locator, Page, expect
import pytest

from demo.host import Host
from virtual_home.home import Home

from .chromium import new_page

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]


async def open_issue(page: Page, title: str) -> Locator:
    """Open an issue as a user does, and return its explanation."""
    await page.goto("/config/repairs")
    await page.get_by_text(title, exact=True).click()
    return page.locator("ha-dialog ha-markdown, ha-adaptive-dialog ha-markdown")


async def test_a_state_over_255_characters(troubled_page: Page) -> None:
    issue = await open_issue(troubled_page, "The state of a REST sensor is too long")
    for part in "sensor.everything", "255", "value_template":
        await expect(issue).to_contain_text(part)


async def test_mqtt_is_not_set_up(troubled_page: Page) -> None:
    issue = await open_issue(troubled_page, "MQTT is not set up")
    await expect(issue).to_contain_text("Add the MQTT integration")


async def test_one_host_with_two_mac_addresses(troubled_page: Page, home: Home) -> None:
    issue = await open_issue(troubled_page, "Two MAC addresses for one IR/RF hub")
    for plug in "lamp", "strip":
        await expect(issue).to_contain_text(home.hubs[plug].mac, ignore_case=True)


async def test_in_the_language_of_the_browser(
    browser: Browser, troubled_host: Host, tmp_path: Path
) -> None:
    async with new_page(browser, troubled_host, tmp_path, locale="de-DE") as page:
        issue = await open_issue(page, "Der Zustand eines REST-Sensors ist zu lang")
        await expect(issue).to_contain_text("Home Assistant erlaubt 255")
