"""Random sensors and random messages: ours and core's sensors show the same after each of them.

Both are set up side by side, on the same topics of one broker. Left out is what differs on
purpose, as docs/mqtt_binary.md says, and tests/mqtt_binary/test_as_core.py shows.
"""

import random
import shutil
from typing import Any

from homeassistant.components.mqtt import DATA_MQTT
import pytest

from .home import MqttHome

SENSORS = 120
STEPS = 8
LONGEST_DELAY_S = 30

TEMPLATES = (
    *("{{ value }}", "{{ value | upper }}", "{{ value | int }}", "{{ value | from_json }}"),
    *("{{ value_json }}", "{{ value_json.state }}", "{{ value_json.a.b }}", "{{ value_json[0] }}"),
    *("{{ value_json.state | default('OFF') }}", "{{ value_json is defined }}", "{{ none }}"),
    *(
        "{{ this.state }}",
        "{{ name[1:] }}",
        "{{ states('sun.sun') }}",
        "{{ 1 / 0 }}",
        "ON",
        "{{ '' }}",
    ),
    *("{% if is_state(entity_id, 'on') %}OFF{% else %}ON{% endif %}",),
)
AVAILABILITY_TEMPLATES = (
    *("{{ value }}", "{{ value_json.available }}", "{{ value_json.state }}"),
    "{{ 'online' if value_json.available else 'offline' }}",
)
ATTRIBUTES_TEMPLATES = (
    *(
        "{{ value }}",
        "{{ value_json | tojson }}",
        "{{ value_json.a | tojson }}",
        "{{ value_json.a }}",
    ),
    "{{ {'k': value} | tojson }}",
)
PAYLOADS: tuple[str | bytes, ...] = (
    *("ON", "OFF", "on", "1", "0", "1.0", "5", "true", "None", "unknown", "unavailable", "", " ON"),
    *("ON ", "\n", "null", "[1]", "é", "online", "offline", "{bad", b"\xff\xfe", b"\x00"),
    *('{"state": "ON"}', '{"state": "OFF", "x": 1}', '{"state": null}', '{"state": true}'),
    *('{"a": {"b": ["ON"]}}', '{"available": true}', '{"friendly_name": "x", "k": 1}'),
    *('{"d": 1e400}', '{"d": 12345678901234567890123}', '{"d": 1, "d": 2}'),
)


def sensor(dice: random.Random, number: int) -> dict[str, Any]:
    """Return the keys of a sensor; each is there with some probability."""
    here = f"home/{number}"

    def often(share: float, **keys: tuple[object, ...]) -> dict[str, Any]:
        return {k: dice.choice(values) for k, values in keys.items() if dice.random() < share}

    config = {
        "state_topic": dice.choice([f"{here}/s"] * 3 + [f"{here}/+", f"{here}/#"]),
        "unique_id": f"u{number}",
        **often(0.3, payload_on=("1", "True", "ON", "online")),
        **often(0.3, payload_off=("0", "False", "OFF", "offline")),
        **often(0.6, value_template=TEMPLATES),
        **often(0.4, off_delay=(1, 15, LONGEST_DELAY_S), qos=(0, 1, 2)),
        **often(0.2, encoding=("latin-1", "utf-16", "ascii"), device_class=("door", "motion")),
    }
    if dice.random() < 0.4:
        config["json_attributes_topic"] = dice.choice([f"{here}/s", f"{here}/j"])
        config |= often(0.5, json_attributes_template=ATTRIBUTES_TEMPLATES)
    match dice.randrange(5):
        case 0:
            config["availability_topic"] = dice.choice([f"{here}/s", f"{here}/a"])
            config |= often(
                0.5,
                availability_template=AVAILABILITY_TEMPLATES,
                payload_available=("ON", "True"),
                payload_not_available=("OFF", "False"),
            )
        case 1:
            config["availability"] = [
                {"topic": f"{here}/a"},
                {"topic": f"{here}/b", "payload_available": "1", "payload_not_available": "0"},
                {"topic": f"{here}/s", "value_template": "{{ value_json.state }}"},
            ][: dice.randrange(2, 4)]
            config |= often(0.7, availability_mode=("all", "any", "latest"))
    return config


@pytest.fixture
def protocol(request: pytest.FixtureRequest, bare_home: MqttHome) -> str:
    """Let core connect with this protocol; 5 sends a message once per overlapping topic."""
    bare_home.protocol = request.param
    return bare_home.protocol


@pytest.mark.parametrize(
    "protocol",
    [
        "3.1.1",
        pytest.param(
            "5", marks=pytest.mark.skipif(not shutil.which("mosquitto"), reason="amqtt has 3.1.1")
        ),
    ],
    indirect=True,
)
async def test_ours_show_what_cores_show(bare_home: MqttHome, protocol: str) -> None:
    home, dice = bare_home, random.Random(protocol)
    sensors = [sensor(dice, number) for number in range(SENSORS)]

    def named(side: str) -> list[dict[str, Any]]:
        return [{**config, "name": f"{side}{n}"} for n, config in enumerate(sensors)]

    await home.load({"binary_sensor": [{"platform": "mqtt_binary", **c} for c in named("o")]})
    home.write({"mqtt": {"binary_sensor": named("c")}})
    await home.start_mqtt()
    await home.hass.async_block_till_done()
    await home.settled()
    assert home.hass.data[DATA_MQTT].client.is_mqttv5 is (protocol == "5")

    def shown(side: str, number: int) -> tuple[str, dict[str, Any]]:
        state = home.hass.states.get(f"binary_sensor.{side}{number}")
        assert state is not None
        return state.state, {**state.attributes, "friendly_name": None}

    sent: dict[int, list[tuple[str, str | bytes]]] = {number: [] for number in range(SENSORS)}
    compared = {*range(SENSORS)}
    for _ in range(STEPS):
        for number, config in enumerate(sensors):
            topic, payload = f"home/{number}/{dice.choice('ssssabj')}", dice.choice(PAYLOADS)
            if payload == "None" and "value_template" not in config:
                compared.discard(number)  # means unknown to core
            home.publish(topic, payload)
            sent[number].append((topic, payload))
        await home.settled()
        if dice.random() < 0.5:
            await home.pass_time(dice.choice([10, LONGEST_DELAY_S + 1]))
        await home.hass.async_block_till_done()
        for number in compared:
            differs = (sensors[number], sent[number])
            assert shown("o", number) == shown("c", number), differs
    assert len(compared) > SENSORS / 2
    await home.pass_time(LONGEST_DELAY_S + 1)
