"""The hub: connecting, staying connected, and the one queue."""

import asyncio
from itertools import pairwise
import socket
import time
from unittest.mock import AsyncMock

from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
import pytest

from tests.home import until
from tests.reliability.virtual_time import leaping
from virtual_home.hub import VirtualHub

from ..home import FAN, HDMI, NEC, POWER, RC5, RF, entry, our_hub, send, set_up
from .logged import logged

REMOTE = "remote.broadlink"


async def next_hello(virtual: VirtualHub) -> None:
    """Wait until the device is greeted once more."""
    greeted = virtual.count("hello")
    await until(lambda: virtual.count("hello") > greeted)


def available(hass: HomeAssistant) -> bool:
    state = hass.states.get(REMOTE)
    assert state is not None
    return state.state != STATE_UNAVAILABLE


@pytest.mark.parametrize("model", ["rm_mini", "rm_mini_b", "rm_pro", "rm4_mini", "rm4_pro"])
async def test_it_connects_by_itself_and_transmits(
    hass: HomeAssistant, new_hub: VirtualHub
) -> None:
    await until(lambda: available(hass))
    await send(hass, new_hub, RC5)
    assert new_hub.transmitted == [POWER]


async def test_a_hub_is_greeted_before_its_session_and_before_the_first_packet(
    hass: HomeAssistant, new_hub: VirtualHub
) -> None:
    await until(lambda: available(hass))
    assert [request.name for request in new_hub.logs.received] == ["hello", "auth", "hello"]


async def test_a_name_that_is_no_utf8(hass: HomeAssistant) -> None:
    """As that of a hub whose app cuts a name in the middle of a character."""
    async with VirtualHub(name="Salon \udcc3") as virtual:
        await set_up(hass, "remote", entry(virtual))
        await until(lambda: available(hass))
        await send(hass, virtual, RC5)
        assert virtual.transmitted == [POWER]


@pytest.mark.parametrize("mac", ["34ea34000001", "01-00-00-34-ea-34", "34EA.3400.0001"])
async def test_the_mac_may_be_written_in_any_way(
    hass: HomeAssistant, mac: str, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "remote", entry(virtual_hub, mac=mac))
    await until(lambda: available(hass))


