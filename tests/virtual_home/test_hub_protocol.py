"""The virtual hub against broadlink 0.19.0, the independent blocking client."""

import asyncio
import struct
from typing import Any

import broadlink  # type: ignore[import-untyped]
from broadlink import exceptions
import pytest

from virtual_home.hub import MODELS, VirtualHub

IR = bytes.fromhex("26000800") + bytes((0x40, 0x20, 0x10, 0x20, 0x10, 0x00, 0x0D, 0x05))
RF = bytes.fromhex("b2000400") + bytes((0x20, 0x40, 0x20, 0x40))


async def connect(hub: VirtualHub) -> Any:  # noqa: ANN401  (the library is untyped)
    """Say hello and authenticate with the blocking client, in a thread."""

    def hello() -> Any:  # noqa: ANN401
        device = broadlink.hello(hub.host, hub.port, timeout=3)
        device.timeout = 3
        device.auth()
        return device

    return await asyncio.to_thread(hello)


@pytest.mark.parametrize("model", MODELS)
async def test_every_model_is_known_to_the_client_and_authenticates(model: str) -> None:
    async with VirtualHub(model, mac="34:EA:34:12:AB:CD", name="Living room") as hub:
        device = await connect(hub)
        assert type(device) is not broadlink.Device
        assert device.devtype == MODELS[model].devtype
        assert device.mac == bytes.fromhex("34EA3412ABCD")
        assert device.name == "Living room"
        assert device.is_locked is False
        assert await asyncio.to_thread(device.get_fwversion) == 52079
        assert (hub.count("hello"), hub.count("auth")) == (1, 1)


@pytest.mark.parametrize("model", ["rm_pro", "rm_mini", "rm_mini_b", "rm4_mini", "rm4_pro"])
async def test_remotes_learn_and_transmit(model: str) -> None:
    async with VirtualHub(model) as hub:
        device = await connect(hub)
        assert not hub.press(IR)
        await asyncio.to_thread(device.enter_learning)
        with pytest.raises((exceptions.StorageError, exceptions.ReadError)):
            await asyncio.to_thread(device.check_data)
        assert not hub.press(RF)
        assert hub.press(IR)
        learned = await asyncio.to_thread(device.check_data)
        assert learned[: len(IR)] == IR
        assert not any(learned[len(IR) :])
        await asyncio.to_thread(device.send_data, learned)
        assert hub.transmitted == [IR]
        await asyncio.to_thread(device.update)
        assert device.name == hub.name


@pytest.mark.parametrize("model", ["rm_pro", "rm4_pro"])
async def test_radio_is_swept_then_learned(model: str) -> None:
    async with VirtualHub(model) as hub:
        device = await connect(hub)
        await asyncio.to_thread(device.sweep_frequency)
        assert await asyncio.to_thread(device.check_frequency) == (False, 0.0)
        assert hub.receiver.hold(433.92)
        assert await asyncio.to_thread(device.check_frequency) == (True, 433.92)
        await asyncio.to_thread(device.find_rf_packet, 433.92)
        assert hub.receiver.asked_khz == 433920
        assert not hub.press(IR)
        assert hub.press(RF)
        assert (await asyncio.to_thread(device.check_data))[: len(RF)] == RF
        await asyncio.to_thread(device.cancel_sweep_frequency)
        assert hub.receiver.listening is None


@pytest.mark.parametrize(("celsius", "read"), [(21.5, 21.5), (-3.5, -3.5), (249, -7.0), (0, 0.0)])
async def test_rm_pro_measures_temperature_signed(celsius: float, read: float) -> None:
    async with VirtualHub("rm_pro") as hub:
        hub.state.temperature = celsius
        device = await connect(hub)
        assert await asyncio.to_thread(device.check_sensors) == {"temperature": read}


@pytest.mark.parametrize("model", ["rm4_mini", "rm4_pro"])
async def test_rm4_measures_temperature_and_humidity(model: str) -> None:
    async with VirtualHub(model) as hub:
        hub.state.temperature, hub.state.humidity = -4.25, 45.5
        device = await connect(hub)
        assert await asyncio.to_thread(device.check_sensors) == {
            "temperature": -4.25,
            "humidity": 45.5,
        }


async def test_air_sensor_reports_five_conditions() -> None:
    async with VirtualHub("a1") as hub:
        device = await connect(hub)
        assert await asyncio.to_thread(device.check_sensors_raw) == {
            "temperature": 21.5,
            "humidity": 45.0,
            "light": 2,
            "air_quality": 1,
            "noise": 0,
        }
        hub.state.temperature = -7
        assert (await asyncio.to_thread(device.check_sensors_raw))["temperature"] == 249


@pytest.mark.parametrize("model", ["sp1", "sp2", "sp2s", "sp3", "sp3s", "spmini2", "spminiplus"])
async def test_plugs_switch(model: str) -> None:
    async with VirtualHub(model) as hub:
        device = await connect(hub)
        for power in (True, False, True):
            await asyncio.to_thread(device.set_power, power)
            assert hub.state.power is power
            if model != "sp1":
                assert await asyncio.to_thread(device.check_power) is power
        assert hub.count("set") == 3


