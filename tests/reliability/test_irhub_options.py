"""The dialogue of a hub, disturbed at each of its pages: what was there stays whole."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum, auto
import gc
import json
from typing import Final

from homeassistant.config_entries import ConfigEntry, ConfigEntryDisabler, ConfigEntryState
from homeassistant.core import HomeAssistant
import pytest
from pytest_homeassistant_custom_component.typing import (  # type: ignore[import-untyped]
    ClientSessionGenerator,
)

from custom_components.irhub.entities.use import Use
from custom_components.irhub.hub import hub_learning, learning
from tests.home import until
from tests.irhub.buttons import learn
from tests.irhub.dialogue import add
from tests.irhub.home import FAN, HDMI, NEC, POWER, RC5, commands
from virtual_home.hub import VirtualHub

from .browser import OPTIONS, Answer, Browser, Client, connect, faults, running

pytestmark = pytest.mark.reliability


class Room(Enum):
    """What somebody does in the room."""

    PRESS = auto()
    """Press a button of a remote control."""
    OTHER = auto()
    """Press another button of the infrared one, or one that toggles for the second time."""
    HOLD = auto()
    """Hold a button of the radio remote control."""


@dataclass(frozen=True)
class Page:
    """A page of the dialogue: the answers that lead there, and the one it gets."""

    by: tuple[Answer, ...]
    answer: Answer


IR: Final[Answer] = {
    "device": "television",
    "command": "volume",
    "command_type": "ir",
    "alternative": True,
}
TAKEN_NAME: Final[Answer] = {
    "device": "television",
    "command": "power",
    "command_type": "ir",
    "alternative": False,
}
RF: Final[Answer] = {
    "device": "fan",
    "command": "on",
    "command_type": "rf",
    "alternative": False,
}
HEARD: Final = ("learn", IR, Room.PRESS, Room.OTHER)
GIRR: Final[Answer] = {"device": "television", "format": "girr"}
TELEVISION: Final[Answer] = {"device": "television"}
POWER_OF_IT: Final[Answer] = {"command": "power"}
NEW_NAME: Final[Answer] = {"device": "tv", "command": "on"}
FAN_DEVICE: Final[Answer] = {"device": "fan"}
CONDEMNED: Final[Answer] = {"whole": True}
PASTED: Final[Answer] = {"text": json.dumps({"lamp": {"on": RC5, "off": [RC5, NEC]}})}
PAGES: Final = {
    "init": Page((), "learn"),
    "settings": Page(("settings",), {"timeout": 2, "min_gap": 0.2}),
    "learn": Page(("learn",), IR),
    "taken": Page(("learn", TAKEN_NAME), "listen"),
    "press": Page(("learn", IR), Room.PRESS),
    "second": Page(("learn", IR, Room.PRESS), Room.OTHER),
    "hold": Page(("learn", RF), Room.HOLD),
    "again": Page(("learn", RF, Room.HOLD), Room.PRESS),
    "heard": Page(HEARD, "try_heard"),
    "tried_heard": Page((*HEARD, "try_heard"), "keep"),
    "kept": Page((*HEARD, "keep"), "learn"),
    "try_command": Page(("try_command",), TELEVISION),
    "try_which": Page(("try_command", TELEVISION), POWER_OF_IT),
    "tried": Page(("try_command", TELEVISION, POWER_OF_IT), POWER_OF_IT),
    "rename": Page(("rename",), TELEVISION),
    "rename_which": Page(("rename", TELEVISION), POWER_OF_IT),
    "new_name": Page(("rename", TELEVISION, POWER_OF_IT), NEW_NAME),
    "renamed": Page(("rename", TELEVISION, POWER_OF_IT, NEW_NAME), "init"),
    "delete": Page(("delete",), FAN_DEVICE),
    "delete_which": Page(("delete", FAN_DEVICE), CONDEMNED),
    "confirm_delete": Page(("delete", FAN_DEVICE, CONDEMNED), "delete_now"),
    "deleted": Page(("delete", FAN_DEVICE, CONDEMNED, "delete_now"), "finish"),
    "import_codes": Page(("import_codes",), PASTED),
    "preview": Page(("import_codes", PASTED), "import_now"),
    "imported": Page(("import_codes", PASTED, "import_now"), "init"),
    "export_codes": Page(("export_codes",), {}),
    "share": Page(("share",), GIRR),
    "shared": Page(("share", GIRR), {}),
}
"""The last word is the page's own name: some have one name, and two ways."""


