"""Plugs of every family, from YAML to the socket."""

import asyncio
from datetime import timedelta
from functools import partial
from typing import Any

from homeassistant.core import HomeAssistant, State
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
from homeassistant.util import dt as dt_util
from homeassistant.util.async_ import get_scheduled_timer_handles
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    async_fire_time_changed,
    mock_restore_cache,
)

from tests.home import until
from virtual_home.hub import VirtualHub

from ..home import entry, our_hub, set_up
from ..switches import history, turn, value

PLUG = "switch.broadlink_switch"
INTERVAL_S = 30

TYPES = [
    ("sp2", "sp2s"),
    ("sp2", "sp2"),
    ("honeywell_sp2", "honeywell_sp2"),
    ("sp3", "sp_mini_3"),
    ("sp3", "sp3"),
    ("sp3", "sp3s"),
    ("spmini2", "spmini2"),
    ("spminiplus", "spminiplus"),
]


@pytest.fixture
def model() -> str:
    """Return the model of the hub of these tests."""
    return "sp2"


def attributes(hass: HomeAssistant) -> dict[str, Any]:
    """Return the plug's attributes."""
    state = hass.states.get(PLUG)
    assert state is not None
    return dict(state.attributes)


def pass_time(hass: HomeAssistant, seconds: float = INTERVAL_S) -> None:
    """Let Home Assistant's timers run."""
    async_fire_time_changed(hass, dt_util.utcnow() + timedelta(seconds=seconds))


@pytest.mark.parametrize(("kind", "model"), TYPES)
async def test_every_type_of_plug(hass: HomeAssistant, kind: str, virtual_hub: VirtualHub) -> None:
    virtual_hub.state.power = True
    await set_up(hass, "switch", entry(virtual_hub, type=kind))
    await until(lambda: value(hass, PLUG) == "on")
    await turn(hass, "off", PLUG)
    assert not virtual_hub.state.power
    assert value(hass, PLUG) == "off"
    virtual_hub.state.power = True  # by the button on the plug
    pass_time(hass)
    await until(lambda: value(hass, PLUG) == "on")
    assert attributes(hass)["device_class"] == "outlet"
    assert "assumed_state" not in attributes(hass)


@pytest.mark.parametrize("devtype", [0x7547, 0xFFFE])
async def test_an_sc1_and_unknown_hardware_work_as_the_configured_type(
    hass: HomeAssistant, devtype: int
) -> None:
    async with VirtualHub("sp2", devtype=devtype) as hub:
        await set_up(hass, "switch", entry(hub, type="sp2"))
        await until(lambda: value(hass, PLUG) == "off")
        await turn(hass, "on", PLUG)
        assert hub.state.power


@pytest.mark.parametrize(
    ("model", "watts", "shown"),
    [("sp2s", 1234.567, 1234.57), ("spminiplus", 0.5, 0.5), ("sp3s", 12.34, 12.34)],
)
async def test_metered_plugs_show_their_power(
    hass: HomeAssistant, watts: float, shown: float, virtual_hub: VirtualHub
) -> None:
    virtual_hub.state.power, virtual_hub.state.watts = True, watts
    await set_up(hass, "switch", entry(virtual_hub, type="sp2"))
    await until(lambda: value(hass, PLUG) == "on")
    assert attributes(hass)["current_power_w"] == shown
    await turn(hass, "off", PLUG)
    pass_time(hass, 2)
    await until(lambda: attributes(hass).get("current_power_w") == 0.0)


@pytest.mark.parametrize("model", ["sp2", "sp3"])
async def test_a_plug_without_a_meter_shows_no_power(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "switch", entry(virtual_hub, type="sp2"))
    await until(lambda: value(hass, PLUG) == "off")
    assert "current_power_w" not in attributes(hass)
    assert virtual_hub.count("energy") == 0


