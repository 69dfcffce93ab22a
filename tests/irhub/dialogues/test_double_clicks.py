"""An option that is clicked twice: the frontend takes both clicks before the next page is there."""

import asyncio
from collections.abc import Sequence

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import EVENT_DATA_ENTRY_FLOW_PROGRESSED, FlowResultType
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    async_capture_events,
)

from custom_components.irhub.dialogues import options as options_flow
from custom_components.irhub.entities.use import IrhubConfigEntry
from tests.home import until
from virtual_home.hub import VirtualHub

from ..buttons import learn
from ..dialogue import Dialogue, add, configure
from ..home import HDMI, NEC, RC5, commands, known
from .lessons import begin

pytestmark = pytest.mark.usefixtures("no_collection", "no_pauses")

type Answer = str | dict[str, object]
"""An option of a menu, or what a form is answered."""

OVERVIEW: Sequence[Sequence[Answer]] = (
    (),  # itself
    ("delete", {"device": "tv"}, {"whole": True}),
    ("learn", {"device": "tv", "command": "power"}),
    ("import_codes", {"text": RC5, "device": "tv", "command": "ok"}),
    ("last_heard",),
    ("rename", {"device": "tv"}, {}, {"device": "set"}),
)
"""Ways from the overview of a hub to its menus that need no press."""
DOOR: Sequence[Sequence[Answer]] = (
    (),
    ("air_conditioner",),
    ("television",),
    ("other",),
)
"""Ways from *Add appliance* to its menus."""


async def walk(dialogue: Dialogue, way: Sequence[Answer]) -> Dialogue:
    """Go a way of options and answers."""
    for answer in way:
        step = {"next_step_id": answer} if isinstance(answer, str) else answer
        await dialogue.submit(**step)
    assert dialogue.type is FlowResultType.MENU, dialogue.step
    return dialogue


async def click_twice(dialogue: Dialogue, option: str) -> Dialogue:
    """Click on an option twice. What the frontend got an error for, it would close."""
    await dialogue.submit(next_step_id=option)
    return await dialogue.submit(next_step_id=option)


def options(dialogue: Dialogue) -> list[str]:
    """Return what the menu offers."""
    offered = dialogue.shown["menu_options"]
    assert isinstance(offered, list)
    return offered


async def overview(hass: HomeAssistant, entry: ConfigEntry, way: Sequence[Answer]) -> Dialogue:
    """Have two devices, and one that was deleted; go a way from the overview."""
    for name in {*commands(known(hass))}:
        await known(hass).delete_named(name)
    await learn(hass, tv={"power": NEC, "mute": RC5}, fan={"off": NEC})
    return await walk(await configure(hass, entry), way)


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_double_click_on_add_appliance_starts_a_single_flow(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, lounge: VirtualHub
) -> None:
    monkeypatch.setattr(options_flow, "CAN_HAND_OVER", True)
    entry = await add(hass, lounge)
    dialogue = await click_twice(await overview(hass, entry, ()), "add_appliance")
    await dialogue.wait(lambda: dialogue.type is FlowResultType.ABORT)
    assert len(hass.config_entries.subentries.async_progress()) == 1


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_double_click_deletes_a_single_command(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    """The second click comes while the first is still being written."""
    dialogue = await overview(hass, entry, OVERVIEW[1])
    clicks = [dialogue.submit(next_step_id="delete_now") for _ in range(2)]
    await asyncio.gather(*clicks)
    assert (await dialogue.refresh()).step == "deleted"


@pytest.mark.parametrize("way", OVERVIEW, ids=lambda way: way[0] if way else "init")
@pytest.mark.parametrize("model", ["rm_mini"])
async def test_double_clicks_in_the_menus_of_a_hub(
    hass: HomeAssistant, way: Sequence[Answer], entry: IrhubConfigEntry
) -> None:
    flows = hass.config_entries.options
    for option in options(await overview(hass, entry, way)):
        once = await (await overview(hass, entry, way)).choose(option)
        flows.async_abort(once.shown["flow_id"])
        twice = await click_twice(await overview(hass, entry, way), option)
        assert (twice.step, twice.type) == (once.step, once.type), option
        flows.async_abort(twice.shown["flow_id"])


@pytest.mark.parametrize("way", DOOR, ids=lambda way: way[0] if way else "user")
@pytest.mark.parametrize("model", ["rm_mini"])
async def test_double_clicks_in_the_menus_of_add_appliance(
    hass: HomeAssistant, way: Sequence[Answer], entry: IrhubConfigEntry
) -> None:
    await learn(hass, tv={"power": NEC})
    flows = hass.config_entries.subentries
    for option in options(await walk(await begin(hass, entry), way)):
        once = await (await walk(await begin(hass, entry), way)).choose(option)
        flows.async_abort(once.shown["flow_id"])
        twice = await click_twice(await walk(await begin(hass, entry), way), option)
        assert (twice.step, twice.type) == (once.step, once.type), option
        flows.async_abort(twice.shown["flow_id"])


async def test_the_page_after_a_press_is_announced_once(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    """A browser that is notified twice draws it twice, and loses a click on the first one."""
    dialogue = await (await begin(hass, entry)).choose("air_conditioner")
    await (await dialogue.choose("press_button")).progress("press_state")
    await lounge.until(lambda: lounge.receiver.listening == "ir")
    events = async_capture_events(hass, EVENT_DATA_ENTRY_FLOW_PROGRESSED)
    await lounge.press_when_listening(HDMI)
    await until(lambda: events)
    await hass.async_block_till_done()
    await dialogue.refresh()
    assert dialogue.step == "heard"
    await hass.async_block_till_done()
    assert len(events) == 1
