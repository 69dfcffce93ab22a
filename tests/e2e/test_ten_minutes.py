"""From a home that has nothing yet to four appliances and their cards, clicks counted.

docs/ten_minutes.md says it of two of them. Each test goes on from the last. Then one appliance
comes in each of the other languages, whose pages are read on a desktop and a phone.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
import json
from pathlib import Path
import re

from playwright.async_api import Browser, Locator, Page, expect
import pytest
import pytest_asyncio
import pytest_socket

from demo.client import Client
from demo.host import Host
from demo.walk import add_hub
from tests.irhub.dialogues.air_conditioners import packet
from tests.irhub.home import FAN as RADIO, NEC, RC5
from virtual_home.hub import VirtualHub

from .chromium import PHONE, new_page
from .clicks import (
    check,
    choose,
    close,
    count_clicks,
    dialogue,
    enter,
    finish,
    leave_by,
    pick,
    pick_integration,
    select,
    submit,
    wait_until_gone,
)
from .hubs import MAY_BE_FOUND, a_hub_to_be_found
from .lacks import needs_gree
from .languages import Words, expect_readable
from .pictures import take
from .presses import BUTTONS, a_press

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

GREE = "Gree AC"
INTEGRATION = "/config/integrations/integration/irhub"
ROOM = "/home/areas-living_room"
DASHBOARD = "dashboard-remotes"
ENGLISH = Words("en")
SETTLED_MS = 2000
"""After this a card is drawn whole, and shows no more that a button was pressed."""
RADIO_MHZ = 433.92

CEILING_FAN, BLIND = "Ceiling fan", "Roller blind"

type Look = Callable[[], Awaitable[None]]
"""Looks at a page of the dialogue."""
type Walk = Callable[[Page, VirtualHub, Words, Look], Awaitable[None]]
"""Adds an appliance."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def fresh_host() -> AsyncGenerator[Host]:
    """Home Assistant as it is after its first start."""
    pytest_socket.enable_socket()
    async with Host(Path(__file__).parent / "fresh", {}) as host:
        yield host


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def client(fresh_host: Host) -> Client:
    """Return the owner of that home."""
    pytest_socket.enable_socket()
    return await fresh_host.client()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hub() -> AsyncGenerator[VirtualHub]:
    """Run the hub of the living room."""
    pytest_socket.enable_socket()
    async with a_hub_to_be_found(mac="34:EA:34:00:00:81", name="Lounge") as hub:
        yield hub


@pytest.fixture
def language() -> str:
    """Return the language of the browser; a test in others gives them."""
    return "en-GB"


@pytest_asyncio.fixture(name="page", loop_scope="session")
async def page_fixture(
    browser: Browser, fresh_host: Host, tmp_path: Path, language: str
) -> AsyncGenerator[Page]:
    """Open a page of that home, of a size that is readable in a document."""
    async with new_page(browser, fresh_host, tmp_path, locale=language) as page:
        await page.set_viewport_size({"width": 1000, "height": 640})
        yield page


@asynccontextmanager
async def few_clicks(
    page: Page, words: Words, kind: str, way: str | None = None
) -> AsyncGenerator[None]:
    """Open the dialogue that adds an appliance; what it takes is counted, to its end."""
    await page.goto(INTEGRATION)
    button = page.get_by_role("button", name=words.begin)
    await expect(button).to_be_visible()
    counted = await count_clicks(page, way or kind)
    await button.click()
    await choose(page, words.option("user", kind))
    yield
    await expect(dialogue(page)).to_contain_text(words.field("ready", "then"))
    await send(page)
    await expect(dialogue(page).locator("step-flow-create-entry")).to_be_visible()
    await send(page)
    await wait_until_gone(page, button_of(page))
    await counted()


def button_of(page: Page) -> Locator:
    """Return the button that sends the page, whatever it says."""
    return dialogue(page).locator("[slot=primaryAction]").last


