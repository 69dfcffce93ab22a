"""Hubs that the dialogue discovers in the network."""

import asyncio
import os
import socket

from playwright.async_api import Page, expect

from virtual_home.hub import VirtualHub
from virtual_home.hub.server import DISCOVERY_PORT

from .clicks import add_integration, check, choose, enter, finish, submit

MAY_BE_FOUND = os.geteuid() == 0
"""Hubs receive broadcasts at a port that only root can use."""
MOST_S_IN_USE = 300
"""Seconds that the tests of one file may need that port."""


def a_hub_to_be_found(*, mac: str, name: str) -> VirtualHub:
    """Return a hub that is not in YAML, and answers broadcasts if the port can be used."""
    port = DISCOVERY_PORT if MAY_BE_FOUND else None
    return VirtualHub("rm4_pro", mac=mac, name=name, discovery_port=port)


async def wait_until_none_is_found() -> None:
    """Wait while a test that runs at the same time has a hub that answers broadcasts.

    Raise TimeoutError if something else on this machine uses their port.
    """
    async with asyncio.timeout(MOST_S_IN_USE):
        while MAY_BE_FOUND:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
                try:
                    taken.bind(("", DISCOVERY_PORT))
                except OSError:
                    await asyncio.sleep(1)
                else:
                    return


async def add_hub(page: Page, hub: VirtualHub) -> None:
    """Add an RM4 pro, discovered or by its address, and go to the page of the integration."""
    await add_integration(page, "Broadlink infrared remote hub")
    if MAY_BE_FOUND:
        await check(page, f"{hub.name} · RM4 pro")
    else:
        await enter(page, "Host", f"{hub.host}:{hub.port}")
    await submit(page)
    await finish(page)
    await page.goto("/config/integrations/integration/irhub")
    await expect(page.locator("ha-config-entry-row", has_text=hub.name)).to_be_visible()


async def begin_appliance(page: Page, hub: VirtualHub, kind: str = "Air conditioner") -> None:
    """Open the dialogue that adds an appliance to a hub, and choose the kind."""
    await page.get_by_role("button", name="Add appliance").click()
    if await page.locator("ha-config-entry-row").count() > 1:  # left by another test
        await page.locator("dialog-pick-config-entry").get_by_text(hub.name).click()
    await choose(page, kind)
