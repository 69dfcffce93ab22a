"""The virtual hub's faults, sessions and resends, against broadlink-async."""

import asyncio
from collections.abc import AsyncIterator
import contextlib
import time
from typing import Any

import broadlink_async
from broadlink_async import exceptions
import pytest

from virtual_home.hub import Faults, VirtualHub
from virtual_home.hub.faults import Line
from virtual_home.hub.remote import air_time

IR = bytes.fromhex("26000800") + bytes((0x40, 0x20, 0x10, 0x20, 0x10, 0x00, 0x0D, 0x05))
RF = bytes.fromhex("b2000400") + bytes((0x20, 0x40, 0x20, 0x40))


@contextlib.asynccontextmanager
async def client(hub: VirtualHub, timeout: float = 5) -> AsyncIterator[Any]:
    """Say hello and authenticate."""
    hub.quirks.noise = False  # the client takes it for a button
    device: Any = await broadlink_async.hello(hub.host, hub.port, timeout)
    device.timeout = timeout
    async with device:
        await device.auth()
        yield device


@pytest.mark.parametrize("model", ["rm_pro", "rm_mini", "rm_mini_b", "rm4_mini", "rm4_pro"])
async def test_capture_and_send(model: str) -> None:
    async with VirtualHub(model) as hub, client(hub) as device:
        pressing = asyncio.create_task(hub.press_when_listening(IR))
        async with contextlib.aclosing(device.capture(5, poll_interval=0.02)) as signals:
            signal = await anext(signals)
        await pressing
        assert signal.packet[: len(IR)] == IR
        assert hub.receiver.listening is None
        await device.send_data(signal.packet)
        assert hub.transmitted == [IR]


async def test_radio_capture_sweeps_first() -> None:
    async def remote(hub: VirtualHub) -> None:
        await hub.until(lambda: hub.receiver.hold(433.92))
        await hub.press_when_listening(RF)

    async with VirtualHub("rm4_pro") as hub, client(hub) as device:
        pressing = asyncio.create_task(remote(hub))
        async with contextlib.aclosing(device.capture_rf(5, poll_interval=0.02)) as signals:
            signal = await anext(signals)
        await pressing
        assert signal.packet == RF
        assert signal.frequency_mhz == 433.92


async def test_every_other_family_answers() -> None:
    for model in ("sp1", "sp2", "sp2s", "sp3", "sp3s"):
        async with VirtualHub(model) as hub, client(hub) as device:
            await device.set_power(pwr=True)
            assert hub.state.power
    async with VirtualHub("mp1") as hub, client(hub) as device:
        await device.set_power(4, pwr=True)
        assert hub.state.slots == [False, False, False, True]
        assert await device.check_power() == {"s1": False, "s2": False, "s3": False, "s4": True}
    async with VirtualHub("a1") as hub, client(hub) as device:
        assert (await device.check_sensors_raw())["humidity"] == 45.0
    async with VirtualHub("a2") as hub, client(hub) as device:
        assert await device.check_sensors_raw() == {
            "temperature": 22,
            "humidity": 45,
            "pm10": 14,
            "pm2_5": 9,
            "pm1": 5,
        }
    for model in ("sp4", "sp4b"):
        async with VirtualHub(model) as hub, client(hub) as device:
            await device.set_power(pwr=True)
            assert await device.check_power() is hub.state.power is True
    async with VirtualHub("sp4b") as hub, client(hub) as device:
        hub.state.power, hub.state.watts, hub.state.kilowatt_hours = True, 12.5, 1.25
        state = await device.get_state()
        assert (state["power"], state["volt"], state["totalconsum"]) == (12.5, 230.0, 1.25)
    async with VirtualHub("mp1s") as hub, client(hub) as device:
        hub.state.volts = 229.5
        assert (await device.get_state())["volt"] == 229.5
    async with VirtualHub("bg1") as hub, client(hub) as device:
        assert (await device.set_state(pwr1=True))["pwr1"] == 1
        assert hub.state.slots[0]


@pytest.mark.parametrize(("model", "like"), [("rm4c_pro_new", 0x649B), ("sp4_mini_new", 0x756C)])
async def test_a_new_device_type_works_when_it_is_treated_like_an_older_one(
    model: str, like: int
) -> None:
    async with VirtualHub(model) as hub:
        bare = await broadlink_async.hello(hub.host, hub.port, 3)
        assert type(bare) is broadlink_async.Device
        treated: Any = broadlink_async.gendevice(like, bare.host, bare.mac)
        async with treated as device:
            await device.auth()
            if like == 0x649B:
                await device.send_data(IR)
                assert hub.transmitted == [IR]
            else:
                await device.set_power(pwr=True)
                assert hub.state.power


async def test_learning_ends_by_itself_by_sending_and_by_reboot() -> None:
    async with VirtualHub("rm4_pro") as hub, client(hub) as device:
        await device.enter_learning()
        await device.send_data(IR)
        assert not hub.press(IR)
        await device.enter_learning()
        hub.reboot()
        assert not hub.press(IR)
        hub.receiver.window = 0.0
        await device.enter_learning()
        assert not hub.press(IR)


