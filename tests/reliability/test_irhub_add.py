"""The dialogues that add, move and mend a hub, disturbed at each of their pages."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from homeassistant.config_entries import ConfigEntry, ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    MockConfigEntry,
)
from pytest_homeassistant_custom_component.typing import (  # type: ignore[import-untyped]
    ClientSessionGenerator,
)

from custom_components.irhub.dialogues import add as add_module
from custom_components.irhub.entities.use import Use
from custom_components.irhub.errors import HubOfflineError
from custom_components.irhub.hub import hello, library, probe
from tests.home import until
from tests.irhub.buttons import learn
from tests.irhub.dialogue import add, entry_of
from tests.irhub.home import RC5
from virtual_home.hub import VirtualHub, free_udp_port

from .browser import ADD, REPAIRS, Answer, Browser, Client, connect, faults, running

pytestmark = pytest.mark.reliability

MAC: Final = "34ea34000001"
FOUND: Final[Answer] = {"mac": MAC}
UNKNOWN_DEVTYPE: Final = 0x521A
SEARCH_S: Final = 0.05
PATIENCE_S: Final = 0.5
"""Instead of 5 s, for a hub that is switched off."""


@dataclass(frozen=True)
class Page:
    """A page: the dialogue, the answers that lead there, the one it gets, what the hub is like."""

    url: str
    by: tuple[Answer, ...]
    answer: Answer
    hub: str = ""


PAGES: Final = {
    "search": Page(ADD, (), None),
    "choose": Page(ADD, (), FOUND),
    "host": Page(ADD, ({"mac": "by_host"},), {"host": "HOST"}),
    "like": Page(ADD, (FOUND,), {"type": "rm4_pro"}, "unknown"),
    "session": Page(ADD, (FOUND,), {}, "opens no session"),
    "locked": Page(ADD, (FOUND,), {}, "locked"),
    "unlock": Page(ADD, (FOUND,), {"unlock": True}, "locked, but open"),
    "shared": Page(ADD, (FOUND,), {}, "core's"),
    "reconfigure": Page(ADD, (), {"host": "HOST"}, "there"),
    "confirm": Page(REPAIRS, (), {}, "there, and locked"),
    "init": Page(REPAIRS, (), "delete", "removed"),
}


class Scene:
    """A hub, which may be there already, and a dialogue at one of its pages."""

    browser: Browser

    def __init__(self, hass: HomeAssistant, client: Client, hub: VirtualHub, name: str) -> None:
        self.hass = hass
        self.client = client
        self.hub = hub
        self.name = name
        self.page = PAGES[name]

    @property
    def entries(self) -> list[ConfigEntry[Use]]:
        """Return our entries."""
        return self.hass.config_entries.async_entries("irhub")

    async def prepare(self) -> None:
        """Have everything as the page needs it."""
        await self.remove()
        self.hub.faults.clear()
        self.hub.locked = self.hub.opens_when_locked = False
        match self.page.hub:
            case "locked":
                self.hub.locked = True
            case "locked, but open":
                self.hub.locked = self.hub.opens_when_locked = True
            case "opens no session":
                self.hub.faults.no_session = True
            case "there":
                await add(self.hass, self.hub)
            case "there, and locked":
                self.hub.locked = True
                await self.appear()
                await until(lambda: f"locked_{MAC}" in self._issues())
            case "removed":
                await add(self.hass, self.hub)
                await learn(self.hass, television={"power": RC5})
                await self.remove()
                assert self._issues() == [f"kept_codes_{MAC}"]

    def _issues(self) -> list[str]:
        return [issue for domain, issue in ir.async_get(self.hass).issues if domain == "irhub"]

    async def open(self) -> None:
        """Open the dialogue, and go to the page."""
        self.browser = Browser(self.client, self.page.url)
        if self.page.url == REPAIRS:
            [issue] = self._issues()
            await self.browser.open("irhub", issue_id=issue)
        elif self.page.hub == "there":
            await self.browser.open("irhub", entry_id=self.entries[0].entry_id)
        else:
            await self.browser.open("irhub")
            if self.name != "search":
                await self.browser.arrive("choose")
        for answer in self.page.by:
            await self.browser.answer(answer)
        assert self.browser.name == self.name

    async def answer(self) -> None:
        """Answer the page, as somebody would who unlocks a locked hub, or restarts a stuck one."""
        self.hub.faults.no_session = False
        if self.page.hub in {"locked", "there, and locked"}:
            self.hub.locked = False
        answer = self.page.answer
        if answer == {"host": "HOST"}:
            answer = {"host": f"localhost:{self.hub.port}"}
        await self.browser.answer(answer)

    async def close(self) -> None:
        """Close the dialogue."""
        await self.browser.close()

    async def appear(self) -> None:
        """Add the hub elsewhere, if it is not there."""
        if not self.entries:
            entry = entry_of(self.hub)
            entry.add_to_hass(self.hass)
            await self.hass.config_entries.async_setup(entry.entry_id)

    async def reload(self) -> None:
        """Reload what is there."""
        for entry in self.entries:
            await self.hass.config_entries.async_reload(entry.entry_id)

    async def remove(self) -> None:
        """Remove what is there."""
        for entry in self.entries:
            await self.hass.config_entries.async_remove(entry.entry_id)

    async def switch_off(self) -> None:
        """Switch the hub off: it forgets its sessions, and answers nothing."""
        self.hub.reboot()
        self.hub.faults.silent = True

    async def check(self) -> None:
        """See that the dialogue has left an entry that works, or nothing, and that one can add."""
        await self.browser.close()
        self.hub.faults.clear()
        self.hub.locked = False
        await self.hass.async_block_till_done()
        assert self.hass.config_entries.flow.async_progress() == []
        for entry in self.entries:
            assert entry.state is ConfigEntryState.LOADED
            connection = entry.runtime_data.own_hub.connection
            with suppress(HubOfflineError):  # an attempt that began while the hub was off
                await connection.connect()
            await connection.connect()
        await self.remove()
        await until(lambda: not running("irhub"))
        await self.hass.async_block_till_done()
        browser = await Browser(self.client, ADD).open("irhub")
        await browser.arrive("choose")
        await browser.answer(FOUND)
        if browser.name == "like":
            await browser.answer({"type": "rm4_pro"})
        if browser.name == "shared":
            await browser.answer({})
        assert browser.name == "create_entry"
        await self.hass.async_block_till_done()
        [entry] = self.entries
        assert entry.state is ConfigEntryState.LOADED
        assert self._issues() == []
        await self.remove()
        await until(lambda: not running("irhub"))


DISTURBANCES: Final[dict[str, Callable[[Scene], Awaitable[None]]]] = {
    "closed": Scene.close,
    "repeated": Scene.answer,
    "appeared": Scene.appear,
    "reloaded": Scene.reload,
    "removed": Scene.remove,
    "switched off": Scene.switch_off,
}


async def later(after_s: float, what: Awaitable[None]) -> None:
    """Do something a little later."""
    await asyncio.sleep(after_s)
    await what


@pytest.fixture(autouse=True)
def port(monkeypatch: pytest.MonkeyPatch) -> int:
    """Look for hubs on this machine alone, at a port that needs no rights; wait for none long."""
    port = free_udp_port()

    async def discover(_hass: HomeAssistant) -> list[library.HubDevice]:
        devices: list[library.HubDevice] = []
        while not devices:  # the only one there is, as soon as it answers
            await hello.broadcast(["127.0.0.1"], port, devices.append, SEARCH_S)
        return devices

    monkeypatch.setattr(add_module, "discover_devices", discover)
    monkeypatch.setattr(probe, "DEFAULT_TIMEOUT_S", PATIENCE_S)
    return port


@pytest.mark.parametrize("page", PAGES)
async def test_a_disturbed_dialogue_leaves_a_hub_or_nothing(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    caplog: pytest.LogCaptureFixture,
    port: int,
    page: str,
) -> None:
    """Disturbed before the page is answered, at the same time, and a little later."""
    assert await async_setup_component(hass, "repairs", {})
    client = await connect(hass, hass_client)
    if PAGES[page].hub == "core's":
        MockConfigEntry(domain="broadlink", unique_id=MAC).add_to_hass(hass)
    devtype = UNKNOWN_DEVTYPE if PAGES[page].hub == "unknown" else None
    async with VirtualHub("rm4_pro", name="Lounge", discovery_port=port, devtype=devtype) as hub:
        scene = Scene(hass, client, hub, page)
        for disturb in DISTURBANCES.values():
            await scene.prepare()
            await scene.open()
            await disturb(scene)
            await scene.answer()
            await scene.check()
            for later_s in (0, 0.01):
                await scene.prepare()
                await scene.open()

                await asyncio.gather(scene.answer(), later(later_s, disturb(scene)))
                await scene.check()
    assert faults(caplog) == []
