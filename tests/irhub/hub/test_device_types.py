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


@pytest.mark.parametrize("model", ["sp2"])
async def test_the_type_is_stored(
    hass: HomeAssistant, hass_storage: dict[str, Any], virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "remote", entry(virtual_hub))
    await until(lambda: our_hub(hass, virtual_hub).available)
    await hass.async_block_till_done()
    assert hass_storage[KEY]["data"] == {"34ea34000001": 0x2720}


@pytest.mark.parametrize("model", ["sp2"])
async def test_it_is_known_before_the_device_answers(
    hass: HomeAssistant, hass_storage: dict[str, Any], virtual_hub: VirtualHub
) -> None:
    remember(hass_storage, {"34ea34000001": 0x2720})
    virtual_hub.faults.silent = True
    await set_up(hass, "remote", entry(virtual_hub))
    hub = our_hub(hass, virtual_hub)
    assert not hub.available
    assert hub.can(Capability.PLUG)
    assert not hub.can(Capability.TRANSMIT)


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_the_type_that_the_device_reports_replaces_the_stored_one(
    hass: HomeAssistant, hass_storage: dict[str, Any], virtual_hub: VirtualHub
) -> None:
    remember(hass_storage, {"34ea34000001": 0x2720})
    await set_up(hass, "remote", entry(virtual_hub))
    hub = our_hub(hass, virtual_hub)
    await until(lambda: hub.available)
    assert hub.can(Capability.TRANSMIT)


NOT_UNDERSTOOD = f"{KEY}: this version does not understand, does not use, and leaves as it is: "
ANEW = f"{KEY} could not be read and starts empty: expected an object, not "


@pytest.mark.parametrize(
    ("types", "warnings"),
    [
        ([], [f"{ANEW}list"]),
        (7, [f"{ANEW}int"]),
        ({"34ea34000001": "x", "beyond": True}, [f"{NOT_UNDERSTOOD}34ea34000001, beyond"]),
        ({"34ea34000001": 0xFFF1}, []),
    ],
)
async def test_invalid_types_are_reported_and_not_used(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    caplog: pytest.LogCaptureFixture,
    types: object,
    warnings: list[str],
    *,
    virtual_hub: VirtualHub,
) -> None:
    remember(hass_storage, types)
    virtual_hub.faults.silent = True
    await set_up(hass, "remote", entry(virtual_hub))
    assert our_hub(hass, virtual_hub).capabilities is None
    messages = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert [message for message in messages if message.startswith(KEY)] == warnings


@pytest.mark.parametrize("model", ["sp2"])
async def test_what_is_not_understood_stays_in_the_file(
    hass: HomeAssistant, hass_storage: dict[str, Any], virtual_hub: VirtualHub
) -> None:
    remember(hass_storage, {"34ea34000001": "x", "beyond": {"of": 1}, "34ea34000009": 0x2712})
    await set_up(hass, "remote", entry(virtual_hub))
    await until(lambda: our_hub(hass, virtual_hub).available)
    await hass.async_block_till_done()
    assert hass_storage[KEY]["data"] == {
        "34ea34000001": 0x2720,
        "beyond": {"of": 1},
        "34ea34000009": 0x2712,
    }
