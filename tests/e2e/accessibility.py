"""What keeps people from using a page, as axe-core finds it."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]
from playwright.async_api import Page

RULES: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
"""The standard that law asks for."""


async def violations(page: Page, within: str, *, without: tuple[str, ...] = ()) -> list[str]:
    """Return what axe finds within an element, in its parts that are not Home Assistant's."""
    options = {"resultTypes": ["violations"], "runOnly": {"type": "tag", "values": RULES}}
    found = await Axe().run(page, options=options)
    return [
        f"{violation['id']}: {node['html'][:200]} ({_path(node)}) {node['failureSummary']}"
        for violation in found.response["violations"]
        for node in violation["nodes"]
        if within in _path(node) and not any(part in _path(node) for part in without)
    ]


async def violations_of_dialogue(
    page: Page, *, without: Mapping[str, Collection[str]]
) -> list[str]:
    """Return what axe finds in the dialogue on the screen, and nowhere else.

    `without` are Home Assistant's own, by the rule: the elements in which it is broken.
    """
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(Axe().axe_script)
    options = {"resultTypes": ["violations"], "runOnly": {"type": "tag", "values": RULES}}
    found = await page.evaluate(
        "([within, options]) => axe.run({ fromShadowDom: within }, options)",
        [["home-assistant", "dialog-data-entry-flow"], options],
    )
    return [
        f"{violation['id']}: {node['html'][:200]} ({_path(node)}) {node['failureSummary']}"
        for violation in found["violations"]
        for node in violation["nodes"]
        if not any(part in _path(node) for part in without.get(violation["id"], ()))
    ]


def _path(node: dict[str, Any]) -> str:
    """Return where an element is: selectors, through the shadow roots around it."""
    parts = (part if isinstance(part, list) else [part] for part in node["target"])
    return " > ".join(selector for part in parts for selector in part)
