"""docs/ten_minutes.md in a home that has nothing yet: each test goes on from the last."""

from collections.abc import AsyncGenerator
from pathlib import Path

from playwright.async_api import Browser, Page, expect
import pytest
import pytest_asyncio
import pytest_socket

from demo.host import Host
from tests.irhub.test_from_remote_dialogue import packet
from virtual_home.hub import VirtualHub

from .chromium import new_page
from .clicks import add_integration, choose, dialogue, enter, finish, go_on, gone, pick, submit
from .hubs import MAY_BE_FOUND, a_hub_to_be_found, begin_appliance
from .pictures import take
from .test_learn_remote import BUTTONS, a_press

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

GREE = "Gree AC"
INTEGRATION = "/config/integrations/integration/irhub"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def fresh_host() -> AsyncGenerator[Host]:
    """Home Assistant as it is after its first start."""
    pytest_socket.enable_socket()
    async with Host(Path(__file__).parent / "fresh", {}) as host:
        yield host


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hub() -> AsyncGenerator[VirtualHub]:
    """Run the hub of the living room."""
    pytest_socket.enable_socket()
    async with a_hub_to_be_found(mac="34:EA:34:00:00:81", name="Lounge") as hub:
        yield hub


@pytest_asyncio.fixture(name="page", loop_scope="session")
async def page_fixture(browser: Browser, fresh_host: Host, tmp_path: Path) -> AsyncGenerator[Page]:
    """Open a page of that home, of a size that is readable in a document."""
    async with new_page(browser, fresh_host, tmp_path) as page:
        await page.set_viewport_size({"width": 1000, "height": 640})
        yield page


async def test_1_the_hub_is_added_to_its_room(page: Page, hub: VirtualHub) -> None:
    await add_integration(page, "Broadlink infrared remote hub")
    if MAY_BE_FOUND:
        await dialogue(page).get_by_text("Lounge · RM4 pro").click()
    else:
        await enter(page, "Host", f"{hub.host}:{hub.port}")
    await submit(page)
    await dialogue(page).get_by_text("Area").click()
    await dialogue(page).get_by_text("Living Room").last.click()
    await expect(dialogue(page).locator("ha-area-picker")).to_contain_text("Living Room")
    await take("ten-hub", page)
    await finish(page)


async def test_2_two_presses_make_a_thermostat(page: Page, hub: VirtualHub) -> None:
    await page.goto(INTEGRATION)
    await expect(page.locator("ha-config-entry-row")).to_contain_text("Lounge")
    await take("ten-integration", page)
    await begin_appliance(page, hub)
    await choose(page, "Press a button of its remote control (recommended)")
    await expect(dialogue(page)).to_contain_text("cooling, 24 °C (75 °F)")
    await take("ten-press", page)
    await hub.press_when_listening(packet(GREE, mode="cool", temperature=24))
    await expect(dialogue(page)).to_contain_text("Go on with its protocol: one more press")
    await take("ten-heard", page)
    await choose(page, "Go on with its protocol: one more press")
    await expect(dialogue(page)).to_contain_text("cooling, 25 °C (76 °F)")
    await hub.press_when_listening(packet(GREE, mode="cool", temperature=25))
    await expect(dialogue(page)).to_contain_text("leave out what that does not have")
    await submit(page)
    await enter(page, "Name", "Air conditioner")
    await expect(dialogue(page)).to_contain_text("Fan mode: Auto, Low, Medium, High")
    await take("ten-appliance", page)
    await go_on(page)
    await finish(page)
    await expect(page.get_by_text("Air conditioner").first).to_be_visible()


async def test_3_some_presses_make_a_television(page: Page, hub: VirtualHub) -> None:
    await page.goto(INTEGRATION)
    await begin_appliance(page, hub, "Television")
    await choose(page, "Press a button of its remote control (recommended)")
    await expect(dialogue(page)).to_contain_text("press any button once")
    await hub.press_when_listening(a_press(1))
    await choose(page, "Learn it button by button")
    await enter(page, "Name", "Television")
    await pick(page, "You have pressed", "power")
    await dialogue(page).get_by_role("button", name="Begin").click()
    for number in range(2, BUTTONS + 1):
        await expect(dialogue(page)).to_contain_text(f"{number}/{BUTTONS}")
        await hub.press_when_listening(a_press(number))
    await expect(dialogue(page)).to_contain_text("Power, Volume up, Volume down, Mute")
    await go_on(page)
    await finish(page)
    await expect(page.get_by_text("Television").first).to_be_visible()


async def test_4_both_are_in_their_room_on_the_dashboard(page: Page, hub: VirtualHub) -> None:
    await page.goto("/home/areas-living_room")
    air_conditioner = page.locator("hui-tile-card", has_text="Air conditioner")
    await expect(air_conditioner).to_contain_text("Off")
    await expect(page.locator("hui-tile-card", has_text="Television")).to_contain_text("Off")
    await air_conditioner.get_by_text("Air conditioner").click(force=True)  # the tile takes it
    await page.get_by_role("button", name="Mode Off", exact=True).click()
    await page.get_by_role("menuitem", name="Cool").click()
    await hub.until(lambda: len(hub.transmitted) == 1)
    await page.keyboard.press("Escape")
    await expect(air_conditioner).to_contain_text("Cool")
    await take("ten-room", page)


async def test_5_the_remote_control_is_a_card(page: Page, hub: VirtualHub) -> None:
    await page.goto("/config/lovelace/dashboards")
    await page.get_by_role("button", name="Add dashboard").click()
    await page.get_by_text("New dashboard from scratch").click()
    await page.get_by_role("textbox", name="Title").fill("Remotes")
    create = page.get_by_role("button", name="Create")
    await create.click()
    await expect(page.get_by_role("link", name="Remotes")).to_be_visible()
    await gone(page, create)
    await page.goto("/dashboard-remotes")
    await page.get_by_role("button", name="Edit").first.click()
    await page.get_by_role("button", name="Add card").first.click()
    await page.get_by_placeholder("Search entities").fill("television")
    await page.get_by_text("Television", exact=True).last.click()
    suggested = page.get_by_role("button", name="Remote control (irhub)")
    await suggested.scroll_into_view_if_needed()
    await take("ten-card-picker", page)
    await suggested.click()
    await page.get_by_role("button", name="Done").click()
    before = len(hub.transmitted)
    await page.locator("irhub-remote").get_by_role("button", name="Power").click()
    await hub.until(lambda: len(hub.transmitted) > before)
    assert hub.transmitted[-1] == a_press(1)
    await take("ten-card", page)
