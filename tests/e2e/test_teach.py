"""Air conditioners of unknown protocols are taught in the browser, in five languages.

Who presses reads on the page what is asked for, and presses the keys of a remote control until
its display shows just that; once, a fan speed too many. Then each state that is offered is
compared, bit by bit, with what the remote control sends, and some are set that were never pressed.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
import json
from pathlib import Path
from random import Random
import re

from playwright.async_api import Browser, Locator, Page, expect
import pytest
import pytest_asyncio
import pytest_socket

from custom_components.irhub.dialogues.form import DOUBLE_CLICK_S
from custom_components.irhub.dialogues.words import Words as Meanings
from custom_components.irhub.ircodes import OFF, BitRule, Levels, Off, State, read
from custom_components.irhub.ircodes.teaching import PRESSES
from demo.client import Client
from demo.host import Host
from demo.walk import add_hub
from tests.irhub.dialogues.lessons import missing_button, values_of
from tests.irhub.ircodes.teaching.keyed import KeyedRemote, Person, differs_in_fan
from tests.irhub.ircodes.teaching.remotes import (
    RemoteControl,
    another_in_each_mode,
    bytes_by_mode,
    sum_over_two_frames,
    two_modes,
)
from virtual_home.hub import VirtualHub

from .accessibility import look_at_dialogue
from .chromium import DESKTOP, new_page
from .clicks import choose, dialogue, enter, select, wait_until_gone
from .languages import Words, expect_readable, text_shown

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

INTEGRATION = "/config/integrations/integration/irhub"
DASHBOARD = "lesson-cards"
HUB = "Loft"
MAC = "34:EA:34:00:00:A1"
USUAL: Sequence[set[str]] = (
    {"cool", "heat", "dry", "fan_only", "auto"},
    {"auto", "low", "medium", "high"},
    set(),
    set(),
)
"""What the form's lists are filled with: modes, fan speeds, swings, presets."""
NEVER_PRESSED = 3
"""So many states are set of each air conditioner that were not pressed."""


def with_levels(remote: RemoteControl, levels: Mapping[str, Levels]) -> RemoteControl:
    """Return a remote control that has fewer levels, which takes fewer presses."""
    return replace(remote, remote=levels)


def remote_with_swing() -> RemoteControl:
    """Return a remote control that swings."""
    levels = Levels(
        fans=("auto", "low", "high"),
        swings=("off", "on"),
        temperatures=[float(degrees) for degrees in range(18, 28)],
    )
    return with_levels(bytes_by_mode(), {"cool": levels, "dry": levels})


def remote_with_half_degrees() -> RemoteControl:
    """Return a remote control of half degrees."""
    levels = Levels(
        fans=("auto", "low", "high"), temperatures=[degrees / 2 for degrees in range(36, 56)]
    )
    return with_levels(sum_over_two_frames(), {"cool": levels, "heat": levels})


def remote_with_different_modes() -> RemoteControl:
    """Return a remote control that has no temperature in one of its modes."""
    control = another_in_each_mode()
    return with_levels(control, {mode: control.remote[mode] for mode in ("cool", "fan_only")})


def remote_with_cool_only() -> RemoteControl:
    """Return a remote control that asks for few presses."""
    degrees = [float(degrees) for degrees in range(18, 28)]
    return with_levels(
        two_modes(), {"cool": Levels(fans=("auto", "low", "high"), temperatures=degrees)}
    )


LESSONS = {
    "en": remote_with_swing,
    "de": remote_with_half_degrees,
    "nl": remote_with_different_modes,
    "es": two_modes,
    "fr": remote_with_cool_only,
}
ASKED_WITHIN_S = 60.0
WRONG_FROM = 8
"""The first press with another fan speed from there on shows one too many."""
DARK = {"de", "fr"}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hub(client: Client) -> AsyncGenerator[VirtualHub]:
    """Run a hub, and add it; in the end Home Assistant speaks English again."""
    pytest_socket.enable_socket()
    async with VirtualHub("rm4_mini", mac=MAC, name=HUB) as hub:
        await add_hub(client, hub)
        created = {"type": "lovelace/dashboards/create", "url_path": DASHBOARD, "title": "Lessons"}
        await client.command(created)
        yield hub
        await client.command({"type": "config/core/update", "language": "en"})


