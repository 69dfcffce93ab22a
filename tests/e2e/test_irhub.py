"""A hub in the user interface, from finding to removing it: each test goes on from the last."""

import asyncio
import base64
from collections.abc import AsyncGenerator
from functools import partial
import json

from playwright.async_api import Locator, Page, expect
import pytest
import pytest_asyncio
import pytest_socket

from demo.client import Client
from virtual_home.control import BUTTON
from virtual_home.hub import VirtualHub

from .clicks import (
    add_integration,
    check,
    choose,
    close,
    dialogue,
    enter,
    finish,
    pick,
    select,
    submit,
    upload,
    wait_until_gone,
)
from .hubs import MAY_BE_FOUND, a_hub_to_be_found
from .lacks import IS_OLDEST
from .languages import Words, expect_readable
from .pictures import take

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

ENGLISH = Words("en")
SOON_S = 30
INTEGRATION = "/config/integrations/integration/irhub"
RC5 = "JgAcAB0dHB44HhweGx4cHR06HB0cHhwdHB8bHhwADQUAAAAAAAAAAAAAAAA="
SMARTIR = json.dumps(
    {
        "manufacturer": "Acme",
        "supportedModels": ["Heater"],
        "supportedController": "Broadlink",
        "commandsEncoding": "Base64",
        "commands": {"off": RC5, "heat": {"low": {"20": RC5, "21": RC5}}},
    }
)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hub() -> AsyncGenerator[VirtualHub]:
    """Run a hub that no YAML knows."""
    pytest_socket.enable_socket()
    async with a_hub_to_be_found(mac="34:EA:34:00:00:21", name="Study") as hub:
        yield hub


def row(page: Page) -> Locator:
    """Return what the integration's page shows of our hub; the demo has others."""
    return page.locator("ha-config-entry-row", has_text="Study")


async def configure(page: Page) -> None:
    """Open the dialogue of the hub."""
    await page.goto(INTEGRATION)
    await row(page).get_by_role("button", name="Configure").click()
    await expect(dialogue(page)).to_contain_text("Last heard")
    await expect(dialogue(page).get_by_text("Add appliance")).to_have_count(0 if IS_OLDEST else 1)


@pytest.mark.parametrize("word", ["Broadlink", "remote", "infrared"])
async def test_0_it_is_found_under_its_brand(page: Page, word: str) -> None:
    await page.goto("/config/integrations/dashboard")
    await page.get_by_role("button", name="Add integration").click()
    added = page.locator("dialog-add-integration")  # the page below names what is set up
    await added.get_by_placeholder("Search for a brand name").fill(word)
    await expect(added.get_by_text("Broadlink infrared remote hub")).to_be_visible()


async def test_1_a_locked_hub_is_found_and_added(page: Page, hub: VirtualHub) -> None:
    hub.locked = True
    await add_integration(page, "Broadlink infrared remote hub")
    await expect(dialogue(page)).to_contain_text("Looking for hubs in your network")
    if MAY_BE_FOUND:
        await expect(dialogue(page)).to_contain_text("Study · RM4 pro")
        await expect(dialogue(page)).to_contain_text("Another one, by its address")
        await take("irhub-add", page)
        await check(page, "Study · RM4 pro")
    else:
        await enter(page, "Host", f"{hub.host}:{hub.port}")
    await submit(page)
    await expect(dialogue(page)).to_contain_text("The hub is locked")
    await take("irhub-locked", page)
    hub.locked = False
    await submit(page)
    await expect(dialogue(page).get_by_role("textbox", name="Device name")).to_have_value("Study")
    await finish(page)


async def test_2_a_command_is_learned(page: Page, hub: VirtualHub) -> None:
    await configure(page)
    await expect(dialogue(page)).to_contain_text("Learn a single command")
    await take("irhub-configure", page)
    await choose(page, "Learn a single command")
    await pick(page, "Device", "projector", new=True)
    await enter(page, "Command", "power")
    await expect(dialogue(page).get_by_role("textbox", name="Command")).to_have_value("power")
    await submit(page)
    await expect(dialogue(page)).to_contain_text("press power once, briefly")
    await take("irhub-learn", page)
    await hub.press_when_listening(BUTTON)
    await expect(dialogue(page)).to_contain_text("IR ·")
    await choose(page, "Try it")
    await expect(dialogue(page)).to_contain_text("Did the device react?")
    assert hub.transmitted == [BUTTON]
    await choose(page, "Keep it")
    await expect(dialogue(page)).to_contain_text("power of projector is learned")
    await choose(page, "Done")
    await expect(dialogue(page)).to_contain_text("Everything is kept")


async def test_3_its_button_is_pressed(page: Page, hub: VirtualHub) -> None:
    before = len(hub.transmitted)
    await page.goto(INTEGRATION)
    await row(page).get_by_text("projector").first.click()
    await page.get_by_role("button", name="Press").first.click()
    await hub.until(lambda: len(hub.transmitted) > before)
    assert hub.transmitted[-1] == BUTTON
    await take("irhub-button", page)


