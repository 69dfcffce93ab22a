"""The virtual hub against broadlink 0.19.0, the independent blocking client."""

import asyncio
import struct
from typing import Any

import broadlink  # type: ignore[import-untyped]
from broadlink import exceptions
import pytest

from virtual_home.hub import MODELS, State, VirtualHub
from virtual_home.hub.family import make_message

IR = bytes.fromhex("26000800") + bytes((0x40, 0x20, 0x10, 0x20, 0x10, 0x00, 0x0D, 0x05))
RF = bytes.fromhex("b2000400") + bytes((0x20, 0x40, 0x20, 0x40))


METER = {"current": 0.652, "volt": 229.5, "power": 148.12, "totalconsum": 12.34}


def measure(state: State) -> None:
    """Let a device measure what METER says."""
    state.power = True
    state.amperes, state.volts, state.watts, state.kilowatt_hours = METER.values()


async def connect(hub: VirtualHub) -> Any:  # noqa: ANN401  (the library is untyped)
    """Say hello and authenticate with the blocking client, in a thread."""
    hub.quirks.noise = False  # the client takes it for a button

    def hello() -> Any:  # noqa: ANN401
        device = broadlink.hello(hub.host, hub.port, timeout=3)
        device.timeout = 3
        device.auth()
        return device

    return await asyncio.to_thread(hello)


@pytest.mark.parametrize("model", MODELS)
async def test_every_model_authenticates_and_is_known_to_the_client_or_new(model: str) -> None:
    async with VirtualHub(model, mac="34:EA:34:12:AB:CD", name="Living room") as hub:
        device = await connect(hub)
        assert (type(device) is not broadlink.Device) is MODELS[model].known
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
        await asyncio.to_thread(device.send_data, learned)
        assert hub.transmitted == [IR]
        await asyncio.to_thread(device.update)
        assert device.name == hub.name


@pytest.mark.parametrize("model", ["rm_pro", "rm_mini"])
async def test_remnants_of_earlier_data_stand_behind_a_capture(model: str) -> None:
    async def learn(packet: bytes) -> bytes:
        await asyncio.to_thread(device.enter_learning)
        assert hub.press(packet)
        return bytes(await asyncio.to_thread(device.check_data))

    async with VirtualHub(model) as hub:
        device = await connect(hub)
        short = bytes.fromhex("26000400200d0005")
        long = bytes.fromhex("26002000") + bytes(range(1, 33))
        heard = await learn(short)
        assert heard[: len(short)] == short
        assert len(heard) == 12
        assert all(heard[len(short) :])  # no zeros even before anything was learned
        assert (await learn(long)).startswith(long)
        again = await learn(short)
        assert again == short + long[len(short) : 12]
        await asyncio.to_thread(device.send_data, again)
        assert hub.transmitted == [short]
        hub.quirks.remnants = False
        assert not any((await learn(short))[len(short) :])


async def test_a_capture_of_an_rm4_says_how_long_it_is() -> None:
    async with VirtualHub("rm4_pro") as hub:
        device = await connect(hub)
        await asyncio.to_thread(device.enter_learning)
        assert hub.press(IR)
        assert await asyncio.to_thread(device.check_data) == IR


@pytest.mark.parametrize("model", ["rm_pro", "rm4_pro"])
async def test_the_padding_completes_a_packet_that_is_a_little_too_short(model: str) -> None:
    async with VirtualHub(model) as hub:
        device = await connect(hub)
        await asyncio.to_thread(device.send_data, IR[:-3])
        assert hub.transmitted == [IR[:-3] + bytes(3)]


@pytest.mark.parametrize("model", ["rm_pro", "rm4_pro"])
async def test_radio_is_swept_then_learned(model: str) -> None:
    async with VirtualHub(model) as hub:
        device = await connect(hub)
        await asyncio.to_thread(device.sweep_frequency)
        assert await asyncio.to_thread(device.check_frequency) == (False, 430.0)
        assert hub.receiver.hold(433.92)
        assert await asyncio.to_thread(device.check_frequency) == (True, 433.92)
        await asyncio.to_thread(device.find_rf_packet, 433.92)
        assert hub.receiver.asked_khz == 433920
        assert not hub.press(IR)
        assert hub.press(RF)
        assert (await asyncio.to_thread(device.check_data))[: len(RF)] == RF
        await asyncio.to_thread(device.cancel_sweep_frequency)
        assert hub.receiver.listening is None


async def test_a_failed_sweep_is_answered_with_flag_4_and_a_wrong_frequency() -> None:
    def check() -> tuple[int, int]:
        reply = device._send(0x1A)  # noqa: SLF001  (check_frequency takes any flag for found)
        return reply[0], int.from_bytes(reply[1:5], "little")

    async with VirtualHub("rm4_pro") as hub:
        device = await connect(hub)
        for fail in (hub.receiver.fail_sweep, lambda: None):
            hub.receiver.sweep_window = 0.3
            await asyncio.to_thread(device.sweep_frequency)
            assert await asyncio.to_thread(check) == (0, 430_000)
            fail()
            await asyncio.sleep(hub.receiver.sweep_window)
            assert await asyncio.to_thread(check) == (4, 430_000)
            assert not hub.receiver.hold(433.92)
        await asyncio.to_thread(device.sweep_frequency)
        assert hub.receiver.hold(433.92)
        assert await asyncio.to_thread(check) == (1, 433_920)
        await asyncio.to_thread(device.cancel_sweep_frequency)
        assert await asyncio.to_thread(check) == (0, 430_000)