@dataclass
class Owner:
    """Has an air conditioner, and its remote control in the hand."""

    page: Page
    hub: VirtualHub
    control: RemoteControl
    words: Words
    called: Meanings
    pressed: list[State | Off] = field(default_factory=list)
    heard: int = 0
    wrong: int = 0
    """Which press showed a fan speed too many."""
    named: list[str] = field(default_factory=list)
    """What the pages say of presses that do not fit."""

    def __post_init__(self) -> None:
        """Learn what each state is called."""
        every: list[State | Off] = [OFF]
        values = [[*values_of(self.control, item), None] for item in ("preset", "fan", "swing")]
        degrees = [*(float(item) for item in values_of(self.control, "temperature")), None]
        for mode in self.control.remote:
            for preset, fan, swing, temperature in product(*values, degrees):
                levels = {"preset": preset, "fan": fan, "swing": swing}
                every.append(State(mode=mode, temperature=temperature, **levels))  # type: ignore[arg-type]  # as their names say
        self.meanings = {self.called.display(each): each for each in every}
        self.person = Person(KeyedRemote(self.control))
        assert len(self.meanings) == len(every)

    async def asked(self, *, after: State | None = None) -> State | Off | None:
        """Return what the page asks for, as soon as it does; None at the end.

        `after` was not pressed: something else comes.
        """
        began = asyncio.get_running_loop().time()
        while True:
            shown = await text_shown(self.page)
            assert asyncio.get_running_loop().time() - began < ASKED_WITHIN_S, (
                self.heard,
                after,
                shown,
            )
            asked = [line for line in shown.splitlines() if line in self.meanings]
            filled = self.words.last_paragraph("ask", shown)
            if filled is not None and asked and filled["number"] == str(self.heard + 1):
                assert filled["most"] == str(PRESSES)
                if (again := self.words.filled("ask_again", shown)) is not None:
                    self.named.append(again["doubt"])
                if (state := self.meanings[asked[0]]) != after:
                    return state
            if self.words.field("ready", "then") in shown:
                return None
            await asyncio.sleep(0.05)

    async def press(self, state: State | Off) -> None:
        """Press keys until the display shows a state; once, a fan speed too many."""
        is_wrong = (
            not self.wrong
            and self.heard + 1 >= WRONG_FROM
            and differs_in_fan(self.person.remote, state)
        )
        await look_at_dialogue(self.page)
        self.pressed.append(state)
        self.heard += 1
        if is_wrong:
            self.wrong = self.heard
        await self.hub.press_when_listening(self.person.press(state, wrong_fan=is_wrong))

    async def click(self, step: str, option: str, **filled: str) -> None:
        """Choose from a menu that is there, or comes."""
        await choose(self.page, self.words.option(step, option).format(**filled))

    def levels(self, state: State) -> dict[str, str]:
        """Return what the options say that name something of a state."""
        said = {"fan": state.fan, "swing": state.swing, "preset": state.preset}
        levels = {
            key: self.called.level(f"{key}_mode", level) for key, level in said.items() if level
        }
        return levels | {"degrees": f"{state.temperature or 0:g}°"}

    async def look(self) -> None:
        """See that the page can be read."""
        await expect_readable(self.page, self.words)

    async def describe(self) -> None:
        """Say on the form what the remote control has."""
        lists: list[tuple[Callable[[str], str], Iterable[object]]] = [
            (self.called.mode, self.control.remote)
        ]
        for key in ("fan", "swing", "preset"):
            called_so = partial(self.called.level, f"{key}_mode")
            lists.append((called_so, values_of(self.control, key)))
        for number, (called, has) in enumerate(lists):
            wanted, usual = {*map(str, has)} - {"none"}, USUAL[number]
            chosen = dialogue(self.page).locator("ha-selector-select").nth(number)
            for each in sorted(usual - wanted):
                await take_away(chosen, called(each))
            for each in sorted(wanted - usual):
                await add(chosen, called(each))
        degrees = sorted(float(item) for item in values_of(self.control, "temperature"))
        for key, value in (("lowest", degrees[0]), ("highest", degrees[-1])):
            name = self.words.field("teach", key)
            await dialogue(self.page).get_by_role("spinbutton", name=name).fill(f"{value:g}")
        if degrees[1] - degrees[0] < 1:
            await select(self.page, self.words.field("teach", "step"), "0.5°")


