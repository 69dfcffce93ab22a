"""Sensors of hubs and air sensors, from YAML to states."""

import asyncio
from datetime import timedelta
import logging
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    async_fire_time_changed,
)

from custom_components.irhub.hub.polling import StatusCoordinator
from tests.home import until
from virtual_home.hub import VirtualHub

from ..dialogue import add
from ..home import entry, our_hub, our_status, set_up

ALL = ["temperature", "humidity", "air_quality", "light", "noise"]
INTERVAL_S = 30
TEMPERATURE = "sensor.broadlink_sensor_temperature"
HUMIDITY = "sensor.broadlink_sensor_humidity"


def sensors(hub: VirtualHub, *conditions: str, **keys: object) -> dict[str, Any]:
    """Return a sensor entry."""
    return entry(
        hub,
        **{
            "monitored_conditions": list(conditions) or ["temperature"],
            "scan_interval": INTERVAL_S,
            **keys,
        },
    )


def metered(hass: HomeAssistant) -> dict[str, str]:
    """Return what meters show."""
    return {
        state.entity_id: state.state
        for state in hass.states.async_all("sensor")
        if state.attributes.get("device_class") in {"power", "current", "voltage", "energy"}
    }


def pass_some_time(hass: HomeAssistant) -> None:
    """Let the usual interval pass."""
    async_fire_time_changed(hass, dt_util.utcnow() + timedelta(seconds=301))


async def read_again(hass: HomeAssistant, hub: VirtualHub) -> None:
    """Let the usual interval pass, and wait for what is read then."""
    before = hub.count("status")
    pass_some_time(hass)
    await hub.until(lambda: hub.count("status") > before)
    await hass.async_block_till_done()


def value(hass: HomeAssistant, entity_id: str = TEMPERATURE) -> str:
    """Return an entity's state."""
    state = hass.states.get(entity_id)
    assert state is not None
    return state.state


def warnings(caplog: pytest.LogCaptureFixture, text: str) -> list[str]:
    """Return the warnings that contain a text."""
    return [
        record.getMessage()
        for record in caplog.records
        if record.levelno == logging.WARNING and text in record.getMessage()
    ]


def coordinator_of(hass: HomeAssistant, hub: VirtualHub) -> StatusCoordinator:
    """Return what reads the status of a hub."""
    return our_status(hass, hub)


async def polled(hass: HomeAssistant, hub: VirtualHub, *, missed: bool = False) -> None:
    """Let the interval pass, and wait for the reading."""
    coordinator = coordinator_of(hass, hub)
    before = coordinator.data
    async_fire_time_changed(hass, dt_util.utcnow() + timedelta(seconds=INTERVAL_S))
    wanted = before.missed + 1 if missed else 0
    await until(lambda: coordinator.data is not before and coordinator.data.missed == wanted)
    await hass.async_block_till_done()


@pytest.mark.parametrize("model", ["a1"])
async def test_the_air_sensor_shows_five_conditions_of_a_poll(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "sensor", sensors(virtual_hub, *ALL))
    await until(lambda: value(hass) == "21.5")
    states = {state.entity_id: state for state in hass.states.async_all("sensor")}
    assert {entity_id: state.state for entity_id, state in states.items()} == {
        TEMPERATURE: "21.5",
        HUMIDITY: "45.0",
        "sensor.broadlink_sensor_air_quality": "1",
        "sensor.broadlink_sensor_light": "2",
        "sensor.broadlink_sensor_noise": "0",
    }
    assert states[TEMPERATURE].attributes == {
        "device_class": "temperature",
        "state_class": "measurement",
        "unit_of_measurement": "°C",
        "friendly_name": "Broadlink sensor Temperature",
    }
    assert states[HUMIDITY].attributes["unit_of_measurement"] == "%"
    assert states[HUMIDITY].attributes["device_class"] == "humidity"
    assert states["sensor.broadlink_sensor_air_quality"].attributes == {
        "state_class": "measurement",
        "friendly_name": "Broadlink sensor Air Quality",
    }
    assert virtual_hub.count("sensors") == 1
    virtual_hub.state.temperature, virtual_hub.state.noise = 22.0, 2
    await polled(hass, virtual_hub)
    assert value(hass) == "22.0"
    assert value(hass, "sensor.broadlink_sensor_noise") == "2"
    assert virtual_hub.count("sensors") == 2


