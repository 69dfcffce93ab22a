"""What core promises of its MQTT binary sensor, shown of core's and of ours alike.

Each test runs twice over a real broker: on core's sensor (so that it is core's promise, of the
core at hand) and on ours. Where the two differ on purpose, as docs/mqtt_binary.md says, the test
says so.
"""

import json
from typing import Any

from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.core import Event, EventStateChangedData, callback
from homeassistant.helpers import device_registry as dr, entity_registry as er
import pytest

from tests.home import until

from .sides import Config, Side, both_sides, side_fixture

__all__ = ["side_fixture"]

pytestmark = both_sides

TEST: Config = {"name": "test", "state_topic": "test-topic"}
DEVICE = {"identifiers": ["helloworld"], "name": "Beer", "manufacturer": "Whatever"}

type Steps = list[tuple[str, str | bytes, str]]
"""Topic, payload, and the state after it."""

MESSAGES: dict[str, tuple[Config, str, Steps]] = {
    "payloads": (
        {},
        "unknown",
        [
            ("test-topic", "ON", "on"),
            ("test-topic", "OFF", "off"),
            ("test-topic", "0N", "off"),
            ("test-topic", "on", "off"),
            ("test-topic", "", "off"),
        ],
    ),
    "payloads of one's own": (
        {"payload_on": "1", "payload_off": "beer"},
        "unknown",
        [("test-topic", "1", "on"), ("test-topic", "OFF", "on"), ("test-topic", "beer", "off")],
    ),
    "template with entity_id": (
        {"value_template": '{%if is_state(entity_id,"on")-%}OFF{%-else-%}ON{%-endif%}'},
        "unknown",
        [("test-topic", "", "on"), ("test-topic", "x", "off"), ("test-topic", "", "on")],
    ),
    "template with this and name": (
        {"value_template": "{{ 'ON' if this.state == 'unknown' and name == 'test' else 'OFF' }}"},
        "unknown",
        [("test-topic", "", "on"), ("test-topic", "", "off")],
    ),
    "template with value": (
        {"value_template": "{{ value | upper }}"},
        "unknown",
        [("test-topic", "on", "on"), ("test-topic", " off ", "off"), ("test-topic", "nil", "off")],
    ),
    "template with empty output": (
        {"value_template": '{%if value == "ABC"%}ON{%endif%}'},
        "unknown",
        [("test-topic", "DEF", "unknown"), ("test-topic", "ABC", "on"), ("test-topic", "D", "on")],
    ),
    "template with None": (
        {"value_template": "{{ value_json.state }}"},
        "unknown",
        [
            ("test-topic", '{"state": "ON"}', "on"),
            ("test-topic", '{"state": "none"}', "on"),
            ("test-topic", '{"state": null}', "unknown"),
        ],
    ),
    "template, and payloads that are no JSON": (
        {"value_template": "{{ value_json.state }}"},
        "unknown",
        [
            ("test-topic", "ON", "on"),
            ("test-topic", '{"state": "OFF"}', "off"),
            ("test-topic", "beer", "off"),
            ("test-topic", " ON", "off"),
            ("test-topic", "None", "unknown"),
        ],
    ),
    "template that fails otherwise": (
        {"value_template": "{{ value_json.some_var * 1 }}", "payload_on": "1"},
        "unknown",
        [
            ("test-topic", '{"some_var": null}', "unknown"),
            ("test-topic", '{"some_var": 1}', "on"),
            ("test-topic", "1", "on"),
        ],
    ),
    "template of bytes": (
        {"encoding": "", "value_template": "{%if value|unpack('b')-%}ON{%else%}OFF{%-endif-%}"},
        "unknown",
        [("test-topic", b"\x01", "on"), ("test-topic", b"\x00", "off")],
    ),
    "latin-1": (
        {"encoding": "latin-1", "payload_on": "é", "payload_off": "è"},
        "unknown",
        [("test-topic", b"\xe9", "on"), ("test-topic", b"\xe8", "off")],
    ),
    "utf-16": (
        {"encoding": "utf-16"},
        "unknown",
        [("test-topic", "ON".encode("utf-16"), "on"), ("test-topic", b"O", "on")],
    ),
    "undecodable": ({}, "unknown", [("test-topic", "ON", "on"), ("test-topic", b"\xff", "on")]),
    "wildcard": (
        {"state_topic": "test/+/#"},
        "unknown",
        [("test/a/b/c", "ON", "on"), ("test/b", "OFF", "off"), ("other/b", "ON", "off")],
    ),
    "availability": (
        {"availability_topic": "availability-topic"},
        "unavailable",
        [
            ("availability-topic", "online", "unknown"),
            ("availability-topic", "beer", "unknown"),
            ("availability-topic", "offline", "unavailable"),
            ("test-topic", "ON", "unavailable"),
            ("availability-topic", "online", "on"),
        ],
    ),
    "availability in words of one's own": (
        {
            "availability_topic": "availability-topic",
            "payload_available": "good",
            "payload_not_available": "nogood",
        },
        "unavailable",
        [
            ("availability-topic", "good", "unknown"),
            ("availability-topic", "nogood", "unavailable"),
            ("availability-topic", "online", "unavailable"),
        ],
    ),
    "availability by template": (
        {
            "availability_topic": "availability-topic",
            "availability_template": "{{ value_json.state }}",
        },
        "unavailable",
        [
            ("availability-topic", '{"state": "online"}', "unknown"),
            ("availability-topic", '{"state": "offline"}', "unavailable"),
            ("availability-topic", "online", "unknown"),
        ],
    ),
    "availability of several, all": (
        {"availability": [{"topic": "a1"}, {"topic": "a2"}], "availability_mode": "all"},
        "unavailable",
        [
            ("a1", "online", "unavailable"),
            ("a2", "online", "unknown"),
            ("a1", "offline", "unavailable"),
        ],
    ),
    "availability of several, any": (
        {"availability": [{"topic": "a1"}, {"topic": "a2"}], "availability_mode": "any"},
        "unavailable",
        [
            ("a1", "online", "unknown"),
            ("a2", "offline", "unknown"),
            ("a1", "offline", "unavailable"),
        ],
    ),
    "availability of several, latest": (
        {
            "availability": [
                {"topic": "a1", "payload_available": "1", "payload_not_available": "0"},
                {"topic": "a2", "value_template": "{{ value | lower }}"},
            ]
        },
        "unavailable",
        [("a1", "1", "unknown"), ("a2", "OFFLINE", "unavailable"), ("a2", "ONLINE", "unknown")],
    ),
}


