"""The pages of the dialogues can be used by everybody: axe-core finds nothing in what is ours.

Each way opens pages one after the other, and each page is looked at in both themes. What a click
would send is sent as the frontend does it, which then draws what follows: that pages can be clicked
others test.
"""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
import contextlib
from enum import Enum, auto
import json
from typing import Any, Final, Literal

from playwright.async_api import Page, TimeoutError as NotSeen
import pytest
import pytest_asyncio
import pytest_socket

from benchmarks.virtual_remotes import VirtualRemote
from custom_components.irhub.ircodes import State
from demo.client import Client
from demo.walk import add_hub
from tests.irhub.dialogues.air_conditioners import packet
from tests.irhub.home import FAN, NEC, RC5
from virtual_home.hub import VirtualHub

from .accessibility import violations_of_dialogue
from .clicks import add_integration
from .hubs import MAY_BE_FOUND, a_hub_to_be_found, wait_until_none_is_found
from .lacks import needs_gree
from .presses import a_press

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

type Json = dict[str, Any]
type Answers = str | Mapping[str, Any] | Callable[[Json], Mapping[str, Any]] | bytes | Meanwhile
"""An option of a menu, what a form is answered, or what the hub hears."""
type Way = Sequence[tuple[Answers, str]]
"""Answers, each with the page that it leads to: its step, or the reason of the end."""


class Meanwhile(Enum):
    """What happens while a page is there that needs no answer."""

    PRESS = auto()
    """The hub hears a button that was not pressed before."""
    NOTHING = auto()


INTEGRATION = "/config/integrations/integration/irhub"
SHOWN = """(names) => {
  const home = document.querySelector("home-assistant").shadowRoot;
  const root = home.querySelector("dialog-data-entry-flow")?.shadowRoot;
  const shown = root?.querySelector("step-flow-form, step-flow-menu, step-flow-progress,"
    + " step-flow-abort, step-flow-create-entry")?.step;
  const is = [shown?.step_id, shown?.reason, shown?.type];
  return names.some((name) => is.includes(name)) ? shown : null;
}"""
"""What the frontend shows, once that is one of some pages."""
SEND = """async ([path, answers]) => {
  const home = document.querySelector("home-assistant");
  const dialog = home.shadowRoot.querySelector("dialog-data-entry-flow");
  const step = await home.hass.callApi("POST", `config/config_entries/${path}`, answers);
  dialog.dispatchEvent(new CustomEvent("flow-update", { detail: { step } }));
}"""
"""Sends an answer, and has the frontend draw what follows, as its own buttons do."""
PRESS, NOTHING = Meanwhile
END = """(path) => document.querySelector("home-assistant").hass.callApi(
  "DELETE", `config/config_entries/${path}`
)"""
LOOK_AGAIN_MS = 500
MOST_LOOKS = 20
DARK = "(dark) => document.querySelector('home-assistant').hass.themes.darkMode === dark"
THEME = """() => [
  matchMedia("(prefers-color-scheme: dark)").matches,
  document.querySelector("home-assistant").hass.themes.darkMode,
  document.querySelector("home-assistant").hass.selectedTheme,
]"""
"""What the browser prefers, what the frontend draws, and what was chosen in the profile."""
THEME_MS = 10_000
MOST_CHANGES_OF_THEME = 3


def first_option(field: str, *, several: bool = False) -> Callable[[Json], Mapping[str, Any]]:
    """Return an answer that chooses the first option of a field."""

    def answer(step: Json) -> Mapping[str, Any]:
        [schema] = [each for each in step["data_schema"] if each["name"] == field]
        option = schema["selector"]["select"]["options"][0]
        chosen = option if isinstance(option, str) else option["value"]
        return {field: [chosen] if several else chosen}

    return answer


def suggested_values(step: Json) -> Mapping[str, Any]:
    """Return the suggested values of a form."""
    descriptions = {field["name"]: field.get("description") or {} for field in step["data_schema"]}
    return {
        name: description["suggested_value"]
        for name, description in descriptions.items()
        if "suggested_value" in description
    }


def all_options(step: Json) -> Mapping[str, Any]:
    """Return an answer that chooses all options of all lists of a form."""
    return {
        field["name"]: [option["value"] for option in field["selector"]["select"]["options"]]
        for field in step["data_schema"]
    }


