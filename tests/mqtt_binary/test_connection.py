"""MQTT missing, the broker lost and found: what the sensors and the user see of it."""

from datetime import timedelta
import json
import logging
from pathlib import Path

import homeassistant
from homeassistant.components import mqtt
from homeassistant.config_entries import ConfigEntryDisabler
from homeassistant.const import EVENT_HOMEASSISTANT_STARTED
from homeassistant.core import CoreState, HomeAssistant
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component
from homeassistant.util.dt import utcnow
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    async_fire_time_changed,
)

from custom_components import mqtt_binary as integration
from custom_components.mqtt_binary import connection
from custom_components.mqtt_binary.data import DATA
from tests.home import until

from .home import MqttHome
from .logged import warnings

SENSOR = "binary_sensor.mqtt_binary_sensor"


def issues(hass: HomeAssistant) -> list[str | None]:
    return [
        issue.translation_key
        for issue in ir.async_get(hass).issues.values()
        if issue.domain == "mqtt_binary"
    ]


@pytest.fixture(autouse=True)
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "GRACE_S", 0.2)


async def set_up(home: MqttHome, *more: str) -> None:
    """Set up sensors without waiting for a subscription that cannot come."""
    config = [
        {"platform": "mqtt_binary", "state_topic": topic, "name": topic}
        for topic in ("home/door", *more)
    ]
    assert await async_setup_component(home.hass, "binary_sensor", {"binary_sensor": config})
    await home.hass.async_block_till_done()


