"""MQTT missing, the broker lost and found: what the sensors and the user see of it."""

import logging

from homeassistant.components import mqtt
from homeassistant.config_entries import ConfigEntryDisabler
from homeassistant.core import CoreState, HomeAssistant
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component
import pytest

from custom_components.mqtt_binary import outage
from custom_components.mqtt_binary.data import DATA

from .conftest import Home
from .test_binary_sensor import warnings

SENSOR = "binary_sensor.mqtt_binary_sensor"


def issues(hass: HomeAssistant) -> list[str | None]:
    return [
        issue.translation_key
        for issue in ir.async_get(hass).issues.values()
        if issue.domain == "mqtt_binary"
    ]


@pytest.fixture(autouse=True)
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outage, "GRACE_S", 0.2)


async def set_up(home: Home, *more: str) -> None:
    """Set up sensors without waiting for a subscription that cannot come."""
    config = [
        {"platform": "mqtt_binary", "state_topic": topic, "name": topic}
        for topic in ("home/door", *more)
    ]
    assert await async_setup_component(home.hass, "binary_sensor", {"binary_sensor": config})
    await home.hass.async_block_till_done()


async def test_without_mqtt_the_user_is_told_once_and_it_comes_alive_by_itself(
    bare_home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    home = bare_home
    await set_up(home, "home/window", "home/hatch")
    assert home.state("binary_sensor.home_door") == "unavailable"
    assert issues(home.hass) == ["mqtt_not_set_up"]
    assert len(warnings(caplog)) == 1

    await home.start_mqtt()
    await home.wait_for("binary_sensor.home_door", "unknown")
    assert issues(home.hass) == []
    await home.settled()
    home.publish("home/door", "ON")
    await home.wait_for("binary_sensor.home_door", "on")
    assert len(warnings(caplog)) == 1


async def test_with_the_broker_down_at_the_start(
    bare_home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    home = bare_home
    home.device.close()
    await home.broker.stop()
    entry = await home.add_mqtt()
    await set_up(home, "home/window")
    assert home.state("binary_sensor.home_door") == "unavailable"
    await home.until(lambda: issues(home.hass) == ["mqtt_disconnected"])
    assert len(warnings(caplog)) == 1

    await home.broker.start()
    await home.device.connect()
    await home.wait_for("binary_sensor.home_door", "unknown")
    assert issues(home.hass) == []
    await home.settled()
    home.publish("home/window", "ON")
    await home.wait_for("binary_sensor.home_window", "on")
    assert entry.state.name == "LOADED"


async def test_a_broker_restart_is_survived_again_and_again(home: Home) -> None:
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


async def test_an_outage_is_told_once_and_so_is_its_end(
    home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    await set_up(home, "home/window")
    home.device.close()
    await home.broker.stop()
    await home.until(lambda: issues(home.hass))
    assert len(warnings(caplog)) == 1
    await home.broker.start()
    await home.device.connect()
    await home.wait_for("binary_sensor.home_door", "unknown")
    assert not issues(home.hass)
    told = [record for record in caplog.records if "MQTT is back" in record.getMessage()]
    assert [record.levelno for record in told] == [logging.INFO]


async def test_a_short_outage_is_not_worth_a_word(
    home: Home, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outage, "GRACE_S", 60)
    await set_up(home)
    home.device.close()
    await home.broker.stop()
    await home.wait_for("binary_sensor.home_door", "unavailable")
    await home.broker.start()
    await home.device.connect()
    await home.wait_for("binary_sensor.home_door", "unknown")
    assert not warnings(caplog)
    assert not issues(home.hass)


async def test_reloading_cores_mqtt_leaves_one_subscription_each(home: Home) -> None:
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


async def test_disabling_and_enabling_cores_mqtt(home: Home) -> None:
    await set_up(home)
    assert home.entry is not None
    entries = home.hass.config_entries
    await entries.async_set_disabled_by(home.entry.entry_id, ConfigEntryDisabler.USER)
    await home.wait_for("binary_sensor.home_door", "unavailable")
    assert issues(home.hass) == ["mqtt_not_set_up"]
    await entries.async_set_disabled_by(home.entry.entry_id, None)
    await home.wait_for("binary_sensor.home_door", "unknown")
    assert not issues(home.hass)
    await home.settled()
    home.publish("home/door", "ON")
    await home.wait_for("binary_sensor.home_door", "on")


async def test_nothing_is_said_before_home_assistant_has_started(
    bare_home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    home = bare_home
    home.hass.set_state(CoreState.not_running)
    await set_up(home)
    assert not issues(home.hass)
    assert not warnings(caplog)
    home.hass.set_state(CoreState.running)
    home.hass.bus.async_fire("homeassistant_started")
    await home.hass.async_block_till_done()
    assert issues(home.hass) == ["mqtt_not_set_up"]


async def test_nothing_is_left_when_the_last_sensor_goes(bare_home: Home) -> None:
    home = bare_home
    await set_up(home)
    assert issues(home.hass)
    home.yaml.write_text("")
    await home.hass.services.async_call("mqtt_binary", "reload", blocking=True)
    assert not issues(home.hass)
    assert not home.hass.data[DATA].connection.members_of(object)
