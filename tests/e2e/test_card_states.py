"""What a card shows of its device, in both themes, on a phone, in each language."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Locator, Page, expect
import pytest
import pytest_asyncio
import pytest_socket

from demo.client import Client
from demo.host import Host
from demo.walk import add_hub
from virtual_home.hub import VirtualHub

from .accessibility import violations
from .card import FUNCTIONS, card_of, device, packet_of
from .chromium import PHONE, new_page
from .pictures import take

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

HOME_ASSISTANTS = ("ha-state-control-climate-temperature", "hui-card-features", "ha-icon")
"""Parts of the card that are Home Assistant's own."""
SPEEDS = ("low", "medium", "high")


def air_conditioner(name: str) -> dict[str, Any]:
    appliance = device(name, "air_conditioner", ["off"], ["Display"], entity="yard-ac")
    states = [
        {
            **device(f"{mode} {temperature} {fan}", "other", ["x"])["commands"][0],  # type: ignore[index]
            "id": f"yard-ac-{mode}-{temperature}-{fan}",
            "name": f"{mode} {temperature} {fan}",
            "state": {"mode": mode, "fan": fan, "temperature": temperature},
        }
        for mode in ("cool", "heat")
        for temperature in (20, 21, 22)
        for fan in ("low", "high")
    ]
    return {**appliance, "commands": [*appliance["commands"], *states]}  # type: ignore[misc]


DEVICES: tuple[dict[str, Any], ...] = (
    device("Yard television", "television", FUNCTIONS, ("Ambilight",), entity="yard-tv"),
    air_conditioner("Yard air conditioner"),
    device(
        "Yard fan",
        "fan",
        ["on", "off", *(f"speed {speed}" for speed in SPEEDS), "oscillate"],
        entity="yard-fan",
    ),
    device("Yard blind", "cover", ["open", "stop", "close"], entity="yard-blind"),
    device("Yard lamp", "light", ["on", "off", "brighten", "dim", "night"], entity="yard-lamp"),
)
TELEVISION, AC, FAN, BLIND, LAMP = DEVICES
OF_OTHER_KINDS: tuple[dict[str, Any], ...] = (
    *(
        device(f"Yard {kind}", kind, FUNCTIONS, entity=f"yard-{kind}")
        for kind in ("receiver", "projector", "player")
    ),
    device("Yard heater", "other", (), ["on", "off", "warmer"]),
)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hub(client: Client) -> AsyncGenerator[VirtualHub]:
    pytest_socket.enable_socket()  # made before a test's own fixtures
    async with VirtualHub("rm4_mini", mac="34:EA:34:00:00:79", name="Yard") as hub:
        await add_hub(client, hub)
        await client.wait_state("remote.yard", "on")
        data = {"entity_id": "remote.yard", "codes": {"devices": [*DEVICES, *OF_OTHER_KINDS]}}
        await client.call("irhub.import_codes", data, response=True)
        await client.wait_state("climate.yard_air_conditioner", "unknown")
        await client.wait_state("media_player.yard_television", "unknown")
        await client.command(
            {"type": "lovelace/dashboards/create", "url_path": "card-states", "title": "States"}
        )
        cards = [{"type": "custom:irhub-remote", "device": config["name"]} for config in DEVICES]
        others = [
            {"type": "custom:irhub-remote", "device": config["name"]} for config in OF_OTHER_KINDS
        ]
        views = [
            {"title": "All", "cards": cards},
            {"title": "Twenty", "cards": cards * 4},
            {"title": "Other kinds", "cards": others},
            {"title": "Two", "cards": cards[:2]},
        ]
        await client.command(
            {"type": "lovelace/config/save", "url_path": "card-states", "config": {"views": views}}
        )
        yield hub


async def show(page: Page, view: int = 0) -> None:
    await page.goto(f"/card-states/{view}")
    await expect(card_of(page, LAMP).first.get_by_role("button").first).to_be_visible()
    await expect(page.locator("ha-state-control-climate-temperature").first).to_be_visible()


def button(page: Page, config: dict[str, Any], name: str) -> Locator:
    return card_of(page, config).get_by_role("button", name=name, exact=True)


