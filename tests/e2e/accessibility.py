"""Accessibility violations of a page, found by axe-core."""

from typing import Any, Final

from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]
from playwright.async_api import Page

type Violations = list[dict[str, Any]]
"""As returned by axe-core: each with its rule and the elements that violate it."""

RULES: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
"""The standard that is required by law."""
OF_HOME_ASSISTANT: Final = {
    "color-contrast": (
        "ha-selector",
        "ha-input",
        "ha-markdown",
        "ha-area-picker",
        "dialog-repairs-issue-subtitle",
    ),
    "aria-valid-attr-value": ("ha-expansion-panel",),
    "aria-input-field-name": ("ha-generic-picker",),
    "scrollable-region-focusable": ("ha-dialog",),
}
"""A rule of axe-core → Home Assistant's own elements that violate it: in its dark theme fields have
labels and hints that are too faint, in its light theme links and the word *Warning* are; an open
panel refers to an element that is not there; the list of an open picker has no name; a long
menu scrolls with its items, not by itself."""
DIALOGUE: Final = ["home-assistant", "dialog-data-entry-flow"]
OPTIONS: Final = {"resultTypes": ["violations"], "runOnly": {"type": "tag", "values": RULES}}
SHOWN: Final = """() => {
  const home = document.querySelector("home-assistant").shadowRoot;
  const dialog = home.querySelector("dialog-data-entry-flow")?.shadowRoot;
  const step = dialog?.querySelector("step-flow-form, step-flow-menu, step-flow-progress,"
    + " step-flow-abort, step-flow-create-entry")?.step;
  return step && `${[step.handler].flat().at(-1)} ${step.step_id ?? step.reason ?? step.type}`;
}"""
"""Expression for the name of the page of a dialogue: its handler and its step."""
MOST_LOOKS, AGAIN_MS = 5, 500
_LOOKED_AT: Final[set[str]] = set()
"""The pages without violations, in all tests of this process."""


async def violations(page: Page, within: str, *, without: tuple[str, ...] = ()) -> list[str]:
    """Return the violations within an element, except those of Home Assistant's own elements."""
    found = await Axe().run(page, options=OPTIONS)
    return [
        f"{violation['id']}: {node['html'][:200]} ({_path(node)}) {node['failureSummary']}"
        for violation in found.response["violations"]
        for node in violation["nodes"]
        if within in _path(node) and not any(part in _path(node) for part in without)
    ]


async def violations_of_dialogue(page: Page) -> list[str]:
    """Return the violations in the open dialogue only."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(Axe().axe_script)
    found = await page.evaluate(
        "([within, options]) => axe.run({ fromShadowDom: within }, options)", [DIALOGUE, OPTIONS]
    )
    return _described(found["violations"])


async def look_at_dialogue(page: Page) -> None:
    """Raise AssertionError if axe finds violations in the page of a dialogue.

    Each page is checked once, and again while it is still being drawn.
    """
    name = await page.evaluate(SHOWN)
    if name is None or name in _LOOKED_AT:
        return
    looks = 0
    while wrong := await violations_of_dialogue(page):
        looks += 1
        assert looks < MOST_LOOKS, f"axe finds in {name}: {wrong}"
        await page.wait_for_timeout(AGAIN_MS)
        if await page.evaluate(SHOWN) != name:
            return  # the dialogue continued by itself
    _LOOKED_AT.add(name)


def _described(violations: Violations) -> list[str]:
    return [
        f"{violation['id']}: {node['html'][:200]} ({_path(node)}) {node['failureSummary']}"
        for violation in violations
        for node in violation["nodes"]
        if not any(part in _path(node) for part in OF_HOME_ASSISTANT.get(violation["id"], ()))
    ]


def _path(node: dict[str, Any]) -> str:
    """Return the path of an element: selectors, through the surrounding shadow roots."""
    parts = (part if isinstance(part, list) else [part] for part in node["target"])
    return " > ".join(selector for part in parts for selector in part)
