"""A real browser that can reach only this machine."""

import asyncio
from collections.abc import AsyncGenerator
import contextlib
from pathlib import Path
import subprocess

from playwright.async_api import Browser, Page, Route, ViewportSize, async_playwright

from demo.host import ROOT, Host

TIMEOUT_MS = 60_000  # a busy machine has taken more than 20 s to log in
DESKTOP = ViewportSize(width=1280, height=900)
PHONE = ViewportSize(width=390, height=844)
FLAGS = (
    "--no-sandbox",  # the sandbox does not run as root, nor in most containers
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


def find_chromium() -> str:
    """Return the path of a Chromium; install it if possible."""
    found = subprocess.run(
        [ROOT / "scripts" / "browser"], capture_output=True, text=True, check=False
    )
    if found.returncode:
        raise RuntimeError(found.stderr.strip())
    return found.stdout.strip()


@contextlib.asynccontextmanager
async def chromium() -> AsyncGenerator[Browser]:
    """Run a Chromium without a window."""
    path = await asyncio.to_thread(find_chromium)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield browser
        finally:
            await browser.close()


@contextlib.asynccontextmanager
async def new_page(
    browser: Browser, host: Host, pictures: Path, *, locale: str = "en-GB"
) -> AsyncGenerator[Page]:
    """Open a page in a fresh profile; save a screenshot of its last state in the folder `pictures`.

    If the test fails, pytest shows its path and the text of the page: not all machines keep files.

    No login is needed: the demo's configuration trusts this machine.
    """
    context = await browser.new_context(
        base_url=host.url,
        locale=locale,
        timezone_id="UTC",
        viewport=DESKTOP,
        reduced_motion="reduce",
    )
    context.set_default_timeout(TIMEOUT_MS)
    # Home Assistant would fetch the logos of its own integrations from the internet.
    await context.route("**/api/brands/**", _refuse_foreign_logo)
    page = await context.new_page()
    yield page
    last = pictures / "last.png"
    await page.screenshot(path=last)
    shown = await page.locator("body").aria_snapshot()
    print(f"What the browser showed last, {page.url}: {last}\n{shown}")  # noqa: T201
    await context.close()


async def _refuse_foreign_logo(route: Route) -> None:
    domain = route.request.url.split("/")[-2]
    if (ROOT / "custom_components" / domain / "brand").is_dir():
        await route.continue_()
    else:
        await route.abort()
