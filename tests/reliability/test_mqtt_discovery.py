"""Announcements from a stranger: any text, bombs, and ten thousand at once."""

import asyncio
from collections.abc import Callable
import json
import random
import string
import time
from typing import Any

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.mqtt_binary.discovery.message import BadPayloadError, parse, settings_of
from custom_components.mqtt_binary.schema import SENSOR_KEYS
from custom_components.mqtt_binary.settings import Settings
from tests.mqtt_binary.announced import CONFIG, TOPIC, announce, devices, processed
from tests.mqtt_binary.home import MqttHome
from tests.reliability.schemas import FUZZ as SCHEMA_FUZZ
from tests.reliability.stall import STALL_S, Stall, measured_as_in_a_home

pytestmark = pytest.mark.reliability

FUZZ = settings(SCHEMA_FUZZ, max_examples=400)
FLOOD = 10_000
FLOOD_DEADLINE_S = 120.0
COMPONENTS = 500
LARGE_TOPIC = "mqtt_binary/device/large/config"
KEYS = sorted({str(key) for key in SENSOR_KEYS} | {"~", "stat_t", "dev", "avty", "val_tpl"})

# What is long or nested: it must not hang the one who reads it. (A short template that computes
# without end is another matter: who may announce is trusted with that, see SECURITY.md.)
BOMBS = {
    "doubling by set": "{% set x = value %}" + "{% set x = x ~ x %}" * 400 + "{{ x }}",
    "doubling by filter": "{{ value" + " | tojson" * 4_000 + " }}",
    "growing by method": "{{ value" + ".replace('x', 'xxxx')" * 400 + " }}",
    "parentheses": "{{ " + "(" * 9_000 + "1" + ")" * 9_000 + " }}",
    "a few parentheses": "{{ " + "(" * 1_900 + "1" + ")" * 1_900 + " }}",
    "brackets": "{{ " + "[" * 900 + "]" * 900 + " }}",
    "ifs": "{% if 1 %}" * 2_000 + "{% endif %}" * 2_000,
    "blocks": "{% if 1 %}" * 150 + "x" + "{% endif %}" * 150,
    "withs": "{% with %}" * 150 + "{% endwith %}" * 150,
    "negations": "{{ " + "not " * 900 + "1 }}",
    "minuses": "{{ " + "-" * 4_000 + "1 }}",
    "sums": "{{ 1" + "+1" * 2_000 + " }}",
    "filters": "{{ 1" + "|int" * 1_000 + " }}",
    "attributes": "{{ x" + ".a" * 2_000 + " }}",
    "digits": "{{ " + "1" * 4_000 + " }}",
    "more digits": "{{ " + "1" * 9_000 + " }}",
    "exponent": "{{ 1e999999999 }}",
}

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from([*BOMBS.values(), "ON", "a/b", "{{", "{{ value }}", "#", "é\x00"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
configs = st.dictionaries(st.sampled_from(KEYS) | st.text(), values, max_size=8).map(
    lambda config: {"state_topic": "a"} | config
)


@st.composite
def mutated(draw: Callable[..., Any]) -> str:
    """Return a good announcement, with characters lost, doubled and changed."""
    text = json.dumps(CONFIG)
    for _ in range(draw(st.integers(1, 8))):
        at = draw(st.integers(0, len(text)))
        insert = draw(st.sampled_from(["", '"', "{", "]", ",", "\\u", "1e999"]) | st.characters())
        text = text[:at] + insert + text[at + draw(st.integers(0, 5)) :]
    return text


payloads = configs.map(json.dumps) | mutated() | st.text() | values.map(json.dumps)


def answer(payload: str) -> str | Settings:
    """Read the payload; anything but settings or the documented error fails the test."""
    try:
        made, unknown = settings_of(parse(payload))
    except BadPayloadError as err:
        return str(err)
    assert all(isinstance(key, str) for key in unknown)
    return made


def check(payload: str) -> None:
    """Check that the payload makes settings, or an error that fits into a log."""
    result = answer(payload)
    assert isinstance(result, Settings) or 0 < len(result) < 10_000


@FUZZ
@given(payloads)
def test_any_text_makes_settings_or_the_documented_error(payload: str) -> None:
    """Whatever is announced, the reader answers with settings or one sentence."""
    check(payload)


@pytest.mark.parametrize("key", ["value_template", "availability_template", "avty"])
@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_template_bombs_are_refused_or_harmless(bomb: str, key: str) -> None:
    """No template, wherever it stands, takes a second to be read."""
    template: object = [{"topic": "a", "val_tpl": bomb}] if key == "avty" else bomb
    start = time.thread_time()
    check(json.dumps({"state_topic": "a", key: template}))
    assert time.thread_time() - start < 1


@pytest.mark.parametrize(
    "payload",
    [
        '{"a":' * 10_000 + "1" + "}" * 10_000,
        "[" * 60_000,
        '{"state_topic": "a", "device": ' + "[" * 500 + "]" * 500 + "}",
        '{"state_topic": "a", "name": "' + "x" * 65_000 + '"}',
        '{"state_topic": "a", "name": "' + "x" * 5_000_000 + '"}',
        '{"state_topic": "a", "off_delay": ' + "9" * 5_000 + "}",
        '{"state_topic": "a", "group": [' + ",".join(['"x"'] * 15_000) + "]}",
        '{"state_topic": "a", "state_topic": "b", "unique_id": "' + "\\u0000" * 500 + '"}',
    ],
)
def test_deep_and_huge(payload: str) -> None:
    """Nesting and sizes end in settings or in the documented error."""
    check(payload)


@pytest.mark.usefixtures("discovery")
async def test_other_sensors_work_during_fuzzed_announcements(
    mqtt_home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    """Fuzz and bombs over the broker: no traceback, and the sensor that was there still works."""
    await announce(mqtt_home, CONFIG)
    collected: list[str] = []

    @settings(FUZZ, max_examples=200)
    @given(payloads)
    def collect(payload: str) -> None:
        collected.append(payload)

    collect()
    collected += [json.dumps({"stat_t": "a", "val_tpl": bomb}) for bomb in BOMBS.values()]
    for number, payload in enumerate(collected):
        mqtt_home.publish(TOPIC.replace("door", f"f{number}"), payload.encode("utf-8", "replace"))
    mqtt_home.publish("a", "ON")
    await processed(mqtt_home)
    mqtt_home.publish("a", "ON")
    mqtt_home.publish("home/door", "ON")
    await mqtt_home.wait_for("binary_sensor.door_contact", "on")
    ours = [r for r in caplog.records if r.name.startswith("custom_components.mqtt_binary")]
    assert not [r for r in ours if r.exc_info or r.levelname == "ERROR"]
    for number in range(len(collected)):
        mqtt_home.publish(TOPIC.replace("door", f"f{number}"))
    await processed(mqtt_home)
    assert mqtt_home.hass.states.async_entity_ids("binary_sensor") == ["binary_sensor.door_contact"]
    assert devices(mqtt_home) == ["Door contact"]


def large_device() -> str:
    """Return the message of a device that takes many turns: what comes meanwhile has to wait."""
    components = {
        f"c{number}": {
            "platform": "binary_sensor",
            "unique_id": f"c{number}",
            "name": f"c{number}",
            "state_topic": f"large/{number}",
        }
        for number in range(COMPONENTS)
    }
    return json.dumps({"device": {"identifiers": "large"}, "components": components})


@pytest.mark.usefixtures("discovery")
async def test_announcements_that_wait_are_taken_in_their_order(mqtt_home: MqttHome) -> None:
    """50 of one topic wait behind a large device: the last word counts."""
    mqtt_home.publish(LARGE_TOPIC, large_device())
    for number in range(50):
        mqtt_home.publish(TOPIC, json.dumps(CONFIG | {"state_topic": f"home/{number}"}))
    await processed(mqtt_home)
    mqtt_home.publish("home/49", "ON")
    await mqtt_home.wait_for("binary_sensor.door_contact", "on")


@pytest.mark.usefixtures("discovery")
async def test_many_components_and_many_messages_do_not_delay_others(
    mqtt_home: MqttHome,
) -> None:
    """500 components of one message, 500 messages that wait behind it: no turn takes 100 ms."""
    with measured_as_in_a_home(mqtt_home.hass):
        mqtt_home.publish(LARGE_TOPIC, large_device())
        for number in range(COMPONENTS):
            name = f"d{number}"
            config = {"state_topic": f"home/{number}", "unique_id": name, "name": name}
            mqtt_home.publish(f"mqtt_binary/binary_sensor/{name}/config", json.dumps(config))
        stall = Stall(mqtt_home.hass)
        try:
            await processed(mqtt_home)
        finally:
            stall.stop()
    assert len(mqtt_home.hass.states.async_all("binary_sensor")) == 2 * COMPONENTS
    assert stall.longest < STALL_S


@pytest.mark.usefixtures("discovery")
async def test_a_flood_of_10_000_announcements(mqtt_home: MqttHome) -> None:
    """1,000 topics announced ten times: the last word of each counts; no turn takes 100 ms."""
    letters = random.Random(3)
    last: dict[str, str] = {}

    def all_on() -> bool:
        states = mqtt_home.hass.states.async_all("binary_sensor")
        return len(states) == len(last) and all(state.state == "on" for state in states)

    with measured_as_in_a_home(mqtt_home.hass):
        for number in range(FLOOD):
            name = f"d{number % 1_000}"
            topic = f"mqtt_binary/binary_sensor/{name}/config"
            last[name] = "".join(letters.choices(string.ascii_lowercase, k=8))
            config = {"state_topic": f"flood/{last[name]}/{name}", "unique_id": name, "name": name}
            mqtt_home.publish(topic, json.dumps(config))
        for name, branch in last.items():
            mqtt_home.publish(f"flood/{branch}/{name}", "ON", retain=True)
        stall = Stall(mqtt_home.hass)  # from here on: to announce is not the home's work either
        try:
            async with asyncio.timeout(FLOOD_DEADLINE_S):
                while not all_on():  # noqa: ASYNC110  (nothing announces it)
                    await asyncio.sleep(0.1)
        finally:
            stall.stop()
    assert len(last) == 1_000
    assert stall.longest < STALL_S
