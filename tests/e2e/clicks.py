"""Clicks of users in the dialogues of any integration."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from playwright.async_api import Locator, Page, TimeoutError as NotSeen, expect

from .accessibility import look_at_dialogue

CLICKS_AT_MOST: Final = 5
TAKES_EFFECT_MS: Final = 10_000
SLACK: Final = 3
"""Allowed factor on the time of a task on a quiet machine: other tests run in parallel."""


@dataclass(frozen=True, kw_only=True)
class Way:
    """The maximum effort of a task."""

    clicks: int
    """Without the presses of a remote control."""
    seconds: int
    """Seconds, on a quiet machine."""


WAYS: Final[Mapping[str, Way]] = {
    "hub": Way(clicks=7, seconds=10),
    "air_conditioner": Way(clicks=7, seconds=10),
    "television": Way(clicks=7, seconds=30),
    "a television's first buttons": Way(clicks=8, seconds=10),
    "fan": Way(clicks=6, seconds=10),
    "fan of one of several hubs": Way(clicks=7, seconds=10),
    "cover": Way(clicks=8, seconds=10),
    "code file": Way(clicks=6, seconds=5),
    "a phone's television": Way(clicks=16, seconds=50),
    "a command": Way(clicks=8, seconds=10),
    "more buttons": Way(clicks=7, seconds=10),
    "another hub": Way(clicks=6, seconds=5),
    "undo": Way(clicks=7, seconds=5),
}
"""Tasks of users. Needing more clicks or time than before is a fault."""


def dialogue(page: Page) -> Locator:
    """Return the dialogue on the screen."""
    return page.locator("dialog-data-entry-flow")


async def add_integration(page: Page, name: str) -> None:
    """Open the dialogue that adds an integration."""
    await page.goto("/config/integrations/dashboard")
    await pick_integration(page, name)


async def pick_integration(page: Page, name: str) -> None:
    """Open that dialogue from the page of all integrations."""
    await page.get_by_role("button", name="Add integration").click()
    added = page.locator("dialog-add-integration")  # the page below lists the integrations, too
    await added.get_by_placeholder("Search for a brand name").fill(name)
    await added.get_by_text(name).last.click()


async def submit(page: Page) -> None:
    """Send the form."""
    await leave_by(page, dialogue(page).get_by_role("button", name="Submit"))


async def go_on(page: Page) -> None:
    """Submit the page of a device, with *Done* unless another next step is given."""
    await leave_by(page, dialogue(page).get_by_role("button", name="Go on"))


async def finish(page: Page) -> None:
    """Close the dialogue when it has finished, and wait until it is gone."""
    button = dialogue(page).get_by_role("button", name="finish")  # or "Skip and finish"
    await leave_by(page, button)
    await wait_until_gone(page, button)


async def close(page: Page) -> None:
    """Close the dialogue that reports its result, and wait until it is gone."""
    button = dialogue(page).get_by_role("button", name="Close").last
    await leave_by(page, button)
    await wait_until_gone(page, button)


async def wait_until_gone(page: Page, button: Locator) -> None:
    """Wait until a dialog of Home Assistant is gone, and the `button` that closed it.

    A hidden dialog goes back in the browser's history, possibly much later, which stops
    a page that is loading then.
    """
    await expect(button).to_be_hidden()
    await page.wait_for_function("() => !history.state?.dialog")


async def enter(page: Page, field: str, text: str) -> None:
    """Fill in a field of the form."""
    await dialogue(page).get_by_role("textbox", name=field).fill(text)


async def choose(page: Page, option: str) -> None:
    """Choose from the menu."""
    await leave_by(page, dialogue(page).get_by_text(option, exact=True))


async def leave_by(page: Page, by: Locator) -> None:
    """Click the control that leads to the next page, after checking the page with axe."""
    await by.wait_for()
    await look_at_dialogue(page)
    await by.click()


def selected(page: Page, field: str) -> Locator:
    """Return a field that opens a list of its own."""
    return dialogue(page).locator("ha-selector-select", has_text=field)


async def select(page: Page, field: str, option: str) -> None:
    """Choose from the list of a field."""
    await selected(page, field).locator("ha-select").click()
    await choose(page, option)
    await expect(selected(page, field)).to_contain_text(option)


async def check(page: Page, option: str) -> None:
    """Choose a radio button: a list that is still being set up drops the first click."""
    radio = dialogue(page).get_by_role("radio", name=option).first
    for _ in range(CLICKS_AT_MOST):
        await radio.click()
        with suppress(AssertionError):
            await expect(radio).to_be_checked(timeout=TAKES_EFFECT_MS)
            return
    raise AssertionError(f"{CLICKS_AT_MOST} clicks did not choose {option}")


async def pick(page: Page, field: str, name: str, *, new: bool = False) -> None:
    """Choose from a drop-down list by typing, or add a `new` name.

    All elements are located in the field, since a closing menu and the page below have
    texts and a search of their own. The choice takes effect when the list is gone.
    """
    picker = dialogue(page).locator("ha-generic-picker", has_text=field)
    search = picker.get_by_placeholder("Search")
    await open_list(picker, search)
    await search.fill(name)
    offered = picker.get_by_text("Add custom item") if new else picker.get_by_text(name, exact=True)
    await offered.last.click()
    await expect(search).to_be_hidden()
    await expect(picker).to_contain_text(name)


async def open_list(picker: Locator, search: Locator) -> None:
    """Click until the list is open: a list that moves while it opens drops the first click."""
    for _ in range(CLICKS_AT_MOST):
        await picker.click()
        with suppress(NotSeen):
            await search.wait_for(timeout=TAKES_EFFECT_MS)
            return
    raise AssertionError(f"{CLICKS_AT_MOST} clicks opened no list")


async def count_clicks(page: Page, way: str) -> Callable[[], Awaitable[None]]:
    """Count the clicks of a task from now on, until the page is reloaded.

    Return a function to call at its end, which fails if there were more than in `WAYS`, or if it
    took much longer.
    """
    await page.evaluate(
        "() => { window.clicks = 0;"
        " document.addEventListener('click', (e) => { window.clicks += e.isTrusted; }, true); }"
    )
    loop = asyncio.get_running_loop()
    began = loop.time()

    async def counted() -> None:
        clicks, took = int(await page.evaluate("window.clicks")), loop.time() - began
        print(f"{way}: {clicks} clicks, {took:.0f} s")  # noqa: T201  (measured)
        assert clicks <= WAYS[way].clicks
        assert took < SLACK * WAYS[way].seconds

    return counted


async def upload(page: Page, name: str, content: bytes) -> None:
    """Choose a file of this computer in the form, and wait until it is uploaded."""
    field = dialogue(page).locator("ha-file-upload")
    async with page.expect_response("**/api/file_upload") as answer:
        await field.locator("input[type=file]").set_input_files(
            {"name": name, "mimeType": "application/octet-stream", "buffer": content}
        )
    assert (await answer.value).ok
    await expect(field).to_contain_text(name)
    await expect(field).not_to_contain_text("Uploading")