@pytest.mark.parametrize(("model", "watts"), [("sp2s", 1234.567), ("sp3s", 1234.56)])
async def test_metered_plugs_measure(model: str, watts: float) -> None:
    async with VirtualHub(model) as hub:
        hub.state.power, hub.state.watts = True, watts
        device = await connect(hub)
        assert await asyncio.to_thread(device.get_energy) == pytest.approx(watts)


async def test_sp3_has_a_night_light_of_its_own() -> None:
    async with VirtualHub("sp3") as hub:
        hub.state.night_light = True
        device = await connect(hub)
        await asyncio.to_thread(device.set_power, pwr=True)
        assert (hub.state.power, hub.state.night_light) == (True, True)
        await asyncio.to_thread(device.set_nightlight, ntlight=False)
        assert (hub.state.power, hub.state.night_light) == (True, False)


async def test_strip_switches_slots_by_mask() -> None:
    async with VirtualHub("mp1") as hub:
        device = await connect(hub)
        await asyncio.to_thread(device.set_power, 2, pwr=True)
        await asyncio.to_thread(device.set_power_mask, 0b1100, pwr=True)
        await asyncio.to_thread(device.set_power, 3, pwr=False)
        assert hub.state.slots == [False, True, False, True]
        assert await asyncio.to_thread(device.check_power) == {
            "s1": False,
            "s2": True,
            "s3": False,
            "s4": True,
        }


async def test_a_strip_may_report_late() -> None:
    async with VirtualHub("mp1") as hub:
        hub.state.lag = 60
        device = await connect(hub)
        await asyncio.to_thread(device.set_power, 2, pwr=True)
        assert hub.state.slots[1]
        assert not (await asyncio.to_thread(device.check_power))["s2"]
        hub.state.lag = 0
        assert (await asyncio.to_thread(device.check_power))["s2"]


async def test_locked_and_expired_sessions_answer_like_a_device() -> None:
    async with VirtualHub("rm_pro") as hub:
        device = await connect(hub)
        hub.expire_sessions()
        with pytest.raises(exceptions.AuthorizationError):
            await asyncio.to_thread(device.check_sensors)
        hub.locked = True
        with pytest.raises(exceptions.AuthenticationError):
            await asyncio.to_thread(device.auth)
        again = await asyncio.to_thread(broadlink.hello, hub.host, hub.port, 3)
        assert again.is_locked is True
        await asyncio.to_thread(device.hello)
        hub.locked = False
        await asyncio.to_thread(device.auth)
        await asyncio.to_thread(device.set_lock, state=True)
        assert hub.locked is True


RM_SWEEP = struct.pack("<I", 0x19)
RM_UNKNOWN = struct.pack("<I", 0x77)
RM_SEND_CUT = struct.pack("<I", 2) + b"\x26\x00\xff\x00"
FRAMED_CUT = struct.pack("<HI", 200, 2)
STRIP_BROKEN = bytes.fromhex("0a00a5a55a5aaec002") + bytes(7)
STRIP_UNKNOWN = bytes.fromhex("0a00a5a55a5ab0c003") + bytes(7)


@pytest.mark.parametrize(
    ("model", "command", "payload", "error"),
    [
        ("rm_mini", 0x6A, RM_SWEEP, exceptions.CommandNotSupportedError),
        ("rm_mini", 0x6A, RM_UNKNOWN, exceptions.CommandNotSupportedError),
        ("rm_mini", 0x6A, RM_SEND_CUT, exceptions.StructureAbnormalError),
        ("rm4_mini", 0x6A, FRAMED_CUT, exceptions.StructureAbnormalError),
        ("rm_pro", 0x77, RM_UNKNOWN, exceptions.CommandNotSupportedError),
        ("rm_pro", 0x6A, b"", exceptions.StructureAbnormalError),
        ("sp2", 0x6A, b"\x04", exceptions.CommandNotSupportedError),
        ("sp2", 0x66, b"\x01", exceptions.CommandNotSupportedError),
        ("sp1", 0x6A, b"\x01", exceptions.CommandNotSupportedError),
        ("a1", 0x6A, b"\x02", exceptions.CommandNotSupportedError),
        ("mp1", 0x6A, STRIP_BROKEN, exceptions.StructureAbnormalError),
        ("mp1", 0x6A, STRIP_UNKNOWN, exceptions.CommandNotSupportedError),
    ],
)
async def test_unknown_commands_and_broken_packets_are_refused(
    model: str, command: int, payload: bytes, error: type[Exception]
) -> None:
    async with VirtualHub(model) as hub:
        device = await connect(hub)
        before = hub.state.power, list(hub.state.slots)
        reply = await asyncio.to_thread(device.send_packet, command, payload)
        with pytest.raises(error):
            exceptions.check_error(reply[0x22:0x24])
        assert hub.transmitted == []
        assert (hub.state.power, hub.state.slots) == before
