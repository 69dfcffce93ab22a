"""The page that tries a web resource, in a real browser: from a URL to YAML that works."""

from collections.abc import AsyncGenerator
from pathlib import Path

from playwright.async_api import Browser, Page, expect
import pytest
import pytest_asyncio
import pytest_socket

from demo.client import Client
from demo.host import Host
from virtual_home.endpoint import Endpoint
from virtual_home.endpoint_answer import Answer

from .chromium import PHONE, new_page
from .pictures import take

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

ATTACK = "<img src=x onerror='window.attacked = true'>"
HOUSE = {
    "rooms": [
        {"id": 7, "name": "Kitchen", "temperature": 21.5, "window": True},
        {"id": 9, "name": "Bathroom", "temperature": 23.1, "window": False},
    ],
    "boiler": {"pressure": 1.6, "unit": "bar", "state": "heating"},
    "<b>note</b>": ATTACK,
}
SECRET = "canary-password"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def tried_host() -> AsyncGenerator[Host]:
    """Home Assistant with nothing but an empty `rest:`."""
    pytest_socket.enable_socket()
    async with Host(Path(__file__).parent / "tried", {}) as host:
        yield host


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def owner(tried_host: Host) -> Client:
    return await tried_host.client()


@pytest_asyncio.fixture(loop_scope="session")
async def endpoint() -> AsyncGenerator[Endpoint]:
    pytest_socket.enable_socket()
    async with Endpoint() as endpoint:
        endpoint.set("/house", HOUSE)
        yield endpoint


@pytest_asyncio.fixture(loop_scope="session")
async def trial(browser: Browser, tried_host: Host, tmp_path: Path) -> AsyncGenerator[Page]:
    """Open the page."""
    async with new_page(browser, tried_host, tmp_path) as page:
        await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        await page.goto("/rest-trial")
        yield page


async def send(page: Page, url: str) -> None:
    await page.get_by_label("URL or cURL command").fill(url)
    await page.get_by_label("URL or cURL command").press("Enter")


async def choose(trial: Page) -> None:
    """Choose rooms, a pressure, an attack that is taken back, and a window."""
    await trial.locator(".node", has_text="rooms").click()
    await trial.locator(".node", has_text="Object of 4").first.click()
    await trial.locator(".node", has_text="temperature").click()
    await trial.get_by_label("An entity for each element").check()
    states = trial.locator(".states")
    await expect(states).to_have_text("Kitchen temperature: 21.5 °CBathroom temperature: 23.1 °C")
    await trial.get_by_label("Search keys and values").fill("pressure")
    await trial.locator(".node", has_text="1.6").press("Enter")
    await expect(states.nth(1)).to_have_text("Boiler pressure: 1.6 bar")
    await trial.get_by_label("Search keys and values").fill("")
    await trial.get_by_text("Method, login and more").click()  # closes it
    await expect(trial.locator("[data-id=yaml]")).to_contain_text("name: Boiler pressure")
    await expect(trial.locator(".node", has_text="List of 2")).to_be_visible()
    await take("rest-trial", trial.locator("rest-trial"))
    await trial.get_by_label("Search keys and values").fill("img")
    await trial.locator(".node", has_text="<img").dblclick()
    await expect(states.nth(2)).to_contain_text(ATTACK)
    await trial.get_by_role("button", name="Remove").nth(2).click()
    await expect(states).to_have_count(2)
    await trial.get_by_label("Search keys and values").fill("window")
    await trial.locator(".node", has_text="rooms / 0 / window").click()
    await trial.get_by_label("Name", exact=True).nth(2).fill("Kitchen window")
    await expect(states.nth(2)).to_have_text("Kitchen window: on")


