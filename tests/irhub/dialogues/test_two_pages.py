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
from .lessons import answers_of, asked_of, begin, begin_to_teach, press_next, taught, texts_of
from .remotes import asked_for, begin as begin_to_learn

pytestmark = pytest.mark.usefixtures(
    "no_collection", "no_pauses", "no_double_clicks", "steady_time"
)

type Open = Callable[[HomeAssistant, ConfigEntry, VirtualHub], Awaitable[Dialogue]]
type TakeBack = Callable[[Dialogue], Awaitable[Dialogue]]

CONTROL: RemoteControl = rolling_bit()


async def command(hass: HomeAssistant, entry: ConfigEntry, _hub: VirtualHub) -> Dialogue:
    """Learn a command."""
    dialogue = await (await configure(hass, entry)).choose("learn")
    return await dialogue.submit(device="fan", command="off", alternative=False)


async def by_radio(hass: HomeAssistant, entry: ConfigEntry, _hub: VirtualHub) -> Dialogue:
    """Learn a command by radio, of which the hub looks for the frequency."""
    dialogue = await (await configure(hass, entry)).choose("learn")
    answers = {"device": "fan", "command": "off", "command_type": "rf", "alternative": False}
    return await dialogue.submit(**answers)


async def pressed(hass: HomeAssistant, entry: ConfigEntry, _hub: VirtualHub) -> Dialogue:
    """Press a button of an air conditioner."""
    return await (await begin_appliance(hass, entry)).choose("press_button")


async def second_press(hass: HomeAssistant, entry: ConfigEntry, hub: VirtualHub) -> Dialogue:
    """Press a second state of a known protocol."""
    dialogue = await pressed(hass, entry, hub)
    await hub.press_when_listening(shows("COOLIX", "cool", 24))
    return await (await dialogue.arrive("heard")).choose("known_state")


async def of_a_file(hass: HomeAssistant, entry: ConfigEntry, hub: VirtualHub) -> Dialogue:
    """Press what a code file is to have."""
    dialogue = await pressed(hass, entry, hub)
    await hub.press_when_listening(shows("COOLIX", "cool", 24))
    await (await dialogue.arrive("heard")).choose("which_file")
    put(Path(hass.config.config_dir), {f"{FOLDER}/1.json": file_of(1)})
    await dialogue.submit()
    return await dialogue.progress("press_more")


async def lesson(hass: HomeAssistant, entry: ConfigEntry, hub: VirtualHub) -> Dialogue:
    """Teach an air conditioner."""
    dialogue = await begin_to_teach(hass, entry, hub, CONTROL)
    await dialogue.submit(**answers_of(CONTROL))
    await press_next(dialogue, hub, CONTROL, await texts_of(hass, CONTROL))
    await asked_of(dialogue)
    return dialogue


async def buttons(hass: HomeAssistant, _entry: ConfigEntry, hub: VirtualHub) -> Dialogue:
    """Learn the buttons of a television."""
    dialogue = await begin_to_learn(hass, hub, names=["power", "mute"])
    await asked_for(dialogue, "power")
    return dialogue


async def press_off(hass: HomeAssistant, entry: ConfigEntry, hub: VirtualHub) -> Dialogue:
    """Press what turns a taught air conditioner off."""
    await taught(hass, entry, hub, CONTROL)
    return await (await change(hass, entry)).submit(then="own_off")


async def confirmed(hass: HomeAssistant, entry: ConfigEntry, hub: VirtualHub) -> Dialogue:
    """Confirm an air conditioner by a press."""
    await taught(hass, entry, hub, CONTROL)
    return await (await change(hass, entry)).submit(then="confirm_press")


def again(option: str) -> TakeBack:
    """Return what chooses an option."""
    return lambda dialogue: dialogue.choose(option)


def then(option: str) -> TakeBack:
    """Return what chooses what comes after the page of a device."""
    return lambda dialogue: dialogue.submit(then=option)


async def send_again(dialogue: Dialogue) -> Dialogue:
    """Send the form once more."""
    return await dialogue.submit(**{"alternative": False, **dialogue.suggested})


def problem(dialogue: Dialogue) -> str:
    """Return what a page says of what went wrong."""
    is_form = dialogue.type is FlowResultType.FORM
    return dialogue.error if is_form else dialogue.texts["problem"]


async def listens(hub: VirtualHub, kind: str = "ir") -> None:
    """Wait until the hub listens."""
    await hub.until(lambda: hub.receiver.listening == kind)


