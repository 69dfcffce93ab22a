"""Payloads of 5 MB, and of every byte value."""

import pytest

from tests.home import until
from tests.mqtt_binary.home import MqttHome
from tests.mqtt_binary.logged import warnings

from .stall import STALL_S, Stall

pytestmark = pytest.mark.reliability

SIZE = 5 * 1024 * 1024
ROUNDS = 3

SENSORS = (
    "{name: plain, state_topic: a}",
    "{name: templated, state_topic: a, value_template: '{{ value_json.state }}'}",
    "{name: attributes, state_topic: b, json_attributes_topic: a}",
    "{name: available, state_topic: b, availability_topic: a}",
    "{name: asked, state_topic: b, availability_topic: a, availability_template: '{{ value }}'}",
    "{name: latin, state_topic: a, encoding: latin-1}",
    "{name: raw, state_topic: a, encoding: '', value_template: '{{ value }}'}",
)

HUGE = {
    "text": b"ON" * (SIZE // 2),
    "json": b'{"state": "ON", "x": "' + b"x" * SIZE + b'"}',
    "digits": b"1" * SIZE,
    "nesting": b"[" * SIZE,
    "umlauts": "ü".encode() * (SIZE // 2),
    "no text": b"\xff" * SIZE,
    "zeros": bytes(SIZE),
}


@pytest.mark.parametrize("payload", HUGE.values(), ids=HUGE)
async def test_5_mb_stall_nothing_and_change_nothing(
    mqtt_home: MqttHome, caplog: pytest.LogCaptureFixture, payload: bytes
) -> None:
    """5 MB on every kind of topic: ignored in under 100 ms, warned of at most once a subject."""
    await mqtt_home.set_up(*SENSORS)
    mqtt_home.publish("a", '{"state": "ON"}')
    mqtt_home.publish("a", "ON")
    mqtt_home.publish("a", "online")
    await mqtt_home.wait_for("binary_sensor.available", "unknown")
    await mqtt_home.settled()
    caplog.clear()
    before = {state.entity_id: state for state in mqtt_home.hass.states.async_all()}
    stalls = []
    for _ in range(ROUNDS):
        stall = Stall(mqtt_home.hass)
        mqtt_home.publish("a", payload)
        await mqtt_home.settled()
        stall.stop()
        stalls.append(stall.longest)
    assert {state.entity_id: state for state in mqtt_home.hass.states.async_all()} == before
    assert min(stalls) < STALL_S, stalls
    warned = warnings(caplog)
    assert len(warned) == len(set(warned)) <= len(SENSORS)
    assert all(len(line) < 500 for line in warned)
    assert "Traceback" not in caplog.text
    mqtt_home.publish("a", "OFF")
    await mqtt_home.wait_for("binary_sensor.plain", "off")


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", ""])
async def test_every_byte_value_is_what_it_is_in_the_sensors_encoding(
    mqtt_home: MqttHome, caplog: pytest.LogCaptureFixture, encoding: str
) -> None:
    """Each of the 256 payloads of one byte turns on the sensors that wait for it, and no other."""
    texts = range(256 if encoding == "latin-1" else 128)
    await mqtt_home.set_up(
        *(
            {
                "state_topic": "a",
                "name": f"text_{byte}",
                "encoding": encoding,
                "payload_on": chr(byte),
                "payload_off": "off",
            }
            for byte in texts
        ),
        *(
            {
                "state_topic": "a",
                "name": f"bit_{bit}",
                "encoding": "",
                "value_template": f"{{{{ iif(value[0] // {1 << bit} % 2, 'ON', 'OFF') }}}}",
            }
            for bit in range(8 if not encoding else 0)
        ),
    )
    states = mqtt_home.hass.states

    def on() -> set[str]:
        return {state.name for state in states.async_all() if state.state == "on"}

    for byte in range(256):
        mqtt_home.publish("a", "off")
        mqtt_home.publish("a", bytes([byte]))
        expected = {f"text_{byte}"} if byte in texts else set()
        if not encoding:
            expected |= {f"bit_{bit}" for bit in range(8) if byte & 1 << bit}
        await until(lambda expected=expected: on() == expected)  # type: ignore[misc]
    assert "Traceback" not in caplog.text
