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


NOT_UNDERSTOOD = f"{KEY}: this version does not understand, does not use, and leaves as it is: "
ANEW = f"{KEY} could not be read and is begun anew: expected an object, not "


@pytest.mark.parametrize(
    ("types", "warnings"),
    [
        ([], [f"{ANEW}list"]),
        (7, [f"{ANEW}int"]),
        ({"34ea34000001": "x", "beyond": True}, [f"{NOT_UNDERSTOOD}34ea34000001, beyond"]),
        ({"34ea34000001": 0xFFF1}, []),
    ],
)
async def test_nonsense_is_not_believed_but_named(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    caplog: pytest.LogCaptureFixture,
    types: object,
    warnings: list[str],
) -> None:
    remember(hass_storage, types)
    async with VirtualHub() as virtual:
        virtual.faults.silent = True
        await set_up(hass, "remote", entry(virtual))
        assert our_hub(hass, virtual).capabilities is None
    messages = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert [message for message in messages if message.startswith(KEY)] == warnings


async def test_what_is_not_understood_stays_in_the_file(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    remember(hass_storage, {"34ea34000001": "x", "beyond": {"of": 1}, "34ea34000009": 0x2712})
    async with VirtualHub("sp2") as plug:
        await set_up(hass, "remote", entry(plug))
        await until(lambda: our_hub(hass, plug).available)
        await hass.async_block_till_done()
        assert hass_storage[KEY]["data"] == {
            "34ea34000001": 0x2720,
            "beyond": {"of": 1},
            "34ea34000009": 0x2712,
        }
