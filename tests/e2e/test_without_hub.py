"""From a home that has an emitter and a receiver of MQTT, and no hub, to a thermostat."""

from collections.abc import AsyncGenerator
from dataclasses import replace
import json
from pathlib import Path

from playwright.async_api import Browser, Page, expect
import pytest
import pytest_asyncio
import pytest_socket

from benchmarks.virtual_remotes import VirtualRemote
from custom_components.irhub.ircodes import State, from_timings, to_timings
from custom_components.irhub.ircodes.known import KnownAirConditioners
from demo.client import Client
from demo.host import Host
from demo.walk import set_up_mqtt
from virtual_home.broker import Broker
from virtual_home.contact import Contact

from .chromium import new_page
from .clicks import add_integration, choose, dialogue, enter, finish, go_on, submit
from .lacks import needs

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session"), needs("infrared of MQTT")]

HEARD, SENT = "attic/heard", "attic/send"
ENTITIES = {
    "heard": {"schema": "receiver", "name": "Attic receiver", "state_topic": HEARD},
    "send": {"schema": "emitter", "name": "Attic emitter", "command_topic": SENT},
}
COOL = State(mode="cool", preset="none", fan="auto", swing="off", temperature=24.0)
REMOTE = VirtualRemote("ELECTRA_AC")
INTEGRATION = "/config/integrations/integration/irhub"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def broker() -> AsyncGenerator[Broker]:
    """Run a broker."""
    pytest_socket.enable_socket()
    async with Broker() as broker:
        yield broker


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def proxy(broker: Broker) -> AsyncGenerator[Contact]:
    """Run a device that announces an emitter and a receiver of infrared."""
    async with Contact(broker.host, broker.port, "attic") as proxy:
        for name, config in ENTITIES.items():
            message = json.dumps({**config, "unique_id": f"attic_{name}"})
            proxy.publish(f"homeassistant/infrared/{name}/config", message, retain=True)
        yield proxy


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def host(broker: Broker) -> AsyncGenerator[Host]:
    """Run a home that has nothing but MQTT."""
    async with Host(Path(__file__).parent / "fresh", {}) as host:
        await set_up_mqtt(await host.client(), broker)
        yield host


@pytest_asyncio.fixture(name="page", loop_scope="session")
async def page_fixture(browser: Browser, host: Host, tmp_path: Path) -> AsyncGenerator[Page]:
    """Open a page of that home."""
    async with new_page(browser, host, tmp_path, locale="en-GB") as page:
        yield page


def press(proxy: Contact, degrees: float) -> None:
    """Press a button of the air conditioner's remote control in front of the receiver."""
    packet = REMOTE.packet(replace(COOL, temperature=degrees))
    proxy.publish(HEARD, json.dumps({"timings": to_timings(packet)}))


async def test_a_thermostat_by_two_presses(page: Page, host: Host, proxy: Contact) -> None:
    client: Client = await host.client()
    await client.wait_state("infrared.attic_receiver", "unknown")
    await add_integration(page, "Broadlink infrared remote hub")
    await choose_without_hub(page)
    await expect(dialogue(page)).to_contain_text("Attic receiver")
    await expect(dialogue(page)).to_contain_text("Attic emitter")
    await submit(page)
    await finish(page)

    await page.goto(INTEGRATION)
    await page.get_by_role("button", name="Add appliance").click()
    await choose(page, "Air conditioner")
    await choose(page, "Press a button (recommended)")
    await expect(dialogue(page)).to_contain_text("cooling, 24 °C (75 °F)")
    press(proxy, 24.0)
    await choose(page, "Take its known protocol")
    await expect(dialogue(page)).to_contain_text("Press another state")
    press(proxy, 22.0)
    await enter(page, "Name", "Attic air conditioner")
    await go_on(page)
    await finish(page)

    sent: list[bytes] = []
    data = {"entity_id": "climate.attic_air_conditioner", "hvac_mode": "cool", "temperature": 21}
    await client.subscribe(
        {"type": "mqtt/subscribe", "topic": SENT},
        lambda event: sent.append(from_timings(json.loads(event["payload"])["timings"])),
    )
    await client.call("climate.set_temperature", data)
    await client.wait(lambda: sent)
    [reading, *_] = KnownAirConditioners.shipped().identify(sent[0])
    assert isinstance(reading.state, State)
    assert (reading.state.mode, reading.state.temperature) == ("cool", 21.0)
    await client.wait_state("climate.attic_air_conditioner", "cool")


async def choose_without_hub(page: Page) -> None:
    """Choose what needs no hub: beside the hubs that were found, or below the address of one."""
    name = "Use Home Assistant's infrared emitters and receivers"
    text, switch = dialogue(page).get_by_text(name), dialogue(page).get_by_role("switch")
    await expect(text).to_be_visible()
    if await switch.count():
        await switch.click(force=True)  # what is drawn over it takes the click
    else:
        await text.click()
    await submit(page)