async def dark(page: Page, is_dark: bool) -> None:
    await page.emulate_media(color_scheme="dark" if is_dark else "light", reduced_motion="reduce")


async def test_1_buttons_of_the_current_state_are_lit(
    page: Page, hub: VirtualHub, client: Client
) -> None:
    await show(page)
    power = button(page, TELEVISION, "Power")
    assert await power.get_attribute("aria-pressed") is None  # nobody knows
    await client.call("media_player.turn_on", {"entity_id": "media_player.yard_television"})
    await expect(power).to_have_attribute("aria-pressed", "true")
    assert hub.transmitted[-1] == packet_of("toggle", TELEVISION)
    await power.click()  # a press on the card counts for the player, too
    await expect(power).to_have_attribute("aria-pressed", "false")
    await power.click()
    await expect(power).to_have_attribute("aria-pressed", "true")
    source = button(page, TELEVISION, "HDMI 2")
    await source.click()
    await expect(source).to_have_attribute("aria-pressed", "true")
    await button(page, BLIND, "Close").click()
    await expect(button(page, BLIND, "Close")).to_have_attribute("aria-pressed", "true")
    await expect(card_of(page, BLIND)).to_contain_text("Closed")
    await button(page, FAN, "medium").click()
    await expect(button(page, FAN, "medium")).to_have_attribute("aria-pressed", "true")
    await expect(button(page, FAN, "low")).to_have_attribute("aria-pressed", "false")


async def test_2_an_air_conditioner_is_one_card_with_favourites_and_a_timer(
    page: Page, hub: VirtualHub, client: Client
) -> None:
    await show(page)
    card = card_of(page, AC)
    assert await card.locator("ha-card").count() == 1
    assert await card.get_by_text("Yard air conditioner").count() == 1
    data = {"entity_id": "climate.yard_air_conditioner", "temperature": 21, "hvac_mode": "heat"}
    await client.call("climate.set_temperature", data)
    page.once("dialog", lambda dialog: dialog.accept("Evening"))
    await card.get_by_role("button", name="Card menu").click()
    await card.get_by_role("menuitem", name="Save as favourite").click()
    evening = card.get_by_role("button", name="Evening")
    await expect(evening).to_be_visible()
    choice = card.get_by_role("combobox", name="Turn off in")
    await choice.select_option("120")
    await expect(card).to_contain_text("Off in 2 hrs")
    await card.get_by_role("button", name="Leave it on").click()
    await expect(choice).to_be_visible()
    await client.call("climate.turn_off", {"entity_id": "climate.yard_air_conditioner"})
    await expect(choice).to_have_count(0)
    before = len(hub.transmitted)
    await evening.click()
    await hub.until(lambda: len(hub.transmitted) > before)
    await client.wait_state("climate.yard_air_conditioner", "heat")
    await take("irhub-card-air-conditioner", card)
    await card.get_by_role("button", name="Card menu").click()
    await card.get_by_role("menuitem", name="Learn buttons").click()
    page.once("dialog", lambda dialog: dialog.accept())
    await evening.click()
    await expect(evening).to_have_count(0)
    await card.get_by_role("button", name="Done").click()


async def test_3_while_the_remote_is_off_nothing_is_sent(
    page: Page, hub: VirtualHub, client: Client
) -> None:
    await show(page)
    await client.call("remote.turn_off", {"entity_id": "remote.yard"})
    card = card_of(page, TELEVISION)
    await expect(card).to_contain_text("nothing is sent")
    await expect(button(page, TELEVISION, "OK")).to_have_count(0)
    await expect(card_of(page, AC).locator("ha-state-control-climate-temperature")).to_have_count(0)
    assert await violations(page, "irhub-remote", without=HOME_ASSISTANTS) == []
    before = len(hub.transmitted)
    await card.get_by_role("button", name="Turn it on").click()
    await button(page, TELEVISION, "OK").click()
    await hub.until(lambda: len(hub.transmitted) > before)


