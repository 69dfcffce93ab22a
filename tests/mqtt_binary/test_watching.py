"""A sensor is found by watching what its device sends, among what a home sends besides."""

import json
from operator import itemgetter
from typing import Any

import pytest

from custom_components.mqtt_binary import trial
from custom_components.mqtt_binary.sensor_fields import OPEN_LINES
from custom_components.mqtt_binary.watching import watch
from custom_components.mqtt_binary.watching.candidates import candidates_in
from custom_components.mqtt_binary.watching.recording import (
    MAX_CHARACTERS,
    MAX_MESSAGES,
    MAX_TOPICS,
    LeftOut,
    Message,
    Recording,
)
from tests.home import until

from .core_sensors import suggested
from .dialogue import begin, choose, enter, entry_of, hear
from .home import MqttHome

pytestmark = pytest.mark.usefixtures("discovery")

type Sent = tuple[float, str, str | dict[str, Any], bool]
"""Seconds, topic, payload, whether it was retained before."""


def zigbee(contact: bool, at: float, *, retained: bool = False) -> Sent:
    state = {"battery": 97, "contact": contact, "linkquality": 80 + int(at * 7) % 40}
    return (at, "zigbee2mqtt/front door", {**state, "voltage": 3005}, retained)


def noise() -> list[Sent]:
    """Return what a home sends besides: a clock, a thermometer, a meter, a lamp, a heartbeat."""
    sent: list[Sent] = [(0, "zigbee2mqtt/bridge/state", {"state": "online"}, True)]
    sent += [(at, "clock/time", f"12:00:{at:02}", False) for at in range(1, 30, 2)]
    sent += [(at, "kitchen/temperature", f"{21 + at % 5 / 10}", False) for at in range(1, 30, 7)]
    sent += [
        (at, "tele/washer/SENSOR", {"ENERGY": {"Power": 3 + at % 4, "Total": 17.2}}, False)
        for at in range(1, 30, 6)
    ]
    sent += [(4, "zigbee2mqtt/lamp", {"state": "ON", "brightness": 120}, False)]
    sent += [(at, "gateway/heartbeat", "alive", False) for at in range(0, 30, 3)]
    return sent


RECORDINGS: dict[str, tuple[list[Sent], dict[str, Any]]] = {
    "zigbee2mqtt door": (
        [
            zigbee(contact=True, at=0, retained=True),
            (0, "zigbee2mqtt/front door/availability", {"state": "online"}, True),
            *[zigbee(contact=at % 2 == 0, at=3.0 + 2 * at) for at in range(1, 5)],
        ],
        {
            "state_topic": "zigbee2mqtt/front door",
            "value_template": "{{ value_json.contact }}",
            "payload_on": ["False"],
            "payload_off": ["True"],
            "device_class": "door",
            "availability_topic": "zigbee2mqtt/front door/availability",
            "availability_template": "{{ value_json.state }}",
        },
    ),
    "Tasmota switch": (
        [
            (0, "tele/hall/LWT", "Online", True),
            *[
                sent
                for at, state in ((3, "ON"), (5, "OFF"), (7, "ON"), (9, "OFF"))
                for sent in (
                    (at, "stat/hall/RESULT", {"POWER": state}, False),
                    (at, "stat/hall/POWER", state, False),
                )
            ],
            (10, "tele/hall/STATE", {"Uptime": "0T01:10", "POWER": "OFF"}, False),
        ],
        {
            "state_topic": "stat/hall/POWER",
            "payload_on": ["ON"],
            "payload_off": ["OFF"],
            "availability_topic": "tele/hall/LWT",
            "payload_available": "Online",
            "payload_not_available": "Offline",
        },
    ),
    "ESPEasy garage": (
        [
            (0, "espeasy/garage/LWT", "Connected", True),
            (0, "espeasy/garage/switch", "0", True),
            *[(3 + 2 * at, "espeasy/garage/switch", str((at + 1) % 2), False) for at in range(4)],
        ],
        {
            "state_topic": "espeasy/garage/switch",
            "payload_on": ["1"],
            "payload_off": ["0"],
            "availability_topic": "espeasy/garage/LWT",
            "payload_available": "Connected",
        },
    ),
    "433 MHz motion that sends on alone": (
        [
            (at, "rtl_433/PIR-1/event", {"model": "PIR", "id": 12, "event": "motion"}, False)
            for at in (4, 11)
        ],
        {
            "state_topic": "rtl_433/PIR-1/event",
            "value_template": "{{ value_json.event }}",
            "payload_on": ["motion"],
            "off_delay": 30,
        },
    ),
    "Shelly input, reported regularly": (
        [
            (0, "shellies/cellar/online", "true", True),
            *[
                (at, "shellies/cellar/input/0", "1" if 9 < at < 14 or 19 < at < 24 else "0", False)
                for at in range(1, 31)
            ],
        ],
        {
            "state_topic": "shellies/cellar/input/0",
            "payload_on": ["1"],
            "payload_off": ["0"],
            "expire_after": 3,
            "availability_topic": "shellies/cellar/online",
            "payload_available": "true",
        },
    ),
    "words of one's own, nested": (
        [
            (
                3 + 2 * at,
                "garden/gate",
                {"lock": {"bolt pos": ["locked", "unlocked"][(at + 1) % 2]}, "seq": at},
                False,
            )
            for at in range(-1, 4)
        ],
        {
            "state_topic": "garden/gate",
            "value_template": '{{ value_json.lock["bolt pos"] }}',
            "payload_on": ["unlocked"],
            "payload_off": ["locked"],
        },
    ),
}