async def test_from_a_url_to_entities(
    trial: Page, tried_host: Host, owner: Client, endpoint: Endpoint
) -> None:
    panels = await owner.command({"type": "get_panels"})
    assert panels["rest-trial"]["require_admin"]
    await expect(trial.locator("ha-sidebar")).to_be_visible()
    await expect(trial.locator("ha-sidebar").get_by_text("Try a web resource")).to_have_count(0)
    await trial.get_by_text("Method, login and more").click()
    await trial.get_by_label("User name").fill("me")
    await trial.get_by_label("Password").fill(SECRET)
    await send(trial, endpoint.url + "/house")
    await expect(trial.get_by_text("Status 200")).to_be_visible()
    assert endpoint.received("/house")[0].headers["Authorization"].startswith("Basic ")

    await choose(trial)

    yaml = trial.locator("[data-id=yaml]")
    await expect(yaml).to_contain_text("name: Kitchen window")
    await expect(yaml).to_contain_text("password: !secret 127_0_0_1_password")
    assert SECRET not in await trial.locator("rest-trial").inner_text()
    await trial.get_by_role("button", name="Copy secrets").click()
    await expect(trial.get_by_role("button", name="Copied")).to_be_visible()
    secrets = await trial.evaluate("navigator.clipboard.readText()")
    await trial.get_by_role("button", name="Copy", exact=True).click()
    await expect(trial.get_by_role("button", name="Copied")).to_have_count(2)
    copied = await trial.evaluate("navigator.clipboard.readText()")
    assert copied == await yaml.text_content()
    assert not await trial.evaluate("window.attacked")
    assert trial.url.endswith("/rest-trial")

    file = tried_host.config / "configuration.yaml"
    file.write_text(file.read_text().replace("\nrest:\n", f"\n{copied}"))
    with (tried_host.config / "secrets.yaml").open("a") as lines:
        lines.write(f"{secrets}\n")
    await owner.call("rest.reload")
    await owner.wait_state("sensor.kitchen_temperature", "21.5")
    await owner.wait_state("sensor.bathroom_temperature", "23.1")
    await owner.wait_state("sensor.boiler_pressure", "1.6")
    await owner.wait_state("binary_sensor.kitchen_window", "on")
    assert SECRET not in tried_host.log()


async def test_what_fails_and_a_page_on_a_phone(trial: Page, endpoint: Endpoint) -> None:
    await trial.set_viewport_size(PHONE)
    endpoint.set("/no", Answer.of("x", status=401))
    await send(trial, endpoint.url + "/no")
    await expect(trial.get_by_text("status 401 The server wants a user name")).to_be_visible()
    await send(trial, "ftp://example.com")
    await expect(trial.get_by_text("The request is not valid: resource gives")).to_be_visible()
    page = "<html><table><tr><td>Pool temperature</td><td>27,5 °C</td></tr></table></html>"
    endpoint.set("/page", Answer(body=page.encode(), content_type="text/html"))
    await send(trial, endpoint.url + "/page")
    await trial.locator(".node", has_text="27,5 °C").click()
    await expect(trial.locator(".states")).to_have_text("Pool temperature: 27.5 °C")
    endpoint.set("/large", {"n": [*range(250)], "long": "y" * 5000})
    await send(trial, endpoint.url + "/large")
    await expect(trial.locator(".states")).to_have_count(0)
    await trial.locator(".node", has_text="List of 250").click()
    await trial.get_by_role("button", name="Show more (150)").click()
    await trial.get_by_role("button", name="Show more (50)").click()
    await expect(trial.locator(".node")).to_have_count(252)
    await trial.evaluate("document.querySelector('home-assistant').hass.connection.reconnect(true)")
    await trial.get_by_label("Search keys and values").fill("249")
    await expect(trial.get_by_text("Home Assistant no longer has this reply")).to_be_visible()
    width = await trial.evaluate(
        "(() => { const p = document.querySelector('home-assistant').shadowRoot;"
        "return [document.documentElement.scrollWidth, window.innerWidth]; })()"
    )
    assert width[0] <= width[1]