@pytest.mark.parametrize(("keys", "start", "steps"), MESSAGES.values(), ids=MESSAGES)
async def test_messages(side: Side, keys: Config, start: str, steps: Steps) -> None:
    await side.set_up(TEST | keys)
    assert side.state() == start
    for topic, payload, state in steps:
        await side.send(topic, payload)
        assert side.state() == state, (topic, payload)


# In docs/mqtt_binary.md, "What differs": keys, payloads, core's state, ours.
DIFFERENCES: dict[str, tuple[Config, list[str], str | None, str | None]] = {
    "start with expire_after": ({"expire_after": 60}, [], "unavailable", "unknown"),
    "None": ({"payload_off": "X"}, ["ON", "None"], "unknown", "on"),
    "None for off": ({"payload_off": "None"}, ["ON", "None"], "off", "off"),
    "white space": ({"payload_off": "  "}, ["ON", "  "], "on", "off"),
    "an empty payload": ({"payload_off": ""}, ["ON", ""], "on", "off"),
    "no encoding, no template": ({"encoding": ""}, ["ON"], "unknown", "on"),
    "equal payloads": ({"payload_off": "ON"}, ["ON"], "on", None),
    "unknown encoding": ({"encoding": "klingon"}, ["ON"], "unknown", None),
    "wildcard for availability": (
        {"availability_topic": "+", "payload_available": "ON"},
        ["ON"],
        "unavailable",
        "on",
    ),
}