@pytest.mark.parametrize("model", ["sp2s"])
async def test_a_broken_meter_does_not_hide_the_socket(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    virtual_hub.state.power = True
    virtual_hub.faults.errors += [0, -4]
    await set_up(hass, "switch", entry(virtual_hub, type="sp2"))
    await until(lambda: value(hass, PLUG) == "on")
    assert "current_power_w" not in attributes(hass)


@pytest.mark.parametrize("model", ["sp2s"])
async def test_a_plug_that_falls_silent_between_its_two_answers_is_unavailable(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    virtual_hub.state.power = True
    await set_up(hass, "switch", entry(virtual_hub, type="sp2", timeout=0.2))
    await virtual_hub.until(lambda: virtual_hub.count("status") == 1)
    virtual_hub.faults.silent = True
    await until(lambda: not our_hub(hass, virtual_hub).available)
    assert value(hass, PLUG) == "unavailable"
    assert virtual_hub.count("energy") == 0


@pytest.mark.parametrize("model", ["sp3"])
async def test_the_night_light_of_an_sp3_stays_on(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    virtual_hub.state.night_light = True
    await set_up(hass, "switch", entry(virtual_hub, type="sp2"))
    await until(lambda: value(hass, PLUG) == "off")
    for state in ("on", "off"):
        await turn(hass, state, PLUG)
        assert virtual_hub.state.power is (state == "on")
        assert virtual_hub.state.night_light


@pytest.mark.parametrize("model", ["sp1"])
async def test_an_sp1_is_assumed_restored_and_never_unavailable(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    mock_restore_cache(hass, [State(PLUG, "on")])
    virtual_hub.faults.silent = True
    await set_up(hass, "switch", entry(virtual_hub, type="sp1", timeout=0.2))
    assert value(hass, PLUG) == "on"
    assert attributes(hass)["assumed_state"] is True
    with pytest.raises(HomeAssistantError, match="does not answer"):
        await turn(hass, "off", PLUG)
    assert value(hass, PLUG) == "on"
    virtual_hub.faults.clear()
    virtual_hub.state.power = True
    await turn(hass, "off", PLUG)
    assert value(hass, PLUG) == "off"
    assert not virtual_hub.state.power
    assert virtual_hub.count("status") == 0


async def test_name_and_unique_id(hass: HomeAssistant) -> None:
    async with VirtualHub("sp2", mac="34:EA:34:00:AB:CD") as hub:
        await set_up(hass, "switch", entry(hub, type="sp2", friendly_name="Lamp"))
        await until(lambda: value(hass, "switch.lamp") == "off")
        registered = er.async_get(hass).async_get("switch.lamp")
        assert registered is not None
        assert registered.unique_id == "34ea3400abcd"


@pytest.mark.parametrize("model", ["sp1", "sp2s", "sp3"])
async def test_a_plug_found_under_a_bare_entry_gets_its_entity(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "switch", entry(virtual_hub))
    await until(lambda: hass.states.get(PLUG) is not None)
    await turn(hass, "on", PLUG)
    assert virtual_hub.state.power


async def test_a_known_plug_under_a_bare_entry_exists_before_it_answers(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    async with VirtualHub("sp2", mac="34:EA:34:00:AB:CD") as hub:
        await set_up(hass, "switch", entry(hub))
        await until(lambda: hass.states.get(PLUG) is not None)
        await hass.async_block_till_done()
        assert hass_storage["irhub.device_types"]["data"] == {"34ea3400abcd": hub.devtype}


async def test_what_was_remembered_makes_the_entity_at_once(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    hass_storage["irhub.device_types"] = {
        "version": 1,
        "minor_version": 1,
        "key": "irhub.device_types",
        "data": {"34ea3400abcd": 0x2711},
    }
    async with VirtualHub("sp2s", mac="34:EA:34:00:AB:CD") as hub:
        hub.faults.silent = True
        await set_up(hass, "switch", entry(hub))
        assert value(hass, PLUG) == "unavailable"


async def test_a_wrong_type_gives_way_to_the_device(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "switch", entry(virtual_hub, type="mp1"))
    await until(lambda: hass.states.get(PLUG) is not None)
    await hass.async_block_till_done()
    assert hass.states.async_entity_ids() == [PLUG]
    assert "is not of the configured type mp1" in caplog.text


async def test_a_thermostat_is_no_plug(hass: HomeAssistant) -> None:
    async with VirtualHub("sp2", devtype=0x4EAD) as hub:
        await set_up(hass, "switch", entry(hub))
        await until(lambda: our_hub(hass, hub).available)
        await hass.async_block_till_done()
        assert not hass.states.async_all()


async def test_an_offline_plug_is_unavailable_and_comes_back(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    virtual_hub.faults.silent = True
    await set_up(hass, "switch", entry(virtual_hub, type="sp2", timeout=0.2))
    await until(lambda: "does not answer" in caplog.text)
    assert value(hass, PLUG) == "unavailable"
    virtual_hub.faults.clear()
    pass_time(hass, 61)
    await until(lambda: value(hass, PLUG) == "off")
    virtual_hub.faults.silent = True
    with pytest.raises(HomeAssistantError, match="does not answer: is it plugged in"):
        await turn(hass, "on", PLUG)
    await until(lambda: value(hass, PLUG) == "unavailable")


@pytest.mark.parametrize("retry", [0, 2])
async def test_further_polls_before_unavailable(
    hass: HomeAssistant, retry: int, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "switch", entry(virtual_hub, type="sp2", retry=retry))
    await until(lambda: value(hass, PLUG) == "off")
    polls = virtual_hub.count("status")
    virtual_hub.faults.errors += [-3] * (retry + 1)
    for _ in range(retry):
        pass_time(hass)
        polls += 1
        await until(partial(_polled, virtual_hub, polls))
        assert value(hass, PLUG) == "off"
    pass_time(hass)
    await until(lambda: value(hass, PLUG) == "unavailable")
    pass_time(hass)
    await until(lambda: value(hass, PLUG) == "off")


def _polled(hub: VirtualHub, times: int) -> bool:
    return hub.count("status") == times


async def test_retry_is_never_applied_to_commands(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "switch", entry(virtual_hub, type="sp2"))
    await until(lambda: value(hass, PLUG) == "off")
    virtual_hub.faults.errors.append(-3)
    with pytest.raises(HomeAssistantError, match="refused"):
        await turn(hass, "on", PLUG)
    assert virtual_hub.count("set") == 1
    assert value(hass, PLUG) == "off"


async def test_two_seconds_after_a_command_the_state_is_read_again(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "switch", entry(virtual_hub, type="sp2"))
    await until(lambda: value(hass, PLUG) == "off")
    readings = virtual_hub.count("status")
    await turn(hass, "on", PLUG)
    virtual_hub.state.power = False  # the plug did not keep it
    pass_time(hass, 1)
    await asyncio.sleep(0.1)
    assert virtual_hub.count("status") == readings
    assert value(hass, PLUG) == "on"
    pass_time(hass, 2)
    await until(lambda: value(hass, PLUG) == "off")


async def test_a_poll_that_began_before_a_command_does_not_overwrite_it(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "switch", entry(virtual_hub, type="sp2"))
    await until(lambda: value(hass, PLUG) == "off")
    states = history(hass, PLUG)
    virtual_hub.faults.slow = 0.05
    polls = virtual_hub.count("status")
    pass_time(hass)
    await virtual_hub.until(lambda: virtual_hub.count("status") > polls)
    turning = asyncio.create_task(turn(hass, "on", PLUG))
    await asyncio.sleep(0)
    await turning
    await hass.async_block_till_done()
    assert states == ["on"]
    assert value(hass, PLUG) == "on"


async def test_a_command_that_ends_with_the_hub_leaves_no_timer(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "switch", entry(virtual_hub, type="sp2", timeout=30))
    await until(lambda: value(hass, PLUG) == "off")
    virtual_hub.faults.silent = True
    arrived = virtual_hub.arrived
    turning = asyncio.create_task(turn(hass, "on", PLUG))
    await until(lambda: virtual_hub.arrived > arrived)
    await our_hub(hass, virtual_hub).close()
    with pytest.raises(HomeAssistantError, match="was closed"):
        await turning
    timers = [timer for timer in get_scheduled_timer_handles(hass.loop) if not timer.cancelled()]
    assert not [timer for timer in timers if "_run_async_call_action" in repr(timer)]
