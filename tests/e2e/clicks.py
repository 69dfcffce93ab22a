"""What users click in any integration's dialogues."""

from playwright.async_api import Locator, Page


def dialogue(page: Page) -> Locator:
    """Return the dialogue on the screen."""
    return page.locator("dialog-data-entry-flow")


async def add_integration(page: Page, name: str) -> None:
    """Open the dialogue that adds an integration."""
    await page.goto("/config/integrations/dashboard")
    await page.get_by_role("button", name="Add integration").click()
    await page.get_by_placeholder("Search for a brand name").fill(name)
    await page.get_by_text(name).last.click()


async def submit(page: Page) -> None:
    """Send the form."""
    await dialogue(page).get_by_role("button", name="Submit").click()


async def finish(page: Page) -> None:
    """Close the dialogue when it has done its work."""
    await dialogue(page).get_by_role("button", name="Finish").click()