@pytest.mark.parametrize(
    ("keys", "payloads", "of_core", "of_ours"), DIFFERENCES.values(), ids=DIFFERENCES
)
async def test_what_differs_on_purpose(
    side: Side, keys: Config, payloads: list[str], of_core: str, of_ours: str
) -> None:
    await side.set_up(TEST | keys)
    for payload in payloads:
        await side.send("test-topic", payload)
    assert side.state() == (of_ours if side.ours else of_core)


async def test_names(side: Side) -> None:
    await side.set_up(
        {"state_topic": "a", "unique_id": "a"},
        {"state_topic": "b", "unique_id": "b", "device_class": "door"},
        {"state_topic": "c", "unique_id": "c", "name": "Beer"},
        {"state_topic": "d", "unique_id": "d", "default_entity_id": "binary_sensor.milk"},
    )
    names = sorted(state.name for state in side.home.hass.states.async_all("binary_sensor"))
    if side.ours:
        assert names == ["Beer", "MQTT Binary Sensor", "MQTT Binary Sensor", "MQTT Binary Sensor"]
    else:
        assert names == ["Beer", "Door", "MQTT Binary sensor", "MQTT Binary sensor"]
    assert side.state("milk") == "unknown"


@pytest.mark.parametrize("availability", [{}, {"availability_topic": "availability-topic"}])
async def test_expire_after(side: Side, availability: Config) -> None:
    await side.set_up(TEST | {"expire_after": 4, "force_update": True} | availability)
    if availability:
        await side.send("availability-topic", "online")
    for payload, state in (("ON", "on"), ("OFF", "off")):
        await side.send("test-topic", payload)
        assert side.state() == state
        await side.home.pass_time(3)
        assert side.state() == state
    await side.home.pass_time(2)
    assert side.state() == "unavailable"
    await side.send("test-topic", "ON")
    assert side.state() == "on"


async def test_expire_after_of_a_discovered_sensor(side: Side) -> None:
    await side.set_up()
    config = TEST | {"expire_after": 4}
    await side.announce(config)
    await side.send("test-topic", "ON")
    assert side.state() == "on"
    await side.home.pass_time(3)
    await side.announce(config)
    assert side.state() == "on"
    await side.home.pass_time(2)
    assert side.state() == "unavailable"
    await side.announce(config)
    assert side.state() == "unavailable"


@pytest.mark.parametrize(("force", "events"), [(False, 2), (True, 4)])
async def test_force_update(side: Side, *, force: bool, events: int) -> None:
    await side.set_up(TEST | {"force_update": force})
    seen = watch(side)
    for payload in ("ON", "ON", "OFF", "OFF"):
        await side.send("test-topic", payload)
    assert len(seen) == events


def watch(side: Side) -> list[str]:
    """Return a list that grows by each state written from now on."""
    seen: list[str] = []

    @callback
    def changed(event: Event[EventStateChangedData]) -> None:
        if (state := event.data["new_state"]) is not None:
            seen.append(state.state)

    side.home.hass.bus.async_listen(EVENT_STATE_CHANGED, changed)
    return seen


async def test_off_delay(side: Side) -> None:
    await side.set_up(TEST | {"off_delay": 30, "force_update": True})
    seen = watch(side)
    await side.send("test-topic", "ON")
    await side.home.pass_time(29)
    await side.send("test-topic", "ON")
    await side.home.pass_time(29)
    assert side.state() == "on"
    await side.home.pass_time(2)
    assert seen == ["on", "on", "off"]
    await side.send("test-topic", "ON")
    await side.send("test-topic", "OFF")
    await side.home.pass_time(31)
    assert seen[3:] == ["on", "off"]