@pytest.mark.parametrize(
    ("celsius", "read"),
    [(22.8, 22.8), (22.9, -7.0), (23.0, -7.0), (23.1, -7.0), (23.2, 23.2)],
)
async def test_around_23_degrees_an_rm_pro_reports_minus_7(celsius: float, read: float) -> None:
    async with VirtualHub("rm_pro") as hub:
        hub.state.temperature = celsius
        device = await connect(hub)
        for _ in range(2):
            assert await asyncio.to_thread(device.check_sensors) == {"temperature": read}


async def test_an_rm_pro_plus_has_no_thermometer_and_reports_zero() -> None:
    async with VirtualHub("rm_pro_plus") as hub:
        device = await connect(hub)
        assert await asyncio.to_thread(device.check_sensors) == {"temperature": 0.0}


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


@pytest.mark.parametrize("model", ["sp4", "sp4b", "sp4b_unmetered"])
async def test_newer_plugs_tell_their_state_in_json(model: str) -> None:
    async with VirtualHub(model) as hub:
        device = await connect(hub)
        await asyncio.to_thread(device.set_power, pwr=True)
        await asyncio.to_thread(device.set_nightlight, ntlight=True)
        assert (hub.state.power, hub.state.night_light) == (True, True)
        assert await asyncio.to_thread(device.check_power) is True
        assert await asyncio.to_thread(device.check_nightlight) is True
        new_state = await asyncio.to_thread(device.set_state, pwr=False, childlock=True)
        assert (new_state["pwr"], new_state["childlock"]) == (0, 1)
        assert (hub.state.power, hub.state.night_light) == (False, True)


async def test_a_metered_sp4b_measures_and_an_unmetered_one_says_that_it_cannot() -> None:
    async with VirtualHub("sp4b") as hub, VirtualHub("sp4b_unmetered") as unmetered:
        measure(hub.state)
        state = await asyncio.to_thread((await connect(hub)).get_state)
        assert {key: state[key] for key in METER} == METER
        assert not METER.keys() & (await asyncio.to_thread((await connect(unmetered)).get_state))


@pytest.mark.parametrize("model", ["scb1e", "mcb1"])
async def test_a_control_box_measures_in_thousandths_without_a_frame(model: str) -> None:
    """The library has the class of an SP4 for it, which passes the numbers on as they come."""
    async with VirtualHub(model) as hub:
        measure(hub.state)
        device = await connect(hub)
        assert device.TYPE == "SP4"
        state = await asyncio.to_thread(device.get_state)
        assert {key: state[key] for key in METER} == {
            key: round(value * 1000) for key, value in METER.items()
        }


@pytest.mark.parametrize(("model", "off", "on"), [("sp4l", 0.0, None), ("sp4l_new", 0, -1)])
async def test_an_sp4l_has_no_meter_and_says_so_when_it_is_on(
    model: str, off: float, on: float | None
) -> None:
    async with VirtualHub(model) as hub:
        device = await connect(hub)
        assert (await asyncio.to_thread(device.get_state))["volt"] == off
        await asyncio.to_thread(device.set_power, pwr=True)
        assert (await asyncio.to_thread(device.get_state)).get("volt") == on


async def test_bg1_switches_two_sockets() -> None:
    async with VirtualHub("bg1") as hub:
        device = await connect(hub)
        await asyncio.to_thread(device.set_state, pwr2=True, idcbrightness=30)
        assert hub.state.slots[:2] == [False, True]
        state = await asyncio.to_thread(device.get_state)
        assert (state["pwr1"], state["pwr2"], state["idcbrightness"]) == (0, 1, 30)


async def test_mp1s_measures_its_slots_together() -> None:
    async with VirtualHub("mp1s") as hub:
        measure(hub.state)
        device = await connect(hub)
        assert await asyncio.to_thread(device.get_state) == pytest.approx(METER)
        assert (await asyncio.to_thread(device.check_power))["s1"] is False


async def test_a2_answers_the_independent_client_as_real_ones_do() -> None:
    async with VirtualHub("a2") as hub:
        device = await connect(hub)
        with pytest.raises(exceptions.StorageError):  # its frame announces two bytes too few
            await asyncio.to_thread(device.check_sensors_raw)


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
STRIP_METER = bytes.fromhex("0e00a5a55a5ab2c0010004") + bytes(5)
JSON_CUT = make_message(2, b"{")
JSON_LIST = make_message(2, b"[1]")
JSON_UNKNOWN = make_message(7, b"{}")
A2_UNKNOWN = b"\x0c\x00" + make_message(2, b"")
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
        ("mp1", 0x6A, STRIP_METER, exceptions.CommandNotSupportedError),
        ("sp4", 0x6A, JSON_CUT, exceptions.StructureAbnormalError),
        ("sp4", 0x6A, JSON_LIST, exceptions.StructureAbnormalError),
        ("sp4", 0x6A, JSON_UNKNOWN, exceptions.CommandNotSupportedError),
        ("sp4b", 0x6A, bytes(16), exceptions.StorageError),
        ("a2", 0x6A, A2_UNKNOWN, exceptions.CommandNotSupportedError),
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
