"""irhub.reload: everything anew, or nothing."""

import asyncio
from pathlib import Path

from homeassistant.core import Event, EventStateChangedData, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.event import async_track_state_change_event
import pytest

from custom_components.irhub.hub.hubs import DATA_HUBS
from tests.home import until
from virtual_home.hub import VirtualHub

from ..home import POWER, RC5, our_hub, send
from .configuration import configure, item, living, reload, start

TWO_MACS = """
remote:
  - {platform: irhub, host: 127.0.0.9, mac: '34:EA:34:00:00:01'}
  - {platform: irhub, host: 127.0.0.9, mac: '34:EA:34:00:00:02'}
"""


async def test_a_changed_entry_takes_effect(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    await start(hass, config_dir, "remote:", item(virtual_hub, "name: Old"))
    await send(hass, virtual_hub, RC5)
    configure(config_dir, "remote:", item(virtual_hub, "name: New", "min_gap: 0.7"))
    await reload(hass)
    [state] = hass.states.async_all()
    assert state.name == "New"
    assert state.entity_id == "remote.old"  # the registry keeps it
    assert our_hub(hass, virtual_hub).settings.min_gap == 0.7
    await send(hass, virtual_hub, RC5)
    assert virtual_hub.transmitted == [POWER, POWER]


@pytest.mark.parametrize("model", ["rm4_mini"])
async def test_all_platforms_are_reset_with_any_scan_interval(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    await start(
        hass,
        config_dir,
        "sensor:",
        item(
            virtual_hub, "name: Slow", "scan_interval: 600", "monitored_conditions: [temperature]"
        ),
        item(virtual_hub, "name: Fast", "scan_interval: 60", "monitored_conditions: [humidity]"),
        "switch:",
        item(virtual_hub, "switches:", f"  tv: {{command_on: '{RC5}', command_off: '{RC5}'}}"),
    )
    assert {"sensor.slow_temperature", "sensor.fast_humidity", "switch.tv"} <= set(
        hass.states.async_entity_ids()
    )
    old = our_hub(hass, virtual_hub)
    configure(config_dir, "remote:", item(virtual_hub))
    await reload(hass)
    assert living(hass) == ["remote.broadlink"]
    assert old.closed
    assert our_hub(hass, virtual_hub) is not old
    await until(lambda: our_hub(hass, virtual_hub).available)


async def test_a_reload_that_is_cancelled_halfway_goes_on(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    """A script that is stopped must not leave Home Assistant without its entities."""
    await start(hass, config_dir, "remote:", item(virtual_hub))
    task = asyncio.create_task(reload(hass))

    @callback
    def cancel(_event: Event[EventStateChangedData]) -> None:
        task.cancel()

    async_track_state_change_event(hass, "remote.broadlink", cancel)
    with pytest.raises(asyncio.CancelledError):
        await task
    await hass.async_block_till_done()
    await until(lambda: our_hub(hass, virtual_hub).available)
    assert living(hass) == ["remote.broadlink"]
    await send(hass, virtual_hub, RC5)
    assert virtual_hub.transmitted == [POWER]


async def test_everything_may_be_removed(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    await start(hass, config_dir, "remote:", item(virtual_hub))
    configure(config_dir, "")
    await reload(hass)
    assert living(hass) == []
    assert hass.data[DATA_HUBS].hubs == []
    requests = len(virtual_hub.logs.received)
    await asyncio.sleep(0.3)
    assert len(virtual_hub.logs.received) == requests


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        ("remote: [", "configuration.yaml"),
        (
            "remote: {platform: irhub, host: 127.0.0.1, mac: nonsense}",
            "not a MAC address",
        ),
        ("remote:\n  - platform: irhub\n    mac: '34:EA:34:00:00:01'", "host"),
        ("switch:\n  - platform: irhub\n    hosts: 1", "hosts"),
        (
            TWO_MACS,
            "34:EA:34:00:00:01 and 34:EA:34:00:00:02",
        ),
    ],
)
async def test_a_mistake_leaves_everything_as_it_is(
    hass: HomeAssistant, config_dir: Path, mistake: str, sentence: str, virtual_hub: VirtualHub
) -> None:
    await start(hass, config_dir, "remote:", item(virtual_hub))
    await until(lambda: our_hub(hass, virtual_hub).available)
    hub = our_hub(hass, virtual_hub)
    configure(config_dir, mistake)
    with pytest.raises(HomeAssistantError, match="Nothing was reloaded") as caught:
        await reload(hass)
    assert sentence in str(caught.value)
    assert our_hub(hass, virtual_hub) is hub
    assert hub.available
    await send(hass, virtual_hub, RC5)
    assert virtual_hub.transmitted == [POWER]


async def test_a_mistake_of_another_integration_is_none_of_ours(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    await start(hass, config_dir, "remote:", item(virtual_hub))
    configure(config_dir, "sensor:", "  - platform: template", "remote:", item(virtual_hub))
    await reload(hass)
    assert living(hass) == ["remote.broadlink"]


async def test_reload_all_reloads_irhub(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    await start(hass, config_dir, "remote:", item(virtual_hub))
    old = our_hub(hass, virtual_hub)
    configure(config_dir, "remote:", item(virtual_hub))
    hass.services.async_register("frontend", "reload_themes", lambda _call: None)
    await hass.services.async_call("homeassistant", "reload_all", {}, blocking=True)
    assert our_hub(hass, virtual_hub) is not old


async def test_calls_under_way_end_with_a_sentence(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    await start(hass, config_dir, "remote:", item(virtual_hub, "min_gap: 30"))
    await send(hass, virtual_hub, RC5)
    calls = [asyncio.create_task(send(hass, virtual_hub, RC5)) for _ in range(50)]
    await asyncio.sleep(0)
    await asyncio.gather(reload(hass), reload(hass))
    for call in calls:
        with pytest.raises(HomeAssistantError, match=r"was closed|cannot be used now"):
            await call
    await until(lambda: our_hub(hass, virtual_hub).available)


async def test_home_assistant_stops_in_the_middle_of_a_reload(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    await start(hass, config_dir, "remote:", item(virtual_hub))
    await until(lambda: our_hub(hass, virtual_hub).available)
    reloading = asyncio.create_task(reload(hass))
    await asyncio.sleep(0)
    await hass.async_stop(force=True)
    await asyncio.wait([reloading])  # Home Assistant may have cancelled it
    with pytest.raises(HomeAssistantError, match=r"was closed|cannot be used now"):
        await send(hass, virtual_hub, RC5)
    requests = len(virtual_hub.logs.received)
    await asyncio.sleep(0.3)
    assert len(virtual_hub.logs.received) == requests
