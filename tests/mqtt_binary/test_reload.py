"""Unique ids, and the YAML read anew."""

import asyncio

from homeassistant.components import mqtt
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
from homeassistant.util.async_ import get_scheduled_timer_handles
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    async_mock_service,
)

from .home import MqttHome
from .logged import warnings

SENSOR = "binary_sensor.mqtt_binary_sensor"


async def reload(home: MqttHome, yaml: str) -> None:
    home.yaml.write_text(yaml)
    await home.hass.services.async_call("mqtt_binary", "reload", blocking=True)
    await home.hass.async_block_till_done()
    await home.settled()


async def test_a_second_unique_id_is_refused_and_the_first_keeps_working(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    await home.set_up(
        "{state_topic: first/topic, unique_id: same, name: a}",
        "{state_topic: second/topic, unique_id: same, name: b}",
    )
    errors = [record for record in caplog.records if record.levelname == "ERROR"]
    assert len(errors) == 1
    assert "Traceback" not in caplog.text
    assert "first/topic" in errors[0].getMessage()
    assert "second/topic" in errors[0].getMessage()
    home.publish("first/topic", "ON")
    home.publish("second/topic", "OFF")
    await home.wait_for("binary_sensor.a", "on")
    await home.settled()
    assert home.value("binary_sensor.a") == "on"
    assert home.hass.states.get("binary_sensor.b") is None


async def test_a_disabled_sensor_holds_its_unique_id(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    await home.set_up(
        "{state_topic: a, unique_id: same, enabled_by_default: false}",
        "{state_topic: b, unique_id: same}",
    )
    assert len(warnings(caplog)) == 1
    caplog.clear()
    await reload(
        home,
        "binary_sensor:\n- {platform: mqtt_binary, state_topic: a, unique_id: same}\n",
    )
    assert not warnings(caplog)


async def test_a_reload_with_a_second_unique_id_fails_and_sets_up_all_others(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    await home.set_up("{state_topic: old, name: old}")
    yaml = """
binary_sensor:
  - {platform: mqtt_binary, state_topic: first, unique_id: same, name: a}
  - {platform: mqtt_binary, state_topic: second, unique_id: same, name: b}
  - {platform: mqtt_binary, state_topic: third, name: c}
"""
    with pytest.raises(HomeAssistantError) as failure:
        await reload(home, yaml)
    assert failure.value.translation_placeholders == {
        "unique_id": "same",
        "first_topic": "first",
        "second_topic": "second",
    }
    assert [f"{failure.value}."] == warnings(caplog)
    assert "Traceback" not in caplog.text
    assert sorted(home.hass.states.async_entity_ids("binary_sensor")) == [
        "binary_sensor.a",
        "binary_sensor.c",
    ]
    await reload(home, yaml.replace("state_topic: second, unique_id: same", "state_topic: second"))
    assert home.value("binary_sensor.b") == "unknown"


async def test_a_reload_changes_adds_and_removes_without_a_false_alarm(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    await home.set_up(
        "{state_topic: old, unique_id: kept, name: kept}",
        "{state_topic: x, name: gone, scan_interval: 77}",
    )
    await reload(
        home,
        """
binary_sensor:
  - {platform: mqtt_binary, state_topic: new, unique_id: kept, name: kept}
  - {platform: mqtt_binary, state_topic: y, name: added}
""",
    )
    assert not warnings(caplog)
    assert home.hass.states.get("binary_sensor.gone") is None
    home.publish("new", "ON")
    home.publish("y", "OFF")
    await home.wait_for("binary_sensor.kept", "on")
    await home.wait_for("binary_sensor.added", "off")
    home.publish("old", "OFF")
    await home.settled()
    assert home.value("binary_sensor.kept") == "on"


def long_timers() -> int:
    """Return how many timers are due in 400 to 500 s; nothing but our sensors' runs as long."""
    loop = asyncio.get_running_loop()
    return sum(
        not handle.cancelled() and 400 < handle.when() - loop.time() <= 500
        for handle in get_scheduled_timer_handles(loop)
    )


async def test_a_reload_leaves_nothing_behind(home: MqttHome) -> None:
    sensor = "{platform: mqtt_binary, state_topic: a, off_delay: 500, expire_after: 500}"
    before = long_timers()
    await home.set_up("{state_topic: a, off_delay: 500, expire_after: 500}")
    home.publish("a", "ON")
    await home.wait_for(SENSOR, "on")
    assert long_timers() == before + 2
    await reload(home, f"binary_sensor:\n- {sensor}\n")
    home.publish("a", "ON")
    await home.wait_for(SENSOR, "on")
    assert long_timers() == before + 2
    await reload(home, "")
    assert long_timers() == before
    topics = [s.topic for s in home.hass.data[mqtt.DATA_MQTT].client.subscriptions]
    assert "a" not in topics
    assert home.hass.states.get(SENSOR) is None


@pytest.mark.parametrize(
    ("yaml", "named"),
    [
        ("binary_sensor:\n- {platform: mqtt_binary, qos: 3, state_topic: a}", "qos"),
        ("binary_sensor:\n- {platform: mqtt_binary}", "state_topic"),
        ("mqtt_binary: {discovery_prefix: 'a/#'}", "discovery_prefix"),
        ("binary_sensor: [", "configuration.yaml"),
    ],
)
async def test_wrong_yaml_is_refused_and_all_stays_as_it_is(
    home: MqttHome, yaml: str, named: str
) -> None:
    await home.set_up("state_topic: a")
    with pytest.raises(ServiceValidationError, match=named):
        await reload(home, yaml)
    home.publish("a", "ON")
    await home.wait_for(SENSOR, "on")


async def test_mistakes_of_other_platforms_do_not_stop_a_reload(home: MqttHome) -> None:
    await home.set_up("state_topic: a")
    await reload(
        home,
        """
binary_sensor:
  - {platform: template, nonsense: 1}
  - {platform: mqtt_binary, state_topic: b}
""",
    )
    home.publish("b", "ON")
    await home.wait_for(SENSOR, "on")


async def test_a_reload_ends_well_although_its_caller_is_cancelled(home: MqttHome) -> None:
    await home.set_up(*({"state_topic": f"s/{n}", "name": f"s{n}"} for n in range(50)))
    home.yaml.write_text(
        "binary_sensor:\n"
        + "".join(
            f"- {{platform: mqtt_binary, state_topic: t/{n}, name: t{n}}}\n" for n in range(50)
        )
    )
    for patience in (0, 1, 5, 20):
        call = asyncio.create_task(
            home.hass.services.async_call("mqtt_binary", "reload", blocking=True)
        )
        for _ in range(patience):
            await asyncio.sleep(0)
        call.cancel()
        await home.hass.async_block_till_done()
    await home.settled()
    sensors = home.hass.states.async_entity_ids("binary_sensor")
    assert sorted(sensors) == sorted(f"binary_sensor.t{n}" for n in range(50))
    home.publish("t/49", "ON")
    await home.wait_for("binary_sensor.t49", "on")


async def test_reload_all_reloads_too(home: MqttHome) -> None:
    assert await async_setup_component(home.hass, "homeassistant", {})
    async_mock_service(home.hass, "frontend", "reload_themes")  # the frontend is not at hand
    await home.set_up("{state_topic: a, name: a}")
    home.yaml.write_text("binary_sensor:\n- {platform: mqtt_binary, state_topic: b, name: b}\n")
    await home.hass.services.async_call("homeassistant", "reload_all", blocking=True)
    await home.wait_for("binary_sensor.b", "unknown")


async def test_restore_survives_a_reload(home: MqttHome) -> None:
    await home.set_up("{state_topic: a, restore: true}")
    home.publish("a", "ON")
    await home.wait_for(SENSOR, "on")
    await reload(home, "binary_sensor:\n- {platform: mqtt_binary, state_topic: a, restore: true}\n")
    assert home.value(SENSOR) == "on"


async def test_a_renamed_sensor_goes_on(home: MqttHome) -> None:
    await home.set_up("{state_topic: a, unique_id: a, expire_after: 0.8}")
    home.publish("a", "ON")
    await home.wait_for(SENSOR, "on")
    er.async_get(home.hass).async_update_entity(SENSOR, new_entity_id="binary_sensor.renamed")
    await home.wait_for("binary_sensor.renamed", "on")
    await home.settled()
    home.publish("a", "OFF")
    await home.wait_for("binary_sensor.renamed", "off")
    await home.wait_for("binary_sensor.renamed", "unavailable")
