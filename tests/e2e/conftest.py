"""A real Home Assistant process in the virtual home, and a real browser.

They are started once per test process. Home Assistant does not run in this process,
so the fixture that checks for leaks of one that does is replaced by an empty one.
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
    """Replace the fixture that reports everything that outlives a test as a leak."""


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def home() -> AsyncGenerator[Home]:
    """Run the virtual home."""
    pytest_socket.enable_socket()  # here and below: runs before a test's own fixtures
    async with Home() as home:
        yield home


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncGenerator[Browser]:
    """Run the browser."""
    async with chromium() as browser:
        yield browser


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def host(home: Home) -> AsyncGenerator[Host]:
    """Run Home Assistant with the demo's configuration."""
    pytest_socket.enable_socket()
    async with Host(ROOT / "demo", home.secrets()) as host:
        yield host


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def owner(host: Host, home: Home) -> Client:
    """Return the client of Home Assistant's owner; MQTT is set up."""
    owner = await host.client()
    await set_up_mqtt(owner, home.broker)
    return owner


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def client(owner: Client) -> AsyncGenerator[Client]:
    """Return the owner's client; remove the hubs that the tests of a file have added.

    The next file may give the same name to another hub, and all hubs of a home listen
    while one of them has a delivery sensor.
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
    """Run Home Assistant with a configuration full of mistakes."""
    pytest_socket.enable_socket()
    async with Host(Path(__file__).parent / "troubled", home.secrets()) as host:
        yield host


@pytest_asyncio.fixture(loop_scope="session")
async def troubled_page(
    browser: Browser, troubled_host: Host, tmp_path: Path
) -> AsyncGenerator[Page]:
    """Open a page of the Home Assistant with mistakes in its configuration."""
    async with new_page(browser, troubled_host, tmp_path) as page:
        yield page
