"""off_delay, expire_after, restore and ignore_retained: what time does to a value."""

from datetime import timedelta
import time
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    async_fire_time_changed,
)

from custom_components.mqtt_binary.entity.state import Deadline
from tests.home import until

from .home import MqttHome
from .remembered import SENSOR, remember


async def test_off_delay_turns_it_off(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/motion, off_delay: 0.2}")
    home.publish("home/motion", "ON")
    await home.wait_for(SENSOR, "on")
    await home.wait_for(SENSOR, "off")


async def test_every_on_restarts_off_delay(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/motion, off_delay: 1}")
    changes = home.changes(SENSOR)
    started = last = time.monotonic()
    while last < started + 1.3:
        last = time.monotonic()
        home.publish("home/motion", "ON")
        await home.settled()
    assert changes == ["on"]
    await home.wait_for(SENSOR, "off")
    assert time.monotonic() - last >= 1


async def test_off_cancels_off_delay(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/motion, off_delay: 0.3}")
    changes = home.changes(SENSOR)
    home.publish("home/motion", "ON")
    home.publish("home/motion", "OFF")
    await home.wait_for(SENSOR, "off")
    await home.pass_time(1)
    assert changes == ["on", "off"]


async def test_what_does_not_match_leaves_off_delay(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/motion, off_delay: 0.3}")
    home.publish("home/motion", "ON")
    home.publish("home/motion", "nonsense")
    await home.wait_for(SENSOR, "on")
    await home.wait_for(SENSOR, "off")


async def test_off_delay_zero_is_off_at_once(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/motion, off_delay: 0}")
    changes = home.changes(SENSOR)
    home.publish("home/motion", "ON")
    await until(lambda: changes == ["on", "off"])


async def test_on_delay_turns_it_on(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/door, on_delay: 0.5}")
    changes = home.changes(SENSOR)
    home.publish("home/door", "ON")
    started = time.monotonic()
    await home.settled()
    assert home.value(SENSOR) == "unknown"
    await home.wait_for(SENSOR, "on")
    assert time.monotonic() - started >= 0.45
    assert changes == ["on"]
    home.publish("home/door", "OFF")
    await home.wait_for(SENSOR, "off")


async def test_further_ons_do_not_postpone_on_delay(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/door, on_delay: 0.5}")
    home.publish("home/door", "ON")
    started = time.monotonic()
    while home.value(SENSOR) != "on":
        assert time.monotonic() < started + 5
        home.publish("home/door", "ON")
        await home.settled()
    assert time.monotonic() - started < 3


@pytest.mark.parametrize(("payload", "state"), [("OFF", "off"), ("None", "unknown")])
async def test_what_else_is_accepted_cancels_on_delay(
    home: MqttHome, payload: str, state: str
) -> None:
    await home.set_up("{state_topic: home/door, on_delay: 60, value_template: '{{ value }}'}")
    home.publish("home/door", "OFF")
    await home.wait_for(SENSOR, "off")
    changes = home.changes(SENSOR)
    for _ in range(3):
        home.publish("home/door", "ON")
        home.publish("home/door", "nonsense")
        home.publish("home/door", payload)
    await home.settled()
    await home.pass_time(61)
    await home.settled()
    assert home.value(SENSOR) == state
    assert "on" not in changes


async def test_refused_payloads_do_not_affect_on_delay(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/door, on_delay: 60}")
    home.publish("home/door", "ON")
    await home.settled()
    await home.pass_time(30)
    home.publish("home/door", "nonsense")
    await home.settled()
    await home.pass_time(31)
    await home.wait_for(SENSOR, "on")


async def test_on_delay_zero_is_on_at_once(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/door, on_delay: 0}")
    home.publish("home/door", "ON")
    await home.wait_for(SENSOR, "on")


async def test_off_delay_counts_from_the_last_on_during_on_delay(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/door, on_delay: 20, off_delay: 60}")
    changes = home.changes(SENSOR)
    home.publish("home/door", "ON")
    await home.settled()
    await home.pass_time(21)
    await home.wait_for(SENSOR, "on")
    await home.pass_time(38)
    assert home.value(SENSOR) == "on"
    await home.pass_time(2)
    await home.wait_for(SENSOR, "off")
    assert changes == ["on", "off"]