def recorded(sent: list[Sent]) -> Recording:
    recording = Recording()
    for at, topic, payload, retained in sorted(sent, key=itemgetter(0)):
        text = payload if isinstance(payload, str) else json.dumps(payload)
        recording.add(topic, Message(text, at, retained))
    return recording


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_sensor_is_proposed_first(name: str) -> None:
    sent, expected = RECORDINGS[name]
    first, *_ = candidates_in(recorded([*sent, *noise()]))
    assert {key: first.config.get(key) for key in expected} == expected, first.label


def test_what_a_home_sends_besides_is_hardly_proposed() -> None:
    # The meter goes up and down by chance.
    [meter] = candidates_in(recorded(noise()))
    assert (meter.topic, meter.score) == ("tele/washer/SENSOR", 4)


def test_bounds() -> None:
    recording = Recording()
    for number in range(MAX_TOPICS + 10):
        recording.add(f"{number}", Message("a", 0))
    assert len(recording.topics) == MAX_TOPICS
    for number in range(MAX_MESSAGES + 10):
        recording.add("1", Message(str(number), number))
    assert len(recording.topics["1"]) == MAX_MESSAGES
    recording.add("2", Message("x" * (MAX_CHARACTERS + 1), 0))
    assert len(recording.topics["2"]) == 1
    new_topics = {f"{MAX_TOPICS + number}": 1 for number in range(10)}
    assert recording.left_out == {
        LeftOut.NEW_TOPIC: new_topics,
        LeftOut.LATER: {"1": 11},
        LeftOut.UNREADABLE: {"2": 1},
    }
    for number in range(MAX_TOPICS):
        recording.add(f"new {number}", Message("a", 0))
    assert len(recording.left_out[LeftOut.NEW_TOPIC]) == MAX_TOPICS


def test_copies_of_a_message_are_recorded_once() -> None:
    # EMQX delivers a message once for each subscription that matches its topic.
    for name in ("433 MHz motion that sends on alone", "Shelly input, reported regularly"):
        sent, expected = RECORDINGS[name]
        copies = [(at + 0.01, topic, payload, old) for at, topic, payload, old in sent]
        first, *_ = candidates_in(recorded([*sent, *copies]))
        assert {key: first.config.get(key) for key in expected} == expected
    slow = recorded([(0, "door", "ON", False), (0.1, "door", "ON", False)])
    assert len(slow.topics["door"]) == 2


def test_what_cannot_be_read_hurts_nothing() -> None:
    deep = "[" * 3000
    recording = recorded(
        [(at, "odd", payload, False) for at, payload in enumerate(["{", deep, "", "{", "null"])]
    )
    candidates_in(recording)