async def test_a_resend_after_a_lost_reply_transmits_once() -> None:
    async with VirtualHub("rm_pro") as hub, client(hub) as device:
        hub.faults.lose_replies = 1
        await device.send_data(IR)
        assert hub.transmitted == [IR]


async def test_firmware_that_drops_resends_leaves_the_client_without_a_reply() -> None:
    async with VirtualHub("rm_pro") as hub, client(hub, timeout=1.5) as device:
        hub.drop_resends = True
        hub.faults.lose_replies = 1
        with pytest.raises(exceptions.NetworkTimeoutError):
            await device.send_data(IR)
        assert hub.transmitted == [IR]


async def test_an_expired_session_and_a_reboot_are_answered_by_authenticating_anew() -> None:
    async with VirtualHub("rm_pro") as hub, client(hub) as device:
        hub.expire_sessions()
        await device.send_data(IR)
        hub.reboot(downtime=0.2)
        await device.send_data(IR)
        assert hub.transmitted == [IR, IR]
        assert hub.count("auth") == 3


async def test_a_locked_hub_refuses() -> None:
    async with VirtualHub("rm_pro") as hub, client(hub) as device:
        hub.locked = True
        with pytest.raises(exceptions.AuthorizationError):
            await device.send_data(IR)
        with pytest.raises(exceptions.AuthenticationError):
            await device.auth()
        await device.hello()
        assert device.is_locked
        assert hub.transmitted == []


async def test_a_hub_that_opens_no_session() -> None:
    async with VirtualHub("rm_pro") as hub:
        hub.faults.no_session = True
        device: Any = await broadlink_async.hello(hub.host, hub.port, 5)
        async with device:
            assert not device.is_locked
            with pytest.raises(exceptions.BroadlinkException, match="not supported"):
                await device.auth()
            hub.faults.clear()
            await device.auth()


async def test_a_locked_hub_that_opens_can_be_unlocked() -> None:
    async with VirtualHub("rm_pro") as hub:
        hub.opens_when_locked = hub.locked = True
        async with client(hub) as device:
            assert device.is_locked
            await device.set_lock(state=False)
            assert not hub.locked
            await device.send_data(IR)
        assert hub.transmitted == [IR]


async def test_a_silent_hub_times_out_and_comes_back() -> None:
    async with VirtualHub("rm_pro") as hub, client(hub, timeout=0.2) as device:
        hub.faults.silent = True
        with pytest.raises(exceptions.NetworkTimeoutError):
            await device.send_data(IR)
        hub.faults.clear()
        await device.send_data(IR)
        assert hub.transmitted == [IR]


async def test_an_unplugged_hub_returns_on_the_same_port() -> None:
    async with VirtualHub("rm_pro") as hub, client(hub, timeout=0.2) as device:
        hub.stop()
        with pytest.raises(exceptions.NetworkTimeoutError):
            await device.send_data(IR)
        await hub.start()
        await device.send_data(IR)
        assert hub.transmitted == [IR]


async def test_a_slow_hub_answers_late() -> None:
    async with VirtualHub("rm_pro") as hub, client(hub) as device:
        hub.faults.slow = 0.2
        began = time.monotonic()
        await device.check_sensors()
        assert time.monotonic() - began >= 0.2


async def test_a_send_is_confirmed_after_its_time_in_the_air() -> None:
    twice = RF[:1] + b"\x01" + RF[2:4] + bytes((0, 0x10, 0x00, 0x40))
    async with VirtualHub("rm4_pro") as hub, client(hub) as device:
        hub.quirks.air_time = 1.0
        seconds = 2 * (0x1000 + 0x40) * 8192 / 269 / 1e6
        assert air_time(twice) == pytest.approx(seconds)
        began = time.monotonic()
        await device.send_data(twice)
        assert seconds <= time.monotonic() - began < seconds + 0.5
        assert hub.transmitted == [twice]
        hub.quirks.air_time = 0.0
        began = time.monotonic()
        await device.send_data(twice)
        assert time.monotonic() - began < seconds


async def test_a_hub_that_transmits_answers_and_transmits_nothing_else() -> None:
    packet = RF[:4] + bytes((0, 0x20, 0x00, 0x40))
    async with VirtualHub("rm_pro") as hub, client(hub) as device, client(hub) as other:
        hub.quirks.air_time = 1.0
        began = time.monotonic()
        await asyncio.gather(device.send_data(packet), other.send_data(packet))
        assert time.monotonic() - began >= 2 * air_time(packet)
        first, second = hub.logs.transmitted
        assert second.at - first.at == pytest.approx(air_time(packet), abs=0.02)


