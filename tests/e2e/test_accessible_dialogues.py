"""The pages of a dialogue can be used by everybody: axe-core finds nothing in what is ours."""

from collections.abc import AsyncGenerator

from playwright.async_api import Page, expect
import pytest
import pytest_asyncio
import pytest_socket

from demo.client import Client
from demo.walk import add_hub
from virtual_home.hub import VirtualHub

from .accessibility import violations
from .clicks import dialogue
from .test_learn_remote import a_press

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

HOME_ASSISTANTS = ("ha-selector", "ha-input")
"""Fields: in its dark theme they have labels and hints that are too faint."""
INTEGRATION = "/config/integrations/integration/irhub"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hub(client: Client) -> AsyncGenerator[VirtualHub]:
    pytest_socket.enable_socket()  # made before a test's own fixtures
    async with VirtualHub("rm4_mini", mac="34:EA:34:00:00:7A", name="Porch") as hub:
        await add_hub(client, hub)
        await client.wait_state("remote.porch", "on")
        yield hub


async def check(page: Page, text: str) -> None:
    """Wait for a page of the dialogue; nothing on it shuts anybody out."""
    await expect(dialogue(page)).to_contain_text(text)
    assert await violations(page, "dialog-data-entry-flow", without=HOME_ASSISTANTS) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_every_page_on_the_way_to_an_appliance(
    page: Page, hub: VirtualHub, scheme: str
) -> None:
    assert hub.name
    await page.emulate_media(
        color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce"
    )
    await page.goto(INTEGRATION)
    await page.get_by_role("button", name="Add appliance").click()
    if await page.locator("ha-config-entry-row").count() > 1:  # left by another test
        await page.locator("dialog-pick-config-entry").get_by_text(hub.name).click()
    await check(page, "What do you have?")
    await dialogue(page).get_by_text("Television", exact=True).click()
    await check(page, "How does the hub come to its commands?")
    await dialogue(page).get_by_text("Learn it button by button").click()
    await check(page, "as soon as you choose Begin")
    await dialogue(page).get_by_role("button", name="Begin").click()
    await check(page, "1/14")
    await dialogue(page).get_by_text("Skip: power").click()
    await check(page, "2/14")
    await hub.press_when_listening(a_press(1))
    await check(page, "3/14")
    await dialogue(page).get_by_text("That is all").click()
    await check(page, "What it can do")
    await dialogue(page).get_by_role("button", name="Close").first.click()
