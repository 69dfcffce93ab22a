"""Editing the YAML and reloading it: Developer tools → YAML."""

from collections.abc import AsyncGenerator, Callable
import re

from playwright.async_api import Page, expect
import pytest
import pytest_asyncio

from demo.client import Client
from demo.host import Host

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

type Edit = Callable[[str, str], None]


@pytest_asyncio.fixture(loop_scope="session")
async def edit(host: Host, client: Client) -> AsyncGenerator[Edit]:
    """Replace a text in configuration.yaml; everything is put back at the end."""
    file = host.config / "configuration.yaml"
    before = file.read_text()

    def replace(old: str, new: str) -> None:
        assert before.count(old) == 1
        file.write_text(before.replace(old, new))

    yield replace
    file.write_text(before)
    for domain in "rest", "mqtt_binary", "irhub":
        await client.call(f"{domain}.reload")


async def reload(page: Page, name: str) -> None:
    """Press one of the buttons that reload YAML."""
    await page.goto("/config/developer-tools/yaml")
    await page.get_by_role("button", name=name, exact=True).click()


@pytest.mark.parametrize(
    ("button", "old", "new"),
    [
        ("REST entities and notify services", "name: Rooms", "name: House"),
        ("MQTT Binary Sensor", "name: Motion", "name: Stairs"),
        ("Broadlink infrared remote hub", "slot_1: Aquarium", "slot_1: Pump"),
    ],
)
async def test_a_new_name_comes_with_a_click(
    *, page: Page, client: Client, edit: Edit, button: str, old: str, new: str
) -> None:
    def names() -> set[str]:
        return {state["attributes"].get("friendly_name") for state in client.states.values()}

    edit(old, new)
    await reload(page, button)
    await client.wait(lambda: new.partition(": ")[2] in names())
    assert old.partition(": ")[2] not in names()


@pytest.mark.parametrize(
    ("button", "old", "new"),
    [
        ("REST entities and notify services", "scan_interval: 2", "scan_interval: often"),
        ("MQTT Binary Sensor", "off_delay: 2", "off_delay: soon"),
        ("Broadlink infrared remote hub", "type: mp1", "type: mp9"),
    ],
)
async def test_wrong_yaml_is_named_and_everything_stays(
    *, page: Page, client: Client, edit: Edit, button: str, old: str, new: str
) -> None:
    before = {*client.states}
    edit(old, new)
    await reload(page, button)
    key = new.partition(":")[0]
    await expect(page.get_by_text(re.compile(rf"line \d+: .*'{key}'")).first).to_be_visible()
    assert {*client.states} == before