async def test_attributes(side: Side) -> None:
    await side.set_up(TEST | {"json_attributes_topic": "attr-topic"})
    await side.send("attr-topic", '{ "val": "100" }')
    assert side.attributes()["val"] == "100"
    for payload in ('[ "list", "of", "things"]', "This is not JSON"):
        await side.send("attr-topic", payload)
        assert side.attributes()["val"] == "100"
    await side.send("attr-topic", '{"entity_id": "x", "friendly_name": "x", "val": "75"}')
    assert side.attributes() == {"val": "75", "friendly_name": "test"}


async def test_attributes_by_template(side: Side) -> None:
    template = "{{ value_json['Timer1'] | tojson }}"
    await side.set_up(
        TEST | {"json_attributes_topic": "attr-topic", "json_attributes_template": template}
    )
    await side.send("attr-topic", json.dumps({"Timer1": {"Arm": 0, "Time": "22:18"}}))
    assert {"Arm": 0, "Time": "22:18"}.items() <= side.attributes().items()


@pytest.mark.parametrize(
    ("encoding", "payload"),
    [("utf-8", "é".encode()), ("latin-1", b"\xe9"), ("utf-16", "é".encode("utf-16"))],
)
async def test_attributes_in_the_encoding(side: Side, encoding: str, payload: bytes) -> None:
    await side.set_up(
        TEST
        | {
            "encoding": encoding,
            "json_attributes_topic": "attr-topic",
            "json_attributes_template": '{{ {"val": value} | tojson }}',
        }
    )
    await side.send("attr-topic", payload)
    assert side.attributes()["val"] == "é"


async def test_device_class(side: Side) -> None:
    await side.set_up(TEST | {"device_class": "motion"}, TEST | {"name": "n", "device_class": None})
    assert side.attributes()["device_class"] == "motion"
    assert "device_class" not in side.attributes("n")


@pytest.mark.parametrize(
    "keys",
    [
        {"device_class": "abc123"},
        {"state_topic": "a/#/b"},
        {"qos": 3},
        {"off_delay": -1},
        {"expire_after": -1},
        {"entity_category": "config"},
        {"value_template": "{{ oops"},
        {"availability_topic": "a", "availability": [{"topic": "b"}]},
    ],
    ids=str,
)
async def test_what_is_refused(side: Side, keys: Config) -> None:
    await side.set_up(TEST | keys, TEST | {"name": "good"})
    assert side.state() is None
    assert side.state("good") == "unknown"


async def test_one_sensor_for_each_unique_id(side: Side) -> None:
    await side.set_up(
        {"name": "one", "state_topic": "a", "unique_id": "TOTALLY_UNIQUE"},
        {"name": "two", "state_topic": "a", "unique_id": "TOTALLY_UNIQUE"},
    )
    assert len(side.home.hass.states.async_entity_ids("binary_sensor")) == 1


async def test_enabled_by_default(side: Side) -> None:
    await side.set_up(TEST | {"unique_id": "a", "enabled_by_default": False})
    assert side.state() is None
    entity = er.async_get(side.home.hass).async_get("binary_sensor.test")
    assert entity is not None
    assert entity.disabled


async def test_a_renamed_sensor_goes_on(side: Side) -> None:
    await side.set_up(TEST | {"unique_id": "a", "availability_topic": "availability-topic"})
    await side.send("availability-topic", "online")
    er.async_get(side.home.hass).async_update_entity(
        "binary_sensor.test", new_entity_id="binary_sensor.milk"
    )
    await side.home.hass.async_block_till_done()
    await side.home.settled()
    assert side.state() is None
    await side.send("availability-topic", "online")
    await side.send("test-topic", "ON")
    assert side.state("milk") == "on"


