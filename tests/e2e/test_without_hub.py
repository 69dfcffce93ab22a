"""From a home that has an emitter and a receiver, and no hub, to a thermostat."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
import json
from pathlib import Path
from typing import override

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
from virtual_home.esphome import EsphomeProxy

from .chromium import new_page
from .clicks import add_integration, choose, dialogue, enter, finish, go_on, submit
from .lacks import needs

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

COOL = State(mode="cool", preset="none", fan="auto", swing="off", temperature=24.0)
REMOTE = VirtualRemote("ELECTRA_AC")
INTEGRATION = "/config/integrations/integration/irhub"


class Infrared(ABC):
    """A device of another integration, with an emitter and a receiver."""

    receiver: str
    """The name of its receiver."""
    emitter: str

    @abstractmethod
    async def receive(self, timings: list[int]) -> None:
        """Receive what a remote control sends."""

    @abstractmethod
    def transmitted(self) -> list[list[int]]:
        """Return what it was told to transmit."""


class MqttBlaster(Infrared):
    """Announced by MQTT's discovery."""

    receiver, emitter = "Attic receiver", "Attic emitter"
    _RECEIVED, _SENT = "attic/received", "attic/send"

    def __init__(self, device: Contact, client: Client) -> None:
        self._device = device
        self._client = client
        self._sent: list[list[int]] = []

    async def begin(self) -> None:
        """Announce both."""
        for kind, name, topic in (
            ("receiver", self.receiver, {"state_topic": self._RECEIVED}),
            ("emitter", self.emitter, {"command_topic": self._SENT}),
        ):
            config = {"schema": kind, "name": name, "unique_id": f"attic_{kind}", **topic}
            topic_of_config = f"homeassistant/infrared/{kind}/config"
            self._device.publish(topic_of_config, json.dumps(config), retain=True)
        await self._client.subscribe(
            {"type": "mqtt/subscribe", "topic": self._SENT},
            lambda event: self._sent.append(json.loads(event["payload"])["timings"]),
        )

    @override
    async def receive(self, timings: list[int]) -> None:
        self._device.publish(self._RECEIVED, json.dumps({"timings": timings}))

    @override
    def transmitted(self) -> list[list[int]]:
        return self._sent


class Proxy(Infrared):
    """A proxy of ESPHome."""

    receiver, emitter = "Attic Receiver", "Attic Emitter"

    def __init__(self, device: EsphomeProxy) -> None:
        self._device = device

    @override
    async def receive(self, timings: list[int]) -> None:
        await self._device.press(timings)

    @override
    def transmitted(self) -> list[list[int]]:
        return self._device.transmitted


@pytest_asyncio.fixture(name="host", loop_scope="session")
async def host_fixture() -> AsyncGenerator[Host]:
    """Run a home that has nothing."""
    pytest_socket.enable_socket()
    async with Host(Path(__file__).parent / "fresh", {}) as host:
        yield host


@pytest_asyncio.fixture(name="page", loop_scope="session")
async def page_fixture(browser: Browser, host: Host, tmp_path: Path) -> AsyncGenerator[Page]:
    """Open a page of that home."""
    async with new_page(browser, host, tmp_path, locale="en-GB") as page:
        yield page


@asynccontextmanager
async def mqtt_blaster(client: Client) -> AsyncIterator[Infrared]:
    """Add MQTT, by which a blaster is found."""
    async with Broker() as broker, Contact(broker.host, broker.port, "attic") as device:
        await set_up_mqtt(client, broker)
        blaster = MqttBlaster(device, client)
        await blaster.begin()
        yield blaster


@needs("infrared of MQTT")
async def test_by_mqtt(page: Page, host: Host) -> None:
    client = await host.client()
    async with mqtt_blaster(client) as blaster:
        await walk_to_a_thermostat(page, client, blaster)


async def test_by_an_esphome_proxy(page: Page, host: Host) -> None:
    """Do what docs/any_emitter.md says."""
    async with EsphomeProxy("Attic") as device:
        await add_integration(page, "ESPHome")
        await enter(page, "Host", device.host)
        await dialogue(page).get_by_role("spinbutton", name="Port").fill(str(device.port))
        await submit(page)
        await finish(page)
        await walk_to_a_thermostat(page, await host.client(), Proxy(device))


async def walk_to_a_thermostat(page: Page, client: Client, infrared: Infrared) -> None:
    """Add an air conditioner by two presses, and set it."""

    async def press(degrees: float) -> None:
        await infrared.receive(to_timings(REMOTE.packet(replace(COOL, temperature=degrees))))

    await client.wait_state("infrared.attic_receiver", "unknown")
    await add_integration(page, "Broadlink infrared remote hub")
    await choose_without_hub(page)
    await expect(dialogue(page)).to_contain_text(infrared.receiver)
    await expect(dialogue(page)).to_contain_text(infrared.emitter)
    await submit(page)
    await finish(page)

    await page.goto(INTEGRATION)
    await page.get_by_role("button", name="Add appliance").click()
    await choose(page, "Air conditioner")
    await choose(page, "Press a button (recommended)")
    await expect(dialogue(page)).to_contain_text("cooling, 24 °C (75 °F)")
    await press(24.0)
    await choose(page, "Take its protocol from this integration")
    await expect(dialogue(page)).to_contain_text("Press another state")
    await press(22.0)
    await enter(page, "Name", "Attic air conditioner")
    await go_on(page)
    await finish(page)

    data = {"entity_id": "climate.attic_air_conditioner", "hvac_mode": "cool", "temperature": 21}
    await client.call("climate.set_temperature", data)
    await client.wait(infrared.transmitted)
    [reading, *_] = KnownAirConditioners.shipped().identify(from_timings(infrared.transmitted()[0]))
    assert isinstance(reading.state, State)
    assert (reading.state.mode, reading.state.temperature) == ("cool", 21.0)
    await client.wait_state("climate.attic_air_conditioner", "cool")


async def choose_without_hub(page: Page) -> None:
    """Choose what needs no hub: beside the hubs that were found, or below the address of one."""
    name = "Use Home Assistant's infrared emitters and receivers"
    text, switch = dialogue(page).get_by_text(name).first, dialogue(page).get_by_role("switch")
    await expect(text).to_be_visible()
    if await switch.count():
        await switch.click(force=True)  # what is drawn over it takes the click
    else:
        await text.click()
    await submit(page)