async def take_away(chosen: Locator, name: str) -> None:
    """Take what was chosen out of a list."""
    chip = chosen.locator("ha-input-chip").filter(has_text=name)
    await chip.get_by_role("button").last.click()
    await expect(chip).to_have_count(0)


async def add(chosen: Locator, name: str) -> None:
    """Choose one more of a list."""
    await chosen.get_by_role("button").last.click()  # before 2026.11 it is the field itself
    await chosen.get_by_text(name, exact=True).last.click()
    await expect(chosen.locator("ha-input-chip").filter(has_text=name)).to_be_visible()


async def meanings_of(client: Client, language: str) -> Meanings:
    """Return what the frontend calls things in a language."""
    resources: dict[str, str] = {}
    for category, domain in (
        ("selector", "irhub"),
        ("common", "irhub"),
        ("entity", "irhub"),
        ("entity_component", "climate"),
    ):
        asked = {"type": "frontend/get_translations", "language": language, "category": category}
        resources |= (await client.command({**asked, "integration": [domain]}))["resources"]
    return Meanings(resources)


def never_pressed(owner: Owner) -> Sequence[State]:
    """Return some states that were not pressed."""
    return Random(36).sample(not_pressed(owner), NEVER_PRESSED)


def not_pressed(owner: Owner) -> Sequence[State]:
    """Return all states that were not pressed."""
    return [each for each in owner.control.capabilities.states() if each not in owner.pressed]


async def set_to(client: Client, entity_id: str, state: State) -> None:
    """Set an air conditioner, one action after the other."""
    data = {"entity_id": entity_id}
    await client.call("climate.set_hvac_mode", {**data, "hvac_mode": state.mode})
    if state.temperature is not None:
        await client.call("climate.set_temperature", {**data, "temperature": state.temperature})
    for key, level in (("fan", state.fan), ("swing", state.swing), ("preset", state.preset)):
        if level is not None:
            await client.call(f"climate.set_{key}_mode", {**data, f"{key}_mode": level})


def rule_of(host: Host, name: str) -> BitRule:
    """Return what an air conditioner is sent, as Home Assistant has written it to the disk."""
    mac = MAC.replace(":", "").lower()
    stored = json.loads((host.config / f".storage/irhub_devices_{mac}").read_text())
    devices = {device["name"]: device for device in stored["data"]["devices"]}
    return BitRule.from_data(devices[name]["rule"]["taught"])


def assert_sent(owner: Owner, state: State | Off) -> None:
    """Compare what the hub sent last with what the remote control sends, bit by bit."""
    sent = read(owner.hub.transmitted[-1]).key
    assert sent == read(owner.control.packet(state)).key, state


async def click_on_card(client: Client, owner: Owner, device: str, entity_id: str) -> None:
    """Click on another mode on the card of an air conditioner, which nobody has pressed so."""
    state = next(
        item
        for item in not_pressed(owner)
        if (other := replace(item, mode="cool")) != item
        and other in owner.control.capabilities.states("cool")
    )
    await set_to(client, entity_id, replace(state, mode="cool"))
    card = {"type": "custom:irhub-remote", "device": device}
    config = {"views": [{"title": "Lesson", "cards": [card]}]}
    saved = {"type": "lovelace/config/save", "url_path": DASHBOARD, "config": config}
    await client.command(saved)
    await owner.page.goto(f"/{DASHBOARD}/0")
    before = len(owner.hub.transmitted)
    await (
        owner.page.locator("irhub-remote").get_by_label(owner.called.mode(state.mode)).first.click()
    )
    await owner.hub.until(lambda: len(owner.hub.transmitted) > before)
    assert_sent(owner, state)


