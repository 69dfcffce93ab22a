"""From a remote control to a television in the browser, press after press."""

import asyncio
from collections.abc import AsyncGenerator

from playwright.async_api import Page, expect
import pytest
import pytest_asyncio
import pytest_socket

from virtual_home.hub import VirtualHub

from .chromium import PHONE
from .clicks import choose, count_clicks, dialogue, enter, finish, go_on, pick
from .hubs import a_hub_to_be_found, add_hub, begin_appliance
from .lacks import IS_OLDEST
from .pictures import take
from .presses import BUTTONS, a_press

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

BETWEEN_PRESSES_S = 2.0


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hub() -> AsyncGenerator[VirtualHub]:
    """Run a hub that no YAML knows."""
    pytest_socket.enable_socket()
    async with a_hub_to_be_found(mac="34:EA:34:00:00:31", name="Parlour") as hub:
        yield hub


async def test_a_television_is_learned_in_a_minute(page: Page, hub: VirtualHub) -> None:
    await add_hub(page, hub)
    await page.set_viewport_size(PHONE)
    row = page.locator("ha-config-entry-row", has_text="Parlour")
    await expect(row.get_by_role("button", name="Configure")).to_be_visible()

    loop, counted = asyncio.get_running_loop(), await count_clicks(page, "a phone's television")
    if IS_OLDEST:  # its frontend does not go from one dialogue to another
        await begin_appliance(page, hub, "Television")
    else:
        await row.get_by_role("button", name="Configure").click()
        await choose(page, "Add appliance")
        await choose(page, "Television")
    await choose(page, "Press a button (recommended)")
    await expect(dialogue(page)).to_contain_text("press any button once")
    await hub.press_when_listening(a_press(1))
    await choose(page, "Learn it button by button")
    await enter(page, "Name", "Parlour television")
    await pick(page, "You have pressed", "power")
    await take("irhub-learn-remote", page)
    await dialogue(page).get_by_role("button", name="Begin").click()
    for number in range(2, BUTTONS + 1):
        await expect(dialogue(page)).to_contain_text(f"{number}/{BUTTONS}")
        if number == BUTTONS // 2:
            await take("irhub-learn-press", page)
        next_press = loop.time() + BETWEEN_PRESSES_S
        await hub.press_when_listening(a_press(number))
        await asyncio.sleep(next_press - loop.time())  # as people press, not as fast as it goes
    await expect(dialogue(page)).to_contain_text("Power, Volume up, Volume down, Mute")
    await take("irhub-learned", page)
    await go_on(page)
    await finish(page)
    await counted()
