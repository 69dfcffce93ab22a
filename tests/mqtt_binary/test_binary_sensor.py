"""The state table, row by row, over a real broker."""

import logging
import re
import time
from types import SimpleNamespace

from homeassistant.components import mqtt
from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.core import Event, EventStateChangedData, callback
import pytest

from tests.home import until

from .home import MqttHome
from .logged import warnings

SENSOR = "binary_sensor.mqtt_binary_sensor"


async def test_starts_unknown_and_follows_the_payloads(home: MqttHome) -> None:
    await home.set_up("state_topic: home/door")
    assert home.value(SENSOR) == "unknown"
    home.publish("home/door", "ON")
    await home.wait_for(SENSOR, "on")
    home.publish("home/door", "OFF")
    await home.wait_for(SENSOR, "off")


async def test_a_retained_message_sets_the_state_at_once(home: MqttHome) -> None:
    home.publish("home/door", "ON", retain=True)
    await home.settled()
    await home.set_up("state_topic: home/door")
    await home.wait_for(SENSOR, "on")


@pytest.mark.parametrize("payload", ["on", "On", " ON", "ON ", "ON\n", "", "None", "1", "ONOFF"])
async def test_only_an_exact_payload_changes_the_state(
    home: MqttHome, caplog: pytest.LogCaptureFixture, payload: str
) -> None:
    await home.set_up("state_topic: home/door")
    home.publish("home/door", "OFF")
    await home.wait_for(SENSOR, "off")
    changes = home.changes(SENSOR)
    home.publish("home/door", payload)
    await home.settled()
    assert home.value(SENSOR) == "off"
    assert not changes
    assert not warnings(caplog)


