"""Developer tools → Actions (Settings → Tools → Actions from 2026.11 on)."""

import base64

from playwright.async_api import Locator, Page, expect
import pytest

from virtual_home.control import BUTTON
from virtual_home.home import Home

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

PACKET = base64.b64encode(BUTTON).decode()


async def choose(page: Page, action: str) -> Locator:
    """Choose an action as a user does, and return its form."""
    await page.goto("/config/developer-tools/action")
    await page.get_by_text("Action", exact=True).click()
    await page.get_by_placeholder("Search").fill(action)
    await page.get_by_text(action, exact=True).first.click()
    form = page.locator("ha-service-control")
    await expect(form.get_by_text(action, exact=True)).to_be_visible()
    return form


async def give_host(form: Locator, host: str) -> None:
    """Tick the hub's address, which the hub itself can stand for, and type it."""
    await form.locator("ha-checkbox").nth(1).click()
    await form.get_by_role("textbox").first.fill(host)


async def add_packet(form: Locator) -> None:
    """Tick the field Packet, which may be left out, and add a line to it."""
    await form.locator("ha-checkbox").nth(2).click()
    await form.get_by_role("button", name="Add").first.click()


async def perform(page: Page) -> None:
    """Press the button that performs the action."""
    await page.get_by_role("button", name="Perform action").click()


async def test_a_learned_packet_is_in_the_response_and_the_drawer(page: Page, home: Home) -> None:
    hub = home.hubs["lounge"]
    form = await choose(page, "irhub.learn")
    for field in "Hub", "Time to press", "Kind", "Frequency":
        await expect(form.get_by_text(field, exact=True)).to_be_visible()
    await give_host(form, f"{hub.host}:{hub.port}")
    await perform(page)
    await hub.press_when_listening(BUTTON)
    await expect(page.locator("ha-yaml-editor")).to_contain_text(PACKET)
    await page.get_by_role("button", name="Notifications").click()
    drawer = page.locator("notification-drawer")
    await expect(drawer).to_contain_text("Received packet is")
    await expect(drawer).to_contain_text(PACKET)


async def test_send_transmits_what_was_typed(page: Page, home: Home) -> None:
    hub = home.hubs["lounge"]
    before = len(hub.transmitted)
    form = await choose(page, "irhub.send")
    for field in "Hub", "Packet":
        await expect(form.get_by_text(field, exact=True)).to_be_visible()
    await give_host(form, f"{hub.host}:{hub.port}")
    await add_packet(form)
    await form.get_by_role("textbox").nth(1).fill(PACKET)
    await perform(page)
    await hub.until(lambda: len(hub.transmitted) > before)
    assert hub.transmitted[before:] == [BUTTON]


async def test_an_unknown_hub_is_an_error_that_names_the_known_ones(page: Page, home: Home) -> None:
    hub = home.hubs["lounge"]
    form = await choose(page, "irhub.learn")
    await give_host(form, "127.0.0.99")
    await perform(page)
    alert = page.locator("ha-alert")
    await expect(alert).to_contain_text("127.0.0.99")
    await expect(alert).to_contain_text(f"{hub.host}:{hub.port}")


async def test_an_invalid_packet_is_an_error(page: Page, home: Home) -> None:
    hub = home.hubs["lounge"]
    before = len(hub.transmitted)
    form = await choose(page, "irhub.send")
    await give_host(form, f"{hub.host}:{hub.port}")
    await add_packet(form)
    await form.get_by_role("textbox").nth(1).fill("no packet")
    await perform(page)
    await expect(page.locator("ha-alert")).to_contain_text("not a code in Base64/hex/Pronto/Tuya")
    assert len(hub.transmitted) == before