OF_THE_HUB: Mapping[str, Way] = {
    "learn": (
        ("learn", "learn"),
        ({"device": "tv", "command": "power", "command_type": "ir", "alternative": False}, "taken"),
        ("listen", "listen"),
        (PRESS, "heard"),
        ("try_heard", "tried_heard"),
        ("keep", "kept"),
        ("init", "init"),
    ),
    "last_heard": (
        ("last_heard", "last_heard"),
        (PRESS, "last_heard"),
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
        (first_option("deleted", several=True), "restored"),
    ),
    "history": (
        ("history", "history"),
        (first_option("change"), "undo"),
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

CODES: Final = {"power": NEC, "mute": RC5, "red": NEC, "blind": FAN.hex()}
"""Of a television, and one by radio."""
FILE = json.dumps({"television": CODES})
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
        ({"buttons": ["red"]}, "ready"),
        ({"name": "TV", "then": "finish"}, "create_entry"),
    ),
    "a press": (
        ("television", "how"),
        ("press_button", "press_button"),
        (PRESS, "heard"),
        ("learn_remote", "names"),
        ({"name": "Set", "buttons": ["power", "mute"], "command_type": "ir"}, "press"),
        ("skip", "press"),
        (PRESS, "ready"),
    ),
    "which file": (
        ("television", "how"),
        ("press_button", "press_button"),
        (PRESS, "heard"),
        ("which_file", "which_file"),
        ({}, "hear"),
        (PRESS, "fits_none"),
    ),
    "known commands": (("other", "how"), ("commands", "commands")),
    "a collection": (
        ("air_conditioner", "how"),
        ("maker_and_model", "maker_and_model"),
        (first_option("model"), "consent"),
    ),
    "a lesson": (
        ("air_conditioner", "how"),
        ("press_button", "press_button"),
        (PRESS, "heard"),
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

GREE = "Gree AC"
OF_A_PROTOCOL: Way = (
    ("air_conditioner", "how"),
    ("press_button", "press_button"),
    (packet(GREE, mode="cool", temperature=24), "heard"),
    ("second_state", "hear_state"),
    (packet(GREE, mode="cool", temperature=25), "levels"),
    (all_options, "ready"),
    ({"name": "AC", "then": "own_off"}, "own_off"),
    (a_press(30), "ready"),
)
"""The two presses that prove a protocol."""

COOLIX: Final = VirtualRemote("COOLIX")


def coolix(mode: str, degrees: float) -> bytes:
    """Return what a remote control of a known protocol sends."""
    levels = {"preset": "none", "fan": "auto", "swing": "off"}
    return COOLIX.packet(State(mode=mode, temperature=degrees, **levels))


OF_A_KNOWN_ONE: Way = (
    ("air_conditioner", "how"),
    ("press_button", "press_button"),
    (coolix("cool", 24), "heard"),
    ("known_state", "known_state"),
    (coolix("cool", 24), "known_heard"),
    ("known_state", "known_state"),
    (coolix("heat", 22), "ready"),
    ({"name": "Known", "then": "finish"}, "create_entry"),
)
CHANGES_OF_A_KNOWN_ONE: Mapping[str, Way] = {
    "a state": (
        ({"then": "press_state"}, "which_state"),
        (suggested_values, "press_state"),
        (coolix("heat", 22), "other_heard"),
        ("which_state", "which_state"),
    ),
    "more": (({"then": "teach_more"}, "not_kept"),),
}

CHANGES: Mapping[str, Way] = {
    "buttons": (
        ({"then": "learn_remote"}, "names"),
        ({"buttons": ["info"], "command_type": "ir"}, "press"),
        (PRESS, "ready"),
    ),
    "another way": (
        ({"then": "another_way"}, "how"),
        ("file", "file"),
        ({"text": FILE}, "ready"),
    ),
    "kind": (({"then": "kind"}, "kind"), ({"kind": "receiver"}, "ready")),
    "hub": (
        ({"then": "move"}, "move"),
        (first_option("hub"), "move_in_part"),
        ("move_now", "moved"),
    ),
}
"""From the page of an appliance that is there; the last one leaves the hub."""


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
            if answers is PRESS:
                self._presses += 1
                await self._hub.press_when_listening(a_press(self._presses))
            elif isinstance(answers, bytes):
                await self._hub.press_when_listening(answers)
            elif answers is not NOTHING:
                await self._answer(answers)
            await self._look(name)
        if self._step["type"] not in ("abort", "create_entry"):
            await self._page.evaluate(END, self._path)

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
        assert isinstance(answers, Mapping)
        await self._send(self._path, {**answers})

    @property
    def _path(self) -> str:
        return f"{self._flows}/{self._step['flow_id']}"

    async def _send(self, path: str, answers: Json) -> None:
        await self._page.evaluate(SEND, [path, answers])

    async def _look(self, name: str) -> None:
        """Wait for a page, and look at it in both themes, unless that was done."""
        shown = await self._page.wait_for_function(SHOWN, arg=[name])
        self._step = await shown.json_value()
        if name in self.seen:
            return
        self.seen.add(name)
        for scheme in ("light", "dark"):
            await set_theme(self._page, dark=scheme == "dark")
            found = await violations_of_dialogue(self._page)
            self.wrong += [f"{name}, {scheme}: {violation}" for violation in found]


async def set_theme(page: Page, *, dark: bool) -> None:
    """Wait until the frontend draws in a theme.

    It follows an event of the browser, which has been lost once. The other theme and back is
    another event.
    """
    schemes: Sequence[Literal["light", "dark"]] = ("light", "dark") if dark else ("dark", "light")
    other, wanted = schemes
    for _ in range(MOST_CHANGES_OF_THEME):
        await page.emulate_media(color_scheme=wanted, reduced_motion="reduce")
        with contextlib.suppress(NotSeen):
            await page.wait_for_function(DARK, arg=dark, timeout=THEME_MS)
            return
        await page.emulate_media(color_scheme=other, reduced_motion="reduce")
        await page.wait_for_timeout(LOOK_AGAIN_MS)  # or the browser sees no change at all
    pytest.fail(f"the theme does not become {wanted}: {await page.evaluate(THEME)}")


async def entry_id(client: Client, remote: str = "remote.porch") -> str:
    """Return the id of a hub's entry."""
    command = {"type": "config/entity_registry/get", "entity_id": remote}
    return str((await client.command(command))["config_entry_id"])


async def begin_appliance(page: Page, hub: VirtualHub) -> None:
    """Open the dialogue that adds an appliance."""
    await page.goto(INTEGRATION)
    await page.get_by_role("button", name="Add appliance").click()
    if await page.locator("ha-config-entry-row").count() > 1:  # left by another test
        await page.locator("dialog-pick-config-entry").get_by_text(hub.name).click()
    await page.wait_for_function(SHOWN, arg=["user"])


async def test_the_pages_of_a_hub(page: Page, hub: VirtualHub, client: Client) -> None:
    await page.goto(INTEGRATION)
    row = page.locator("ha-config-entry-row", has_text=hub.name)
    await row.get_by_role("button", name="Configure").click()
    await page.wait_for_function(SHOWN, arg=["init"])
    walk = Walk(page, hub, "options/flow", {"handler": await entry_id(client)})
    for way in OF_THE_HUB.values():
        await walk.go(way, "init")
    assert walk.wrong == []


async def test_the_pages_of_an_appliance(page: Page, hub: VirtualHub, client: Client) -> None:
    await begin_appliance(page, hub)
    walk = Walk(page, hub, "subentries/flow", {"handler": [await entry_id(client), "appliance"]})
    for way in OF_AN_APPLIANCE.values():
        await walk.go(way, "user")
    assert walk.wrong == []


async def test_the_pages_of_a_known_air_conditioner(
    page: Page, hub: VirtualHub, client: Client
) -> None:
    await begin_appliance(page, hub)
    entry = await entry_id(client)
    walk = Walk(page, hub, "subentries/flow", {"handler": [entry, "appliance"]})
    await walk.go(OF_A_KNOWN_ONE, "user")
    listed = {"type": "config_entries/subentries/list", "entry_id": entry}
    [known] = [each for each in await client.command(listed) if each["title"] == "Known"]
    handler = {"handler": [entry, "appliance"], "subentry_id": known["subentry_id"]}
    change = Walk(page, hub, "subentries/flow", handler)
    for way in CHANGES_OF_A_KNOWN_ONE.values():
        await change.go(way, "ready")
    assert walk.wrong == change.wrong == []
    removed = {**listed, "type": "config_entries/subentries/delete"}
    await client.command({**removed, "subentry_id": known["subentry_id"]})


@needs_gree
async def test_the_pages_of_an_air_conditioner(page: Page, hub: VirtualHub, client: Client) -> None:
    await begin_appliance(page, hub)
    walk = Walk(page, hub, "subentries/flow", {"handler": [await entry_id(client), "appliance"]})
    await walk.go(OF_A_PROTOCOL, "user")
    assert walk.wrong == []


async def test_the_pages_that_change_an_appliance(
    page: Page, hub: VirtualHub, client: Client
) -> None:
    async with VirtualHub("rm4_mini", mac="34:EA:34:00:00:7B", name="Cellar") as other:
        await add_hub(client, other)
        await client.wait_state("remote.cellar", "on")
        entry = await entry_id(client)
        [of] = await client.command({"type": "config_entries/subentries/list", "entry_id": entry})
        await begin_appliance(page, hub)
        handler = {"handler": [entry, "appliance"], "subentry_id": of["subentry_id"]}
        walk = Walk(page, hub, "subentries/flow", handler)
        for way in CHANGES.values():
            await walk.go(way, "ready")
        assert walk.wrong == []


async def test_the_pages_that_add_a_hub(page: Page, hub: VirtualHub) -> None:
    assert hub.transmitted is not None
    async with (
        VirtualHub("rm4_pro", devtype=0x521A, mac="34:EA:34:00:00:7C", name="New") as new,
        VirtualHub("rm4_pro", mac="34:EA:34:00:00:7D", name="Locked") as locked,
        VirtualHub("rm4_pro", mac="34:EA:34:00:00:7E", name="Refusing") as refusing,
        VirtualHub("rm4_pro", mac="34:EA:34:00:00:7F", name="Open") as opened,
        a_hub_to_be_found(mac="34:EA:34:00:00:80", name="Found") as found,
    ):
        locked.locked = opened.locked = opened.opens_when_locked = True
        refusing.faults.no_session = True
        await add_integration(page, "Broadlink infrared remote hub")
        await page.wait_for_function(SHOWN, arg=["user"])
        walk = Walk(page, found, "flow", {"handler": "irhub"})
        searched, without_hub = (
            ("choose", {"mac": "without_hub"})
            if MAY_BE_FOUND
            else ("nothing_found", {"without_hub": True})
        )
        by_host = {"mac": "by_host"} if MAY_BE_FOUND else {"host": "a b"}
        await walk.go([(NOTHING, searched), (without_hub, "without_hub")], "user")
        for asked, way in (
            (new, [({}, "like"), ({"type": "rm2"}, "like")]),
            (refusing, [({}, "session")]),
            (locked, [({}, "locked"), ({}, "still_locked")]),
            (opened, [({}, "unlock"), ({"unlock": False}, "create_entry")]),
        ):
            (_, arrives), *more = way
            at = {"host": f"{asked.host}:{asked.port}"}
            to_host: Way = [(NOTHING, searched), (by_host, "host"), (at, arrives)]
            await walk.go([*to_host, *more], "user")
        assert walk.wrong == []


async def test_the_page_that_looks_for_a_hub_in_vain_and_that_of_a_new_address(
    page: Page, hub: VirtualHub, client: Client
) -> None:
    await wait_until_none_is_found()
    await add_integration(page, "Broadlink infrared remote hub")
    await page.wait_for_function(SHOWN, arg=["user"])
    walk = Walk(page, hub, "flow", {"handler": "irhub"})
    await walk.go([(NOTHING, "nothing_found")], "user")
    entry = await entry_id(client)
    again = Walk(page, hub, "flow", {"handler": "irhub", "entry_id": entry})
    here = {"host": f"{hub.host}:{hub.port}"}
    await again.go(
        [({"host": "a b"}, "reconfigure"), (here, "reconfigure_successful")], "reconfigure"
    )
    assert walk.wrong == again.wrong == []