async def test_every_byte_value_is_survived(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    await home.set_up("state_topic: home/door")
    for byte in range(256):
        home.publish("home/door", bytes([byte]))
    home.publish("home/door", "ON")
    await home.wait_for(SENSOR, "on")
    # 0x80 to 0xFF are no UTF-8 by themselves: core's client drops them, and says so.
    assert caplog.text.count("Can't decode payload") >= 128
    assert not warnings(caplog)


async def test_lists_of_payloads(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/door, payload_on: [open, '1'], payload_off: [shut, '0']}")
    for payload, state in (("open", "on"), ("shut", "off"), ("1", "on"), ("0", "off")):
        home.publish("home/door", payload)
        await home.wait_for(SENSOR, state)


async def test_an_empty_payload_can_mean_something(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/door, payload_off: ''}")
    home.publish("home/door", "ON")
    await home.wait_for(SENSOR, "on")
    home.publish("home/door", "")
    await home.wait_for(SENSOR, "off")


@pytest.mark.parametrize("qos", [0, 1, 2])
async def test_each_qos(home: MqttHome, caplog: pytest.LogCaptureFixture, qos: int) -> None:
    await home.set_up(f"{{state_topic: home/door, qos: {qos}}}")
    home.publish("home/door", "ON", qos=qos)
    await home.wait_for(SENSOR, "on")
    (subscribed,) = re.findall(r"Subscribing .*\('home/door', (\d)\)", caplog.text)  # by core
    assert int(subscribed) == qos


@pytest.mark.parametrize("topic", ["home/+/door", "home/#", "+/hall/door"])
async def test_wildcards(home: MqttHome, topic: str) -> None:
    await home.set_up(f"state_topic: '{topic}'")
    home.publish("home/hall/door", "ON")
    await home.wait_for(SENSOR, "on")


async def test_the_template_sees_its_variables(home: MqttHome) -> None:
    await home.set_up(
        """
        state_topic: home/door
        name: Front door
        value_template: >-
          {{ value == '{"open": true}' and value_json.open and name == "Front door"
             and entity_id == "binary_sensor.front_door" and this.state == "unknown" }}
        payload_on: "True"
        """
    )
    home.publish("home/door", '{"open": true}')
    await home.wait_for("binary_sensor.front_door", "on")


async def test_the_template_has_no_value_json_when_it_is_no_json(home: MqttHome) -> None:
    await home.set_up(
        "{state_topic: home/door, value_template: '{{ \"ON\" if value_json is undefined }}'}"
    )
    home.publish("home/door", "{")
    await home.wait_for(SENSOR, "on")


async def test_the_output_is_stripped_and_compared_exactly(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/door, value_template: '  {{ value }} \n '}")
    home.publish("home/door", " ON ")
    await home.wait_for(SENSOR, "on")
    home.publish("home/door", "off")
    await home.settled()
    assert home.value(SENSOR) == "on"


async def test_none_from_a_template_is_unknown_and_nothing_is_ignored(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/door, value_template: '{{ value_json.state }}'}")
    home.publish("home/door", '{"state": "ON"}')
    await home.wait_for(SENSOR, "on")
    home.publish("home/door", '{"state": ""}')
    await home.settled()
    assert home.value(SENSOR) == "on"
    home.publish("home/door", '{"state": null}')
    await home.wait_for(SENSOR, "unknown")


async def test_none_can_be_a_payload(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/door, payload_off: None, value_template: '{{ value }}'}")
    home.publish("home/door", "None")
    await home.wait_for(SENSOR, "off")


async def test_the_toggle_template_flips_on_every_message(home: MqttHome) -> None:
    await home.set_up(
        """
        state_topic: home/button
        value_template: '{% if is_state(entity_id, "on") %}OFF{% else %}ON{% endif %}'
        """
    )
    changes = home.changes(SENSOR)
    for payload in ("press", "press", "", "anything"):
        home.publish("home/button", payload)
    await until(lambda: len(changes) == 4)
    assert changes == ["on", "off", "on", "off"]


async def test_a_failing_template_warns_once(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    await home.set_up("{state_topic: home/door, value_template: '{{ value_json.state + 1 }}'}")
    for payload in ("{}", "[]", "no json", "{}"):
        home.publish("home/door", payload)
    await home.settled()
    logged = warnings(caplog)
    assert len(logged) == len(set(logged))
    assert len(logged) == 3  # one for each problem
    assert all(SENSOR in line and "home/door" in line and "(value)" in line for line in logged)
    caplog.clear()

    # It needs no good message in between to be quiet, and a good one does not change that.
    for payload in ('{"state": 1}', "{}", '{"state": 1}', "no json"):
        home.publish("home/door", payload)
    await home.settled()
    assert not warnings(caplog)
    assert home.value(SENSOR) == "unknown"


@pytest.mark.parametrize(
    ("keys", "foreign", "good"),
    [
        ({"value_template": "{{ value_json.n | int }}"}, '{"n": "x"}', '{"n": 1}'),
        ({"value_template": "{{ value_json.s }}"}, '{"x": 1}', '{"s": "ON"}'),
        ({"value_template": "{{ value_json.s.t }}"}, '{"s": 1}', '{"s": {"t": "ON"}}'),
        ({"value_template": "{{ value_json.s }}"}, "plain", '{"s": "ON"}'),
        ({"json_attributes_topic": "home/door"}, "[]", "{}"),
        ({"json_attributes_topic": "home/door"}, "plain", "{}"),
        (
            {"availability_topic": "home/door", "availability_template": "{{ value_json.a }}"},
            '{"x": 1}',
            '{"a": "online"}',
        ),
    ],
    ids=str,
)
async def test_foreign_messages_between_good_ones_warn_once(
    home: MqttHome, caplog: pytest.LogCaptureFixture, keys: dict[str, str], foreign: str, good: str
) -> None:
    await home.set_up({"state_topic": "home/door", **keys})
    caplog.clear()
    for _ in range(200):
        home.publish("home/door", foreign)
        home.publish("home/door", good)
    await home.settled()
    logged = [
        record.getMessage()
        for record in caplog.records
        # asyncio's say how busy the machine is.
        if record.levelno >= logging.WARNING and record.name != "asyncio"
    ]
    assert len(logged) == 1, set(logged)


async def test_a_problem_is_news_again_after_an_hour_without_trouble(
    home: MqttHome, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.monotonic()
    monkeypatch.setattr(
        "custom_components.mqtt_binary._common.log_once.time",
        SimpleNamespace(monotonic=lambda: now),
    )
    await home.set_up("{state_topic: home/door, value_template: '{{ value_json.n | int }}'}")
    for minutes, expected in ((0, 1), (59, 1), (59, 1), (61, 2)):
        now += minutes * 60
        home.publish("home/door", '{"n": "x"}')
        await home.settled()
        assert len(warnings(caplog)) == expected


@pytest.mark.parametrize("template", ["value_json.state", 'value_json["state"]'])
async def test_a_device_that_mixes_json_and_plain_payloads_works(
    home: MqttHome, caplog: pytest.LogCaptureFixture, template: str
) -> None:
    await home.set_up(f"{{state_topic: home/door, value_template: '{{{{ {template} }}}}'}}")
    for payload, state in (
        ("ON", "on"),
        ('{"state": "OFF"}', "off"),
        ("ON", "on"),
        ("OFF", "off"),
        ('{"state": "ON"}', "on"),
    ):
        home.publish("home/door", payload)
        await home.wait_for(SENSOR, state)
    (warning,) = warnings(caplog)
    assert "the payload is taken as it is (value): 'value_json' is undefined" in warning


async def test_what_fails_otherwise_is_ignored_as_in_core(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/door, value_template: '{{ 1 / (value | length - 2) }}'}")
    home.publish("home/door", "ON")
    await home.settled()
    assert home.value(SENSOR) == "unknown"


@pytest.mark.parametrize("template", ["", "value_template: '{{ value }}'"])
async def test_undecodable_bytes_change_nothing(
    home: MqttHome, caplog: pytest.LogCaptureFixture, template: str
) -> None:
    await home.set_up(f"state_topic: home/door\n{template}")
    home.publish("home/door", "ON")
    await home.wait_for(SENSOR, "on")
    changes = home.changes(SENSOR)
    home.publish("home/door", b"\xff\xfe")
    await home.settled()
    assert not changes
    assert not warnings(caplog)  # core's client has said it
    assert "Can't decode payload" in caplog.text


async def test_bytes_that_are_no_text_are_told_where_no_encoding_is_set(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    await home.set_up("{state_topic: home/door, encoding: ''}")
    for payload in (b"\xff", b"\xfe\xff", b"\x80"):
        home.publish("home/door", payload)
    home.publish("home/door", "ON")
    await home.wait_for(SENSOR, "on")
    (warning,) = warnings(caplog)
    assert "it is no utf-8 text" in warning


async def test_at_debug_level_every_ignored_message_is_named(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    home.publish("home/door", "ON", retain=True)
    await home.settled()
    await home.set_up(
        """
        state_topic: home/+
        ignore_retained: true
        value_template: "{{ value_json.state }}"
        availability_topic: status
        json_attributes_topic: info
        """
    )
    ignored: list[tuple[str, str | bytes, str]] = [
        ("home/door", '{"state": ""}', "(value): the template's output is empty"),
        ("home/door", '{"state": "x"}', "(value): neither payload_on nor payload_off"),
        ("home/door", '{"state": "x"}', "(value): neither payload_on nor payload_off"),
        ("home/hall", "other", "(value): neither payload_on nor payload_off"),
        ("status", "?", "(availability): neither payload_available nor payload_not_available"),
        ("info", "[]", "(attributes): JSON result was not a dictionary"),
        ("info", "[]", "(attributes): JSON result was not a dictionary"),
        ("info", "", "(attributes): Erroneous JSON"),
    ]
    for topic, payload, _ in ignored:
        home.publish(topic, payload)
    await home.settled()
    lines = [record.getMessage() for record in caplog.records if "ignored" in record.getMessage()]
    assert (
        f"{SENSOR}: ignored a message (value): it is retained (topic home/door, length 2)"
        in "\n".join(lines)
    )
    for topic, payload, why in ignored:
        line = f"{SENSOR}: ignored a message {why} (topic {topic}, length {len(payload)})"
        expected = ignored.count((topic, payload, why))
        assert lines.count(line) == expected, line


@pytest.mark.parametrize(
    ("encoding", "payload"),
    [
        ("latin-1", "zu-geöffnet".encode("latin-1")),
        ("utf-16", "zu-geöffnet".encode("utf-16")),
        ("utf-16", b"\xfe\xff" + "zu-geöffnet".encode("utf-16-be")),
        ("", "zu-geöffnet".encode()),
    ],
)
async def test_encodings(home: MqttHome, encoding: str, payload: bytes) -> None:
    await home.set_up(
        f"{{state_topic: home/door, encoding: '{encoding}', payload_on: zu-geöffnet}}"
    )
    home.publish("home/door", payload)
    await home.wait_for(SENSOR, "on")


async def test_bytes_that_core_passes_for_another_sensor_are_decoded(home: MqttHome) -> None:
    received: list[object] = []

    @callback
    def on_message(message: mqtt.ReceiveMessage) -> None:
        received.append(message.payload)

    unsubscribe = await mqtt.async_subscribe(home.hass, "home/+", on_message, encoding=None)
    await home.set_up("{state_topic: home/+, encoding: latin-1, payload_on: é}")
    home.publish("home/door", b"\xe9")
    await home.wait_for(SENSOR, "on")
    assert received == [b"\xe9"]
    unsubscribe()


async def test_without_an_encoding_templates_see_bytes(home: MqttHome) -> None:
    await home.set_up(
        "{state_topic: home/door, encoding: '', value_template: '{{ \"ON\" if value[0] == 255 }}'}"
    )
    home.publish("home/door", b"\xff\x00")
    await home.wait_for(SENSOR, "on")


async def test_cores_sensor_on_the_same_topic_is_not_disturbed(home: MqttHome) -> None:
    home.yaml.write_text(
        "mqtt:\n  - binary_sensor:\n      name: core\n      state_topic: home/door\n"
        "      payload_on: geöffnet\n"
    )
    await home.set_up(
        *[f"{{state_topic: home/door, payload_on: geöffnet, name: n{n}}}" for n in range(5)]
    )
    assert home.entry is not None
    await home.hass.config_entries.async_reload(home.entry.entry_id)
    await until(lambda: mqtt.is_connected(home.hass))
    await home.settled()
    for payload, state in (("geöffnet", "on"), ("OFF", "off")):
        home.publish("home/door", b"\xff")
        home.publish("home/door", payload)
        await home.wait_for("binary_sensor.core", state)
        for n in range(5):
            await home.wait_for(f"binary_sensor.n{n}", state)


@pytest.mark.parametrize(("force", "events"), [("false", 2), ("true", 5)])
async def test_force_update_sends_an_event_per_accepted_message(
    home: MqttHome, force: str, events: int
) -> None:
    await home.set_up(
        f"{{state_topic: home/door, force_update: {force}, value_template: '{{{{ value }}}}'}}"
    )
    seen: list[Event[EventStateChangedData]] = []

    @callback
    def changed(event: Event[EventStateChangedData]) -> None:
        seen.append(event)

    home.hass.bus.async_listen(EVENT_STATE_CHANGED, changed)
    for payload in ("ON", "nonsense", "ON", "ON", "", "None", "None"):
        home.publish("home/door", payload)
    await home.settled()
    assert len(seen) == events


async def test_a_huge_payload_is_survived(home: MqttHome, caplog: pytest.LogCaptureFixture) -> None:
    await home.set_up(
        "state_topic: home/door",
        "{state_topic: home/door, value_template: '{{ value_json.state }}', name: templated}",
    )
    home.publish("home/door", b'{"state": "ON", "padding": "' + b"x" * 5_000_000 + b'"}')
    home.publish("home/door", '{"state": "ON"}')
    await home.wait_for("binary_sensor.templated", "on")
    logged = warnings(caplog)
    assert len(logged) == 2
    assert all("1048576" in warning for warning in logged)
    ours = [record for record in caplog.records if record.name.startswith("custom_components")]
    assert not any("xxx" in record.getMessage() for record in ours)


async def test_the_keys_that_describe_the_sensor(home: MqttHome) -> None:
    await home.set_up(
        """
        state_topic: home/door
        unique_id: door1
        name: Front door
        device_class: door
        icon: mdi:door
        entity_picture: https://example.invalid/door.png
        entity_category: diagnostic
        default_entity_id: binary_sensor.the_door
        """
    )
    state = home.hass.states.get("binary_sensor.the_door")
    assert state is not None
    assert state.name == "Front door"
    assert state.attributes["device_class"] == "door"
    assert state.attributes["icon"] == "mdi:door"
    assert state.attributes["entity_picture"] == "https://example.invalid/door.png"


async def test_a_group_names_its_members(home: MqttHome) -> None:
    await home.set_up(
        "{state_topic: home/a, unique_id: a, name: a}",
        "{state_topic: home/all, unique_id: all, name: all, group: [a]}",
    )
    state = home.hass.states.get("binary_sensor.all")
    assert state is not None
    assert state.attributes["group_entities"] == ["binary_sensor.a"]


async def test_disabled_by_default(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/door, unique_id: door, enabled_by_default: false}")
    assert home.hass.states.get(SENSOR) is None


async def test_two_sensors_at_once(home: MqttHome) -> None:
    await home.set_up("{state_topic: a, name: a}", "{state_topic: b, name: b}")
    home.publish("a", "ON")
    home.publish("b", "OFF")
    await home.wait_for("binary_sensor.a", "on")
    await home.wait_for("binary_sensor.b", "off")


async def test_device_in_yaml_is_accepted_with_one_notice(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    device = "device: {identifiers: x, connections: {mac: '02:00:00:00:00:01'}, name: d}"
    names = ("name: n0, ", "name: null, ", "")
    await home.set_up(*[f"{{state_topic: a, {name}{device}}}" for name in names])
    (notice,) = warnings(caplog)
    assert "discover" in notice
    assert sorted(state.name for state in home.hass.states.async_all("binary_sensor")) == [
        "MQTT Binary Sensor",
        "MQTT Binary Sensor",
        "n0",
    ]


@pytest.mark.parametrize(
    ("keys", "warning"),
    [
        (
            "json_attributes_template: '{{ value }}'",
            "json_attributes_template (needs json_attributes_topic)",
        ),
        ("availability_mode: any", "availability_mode (needs availability)"),
        ("availability_mode: latest", None),
        (
            "availability: [{topic: b}], payload_available: up, payload_not_available: offline",
            "payload_available (needs to be in the items of availability)",
        ),
        (
            "availability_template: '{{ value }}'",
            "availability_template (needs availability_topic)",
        ),
        ("payload_available: online, payload_not_available: offline", None),
        ("availability_topic: b, payload_available: up, json_attributes_topic: c", None),
    ],
)
async def test_keys_without_effect_are_named(
    home: MqttHome, caplog: pytest.LogCaptureFixture, keys: str, warning: str | None
) -> None:
    await home.set_up(f"{{state_topic: a, name: n, {keys}}}")
    expected = [] if warning is None else [f"n: keys without effect: {warning}"]
    assert warnings(caplog) == expected
