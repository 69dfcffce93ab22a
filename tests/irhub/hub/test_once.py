"""A command goes out exactly once, or its caller is told that nobody knows.

The client library sends a datagram again every second until a reply comes. If the first copy
was obeyed, its reply lost and the hub then rebooted, the next copy is answered "session
expired", as if the command had never gone out.
"""

import asyncio
import time

from homeassistant.core import Event, EventStateChangedData, HomeAssistant
from homeassistant.exceptions import HomeAssistantError
import pytest

from custom_components.irhub.hub import connection
from custom_components.irhub.ircodes import from_timings, to_base64
from custom_components.irhub.ircodes.packet import air_time_s
from tests.home import until
from virtual_home.hub import VirtualHub

from ..home import HDMI, NEC, POWER, RC5, entry, our_hub, send, set_up, start

REMOTE = "remote.broadlink"


@pytest.mark.parametrize("lost", [1, 2])
@pytest.mark.parametrize("drop_resends", [False, True])
async def test_a_reboot_after_a_lost_reply_is_no_reason_to_send_again(
    hass: HomeAssistant, lost: int, *, drop_resends: bool, virtual_hub: VirtualHub
) -> None:
    virtual_hub.drop_resends = drop_resends
    await start(hass, virtual_hub, timeout=4)
    virtual_hub.faults.lose_replies = lost
    arrived = virtual_hub.arrived
    sending = asyncio.create_task(send(hass, virtual_hub, RC5))
    await virtual_hub.until(
        lambda: bool(virtual_hub.transmitted) and virtual_hub.arrived >= arrived + lost
    )
    virtual_hub.reboot()
    with pytest.raises(HomeAssistantError, match="Whether the last request arrived"):
        await sending
    assert virtual_hub.transmitted == [POWER]
    await send(hass, virtual_hub, NEC)  # in a new session
    assert virtual_hub.transmitted == [POWER, HDMI]


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_packets_after_an_unconfirmed_one_are_not_sent(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await start(hass, virtual_hub, timeout=10)
    virtual_hub.faults.lose_replies = 1
    sending = asyncio.create_task(send(hass, virtual_hub, [RC5, NEC]))
    await virtual_hub.until(lambda: bool(virtual_hub.transmitted))
    virtual_hub.reboot()
    with pytest.raises(HomeAssistantError, match=r"Packet 1 of 2: .* does not answer: is"):
        await sending
    assert virtual_hub.transmitted == [POWER]


async def test_a_toggle_that_was_not_confirmed_keeps_its_turn(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    target = {"entity_id": REMOTE}
    toggle = {**target, "device": "tv", "command": "power"}
    await start(hass, virtual_hub, timeout=10)
    await hass.services.async_call(
        "irhub",
        "import_codes",
        {**target, "codes": {"tv": {"power": [RC5, NEC]}}},
        blocking=True,
    )
    virtual_hub.faults.lose_replies = 1
    sending = asyncio.create_task(
        hass.services.async_call("remote", "send_command", toggle, blocking=True)
    )
    await virtual_hub.until(lambda: bool(virtual_hub.transmitted))
    virtual_hub.reboot()
    with pytest.raises(HomeAssistantError, match="does not answer: is"):
        await sending
    assert virtual_hub.transmitted == [POWER]
    await hass.services.async_call("remote", "send_command", toggle, blocking=True)
    assert virtual_hub.transmitted == [POWER, POWER]


async def test_a_command_that_may_be_lost_in_a_reboot_is_not_repeated(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    """From here it looks just as if the first copy had been obeyed."""
    await start(hass, virtual_hub, timeout=10)
    virtual_hub.reboot(downtime=0.5)
    with pytest.raises(HomeAssistantError, match="does not answer: is"):
        await send(hass, virtual_hub, RC5)
    assert virtual_hub.transmitted == []
    await send(hass, virtual_hub, NEC)
    assert virtual_hub.transmitted == [HDMI]


async def test_a_session_that_ended_unnoticed_costs_nothing(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    """Refused before any resend, the command was not obeyed: it goes out in a new session."""
    changes: list[Event[EventStateChangedData]] = []
    await start(hass, virtual_hub, timeout=10)
    hass.bus.async_listen("state_changed", changes.append)
    for rounds in range(1, 4):
        virtual_hub.reboot()
        await send(hass, virtual_hub, RC5)
        assert virtual_hub.transmitted == [POWER] * rounds
    assert virtual_hub.count("auth") == 4
    assert not changes  # the remote was never unavailable


@pytest.mark.parametrize("model", ["sp2"])
async def test_what_may_be_done_twice_is_repeated_after_a_reboot(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "switch", entry(virtual_hub, type="sp2", timeout=10))
    await until(lambda: our_hub(hass, virtual_hub).available)
    virtual_hub.reboot(downtime=0.5)
    await hass.services.async_call(
        "switch", "turn_on", {"entity_id": "switch.broadlink_switch"}, blocking=True
    )
    assert virtual_hub.state.power


async def test_a_hub_that_goes_while_the_session_is_renewed(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "remote", entry(virtual_hub, timeout=1))
    await until(lambda: our_hub(hass, virtual_hub).available)
    virtual_hub.expire_sessions()
    virtual_hub.faults.slow = 0.2
    sending = asyncio.create_task(send(hass, virtual_hub, RC5))
    arrived = virtual_hub.arrived
    await until(lambda: virtual_hub.arrived > arrived)
    virtual_hub.faults.silent = True  # the refusal is on its way
    with pytest.raises(HomeAssistantError, match="does not answer"):
        await sending
    virtual_hub.faults.clear()
    await until(lambda: our_hub(hass, virtual_hub).available)
    await send(hass, virtual_hub, NEC)
    assert virtual_hub.transmitted == [HDMI]


async def test_a_reload_while_the_session_is_renewed(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await start(hass, virtual_hub, timeout=3)
    virtual_hub.expire_sessions()
    virtual_hub.faults.slow = 0.2
    sending = asyncio.create_task(send(hass, virtual_hub, RC5))
    arrived = virtual_hub.arrived
    await until(lambda: virtual_hub.arrived > arrived)
    virtual_hub.faults.silent = True
    await until(lambda: virtual_hub.arrived > arrived + 1)  # the request for a session is under way
    await our_hub(hass, virtual_hub).close()
    with pytest.raises(HomeAssistantError, match="was closed"):
        await sending
    assert virtual_hub.transmitted == []


LONG = from_timings([9000, -4500, 560, -48_000] * 8, repeats=4)
"""Some two and a half seconds in the air."""


async def test_a_hub_confirms_when_it_has_transmitted(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, virtual_hub: VirtualHub
) -> None:
    """Its time in the air is longer than the timeout, and nothing else is answered meanwhile."""
    monkeypatch.setattr(connection, "KEEP_ALIVE_S", 0.2)
    virtual_hub.quirks.air_time = 1
    await start(hass, virtual_hub, timeout=0.4)
    ours = our_hub(hass, virtual_hub)
    began = time.monotonic()
    await send(hass, virtual_hub, to_base64(LONG))
    assert time.monotonic() - began > 2
    assert virtual_hub.transmitted == [LONG]
    assert virtual_hub.count("auth") == 1
    assert ours.connection.device is not None
    assert ours.connection.device.timeout == 0.4


async def test_a_hub_that_dies_under_a_long_packet_is_not_waited_for_much_longer(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await start(hass, virtual_hub, timeout=0.4)
    virtual_hub.faults.silent = True
    began = time.monotonic()
    with pytest.raises(HomeAssistantError, match="does not answer: is"):
        await send(hass, virtual_hub, to_base64(LONG))
    assert time.monotonic() - began < air_time_s(LONG) + 0.4 + 1
