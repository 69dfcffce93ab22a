"""Appliances in the browser: of a code file, and from their remote controls, clicks counted."""

from collections.abc import AsyncGenerator
import json

from playwright.async_api import Page, expect
import pytest
import pytest_asyncio
import pytest_socket

from demo.client import Client
from tests.irhub.dialogues.faulty import faulty_file
from tests.irhub.ircodes.code_files import Codes, air_conditioner, temperatures
from virtual_home.hub import VirtualHub

from .clicks import (
    choose,
    count_clicks,
    dialogue,
    enter,
    finish,
    go_on,
    submit,
    upload,
)
from .hubs import a_hub_to_be_found, add_hub, begin_appliance
from .languages import Words, expect_readable
from .pictures import take
from .presses import a_press

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

CODES = Codes()
FANS = ["auto", "low", "high"]
FILE = air_conditioner(
    {
        "off": CODES.packet(),
        "cool": CODES.nest(FANS, temperatures(18, 30)),
        "heat": CODES.nest(FANS, temperatures(18, 30)),
        "fan_only": CODES.nest(FANS, ["-"]),
        "ionizer": "not a packet",
    },
    operationModes=["cool", "heat", "fan_only"],
    fanModes=FANS,
)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hub() -> AsyncGenerator[VirtualHub]:
    """Run a hub that no YAML knows."""
    pytest_socket.enable_socket()
    async with a_hub_to_be_found(mac="34:EA:34:00:00:71", name="Pantry") as hub:
        yield hub


async def test_an_air_conditioner_is_made_of_a_code_file(
    page: Page, client: Client, hub: VirtualHub
) -> None:
    await add_hub(page, hub)
    await begin_appliance(page, hub)
    await choose(page, "Take a code file")
    await upload(page, "1000.json", json.dumps(FILE).encode())
    await submit(page)
    await expect(dialogue(page)).to_contain_text("not used: 1")
    await expect(dialogue(page)).to_contain_text("Cool, Heat, Fan only, Off")
    await expect(dialogue(page)).to_contain_text("18 \N{EN DASH} 30 °C")
    await enter(page, "Name", "Pantry AC")
    await take("irhub-appliance", page)
    await go_on(page)
    await finish(page)
    await expect(page.get_by_text("Pantry AC").first).to_be_visible()
    await client.wait_state("climate.pantry_ac", "unknown")
    assert hub.transmitted == []


async def test_mistakes_in_a_code_file_are_reported(page: Page, hub: VirtualHub) -> None:
    await page.goto("/config/integrations/integration/irhub")
    await begin_appliance(page, hub)
    await choose(page, "Take a code file")
    await upload(page, "faulty.json", json.dumps(faulty_file()).encode())
    await submit(page)
    await choose(page, "Look at states that are wrong or missing")
    await go_on(page)
    await expect(dialogue(page)).to_contain_text("These contradict the others: Cool, 20°")
    await expect(dialogue(page)).to_contain_text("These are missing: Heat, 23°")
    await expect_readable(page, Words("en"))


async def test_a_fan_is_learned(page: Page, client: Client, hub: VirtualHub) -> None:
    await page.goto("/config/integrations/integration/irhub")
    await expect(page.locator("ha-config-entry-row", has_text="Pantry")).to_be_visible()
    counted = await count_clicks(page, "fan of one of several hubs")
    await begin_appliance(page, hub, "Fan")
    await choose(page, "Learn it button by button")
    await enter(page, "Name", "Pantry fan")
    await dialogue(page).get_by_role("button", name="Begin").click()
    for number in range(1, 6):
        await expect(dialogue(page)).to_contain_text(f"{number}/5")
        await hub.press_when_listening(a_press(number))
    await expect(dialogue(page)).to_contain_text("Power, Oscillate")
    await go_on(page)
    await finish(page)
    await counted()
    await client.wait_state("fan.pantry_fan", lambda state: state["state"] != "unavailable")
    before = len(hub.transmitted)
    await client.call("fan.turn_on", {"entity_id": "fan.pantry_fan"})
    # power, and the lowest speed
    await hub.until(lambda: hub.transmitted[before:] == [a_press(1), a_press(2)])
