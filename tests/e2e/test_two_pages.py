"""Two tabs with a page that listens with the same hub: the later one listens."""

from collections.abc import AsyncGenerator

from playwright.async_api import Page, expect
import pytest
import pytest_asyncio
import pytest_socket

from demo.client import Client
from tests.irhub.home import HDMI, POWER
from virtual_home.hub import VirtualHub

from .clicks import choose, dialogue, enter
from .hubs import a_hub_to_be_found, add_hub, begin_appliance
from .languages import Words, expect_readable

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

INTEGRATION = "/config/integrations/integration/irhub"
ELSEWHERE = "Another page listens with Balcony"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hub() -> AsyncGenerator[VirtualHub]:
    """Run a hub that no YAML knows."""
    pytest_socket.enable_socket()
    async with a_hub_to_be_found(mac="34:EA:34:00:00:92", name="Balcony") as hub:
        yield hub


async def test_the_later_tab_listens_and_the_other_takes_it_back(
    page: Page, hub: VirtualHub, client: Client
) -> None:
    await add_hub(page, hub)
    await client.wait_state("remote.balcony", "on")
    await begin_appliance(page, hub, "Television")
    await choose(page, "Learn it button by button")
    await enter(page, "Name", "Balcony television")
    await dialogue(page).get_by_role("button", name="Begin").click()
    await expect(dialogue(page)).to_contain_text("1/14")

    other = await page.context.new_page()
    await other.goto(INTEGRATION)
    await begin_appliance(other, hub)
    await choose(other, "Press a button (recommended)")
    await expect(dialogue(page)).to_contain_text(ELSEWHERE)
    await expect_readable(page, Words("en"))
    await expect(dialogue(other)).to_contain_text("cooling, 24 °C")

    await page.bring_to_front()
    await choose(page, "Listen again")
    await expect(dialogue(page)).to_contain_text("1/14")
    await expect(dialogue(other)).to_contain_text(ELSEWHERE)
    await hub.press_when_listening(POWER)
    await expect(dialogue(page)).to_contain_text("2/14")

    await other.bring_to_front()
    await choose(other, "Press a button again")
    await expect(dialogue(page)).to_contain_text(ELSEWHERE)
    await hub.press_when_listening(HDMI)
    await expect(dialogue(other)).to_contain_text("NEC")
    await other.close()
    assert hub.receiver.listening is None
