"""Two pages that listen with the same hub: the later one listens, the other one says so."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.exceptions import ServiceValidationError
import pytest

from custom_components.irhub.entities.use import IrhubConfigEntry
from tests.home import until
from virtual_home.hub import VirtualHub

from ..dialogue import Dialogue, add, configure
from ..home import HDMI, POWER, our_hub
from ..ircodes.files.indexes import FOLDER, file_of, put
from ..ircodes.teaching.remotes import RemoteControl, rolling_bit
from ..remotes_of_protocols import shows
from .appliances import begin as begin_appliance, change
from .lessons import (
    add_taught,
    answers_about,
    begin,
    begin_to_teach,
    press_next,
    question_of,
    states_by_text,
)
from .remotes import begin as begin_to_learn, wait_for_button

pytestmark = pytest.mark.usefixtures(
    "no_collection", "no_pauses", "no_double_clicks", "steady_time"
)

type Open = Callable[[HomeAssistant, ConfigEntry, VirtualHub], Awaitable[Dialogue]]
type TakeBack = Callable[[Dialogue], Awaitable[Dialogue]]

CONTROL: RemoteControl = rolling_bit()


async def learn_command(hass: HomeAssistant, entry: ConfigEntry, _hub: VirtualHub) -> Dialogue:
    """Learn a command."""
    dialogue = await (await configure(hass, entry)).choose("learn")
    return await dialogue.submit(device="fan", command="off", alternative=False)


async def learn_by_radio(hass: HomeAssistant, entry: ConfigEntry, _hub: VirtualHub) -> Dialogue:
    """Learn a command by radio, of which the hub looks for the frequency."""
    dialogue = await (await configure(hass, entry)).choose("learn")
    answers = {"device": "fan", "command": "off", "command_type": "rf", "alternative": False}
    return await dialogue.submit(**answers)


async def press_button(hass: HomeAssistant, entry: ConfigEntry, _hub: VirtualHub) -> Dialogue:
    """Press a button of an air conditioner."""
    return await (await begin_appliance(hass, entry)).choose("press_button")


async def press_second_state(hass: HomeAssistant, entry: ConfigEntry, hub: VirtualHub) -> Dialogue:
    """Press a second state of a known protocol."""
    dialogue = await press_button(hass, entry, hub)
    await hub.press_when_listening(shows("COOLIX", "cool", 24))
    return await (await dialogue.arrive("heard")).choose("known_state")


async def search_file(hass: HomeAssistant, entry: ConfigEntry, hub: VirtualHub) -> Dialogue:
    """Press what a code file is to have."""
    dialogue = await press_button(hass, entry, hub)
    await hub.press_when_listening(shows("COOLIX", "cool", 24))
    await (await dialogue.arrive("heard")).choose("which_file")
    put(Path(hass.config.config_dir), {f"{FOLDER}/1.json": file_of(1)})
    await dialogue.submit()
    return await dialogue.progress("press_more")


async def begin_lesson(hass: HomeAssistant, entry: ConfigEntry, hub: VirtualHub) -> Dialogue:
    """Teach an air conditioner."""
    dialogue = await begin_to_teach(hass, entry, hub, CONTROL)
    await dialogue.submit(**answers_about(CONTROL))
    await press_next(dialogue, hub, CONTROL, await states_by_text(hass, CONTROL))
    await question_of(dialogue)
    return dialogue


async def learn_buttons(hass: HomeAssistant, _entry: ConfigEntry, hub: VirtualHub) -> Dialogue:
    """Learn the buttons of a television."""
    dialogue = await begin_to_learn(hass, hub, names=["power", "mute"])
    await wait_for_button(dialogue, "power")
    return dialogue


async def replace_off(hass: HomeAssistant, entry: ConfigEntry, hub: VirtualHub) -> Dialogue:
    """Press what turns a taught air conditioner off."""
    await add_taught(hass, entry, hub, CONTROL)
    return await (await change(hass, entry)).submit(then="own_off")


async def confirm_rule(hass: HomeAssistant, entry: ConfigEntry, hub: VirtualHub) -> Dialogue:
    """Confirm an air conditioner by a press."""
    await add_taught(hass, entry, hub, CONTROL)
    return await (await change(hass, entry)).submit(then="confirm_press")


def choosing(option: str) -> TakeBack:
    """Return what chooses an option."""
    return lambda dialogue: dialogue.choose(option)


def going_to(option: str) -> TakeBack:
    """Return what chooses what comes after the page of a device."""
    return lambda dialogue: dialogue.submit(then=option)


async def send_again(dialogue: Dialogue) -> Dialogue:
    """Send the form once more."""
    return await dialogue.submit(**{"alternative": False, **dialogue.suggested})


def problem_of(dialogue: Dialogue) -> str:
    """Return what a page says of what went wrong."""
    is_form = dialogue.type is FlowResultType.FORM
    return dialogue.error if is_form else dialogue.texts["problem"]


async def until_listening(hub: VirtualHub, kind: str = "ir") -> None:
    """Wait until the hub listens."""
    await hub.until(lambda: hub.receiver.listening == kind)


@pytest.mark.parametrize(
    ("open_page", "stopped_step", "take_back"),
    [
        (learn_command, "learn", send_again),
        (press_button, "not_heard", choosing("press_button")),
        (press_second_state, "known_heard", choosing("known_state")),
        (search_file, "fits_none", choosing("press_anew")),
        (begin_lesson, "ask_stopped", choosing("ask_on")),
        (learn_buttons, "stopped", choosing("hear_on")),
        (replace_off, "ready", going_to("own_off")),
        (confirm_rule, "not_confirmed", choosing("confirm_press")),
    ],
)
@pytest.mark.usefixtures("config_dir")
@pytest.mark.parametrize("model", ["rm_mini"])
async def test_the_newest_page_listens_until_another_listens_again(
    *,
    hass: HomeAssistant,
    lounge: VirtualHub,
    entry: ConfigEntry,
    open_page: Open,
    stopped_step: str,
    take_back: TakeBack,
) -> None:
    first = await open_page(hass, entry, lounge)
    await until_listening(lounge)
    second = await learn_command(hass, entry, lounge)
    await first.arrive(stopped_step)
    assert "Another page listens with Lounge" in problem_of(first)
    await second.progress("press")

    await take_back(first)
    await second.arrive("learn")
    assert "Another page listens with Lounge" in problem_of(second)
    await first.wait(lambda: first.step != stopped_step)
    await until_listening(lounge)

    await send_again(second)
    await second.progress("press")
    await first.arrive(stopped_step)
    await lounge.press_when_listening(HDMI)
    await second.arrive("heard")


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_the_search_for_a_frequency_gives_way(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    first = await learn_by_radio(hass, entry, lounge)
    await first.progress("hold")
    second = await press_button(hass, entry, lounge)
    await first.arrive("learn")
    assert "Another page listens with Lounge" in problem_of(first)
    await lounge.press_when_listening(POWER)
    await second.arrive("heard")


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_lesson_keeps_its_presses_when_another_page_listens(
    hass: HomeAssistant, lounge: VirtualHub, entry: ConfigEntry
) -> None:
    first = await begin_lesson(hass, entry, lounge)
    asked = await question_of(first)
    second = await learn_command(hass, entry, lounge)
    await first.arrive("ask_stopped")
    await lounge.press_when_listening(HDMI)
    await second.arrive("heard")
    await first.choose("ask_on")
    assert await question_of(first) == asked


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_lesson_continues_where_the_other_page_stopped(
    hass: HomeAssistant, lounge: VirtualHub, entry: ConfigEntry
) -> None:
    """Two tabs with the same lesson: what was pressed in either of them counts."""
    first, texts = await begin_lesson(hass, entry, lounge), await states_by_text(hass, CONTROL)
    second = await (await begin(hass, entry)).choose("continue_lesson")
    await first.arrive("ask_stopped")
    for _ in range(3):
        await press_next(second, lounge, CONTROL, texts)
    asked = await question_of(second)
    assert asked[1] == "5"
    await first.choose("ask_on")
    assert await question_of(first) == asked
    await press_next(first, lounge, CONTROL, texts)
    assert (await question_of(first))[1] == "6"


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_three_pages_listen_in_turn(
    hass: HomeAssistant, lounge: VirtualHub, entry: ConfigEntry
) -> None:
    """Whoever is last gets the hub, however soon after the others."""
    first = await learn_command(hass, entry, lounge)
    await until_listening(lounge)
    second, third = await asyncio.gather(
        learn_command(hass, entry, lounge), learn_command(hass, entry, lounge)
    )
    await first.arrive("learn")

    async with asyncio.timeout(20):  # a button that is pressed before is lost, or the loser's
        while "learn" not in {second.step, third.step}:
            await asyncio.sleep(0.02)
            await second.refresh()
            await third.refresh()
    await lounge.press_when_listening(HDMI)
    await second.wait(lambda: second.step != "listen")
    await third.wait(lambda: third.step != "listen")
    assert sorted([str(second.step), str(third.step)]) == ["heard", "learn"]


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_an_action_does_not_end_listening_of_a_page(
    hass: HomeAssistant, lounge: VirtualHub, entry: ConfigEntry
) -> None:
    """A script that learns must not end what somebody does."""
    page = await learn_command(hass, entry, lounge)
    await until_listening(lounge)
    with pytest.raises(ServiceValidationError, match="is already learning"):
        await hass.services.async_call(
            "irhub",
            "learn",
            {"host": lounge.host},
            blocking=True,
            return_response=True,
        )
    await lounge.press_when_listening(HDMI)
    await page.arrive("heard")


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_page_does_not_end_listening_of_an_action(
    hass: HomeAssistant, lounge: VirtualHub, entry: ConfigEntry
) -> None:
    learning = our_hub(hass, lounge).learn()
    async with learning:
        page = await learn_command(hass, entry, lounge)
        await page.arrive("learn")
        assert "is already learning" in problem_of(page)


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_last_received_shows_the_presses_of_another_page(
    hass: HomeAssistant, lounge: VirtualHub, entry: ConfigEntry
) -> None:
    last_heard = await (await configure(hass, entry)).choose("last_heard")
    page = await learn_command(hass, entry, lounge)
    await page.progress("press")
    await lounge.press_when_listening(HDMI)
    await page.arrive("heard")
    await last_heard.choose("last_heard")
    assert "NEC" in last_heard.texts["heard"]


async def test_a_page_that_is_closed_while_it_waits_for_another_ends_cleanly(
    hass: HomeAssistant,
) -> None:
    """It is to listen with two hubs, one of which is with another page, and silent."""
    async with (
        VirtualHub("rm_mini", name="Lounge") as lounge,
        VirtualHub("rm_mini", name="Office", mac="34:EA:34:00:00:42") as office,
    ):
        entry = await add(hass, lounge, receivers=["all"])
        of_office = await add(hass, office)
        await learn_command(hass, of_office, office)
        await until_listening(office)
        office.faults.silent = True
        page = await learn_command(hass, entry, lounge)
        await until(lambda: our_hub(hass, lounge).receiver.learning)
        hass.config_entries.options.async_abort(page.shown["flow_id"])
        await until(lambda: not our_hub(hass, lounge).receiver.learning)
        await until(lambda: not our_hub(hass, office).receiver.learning)