async def test_without_a_connection(side: Side) -> None:
    await side.set_up(TEST)
    await side.send("test-topic", "ON")
    side.home.device.close()
    await side.home.broker.stop()
    await until(lambda: side.state() == "unavailable")
    await side.home.broker.start()
    await side.home.device.connect()
    await until(lambda: side.state() == "on")
    await side.home.settled()
    await side.send("test-topic", "OFF")
    assert side.state() == "off"


async def test_reload(side: Side) -> None:
    await side.set_up(TEST | {"name": "old_1"}, TEST | {"name": "old_2"})
    await side.reload(TEST | {"name": "new_1", "unique_id": "a"}, TEST | {"name": "new_2"})
    names = sorted(side.home.hass.states.async_entity_ids("binary_sensor"))
    assert names == ["binary_sensor.new_1", "binary_sensor.new_2"]
    await side.send("test-topic", "ON")
    assert [side.state("new_1"), side.state("new_2")] == ["on", "on"]


async def test_an_empty_default_entity_id_and_an_empty_device_name_are_none(side: Side) -> None:
    await side.set_up()
    config = TEST | {"unique_id": "a", "default_entity_id": ""}
    await side.announce(config)
    assert side.state() == "unknown"
    await side.announce(config | {"unique_id": "b", "device": {"ids": "b", "name": ""}}, "b")
    registry = er.async_get(side.home.hass)
    entry = next(entry for entry in registry.entities.values() if entry.unique_id == "b")
    device = dr.async_get(side.home.hass).async_get(entry.device_id or "")
    assert device is not None
    assert device.name == "Mock Title"  # what Home Assistant gives it, of the config entry
    state = side.home.hass.states.get(entry.entity_id)
    assert state is not None
    assert state.name.endswith("test")


@pytest.mark.parametrize("removal", ["", "{}"])
async def test_discovery_and_removal(side: Side, removal: str) -> None:
    await side.set_up()
    await side.announce(TEST | {"name": "beer"})
    assert side.state("beer") == "unknown"
    await side.announce(removal)
    assert side.state("beer") is None


async def test_discovery_changes_topic_and_template(side: Side) -> None:
    await side.set_up()
    beer = {"name": "beer", "state_topic": "s/1", "value_template": "{{ value_json.one.state }}"}
    milk = {"name": "milk", "state_topic": "s/2", "value_template": "{{ value_json.two.state }}"}
    await side.announce(beer | {"unique_id": "a"})
    await side.send("s/1", '{"one": {"state": "ON"}}')
    assert side.state("beer") == "on"
    await side.announce(milk | {"unique_id": "a"})
    assert side.state("milk") is None
    assert side.attributes("beer")["friendly_name"] == "milk"
    for topic, payload, state in (
        ("s/2", '{"two": {"state": "OFF"}}', "off"),
        ("s/1", '{"one": {"state": "ON"}}', "off"),
        ("s/1", '{"two": {"state": "ON"}}', "off"),
        ("s/2", '{"one": {"state": "ON"}}', "off"),
        ("s/2", '{"two": {"state": "ON"}}', "on"),
    ):
        await side.send(topic, payload)
        assert side.state("beer") == state


async def test_discovery_changes_attributes_and_availability(side: Side) -> None:
    await side.set_up()
    await side.announce(
        TEST | {"json_attributes_topic": "attr-topic1", "availability_topic": "a/1"}
    )
    await side.send("a/1", "online")
    await side.send("attr-topic1", '{ "val": "100" }')
    assert side.attributes()["val"] == "100"
    await side.announce(
        TEST | {"json_attributes_topic": "attr-topic2", "availability_topic": "a/2"}
    )
    await side.send("a/2", "online")
    await side.send("attr-topic1", '{ "val": "50" }')
    await side.send("attr-topic2", '{ "val": "75" }')
    assert side.attributes()["val"] == "75"
    await side.send("a/1", "offline")
    assert side.state() == "unknown"


async def test_the_same_announcement_again_writes_no_state(side: Side) -> None:
    await side.set_up()
    await side.announce(TEST)
    seen = watch(side)
    await side.announce(TEST)
    assert not seen


