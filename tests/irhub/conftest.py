"""Hubs and homes, and what most tests do without."""

import asyncio
from collections.abc import AsyncIterator, Iterator

from homeassistant.core import HomeAssistant
import pytest

from custom_components.irhub.dialogues import add as add_module, listening
from custom_components.irhub.entities.use import IrhubConfigEntry
from custom_components.irhub.hub import connection, hub_learning, hub_receiver, learning, library
from custom_components.irhub.ircodes import Collection
from tests.home import Home, until
from tests.reliability.virtual_time import steady
from virtual_home.hub import VirtualHub

from .collected import collection_of
from .dialogue import add
from .home import entry as entry_in_yaml, our_hub, set_up
from .infrared_entities import Blaster


@pytest.fixture
def steady_time(hass: HomeAssistant) -> Iterator[None]:
    """Let no timeout expire while this process waits for a busy machine."""
    with steady(hass.loop):
        yield


@pytest.fixture
def home(hass: HomeAssistant, caplog: pytest.LogCaptureFixture) -> Home:
    """Return the home, with its states, changes and log."""
    return Home(hass, caplog)


@pytest.fixture
def model() -> str:
    """Return the model of the hub; a file overrides it, or a test is parametrized with another."""
    return "rm_pro"


@pytest.fixture
async def virtual_hub(model: str) -> AsyncIterator[VirtualHub]:
    """Return a hub that Home Assistant does not know yet."""
    async with VirtualHub(model) as virtual_hub:
        yield virtual_hub


@pytest.fixture
async def new_hub(hass: HomeAssistant, virtual_hub: VirtualHub) -> VirtualHub:
    """Return a hub whose remote was just set up; it may still be connecting."""
    await set_up(hass, "remote", entry_in_yaml(virtual_hub))
    return virtual_hub


@pytest.fixture
async def hub(hass: HomeAssistant, new_hub: VirtualHub) -> VirtualHub:
    """Return a hub with a remote that is connected."""
    await until(lambda: our_hub(hass, new_hub).available)
    return new_hub


@pytest.fixture
async def lounge(model: str) -> AsyncIterator[VirtualHub]:
    """Return a hub in the lounge that Home Assistant does not know yet."""
    async with VirtualHub(model, name="Lounge") as hub:
        yield hub


@pytest.fixture
async def attic(model: str) -> AsyncIterator[VirtualHub]:
    """Return a second hub, in the attic, that Home Assistant does not know yet."""
    async with VirtualHub(model, mac="34:EA:34:00:00:02", name="Attic") as attic:
        yield attic


@pytest.fixture
async def entry(hass: HomeAssistant, lounge: VirtualHub) -> IrhubConfigEntry:
    """Return the entry of the hub in the lounge, which is connected."""
    return await add(hass, lounge)


@pytest.fixture
async def absent_blaster(hass: HomeAssistant) -> AsyncIterator[Blaster]:
    """Return an infrared emitter and receiver of core's demonstration that is not there yet."""
    yield Blaster(hass)
    for flow in hass.config_entries.flow.async_progress():  # it demonstrates these, too
        hass.config_entries.flow.async_abort(flow["flow_id"])


@pytest.fixture
async def blaster(absent_blaster: Blaster) -> Blaster:
    """Return an infrared emitter and receiver of core's demonstration."""
    await absent_blaster.begin()
    return absent_blaster


@pytest.fixture
def no_hubs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Find no hub in the network."""

    async def discover(_hass: HomeAssistant) -> list[library.HubDevice]:
        await asyncio.sleep(0.05)
        return []

    monkeypatch.setattr(add_module, "discover_devices", discover)


@pytest.fixture
def no_collection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no collection of code files."""
    monkeypatch.setattr(Collection, "load", lambda: collection_of({}))


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Press the next button at once, and hear it soon: lessons have dozens of presses."""
    monkeypatch.setattr(learning, "BETWEEN_PRESSES_S", 0.05)
    monkeypatch.setattr(hub_learning, "LEARNING_READ_S", 0.02)


@pytest.fixture
def quick_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hear soon what is pressed while nobody learns."""
    monkeypatch.setattr(hub_receiver, "READ_S", 0.05)


@pytest.fixture
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for a hub, and try it again, in fractions of a second."""
    monkeypatch.setattr(connection, "BACK_OFF_S", (0.1, 0.2))
    monkeypatch.setattr(connection, "KEEP_ALIVE_S", 0.2)
    monkeypatch.setattr(connection, "LOCKED_RETRY_S", 0.2)


@pytest.fixture
def no_double_clicks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take each click, however soon after a press."""
    monkeypatch.setattr(listening, "DOUBLE_CLICK_S", 0)
