"""The card in a real browser: a press is a packet at the hub, held buttons repeat, one learns."""

import asyncio
import base64
from collections.abc import AsyncGenerator
from statistics import quantiles

from playwright.async_api import Locator, Page, expect
import pytest
import pytest_asyncio
import pytest_socket

from custom_components.irhub.codes.protocols import encode
from demo.client import Client
from demo.walk import add_hub
from virtual_home.hub import VirtualHub
from virtual_home.hub.family import now

from .pictures import take

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

NAME = "Den television"
FUNCTIONS = (
    *("toggle", "source", "up", "left", "ok", "right", "down", "back", "home", "menu"),
    *("volume_up", "volume_down", "mute", "next", "previous", "play", "pause", "stop"),
    *("red", "green", "yellow", "blue", *(f"digit {digit}" for digit in range(10))),
    *("source HDMI 1", "source HDMI 2"),
)
OTHERS = ("Ambilight", "<b>Netflix</b>")


def packet(number: int) -> str:
    made = encode("NEC", address=0x31, command=number)
    assert made is not None
    return base64.b64encode(made).decode()


def television() -> dict[str, object]:
    """Return a television as an export has it."""
    names = [*FUNCTIONS, *OTHERS]
    return {
        "id": "den-television",
        "name": NAME,
        "kind": "television",
        "commands": [
            {"id": f"den-{number}", "name": name, "packets": [packet(number)]}
            for number, name in enumerate(names)
        ],
        "functions": {name: f"den-{number}" for number, name in enumerate(FUNCTIONS)},
    }


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hub(client: Client) -> AsyncGenerator[VirtualHub]:
    pytest_socket.enable_socket()  # made before a test's own fixtures
    async with VirtualHub("rm4_mini", mac="34:EA:34:00:00:77", name="Den") as hub:
        await add_hub(client, hub)
        await client.wait_state("remote.den", "on")
        data = {"entity_id": "remote.den", "codes": {"devices": [television()]}}
        await client.call("irhub.import_codes", data, response=True)
        card = {"type": "custom:irhub-remote", "device": NAME}
        await client.command(
            {"type": "lovelace/dashboards/create", "url_path": "card-test", "title": "Card"}
        )
        config = {"views": [{"title": "Card", "cards": [card]}]}
        await client.command(
            {"type": "lovelace/config/save", "url_path": "card-test", "config": config}
        )
        yield hub


async def show(page: Page) -> Locator:
    await page.goto("/card-test/0")
    card = page.locator("irhub-remote")
    await expect(card.get_by_role("button", name="Volume up")).to_be_visible()
    return card


async def test_1_a_press_is_a_packet_at_once(page: Page, hub: VirtualHub) -> None:
    card = await show(page)
    await expect(card.get_by_role("heading", name=NAME)).to_be_visible()
    nasty = card.get_by_role("button", name="<b>Netflix</b>")
    await expect(nasty).to_be_visible()
    await nasty.evaluate("(button) => { button.textContent = 'Netflix'; }")  # for the picture
    await take("irhub-card", card)
    ok = card.get_by_role("button", name="OK")
    took = []
    for count in range(1, 21):
        before = len(hub.transmitted)
        began = now()
        await ok.click()
        await hub.until(lambda before=before: len(hub.transmitted) > before)  # type: ignore[misc]
        took.append(hub.logs.transmitted[-1].at - began)
        assert len(hub.transmitted) == before + 1, count
        await expect(ok).not_to_have_attribute("data-state", "pressed")
    assert base64.b64encode(hub.transmitted[-1]).decode() == packet(FUNCTIONS.index("ok"))
    assert quantiles(took, n=20)[-1] < 0.5, took  # with the browser's own click, on a busy machine


async def test_2_a_held_button_repeats_until_it_is_let_go(page: Page, hub: VirtualHub) -> None:
    card = await show(page)
    button = card.get_by_role("button", name="Volume up")
    await button.hover()
    before = len(hub.transmitted)
    await page.mouse.down()
    await asyncio.sleep(3)
    await page.mouse.up()
    held = len(hub.transmitted) - before
    assert held >= 3
    await asyncio.sleep(1)
    assert len(hub.transmitted) - before <= held + 1
    once = base64.b64decode(packet(FUNCTIONS.index("volume_up")))
    assert {*hub.transmitted[before:]} == {once}


async def test_3_what_failed_says_why(page: Page, hub: VirtualHub) -> None:
    card = await show(page)
    mute = card.get_by_role("button", name="Mute")
    hub.faults.silent = True
    try:
        await mute.click()
        await expect(mute).to_have_attribute("data-state", "failed")
        await expect(card.get_by_role("status")).to_contain_text("Den")
    finally:
        hub.faults.silent = False


async def test_4_a_button_is_learned_in_its_place(
    page: Page, hub: VirtualHub, client: Client
) -> None:
    await client.wait_state("remote.den", "on")
    card = await show(page)
    await card.get_by_role("button", name="Learn buttons").click()
    await card.get_by_role("button", name="Record").click()
    await expect(card.get_by_role("status")).to_contain_text("Press “Record”")
    await hub.press_when_listening(base64.b64decode(packet(0x60)))
    await card.get_by_role("button", name="Done").click()
    record = card.get_by_role("button", name="Record")
    before = len(hub.transmitted)
    await record.click()
    await hub.until(lambda: len(hub.transmitted) > before)
