"""What went wrong on the way to a page is no problem of that page."""

from collections.abc import Iterator
from contextlib import contextmanager
import json

from homeassistant.core import HomeAssistant
import pytest

from custom_components.irhub.dialogues import listening
from custom_components.irhub.entities.use import IrhubConfigEntry
from tests.home import until
from virtual_home.hub import VirtualHub

from ..dialogue import Dialogue
from ..ircodes.teaching.remotes import rolling_bit
from .appliances import FILE, begin, finish
from .lessons import begin_lesson, press_next, question_of, states_by_text
from .remotes import code_of_button


@contextmanager
def nobody_presses(monkeypatch: pytest.MonkeyPatch, *, within: float = 0.3) -> Iterator[None]:
    """Shorten the time to press."""
    with monkeypatch.context() as patch:
        patch.setattr(listening, "LEARN_WINDOW_S", within)
        yield


async def arrive_without_error(dialogue: Dialogue) -> None:
    """Wait for the page of the device, and see that nothing is said to be wrong."""
    await dialogue.arrive("ready")
    assert not dialogue.shown["errors"]
    assert "error" not in dialogue.texts
    await dialogue.refresh()
    assert not dialogue.shown["errors"]


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_learned_commands_are_shown_without_an_earlier_timeout(
    hass: HomeAssistant,
    monkeypatch: pytest.MonkeyPatch,
    lounge: VirtualHub,
    entry: IrhubConfigEntry,
) -> None:
    dialogue = await begin(hass, entry, "television")
    await dialogue.choose("learn_remote")
    with nobody_presses(monkeypatch, within=3):
        await dialogue.submit(name="TV", buttons=["power", "mute"])
        await dialogue.arrive("press")
        await lounge.press_when_listening(code_of_button(1))
        await dialogue.arrive("stopped")
    assert "No signal was received" in dialogue.texts["problem"]
    await dialogue.choose("learned")
    await arrive_without_error(dialogue)
    await finish(hass, dialogue, "media_player.tv")


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_file_is_shown_without_an_earlier_timeout(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, entry: IrhubConfigEntry
) -> None:
    dialogue = await begin(hass, entry)
    with nobody_presses(monkeypatch):
        await dialogue.choose("press_button")
        await dialogue.arrive("not_heard")
    assert "No signal was received" in dialogue.texts["problem"]
    await dialogue.choose("how")
    await dialogue.choose("file")
    await dialogue.submit(text=json.dumps(FILE))
    await arrive_without_error(dialogue)


async def test_a_lesson_is_shown_without_an_earlier_reload(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    control = rolling_bit()
    dialogue = await begin_lesson(hass, entry, lounge, control)
    texts = await states_by_text(hass, control)
    await dialogue.arrive("ask")
    for _ in range(4):
        await press_next(dialogue, lounge, control, texts)
    await question_of(dialogue)
    assert await hass.config_entries.async_reload(entry.entry_id)
    await until(lambda: entry.runtime_data.hub.available)
    await dialogue.arrive("ask_stopped")
    assert "was closed" in dialogue.texts["problem"]
    await (await dialogue.choose("taught")).choose("take_taught")
    await arrive_without_error(dialogue)
    await finish(hass, dialogue, "climate.air_conditioner")