@pytest.mark.usefixtures("quick_retries")
async def test_another_device_at_the_address_is_refused_once(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    async with VirtualHub(mac="34:EA:34:00:00:02") as virtual:
        await set_up(hass, "remote", entry(virtual, mac="34:EA:34:00:00:01"))
        await until(lambda: virtual.count("hello") >= 6)
        assert not available(hass)
        assert virtual.count("auth") == 0
        with pytest.raises(HomeAssistantError, match="34:EA:34:00:00:02, configured is 34:EA:34"):
            await send(hass, virtual, RC5)
    assert logged(caplog, "is not the configured one") == 1
    assert logged(caplog, "is 34:EA:34:00:00:02, configured is 34:EA:34:00:00:01") == 1


@pytest.mark.usefixtures("quick_retries")
async def test_a_hub_that_is_off_is_reported_once_and_found_again(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    virtual_hub.faults.silent = True
    await set_up(hass, "remote", entry(virtual_hub, timeout=0.5))
    await until(lambda: "does not answer" in caplog.text)
    assert not available(hass)
    arrived = virtual_hub.arrived
    await until(lambda: virtual_hub.arrived > arrived + 3)  # in later attempts
    virtual_hub.faults.silent = False
    await until(lambda: available(hass))
    virtual_hub.faults.silent = True  # the keep-alive notices
    await until(lambda: not available(hass))
    virtual_hub.faults.silent = False
    await until(lambda: available(hass))
    assert logged(caplog, "does not answer") == 2
    assert logged(caplog, "is back") == 2
    assert not [r for r in caplog.records if r.exc_info]


@pytest.mark.usefixtures("quick_retries")
async def test_an_unanswered_hello_does_not_end_the_connection(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "remote", entry(virtual_hub, timeout=0.5))
    await until(lambda: available(hass))
    for _ in range(3):
        virtual_hub.faults.lose_replies = 1
        await until(lambda: not virtual_hub.faults.lose_replies)
        await next_hello(virtual_hub)
    assert available(hass)
    assert virtual_hub.count("ping")  # what the firmware's watchdog waits for
    assert "does not answer" not in caplog.text


async def seconds_between_hellos(hass: HomeAssistant, virtual: VirtualHub, count: int) -> list[int]:
    """Return the seconds, to the nearest five, between so many further attempts of a hub."""
    attempts: list[float] = []
    with leaping(hass) as clock:
        seen = virtual.count("hello")
        while len(attempts) <= count:
            await asyncio.sleep(1)
            if virtual.count("hello") > seen and clock.now > (attempts or [0.0])[-1] + 3:
                attempts.append(clock.now)
            seen = virtual.count("hello")
    return [5 * round((later - earlier) / 5) for earlier, later in pairwise(attempts)]


async def test_the_delay_between_retries_grows(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "remote", entry(virtual_hub, mac="00:00:00:00:00:01"))
    waited = await seconds_between_hellos(hass, virtual_hub, 6)
    assert waited[waited.index(10) :][:5] == [10, 20, 40, 60, 60]


async def test_a_locked_hub_is_asked_every_minute(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    virtual_hub.locked = True
    await set_up(hass, "remote", entry(virtual_hub))
    assert await seconds_between_hellos(hass, virtual_hub, 3) == [60, 60, 60]


async def test_a_hub_is_asked_twice_a_minute(hass: HomeAssistant, new_hub: VirtualHub) -> None:
    await until(lambda: available(hass))
    assert await seconds_between_hellos(hass, new_hub, 3) == [30, 30, 30]


async def test_a_command_to_a_hub_that_is_off_tries_at_once(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    virtual_hub.faults.silent = True
    await set_up(hass, "remote", entry(virtual_hub, timeout=0.5))
    with pytest.raises(HomeAssistantError, match=r"does not answer within 0\.5 s"):
        await send(hass, virtual_hub, RC5)
    virtual_hub.faults.silent = False
    await send(hass, virtual_hub, RC5)  # the next retry would be seconds away
    assert virtual_hub.transmitted == [POWER]
    assert available(hass)


async def test_five_commands_to_a_hub_that_is_off_fail_after_one_timeout(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    virtual_hub.faults.silent = True
    await set_up(hass, "remote", entry(virtual_hub, timeout=1.5))
    began = time.monotonic()
    results = await asyncio.gather(
        *(send(hass, virtual_hub, RC5) for _ in range(5)), return_exceptions=True
    )
    assert time.monotonic() - began < 3
    assert all(isinstance(result, HomeAssistantError) for result in results)


async def test_five_commands_to_a_hub_that_dies_fail_after_one_timeout(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "remote", entry(virtual_hub, timeout=1.5))
    await until(lambda: available(hass))
    virtual_hub.faults.silent = True
    began = time.monotonic()
    results = await asyncio.gather(
        *(send(hass, virtual_hub, RC5) for _ in range(5)), return_exceptions=True
    )
    assert time.monotonic() - began < 3
    sentences = sorted(str(result) for result in results)
    assert sum("does not answer: is it plugged in" in sentence for sentence in sentences) == 1
    assert sum("this was not sent" in sentence for sentence in sentences) == 4


async def test_an_expired_session_is_renewed_and_the_command_sent_once(
    hass: HomeAssistant, new_hub: VirtualHub
) -> None:
    await until(lambda: available(hass))
    new_hub.expire_sessions()
    await send(hass, new_hub, RC5)
    assert new_hub.transmitted == [POWER]
    assert new_hub.count("auth") == 2


@pytest.mark.usefixtures("quick_retries")
async def test_a_locked_hub_is_reported_once_and_used_when_unlocked(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    virtual_hub.locked = True
    await set_up(hass, "remote", entry(virtual_hub))
    await until(lambda: virtual_hub.count("auth") >= 3)
    await asyncio.sleep(0.05)  # a command would join the attempt under way
    assert logged(caplog, "is locked: unlock it in the vendor's app") == 1
    tries = virtual_hub.count("auth")
    with pytest.raises(HomeAssistantError, match="is locked: unlock it"):
        await send(hass, virtual_hub, RC5)
    assert virtual_hub.count("auth") > tries
    virtual_hub.locked = False
    await until(lambda: available(hass))
    assert logged(caplog, "is back") == 1


@pytest.mark.usefixtures("quick_retries")
async def test_a_hub_locked_while_connected_says_so(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "remote", entry(virtual_hub))
    await until(lambda: available(hass))
    virtual_hub.locked = True
    with pytest.raises(HomeAssistantError, match="is locked: unlock it"):
        await send(hass, virtual_hub, RC5)
    assert not available(hass)
    assert virtual_hub.transmitted == []
    virtual_hub.locked = False
    await until(lambda: available(hass))
    assert logged(caplog, "is locked") == 1


async def test_transmissions_keep_their_order_and_the_gap(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "remote", entry(virtual_hub, min_gap=0.15))
    await asyncio.gather(send(hass, virtual_hub, [RC5, NEC]), send(hass, virtual_hub, [RF, RC5]))
    assert virtual_hub.transmitted == [POWER, HDMI, FAN, POWER]
    times = [transmission.at for transmission in virtual_hub.logs.transmitted]
    assert all(later - earlier >= 0.15 for earlier, later in pairwise(times))


async def test_a_slow_hub_does_not_hold_up_another(hass: HomeAssistant) -> None:
    async with (
        VirtualHub(host="127.0.0.2") as slow,
        VirtualHub(host="127.0.0.3", mac="34:EA:34:00:00:03") as fast,
    ):
        await set_up(hass, "remote", entry(slow, timeout=10), entry(fast, timeout=10, name="other"))
        await until(lambda: our_hub(hass, slow).available and our_hub(hass, fast).available)
        slow.faults.slow = 3
        waiting = asyncio.create_task(send(hass, slow, RC5))
        await slow.until(lambda: bool(slow.transmitted))
        await send(hass, fast, [RC5, NEC])
        assert not waiting.done()
        assert fast.transmitted == [POWER, HDMI]
        await waiting


@pytest.mark.parametrize("loss", [0.3, "reply", "duplicate", "reorder"])
async def test_what_the_network_does_never_transmits_twice(
    hass: HomeAssistant, loss: float | str
) -> None:
    async with VirtualHub(seed=5) as virtual:
        await set_up(hass, "remote", entry(virtual, timeout=10))
        await until(lambda: available(hass))
        match loss:
            case "reply":
                virtual.faults.lose_replies = 1
            case "duplicate":
                virtual.faults.duplicate = 1
            case "reorder":
                virtual.faults.reorder = 0.5
            case probability:
                virtual.faults.loss = float(probability)
        await send(hass, virtual, RC5)
        await send(hass, virtual, NEC)
        virtual.faults.clear()
        await send(hass, virtual, RC5)
        assert virtual.transmitted == [POWER, HDMI, POWER]


async def test_an_unconfirmed_transmission_is_reported_and_not_repeated(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "remote", entry(virtual_hub, timeout=0.5, min_gap=0.3))
    await until(lambda: available(hass))
    task = asyncio.create_task(send(hass, virtual_hub, [RC5, NEC, RF]))
    await virtual_hub.until(lambda: virtual_hub.count("send") == 1)
    await asyncio.sleep(0.1)  # the gap to the next packet is longer
    virtual_hub.faults.lose_replies = 100
    with pytest.raises(
        HomeAssistantError, match=r"Packet 2 of 3: .* does not answer: is it plugged in"
    ):
        await task
    virtual_hub.faults.clear()
    await until(lambda: available(hass))
    assert virtual_hub.transmitted == [POWER, HDMI]


async def test_a_reboot_between_two_commands_goes_unnoticed(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "remote", entry(virtual_hub, timeout=5))
    await send(hass, virtual_hub, RC5)
    virtual_hub.reboot()
    await send(hass, virtual_hub, NEC)
    assert virtual_hub.transmitted == [POWER, HDMI]


async def test_several_entries_share_one_hub(hass: HomeAssistant, virtual_hub: VirtualHub) -> None:
    await set_up(
        hass,
        "remote",
        entry(virtual_hub, timeout=3, min_gap=0.2),
        entry(virtual_hub, timeout=7, min_gap=0.1, mac="01:00:00:34:EA:34", name="again"),
    )
    await until(lambda: available(hass))
    settings = our_hub(hass, virtual_hub).settings
    assert (settings.timeout, settings.min_gap) == (7, 0.2)
    assert virtual_hub.count("auth") == 1


async def test_two_macs_for_one_host_are_a_mistake(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    await set_up(
        hass,
        "remote",
        entry(virtual_hub),
        entry(virtual_hub, mac="34:EA:34:00:00:77", name="second"),
    )
    assert hass.states.get(REMOTE)
    assert hass.states.get("remote.second") is None
    issues = ir.async_get(hass).issues
    [issue] = [issue for domain, issue in issues if domain == "irhub"]
    assert issue.startswith("mac_conflict")
    assert "34:EA:34:00:00:01 and 34:EA:34:00:00:77" in caplog.text
    assert "Traceback" not in caplog.text


async def test_hardware_nobody_knows_works_as_the_configured_type(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    async with VirtualHub("rm_pro", devtype=0xFFF1) as virtual:
        await set_up(hass, "remote", entry(virtual, type="rm"))
        await send(hass, virtual, RC5)
        assert virtual.transmitted == [POWER]
    assert "unknown type" not in caplog.text


@pytest.mark.parametrize(
    ("model", "platform", "to_try"),
    [("rm4c_pro_new", "remote", "rm4_pro"), ("sp4_mini_new", "switch", "sp4")],
)
async def test_hardware_nobody_knows_is_named_with_what_to_try(
    hass: HomeAssistant,
    caplog: pytest.LogCaptureFixture,
    platform: str,
    to_try: str,
    virtual_hub: VirtualHub,
) -> None:
    await set_up(hass, platform, entry(virtual_hub))
    with pytest.raises(HomeAssistantError, match="cannot transmit"):
        await send(hass, virtual_hub, RC5)
    assert f"unknown type 0x{virtual_hub.devtype:04x}" in caplog.text
    assert logged(caplog, f"and try type: {to_try} first") == 1


@pytest.mark.parametrize("model", ["rm4c_pro_new"])
@pytest.mark.parametrize("like", ["rm4_pro", "rm4c_pro", "0x649b", 0x649B])
async def test_new_hardware_works_as_the_configured_type(
    hass: HomeAssistant, like: object, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "remote", entry(virtual_hub, type=like))
    await send(hass, virtual_hub, [RC5, RF])
    assert virtual_hub.transmitted == [POWER, FAN]


@pytest.mark.parametrize("model", ["sp4_mini_new"])
async def test_a_new_plug_works_as_the_configured_type(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "switch", entry(virtual_hub, type="sp4"))
    await until(lambda: hass.states.is_state("switch.broadlink_switch", "off"))
    await hass.services.async_call(
        "switch", "turn_on", {"entity_id": "switch.broadlink_switch"}, blocking=True
    )
    assert virtual_hub.state.power


@pytest.mark.parametrize(
    ("devtype", "name", "advice"),
    [
        (0x51E3, "BG Electrical BG800/BG900", "Home Assistant's own Broadlink integration"),
        (0x60C7, "Broadlink LB1", "Home Assistant's own Broadlink integration"),
        (0x4EAD, "Hysen HY02/HY03", "Home Assistant's own Broadlink integration"),
        (0xA59C, "Broadlink S3", "use the vendor's app"),
    ],
)
async def test_a_family_that_is_not_supported_is_named_once(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, devtype: int, name: str, advice: str
) -> None:
    async with VirtualHub("bg1", devtype=devtype) as virtual:
        await set_up(hass, "switch", entry(virtual), entry(virtual, type="sp2"))
        hub = our_hub(hass, virtual)
        await until(lambda: hub.available)
        await hub.connection.disconnect()
        await until(lambda: hub.available)
        await hass.async_block_till_done()
        assert logged(caplog, f"is a {name} (type 0x{devtype:04x})") == 1
        assert advice in caplog.text
        assert hass.states.async_all() == []


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_radio_is_not_sent_to_a_hub_without(hass: HomeAssistant, new_hub: VirtualHub) -> None:
    with pytest.raises(HomeAssistantError, match="has no radio"):
        await send(hass, new_hub, [RC5, RF])
    assert new_hub.transmitted == []


async def test_an_error_of_the_device_is_passed_on(
    hass: HomeAssistant, new_hub: VirtualHub
) -> None:
    await until(lambda: available(hass))
    new_hub.faults.errors = [-8]
    with pytest.raises(HomeAssistantError, match=r"refused: \[Errno -8\] Send error"):
        await send(hass, new_hub, RC5)
    await send(hass, new_hub, RC5)
    assert new_hub.transmitted == [POWER]


@pytest.mark.usefixtures("quick_retries")
async def test_garbage_is_an_error_and_no_traceback(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    async with VirtualHub(seed=1) as virtual:
        virtual.faults.garbage = 1
        await set_up(hass, "remote", entry(virtual, timeout=0.3))
        with pytest.raises(HomeAssistantError):
            await send(hass, virtual, RC5)
        virtual.faults.clear()
        await until(lambda: available(hass))
        virtual.faults.garbage = 1
        with pytest.raises(HomeAssistantError):
            await send(hass, virtual, RC5)
        virtual.faults.clear()
        await until(lambda: available(hass))
        assert virtual.transmitted.count(POWER) <= 1
    assert "Traceback" not in caplog.text


async def test_a_hub_may_be_named_by_a_name(hass: HomeAssistant, virtual_hub: VirtualHub) -> None:
    await set_up(hass, "remote", entry(virtual_hub, host="LocalHost"))
    await until(lambda: available(hass))
    for host in ("localhost", "127.0.0.1", f"127.0.0.1:{virtual_hub.port}"):
        await hass.services.async_call(
            "irhub", "send", {"host": host, "packet": RC5}, blocking=True
        )
    assert virtual_hub.transmitted == [POWER] * 3


async def test_a_name_that_does_not_resolve(
    hass: HomeAssistant,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    virtual_hub: VirtualHub,
) -> None:
    unknown = AsyncMock(side_effect=socket.gaierror(socket.EAI_NONAME, "unknown"))
    monkeypatch.setattr(hass.loop, "getaddrinfo", unknown)
    await set_up(hass, "remote", entry(virtual_hub, host="no-such-hub.invalid"))
    await until(lambda: "no-such-hub.invalid" in caplog.text)
    with pytest.raises(HomeAssistantError, match="cannot be resolved"):
        await hass.services.async_call(
            "irhub", "send", {"host": "no-such-hub.invalid", "packet": RC5}, blocking=True
        )


async def test_stopping_is_quick_and_leaves_nothing(hass: HomeAssistant) -> None:
    async with VirtualHub() as virtual, VirtualHub(host="127.0.0.2") as silent:
        silent.faults.silent = True
        await set_up(
            hass, "remote", entry(virtual, min_gap=60), entry(silent, timeout=60, name="silent")
        )
        await send(hass, virtual, RC5)
        calls = [
            asyncio.create_task(send(hass, virtual, RC5)),
            asyncio.create_task(send(hass, silent, RC5)),
        ]
        await asyncio.sleep(0.1)
        began = time.monotonic()
        await hass.async_stop(force=True)
        assert time.monotonic() - began < 2
        for call in calls:
            with pytest.raises(HomeAssistantError, match="was closed"):
                await call


async def test_a_device_that_keeps_ending_the_session(
    hass: HomeAssistant, new_hub: VirtualHub
) -> None:
    await until(lambda: available(hass))
    new_hub.faults.errors = [-7]
    await send(hass, new_hub, RC5)
    assert new_hub.transmitted == [POWER]
    new_hub.faults.errors = [-7] * 2
    with pytest.raises(HomeAssistantError, match=r"refused: .*Control key is expired"):
        await send(hass, new_hub, RC5)
    await until(lambda: available(hass))
    await send(hass, new_hub, RC5)
    assert new_hub.transmitted == [POWER, POWER]


async def test_a_connection_lost_under_a_command(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "remote", entry(virtual_hub, timeout=10))
    await until(lambda: available(hass))
    virtual_hub.faults.lose_replies = 1
    sending = asyncio.create_task(send(hass, virtual_hub, RC5))
    await virtual_hub.until(lambda: bool(virtual_hub.transmitted))
    await our_hub(hass, virtual_hub).connection.disconnect()
    with pytest.raises(HomeAssistantError, match="does not answer: is it plugged in"):
        await sending
    await until(lambda: available(hass))


@pytest.mark.usefixtures("quick_retries")
async def test_a_failing_listener_costs_nobody_else(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    virtual_hub.faults.silent = True
    await set_up(hass, "remote", entry(virtual_hub, timeout=0.3))
    hub = our_hub(hass, virtual_hub)

    def fail() -> None:
        raise RuntimeError("an entity's fault")

    forget = hub.async_add_listener(fail)
    hub.async_when_known(fail)
    virtual_hub.faults.silent = False
    await until(lambda: available(hass))
    assert caplog.text.count("A listener to the hub ") == 2
    forget()