@pytest.mark.parametrize(
    ("packet", "ticks"),
    [
        ("26000300100020", 0x10 + 0x2000),  # cut off in the middle of a duration
        ("260203001000", 3 * 0x10),
        ("b1c00800f09e0600100020ff", 0x10 + 0x20FF),
        ("b2c00800f09e060010000120", 0x10 + 0x120),
        ("b20103001020", 2 * 0x30),
    ],
)
def test_the_time_in_the_air_counts_durations_and_repeats(packet: str, ticks: int) -> None:
    assert air_time(bytes.fromhex(packet)) == pytest.approx(ticks * 8192 / 269 / 1e6, rel=0.001)


async def test_a_changed_mac_is_noticed() -> None:
    async with VirtualHub("rm_pro") as hub, client(hub) as device:
        hub.mac = "34:EA:34:FF:FF:FF"
        with pytest.raises(exceptions.DataValidationError):
            await device.hello()


async def test_errors_are_answered_in_order() -> None:
    async with VirtualHub("rm_pro") as hub, client(hub) as device:
        hub.faults.errors += [0, -3, -8]
        await device.check_sensors()
        with pytest.raises(exceptions.DeviceOfflineError):
            await device.send_data(IR)
        with pytest.raises(exceptions.SendError):
            await device.send_data(IR)
        await device.send_data(IR)
        assert hub.transmitted == [IR]


@pytest.mark.parametrize("fault", ["garbage", "truncate", "flip"])
async def test_damaged_replies_are_damaged(fault: str) -> None:
    async with VirtualHub("rm_pro") as hub, client(hub, timeout=0.5) as device:
        setattr(hub.faults, fault, 1.0)
        with pytest.raises(exceptions.BroadlinkException):
            await device.check_sensors()
        hub.faults.clear()
        assert await device.check_sensors() == {"temperature": 21.5}


async def test_replies_from_a_foreign_address_do_not_count() -> None:
    async with VirtualHub("rm_pro") as hub, client(hub, timeout=0.3) as device:
        hub.faults.foreign = 1.0
        with pytest.raises(exceptions.NetworkTimeoutError):
            await device.check_sensors()
        assert hub.count("state") == 1


async def test_duplicated_and_reordered_replies_confuse_nobody() -> None:
    async with VirtualHub("mp1", seed=7) as hub, client(hub) as device:
        hub.faults.duplicate = hub.faults.reorder = 0.5
        for turn in range(20):
            await device.set_power(1, pwr=turn % 2 == 0)
            assert (await device.check_power())["s1"] is (turn % 2 == 0)


def test_the_same_seed_makes_the_same_faults() -> None:
    def losses(seed: int) -> list[bool]:
        line = Line(Faults(loss=0.3), seed)
        return [line.arrives() for _ in range(1000)]

    assert losses(3) == losses(3) != losses(4)
    assert 600 < sum(losses(3)) < 800


async def test_a_lossy_line_loses_in_both_directions() -> None:
    async with VirtualHub("rm_pro", seed=1) as hub, client(hub) as device:
        hub.faults.loss, device.timeout = 0.5, 0.1
        for _ in range(20):
            with contextlib.suppress(exceptions.NetworkTimeoutError):
                await device.send_data(IR)
        assert 0 < len(hub.transmitted) < 20


async def test_nonsense_is_ignored() -> None:
    async with VirtualHub("rm_pro") as hub, client(hub) as device:
        transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
            asyncio.DatagramProtocol, remote_addr=(hub.host, hub.port)
        )
        valid = device._frame(0x6A, bytes(16))  # noqa: SLF001  (a frame to damage)
        for data in (
            b"",
            b"\0",
            bytes(48),
            bytes(200),
            valid[:-1],
            valid[:60] + b"\1" + valid[61:],
        ):
            transport.sendto(data)
        await broadlink_async.ping(hub.host, hub.port)
        await hub.until(lambda: hub.count("ping") == 1)
        transport.close()
        assert await device.check_sensors() == {"temperature": 21.5}


async def test_many_hubs_share_an_address_and_forty_clients_one_hub() -> None:
    async with contextlib.AsyncExitStack() as stack:
        hubs = [await stack.enter_async_context(VirtualHub("rm_mini")) for _ in range(40)]
        assert len({hub.port for hub in hubs}) == 40
        for hub in hubs:
            device = await stack.enter_async_context(client(hub))
            await device.send_data(IR)
        assert all(hub.transmitted == [IR] for hub in hubs)
        oldest = await stack.enter_async_context(client(hubs[0]))
        for _ in range(40):
            await stack.enter_async_context(client(hubs[0]))
        await oldest.send_data(IR)  # its session was pushed out; it authenticates anew
        assert hubs[0].transmitted == [IR, IR]


async def test_what_a_model_cannot_do_is_an_error() -> None:
    async with VirtualHub("a1") as hub:
        with pytest.raises(TypeError, match="a1 learns nothing"):
            hub.press(IR)
    with pytest.raises(KeyError):
        VirtualHub("toaster")
