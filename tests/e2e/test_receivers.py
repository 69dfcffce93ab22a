"""Hubs as receivers of the newest Home Assistant, with core's own integrations listening."""

from collections.abc import AsyncGenerator, Callable
from pathlib import Path
import shutil

import pytest
import pytest_asyncio
import pytest_socket

from custom_components.irhub.ircodes import encode, parse_text, to_timings
from demo.client import Client, Json
from demo.host import ROOT, Host
from demo.walk import choose_lg_television
from tests.irhub.home import FAN
from virtual_home.hub import VirtualHub

from .lacks import needs

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

CONFIG = Path(__file__).parent / "receivers"
EMITTER, RECEIVER = "infrared.lounge", "infrared.lounge_receiver"
BOTH = {"infrared_emitter_entity_id": EMITTER, "infrared_receiver_entity_id": RECEIVER}

GREE = parse_text(
    "JgCSAAABKJQSEhISEjcSNxISEhISEhISEjcSNxI3EhISEhISEhISEhISEhISEhISEhISNxISEhISEhISEhISEhI3EhIS"
    "NxISEhISNxISEgAClBISEhISEhISEhISEhISEhISEhISEhISEhISEjcSEhISEhISEhISEhISEhISEhISEhISEhISEhIS"
    "EjcSNxI3EjcSAA4f"
)
"""Heat, 23 °C."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hubs() -> AsyncGenerator[dict[str, VirtualHub]]:
    """Run a hub for infrared and one for radio."""
    pytest_socket.enable_socket()
    async with (
        VirtualHub("rm4_mini", mac="34:EA:34:00:00:41") as infrared,
        VirtualHub("rm4_pro", mac="34:EA:34:00:00:42") as radio,
    ):
        yield {"infrared": infrared, "radio": radio}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def client(
    hubs: dict[str, VirtualHub], tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Client]:
    """Run Home Assistant; the listener stands beside our integrations."""
    integrations = tmp_path_factory.mktemp("home") / "custom_components"
    shutil.copytree(ROOT / "custom_components", integrations)
    shutil.copytree(CONFIG / "radio_listener", integrations / "radio_listener")
    secrets = {
        f"{name}_{key}": value
        for name, hub in hubs.items()
        for key, value in (("host", hub.host), ("port", hub.port), ("mac", hub.mac))
    }
    async with Host(CONFIG, secrets, integrations=integrations) as host:
        yield await host.client()


@needs("receivers of radio")
async def test_radio_is_heard_on_its_frequency(client: Client, hubs: dict[str, VirtualHub]) -> None:
    listed = await client.command({"type": "radio_frequency/list"})
    [receiver] = listed["receivers"]
    assert receiver["entity_id"] == "radio_frequency.garage_receiver"
    assert receiver["supported_frequency_ranges"] == [[433_920_000, 433_920_000]]
    await hubs["radio"].press_when_listening(FAN)
    state = await client.wait_state("radio_listener.heard", "heard")
    assert state["attributes"] == {"timings": to_timings(FAN), "frequency": 433_920_000}
    assert hubs["radio"].receiver.asked_khz == 433_920


async def test_the_hub_that_nobody_listens_to_is_left_alone(
    client: Client, hubs: dict[str, VirtualHub]
) -> None:
    await client.wait_state(RECEIVER, "unknown")
    assert hubs["infrared"].count("learn") == 0


async def press_until_shown(
    client: Client, hub: VirtualHub, packet: bytes | None, is_shown: Callable[[str, Json], object]
) -> None:
    """Press a button, and wait until an entity shows it."""
    assert packet is not None
    await hub.press_when_listening(packet)
    await client.wait(lambda: any(is_shown(*item) for item in client.states.items()))


@needs("gree_infrared")
async def test_a_gree_air_conditioner_follows_its_remote_control(
    client: Client, hubs: dict[str, VirtualHub]
) -> None:
    await client.config_flow("gree_infrared", {**BOTH, "hvac_modes": ["cool", "heat"]})
    await press_until_shown(
        client,
        hubs["infrared"],
        GREE,
        lambda name, state: (
            name.startswith("climate.")
            and (state["state"], state["attributes"]["temperature"]) == ("heat", 23)
        ),
    )


async def test_buttons_of_an_lg_television_are_events(
    client: Client, hubs: dict[str, VirtualHub]
) -> None:
    await choose_lg_television(client, {"infrared_receiver_entity_id": RECEIVER})
    await press_until_shown(
        client,
        hubs["infrared"],
        encode("NEC", address=0x04, command=0xC4),
        lambda _, state: state["attributes"].get("event_type") == "power_on",
    )


@needs("osram_infrared")
async def test_an_osram_light_follows_its_remote_control(
    client: Client, hubs: dict[str, VirtualHub]
) -> None:
    await client.config_flow("osram_infrared", BOTH)
    await press_until_shown(
        client,
        hubs["infrared"],
        encode("NEC", address=0x00, command=0x07),
        lambda name, state: name.startswith("light.") and state["state"] == "on",
    )
