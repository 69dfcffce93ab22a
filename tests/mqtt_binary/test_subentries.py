"""Sensors that are added in the user interface, tried on their topic before they are kept."""

from typing import Any

from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.mqtt_binary import trial

from .announced import CONFIG, announce
from .dialogue import Result, begin, choose, enter, entry_of, hear
from .home import MqttHome
from .logged import warnings

pytestmark = pytest.mark.usefixtures("discovery")

HALL = {"name": "Hall", "state_topic": "home/hall", "payload_on": ["motion", "tamper"]}
SENSOR = "binary_sensor.hall"
INJECTED = "``\n\n[Update](https://example.com) ![](https://example.com/pixel.png)"


async def fill_in(home: MqttHome, page: Result, **values: object) -> Result:
    """Fill in both pages; return what comes then."""
    if page["step_id"] == "user":
        page = await choose(home, page, "read")
    assert page["step_id"] == "read"
    details = {"off_delay", "expire_after", "restore", "ignore_retained", "availability_topic"}
    second = {key: value for key, value in values.items() if key in details}
    first = {key: value for key, value in values.items() if key not in details}
    page = await enter(home, page, first)
    assert page["step_id"] == "details"
    return await enter(home, page, second)


async def add(home: MqttHome, **values: object) -> str:
    """Add a sensor whose topic has a retained message; return the subentry's id."""
    page = await hear(home, await fill_in(home, await begin(home), **values))
    done = await choose(home, page, "keep")
    assert done["type"] is FlowResultType.CREATE_ENTRY
    await home.hass.async_block_till_done()
    await home.settled()
    return list(entry_of(home).subentries)[-1]


async def test_a_sensor_is_added_as_the_last_message_shows_it(home: MqttHome) -> None:
    await announce(home, CONFIG)
    before = home.hass.states.get("binary_sensor.door_contact")
    home.publish("home/hall", "motion", retain=True)
    await home.settled()

    page = await hear(
        home, await fill_in(home, await begin(home), **HALL, device_class="motion", off_delay=30)
    )
    assert page["step_id"] == "heard_on"
    assert page["description_placeholders"]["payload"] == "` motion `"
    assert home.hass.states.get(SENSOR) is None

    done = await choose(home, page, "keep")
    assert (done["type"], done["title"]) == (FlowResultType.CREATE_ENTRY, "Hall")
    assert done["data"] == HALL | {"device_class": "motion", "off_delay": 30}
    await home.wait_for(SENSOR, "on")
    state = home.hass.states.get(SENSOR)
    assert state is not None
    assert state.name == "Hall"
    assert state.attributes["device_class"] == "motion"
    home.publish("home/hall", "OFF")
    await home.wait_for(SENSOR, "off")
    # What others announced has noticed nothing.
    assert home.hass.states.get("binary_sensor.door_contact") is before

    await home.hass.config_entries.async_reload(entry_of(home).entry_id)
    await home.wait_for(SENSOR, "on")


@pytest.mark.parametrize(
    ("payload", "values", "step", "output"),
    [
        ("OFF", {}, "heard_off", "OFF"),
        ("hello", {}, "heard_ignored", "hello"),
        ('{"m": 1}', {"value_template": "{{ value_json.m }}"}, "heard_ignored", "1"),
        ('{"m": "`x`"}', {"value_template": "{{ value_json.m }}"}, "heard_ignored", "`x`"),
        (INJECTED, {}, "heard_ignored", " ".join(INJECTED.split())),
        ("{}", {"value_template": "{{ None }}"}, "heard_unknown", "None"),
        ("a" * 400, {}, "heard_ignored", "a" * 300 + "…"),
    ],
)
async def test_what_a_message_would_do(
    home: MqttHome, payload: str, values: dict[str, str], step: str, output: str
) -> None:
    page = await fill_in(home, await begin(home), **HALL, **values)
    await home.settled()
    home.publish("home/hall", payload)
    page = await hear(home, page)
    assert page["step_id"] == step
    assert page["description_placeholders"]["output"].strip("`") == f" {output} "


async def test_what_a_device_sends_is_shown_and_not_rendered(home: MqttHome) -> None:
    topic = "home/[hall](x)"
    page = await fill_in(home, await begin(home), **{**HALL, "state_topic": topic})
    await home.settled()
    home.publish(topic, INJECTED)
    page = await hear(home, page)
    filled_in = page["description_placeholders"]
    assert filled_in["topic"] == r"home/\[hall\](x)"
    assert filled_in["payload"] == f"``` {' '.join(INJECTED.split())} ```"


async def test_no_message_comes_and_then_one_does(
    home: MqttHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "TRY_S", 0.2)
    home.publish("home/hall", "OFF", retain=True)
    await home.settled()
    page = await fill_in(home, await begin(home), **HALL, ignore_retained=True)
    page = await hear(home, page)
    assert page["step_id"] == "heard_nothing"
    monkeypatch.undo()
    page = await choose(home, page, "try_it")
    await home.settled()
    home.publish("home/hall", "tamper")
    page = await hear(home, page)
    assert page["step_id"] == "heard_on"


async def test_without_a_broker_the_sensor_is_kept_untried(home: MqttHome) -> None:
    assert home.entry is not None
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    await home.hass.async_block_till_done()
    page = await fill_in(home, await begin(home), **HALL)
    assert page["step_id"] == "not_connected"
    await choose(home, page, "keep")
    await home.hass.async_block_till_done()
    assert home.value(SENSOR) == "unavailable"
    await home.hass.config_entries.async_setup(home.entry.entry_id)
    await home.wait_for(SENSOR, "unknown")