async def test_4_renamed_it_keeps_its_entity_id(page: Page, client: Client) -> None:
    await configure(page)
    await choose(page, "Rename a command or a device")
    await pick(page, "Command", "power")
    await submit(page)
    await enter(page, "Command", "on and off")
    await submit(page)
    await expect(dialogue(page)).to_contain_text("The buttons have the new name")
    state = client.states["button.projector_power"]
    assert state["attributes"]["friendly_name"] == "projector on and off"


async def test_5_a_smartir_file_is_imported(page: Page, client: Client) -> None:
    await configure(page)
    await choose(page, "Import commands")
    await upload(page, "1000.json", SMARTIR.encode())
    await submit(page)
    await expect(dialogue(page)).to_contain_text("3 of 3 commands can be used, for Acme Heater")
    await take("irhub-import", page)
    await choose(page, "Import 3")
    await expect(dialogue(page)).to_contain_text("Commands imported: 3")
    await client.wait_state("button.acme_heater_heat_low_20", lambda _state: True)


async def test_6_all_commands_are_exported(page: Page) -> None:
    await configure(page)
    await choose(page, "Export all commands")
    text = dialogue(page).get_by_role("textbox", name="Text")
    exported = json.loads(await text.input_value())
    devices = {device["name"]: device["commands"] for device in exported["devices"]}
    [button] = [command for command in devices["projector"] if command["name"] == "on and off"]
    assert [base64.b64decode(packet) for packet in button["packets"]] == [BUTTON]
    assert len(devices["Acme Heater"]) == 3
    link = await dialogue(page).get_by_role("link", name="study.json").get_attribute("href")
    downloaded = await page.context.request.get(str(link))
    assert await downloaded.json() == exported
    await dialogue(page).get_by_role("button", name="Back").click()
    await expect(dialogue(page)).to_contain_text("Import commands")


async def test_6_commands_are_shared_with_another_program(page: Page) -> None:
    await configure(page)
    await choose(page, "Share commands with other programs")
    await pick(page, "Device", "projector")
    await select(page, "Format", "Flipper")
    await dialogue(page).get_by_role("button", name="Share").click()
    await expect(dialogue(page)).to_contain_text("Cannot be written in this format: 0")
    text = await dialogue(page).get_by_role("textbox", name="Text").input_value()
    assert "name: on and off" in text
    await expect_readable(page, ENGLISH)


async def test_6_what_was_heard_last_is_shown(page: Page, hub: VirtualHub) -> None:
    await configure(page)
    await choose(page, "Last heard")
    await expect(dialogue(page)).to_contain_text("press a button, then look again")
    await hub.press_when_listening(BUTTON)
    heard = dialogue(page).get_by_text("projector: on and off")
    async with asyncio.timeout(SOON_S):
        while not await heard.count():
            await choose(page, "Look again")
            await asyncio.sleep(1)
    await expect_readable(page, ENGLISH)
    await close(page)


async def test_7_settings_are_kept(page: Page) -> None:
    async def settings() -> list[tuple[Locator, str]]:
        await configure(page)
        await choose(page, "Settings of the hub")
        values = {"Timeout": "2.5", "Gap": "0.3", "Interval": "60", "Frequency": "433.92"}
        number = partial(dialogue(page).get_by_role, "spinbutton")
        return [(number(name=name), value) for name, value in values.items()]

    for field, value in await settings():
        await expect(field).to_have_value("")
        await field.fill(value)
    await submit(page)
    await expect(dialogue(page)).to_contain_text("The settings are kept")
    await close(page)
    for field, value in await settings():
        await expect(field).to_have_value(value)


async def test_8_a_hub_is_followed_to_another_host(page: Page, hub: VirtualHub) -> None:
    host = dialogue(page).get_by_role("textbox", name="Host")
    before, sent = f"{hub.host}:{hub.port}", len(hub.transmitted)
    await hub.move("127.0.0.9")
    await page.goto(INTEGRATION)
    await row(page).get_by_role("button", name="Menu").first.click()
    await row(page).get_by_role("menuitem", name="Reconfigure").click()
    await expect(host).to_have_value(before)
    await host.fill("http://127.0.0.9")
    await submit(page)
    await expect(dialogue(page)).to_contain_text("Enter only the host")
    await host.fill(f"{hub.host}:{hub.port}")
    await submit(page)
    await expect(dialogue(page)).to_contain_text("The hub is used at its new address")
    await close(page)
    await row(page).get_by_text("projector").first.click()
    await page.get_by_role("button", name="Press").first.click()
    await hub.until(lambda: len(hub.transmitted) > sent)


async def test_9_removing_asks_about_the_commands(page: Page) -> None:
    await page.goto(INTEGRATION)
    await row(page).get_by_role("button", name="Menu").first.click()
    await row(page).get_by_role("menuitem", name="Delete").first.click()
    delete = page.get_by_role("button", name="Delete").last
    await delete.click()
    await wait_until_gone(page, delete)
    await expect(page.get_by_text("projector", exact=True)).to_have_count(0)
    await page.goto("/config/repairs")
    await page.get_by_text("Delete the learned commands of Study, too?").click()
    await expect(dialogue(page)).to_contain_text("The hub Study was removed")
    await choose(page, "Delete them")
    await expect(dialogue(page)).not_to_contain_text("Keep them")
    await page.goto("/config/repairs")
    await expect(page.get_by_text("Delete the learned commands of Study")).to_have_count(0)
