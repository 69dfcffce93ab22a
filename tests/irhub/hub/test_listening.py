"""Hubs as receivers: what remote controls send, heard while somebody listens."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
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
from ..ircodes.protocols.readable import READABLE, commands, reads
from ..jitter import jittered
from .network import use_interfaces

RECEIVER = "infrared.broadlink_infrared_receiver"


@pytest.fixture
def home(hass: HomeAssistant, caplog: pytest.LogCaptureFixture) -> Home:
    return Home(hass, caplog)


class Listener:
    """An integration that listens to a receiver."""

    def __init__(self, hass: HomeAssistant) -> None:
        self.heard: list[list[int]] = []
        self.end = infrared.async_subscribe_receiver(hass, RECEIVER, self._received)

    @callback
    def _received(self, signal: InfraredReceivedSignal) -> None:
        assert signal.modulation is None
        self.heard.append(signal.timings)


@asynccontextmanager
async def hearing(
    home: Home, model: str = "rm4_pro", *, noise: bool = True, **keys: object
) -> AsyncIterator[tuple[VirtualHub, Listener]]:
    """Give a hub with a receiver, and somebody who listens to it."""
    async with VirtualHub(model) as hub:
        hub.quirks.noise = noise
        await set_up(home.hass, "infrared", entry(hub, **keys))
        await until(lambda: home.value(RECEIVER) != "unavailable")
        listener = Listener(home.hass)
        yield hub, listener
        listener.end()


@pytest.mark.parametrize("model", ["rm_mini", "rm_pro", "rm4_mini", "rm4_pro"])
async def test_what_is_pressed_is_heard(home: Home, model: str) -> None:
    async with hearing(home, model) as (hub, listener):
        for packet in (POWER, HDMI, POWER, POWER):  # the last as a button held down
            await hub.press_when_listening(packet)
            pressed = home.hass.loop.time()
            await until(lambda: listener.heard)
            assert home.hass.loop.time() - pressed < 0.7
            assert listener.heard == [to_timings(packet)]
            listener.heard.clear()
        assert home.value(RECEIVER) != "unknown"


async def test_without_subscribers_nothing_is_sent(home: Home) -> None:
    async with VirtualHub() as hub:
        await set_up(home.hass, "infrared", entry(hub))
        await until(lambda: home.value(RECEIVER) == "unknown")
        await asyncio.sleep(2 * hub_receiver.READ_S)
        assert (hub.count("learn"), hub.count("read"), hub.count("cancel")) == (0, 0, 0)


async def test_the_hub_stops_with_the_last_subscriber(home: Home) -> None:
    async with hearing(home) as (hub, listener):
        other = Listener(home.hass)
        await hub.until(lambda: hub.receiver.listening == "ir")
        other.end()
        await hub.press_when_listening(POWER)
        await until(lambda: listener.heard)
        listener.end()
        listener.end()  # as some do
        await hub.until(lambda: hub.count("cancel") == 1)
        assert hub.receiver.listening is None
        reads = hub.count("read")
        await asyncio.sleep(2 * hub_receiver.READ_S)
        assert hub.count("read") == reads
        again = Listener(home.hass)
        await hub.press_when_listening(HDMI)
        await until(lambda: again.heard)
        assert other.heard == []
        again.end()


async def test_a_send_goes_out_at_once_and_the_hub_listens_again(home: Home) -> None:
    async with hearing(home) as (hub, listener):
        await hub.until(lambda: hub.receiver.listening == "ir")
        began = home.hass.loop.time()
        await send(home.hass, hub, HDMI.hex())
        assert home.hass.loop.time() - began < hub_receiver.READ_S
        await hub.until(lambda: hub.receiver.listening == "ir", timeout=hub_receiver.READ_S)
        await hub.press_when_listening(POWER)
        await until(lambda: listener.heard)
        assert listener.heard == [to_timings(POWER)]  # and not what was sent
        assert hub.transmitted == [HDMI]


async def test_what_was_heard_just_before_a_send_is_not_lost(home: Home) -> None:
    async with hearing(home) as (hub, listener):
        await hub.press_when_listening(POWER)
        await send(home.hass, hub, HDMI.hex())
        assert listener.heard == [to_timings(POWER)]


async def test_learning_has_the_ear_for_itself_and_gives_it_back(home: Home) -> None:
    async with hearing(home) as (hub, listener):
        await hub.until(lambda: hub.receiver.listening == "ir")
        armed = hub.count("learn")
        learn = asyncio.create_task(
            home.hass.services.async_call(
                "irhub",
                "learn",
                {"host": f"{hub.host}:{hub.port}"},
                blocking=True,
                return_response=True,
            )
        )
        await hub.until(lambda: hub.count("learn") > armed)
        assert hub.press(POWER)
        assert await learn
        await hub.press_when_listening(HDMI)
        await until(lambda: listener.heard)
        assert listener.heard == [to_timings(HDMI)]


async def test_learning_that_begins_while_the_hub_is_read_is_left_alone(home: Home) -> None:
    async with hearing(home) as (hub, listener):
        hub.faults.slow = 0.3
        await hub.press_when_listening(POWER)
        asked = hub.count("read")
        await hub.until(lambda: hub.count("read") > asked)
        async with our_hub(home.hass, hub).learn():
            await until(lambda: listener.heard)
            hub.faults.clear()
            await our_hub(home.hass, hub).request(read_status)
            assert hub.receiver.listening is None
        await hub.until(lambda: hub.receiver.listening == "ir")


async def test_learning_is_stopped_in_the_moment_in_which_its_time_is_up(home: Home) -> None:
    stopped: list[asyncio.Task[None]] = []
    async with VirtualHub() as hub:
        await set_up(home.hass, "remote", entry(hub))
        session, loop = our_hub(home.hass, hub).learn(), home.hass.loop

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
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_receiver, "READ_S", 60)  # noise would stay with the hub as long
    async with hearing(home, noise=False) as (hub, _):
        await hub.until(lambda: hub.receiver.listening == "ir")
        hub.faults.errors = [-4]
        await send(home.hass, hub, HDMI.hex())
        assert hub.transmitted == [HDMI]


async def test_another_client_that_learns_costs_seconds(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert library.REARM_S <= 5
    monkeypatch.setattr(arming, "REARM_S", 0.5)
    async with hearing(home) as (hub, listener):
        await hub.until(lambda: hub.receiver.listening == "ir")
        hub.receiver.idle()
        await hub.press_when_listening(POWER)
        await until(lambda: listener.heard)


async def test_a_reboot(home: Home) -> None:
    async with hearing(home) as (hub, listener):
        await hub.until(lambda: hub.receiver.listening == "ir")
        hub.reboot()
        await hub.press_when_listening(POWER)
        await until(lambda: listener.heard)


async def test_an_expired_session_loses_nothing(home: Home) -> None:
    async with hearing(home) as (hub, listener):
        await hub.press_when_listening(POWER)
        hub.expire_sessions()
        await until(lambda: listener.heard)
        assert listener.heard == [to_timings(POWER)]


async def test_a_lost_reply_tells_nothing_twice(home: Home) -> None:
    async with hearing(home) as (hub, listener):
        await hub.press_when_listening(POWER)
        hub.faults.lose_replies = 1
        await until(lambda: listener.heard)
        await hub.press_when_listening(HDMI)
        hub.faults.loss = 0.3
        await until(lambda: len(listener.heard) == 2)
        hub.faults.clear()
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


async def test_a_hub_that_refuses_to_listen_is_said_once(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_receiver, "RETRY_S", 0.3)
    async with hearing(home) as (hub, listener):
        await hub.until(lambda: hub.receiver.listening == "ir")
        hub.faults.errors = [-4] * 12
        await home.wait_for(RECEIVER, "unavailable")
        await until(lambda: not hub.faults.errors)
        await home.wait_for(RECEIVER, lambda state: state.state != "unavailable")
        await hub.press_when_listening(POWER)
        await until(lambda: listener.heard)
        assert len([line for line in home.log() if "refused" in line]) == 1


async def test_a_device_without_an_ear(home: Home) -> None:
    async with VirtualHub("sp2") as plug:
        await set_up(home.hass, "infrared", entry(plug))
        await until(lambda: our_hub(home.hass, plug).available)
        assert home.value(RECEIVER) == "unavailable"


async def test_a_reload_ends_listening(home: Home) -> None:
    async with hearing(home) as (hub, _listener):
        await hub.until(lambda: hub.receiver.listening == "ir")
        home.write({})
        await home.hass.services.async_call("irhub", "reload", blocking=True)
        assert hub.receiver.listening is None


async def test_a_capture_that_is_no_packet_is_nobodys(home: Home) -> None:
    async with hearing(home) as (hub, listener):
        await hub.press_when_listening(b"\x26\0\x01\0\0")
        await hub.press_when_listening(POWER)
        await until(lambda: listener.heard)
        assert listener.heard == [to_timings(POWER)]


async def test_a_thousand_presses(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every press that the hub captured is reported once, with sends and polls in between."""
    monkeypatch.setattr(hub_receiver, "READ_S", 0.01)
    random = Random(1)
    async with hearing(home) as (hub, listener):
        hub.quirks.air_time = 0.0
        captured: list[list[int]] = []
        sent = 0
        while len(captured) < 1000:
            packet = from_timings([9000, -4500, 500 + len(captured) * 31, -90000])
            await asyncio.sleep(random.random() / 100)
            if hub.press(packet):
                captured.append(to_timings(packet))
            if random.random() < 0.1:
                await send(home.hass, hub, HDMI.hex())
                sent += 1
            if random.random() < 0.1:
                await our_hub(home.hass, hub).request(read_status)
        await until(lambda: len(listener.heard) + hub.receiver.lost >= len(captured))
        missed = [packet for packet in captured if packet not in listener.heard]
        assert [packet for packet in captured if packet in listener.heard] == listener.heard
        assert len(missed) == hub.receiver.lost
        assert len(missed) <= 5
        assert len(hub.transmitted) == sent


async def test_the_librarys_own_protocols_come_through_the_ear(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each that it reads, 5 % off: what is heard says what was sent."""
    monkeypatch.setattr(hub_receiver, "READ_S", 0.01)
    random = Random(1)
    packets = [
        from_timings(timings)
        for cls in READABLE
        for command in commands(cls, random)
        if reads(cls, timings := command.get_raw_timings())
    ]
    async with hearing(home) as (hub, listener):
        for packet in packets:
            listener.heard.clear()
            await hub.press_when_listening(from_timings(jittered(to_timings(packet), random)))
            await until(lambda: listener.heard)
            [timings] = listener.heard
            assert meaning(from_timings(timings)) == meaning(packet) is not None
    assert len(packets) > 5 * len(READABLE) > 0