async def send(page: Page) -> None:
    """Send the page."""
    await leave_by(page, button_of(page))


def name_of(kind: str, language: str) -> str:
    """Return what an appliance is called; the pictures show the English ones."""
    return {"fan en": CEILING_FAN, "cover en": BLIND}.get(name := f"{kind} {language}", name)


async def ignore() -> None:
    """Do nothing."""


async def press_as_asked(page: Page, hub: VirtualHub, presses: Sequence[bytes], total: int) -> None:
    """Press one button after the other, as the dialogue asks for them."""
    for number, press in enumerate(presses, start=1):
        await expect(dialogue(page)).to_contain_text(f"{number}/{total}")
        await hub.press_when_listening(press)


async def add_air_conditioner(page: Page, hub: VirtualHub, words: Words, look: Look) -> None:
    """Add an air conditioner by two presses."""
    async with few_clicks(page, words, "air_conditioner"):
        await look()
        await choose(page, words.option("how", "press_button"))
        await expect(dialogue(page)).to_contain_text(words.asks("press_state"))
        await look()
        await hub.press_when_listening(packet(GREE, mode="cool", temperature=24))
        second = words.option("heard", "second_state")
        await expect(dialogue(page)).to_contain_text(second)
        await look()
        await choose(page, second)
        await expect(dialogue(page)).to_contain_text("25 °C (77 °F)")
        await look()
        await hub.press_when_listening(packet(GREE, mode="cool", temperature=25))
        await expect(dialogue(page)).to_contain_text(words.field("levels", "modes"))
        await look()
        await send(page)
        await enter(page, words.field("ready", "name"), name_of("air_conditioner", words.language))
        await look()


async def add_television(page: Page, hub: VirtualHub, words: Words, look: Look) -> None:
    """Add a television that has two of the usual buttons, after a press that says nothing."""
    async with few_clicks(page, words, "television", "a television's first buttons"):
        await look()
        await choose(page, words.option("how", "press_button"))
        await expect(dialogue(page)).to_contain_text(words.asks("press_any"))
        await look()
        await hub.press_when_listening(a_press(1))
        learn = words.option("heard", "learn_remote")
        await expect(dialogue(page)).to_contain_text(learn)
        await look()
        await choose(page, learn)
        await enter(page, words.field("names", "name"), name_of("television", words.language))
        await look()
        await send(page)
        await press_as_asked(page, hub, [a_press(1), a_press(2)], BUTTONS)
        await expect(dialogue(page)).to_contain_text(f"3/{BUTTONS}")
        await look()
        await choose(page, words.option("press", "learned"))
        await expect(dialogue(page)).to_contain_text(words.field("ready", "then"))
        await look()


async def add_fan(page: Page, hub: VirtualHub, words: Words, look: Look) -> None:
    """Add a fan button by button."""
    async with few_clicks(page, words, "fan"):
        await look()
        await choose(page, words.option("how", "learn_remote"))
        await enter(page, words.field("names", "name"), name_of("fan", words.language))
        await look()
        await send(page)
        await press_as_asked(page, hub, [a_press(number) for number in range(21, 26)], 5)
        await expect(dialogue(page)).to_contain_text(words.field("ready", "then"))
        await look()


async def add_blind(page: Page, hub: VirtualHub, words: Words, look: Look) -> None:
    """Add a blind by radio: the first button is held until its frequency is found."""
    async with few_clicks(page, words, "cover"):
        await look()
        await choose(page, words.option("how", "learn_remote"))
        await enter(page, words.field("names", "name"), name_of("cover", words.language))
        kind, radio = words.field("names", "command_type"), words.choice("command_type", "rf")
        await select(page, kind, radio)
        await look()
        await send(page)
        await hub.until(lambda: hub.receiver.hold(RADIO_MHZ))
        await hub.press_when_listening(by_radio(1))
        for number in range(2, 4):
            await expect(dialogue(page)).to_contain_text(f"{number}/3")
            await look()
            await hub.press_when_listening(by_radio(number))
        await expect(dialogue(page)).to_contain_text(words.field("ready", "then"))
        await look()