async def test_a_bad_announcement_then_a_good_one(side: Side) -> None:
    await side.set_up()
    await side.announce('{ "name": "beer", "off_delay": -1 }')
    assert side.state("beer") is None
    await side.announce(TEST | {"name": "milk"})
    assert side.state("milk") == "unknown"


def device(side: Side) -> dr.DeviceEntry | None:
    """Return the device of the one sensor."""
    (entity,) = er.async_get(side.home.hass).entities.values()
    if entity.device_id is None:
        return None
    registered = dr.async_get(side.home.hass).async_get(entity.device_id)
    assert isinstance(registered, dr.DeviceEntry)
    return registered


@pytest.mark.parametrize(
    "known_by",
    [{"identifiers": ["helloworld"]}, {"connections": [["mac", "02:5b:26:a8:dc:12"]]}],
    ids=str,
)
async def test_a_device_is_registered_and_updated(side: Side, known_by: dict[str, Any]) -> None:
    await side.set_up()
    details = {
        "manufacturer": "Whatever",
        "name": "Beer",
        "model": "Glass",
        "model_id": "XYZ001",
        "hw_version": "rev1",
        "serial_number": "1234deadbeef",
        "sw_version": "0.1-beta",
        "suggested_area": "default_area",
        "configuration_url": "http://example.com",
    }
    config = TEST | {"unique_id": "veryunique", "device": known_by | details}
    await side.announce(config)
    registered = device(side)
    assert registered is not None
    assert registered.manufacturer == "Whatever"
    assert registered.name == "Beer"
    assert registered.model == "Glass"
    assert registered.model_id == "XYZ001"
    assert registered.hw_version == "rev1"
    assert registered.serial_number == "1234deadbeef"
    assert registered.sw_version == "0.1-beta"
    assert registered.configuration_url == "http://example.com"
    assert len(side.home.hass.states.async_entity_ids("binary_sensor")) == 1
    await side.announce(config | {"device": known_by | details | {"name": "Milk"}})
    registered = device(side)
    assert registered is not None
    assert registered.name == "Milk"


async def test_the_device_goes_with_its_sensor(side: Side) -> None:
    await side.set_up()
    await side.announce(TEST | {"unique_id": "veryunique", "device": DEVICE})
    assert device(side) is not None
    await side.announce("")
    hass = side.home.hass
    assert not er.async_get(hass).entities
    assert not list(dr.async_get(hass).devices)


async def test_the_device_goes_with_its_last_enabled_sensor(side: Side) -> None:
    await side.set_up()
    await side.announce(TEST | {"unique_id": "a", "device": DEVICE}, "a")
    await side.announce(
        TEST | {"name": "b", "unique_id": "b", "device": DEVICE, "enabled_by_default": False}, "b"
    )
    assert len(er.async_get(side.home.hass).entities) == 2
    await side.announce("", "a")
    assert not list(dr.async_get(side.home.hass).devices)


DISABLED = {"disabled_by": er.RegistryEntryDisabler.USER}
HIDDEN = {"hidden_by": er.RegistryEntryHider.USER}
WHOLE_DEVICE = {"dev": DEVICE, "o": {"name": "milk"}}
BATTERY = {"p": "sensor", "name": "battery", "unique_id": "b", "state_topic": "b"}


def as_component(config: Config) -> Config:
    """Return the message of a device that has the sensor beside another component."""
    return WHOLE_DEVICE | {"cmps": {"a": {"p": "binary_sensor", **config}, "b": BATTERY}}


