"""The state table, row by row, over a real broker."""

import logging

from homeassistant.components import mqtt
from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.core import Event, EventStateChangedData, callback
import pytest

from .conftest import Home

SENSOR = "binary_sensor.mqtt_binary_sensor"


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return our warnings and errors."""
    return [
        record.getMessage()
        for record in caplog.records
        if record.levelno >= logging.WARNING and "mqtt_binary" in record.name
    ]


async def test_starts_unknown_and_follows_the_payloads(home: Home) -> None:
    await home.set_up("state_topic: home/door")
    assert home.state(SENSOR) == "unknown"
    home.publish("home/door", "ON")
    await home.wait_for(SENSOR, "on")
    home.publish("home/door", "OFF")
    await home.wait_for(SENSOR, "off")


async def test_a_retained_message_sets_the_state_at_once(home: Home) -> None:
    home.publish("home/door", "ON", retain=True)
    await home.settled()
    await home.set_up("state_topic: home/door")
    await home.wait_for(SENSOR, "on")


@pytest.mark.parametrize("payload", ["on", "On", " ON", "ON ", "ON\n", "", "None", "1", "ONOFF"])
async def test_only_an_exact_payload_changes_the_state(
    home: Home, caplog: pytest.LogCaptureFixture, payload: str
) -> None:
    await home.set_up("state_topic: home/door")
    home.publish("home/door", "OFF")
    await home.wait_for(SENSOR, "off")
    changes = home.changes(SENSOR)
    home.publish("home/door", payload)
    await home.settled()
    assert home.state(SENSOR) == "off"
    assert not changes
    assert not warnings(caplog)


async def test_every_byte_value_is_survived(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    await home.set_up("state_topic: home/door")
    for byte in range(256):
        home.publish("home/door", bytes([byte]))
    home.publish("home/door", "ON")
    await home.wait_for(SENSOR, "on")
    # 0x80 to 0xFF are no UTF-8 by themselves: one warning for all of them.
    assert len(warnings(caplog)) == 1


async def test_lists_of_payloads(home: Home) -> None:
    await home.set_up("{state_topic: home/door, payload_on: [open, '1'], payload_off: [shut, '0']}")
    for payload, state in (("open", "on"), ("shut", "off"), ("1", "on"), ("0", "off")):
        home.publish("home/door", payload)
        await home.wait_for(SENSOR, state)


async def test_an_empty_payload_can_mean_something(home: Home) -> None:
    await home.set_up("{state_topic: home/door, payload_off: ''}")
    home.publish("home/door", "ON")
    await home.wait_for(SENSOR, "on")
    home.publish("home/door", "")
    await home.wait_for(SENSOR, "off")


@pytest.mark.parametrize("qos", [0, 1, 2])
async def test_each_qos(home: Home, qos: int) -> None:
    await home.set_up(f"{{state_topic: home/door, qos: {qos}}}")
    home.publish("home/door", "ON", qos=qos)
    await home.wait_for(SENSOR, "on")


@pytest.mark.parametrize("topic", ["home/+/door", "home/#", "+/hall/door"])
async def test_wildcards(home: Home, topic: str) -> None:
    await home.set_up(f"state_topic: '{topic}'")
    home.publish("home/hall/door", "ON")
    await home.wait_for(SENSOR, "on")


async def test_the_template_sees_its_variables(home: Home) -> None:
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


async def test_the_template_has_no_value_json_when_it_is_no_json(home: Home) -> None:
    await home.set_up(
        "{state_topic: home/door, value_template: '{{ \"ON\" if value_json is undefined }}'}"
    )
    home.publish("home/door", "{")
    await home.wait_for(SENSOR, "on")


async def test_the_output_is_stripped_and_compared_exactly(home: Home) -> None:
    await home.set_up("{state_topic: home/door, value_template: '  {{ value }} \n '}")
    home.publish("home/door", " ON ")
    await home.wait_for(SENSOR, "on")
    home.publish("home/door", "off")
    await home.settled()
    assert home.state(SENSOR) == "on"


async def test_none_from_a_template_is_unknown_and_nothing_is_ignored(home: Home) -> None:
    await home.set_up("{state_topic: home/door, value_template: '{{ value_json.state }}'}")
    home.publish("home/door", '{"state": "ON"}')
    await home.wait_for(SENSOR, "on")
    home.publish("home/door", '{"state": ""}')
    await home.settled()
    assert home.state(SENSOR) == "on"
    home.publish("home/door", '{"state": null}')
    await home.wait_for(SENSOR, "unknown")


async def test_none_can_be_a_payload(home: Home) -> None:
    await home.set_up("{state_topic: home/door, payload_off: None, value_template: '{{ value }}'}")
    home.publish("home/door", "None")
    await home.wait_for(SENSOR, "off")


async def test_the_toggle_template_flips_on_every_message(home: Home) -> None:
    await home.set_up(
        """
        state_topic: home/button
        value_template: '{% if is_state(entity_id, "on") %}OFF{% else %}ON{% endif %}'
        """
    )
    changes = home.changes(SENSOR)
    for payload in ("press", "press", "", "anything"):
        home.publish("home/button", payload)
    await home.until(lambda: len(changes) == 4)
    assert changes == ["on", "off", "on", "off"]


async def test_a_failing_template_warns_once_until_it_succeeds(
    home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    await home.set_up("{state_topic: home/door, value_template: '{{ value_json.state + 1 }}'}")
    for payload in ("{}", "[]", "no json", '{"state": "x"}'):
        home.publish("home/door", payload)
    await home.settled()
    (warning,) = warnings(caplog)
    assert SENSOR in warning
    assert "home/door" in warning
    assert "value_template" in warning

    home.publish("home/door", '{"state": 1}')
    home.publish("home/door", "{}")
    await home.settled()
    assert len(warnings(caplog)) == 2
    assert home.state(SENSOR) == "unknown"


@pytest.mark.parametrize("template", ["", "value_template: '{{ value }}'"])
async def test_undecodable_bytes_warn_once_until_text_comes(
    home: Home, caplog: pytest.LogCaptureFixture, template: str
) -> None:
    await home.set_up(f"state_topic: home/door\n{template}")
    for _ in range(3):
        home.publish("home/door", b"\xff\xfe")
    home.publish("home/door", "ON")
    await home.wait_for(SENSOR, "on")
    home.publish("home/door", b"\xff")
    await home.settled()
    assert len(warnings(caplog)) == 2
    assert "Can't decode" not in caplog.text
    assert home.state(SENSOR) == "on"


@pytest.mark.parametrize(
    ("encoding", "payload"),
    [
        ("latin-1", "zu-geöffnet".encode("latin-1")),
        ("utf-16", "zu-geöffnet".encode("utf-16")),
        ("utf-16", b"\xfe\xff" + "zu-geöffnet".encode("utf-16-be")),
        ("", "zu-geöffnet".encode()),
    ],
)
async def test_encodings(home: Home, encoding: str, payload: bytes) -> None:
    await home.set_up(
        f"{{state_topic: home/door, encoding: '{encoding}', payload_on: zu-geöffnet}}"
    )
    home.publish("home/door", payload)
    await home.wait_for(SENSOR, "on")


async def test_without_an_encoding_templates_see_bytes(home: Home) -> None:
    await home.set_up(
        "{state_topic: home/door, encoding: '', value_template: '{{ \"ON\" if value[0] == 255 }}'}"
    )
    home.publish("home/door", b"\xff\x00")
    await home.wait_for(SENSOR, "on")


async def test_cores_sensor_on_the_same_topic_is_not_disturbed(home: Home) -> None:
    home.yaml.write_text(
        "mqtt:\n  - binary_sensor:\n      name: core\n      state_topic: home/door\n"
        "      payload_on: geöffnet\n"
    )
    await home.set_up(
        *[f"{{state_topic: home/door, payload_on: geöffnet, name: n{n}}}" for n in range(5)]
    )
    assert home.entry is not None
    await home.hass.config_entries.async_reload(home.entry.entry_id)
    await home.until(lambda: mqtt.is_connected(home.hass))
    await home.settled()
    for payload, state in (("geöffnet", "on"), ("OFF", "off")):
        home.publish("home/door", b"\xff")
        home.publish("home/door", payload)
        await home.wait_for("binary_sensor.core", state)
        for n in range(5):
            await home.wait_for(f"binary_sensor.n{n}", state)


@pytest.mark.parametrize(("force", "events"), [("false", 1), ("true", 3)])
async def test_force_update_sends_an_event_per_accepted_message(
    home: Home, force: str, events: int
) -> None:
    await home.set_up(f"{{state_topic: home/door, force_update: {force}}}")
    seen: list[Event[EventStateChangedData]] = []

    @callback
    def changed(event: Event[EventStateChangedData]) -> None:
        seen.append(event)

    home.hass.bus.async_listen(EVENT_STATE_CHANGED, changed)
    for payload in ("ON", "nonsense", "ON", "ON", ""):
        home.publish("home/door", payload)
    await home.settled()
    assert len(seen) == events


async def test_a_huge_payload_is_survived(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    await home.set_up(
        "state_topic: home/door",
        "{state_topic: home/door, value_template: '{{ value_json.state }}', name: templated}",
    )
    home.publish("home/door", b'{"state": "ON", "padding": "' + b"x" * 5_000_000 + b'"}')
    home.publish("home/door", '{"state": "ON"}')
    await home.wait_for("binary_sensor.templated", "on")
    told = warnings(caplog)
    assert len(told) == 2
    assert all("1048576" in warning for warning in told)
    ours = [record for record in caplog.records if record.name.startswith("custom_components")]
    assert not any("xxx" in record.getMessage() for record in ours)


async def test_the_keys_that_describe_the_sensor(home: Home) -> None:
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


async def test_a_group_names_its_members(home: Home) -> None:
    await home.set_up(
        "{state_topic: home/a, unique_id: a, name: a}",
        "{state_topic: home/all, unique_id: all, name: all, group: [a]}",
    )
    state = home.hass.states.get("binary_sensor.all")
    assert state is not None
    assert state.attributes["group_entities"] == ["binary_sensor.a"]


async def test_disabled_by_default(home: Home) -> None:
    await home.set_up("{state_topic: home/door, unique_id: door, enabled_by_default: false}")
    assert home.hass.states.get(SENSOR) is None


async def test_two_sensors_at_once(home: Home) -> None:
    await home.set_up("{state_topic: a, name: a}", "{state_topic: b, name: b}")
    home.publish("a", "ON")
    home.publish("b", "OFF")
    await home.wait_for("binary_sensor.a", "on")
    await home.wait_for("binary_sensor.b", "off")


async def test_device_in_yaml_is_accepted_with_one_notice(
    home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    device = "device: {identifiers: x, connections: {mac: '02:00:00:00:00:01'}, name: d}"
    await home.set_up(*[f"{{state_topic: a, name: n{n}, {device}}}" for n in range(3)])
    (notice,) = warnings(caplog)
    assert "discover" in notice
    assert home.state("binary_sensor.n2") == "unknown"