async def test_a_shorter_off_delay_and_an_expiry_cancel_on_delay(home: MqttHome) -> None:
    await home.set_up(
        "{state_topic: a, name: a, on_delay: 60, off_delay: 20}",
        "{state_topic: b, name: b, on_delay: 60, expire_after: 20}",
    )
    home.publish("a", "ON")
    home.publish("b", "ON")
    await home.settled()
    await home.pass_time(21)
    await home.wait_for("binary_sensor.a", "off")
    await home.wait_for("binary_sensor.b", "unavailable")
    await home.pass_time(60)
    await home.settled()
    assert home.value("binary_sensor.a") == "off"
    assert home.value("binary_sensor.b") == "unavailable"


@pytest.mark.parametrize(("age", "state"), [(5, "off"), (59.5, "on"), (61, "on"), (-1000, "off")])
async def test_on_delay_runs_on_after_a_restart(home: MqttHome, age: float, state: str) -> None:
    now = time.time()
    remember(
        home.hass,
        {"value": False, "received": now, "attributes": {}, "pending": now - age},
    )
    await home.set_up("{state_topic: home/door, restore: true, on_delay: 60}")
    await home.wait_for(SENSOR, state)
    if state == "off":
        await home.pass_time(60)
        await home.wait_for(SENSOR, "on")


async def test_what_is_pending_is_remembered(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/door, restore: true, on_delay: 60}")
    home.publish("home/door", "ON")
    await home.settled()
    (sensor,) = home.hass.data["entity_components"]["binary_sensor"].entities
    last = sensor.extra_restore_state_data.as_dict()
    assert last["value"] is None
    assert abs(last["pending"] - time.time()) < 5


async def test_expiry_takes_the_value_away_until_the_next(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/door, expire_after: 0.3}")
    home.publish("home/door", "ON")
    await home.wait_for(SENSOR, "on")
    await home.wait_for(SENSOR, "unavailable")
    home.publish("home/door", "OFF")
    await home.wait_for(SENSOR, "off")
    await home.wait_for(SENSOR, "unavailable")


async def test_without_any_message_it_is_unknown_then_expires(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/door, expire_after: 0.5}")
    assert home.value(SENSOR) == "unknown"
    await home.wait_for(SENSOR, "unavailable")


async def test_only_accepted_payloads_keep_it_alive(home: MqttHome) -> None:
    await home.set_up(
        """
        state_topic: home/door
        availability_topic: home/status
        json_attributes_topic: home/door
        expire_after: 0.5
        """
    )
    home.publish("home/status", "online")
    home.publish("home/door", "ON")
    await home.wait_for(SENSOR, "on")
    started = time.monotonic()
    while home.value(SENSOR) == "on" and time.monotonic() < started + 5:
        home.publish("home/status", "online")
        home.publish("home/door", "nonsense")
        home.publish("home/door", b"\xff")
        await home.settled()
    assert home.value(SENSOR) == "unavailable"
    home.publish("home/status", "online")
    await home.settled()
    assert home.value(SENSOR) == "unavailable"
    home.publish("home/door", "ON")
    await home.wait_for(SENSOR, "on")


async def test_the_same_value_keeps_it_alive_without_a_state_write(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/door, expire_after: 1}")
    changes = home.changes(SENSOR)
    started = time.monotonic()
    while time.monotonic() < started + 1.3:
        home.publish("home/door", "ON")
        await home.settled()
    assert changes == ["on"]


async def test_none_from_a_template_keeps_it_alive(home: MqttHome) -> None:
    await home.set_up(
        "{state_topic: home/door, expire_after: 0.4, value_template: '{{ value_json }}'}"
    )
    await home.wait_for(SENSOR, "unavailable")
    home.publish("home/door", "null")
    await home.wait_for(SENSOR, "unknown")


async def test_expiry_ends_off_delay(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/door, expire_after: 0.3, off_delay: 0.6}")
    changes = home.changes(SENSOR)
    home.publish("home/door", "ON")
    await home.wait_for(SENSOR, "unavailable")
    await home.pass_time(2)
    assert changes == ["on", "unavailable"]


async def test_minutes_and_hours(home: MqttHome) -> None:
    await home.set_up(
        "{state_topic: a, name: a, expire_after: '00:01'}",
        "{state_topic: b, name: b, off_delay: {hours: 1}}",
    )
    for _ in range(3):
        home.publish("a", "ON")
        home.publish("b", "ON")
    await home.settled()
    await home.pass_time(50)
    assert home.value("binary_sensor.a") == "on"
    await home.pass_time(11)
    await home.wait_for("binary_sensor.a", "unavailable")
    assert home.value("binary_sensor.b") == "on"
    await home.pass_time(3_540)
    await home.wait_for("binary_sensor.b", "off")


