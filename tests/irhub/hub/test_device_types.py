"""What a device said of itself is known when it is off at the next start."""

from typing import Any

from homeassistant.core import HomeAssistant
import pytest

from custom_components.irhub.hub.library import Capability
from tests.home import until
from virtual_home.hub import VirtualHub

from ..home import entry, our_hub, set_up

KEY = "irhub.device_types"


def remember(hass_storage: dict[str, Any], types: object) -> None:
    hass_storage[KEY] = {"version": 1, "minor_version": 1, "key": KEY, "data": types}


async def test_it_is_written_down(hass: HomeAssistant, hass_storage: dict[str, Any]) -> None:
    async with VirtualHub("sp2") as plug:
        await set_up(hass, "remote", entry(plug))
        await until(lambda: our_hub(hass, plug).available)
        await hass.async_block_till_done()
        assert hass_storage[KEY]["data"] == {"34ea34000001": 0x2720}


async def test_it_is_known_before_the_device_answers(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    remember(hass_storage, {"34ea34000001": 0x2720})
    async with VirtualHub("sp2") as plug:
        plug.faults.silent = True
        await set_up(hass, "remote", entry(plug))
        hub = our_hub(hass, plug)
        assert not hub.available
        assert hub.can(Capability.PLUG)
        assert not hub.can(Capability.TRANSMIT)


async def test_the_device_s_own_word_of_today_counts(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    remember(hass_storage, {"34ea34000001": 0x2720})
    async with VirtualHub("rm4_pro") as virtual:
        await set_up(hass, "remote", entry(virtual))
        hub = our_hub(hass, virtual)
        await until(lambda: hub.available)
        assert hub.can(Capability.TRANSMIT)


@pytest.mark.parametrize("types", [[], {"34ea34000001": "x"}, {"34ea34000001": 0xFFF1}])
async def test_nonsense_is_not_believed(
    hass: HomeAssistant, hass_storage: dict[str, Any], types: object
) -> None:
    remember(hass_storage, types)
    async with VirtualHub() as virtual:
        virtual.faults.silent = True
        await set_up(hass, "remote", entry(virtual))
        assert our_hub(hass, virtual).capabilities is None