async def begin(owner: Owner) -> None:
    """Go to where the remote control is described."""
    page, words = owner.page, owner.words
    await page.goto(INTEGRATION)
    await page.get_by_role("button", name=words.begin).click()
    if await page.locator("ha-config-entry-row").count() > 1:  # left by another test
        await page.locator("dialog-pick-config-entry").get_by_text(owner.hub.name).click()
    await owner.click("user", "air_conditioner")
    await owner.click("how", "press_button")
    await owner.hub.press_when_listening(owner.control.press(OFF))
    await owner.click("heard", "teach")
    await expect(dialogue(page)).to_contain_text(words.field("teach", "presets"))


async def walk(owner: Owner) -> None:
    """Press what is asked for to the end; what may happen on the way happens once."""
    ended = asked_off = False
    lacking: State | None = None
    while (state := await owner.asked(after=lacking)) is not None:
        lacking = None
        if (
            isinstance(state, State)
            and (answer := missing_button(owner.control, state)) is not None
        ):
            await owner.click("ask", "no_such_button")
            await asyncio.sleep(DOUBLE_CLICK_S)  # nobody reads it faster
            await owner.click("lacks", answer, **owner.levels(state))
            lacking = state
            continue
        if state is OFF and not asked_off:
            asked_off = True
            await owner.click("ask", "no_such_button")
            await expect(dialogue(owner.page)).to_contain_text(
                owner.words.option("lacks_off", "without_off")
            )
            await owner.look()
            await owner.click("lacks_off", "ask_on")
            assert await owner.asked() == state
        if owner.heard >= 5 and isinstance(state, State) and not ended:
            ended = True
            await owner.click("ask", "no_such_button")
            await expect(dialogue(owner.page)).to_contain_text(
                owner.words.option("lacks", "no_fans")
            )
            await owner.look()
            await owner.click("lacks", "ask_on")
            assert await owner.asked() == state
            await owner.look()
            await owner.click("ask", "taught")
            await owner.click("taught_in_part", "ask_on")
            assert await owner.asked() == state
        await owner.press(state)


@pytest_asyncio.fixture(name="page", loop_scope="session")
async def page_fixture(
    browser: Browser, host: Host, tmp_path: Path, language: str
) -> AsyncGenerator[Page]:
    """Open a page in a language."""
    async with new_page(browser, host, tmp_path, locale=language) as page:
        await page.emulate_media(color_scheme="dark" if language in DARK else "light")
        yield page


@pytest_asyncio.fixture(loop_scope="session")
async def resident(page: Page, client: Client, hub: VirtualHub, language: str) -> Owner:
    """Return who speaks a language, at home as in the browser."""
    await client.command({"type": "config/core/update", "language": language})
    called = await meanings_of(client, language)
    return Owner(page, hub, LESSONS[language](), Words(language), called)


@pytest.mark.parametrize("language", LESSONS)
async def test_an_air_conditioner_is_taught(
    *, page: Page, resident: Owner, host: Host, client: Client, language: str
) -> None:
    await begin(resident)
    await resident.describe()
    await resident.look()
    await page.set_viewport_size(DESKTOP)
    await dialogue(page).locator("[slot=primaryAction]").last.click()
    assert await resident.asked() is not None
    await resident.look()
    await walk(resident)
    assert resident.heard <= PRESSES
    assert [text for text in resident.named if re.search(rf"\b{resident.wrong}\b", text)], (
        resident.named
    )
    await resident.look()
    await enter(page, resident.words.field("ready", "name"), f"Lesson {language}")
    button = dialogue(page).locator("[slot=primaryAction]").last
    await button.click()
    await expect(dialogue(page).locator("step-flow-create-entry")).to_be_visible()
    await button.click()
    await wait_until_gone(page, button)

    rule = rule_of(host, f"Lesson {language}")
    assert rule.states == {*resident.control.capabilities.states()}
    for state in rule.states:
        assert read(rule.encode(state)).key == read(resident.control.packet(state)).key, state
    entity_id = f"climate.lesson_{language}"
    await client.wait_state(entity_id, "unknown")
    for state in never_pressed(resident):
        await set_to(client, entity_id, state)
        assert_sent(resident, state)
    if language == "en":
        await click_on_card(client, resident, f"Lesson {language}", entity_id)
    await client.call("climate.turn_off", {"entity_id": entity_id})
    assert_sent(resident, OFF)
