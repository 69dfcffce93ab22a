"""The pages of the dialogues can be used by everybody: axe-core finds nothing in what is ours.

Each way opens pages one after the other, and each page is looked at in both themes. What a click
would send is sent as the frontend does it, which then draws what follows: that pages can be clicked
others test.
"""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
import json
from typing import Any, Final

from playwright.async_api import Page
import pytest
import pytest_asyncio
import pytest_socket

from demo.client import Client
from demo.walk import add_hub
from tests.irhub.home import NEC, RC5
from virtual_home.hub import VirtualHub

from .accessibility import violations_of_dialogue
from .test_learn_remote import a_press

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

type Json = dict[str, Any]
type Answers = str | Mapping[str, Any] | Callable[[Json], Mapping[str, Any]] | None
"""An option of a menu, what a form is answered, or None where the hub hears a press."""
type Way = Sequence[tuple[Answers, str]]
"""Answers, each with the page that it leads to: its step, or the reason of the end."""

HOME_ASSISTANTS: Final = {"color-contrast": ("ha-selector", "ha-input", "ha-markdown")}
"""A rule of axe-core → Home Assistant's own elements that break it: in its dark theme fields have
labels and hints that are too faint, in its light theme links have."""
INTEGRATION = "/config/integrations/integration/irhub"
SHOWN = """(name) => {
  const home = document.querySelector("home-assistant").shadowRoot;
  const root = home.querySelector("dialog-data-entry-flow")?.shadowRoot;
  const shown = root?.querySelector("step-flow-form, step-flow-menu, step-flow-progress,"
    + " step-flow-abort, step-flow-create-entry")?.step;
  return shown?.step_id === name || shown?.reason === name ? shown : null;
}"""
"""What the frontend shows, once that is a page."""
SEND = """async ([path, answers]) => {
  const home = document.querySelector("home-assistant");
  const dialog = home.shadowRoot.querySelector("dialog-data-entry-flow");
  const step = await home.hass.callApi("POST", `config/config_entries/${path}`, answers);
  dialog.dispatchEvent(new CustomEvent("flow-update", { detail: { step } }));
}"""
"""Sends an answer, and has the frontend draw what follows, as its own buttons do."""
END = """(path) => document.querySelector("home-assistant").hass.callApi(
  "DELETE", `config/config_entries/${path}`
)"""
LOOK_AGAIN_MS = 500
MOST_LOOKS = 20
DARK = "(dark) => document.querySelector('home-assistant').hass.themes.darkMode === dark"


def first(field: str, *, several: bool = False) -> Callable[[Json], Mapping[str, Any]]:
    """Return what chooses the first that a field offers."""

    def answer(step: Json) -> Mapping[str, Any]:
        [schema] = [each for each in step["data_schema"] if each["name"] == field]
        option = schema["selector"]["select"]["options"][0]
        chosen = option if isinstance(option, str) else option["value"]
        return {field: [chosen] if several else chosen}

    return answer


OF_THE_HUB: Mapping[str, Way] = {
    "learn": (
        ("learn", "learn"),
        ({"device": "tv", "command": "power", "command_type": "ir", "alternative": False}, "taken"),
        ("listen", "listen"),
        (None, "heard"),
        ("try_heard", "tried_heard"),
        ("keep", "kept"),
        ("init", "init"),
    ),
    "last_heard": (
        ("last_heard", "last_heard"),
        (None, "last_heard"),
        ("keep_heard", "keep_heard"),
        ({"press": "0", "device": "tv", "command": "kept"}, "kept_heard"),
    ),
    "try_command": (
        ("try_command", "try_command"),
        ({"device": "tv"}, "try_which"),
        ({"command": "power"}, "tried"),
    ),
    "follow": (("follow", "follow"),),
    "emitter": (("emitter", "emitter"), ({"device": "tv"}, "which_emitter")),
    "rename": (
        ("rename", "rename"),
        ({"device": "tv"}, "rename_which"),
        ({}, "new_name"),
        ({"device": "set"}, "renamed"),
    ),
    "delete": (
        ("delete", "delete"),
        ({"device": "radio"}, "delete_which"),
        ({"whole": True}, "confirm_delete"),
        ("delete_now", "deleted"),
        ("init", "init"),
        ("restore", "restore"),
        (first("deleted", several=True), "restored"),
    ),
    "history": (
        ("history", "history"),
        (first("change"), "undo"),
        ("undo_now", "undone"),
    ),
    "import_codes": (
        ("import_codes", "import_codes"),
        ({"text": json.dumps({"lamp": {"on": NEC}})}, "preview"),
        ("import_now", "imported"),
    ),
    "export_codes": (("export_codes", "export_codes"),),
    "share": (("share", "share"), ({"format": "flipper"}, "shared")),
    "settings": (("settings", "settings"),),
}
"""From what a hub's own dialogue shows first, by the option."""

