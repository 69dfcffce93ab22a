"""The README's pictures, taken by the tests when `PICTURES` is set in the environment.

PICTURES=1 scripts/test --e2e
"""

import os

from playwright.async_api import Locator, Page

from demo.host import ROOT

FOLDER = ROOT / "docs" / "pictures"


async def take(name: str, shown: Page | Locator) -> None:
    """Save a screenshot as docs/pictures/NAME.png, if `PICTURES` is set."""
    if os.environ.get("PICTURES"):
        await shown.screenshot(path=FOLDER / f"{name}.png", animations="disabled", caret="hide")