@pytest.mark.parametrize("width", ["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_4_the_card_is_accessible(
    page: Page, hub: VirtualHub, scheme: str, width: str, tmp_path: Path
) -> None:
    assert hub.transmitted
    if width == "phone":
        await page.set_viewport_size(PHONE)
    await dark(page, scheme == "dark")
    await show(page)
    assert await violations(page, "irhub-remote", without=HOME_ASSISTANTS) == []
    for config in DEVICES:
        await card_of(page, config).screenshot(path=tmp_path / f"{config['kind']}.png")
    edges = await page.locator("irhub-remote").evaluate_all(EDGES)
    assert min(edges) >= 3, edges
    card = card_of(page, AC)
    await card.get_by_role("button", name="Card menu").click()
    await card.get_by_role("menuitem", name="It is …").click()
    await card.locator("form").get_by_label("State").select_option("Cool")
    assert await violations(page, "irhub-remote", without=HOME_ASSISTANTS) == []
    await card.get_by_role("button", name="Cancel").click()
    card = card_of(page, TELEVISION)
    await card.get_by_role("button", name="Card menu").click()
    assert await violations(page, "irhub-remote", without=HOME_ASSISTANTS) == []
    await card.get_by_role("menuitem", name="Learn buttons").click()
    await expect(card.get_by_role("button", name="Done")).to_be_visible()
    assert await violations(page, "irhub-remote", without=HOME_ASSISTANTS) == []


async def test_5_twenty_on_a_page(page: Page, hub: VirtualHub) -> None:
    assert hub.transmitted
    await show(page, 1)
    await expect(page.locator("irhub-remote")).to_have_count(20)
    await expect(page.locator("irhub-remote").get_by_role("button", name="Open")).to_have_count(4)
    assert await violations(page, "irhub-remote", without=HOME_ASSISTANTS) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.usefixtures("hub")
async def test_5_two_on_a_page_and_the_other_kinds(page: Page, scheme: str) -> None:
    await dark(page, scheme == "dark")
    for view, cards in ((3, DEVICES[:2]), (2, OF_OTHER_KINDS)):
        await page.goto(f"/card-states/{view}")
        await expect(page.locator("irhub-remote")).to_have_count(len(cards))
        for config in cards:
            await expect(card_of(page, config).get_by_role("button").first).to_be_visible()
        assert await violations(page, "irhub-remote", without=HOME_ASSISTANTS) == []
        edges = await page.locator("irhub-remote").evaluate_all(EDGES)
        assert min(edges) >= 3, edges


@pytest.mark.parametrize("language", ["de", "es", "fr", "nl", "he"])
async def test_6_each_language_fits(
    browser: Browser, host: Host, hub: VirtualHub, tmp_path: Path, language: str
) -> None:
    assert hub.transmitted
    async with new_page(browser, host, tmp_path, locale=language) as page:
        await page.set_viewport_size(PHONE)
        await show(page)
        cut = await page.locator("irhub-remote").evaluate_all(CUT)
        assert cut == []
        assert await violations(page, "irhub-remote", without=HOME_ASSISTANTS) == []


EDGES = """
(cards) => {
  const canvas = document.createElement("canvas").getContext("2d");
  const rgb = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (colour) => {
    const [r, g, b] = rgb(colour).map((value) => value / 255).map(
      (value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  return cards.flatMap((card) => {
    const ground = getComputedStyle(card.shadowRoot.querySelector("ha-card")).backgroundColor;
    const shapes = card.shadowRoot.querySelectorAll(
      ".row button, .wide button, .words button, .pad, .rocker",
    );
    return [...shapes].map((shape) => contrast(getComputedStyle(shape).borderTopColor, ground));
  });
}
"""
"""Returns the contrast of the edge of each shape with its card."""
CUT = """
(cards) => cards.flatMap((card) => {
  const right = card.getBoundingClientRect();
  const parts = "button, select, summary, h2, span";
  return [...card.shadowRoot.querySelectorAll(parts)].filter((each) => {
    const box = each.getBoundingClientRect();
    return box.width > 0 && (box.left < right.left - 1 || box.right > right.right + 1
      || each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflow !== "hidden"
      && each.clientWidth > 0);
  }).map((each) => each.outerHTML.slice(0, 120));
})
"""
"""Returns what is cut off, or stands beside its card."""