def by_radio(number: int) -> bytes:
    """Return the packet of a button of the blind's remote control, another bit for each number."""
    at = 4 + 2 * number
    return RADIO[:at] + RADIO[at : at + 2][::-1] + RADIO[at + 2 :]


async def test_1_the_hub_is_added_to_its_room(page: Page, hub: VirtualHub) -> None:
    await page.goto("/config/integrations/dashboard")
    await expect(page.get_by_role("button", name="Add integration")).to_be_visible()
    counted = await count_clicks(page, "hub")
    await pick_integration(page, "Broadlink infrared remote hub")
    if MAY_BE_FOUND:
        await check(page, "Lounge · RM4 pro")
    else:
        await enter(page, "Host", f"{hub.host}:{hub.port}")
    await submit(page)
    await dialogue(page).get_by_text("Area").click()
    await dialogue(page).get_by_text("Living Room").last.click()
    await expect(dialogue(page).locator("ha-area-picker")).to_contain_text("Living Room")
    await take("ten-hub", page)
    await finish(page)
    await counted()


@needs_gree
async def test_2_two_presses_make_a_thermostat(page: Page, hub: VirtualHub) -> None:
    await page.goto(INTEGRATION)
    await expect(page.locator("ha-config-entry-row")).to_contain_text("Lounge")
    await take("ten-integration", page)
    async with few_clicks(page, ENGLISH, "air_conditioner"):
        await choose(page, "Press a button (recommended)")
        await expect(dialogue(page)).to_contain_text("cooling, 24 °C (75 °F)")
        await take("ten-press", page)
        await hub.press_when_listening(packet(GREE, mode="cool", temperature=24))
        library = "Take its protocol from Home Assistant"
        await expect(dialogue(page)).to_contain_text(library)
        await take("ten-heard", page)
        await choose(page, library)
        await expect(dialogue(page)).to_contain_text("cooling, 25 °C (77 °F)")
        await hub.press_when_listening(packet(GREE, mode="cool", temperature=25))
        await expect(dialogue(page)).to_contain_text("leave out what that does not have")
        await submit(page)
        await enter(page, "Name", "Air conditioner")
        await expect(dialogue(page)).to_contain_text("Fan mode: Auto, Low, Medium, High")
        await take("ten-appliance", page)
    await expect(page.get_by_text("Air conditioner").first).to_be_visible()


async def test_3_some_presses_make_a_television(page: Page, hub: VirtualHub) -> None:
    async with few_clicks(page, ENGLISH, "television"):
        await choose(page, "Press a button (recommended)")
        await expect(dialogue(page)).to_contain_text("press any button once")
        await hub.press_when_listening(a_press(1))
        await choose(page, "Learn it button by button")
        await enter(page, "Name", "Television")
        await dialogue(page).get_by_role("button", name="Begin").click()
        await press_as_asked(
            page, hub, [a_press(number) for number in range(1, BUTTONS + 1)], BUTTONS
        )
        await expect(dialogue(page)).to_contain_text("Power, Volume up, Volume down, Mute")
    await expect(page.get_by_text("Television").first).to_be_visible()


async def test_4_a_fan_and_a_blind_are_learned(page: Page, hub: VirtualHub) -> None:
    await add_fan(page, hub, ENGLISH, ignore)
    await add_blind(page, hub, ENGLISH, ignore)


async def test_5_all_are_in_their_room_on_the_dashboard(page: Page) -> None:
    await page.goto(ROOM)
    for name in CEILING_FAN, BLIND:
        await expect(page.locator("hui-tile-card", has_text=name)).to_be_visible()
    await expect(page.locator("hui-tile-card", has_text="Television")).to_contain_text("Unknown")