FILE = json.dumps({"television": {"power": NEC, "mute": RC5, "red": NEC}})
OF_AN_APPLIANCE: Mapping[str, Way] = {
    "a file": (
        ("television", "how"),
        ("file", "file"),
        ({"text": FILE}, "ready"),
        ({"name": "TV", "then": "functions"}, "functions"),
        ({"toggle": "power"}, "ready"),
        ({"name": "TV", "then": "try_it"}, "try_it"),
        ({"command": "power"}, "ready"),
        ({"name": "TV", "then": "kind"}, "kind"),
        ({"kind": "television"}, "ready"),
        ({"name": "TV", "more": {"buttons": "chosen"}, "then": "finish"}, "buttons"),
    ),
    "a press": (
        ("television", "how"),
        ("press_button", "press_button"),
        (None, "heard"),
        ("learn_remote", "names"),
        ({"name": "Set", "buttons": ["power", "mute"], "command_type": "ir"}, "press"),
        ("skip", "press"),
        (None, "ready"),
    ),
    "which file": (
        ("television", "how"),
        ("press_button", "press_button"),
        (None, "heard"),
        ("which_file", "which_file"),
        ({}, "hear"),
        (None, "fits_none"),
    ),
    "known commands": (("other", "how"), ("commands", "commands")),
    "a collection": (
        ("air_conditioner", "how"),
        ("maker_and_model", "maker_and_model"),
        (first("model"), "consent"),
    ),
    "a lesson": (
        ("air_conditioner", "how"),
        ("press_button", "press_button"),
        (None, "heard"),
        ("teach", "teach"),
        (
            {
                "modes": ["cool"],
                "fans": ["auto", "low"],
                "lowest": 20,
                "highest": 22,
                "unit": "celsius",
                "step": "1",
            },
            "ask",
        ),
        ("no_such_button", "lacks"),
        ("ask_on", "ask"),
        ("taught", "not_taught"),
    ),
}
"""From what *Add appliance* shows first, by what the commands come from."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hub(client: Client) -> AsyncGenerator[VirtualHub]:
    """Run a hub with two devices that are no appliances."""
    pytest_socket.enable_socket()  # made before a test's own fixtures
    async with VirtualHub("rm4_pro", mac="34:EA:34:00:00:7A", name="Porch") as hub:
        await add_hub(client, hub)
        await client.wait_state("remote.porch", "on")
        codes = {"tv": {"power": NEC, "mute": RC5}, "radio": {"power": RC5}}
        data = {"entity_id": "remote.porch", "codes": codes}
        await client.call("irhub.import_codes", data, response=True)
        yield hub


class Walk:
    """Goes ways in a dialogue that is open in the browser."""

    def __init__(self, page: Page, hub: VirtualHub, flows: str, first: Json) -> None:
        self._page = page
        self._hub = hub
        self._flows = flows
        self._first = first
        """What its first page is begun with."""
        self._step: Json = {}
        self._presses = 0
        self.seen: set[str] = set()
        """The pages that were looked at."""
        self.wrong: list[str] = []
        """What axe has found, with the page and the theme."""

    async def go(self, way: Way, first: str) -> None:
        """Begin anew, and look at each page of a way."""
        await self._send(self._flows, self._first)
        await self._look(first)
        for answers, name in way:
            if answers is None:
                self._presses += 1
                await self._hub.press_when_listening(a_press(self._presses))
            else:
                await self._answer(answers)
            await self._look(name)
        if "flow_id" in self._step and self._step["type"] not in ("abort", "create_entry"):
            path = f"config/config_entries/{self._flows}/{self._step['flow_id']}"
            delete = (
                "(path) => document.querySelector('home-assistant').hass.callApi('DELETE', path)"
            )
            await self._page.evaluate(delete, path)

    async def _answer(self, answers: Answers) -> None:
        if isinstance(answers, str):
            for _ in range(MOST_LOOKS):
                if answers in self._step["menu_options"]:
                    break  # the hub has heard it
                await self._page.wait_for_timeout(LOOK_AGAIN_MS)
                name = self._step["step_id"]
                await self._send(self._path, {"next_step_id": name})
                await self._look(name)
            answers = {"next_step_id": answers}
        elif callable(answers):
            answers = answers(self._step)
        await self._send(self._path, dict(answers or {}))

    @property
    def _path(self) -> str:
        return f"{self._flows}/{self._step['flow_id']}"

    async def _send(self, path: str, answers: Json) -> None:
        await self._page.evaluate(SEND, [path, answers])

    async def _look(self, name: str) -> None:
        """Wait for a page, and look at it in both themes, unless that was done."""
        shown = await self._page.wait_for_function(SHOWN, arg=name)
        self._step = await shown.json_value()
        if name in self.seen:
            return
        self.seen.add(name)
        for scheme in ("light", "dark"):
            await self._page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            await self._page.wait_for_function(DARK, arg=scheme == "dark")
            found = await violations_of_dialogue(self._page, without=HOME_ASSISTANTS)
            self.wrong += [f"{name}, {scheme}: {violation}" for violation in found]


async def entry_id(client: Client) -> str:
    """Return the id of the hub's entry."""
    command = {"type": "config/entity_registry/get", "entity_id": "remote.porch"}
    return str((await client.command(command))["config_entry_id"])


async def test_the_pages_of_a_hub(page: Page, hub: VirtualHub, client: Client) -> None:
    await page.goto(INTEGRATION)
    row = page.locator("ha-config-entry-row", has_text=hub.name)
    await row.get_by_role("button", name="Configure").click()
    await page.wait_for_function(SHOWN, arg="init")
    walk = Walk(page, hub, "options/flow", {"handler": await entry_id(client)})
    for way in OF_THE_HUB.values():
        await walk.go(way, "init")
    assert walk.wrong == []


async def test_the_pages_of_an_appliance(page: Page, hub: VirtualHub, client: Client) -> None:
    await page.goto(INTEGRATION)
    await page.get_by_role("button", name="Add appliance").click()
    if await page.locator("ha-config-entry-row").count() > 1:  # left by another test
        await page.locator("dialog-pick-config-entry").get_by_text(hub.name).click()
    await page.wait_for_function(SHOWN, arg="user")
    handler = [await entry_id(client), "appliance"]
    walk = Walk(page, hub, "subentries/flow", {"handler": handler})
    for way in OF_AN_APPLIANCE.values():
        await walk.go(way, "user")
    assert walk.wrong == []