async def test_a_door_is_found_and_tried(home: MqttHome, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "WATCH_S", 20)
    home.publish("zigbee2mqtt/door", json.dumps({"contact": True}), retain=True)
    home.publish("mqtt_binary/binary_sensor/x/config", "{}", retain=True)
    await home.settled()
    page = await choose(home, await begin(home), "watch")
    wrong = await enter(home, page, {"below": "a/#/b"})
    assert wrong["errors"] == {"below": "invalid_topic"}
    page = await enter(home, page, {"below": "zigbee2mqtt/"})
    await home.settled()
    for contact in (False, True, False, True):
        home.publish("zigbee2mqtt/door", json.dumps({"contact": contact}), retain=True)
        home.publish("elsewhere", "ON" if contact else "OFF")
        await home.settled()
    page = await hear(home, page)
    assert page["step_id"] == "candidates"
    (select,) = page["data_schema"].schema.values()
    (option,) = select.config["options"]
    assert option["label"] == ("zigbee2mqtt/door / contact: True → False → True → False → True")
    page = await enter(home, page, {"candidate": option["value"]})
    assert page["step_id"] == "read"
    page = await enter(home, page, suggested(page) | {"name": "Door"})
    page = await hear(home, await enter(home, page, suggested(page)))
    assert page["step_id"] == "heard_off"
    await choose(home, page, "keep")
    await home.wait_for("binary_sensor.door", "off")
    home.publish("zigbee2mqtt/door", json.dumps({"contact": False}))
    await home.wait_for("binary_sensor.door", "on")


async def test_nothing_went_on_and_off(home: MqttHome, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "WATCH_S", 0.5)
    page = await choose(home, await begin(home), "watch")
    page = await hear(home, await enter(home, page, {}))
    assert page["step_id"] == "saw_nothing"
    assert (await choose(home, page, "watch"))["step_id"] == "watch"


async def test_messages_that_are_left_out_are_counted(
    home: MqttHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "WATCH_S", 5)
    home.publish("camera/[door](http://x)", b"\xff\xd8", retain=True)
    home.publish("map", "x" * (MAX_CHARACTERS + 1), retain=True)
    await home.settled()
    page = await enter(home, await choose(home, await begin(home), "watch"), {})
    await home.settled()
    home.publish("map", "x" * (MAX_CHARACTERS + 1))
    for contact in ("ON", "OFF", "ON", "OFF", "ON"):
        home.publish("door", contact)
    page = await hear(home, page)
    assert page["step_id"] == "candidates"
    note = page["description_placeholders"]["note"]
    assert "cannot be read here" in note
    assert "<details open>" in note
    assert [line for line in note.splitlines() if line.startswith("- ")] == [
        "- camera/\\[door\\](http\\://x): 1",
        "- map: 2",
    ]


async def test_nothing_was_found_in_what_can_be_read(
    home: MqttHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "WATCH_S", 4)
    page = await enter(home, await choose(home, await begin(home), "watch"), {})
    await home.settled()
    for number in range(MAX_MESSAGES + 2):
        home.publish("meter", str(number), qos=1)
    for number in range(OPEN_LINES + 1):
        home.publish(f"valve/{number}", b"\xff")
    page = await hear(home, page)
    assert page["step_id"] == "saw_nothing"
    note = page["description_placeholders"]["note"]
    assert [line for line in note.splitlines() if line.startswith("- ")] == [
        *(f"- valve/{number}: 1" for number in range(OPEN_LINES + 1)),
        "- meter: 2",
    ]
    long, short = note.count("<details>"), note.count("<details open>")
    assert (long, short) == (1, 1)


async def test_a_closed_dialogue_watches_nothing(home: MqttHome) -> None:
    client = home.hass.data["mqtt"].client
    page = await choose(home, await begin(home), "watch")
    listeners = len(client.subscriptions)
    page = await enter(home, page, {})
    await until(lambda: len(client.subscriptions) == listeners + 1)
    home.hass.config_entries.subentries.async_abort(page["flow_id"])
    await until(lambda: len(client.subscriptions) == listeners)


@pytest.mark.parametrize(("option", "step"), [("is_on", "heard_on"), ("is_off", "heard_off")])
async def test_what_means_nothing_is_given_a_meaning(
    home: MqttHome, monkeypatch: pytest.MonkeyPatch, option: str, step: str
) -> None:
    monkeypatch.setattr(trial, "TRY_S", 5)
    home.publish("home/valve", "  half open", retain=True)
    page = await choose(home, await begin(home), "read")
    page = await enter(home, page, {"name": "Valve", "state_topic": "home/valve"})
    page = await hear(home, await enter(home, page, {}))
    assert page["step_id"] == "heard_ignored"
    assert page["menu_options"] == ["is_on", "is_off", "keep", "try_it", "read"]
    page = await choose(home, page, option)
    assert page["step_id"] == "read"
    key = "payload_on" if option == "is_on" else "payload_off"
    assert suggested(page)[key] == ["  half open"]
    page = await enter(home, page, suggested(page))
    page = await hear(home, await enter(home, page, {}))
    assert page["step_id"] == step
    await choose(home, page, "keep")
    (subentry,) = entry_of(home).subentries.values()
    assert subentry.data[key] == ["  half open"]