async def test_a_step_of_the_clock_moves_no_deadline(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    fired: list[float] = []
    deadline = Deadline(hass, "test", 0.2, lambda: fired.append(time.monotonic()))
    started = pushed_back = time.monotonic()
    deadline.start(hass.loop.time())
    now = dt_util.utcnow()
    monkeypatch.setattr(dt_util, "utcnow", lambda: now + timedelta(days=1))
    monkeypatch.setattr(
        "homeassistant.helpers.event.time_tracker_utcnow", lambda: now + timedelta(days=1)
    )
    while not fired:
        assert time.monotonic() < started + 5
        if time.monotonic() < started + 0.1:
            pushed_back = time.monotonic()
            deadline.start(hass.loop.time())
        await hass.async_add_executor_job(time.sleep, 0.01)
    assert fired[0] - pushed_back >= 0.19


async def test_a_deadline_pushed_back_runs_one_timer(
    hass: HomeAssistant, freezer: FrozenDateTimeFactory
) -> None:
    fired: list[int] = []
    deadline = Deadline(hass, "test", 10, lambda: fired.append(1))
    deadline.start(hass.loop.time())
    first = deadline._cancel  # noqa: SLF001  (the timer is what this is about)
    for _ in range(5):
        freezer.tick(1)
        deadline.start(hass.loop.time())
    assert deadline._cancel == first  # noqa: SLF001
    freezer.tick(6)
    async_fire_time_changed(hass)
    assert not fired
    freezer.tick(4)
    async_fire_time_changed(hass)
    assert fired == [1]
    deadline.start(hass.loop.time() - 9)
    deadline.start(hass.loop.time() - 9.5)
    freezer.tick(0.5)
    async_fire_time_changed(hass)
    assert fired == [1, 1]


@pytest.mark.parametrize(
    ("keys", "age", "state"),
    [
        ("", 5, "on"),
        ("off_delay: 60", 5, "on"),
        ("off_delay: 60", 61, "off"),
        ("expire_after: 60", 5, "on"),
        ("expire_after: 60", 61, "unavailable"),
        ("off_delay: 30\nexpire_after: 60", 31, "off"),
        ("expire_after: 60", -1000, "on"),
    ],
)
async def test_restores_by_when_the_value_was_received(
    home: MqttHome, keys: str, age: float, state: str
) -> None:
    remember(
        home.hass,
        {"value": True, "received": time.time() - age, "attributes": {"battery": 90}},
    )
    await home.set_up(
        f"state_topic: home/door\njson_attributes_topic: home/door/info\nrestore: true\n{keys}"
    )
    restored = await home.wait_for(SENSOR, state)
    if state != "unavailable":
        assert restored.attributes["battery"] == 90


@pytest.mark.parametrize(("key", "state"), [("off_delay", "off"), ("expire_after", "unavailable")])
async def test_what_is_left_after_a_restart_runs_on(home: MqttHome, key: str, state: str) -> None:
    remember(home.hass, {"value": True, "received": time.time() - 59, "attributes": {}})
    await home.set_up(f"{{state_topic: home/door, restore: true, {key}: 60}}")
    await home.wait_for(SENSOR, state)


@pytest.mark.parametrize(
    "extra", [{}, {"value": "on", "received": 1, "attributes": {}}, {"value": True, "x": 1}]
)
async def test_what_cannot_be_used_is_not_restored(home: MqttHome, extra: dict[str, Any]) -> None:
    remember(home.hass, extra)
    await home.set_up("{state_topic: home/door, restore: true}")
    assert home.value(SENSOR) == "unknown"


async def test_nothing_is_restored_without_asking(home: MqttHome) -> None:
    remember(home.hass, {"value": True, "received": time.time(), "attributes": {}})
    await home.set_up("state_topic: home/door")
    assert home.value(SENSOR) == "unknown"


async def test_a_retained_message_beats_what_was_restored(home: MqttHome) -> None:
    remember(home.hass, {"value": True, "received": time.time(), "attributes": {}})
    home.publish("home/door", "OFF", retain=True)
    await home.settled()
    await home.set_up("{state_topic: home/door, restore: true}")
    await home.wait_for(SENSOR, "off")


async def test_retained_replays_can_be_ignored(home: MqttHome) -> None:
    home.publish("home/door", "ON", retain=True)
    await home.settled()
    await home.set_up(
        """
        state_topic: home/door
        json_attributes_topic: home/door
        ignore_retained: true
        """
    )
    await home.settled()
    assert home.value(SENSOR) == "unknown"
    home.publish("home/door", "ON")
    await home.wait_for(SENSOR, "on")