class Scene:
    """A hub that has learned something, its entry, and a dialogue of it at one of its pages."""

    entry: ConfigEntry[Use]
    browser: Browser

    def __init__(self, hass: HomeAssistant, client: Client, hub: VirtualHub) -> None:
        self.hass = hass
        self.client = client
        self.hub = hub
        hub.quirks.noise = False  # each press counts in the moment in which it is made

    async def prepare(self) -> None:
        """Have the entry anew."""
        await self.remove()
        self.entry = await add(self.hass, self.hub, timeout=0.5)
        devices = self.entry.runtime_data.devices
        await devices.load()
        for device in [*devices.values()]:
            await devices.delete(device)
        await learn(self.hass, television={"power": RC5, "mute": NEC}, fan={"off": NEC})

    async def open(self, page: str = "init") -> Browser:
        """Open a dialogue, and go to one of its pages."""
        self.browser = browser = Browser(self.client, OPTIONS)
        await browser.open(self.entry.entry_id)
        for answer in PAGES[page].by:
            if isinstance(answer, Room):
                before = browser.name
                await self.act(answer)
                await until_changed(browser, before)
            else:
                await browser.answer(answer)
            if browser.name == "connect":
                await until_changed(browser, "connect")
        assert browser.name == page.rpartition(" ")[2]
        return browser

    async def act(self, what: Room) -> None:
        """Do something in the room, if the hub listens for it."""
        if what is Room.HOLD:
            self.hub.receiver.hold(433.92)
        else:
            self.hub.press(FAN) or self.hub.press(HDMI if what is Room.OTHER else POWER)

    async def answer(self, answer: Answer) -> None:
        """Give an answer, of whichever kind."""
        if isinstance(answer, Room):
            await self.act(answer)
        await self.browser.answer(answer)

    async def reload(self) -> None:
        """Reload the entry."""
        await self.hass.config_entries.async_reload(self.entry.entry_id)

    async def disable(self) -> None:
        """Disable the entry."""
        by = ConfigEntryDisabler.USER
        await self.hass.config_entries.async_set_disabled_by(self.entry.entry_id, by)

    async def remove(self) -> None:
        """Remove every entry."""
        for entry in self.hass.config_entries.async_entries("irhub"):
            await self.hass.config_entries.async_remove(entry.entry_id)

    async def switch_off(self) -> None:
        """Switch the hub off: it forgets its sessions, and answers nothing."""
        self.hub.reboot()
        self.hub.faults.silent = True

    async def close(self) -> None:
        """Close the dialogue."""
        await self.browser.close()

    async def repeat(self) -> None:
        """Give the page's answer once more, whatever the page is by now."""
        await self.answer(PAGES[self.page].answer)

    page = ""

    async def check(self) -> None:
        """See that the dialogue has left nothing behind, and that a new one learns."""
        await self.browser.close()
        await self.hass.async_block_till_done()
        assert self.hass.config_entries.options.async_progress() == []
        await until(lambda: not running("irhub: learn"))
        entries = self.hass.config_entries.async_entries("irhub")
        if not entries:
            await until(lambda: not running("irhub:"))
            await self.prepare()
        elif entries[0].disabled_by:
            await until(lambda: not running("irhub:"))
            await self.hass.config_entries.async_set_disabled_by(self.entry.entry_id, None)
        assert not self.hub.receiver.listening
        self.hub.faults.clear()
        assert self.entry.state is ConfigEntryState.LOADED
        await until(lambda: self.entry.runtime_data.hub.available)
        devices = self.entry.runtime_data.devices
        if "volume" in commands(devices).get("television", {}):
            await devices.delete_named("television", ["volume"])
        await self.open("tried_heard")
        await self.browser.answer("keep")
        assert self.browser.name == "kept"
        assert commands(devices)["television"]["volume"] == [POWER, HDMI]
        await self.browser.close()
        await self.hass.async_block_till_done()
        assert {name.split(" to ")[0] for name in running("irhub:")} <= {"irhub: connection"}


async def until_changed(browser: Browser, before: str) -> None:
    """Look until the page is another one."""
    async with asyncio.timeout(20):
        while browser.name == before:
            await asyncio.sleep(0.02)
            await browser.answer(None)


DISTURBANCES: Final[dict[str, Callable[[Scene], Awaitable[None]]]] = {
    "closed": Scene.close,
    "repeated": Scene.repeat,
    "reloaded": Scene.reload,
    "removed": Scene.remove,
    "disabled": Scene.disable,
    "switched off": Scene.switch_off,
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Learn without the pauses that people need."""
    monkeypatch.setattr(learning, "BETWEEN_PRESSES_S", 0.02)
    monkeypatch.setattr(hub_learning, "LEARNING_READ_S", 0.02)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("disturbance", DISTURBANCES)
async def test_a_disturbed_dialogue_leaves_the_hub_as_it_was(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    caplog: pytest.LogCaptureFixture,
    page: str,
    disturbance: str,
) -> None:
    """Disturbed before the page is answered, at the same time, and a little later."""
    disturb, answer = DISTURBANCES[disturbance], PAGES[page].answer
    client = await connect(hass, hass_client)
    async with VirtualHub("rm4_pro", name="Lounge") as hub:
        scene = Scene(hass, client, hub)
        scene.page = page
        await scene.prepare()
        await scene.open(page)
        await disturb(scene)
        if disturbance != "repeated":
            await until(lambda: not hub.receiver.listening)
        await scene.answer(answer)
        await scene.check()
        for later_s in (0, 0.01):
            await scene.prepare()
            await scene.open(page)

            async def disturb_later(after_s: float = later_s) -> None:
                await asyncio.sleep(after_s)
                await disturb(scene)

            await asyncio.gather(scene.answer(answer), disturb_later())
            await scene.check()
        await scene.remove()
        await until(lambda: not running("irhub:"))
    gc.collect()
    assert faults(caplog) == []