async def test_without_mqtt_the_user_is_told_once_and_it_comes_alive_by_itself(
    bare_home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    home = bare_home
    await set_up(home, "home/window", "home/hatch")
    assert home.value("binary_sensor.home_door") == "unavailable"
    assert issues(home.hass) == ["not_set_up"]
    assert len(warnings(caplog)) == 1

    await home.start_mqtt()
    await home.wait_for("binary_sensor.home_door", "unknown")
    assert issues(home.hass) == []
    await home.settled()
    home.publish("home/door", "ON")
    await home.wait_for("binary_sensor.home_door", "on")
    assert len(warnings(caplog)) == 1


CLASSIC = {"mqtt": {"broker": "192.0.2.1", "port": 1883, "username": "me", "password": "secret"}}


@pytest.mark.parametrize("has_entry", [False, True])
async def test_with_the_classic_block_the_sensors_come_up_and_the_user_is_told_once(
    bare_home: MqttHome, caplog: pytest.LogCaptureFixture, *, has_entry: bool
) -> None:
    hass = bare_home.hass
    sensors = [{"platform": "mqtt_binary", "state_topic": "a", "name": name} for name in ("a", "b")]
    config = CLASSIC | {"binary_sensor": sensors, "mqtt_binary": {}}
    if has_entry:
        bare_home.make_entry()
    hass.set_state(CoreState.not_running)
    assert not await async_setup_component(hass, "mqtt", config)
    assert await async_setup_component(hass, "binary_sensor", config)
    await hass.async_block_till_done()
    hass.set_state(CoreState.running)
    hass.bus.async_fire("homeassistant_started")
    await hass.async_block_till_done()
    assert [bare_home.value(f"binary_sensor.{name}") for name in ("a", "b")] == ["unavailable"] * 2
    assert issues(hass) == ["refused"]
    (warning,) = [line for line in warnings(caplog) if "mqtt: block" in line]
    assert "delete the block" in warning
    assert "restart" in warning
    assert "secret" not in warning
    assert len(warnings(caplog)) == 1
    # Discovery is there, too, and waits.
    assert [entry.state.name for entry in hass.config_entries.async_entries("mqtt_binary")] == [
        "LOADED"
    ]


async def test_a_block_that_home_assistant_takes_is_not_blamed(bare_home: MqttHome) -> None:
    hass = bare_home.hass
    config = {
        "mqtt": {"binary_sensor": [{"state_topic": "a"}]},
        "binary_sensor": [{"platform": "mqtt_binary", "state_topic": "a"}],
    }
    assert await async_setup_component(hass, "mqtt", config)
    assert await async_setup_component(hass, "binary_sensor", config)
    await hass.async_block_till_done()
    assert issues(hass) == ["not_set_up"]


def test_the_manifest_does_not_depend_on_mqtt() -> None:
    manifest = json.loads((Path(integration.__file__).parent / "manifest.json").read_text())
    assert "mqtt" not in manifest.get("dependencies", []) + manifest.get("after_dependencies", [])


def test_what_cores_mqtt_imports_is_installed_with_us() -> None:
    ours = json.loads((Path(integration.__file__).parent / "manifest.json").read_text())
    cores = json.loads((Path(mqtt.__file__).parent / "manifest.json").read_text())
    names = {requirement.partition("==")[0] for requirement in cores["requirements"]}
    assert set(ours["requirements"]) == names
    constraints = Path(homeassistant.__file__).parent / "package_constraints.txt"
    assert names <= {line.partition("==")[0] for line in constraints.read_text().splitlines()}


async def test_with_the_broker_down_at_the_start(
    bare_home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    home = bare_home
    home.device.close()
    await home.broker.stop()
    entry = await home.add_mqtt()
    await set_up(home, "home/window")
    assert home.value("binary_sensor.home_door") == "unavailable"
    await until(lambda: issues(home.hass) == ["disconnected"])
    assert len(warnings(caplog)) == 1

    await home.broker.start()
    await home.device.connect()
    await home.wait_for("binary_sensor.home_door", "unknown")
    assert issues(home.hass) == []
    await home.settled()
    home.publish("home/window", "ON")
    await home.wait_for("binary_sensor.home_window", "on")
    assert entry.state.name == "LOADED"


async def test_a_broker_restart_is_survived_again_and_again(home: MqttHome) -> None:
    await set_up(home)
    for number in range(3):
        await home.wait_for("binary_sensor.home_door", "unknown" if number == 0 else "on")
        home.device.close()
        await home.broker.stop()
        await home.wait_for("binary_sensor.home_door", "unavailable")
        await home.broker.start()
        await home.device.connect()
        # The last value is shown again: nothing says that it changed meanwhile.
        await home.wait_for("binary_sensor.home_door", "unknown" if number == 0 else "on")
        await home.settled()
        home.publish("home/door", "OFF")
        await home.wait_for("binary_sensor.home_door", "off")
        home.publish("home/door", "ON")
        await home.wait_for("binary_sensor.home_door", "on")


async def test_an_outage_and_its_end_are_logged_once(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    await set_up(home, "home/window")
    home.device.close()
    await home.broker.stop()
    await until(lambda: issues(home.hass))
    assert len(warnings(caplog)) == 1
    await home.broker.start()
    await home.device.connect()
    await home.wait_for("binary_sensor.home_door", "unknown")
    assert not issues(home.hass)
    records = [record for record in caplog.records if "MQTT is back" in record.getMessage()]
    assert [record.levelno for record in records] == [logging.INFO]


async def test_a_short_outage_is_not_logged(
    home: MqttHome, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "GRACE_S", 60)
    await set_up(home)
    home.device.close()
    await home.broker.stop()
    await home.wait_for("binary_sensor.home_door", "unavailable")
    await home.broker.start()
    await home.device.connect()
    await home.wait_for("binary_sensor.home_door", "unknown")
    assert not warnings(caplog)
    assert not issues(home.hass)


async def test_nothing_is_told_after_home_assistant_has_stopped(
    home: MqttHome, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "GRACE_S", 60)
    await set_up(home)
    home.device.close()
    await home.broker.stop()
    await home.wait_for("binary_sensor.home_door", "unavailable")
    await home.hass.async_stop(force=True)
    async_fire_time_changed(home.hass, utcnow() + timedelta(seconds=61))
    assert not warnings(caplog)
    assert not issues(home.hass)


async def test_reloading_cores_mqtt_leaves_one_subscription_each(home: MqttHome) -> None:
    await set_up(home)
    assert home.entry is not None
    for _ in range(2):
        await home.hass.config_entries.async_reload(home.entry.entry_id)
        await home.wait_for("binary_sensor.home_door", "unknown")
    client = home.hass.data[mqtt.DATA_MQTT].client
    assert [s.topic for s in client.subscriptions if s.topic == "home/door"] == ["home/door"]
    await home.settled()
    home.publish("home/door", "ON")
    await home.wait_for("binary_sensor.home_door", "on")


async def test_disabling_and_enabling_cores_mqtt(home: MqttHome) -> None:
    await set_up(home)
    assert home.entry is not None
    entries = home.hass.config_entries
    await entries.async_set_disabled_by(home.entry.entry_id, ConfigEntryDisabler.USER)
    await home.wait_for("binary_sensor.home_door", "unavailable")
    assert issues(home.hass) == ["disabled"]
    assert "MQTT is disabled" in home.log()[-1]
    await entries.async_set_disabled_by(home.entry.entry_id, None)
    await home.wait_for("binary_sensor.home_door", "unknown")
    assert not issues(home.hass)
    await home.settled()
    home.publish("home/door", "ON")
    await home.wait_for("binary_sensor.home_door", "on")


async def test_nothing_is_said_before_home_assistant_has_started(
    bare_home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    home = bare_home
    home.hass.set_state(CoreState.not_running)
    await set_up(home)
    assert not issues(home.hass)
    assert not warnings(caplog)
    home.hass.set_state(CoreState.running)
    home.hass.bus.async_fire("homeassistant_started")
    await home.hass.async_block_till_done()
    assert issues(home.hass) == ["not_set_up"]


async def test_nothing_is_left_when_the_last_sensor_goes(bare_home: MqttHome) -> None:
    home = bare_home
    await set_up(home)
    assert issues(home.hass)
    home.yaml.write_text("")
    await home.hass.services.async_call("mqtt_binary", "reload", blocking=True)
    assert not issues(home.hass)
    assert not home.hass.data[DATA].connection.members_of(object)


async def test_a_reload_without_mqtt_logs_nothing_twice_and_nothing_wrong(
    bare_home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    home = bare_home
    await set_up(home)
    home.yaml.write_text("binary_sensor: [{platform: mqtt_binary, state_topic: a, name: new}]")
    await home.hass.services.async_call("mqtt_binary", "reload", blocking=True)
    await home.wait_for("binary_sensor.new", "unavailable")
    assert issues(home.hass) == ["not_set_up"]
    assert len(warnings(caplog)) == 1
    assert "MQTT is back" not in caplog.text
    await home.start_mqtt()
    await home.wait_for("binary_sensor.new", "unknown")
    assert not issues(home.hass)
    assert "MQTT is back" in caplog.text


async def test_what_is_announced_only_when_core_says_it_is_there(bare_home: MqttHome) -> None:
    """Announced without retaining it: at the start, and when core's MQTT is reloaded."""
    home = bare_home
    config = json.dumps({"state_topic": "home/door", "name": "Door"})
    announcement = {"mqtt_binary/binary_sensor/door/config": config}
    home.device.answer("homeassistant/status", "online", announcement)
    home.hass.set_state(CoreState.starting)
    entry = home.make_entry()
    home.hass.config_entries.async_update_entry(entry, options={"discovery": False})
    assert await home.hass.config_entries.async_setup(entry.entry_id)
    assert await async_setup_component(home.hass, "mqtt_binary", {"mqtt_binary": {}})
    home.hass.set_state(CoreState.running)
    home.hass.bus.async_fire(EVENT_HOMEASSISTANT_STARTED)
    await home.wait_for("binary_sensor.door", "unknown")
    await home.settled()
    home.publish("home/door", "ON")
    await home.wait_for("binary_sensor.door", "on")
    home.device.answer("homeassistant/status", "online", {"home/door": "OFF"})
    assert await home.hass.config_entries.async_reload(entry.entry_id)
    await home.wait_for("binary_sensor.door", "off")