@pytest.mark.parametrize(
    ("model", "conditions"),
    [
        ("rm_pro", ["temperature"]),
        ("rm4_mini", ["temperature", "humidity"]),
        ("rm4_pro", ["temperature", "humidity"]),
    ],
)
async def test_hubs_show_what_they_measure(
    hass: HomeAssistant, conditions: list[str], virtual_hub: VirtualHub
) -> None:
    virtual_hub.state.temperature = -3.5
    await set_up(hass, "sensor", sensors(virtual_hub, *conditions, name="Attic"))
    await until(lambda: value(hass, "sensor.attic_temperature") == "-3.5")
    assert len(hass.states.async_all("sensor")) == len(conditions)


async def test_unique_ids_let_users_rename(hass: HomeAssistant) -> None:
    async with VirtualHub("a1", mac="34:EA:34:AB:CD:EF") as hub:
        await set_up(hass, "sensor", sensors(hub, *ALL))
        registry = er.async_get(hass)
        assert {registry_entry.unique_id for registry_entry in registry.entities.values()} == {
            f"34ea34abcdef-{condition}" for condition in ALL
        }


@pytest.mark.parametrize("model", ["a1"])
async def test_two_entries_for_the_same_hub_share_the_poll(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(
        hass,
        "sensor",
        sensors(virtual_hub, "temperature", scan_interval=1000),
        sensors(virtual_hub, "humidity", name="Other"),
    )
    await until(lambda: value(hass, "sensor.other_humidity") == "45.0")
    assert value(hass) == "21.5"
    assert virtual_hub.count("sensors") == 1
    virtual_hub.state.temperature = 19.0
    await polled(hass, virtual_hub)
    assert value(hass) == "19.0"
    assert virtual_hub.count("sensors") == 2


async def test_a_condition_the_device_lacks_is_unavailable_and_named_once(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "sensor", sensors(virtual_hub, "temperature", "humidity"))
    await until(lambda: value(hass) == "21.5")
    for _ in range(3):
        virtual_hub.state.temperature += 1
        await polled(hass, virtual_hub)
    assert value(hass) == "24.5"
    assert value(hass, HUMIDITY) == "unavailable"
    label = f"{virtual_hub.host}:{virtual_hub.port}"
    assert warnings(caplog, "does not measure") == [
        f"{HUMIDITY}: the device at {label} does not measure humidity; it offers temperature"
    ]


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_device_that_measures_nothing_is_never_asked(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "sensor", sensors(virtual_hub))
    await until(lambda: "does not measure temperature; it offers nothing" in caplog.text)
    assert value(hass) == "unavailable"
    async_fire_time_changed(hass, dt_util.utcnow() + timedelta(seconds=INTERVAL_S))
    await hass.async_block_till_done()
    assert {request.name for request in virtual_hub.logs.received} == {"hello", "auth"}


@pytest.mark.parametrize("model", ["a1"])
async def test_implausible_values_are_not_shown(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "sensor", sensors(virtual_hub, "temperature", "humidity"))
    await until(lambda: value(hass) == "21.5")
    virtual_hub.state.temperature, virtual_hub.state.humidity = 249.0, 50.0
    await polled(hass, virtual_hub)
    assert (value(hass), value(hass, HUMIDITY)) == ("21.5", "50.0")


@pytest.mark.parametrize("model", ["rm_pro", "rm4_pro"])
async def test_minus_seven_is_not_believed_where_it_cannot_be(
    hass: HomeAssistant, model: str, virtual_hub: VirtualHub
) -> None:
    virtual_hub.state.temperature = misread = 23.0 if model == "rm_pro" else -7.0
    await set_up(hass, "sensor", sensors(virtual_hub))
    await until(lambda: coordinator_of(hass, virtual_hub).data.conditions is not None)
    for _ in range(5):
        await polled(hass, virtual_hub)
        assert value(hass) == "unknown"
    virtual_hub.state.temperature = 22.7
    await polled(hass, virtual_hub)
    virtual_hub.state.temperature = misread  # an RM pro's firmware reports 23.0 as -7.0
    for _ in range(5):
        await polled(hass, virtual_hub)
        assert value(hass) == "22.7"
    virtual_hub.state.temperature = 20.0
    await polled(hass, virtual_hub)
    virtual_hub.state.temperature = -7.0
    for expected in ("20.0", "20.0", "20.0", "unavailable"):
        await polled(hass, virtual_hub)
        assert value(hass) == expected


async def test_minus_seven_is_believed_in_a_frost(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    virtual_hub.state.temperature = -4.0
    await set_up(hass, "sensor", sensors(virtual_hub))
    await until(lambda: value(hass) == "-4.0")
    virtual_hub.state.temperature = -7.0
    await polled(hass, virtual_hub)
    assert value(hass) == "-7.0"


@pytest.mark.parametrize("model", ["rm_pro_plus"])
async def test_a_hub_without_a_thermometer_stays_unknown(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "sensor", sensors(virtual_hub))
    await until(lambda: value(hass) == "unknown")
    for _ in range(5):
        await polled(hass, virtual_hub)
    assert value(hass) == "unknown"


@pytest.mark.parametrize("model", ["a2"])
async def test_an_a2_shows_what_it_measures(hass: HomeAssistant, virtual_hub: VirtualHub) -> None:
    virtual_hub.state.temperature, virtual_hub.state.humidity = 22, 48
    await set_up(
        hass, "sensor", sensors(virtual_hub, "temperature", "humidity", "pm2_5", "pm10", "pm1")
    )
    await until(lambda: value(hass) == "22")
    assert value(hass, HUMIDITY) == "48"
    dust = hass.states.get("sensor.broadlink_sensor_pm2_5")
    assert dust is not None
    assert dust.state == str(virtual_hub.state.pm2_5)
    assert dust.attributes["device_class"] == "pm25"
    assert value(hass, "sensor.broadlink_sensor_pm10") == str(virtual_hub.state.pm10)
    assert value(hass, "sensor.broadlink_sensor_pm1") == str(virtual_hub.state.pm1)
    assert virtual_hub.count("sensors") == 1


METER = ["power", "current", "voltage", "total_consumption"]


@pytest.mark.parametrize(
    ("model", "requests"), [("sp4b", {"status": 1}), ("mp1s", {"status": 1, "energy": 1})]
)
async def test_a_meter_s_values_come_with_the_status(
    hass: HomeAssistant, requests: dict[str, int], virtual_hub: VirtualHub
) -> None:
    virtual_hub.state.power, virtual_hub.state.watts = True, 1234.5
    virtual_hub.state.volts, virtual_hub.state.amperes, virtual_hub.state.kilowatt_hours = (
        229.5,
        5.37,
        18.25,
    )
    await set_up(hass, "sensor", sensors(virtual_hub, *METER, name="Boiler"))
    await until(lambda: value(hass, "sensor.boiler_power") == "1234.5")
    states = {state.entity_id: state for state in hass.states.async_all("sensor")}
    assert {entity_id: state.state for entity_id, state in states.items()} == {
        "sensor.boiler_power": "1234.5",
        "sensor.boiler_current": "5.37",
        "sensor.boiler_voltage": "229.5",
        "sensor.boiler_total_consumption": "18.25",
    }
    assert {
        (
            state.attributes["device_class"],
            state.attributes["unit_of_measurement"],
            state.attributes["state_class"],
        )
        for state in states.values()
    } == {
        ("power", "W", "measurement"),
        ("current", "A", "measurement"),
        ("voltage", "V", "measurement"),
        ("energy", "kWh", "total_increasing"),
    }
    await set_up(hass, "switch", entry(virtual_hub, scan_interval=1000))
    await until(lambda: len(hass.states.async_all("switch")) > 0)
    await hass.async_block_till_done()
    assert {name: virtual_hub.count(name) for name in requests} == requests


@pytest.mark.parametrize("model", ["sp2s", "sp3s"])
async def test_a_metered_plug_as_a_sensor(hass: HomeAssistant, virtual_hub: VirtualHub) -> None:
    virtual_hub.state.power, virtual_hub.state.watts = True, 60.5
    await set_up(hass, "sensor", sensors(virtual_hub, "power"))
    await until(lambda: value(hass, "sensor.broadlink_sensor_power") == "60.5")


@pytest.mark.parametrize("model", ["scb1e", "mcb1", "sp4b"])
async def test_what_a_control_box_measures_becomes_sensors(hass: HomeAssistant, model: str) -> None:
    """Whatever the library's class of the type can do: the device reports it."""
    async with VirtualHub(model, name="Box") as hub:
        hub.state.volts = 223.9
        await add(hass, hub)
        await until(lambda: len(metered(hass)) == 4)
        assert metered(hass) == {
            "sensor.box_power": "0.0",
            "sensor.box_current": "0.0",
            "sensor.box_voltage": "223.9",
            "sensor.box_total_consumption": "0.0",
        }
        hub.state.power, hub.state.watts, hub.state.amperes = True, 833.36, 3.879
        pass_some_time(hass)
        await until(lambda: metered(hass)["sensor.box_power"] == "833.36")
        assert metered(hass)["sensor.box_current"] == "3.879"


@pytest.mark.parametrize("model", ["sp4l", "sp4l_new"])
async def test_a_plug_that_measures_0_while_off_and_less_while_on_has_no_meter(
    hass: HomeAssistant, model: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with VirtualHub(model, name="Plug") as hub:
        await add(hass, hub)
        await until(lambda: len(hass.states.async_all("switch")) == 1)
        [switch] = hass.states.async_all("switch")
        for action in ("turn_on", "turn_off"):
            await hass.services.async_call(
                "switch", action, {"entity_id": switch.entity_id}, blocking=True
            )
            await read_again(hass, hub)
            assert metered(hass) == {}
            state = hass.states.get(switch.entity_id)
            assert state is not None
            assert "current_power_w" not in state.attributes
        assert not warnings(caplog, "measure")


@pytest.mark.parametrize("model", ["sp4l"])
async def test_yaml_does_not_show_what_such_a_plug_says(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "sensor", sensors(virtual_hub, "power"))
    await until(lambda: value(hass, "sensor.broadlink_sensor_power") == "unknown")
    virtual_hub.state.power = True
    await polled(hass, virtual_hub)
    assert value(hass, "sensor.broadlink_sensor_power") == "unavailable"


@pytest.mark.parametrize("model", ["sp4b_unmetered"])
async def test_a_plug_without_a_meter_offers_nothing(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "sensor", sensors(virtual_hub, "power"))
    await until(lambda: "does not measure power; it offers nothing" in caplog.text)
    assert value(hass, "sensor.broadlink_sensor_power") == "unavailable"


@pytest.mark.parametrize("model", ["a1"])
async def test_a_value_disbelieved_four_times_makes_the_sensor_unavailable(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "sensor", sensors(virtual_hub, "temperature", "humidity"))
    await until(lambda: value(hass) == "21.5")
    virtual_hub.state.temperature = 249.0
    for expected in ("21.5", "21.5", "21.5", "unavailable"):
        await polled(hass, virtual_hub)
        assert value(hass) == expected
    assert value(hass, HUMIDITY) == "45.0"
    virtual_hub.state.temperature = 20.0
    await polled(hass, virtual_hub)
    assert value(hass) == "20.0"


@pytest.mark.parametrize("model", ["rm4_mini"])
async def test_zeros_without_a_sensor_cable_change_nothing(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "sensor", sensors(virtual_hub, "temperature", "humidity"))
    await until(lambda: value(hass) == "21.5")
    virtual_hub.state.temperature = virtual_hub.state.humidity = 0
    for _ in range(5):
        await polled(hass, virtual_hub)
    assert (value(hass), value(hass, HUMIDITY)) == ("21.5", "45.0")
    assert not warnings(caplog, "no sensor cable")


@pytest.mark.parametrize("model", ["rm4_mini"])
async def test_a_hub_that_never_had_a_sensor_cable_says_so_once(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    virtual_hub.state.temperature = virtual_hub.state.humidity = 0
    await set_up(hass, "sensor", sensors(virtual_hub, "temperature", "humidity"))
    await until(lambda: "no sensor cable is plugged into it" in caplog.text)
    for _ in range(2):
        await polled(hass, virtual_hub)
    assert value(hass) == value(hass, HUMIDITY) == "unavailable"
    assert len(warnings(caplog, "no sensor cable")) == 1
    virtual_hub.state.temperature = 18.0
    await polled(hass, virtual_hub)
    assert (value(hass), value(hass, HUMIDITY)) == ("18.0", "0.0")


async def test_the_last_value_stays_through_three_missed_polls(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "sensor", sensors(virtual_hub))
    await until(lambda: value(hass) == "21.5")
    virtual_hub.faults.errors += [-3] * 4
    for expected in ("21.5", "21.5", "21.5", "unavailable"):
        await polled(hass, virtual_hub, missed=True)
        assert value(hass) == expected
    await polled(hass, virtual_hub)
    assert value(hass) == "21.5"


async def test_an_offline_hub_is_not_polled_and_the_polls_count_as_missed(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "sensor", sensors(virtual_hub, timeout=0.3))
    await until(lambda: value(hass) == "21.5")
    virtual_hub.faults.silent = True
    await polled(hass, virtual_hub, missed=True)
    await until(lambda: not our_hub(hass, virtual_hub).available)
    coordinator, arrived = coordinator_of(hass, virtual_hub), virtual_hub.arrived
    await coordinator.async_refresh()
    assert coordinator.data.missed == 2
    await asyncio.sleep(0.05)
    assert virtual_hub.arrived == arrived
    for expected in ("21.5", "unavailable"):
        await polled(hass, virtual_hub, missed=True)
        assert value(hass) == expected
    virtual_hub.faults.clear()
    async_fire_time_changed(hass, dt_util.utcnow() + timedelta(seconds=61))
    await until(lambda: value(hass) == "21.5")


@pytest.mark.parametrize("model", ["a1"])
async def test_a_hub_offline_at_start_gets_its_values_later(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    virtual_hub.faults.silent = True
    await set_up(hass, "sensor", sensors(virtual_hub, timeout=0.1))
    assert value(hass) == "unavailable"
    await until(lambda: "does not answer" in caplog.text)
    assert value(hass) == "unavailable"
    virtual_hub.faults.clear()
    async_fire_time_changed(hass, dt_util.utcnow() + timedelta(seconds=61))
    await until(lambda: value(hass) == "21.5")


@pytest.mark.parametrize("fault", ["garbage", "truncate", "flip"])
async def test_garbage_instead_of_readings_counts_as_missed(
    hass: HomeAssistant, fault: str, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "sensor", sensors(virtual_hub))
    await until(lambda: value(hass) == "21.5")
    setattr(virtual_hub.faults, fault, 1.0)
    await polled(hass, virtual_hub, missed=True)
    assert value(hass) == "21.5"
    virtual_hub.faults.clear()
    virtual_hub.state.temperature = 22.5
    async_fire_time_changed(hass, dt_util.utcnow() + timedelta(seconds=61))
    await until(lambda: value(hass) == "22.5")


@pytest.mark.parametrize(
    ("keys", "complaint"),
    [
        ({"monitored_conditions": ["pressure"]}, "monitored_conditions"),
        ({"monitored_conditions": []}, "monitored_conditions"),
        ({"monitored_conditions": ["light", "light"]}, "monitored_conditions"),
        ({"monitored_conditions": None}, "monitored_conditions"),
        ({"scan_interval": 0}, "scan_interval"),
        ({"timeout": -1}, "timeout"),
        ({"mac": "nonsense"}, "mac"),
        ({"colour": "red"}, "colour"),
    ],
)
async def test_wrong_yaml_names_the_key(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, keys: dict[str, Any], complaint: str
) -> None:
    hub = VirtualHub("a1", port=80)
    await async_setup_component(hass, "sensor", {"sensor": [sensors(hub, **keys)]})
    await hass.async_block_till_done()
    assert complaint in caplog.text
    assert caplog.text.count("Invalid config") == 1
    assert "Traceback" not in caplog.text
    assert not hass.states.async_all()


async def test_conditions_are_required(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    await async_setup_component(hass, "sensor", {"sensor": [entry(VirtualHub("a1", port=80))]})
    assert "required key 'monitored_conditions' not provided" in caplog.text
