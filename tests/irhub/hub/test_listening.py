"""Hubs as receivers: what remote controls send, heard while somebody listens."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from random import Random
import time

from homeassistant.components import infrared
from homeassistant.components.infrared import InfraredReceivedSignal
from homeassistant.core import HomeAssistant, callback
import pytest

from custom_components.irhub.errors import NoSignalError
from custom_components.irhub.hub import arming, hub_receiver, learning, library
from custom_components.irhub.hub.library import read_status
from custom_components.irhub.ircodes import from_timings, meaning, to_timings
from tests.home import Home, until
from virtual_home.hub import VirtualHub

from ..home import HDMI, POWER, entry, our_hub, send, set_up
from ..ircodes.protocols.readable import READABLE, commands, is_ambiguous, reads
from ..jitter import jittered
from .network import use_interfaces

RECEIVER = "infrared.broadlink_infrared_receiver"


class Listener:
    """An integration that listens to a receiver."""

    def __init__(self, hass: HomeAssistant) -> None:
        self.heard: list[list[int]] = []
        self.end = infrared.async_subscribe_receiver(hass, RECEIVER, self._received)

    @callback
    def _received(self, signal: InfraredReceivedSignal) -> None:
        assert signal.modulation is None
        self.heard.append(signal.timings)


type Listen = Callable[[], Awaitable[Listener]]


@pytest.fixture
def model() -> str:
    return "rm4_pro"


@pytest.fixture
async def listen(home: Home, virtual_hub: VirtualHub) -> AsyncIterator[Listen]:
    """Return a function that sets the receiver of the hub up and listens to it."""
    listeners: list[Listener] = []

    async def begin() -> Listener:
        await set_up(home.hass, "infrared", entry(virtual_hub))
        await until(lambda: home.value(RECEIVER) != "unavailable")
        listeners.append(Listener(home.hass))
        return listeners[-1]

    yield begin
    for listener in listeners:
        listener.end()


@pytest.mark.parametrize("model", ["rm_mini", "rm_pro", "rm4_mini", "rm4_pro"])
async def test_a_press_is_received(home: Home, virtual_hub: VirtualHub, listen: Listen) -> None:
    listener = await listen()
    for packet in (POWER, HDMI, POWER, POWER):  # the last as a button held down
        await virtual_hub.press_when_listening(packet)
        pressed = home.hass.loop.time()
        await until(lambda: listener.heard)
        assert home.hass.loop.time() - pressed < 0.7
        assert listener.heard == [to_timings(packet)]
        listener.heard.clear()
    assert home.value(RECEIVER) != "unknown"


@pytest.mark.parametrize("model", ["rm_pro"])
async def test_without_subscribers_nothing_is_sent(home: Home, virtual_hub: VirtualHub) -> None:
    await set_up(home.hass, "infrared", entry(virtual_hub))
    await until(lambda: home.value(RECEIVER) == "unknown")
    await asyncio.sleep(2 * hub_receiver.READ_S)
    assert [virtual_hub.count(request) for request in ("learn", "read", "cancel")] == [0, 0, 0]


async def test_the_hub_stops_with_the_last_subscriber(
    home: Home, virtual_hub: VirtualHub, listen: Listen
) -> None:
    listener = await listen()
    other = Listener(home.hass)
    await virtual_hub.until(lambda: virtual_hub.receiver.listening == "ir")
    other.end()
    await virtual_hub.press_when_listening(POWER)
    await until(lambda: listener.heard)
    listener.end()
    listener.end()  # as some do
    await virtual_hub.until(lambda: virtual_hub.count("cancel") == 1)
    assert virtual_hub.receiver.listening is None
    reads = virtual_hub.count("read")
    await asyncio.sleep(2 * hub_receiver.READ_S)
    assert virtual_hub.count("read") == reads
    again = Listener(home.hass)
    await virtual_hub.press_when_listening(HDMI)
    await until(lambda: again.heard)
    assert other.heard == []
    again.end()


async def test_a_send_goes_out_at_once_and_the_hub_listens_again(
    home: Home, virtual_hub: VirtualHub, listen: Listen
) -> None:
    listener = await listen()
    await virtual_hub.until(lambda: virtual_hub.receiver.listening == "ir")
    began = home.hass.loop.time()
    await send(home.hass, virtual_hub, HDMI.hex())
    assert home.hass.loop.time() - began < hub_receiver.READ_S
    await virtual_hub.until(
        lambda: virtual_hub.receiver.listening == "ir", timeout=hub_receiver.READ_S
    )
    await virtual_hub.press_when_listening(POWER)
    await until(lambda: listener.heard)
    assert listener.heard == [to_timings(POWER)]  # and not what was sent
    assert virtual_hub.transmitted == [HDMI]


async def test_a_press_just_before_a_transmission_is_not_lost(
    home: Home, virtual_hub: VirtualHub, listen: Listen
) -> None:
    listener = await listen()
    await virtual_hub.press_when_listening(POWER)
    await send(home.hass, virtual_hub, HDMI.hex())
    assert listener.heard == [to_timings(POWER)]


async def test_listening_pauses_while_a_command_is_learned(
    home: Home, virtual_hub: VirtualHub, listen: Listen
) -> None:
    listener = await listen()
    await virtual_hub.until(lambda: virtual_hub.receiver.listening == "ir")
    armed = virtual_hub.count("learn")
    learn = asyncio.create_task(
        home.hass.services.async_call(
            "irhub",
            "learn",
            {"host": f"{virtual_hub.host}:{virtual_hub.port}"},
            blocking=True,
            return_response=True,
        )
    )
    await virtual_hub.until(lambda: virtual_hub.count("learn") > armed)
    assert virtual_hub.press(POWER)
    assert await learn
    await virtual_hub.press_when_listening(HDMI)
    await until(lambda: listener.heard)
    assert listener.heard == [to_timings(HDMI)]


async def test_learning_that_begins_while_the_hub_is_read_is_left_alone(
    home: Home, virtual_hub: VirtualHub, listen: Listen
) -> None:
    listener = await listen()
    virtual_hub.faults.slow = 0.3
    await virtual_hub.press_when_listening(POWER)
    asked = virtual_hub.count("read")
    await virtual_hub.until(lambda: virtual_hub.count("read") > asked)
    async with our_hub(home.hass, virtual_hub).learn():
        await until(lambda: listener.heard)
        virtual_hub.faults.clear()
        await our_hub(home.hass, virtual_hub).request(read_status)
        assert virtual_hub.receiver.listening is None
    await virtual_hub.until(lambda: virtual_hub.receiver.listening == "ir")


@pytest.mark.parametrize("model", ["rm_pro"])
async def test_learning_is_stopped_in_the_moment_in_which_its_time_is_up(
    home: Home, virtual_hub: VirtualHub
) -> None:
    stopped: list[asyncio.Task[None]] = []
    await set_up(home.hass, "remote", entry(virtual_hub))
    session, loop = our_hub(home.hass, virtual_hub).learn(), home.hass.loop

    def ask(_step: learning.Step) -> None:
        loop.call_later(0.2, time.sleep, 0.2)  # then both are due
        loop.call_later(0.31, stop)

    def stop() -> None:
        stopped.append(home.hass.async_create_task(session.stop()))

    async with session:
        with pytest.raises(NoSignalError):
            await session.capture(ask, window=0.3)
    await asyncio.gather(*stopped)
    assert stopped


async def test_a_refused_reading_keeps_nobody_from_sending(
    home: Home, monkeypatch: pytest.MonkeyPatch, virtual_hub: VirtualHub, listen: Listen
) -> None:
    monkeypatch.setattr(hub_receiver, "READ_S", 60)  # noise would stay with the hub as long
    virtual_hub.quirks.noise = False
    await listen()
    await virtual_hub.until(lambda: virtual_hub.receiver.listening == "ir")
    virtual_hub.faults.errors = [-4]
    await send(home.hass, virtual_hub, HDMI.hex())
    assert virtual_hub.transmitted == [HDMI]


async def test_another_client_that_learns_costs_seconds(
    monkeypatch: pytest.MonkeyPatch, virtual_hub: VirtualHub, listen: Listen
) -> None:
    assert library.REARM_S <= 5
    monkeypatch.setattr(arming, "REARM_S", 0.5)
    listener = await listen()
    await virtual_hub.until(lambda: virtual_hub.receiver.listening == "ir")
    virtual_hub.receiver.idle()
    await virtual_hub.press_when_listening(POWER)
    await until(lambda: listener.heard)


async def test_a_reboot(virtual_hub: VirtualHub, listen: Listen) -> None:
    listener = await listen()
    await virtual_hub.until(lambda: virtual_hub.receiver.listening == "ir")
    virtual_hub.reboot()
    await virtual_hub.press_when_listening(POWER)
    await until(lambda: listener.heard)


async def test_an_expired_session_loses_nothing(virtual_hub: VirtualHub, listen: Listen) -> None:
    listener = await listen()
    await virtual_hub.press_when_listening(POWER)
    virtual_hub.expire_sessions()
    await until(lambda: listener.heard)
    assert listener.heard == [to_timings(POWER)]


async def test_a_lost_reply_reports_no_press_twice(virtual_hub: VirtualHub, listen: Listen) -> None:
    listener = await listen()
    await virtual_hub.press_when_listening(POWER)
    virtual_hub.faults.lose_replies = 1
    await until(lambda: listener.heard)
    await virtual_hub.press_when_listening(HDMI)
    virtual_hub.faults.loss = 0.3
    await until(lambda: len(listener.heard) == 2)
    virtual_hub.faults.clear()
    assert listener.heard == [to_timings(POWER), to_timings(HDMI)]


@pytest.mark.usefixtures("quick_retries")
async def test_another_address(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    use_interfaces(monkeypatch, "127.0.0.1")
    async with VirtualHub("rm4_pro", host="127.0.0.2") as hub:
        await set_up(home.hass, "infrared", entry(hub))
        await until(lambda: home.value(RECEIVER) != "unavailable")
        listener = Listener(home.hass)
        await hub.until(lambda: hub.receiver.listening == "ir")
        await hub.move("127.0.0.3")
        hub.receiver.idle()
        await home.wait_for(RECEIVER, "unavailable")
        await hub.press_when_listening(POWER, timeout=20)
        await until(lambda: listener.heard)
        assert our_hub(home.hass, hub).connection.locator.address == "127.0.0.3"
        listener.end()


async def test_a_hub_that_refuses_to_listen_is_logged_once(
    home: Home, monkeypatch: pytest.MonkeyPatch, virtual_hub: VirtualHub, listen: Listen
) -> None:
    monkeypatch.setattr(hub_receiver, "RETRY_S", 0.3)
    listener = await listen()
    await virtual_hub.until(lambda: virtual_hub.receiver.listening == "ir")
    virtual_hub.faults.errors = [-4] * 12
    await home.wait_for(RECEIVER, "unavailable")
    await until(lambda: not virtual_hub.faults.errors)
    await home.wait_for(RECEIVER, lambda state: state.state != "unavailable")
    await virtual_hub.press_when_listening(POWER)
    await until(lambda: listener.heard)
    assert len([line for line in home.log() if "refused" in line]) == 1


@pytest.mark.parametrize("model", ["sp2"])
async def test_a_device_without_a_receiver(home: Home, virtual_hub: VirtualHub) -> None:
    await set_up(home.hass, "infrared", entry(virtual_hub))
    await until(lambda: our_hub(home.hass, virtual_hub).available)
    assert home.value(RECEIVER) == "unavailable"


async def test_a_reload_ends_listening(home: Home, virtual_hub: VirtualHub, listen: Listen) -> None:
    await listen()
    await virtual_hub.until(lambda: virtual_hub.receiver.listening == "ir")
    home.write({})
    await home.hass.services.async_call("irhub", "reload", blocking=True)
    assert virtual_hub.receiver.listening is None


async def test_a_capture_that_is_no_packet_is_not_reported(
    virtual_hub: VirtualHub, listen: Listen
) -> None:
    listener = await listen()
    await virtual_hub.press_when_listening(b"\x26\0\x01\0\0")
    await virtual_hub.press_when_listening(POWER)
    await until(lambda: listener.heard)
    assert listener.heard == [to_timings(POWER)]


async def test_a_thousand_presses(
    home: Home, monkeypatch: pytest.MonkeyPatch, virtual_hub: VirtualHub, listen: Listen
) -> None:
    """Every press that the hub captured is reported once, with sends and polls in between."""
    monkeypatch.setattr(hub_receiver, "READ_S", 0.01)
    random = Random(1)
    listener = await listen()
    virtual_hub.quirks.air_time = 0.0
    captured: list[list[int]] = []
    sent = 0
    while len(captured) < 1000:
        packet = from_timings([9000, -4500, 500 + len(captured) * 31, -90000])
        await asyncio.sleep(random.random() / 100)
        if virtual_hub.press(packet):
            captured.append(to_timings(packet))
        if random.random() < 0.1:
            await send(home.hass, virtual_hub, HDMI.hex())
            sent += 1
        if random.random() < 0.1:
            await our_hub(home.hass, virtual_hub).request(read_status)
    await until(lambda: len(listener.heard) + virtual_hub.receiver.lost >= len(captured))
    missed = [packet for packet in captured if packet not in listener.heard]
    assert [packet for packet in captured if packet in listener.heard] == listener.heard
    assert len(missed) == virtual_hub.receiver.lost
    assert len(missed) <= 5
    assert len(virtual_hub.transmitted) == sent


async def test_the_protocols_of_the_library_are_received(
    monkeypatch: pytest.MonkeyPatch, virtual_hub: VirtualHub, listen: Listen
) -> None:
    """Each that it reads 5 % off: what is heard says what was sent."""
    monkeypatch.setattr(hub_receiver, "READ_S", 0.01)
    random = Random(1)
    presses = [
        (from_timings(timings), from_timings(received))
        for cls in READABLE
        for command in commands(cls, random)
        if reads(cls, timings := command.get_raw_timings())
        if reads(cls, received := jittered(timings, random))
        if meaning(from_timings(timings)) is not None or not is_ambiguous(from_timings(timings))
    ]
    listener = await listen()
    for packet, pressed in presses:
        listener.heard.clear()
        await virtual_hub.press_when_listening(pressed)
        await until(lambda: listener.heard)
        [timings] = listener.heard
        assert meaning(from_timings(timings)) == meaning(packet) is not None
    assert len(presses) > 5 * len(READABLE) > 0
