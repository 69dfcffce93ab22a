"""Whether a command has arrived, as it is seen in the browser: two hubs in one house."""

import asyncio
from collections.abc import AsyncGenerator
import json

from playwright.async_api import Page, expect
import pytest
import pytest_asyncio
import pytest_socket

from custom_components.irhub.ircodes import encode
from demo.client import Client
from demo.walk import add_hub
from virtual_home.hub import Passage, VirtualHub

from .clicks import choose, dialogue, enter, finish, go_on, submit

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

INTEGRATION = "/config/integrations/integration/irhub"
PLAYER, SENSOR = "media_player.den_tv", "sensor.den_tv_delivery"
TIMES = 12
"""So many transmissions teach that a receiver hears nearly everything."""
RELOADED_S = 60
"""Home Assistant waits half a minute before it adds an entity that was enabled."""
JUDGED_S = 2.5
"""Within this a command is judged; the next one is another command then."""


def nec(command: int) -> str:
    """Return a packet as hexadecimal text."""
    packet = encode("NEC", address=0x20, command=command)
    assert packet is not None
    return packet.hex()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def house(client: Client) -> AsyncGenerator[tuple[Passage, VirtualHub]]:
    """Run a hub, and another one that hears it: the way there, and the other one."""
    pytest_socket.enable_socket()
    async with (
        VirtualHub("rm4_mini", mac="34:EA:34:00:00:B1", name="Den") as den,
        VirtualHub("rm4_mini", mac="34:EA:34:00:00:B2", name="Hall") as hall,
    ):
        hall.quirks.noise = False
        den.near = [way := Passage(hall)]
        for hub in den, hall:
            await add_hub(client, hub)
            await client.wait_state(f"remote.{hub.name.lower()}", "on")
        yield way, hall


async def test_a_device_tells_whether_its_commands_arrive(
    page: Page, client: Client, house: tuple[Passage, VirtualHub]
) -> None:
    way, hall = house
    await page.goto(INTEGRATION)
    await page.get_by_role("button", name="Add appliance").click()
    await page.locator("dialog-pick-config-entry").get_by_text("Den").click()
    await choose(page, "Television")
    await choose(page, "Take a code file")
    codes = {"television": {"on": nec(1), "off": nec(2), "volume up": nec(3)}}
    await enter(page, "Its content", json.dumps(codes))
    await submit(page)
    await enter(page, "Name", "Den TV")
    await dialogue(page).get_by_text("Sensors and more").click()
    again = dialogue(page).locator("ha-selector-boolean", has_text="Send again")
    await again.locator("ha-switch").click()
    await expect(again.get_by_role("switch")).to_be_checked()
    await go_on(page)
    await finish(page)
    await client.wait_state(PLAYER, "unknown")
    await client.command(
        {"type": "config/entity_registry/update", "entity_id": SENSOR, "disabled_by": None}
    )
    await client.wait_state(SENSOR, "unknown", within=RELOADED_S)
    await client.wait_state(PLAYER, "unknown")  # which comes back after it

    for number in range(TIMES):
        await hall.until(lambda: hall.receiver.listening == "ir")
        action = "turn_off" if number % 2 else "turn_on"
        await client.call(f"media_player.{action}", {"entity_id": PLAYER})
        await client.wait_state(SENSOR, "confirmed")
        await asyncio.sleep(JUDGED_S)
    registry = await client.command({"type": "config/entity_registry/get", "entity_id": SENSOR})
    await page.goto(f"/config/devices/device/{registry['device_id']}")
    row = page.locator("hui-sensor-entity-row, hui-simple-entity-row", has_text="Delivery")
    await expect(row).to_contain_text("Confirmed")

    await hall.until(lambda: hall.receiver.listening == "ir")
    way.closed = True
    await client.call("media_player.turn_on", {"entity_id": PLAYER})
    await expect(row).to_contain_text("In doubt")
