"""Power strips: four switches over one status."""

import asyncio

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
import pytest

from tests.home import until
from virtual_home.hub import VirtualHub

from ..home import entry, our_status, set_up
from ..switches import history, turn, value

SLOTS = [f"switch.broadlink_switch_slot_{number}" for number in (1, 2, 3, 4)]


@pytest.fixture
def model() -> str:
    """Return the model of the hub of these tests."""
    return "mp1"


async def test_four_switches_share_a_status_read(hass: HomeAssistant) -> None:
    async with VirtualHub("mp1", mac="34:EA:34:00:AB:CD") as hub:
        hub.state.slots = [True, False, False, True]
        await set_up(hass, "switch", entry(hub, type="mp1"))
        await until(lambda: [value(hass, slot) for slot in SLOTS] == ["on", "off", "off", "on"])
        assert hub.count("status") == 1
        await turn(hass, "on", SLOTS[2])
        await turn(hass, "off", SLOTS[0])
        assert hub.state.slots == [False, False, True, True]
        assert [value(hass, slot) for slot in SLOTS] == ["off", "off", "on", "on"]
        registry = er.async_get(hass)
        assert [registry.entities[slot].unique_id for slot in SLOTS] == [
            f"34ea3400abcd-slot_{number}" for number in (1, 2, 3, 4)
        ]


async def test_slots_have_names(hass: HomeAssistant, virtual_hub: VirtualHub) -> None:
    slots = {"slot_1": "TV", "slot_3": "Desk lamp"}
    await set_up(hass, "switch", entry(virtual_hub, friendly_name="Strip", slots=slots))
    names = {state.entity_id: state.name for state in hass.states.async_all()}
    assert names == {
        "switch.tv": "TV",
        "switch.strip_slot_2": "Strip slot 2",
        "switch.desk_lamp": "Desk lamp",
        "switch.strip_slot_4": "Strip slot 4",
    }


@pytest.mark.parametrize("keys", [{"type": "mp1"}, {"slots": {}}])
async def test_unknown_hardware_works_as_a_strip(
    hass: HomeAssistant, keys: dict[str, object]
) -> None:
    async with VirtualHub("mp1", devtype=0xFFFE) as hub:
        await set_up(hass, "switch", entry(hub, **keys))
        await until(lambda: value(hass, SLOTS[0]) == "off")
        await turn(hass, "on", SLOTS[0])
        assert hub.state.slots[0]


async def test_a_strip_found_under_a_bare_entry(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "switch", entry(virtual_hub))
    await until(lambda: len(hass.states.async_all()) == len(SLOTS))
    await turn(hass, "on", SLOTS[3])
    assert virtual_hub.state.slots == [False, False, False, True]


async def test_all_slots_at_once(hass: HomeAssistant, virtual_hub: VirtualHub) -> None:
    await set_up(hass, "switch", entry(virtual_hub, type="mp1"))
    await until(lambda: value(hass, SLOTS[0]) == "off")
    await asyncio.gather(*(turn(hass, "on", slot) for slot in SLOTS))
    assert virtual_hub.state.slots == [True] * 4
    assert [value(hass, slot) for slot in SLOTS] == ["on"] * 4


async def test_a_command_before_the_first_status(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    virtual_hub.faults.errors += [-3]
    await set_up(hass, "switch", entry(virtual_hub, type="mp1"))
    await virtual_hub.until(lambda: not virtual_hub.faults.errors)
    await until(lambda: value(hass, SLOTS[0]) == "unknown")
    await turn(hass, "on", SLOTS[1])
    assert [value(hass, slot) for slot in SLOTS] == ["unknown", "on", "unknown", "unknown"]


async def test_toggling_fifty_times_during_polling_never_bounces(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "switch", entry(virtual_hub, type="mp1"))
    await until(lambda: value(hass, SLOTS[1]) == "off")
    states = history(hass, SLOTS[1])
    coordinator = our_status(hass, virtual_hub)
    virtual_hub.faults.slow = 0.003
    polls = virtual_hub.count("status")

    async def keep_polling() -> None:
        while True:
            await coordinator.async_refresh()
            await asyncio.sleep(0.001)

    polling = asyncio.create_task(keep_polling())
    expected = ["on", "off"] * 25
    for state in expected:
        await turn(hass, state, SLOTS[1])
        assert value(hass, SLOTS[1]) == state
    polling.cancel()
    await asyncio.wait([polling])
    await hass.async_block_till_done()
    assert states == expected
    assert virtual_hub.count("status") > polls + 20
    assert virtual_hub.count("set") == 50


async def test_a_read_that_waited_behind_a_command_does_not_bring_the_old_state_back(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    virtual_hub.state.lag = 1.0
    await set_up(hass, "switch", entry(virtual_hub, type="mp1"))
    await until(lambda: value(hass, SLOTS[1]) == "off")
    states = history(hass, SLOTS[1])
    coordinator = our_status(hass, virtual_hub)
    virtual_hub.faults.slow = 0.05
    turning = asyncio.create_task(turn(hass, "on", SLOTS[1]))
    await virtual_hub.until(lambda: virtual_hub.count("set") == 1)
    reading = asyncio.create_task(coordinator.async_refresh())
    await turning
    await reading
    await hass.async_block_till_done()
    assert virtual_hub.count("status") == 2
    assert states == ["on"]


async def test_duplicated_and_overtaken_replies_do_not_bounce(hass: HomeAssistant) -> None:
    async with VirtualHub("mp1", seed=5) as hub:
        await set_up(hass, "switch", entry(hub, type="mp1", timeout=5))
        await until(lambda: value(hass, SLOTS[1]) == "off")
        states = history(hass, SLOTS[1])
        coordinator = our_status(hass, hub)
        hub.faults.duplicate = hub.faults.reorder = 0.5
        expected = ["on", "off"] * 8
        for state in expected:
            reading = asyncio.create_task(coordinator.async_refresh())
            await turn(hass, state, SLOTS[1])
            await reading
            assert hub.state.slots[1] is (state == "on")
        await hass.async_block_till_done()
        assert states == expected
        assert hub.count("set") == len(expected)


async def test_a_lost_reply_is_asked_for_again_and_switches_once(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "switch", entry(virtual_hub, type="mp1", timeout=5))
    await until(lambda: value(hass, SLOTS[1]) == "off")
    virtual_hub.faults.lose_replies = 1
    await turn(hass, "on", SLOTS[1])
    assert virtual_hub.count("set") == 1
    assert value(hass, SLOTS[1]) == "on"


async def test_a_reboot_in_the_middle_of_a_command(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "switch", entry(virtual_hub, type="mp1", timeout=5))
    await until(lambda: value(hass, SLOTS[1]) == "off")
    virtual_hub.reboot(downtime=0.5)
    await turn(hass, "on", SLOTS[1])
    assert virtual_hub.state.slots[1]
    assert value(hass, SLOTS[1]) == "on"
    assert virtual_hub.count("auth") == 2


async def test_a_refused_command_leaves_the_slot(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "switch", entry(virtual_hub, type="mp1"))
    await until(lambda: value(hass, SLOTS[1]) == "off")
    virtual_hub.faults.errors.append(-9)
    with pytest.raises(HomeAssistantError, match="refused"):
        await turn(hass, "on", SLOTS[1])
    assert value(hass, SLOTS[1]) == "off"


async def test_an_offline_strip_is_unavailable(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    virtual_hub.faults.silent = True
    await set_up(hass, "switch", entry(virtual_hub, type="mp1"))
    assert [value(hass, slot) for slot in SLOTS] == ["unavailable"] * 4
