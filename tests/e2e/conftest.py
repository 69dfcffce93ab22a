"""A real Home Assistant process on the virtual home, and a real browser before it.

They are started once per test process. Nothing of Home Assistant runs in this
process, so the fixture that watches over one that does is replaced by an empty one.
"""

from collections.abc import AsyncGenerator
from pathlib import Path

from playwright.async_api import Browser, Page, expect
import pytest
import pytest_asyncio
import pytest_socket

from demo.client import Client
from demo.host import ROOT, Host
from demo.walk import set_up_mqtt
from virtual_home.home import Home

from .chromium import TIMEOUT_MS, chromium, new_page

expect.set_options(timeout=TIMEOUT_MS)


@pytest.fixture(autouse=True)
def verify_cleanup() -> None:
    """Replace the fixture that takes what outlives a test for a leak."""


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def home() -> AsyncGenerator[Home]:
    """Run the virtual home."""
    pytest_socket.enable_socket()  # here and below: made before a test's own fixtures
    async with Home() as home:
        yield home


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncGenerator[Browser]:
    """Run the browser."""
    async with chromium() as browser:
        yield browser


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def host(home: Home) -> AsyncGenerator[Host]:
    """Home Assistant with the demo's configuration."""
    pytest_socket.enable_socket()
    async with Host(ROOT / "demo", home.secrets()) as host:
        yield host


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def owner(host: Host, home: Home) -> Client:
    """Home Assistant's owner, who has set MQTT up."""
    owner = await host.client()
    await set_up_mqtt(owner, home.broker)
    return owner


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def client(owner: Client) -> AsyncGenerator[Client]:
    """Home Assistant's owner, who removes the hubs that a file's tests have added.

    The next file may give the same name to another hub, and all hubs of a house listen
    as long as one of them has a sensor that tells whether commands arrive.
    """
    before = await owner.entries("irhub")
    yield owner
    for entry in await owner.entries("irhub") - before:
        await owner.remove_entry(entry)


@pytest_asyncio.fixture(loop_scope="session")
async def page(
    browser: Browser,
    host: Host,
    client: Client,  # noqa: ARG001  (fixture wanted for its effect)
    tmp_path: Path,
) -> AsyncGenerator[Page]:
    """Open a page of the demo."""
    async with new_page(browser, host, tmp_path) as page:
        yield page


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def troubled_host(home: Home) -> AsyncGenerator[Host]:
    """Home Assistant with a configuration full of mistakes."""
    pytest_socket.enable_socket()
    async with Host(Path(__file__).parent / "troubled", home.secrets()) as host:
        yield host


@pytest_asyncio.fixture(loop_scope="session")
async def troubled_page(
    browser: Browser, troubled_host: Host, tmp_path: Path
) -> AsyncGenerator[Page]:
    """Open a page of the Home Assistant in trouble."""
    async with new_page(browser, troubled_host, tmp_path) as page:
        yield page