@pytest.mark.parametrize(
    ("values", "errors"),
    [
        ({"state_topic": "a/#/b"}, {"state_topic": "invalid_topic"}),
        ({"payload_on": ["1", "OFF"]}, {"payload_off": "same_payload"}),
    ],
)
async def test_what_is_wrong_is_said_at_the_field(
    home: MqttHome, values: dict[str, Any], errors: dict[str, str]
) -> None:
    page = await enter(home, await choose(home, await begin(home), "read"), HALL | values)
    assert (page["step_id"], page["errors"]) == ("read", errors)
    page = await enter(home, page, HALL)
    assert page["step_id"] == "details"
    page = await enter(home, page, {"availability_topic": "+a"})
    assert (page["step_id"], page["errors"]) == ("details", {"availability_topic": "invalid_topic"})
    page = await enter(home, page, {})
    assert page["type"] is FlowResultType.SHOW_PROGRESS
    home.hass.config_entries.subentries.async_abort(page["flow_id"])


async def test_a_sensor_is_changed_while_it_runs(home: MqttHome) -> None:
    home.publish("home/hall", "motion", retain=True)
    await home.settled()
    subentry_id = await add(home, **HALL)
    await home.wait_for(SENSOR, "on")

    page = await begin(home, subentry_id)
    suggested = {str(key): key.description for key in page["data_schema"].schema}
    assert suggested["payload_on"] == {"suggested_value": ["motion", "tamper"]}
    home.publish("home/passage", "OFF", retain=True)
    page = await fill_in(home, page, name="Passage", state_topic="home/passage")
    page = await hear(home, page)
    assert page["step_id"] == "heard_off"
    page = await choose(home, page, "read")
    page = await hear(home, await fill_in(home, page, name="Passage", state_topic="home/passage"))
    done = await choose(home, page, "keep")
    assert (done["type"], done["reason"]) == (FlowResultType.ABORT, "reconfigure_successful")
    await home.wait_for(SENSOR, "off")
    state = home.hass.states.get(SENSOR)
    assert state is not None
    assert state.name == "Passage"
    assert entry_of(home).subentries[subentry_id].title == "Passage"
    home.publish("home/passage", "ON")
    await home.wait_for(SENSOR, "on")
    home.publish("home/hall", "OFF")
    await home.settled()
    assert home.value(SENSOR) == "on"


async def test_a_removed_sensor_is_gone_and_a_disabled_one_comes_back_changed(
    home: MqttHome,
) -> None:
    home.publish("home/hall", "motion", retain=True)
    await home.settled()
    subentry_id = await add(home, **HALL)
    registry = er.async_get(home.hass)
    registry.async_update_entity(SENSOR, disabled_by=er.RegistryEntryDisabler.USER)
    await home.hass.async_block_till_done()
    entry = entry_of(home)
    subentry = entry.subentries[subentry_id]
    data = {**subentry.data, "payload_on": ["1"]}
    home.hass.config_entries.async_update_subentry(entry, subentry, data=data)
    await home.hass.async_block_till_done()
    assert home.hass.states.get(SENSOR) is None
    registry.async_update_entity(SENSOR, disabled_by=None)
    await home.hass.config_entries.async_reload(entry.entry_id)
    home.publish("home/hall", "1")
    await home.wait_for(SENSOR, "on")

    home.hass.config_entries.async_remove_subentry(entry, subentry_id)
    await home.hass.async_block_till_done()
    assert home.hass.states.get(SENSOR) is None
    assert registry.async_get(SENSOR) is None


async def test_the_prefix_changes_and_yaml_is_reloaded_without_harm(home: MqttHome) -> None:
    home.publish("home/hall", "motion", retain=True)
    await home.settled()
    await add(home, **HALL)
    er.async_get(home.hass).async_update_entity(SENSOR, name="My hall")
    await announce(home, CONFIG)
    entry = entry_of(home)
    home.hass.config_entries.async_update_entry(entry, options={"discovery_prefix": "elsewhere"})
    await home.hass.config_entries.async_reload(entry.entry_id)
    await home.wait_for(SENSOR, "on")
    registered = er.async_get(home.hass).async_get(SENSOR)
    assert registered is not None
    assert registered.name == "My hall"
    await home.load({"binary_sensor": []})
    await home.hass.services.async_call("mqtt_binary", "reload", blocking=True)
    assert home.value(SENSOR) == "on"


async def test_what_can_no_longer_be_read_keeps_no_other_away(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    home.publish("home/hall", "motion", retain=True)
    await home.settled()
    subentry_id = await add(home, **HALL)
    entry = entry_of(home)
    subentry = entry.subentries[subentry_id]
    await add(home, **HALL | {"name": "Other"})
    data = {**subentry.data, "value_template": "{{ value | gone }}"}
    home.hass.config_entries.async_update_subentry(entry, subentry, data=data)
    await home.hass.config_entries.async_reload(entry.entry_id)
    assert home.hass.states.get("binary_sensor.other") is not None
    assert "Hall: the sensor cannot be set up" in caplog.text
    assert not [line for line in warnings(caplog) if "Hall" not in line]


async def test_a_closed_dialogue_listens_no_longer(home: MqttHome) -> None:
    page = await fill_in(home, await begin(home), **HALL)
    await home.settled()
    client = home.hass.data["mqtt"].client
    assert client.is_active_subscription("home/hall")
    home.hass.config_entries.subentries.async_abort(page["flow_id"])
    await home.hass.async_block_till_done()
    assert not client.is_active_subscription("home/hall")
