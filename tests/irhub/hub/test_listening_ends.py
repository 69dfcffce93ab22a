"""A page that listens: however it goes, its task, its timers and the hub's listening end."""

import asyncio
from collections.abc import Awaitable, Callable

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
import pytest

from custom_components.irhub.entities.use import IrhubConfigEntry
from tests.home import until
from virtual_home.hub import VirtualHub

from ..dialogue import Dialogue, configure
from ..dialogues.appliances import begin
from ..dialogues.lessons import answers_about, begin_to_teach
from ..ircodes.teaching.remotes import rolling_bit

pytestmark = pytest.mark.usefixtures("no_collection", "no_pauses")

type Way = Callable[[HomeAssistant, ConfigEntry, VirtualHub], Awaitable[Dialogue]]


async def one_command(hass: HomeAssistant, entry: ConfigEntry, _hub: VirtualHub) -> Dialogue:
    dialogue = await (await configure(hass, entry)).choose("learn")
    return await dialogue.submit(device="tv", command="power", alternative=False)


async def one_press(hass: HomeAssistant, entry: ConfigEntry, _hub: VirtualHub) -> Dialogue:
    return await (await begin(hass, entry, "television")).choose("press_button")


async def button_by_button(hass: HomeAssistant, entry: ConfigEntry, _hub: VirtualHub) -> Dialogue:
    dialogue = await (await begin(hass, entry, "television")).choose("learn_remote")
    return await dialogue.submit(name="TV", buttons=["power", "mute"])


async def taught(hass: HomeAssistant, entry: ConfigEntry, hub: VirtualHub) -> Dialogue:
    return await (await begin_to_teach(hass, entry, hub, rolling_bit())).submit(
        **answers_about(rolling_bit())
    )


async def close(hass: HomeAssistant, _entry: ConfigEntry) -> None:
    """Click beside the dialogue."""
    flows = hass.config_entries
    for manager in (flows.options, flows.subentries):
        for flow in manager.async_progress():
            manager.async_abort(flow["flow_id"])


async def unload(hass: HomeAssistant, entry: ConfigEntry) -> None:
    """Disable the hub."""
    assert await hass.config_entries.async_unload(entry.entry_id)


async def stop(hass: HomeAssistant, _entry: ConfigEntry) -> None:
    """Stop Home Assistant."""
    await hass.async_stop()


def of_ours() -> list[str]:
    """Return what runs for a page that listens."""
    names = (task.get_name() for task in asyncio.all_tasks())
    return [name for name in names if name.startswith(("irhub: learn", "irhub: wait"))]


@pytest.mark.parametrize("end", [close, unload, stop])
@pytest.mark.parametrize("way", [one_command, one_press, button_by_button, taught])
async def test_however_the_page_goes(
    hass: HomeAssistant,
    way: Way,
    end: Callable[[HomeAssistant, ConfigEntry], Awaitable[None]],
    lounge: VirtualHub,
    entry: IrhubConfigEntry,
) -> None:
    await way(hass, entry, lounge)
    await lounge.until(lambda: lounge.receiver.listening == "ir")
    assert of_ours()
    await end(hass, entry)
    await until(lambda: not of_ours())
    await lounge.until(lambda: lounge.receiver.listening is None)
