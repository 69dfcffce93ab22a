"""The code file of an air conditioner is found by a press of its remote control, in the browser."""

from collections.abc import AsyncGenerator

from playwright.async_api import Page, expect
import pytest
import pytest_asyncio
import pytest_socket

from demo.client import Client
from tests.irhub.ircodes.files.indexes import file_of, heard, state, zipped
from virtual_home.hub import VirtualHub

from .clicks import choose, dialogue, enter, go_on, selected, submit, upload
from .hubs import a_hub_to_be_found, add_hub, begin_appliance
from .pictures import take

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

OURS, ALIKE, OTHER = file_of(1), file_of(2), file_of(3)
OURS |= {
    "operationModes": ["cool", "heat", "dry"],
    "fanModes": ["auto", "low"],
    "minTemperature": 18,
    "maxTemperature": 25,
}
ALIKE["commands"]["cool"]["auto"]["24"] = OURS["commands"]["cool"]["auto"]["24"]  # type: ignore[index]
ZIP = zipped({"codes/1010.json": OURS, "codes/1020.json": ALIKE, "codes/1030.json": OTHER})
COOL_24 = state(1, "cool", "auto", 24)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hub() -> AsyncGenerator[VirtualHub]:
    """Run a hub that no YAML knows."""
    pytest_socket.enable_socket()
    async with a_hub_to_be_found(mac="34:EA:34:00:00:51", name="Attic") as hub:
        yield hub


async def test_the_file_is_found_by_a_press(page: Page, client: Client, hub: VirtualHub) -> None:
    await add_hub(page, hub)
    await begin_appliance(page, hub)
    await choose(page, "Press a button (recommended)")
    await hub.press_when_listening(heard(COOL_24, 1))
    await choose(page, "Look in other code files")
    await upload(page, "codes.zip", ZIP)
    await submit(page)

    await expect(dialogue(page)).to_contain_text("press one button briefly")
    await hub.press_when_listening(heard(COOL_24, 1))
    await expect(dialogue(page)).to_contain_text("codes/1010.json (Maker 1 A, B): cool auto 24")
    await expect(dialogue(page)).to_contain_text("codes/1020.json (Maker 2 A, B): cool auto 24")
    await expect(dialogue(page)).not_to_contain_text("codes/1030.json")
    await take("irhub-which-file", page)

    await choose(page, "Press another button")
    await hub.press_when_listening(heard(state(1, "heat", "low", 18), 2))
    await expect(dialogue(page)).to_contain_text(
        "codes/1010.json (Maker 1 A, B): cool auto 24; heat low 18"
    )
    await expect(dialogue(page)).not_to_contain_text("codes/1020.json")
    await choose(page, "Take a file")

    await expect(dialogue(page)).to_contain_text("18 \N{EN DASH} 25 °C")
    await enter(page, "Name", "Attic AC")
    await choose(page, "Try a command")
    await go_on(page)
    await expect(selected(page, "Command")).to_contain_text("off")
    await dialogue(page).get_by_role("button", name="Send").click()
    await expect(dialogue(page)).to_contain_text("off was sent")
    assert hub.transmitted == [state(1, "cool", "auto", 0)]
    await go_on(page)
    await expect(dialogue(page)).to_contain_text("custom:irhub-remote")
    leads_on = dialogue(page).get_by_role("link", name="Open it")
    address = await leads_on.get_attribute("href")
    assert address is not None
    assert address.startswith("/config/")
    await dialogue(page).get_by_role("button", name="Finish").click()
    await expect(page.get_by_text("Attic AC").first).to_be_visible()
    await client.wait_state("climate.attic_ac", "unknown")
