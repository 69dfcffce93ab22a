"""An air conditioner is made of two presses of its remote control, in the browser."""

from collections.abc import AsyncGenerator

from playwright.async_api import Page, expect
import pytest
import pytest_asyncio
import pytest_socket

from custom_components.irhub.ircodes import OFF
from custom_components.irhub.ircodes.protocols import PROTOCOLS
from demo.client import Client
from tests.irhub.dialogues.air_conditioners import packet
from virtual_home.hub import VirtualHub

from .clicks import choose, dialogue, enter, go_on, submit
from .hubs import a_hub_to_be_found, add_hub, begin_appliance
from .lacks import needs_gree
from .pictures import take

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

GREE = "Gree AC"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hub() -> AsyncGenerator[VirtualHub]:
    """Run a hub that no YAML knows."""
    pytest_socket.enable_socket()
    async with a_hub_to_be_found(mac="34:EA:34:00:00:61", name="Studio") as hub:
        yield hub


@needs_gree
async def test_two_presses_are_enough(page: Page, client: Client, hub: VirtualHub) -> None:
    await add_hub(page, hub)
    await begin_appliance(page, hub)
    await choose(page, "Press a button (recommended)")
    await expect(dialogue(page)).to_contain_text("cooling, 24 °C (75 °F)")
    await hub.press_when_listening(packet(GREE, mode="cool", temperature=24))
    await choose(page, "Take its protocol from Home Assistant")
    await expect(dialogue(page)).to_contain_text("cooling, 25 °C (77 °F)")
    await expect(dialogue(page)).to_contain_text("Gree AC: Cool, 24 °C, Fan mode: Auto")
    await hub.press_when_listening(packet(GREE, mode="cool", temperature=25))
    await expect(dialogue(page)).to_contain_text("Gree AC: Cool, 25 °C, Fan mode: Auto")
    await expect(dialogue(page)).to_contain_text("leave out what that does not have")
    await expect(dialogue(page)).to_contain_text("Vertical")  # the last field is drawn
    await take("irhub-from-remote", page)
    await submit(page)

    await expect(dialogue(page)).to_contain_text("Sensors and more")
    await enter(page, "Name", "Studio AC")
    await choose(page, "Try a command")
    await go_on(page)
    await dialogue(page).get_by_role("button", name="Send").click()
    await expect(dialogue(page)).to_contain_text("Off was sent")
    assert PROTOCOLS[GREE].read(hub.transmitted[0]) == (OFF, {}, "C")
    await go_on(page)
    await dialogue(page).get_by_role("button", name="Finish").click()
    await expect(page.get_by_text("Studio AC").first).to_be_visible()
    await client.wait_state("climate.studio_ac", "unknown")