@needs_gree
async def test_5_the_thermostat_is_turned_on_there(page: Page, hub: VirtualHub) -> None:
    await page.goto(ROOM)
    air_conditioner = page.locator("hui-tile-card", has_text="Air conditioner")
    await expect(air_conditioner).to_contain_text("Unknown")
    await air_conditioner.get_by_text("Air conditioner").click(force=True)  # the tile takes it
    await page.get_by_role("button", name=re.compile("^Mode")).click()
    await page.get_by_role("menuitem", name="Cool").click()
    await hub.until(lambda: len(hub.transmitted) == 1)
    await page.keyboard.press("Escape")
    await expect(air_conditioner).to_contain_text("Cool")
    await take("ten-room", page)


async def test_6_the_remote_control_is_a_card(page: Page, hub: VirtualHub) -> None:
    await page.goto("/config/lovelace/dashboards")
    await page.get_by_role("button", name="Add dashboard").click()
    await page.get_by_text("New dashboard from scratch").click()
    await page.get_by_role("textbox", name="Title").fill("Remotes")
    create = page.get_by_role("button", name="Create")
    await create.click()
    await expect(page.get_by_role("link", name="Remotes")).to_be_visible()
    await wait_until_gone(page, create)
    await page.goto(f"/{DASHBOARD}")
    await page.get_by_role("button", name="Edit").first.click()
    await page.get_by_role("button", name="Add card").first.click()
    await page.get_by_placeholder("Search entities").fill("television")
    await page.get_by_text("Television", exact=True).last.click()
    suggested = page.get_by_role("button", name="Remote control (irhub)")
    await suggested.evaluate("(card) => card.scrollIntoView({ block: 'start' })")
    await page.wait_for_timeout(SETTLED_MS)  # a browser without a window draws it bit by bit
    await take("ten-card-picker", page)
    await suggested.click()
    await page.get_by_role("button", name="Done").click()
    before = len(hub.transmitted)
    await page.locator("irhub-remote").get_by_role("button", name="Power").click()
    await hub.until(lambda: len(hub.transmitted) > before)
    assert hub.transmitted[-1] == a_press(1)
    await page.mouse.move(0, 0)
    await page.wait_for_timeout(SETTLED_MS)
    await take("ten-card", page)


async def show_card(page: Page, client: Client, device: str) -> Locator:
    """Put the card of a device on the dashboard, in place of what was there, and show it."""
    card = {"type": "custom:irhub-remote", "device": device}
    config = {"views": [{"title": "Remotes", "cards": [card]}]}
    saved = {"type": "lovelace/config/save", "url_path": DASHBOARD, "config": config}
    await client.command(saved)
    await page.goto(f"/{DASHBOARD}/0")
    shown = page.locator("irhub-remote")
    await expect(shown.get_by_role("heading", name=device)).to_be_visible()
    return shown


@pytest.mark.parametrize(
    ("device", "button", "sent"),
    [
        pytest.param("Air conditioner", "Heat", None, marks=needs_gree),  # as its protocol says
        (CEILING_FAN, "oscillate", a_press(25)),
        (BLIND, "Close", by_radio(3)),
    ],
    ids=["air conditioner", "fan", "blind"],
)
async def test_7_the_others_have_a_card_too(
    *, page: Page, hub: VirtualHub, client: Client, device: str, button: str, sent: bytes | None
) -> None:
    await page.set_viewport_size(PHONE)
    await page.emulate_media(color_scheme="dark")
    card, before = await show_card(page, client, device), len(hub.transmitted)
    await card.get_by_role("button", name=button).or_(card.get_by_label(button)).first.click()
    await hub.until(lambda: len(hub.transmitted) > before)
    assert sent in {None, hub.transmitted[-1]}


async def test_7_a_code_file_makes_a_television(page: Page) -> None:
    async with few_clicks(page, ENGLISH, "television", "code file"):
        await choose(page, "Take a code file")
        await enter(
            page, ENGLISH.field("file", "text"), json.dumps({"Set": {"power": NEC, "mute": RC5}})
        )
        await submit(page)
        await enter(page, "Name", "Set")
        await expect(dialogue(page)).to_contain_text("Power, Mute")