@pytest.mark.parametrize(
    ("opened", "says_so_on", "take_back"),
    [
        (command, "learn", send_again),
        (pressed, "not_heard", again("press_button")),
        (second_press, "known_heard", again("known_state")),
        (of_a_file, "fits_none", again("press_anew")),
        (lesson, "ask_stopped", again("ask_on")),
        (buttons, "stopped", again("hear_on")),
        (press_off, "ready", then("own_off")),
        (confirmed, "not_confirmed", again("confirm_press")),
    ],
)
@pytest.mark.usefixtures("config_dir")
@pytest.mark.parametrize("model", ["rm_mini"])
async def test_the_later_page_listens_and_the_other_can_take_it_back(
    *,
    hass: HomeAssistant,
    lounge: VirtualHub,
    entry: ConfigEntry,
    opened: Open,
    says_so_on: str,
    take_back: TakeBack,
) -> None:
    first = await opened(hass, entry, lounge)
    await listens(lounge)
    second = await command(hass, entry, lounge)
    await first.arrive(says_so_on)
    assert "Another page listens with Lounge" in problem(first)
    await second.progress("press")

    await take_back(first)
    await second.arrive("learn")
    assert "Another page listens with Lounge" in problem(second)
    await first.wait(lambda: first.step != says_so_on)
    await listens(lounge)

    await send_again(second)
    await second.progress("press")
    await first.arrive(says_so_on)
    await lounge.press_when_listening(HDMI)
    await second.arrive("heard")


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_the_search_for_a_frequency_gives_way(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    first = await by_radio(hass, entry, lounge)
    await first.progress("hold")
    second = await pressed(hass, entry, lounge)
    await first.arrive("learn")
    assert "Another page listens with Lounge" in problem(first)
    await lounge.press_when_listening(POWER)
    await second.arrive("heard")


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_lesson_keeps_what_was_pressed_before_the_other_page(
    hass: HomeAssistant, lounge: VirtualHub, entry: ConfigEntry
) -> None:
    first = await lesson(hass, entry, lounge)
    asked = await asked_of(first)
    second = await command(hass, entry, lounge)
    await first.arrive("ask_stopped")
    await lounge.press_when_listening(HDMI)
    await second.arrive("heard")
    await first.choose("ask_on")
    assert await asked_of(first) == asked


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_lesson_continues_where_the_other_page_stopped(
    hass: HomeAssistant, lounge: VirtualHub, entry: ConfigEntry
) -> None:
    """Two tabs with the same lesson: what was pressed in either of them counts."""
    first, texts = await lesson(hass, entry, lounge), await texts_of(hass, CONTROL)
    second = await (await begin(hass, entry)).choose("continue_lesson")
    await first.arrive("ask_stopped")
    for _ in range(3):
        await press_next(second, lounge, CONTROL, texts)
    asked = await asked_of(second)
    assert asked[1] == "5"
    await first.choose("ask_on")
    assert await asked_of(first) == asked
    await press_next(first, lounge, CONTROL, texts)
    assert (await asked_of(first))[1] == "6"


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_three_pages_at_once(
    hass: HomeAssistant, lounge: VirtualHub, entry: ConfigEntry
) -> None:
    """Whoever is last gets the hub, however soon after the others."""
    first = await command(hass, entry, lounge)
    await listens(lounge)
    second, third = await asyncio.gather(command(hass, entry, lounge), command(hass, entry, lounge))
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
async def test_no_action_takes_the_hub_from_a_page(
    hass: HomeAssistant, lounge: VirtualHub, entry: ConfigEntry
) -> None:
    """A script that learns must not end what somebody does."""
    page = await command(hass, entry, lounge)
    await listens(lounge)
    with pytest.raises(ServiceValidationError, match="is learning already"):
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
async def test_no_page_takes_the_hub_from_an_action(
    hass: HomeAssistant, lounge: VirtualHub, entry: ConfigEntry
) -> None:
    learning = our_hub(hass, lounge).learn()
    async with learning:
        page = await command(hass, entry, lounge)
        await page.arrive("learn")
        assert "is learning already" in problem(page)


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_last_received_shows_the_presses_of_another_page(
    hass: HomeAssistant, lounge: VirtualHub, entry: ConfigEntry
) -> None:
    last_heard = await (await configure(hass, entry)).choose("last_heard")
    page = await command(hass, entry, lounge)
    await page.progress("press")
    await lounge.press_when_listening(HDMI)
    await page.arrive("heard")
    await last_heard.choose("last_heard")
    assert "NEC" in last_heard.texts["heard"]


async def test_a_page_that_is_closed_before_the_other_gave_way_leaves_nothing(
    hass: HomeAssistant,
) -> None:
    """It is to listen with two hubs, one of which is with another page, and silent."""
    async with (
        VirtualHub("rm_mini", name="Lounge") as lounge,
        VirtualHub("rm_mini", name="Office", mac="34:EA:34:00:00:42") as office,
    ):
        entry = await add(hass, lounge, receivers=["all"])
        of_office = await add(hass, office)
        await command(hass, of_office, office)
        await listens(office)
        office.faults.silent = True
        page = await command(hass, entry, lounge)
        await until(lambda: our_hub(hass, lounge).receiver.learning)
        hass.config_entries.options.async_abort(page.shown["flow_id"])
        await until(lambda: not our_hub(hass, lounge).receiver.learning)
        await until(lambda: not our_hub(hass, office).receiver.learning)