@pytest.mark.parametrize("of_device", [False, True])
@pytest.mark.parametrize(
    ("first", "changed_by_user", "second", "comes_back"),
    [
        ({"enabled_by_default": False}, {}, {}, {}),
        ({"visible_by_default": False}, {}, {}, {}),
        ({"enabled_by_default": False, "visible_by_default": False}, {}, {}, {}),
        (
            {"enabled_by_default": False},
            {},
            {"enabled_by_default": False},
            {"disabled_by": "integration"},
        ),
        (
            {"visible_by_default": False},
            {},
            {"visible_by_default": False},
            {"hidden_by": "integration"},
        ),
        ({}, DISABLED, {}, DISABLED),
        ({}, HIDDEN, {}, HIDDEN),
        (
            {"enabled_by_default": False},
            HIDDEN,
            {"visible_by_default": False},
            HIDDEN,
        ),
        ({}, {}, {"enabled_by_default": False, "visible_by_default": False}, {}),
        ({}, {"new_entity_id": "binary_sensor.mine"}, {}, {"entity_id": "binary_sensor.mine"}),
        (
            {},
            {"new_entity_id": "binary_sensor.mine"},
            {"default_entity_id": "binary_sensor.theirs"},
            {"entity_id": "binary_sensor.theirs"},
        ),
        (
            {"default_entity_id": "binary_sensor.theirs"},
            {"new_entity_id": "binary_sensor.mine"},
            {"default_entity_id": "binary_sensor.theirs"},
            {"entity_id": "binary_sensor.theirs"},
        ),
        (
            {},
            {"new_entity_id": "binary_sensor.mine"},
            {"default_entity_id": "binary_sensor.taken"},
            {"entity_id": "binary_sensor.taken_2"},
        ),
    ],
)
async def test_what_comes_back_is_as_it_is_announced_then(
    side: Side,
    *,
    of_device: bool,
    first: Config,
    changed_by_user: Config,
    second: Config,
    comes_back: Config,
) -> None:
    await side.set_up()
    config = TEST | {"unique_id": "a"}
    removal: Config | str = ""
    announce = side.announce
    if of_device:
        announce, removal = side.announce_device, as_component({})
    written = as_component if of_device else dict
    await side.announce(TEST | {"name": "taken", "unique_id": "taken"}, "taken")
    await announce(written(config | first))
    registry = er.async_get(side.home.hass)

    def entry() -> er.RegistryEntry | None:
        domain = "mqtt_binary" if side.ours else "mqtt"
        entity_id = registry.async_get_entity_id("binary_sensor", domain, "a")
        return None if entity_id is None else registry.async_get(entity_id)

    there = entry()
    assert there is not None
    if changed_by_user:
        registry.async_update_entity(there.entity_id, **changed_by_user)
        await side.home.hass.async_block_till_done()
    await announce(removal)
    # Core up to 2026.10 keeps what the user has disabled.
    assert entry() is None or ("disabled_by" in changed_by_user and not side.ours)
    await announce(written(config | second))
    there = entry()
    assert there is not None
    expected = {"disabled_by": None, "hidden_by": None, "entity_id": there.entity_id} | comes_back
    assert {key: getattr(there, key) for key in expected} == expected
    state = side.home.hass.states.get(there.entity_id)
    assert (state is None) is (there.disabled_by is not None)


async def test_a_renamed_discovered_sensor_takes_changes(side: Side) -> None:
    await side.set_up()
    config = TEST | {"unique_id": "a", "availability_topic": "a/1"}
    await side.announce(config)
    await side.send("a/1", "online")
    er.async_get(side.home.hass).async_update_entity(
        "binary_sensor.test", new_entity_id="binary_sensor.milk"
    )
    await side.home.hass.async_block_till_done()
    await side.announce(config | {"availability_topic": "a/2"})
    await side.send("a/2", "online")
    await side.send("test-topic", "ON")
    assert side.state("milk") == "on"


async def test_retained_messages_come_at_once(side: Side) -> None:
    side.home.publish("test-topic", "ON", retain=True)
    side.home.publish("availability-topic", "online", retain=True)
    await side.set_up(TEST | {"availability_topic": "availability-topic"})
    await until(lambda: side.state() == "on")
