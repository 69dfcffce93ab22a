"""Air conditioners of known protocols in the browser: their files, their rules, their codes."""

from collections.abc import AsyncGenerator
import json

from playwright.async_api import Page, expect
import pytest
import pytest_asyncio
import pytest_socket

from benchmarks.virtual_remotes import VirtualRemote
from custom_components.irhub.devices.exports import export_text
from custom_components.irhub.ircodes import OFF, State, read
from demo.client import Client
from tests.irhub.devices.taught import CONTROL, taught
from tests.irhub.home import POWER
from tests.irhub.ircodes.files.indexes import zipped
from tests.irhub.remotes_of_protocols import file_of, shows, text_of, with_a_lamp
from virtual_home.hub import VirtualHub

from .clicks import check, choose, close, dialogue, enter, finish, go_on, submit, upload
from .hubs import a_hub_to_be_found, add_hub, begin_appliance
from .languages import Words, expect_readable

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

INTEGRATION = "/config/integrations/integration/irhub"
HEATING = State(mode="heat", fan="medium", temperature=19.5)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hub() -> AsyncGenerator[VirtualHub]:
    """Run a hub that no YAML knows."""
    pytest_socket.enable_socket()
    async with a_hub_to_be_found(mac="34:EA:34:00:00:91", name="Veranda") as hub:
        yield hub


def misnamed_file() -> bytes:
    """Return a code file of COOLIX; what it calls 24 °C is the packet of 23 °C."""
    file = file_of("COOLIX", VirtualRemote("COOLIX").packet(OFF), degrees=range(18, 28))
    file["commands"]["cool"]["level1"]["24"] = text_of(shows("COOLIX", "cool", 23, "low"))
    return json.dumps(file).encode()


async def test_a_file_of_the_protocol_is_found(page: Page, client: Client, hub: VirtualHub) -> None:
    """No file has just what is pressed: the remote control has a lamp, too."""
    files = {
        f"codes/{number}.json": json.dumps(file_of(name, VirtualRemote(name).packet(OFF)))
        for number, name in enumerate(("GREE", "PANASONIC_AC"))
    }
    await add_hub(page, hub)
    await begin_appliance(page, hub)
    await choose(page, "Press a button (recommended)")
    await hub.press_when_listening(POWER)
    await choose(page, "Look in other code files")
    await upload(page, "codes.zip", zipped(files))
    await submit(page)
    await expect(dialogue(page)).to_contain_text("press one button briefly")
    await hub.press_when_listening(with_a_lamp(shows("GREE", "cool", 23, "low")))
    await expect(dialogue(page)).to_contain_text("Files of the same protocol")
    await expect(dialogue(page)).to_contain_text("cool level1 23 · GREE 7/7")
    await expect(dialogue(page)).not_to_contain_text("codes/1.json")
    await expect_readable(page, Words("en"))
    await choose(page, "Take a file")
    await expect(dialogue(page)).to_contain_text("22 \N{EN DASH} 24 °C")
    await enter(page, "Name", "Veranda file")
    await go_on(page)
    await finish(page)
    await client.wait_state("climate.veranda_file", "unknown")


async def test_one_press_confirms_an_imported_rule(
    page: Page, client: Client, hub: VirtualHub
) -> None:
    """Another remote control is told first; what was not confirmed is said until it is."""
    await page.goto(INTEGRATION)
    await begin_appliance(page, hub)
    await choose(page, "Take a code file")
    await upload(page, "shared.json", export_text([taught()]).encode())
    await submit(page)
    await expect(dialogue(page)).to_contain_text("No press of its remote control has confirmed")
    await enter(page, "Name", "Veranda rule")
    await check(page, "Confirm by one press")
    await go_on(page)
    await expect(dialogue(page)).to_contain_text("another mode or temperature")
    await hub.press_when_listening(shows("COOLIX", "cool", 24))
    await expect(dialogue(page)).to_contain_text("COOLIX")
    await expect_readable(page, Words("en"))
    await choose(page, "Press once more")
    await expect(dialogue(page)).to_contain_text("another mode or temperature")
    await hub.press_when_listening(CONTROL.packet(HEATING, 40, 90))
    await expect(dialogue(page)).to_contain_text("Confirmed by a press: Heat, 19.5 °C")
    await expect(dialogue(page)).not_to_contain_text("No press of its remote control")
    await go_on(page)
    await finish(page)
    await client.wait_state("climate.veranda_rule", "unknown")


async def test_codes_are_checked_later(page: Page, client: Client, hub: VirtualHub) -> None:
    """What they say is named, and corrected if that is wanted."""
    await page.goto(INTEGRATION)
    await begin_appliance(page, hub)
    await choose(page, "Take a code file")
    await upload(page, "wrong.json", misnamed_file())
    await submit(page)
    await expect(dialogue(page)).to_contain_text("the packets of 1 of 20 states are for another")
    await enter(page, "Name", "Veranda codes")
    await go_on(page)
    await finish(page)
    await client.wait_state("climate.veranda_codes", "unknown")

    row = page.locator("ha-config-sub-entry-row", has_text="Veranda codes")
    await row.get_by_role("button", name="Change appliance").click()
    await choose(page, "Check its codes")
    await go_on(page)
    wrong = "24°, Fan mode: Level 1: the packet says Cool, 23°"
    await expect(dialogue(page)).to_contain_text(wrong)
    await expect_readable(page, Words("en"))
    await dialogue(page).locator("ha-switch").click()
    await submit(page)
    await go_on(page)
    await close(page)

    thermostat = {"entity_id": "climate.veranda_codes"}
    for action, key, value in (
        ("set_hvac_mode", "hvac_mode", "cool"),
        ("set_fan_mode", "fan_mode", "level1"),
        ("set_temperature", "temperature", 24),
    ):
        await client.call(f"climate.{action}", {**thermostat, key: value})
    right = read(shows("COOLIX", "cool", 24, "low")).key
    await hub.until(lambda: bool(hub.transmitted) and read(hub.transmitted[-1]).key == right)