@asynccontextmanager
async def configure_hub(page: Page, way: str, option: str) -> AsyncGenerator[None]:
    """Choose an option in the dialogue of the hub, and count the clicks until it is closed."""
    await page.goto(INTEGRATION)
    configure = page.locator("ha-config-entry-row").get_by_role("button", name="Configure")
    await expect(configure).to_be_visible()
    counted = await count_clicks(page, way)
    await configure.click()
    await choose(page, option)
    yield
    await choose(page, "Done")
    await close(page)
    await counted()


async def test_7_a_single_command_is_learned(page: Page, hub: VirtualHub) -> None:
    async with configure_hub(page, "a command", "Learn a single command"):
        await pick(page, "Device", "Set")
        await enter(page, "Command", "red")
        await submit(page)
        await hub.press_when_listening(a_press(40))
        await choose(page, "Keep it")
        await expect(dialogue(page)).to_contain_text("red of Set is learned")


async def test_7_a_change_is_undone(page: Page) -> None:
    async with configure_hub(page, "undo", "History: undo changes"):
        await check(page, "red")
        await submit(page)
        await choose(page, "Undo")
        await expect(dialogue(page)).to_contain_text("It is as it was before")


@asynccontextmanager
async def change_appliance(page: Page, way: str, then: str) -> AsyncGenerator[None]:
    """Choose an option on the page of an appliance, and count the clicks until it is closed."""
    await page.goto(INTEGRATION)
    row = page.locator("ha-config-sub-entry-row", has_text="Set")
    menu = row.get_by_role("button", name="Menu").first
    await expect(menu).to_be_visible()
    counted = await count_clicks(page, way)
    await row.get_by_role("button", name="Change appliance").click()
    await check(page, then)
    await send(page)
    yield
    await close(page)
    await counted()


async def test_7_an_appliance_learns_more_buttons(page: Page, hub: VirtualHub) -> None:
    async with change_appliance(page, "more buttons", ENGLISH.choice("then", "learn_remote")):
        await send(page)  # what the kind has besides is suggested
        await hub.press_when_listening(a_press(41))
        await expect(dialogue(page)).to_contain_text("2/")
        await choose(page, ENGLISH.option("press", "learned"))
        await expect(dialogue(page)).to_contain_text(ENGLISH.field("ready", "then"))
        await send(page)
        await expect(dialogue(page)).to_contain_text("was changed")


async def test_7_another_hub_controls_it(page: Page, client: Client) -> None:
    async with VirtualHub("rm4_mini", mac="34:EA:34:00:00:82", name="Attic") as other:
        await add_hub(client, other)
        await client.wait_state("remote.attic", "on")
        async with change_appliance(page, "another hub", ENGLISH.choice("then", "move")):
            await check(page, "Attic")
            await submit(page)
            await expect(dialogue(page)).to_contain_text("is controlled by Attic now")
        await client.remove_entry_of("remote.attic")  # of two hubs one is asked for


DARK = {"de", "es"}


@pytest.mark.parametrize(
    ("language", "kind", "walk"),
    [
        pytest.param("de", "air_conditioner", add_air_conditioner, marks=needs_gree),
        ("nl", "fan", add_fan),
        ("es", "cover", add_blind),
        ("fr", "television", add_television),
    ],
    ids=["de", "nl", "es", "fr"],
)
async def test_8_each_language_can_be_read(
    *, page: Page, hub: VirtualHub, client: Client, language: str, kind: str, walk: Walk
) -> None:
    await client.command({"type": "config/core/update", "language": language})
    words = Words(language)
    await page.emulate_media(color_scheme="dark" if language in DARK else "light")
    await walk(page, hub, words, partial(expect_readable, page, words))
    await show_card(page, client, name_of(kind, language))
    assert await page.evaluate(
        "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
