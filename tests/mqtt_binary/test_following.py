"""A sensor in the place of core's: it keeps what the user has set, and follows its device."""

import asyncio
import json
from typing import Any

from homeassistant.config_entries import ConfigEntryDisabler
from homeassistant.core import Event, EventStateChangedData, callback
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
    issue_registry as ir,
    label_registry as lr,
)
from homeassistant.setup import async_setup_component
import pytest

from custom_components.mqtt_binary import trial
from custom_components.mqtt_binary.core_sensors import announced, following
from tests.home import until

from .core_sensors import (
    CORES,
    DOOR,
    USER,
    announce,
    disabled_by,
    home_fixture,
    pages_of,
    suggested,
    take_over,
)
from .dialogue import Result, begin, choose, enter, entry_of, hear
from .home import MqttHome

__all__ = ["home_fixture"]

TOPIC = "binary_sensor/0x42/contact"
TAMPER = DOOR | {
    "name": "Tamper",
    "val_tpl": "{{ value_json.tamper }}",
    "pl_on": True,
    "pl_off": False,
    "uniq_id": "0x42_tamper",
}


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what is announced no longer be noticed soon."""
    monkeypatch.setattr(following, "ABSENT_S", 1.0)
    monkeypatch.setattr(trial, "TRY_S", 1.0)


def issues(home: MqttHome) -> list[str]:
    return sorted(
        issue.translation_key or ""
        for issue in ir.async_get(home.hass).issues.values()
        if issue.domain == "mqtt_binary"
    )


async def mend(home: MqttHome, choice: str) -> None:
    """Answer the only repair."""
    assert await async_setup_component(home.hass, "repairs", {})
    (issue_id,) = [id_ for domain, id_ in ir.async_get(home.hass).issues if domain == "mqtt_binary"]
    manager = home.hass.data["repairs"]["flow_manager"]
    flow = await manager.async_init("mqtt_binary", data={"issue_id": issue_id})
    assert flow["step_id"] == "init"
    done = await manager.async_configure(flow["flow_id"], {"next_step_id": choice})
    assert done["type"] is FlowResultType.CREATE_ENTRY
    await home.hass.async_block_till_done()


def ours(home: MqttHome, entity_id: str = CORES) -> er.RegistryEntry:
    entry = er.async_get(home.hass).async_get(entity_id)
    assert entry is not None
    assert entry.platform == "mqtt_binary"
    return entry


async def test_what_the_user_has_set_goes_on(home: MqttHome) -> None:
    registry = er.async_get(home.hass)
    hall = ar.async_get(home.hass).async_create("Hall")
    porch = ar.async_get(home.hass).async_create("Porch")
    label = lr.async_get(home.hass).async_create("Safety")
    core = registry.async_get(CORES)
    assert core is not None
    dr.async_get(home.hass).async_update_device(core.device_id or "", area_id=porch.id)
    settings: dict[str, Any] = {
        "area_id": hall.id,
        "categories": {"helpers": "a"},
        "device_class": "garage_door",
        "hidden_by": er.RegistryEntryHider.USER,
        "icon": "mdi:gate",
        "labels": {label.label_id},
        "name": "The gate",
    }
    registry.async_update_entity(CORES, aliases=["gate", "door"], **settings)
    registry.async_update_entity_options(CORES, "conversation", {"should_expose": True})
    await home.hass.async_block_till_done()
    changes: list[tuple[str | None, str | None]] = []

    @callback
    def changed(event: Event[EventStateChangedData]) -> None:
        old, new = event.data["old_state"], event.data["new_state"]
        if event.data["entity_id"] == CORES:
            changes.append((old.state if old else None, new.state if new else None))

    home.hass.bus.async_listen("state_changed", changed)
    subentry_id = await take_over(home)
    await until(lambda: home.value(CORES) == "on")
    await home.settled()
    # Neither unknown nor unavailable in between.
    assert changes == [("on", None), (None, "on")]
    entry = ours(home)
    assert {key: getattr(entry, key) for key in settings} == settings
    assert [*entry.aliases] == ["gate", "door"]
    assert entry.options["conversation"] == {"should_expose": True}
    assert entry.device_id == core.device_id
    assert entry.config_subentry_id == subentry_id
    state = home.hass.states.get(CORES)
    assert state is not None
    assert state.name == "The gate"

    # The device stays the same over a restart, and the name is not said twice.
    registry.async_update_entity(CORES, name=None)
    await home.hass.config_entries.async_reload(entry_of(home).entry_id)
    await home.wait_for(CORES, "on")
    assert ours(home).device_id == core.device_id
    state = home.hass.states.get(CORES)
    assert state is not None
    assert state.name == "Door Contact"


async def test_a_state_that_is_not_retained_goes_on(home: MqttHome) -> None:
    home.publish("zigbee/door", "", retain=True)
    home.publish("zigbee/bridge", "", retain=True)
    await home.settled()
    assert home.value(CORES) == "on"
    page = await choose(home, await pages_of_quietly(home), "keep")
    await choose(home, page, "replace")
    await home.wait_for(CORES, "on")
    await home.settled()
    assert home.value(CORES) == "on"
    assert ours(home)


async def pages_of_quietly(home: MqttHome) -> Result:
    """Leave all pages as they are while no message comes."""
    page = await hear(home, await choose(home, await begin(home), "discovered"))
    core = er.async_get(home.hass).async_get(CORES)
    assert core is not None
    page = await enter(home, page, {"sensors": [core.id]})
    page = await enter(home, page, suggested(page))
    page = await enter(home, page, suggested(page))
    home.publish("zigbee/door", json.dumps({"contact": False}))
    return await hear(home, page)


async def test_a_renamed_device_is_followed(home: MqttHome) -> None:
    await take_over(home)
    await home.wait_for(CORES, "on")
    renamed = DOOR | {"~": "zigbee/gate", "dev": {"ids": ["0x42"], "name": "Gate"}}
    await announce(home, TOPIC, renamed)
    home.publish("zigbee/door", "", retain=True)
    home.publish("zigbee/gate", json.dumps({"contact": True}), retain=True)
    await home.wait_for(CORES, "off")
    (subentry,) = entry_of(home).subentries.values()
    assert (subentry.data["state_topic"], subentry.title) == ("zigbee/gate", "Gate Contact")
    assert issues(home) == []
    # Also while Home Assistant did not run.
    await home.hass.config_entries.async_unload(entry_of(home).entry_id)
    await announce(home, TOPIC, renamed | {"~": "zigbee/porch"})
    home.publish("zigbee/porch", json.dumps({"contact": False}), retain=True)
    await home.hass.config_entries.async_setup(entry_of(home).entry_id)
    await home.wait_for(CORES, "on")


@pytest.mark.parametrize("choice", ["take", "leave"])
async def test_what_the_user_has_set_is_not_changed_unasked(home: MqttHome, choice: str) -> None:
    subentry_id = await take_over(home)
    page = await begin(home, subentry_id)
    page = await enter(home, page, suggested(page) | {"state_topic": "zigbee/mine"})
    page = await hear(home, await enter(home, page, suggested(page)))
    await choose(home, page, "keep")
    await home.hass.async_block_till_done()
    await announce(home, TOPIC, DOOR | {"stat_t": "zigbee/gate", "dev_cla": "window"})
    assert issues(home) == ["announced_otherwise"]
    (issue,) = [i for i in ir.async_get(home.hass).issues.values() if i.domain == "mqtt_binary"]
    placeholders = issue.translation_placeholders or {}
    assert placeholders["announced"] == "- state_topic: zigbee/gate"
    assert placeholders["ours"] == "- state_topic: zigbee/mine"
    (subentry,) = entry_of(home).subentries.values()
    assert subentry.data["state_topic"] == "zigbee/mine"
    assert subentry.data["device_class"] == "window"

    await mend(home, choice)
    assert issues(home) == []
    (subentry,) = entry_of(home).subentries.values()
    topic = "zigbee/gate" if choice == "take" else "zigbee/mine"
    assert subentry.data["state_topic"] == topic
    home.publish(topic, json.dumps({"contact": True}), retain=True)
    await home.wait_for(CORES, "off")
    # It is not said again at a restart.
    await home.hass.config_entries.async_reload(entry_of(home).entry_id)
    await home.settled()
    assert issues(home) == []


@pytest.mark.parametrize("choice", ["delete", "keep", "comes back"])
async def test_what_is_announced_no_longer_is_unavailable(home: MqttHome, choice: str) -> None:
    await take_over(home)
    await home.wait_for(CORES, "on")
    home.publish(f"homeassistant/{TOPIC}/config", "", retain=True)
    await home.wait_for(CORES, "unavailable")
    assert issues(home) == ["announced_no_longer"]
    if choice == "comes back":
        await announce(home, "binary_sensor/elsewhere", DOOR)
        await home.wait_for(CORES, "on")
        assert issues(home) == []
        return
    await mend(home, choice)
    assert issues(home) == []
    if choice == "delete":
        assert not entry_of(home).subentries
    else:
        await home.wait_for(CORES, "on")
        await home.hass.config_entries.async_reload(entry_of(home).entry_id)
        await home.wait_for(CORES, "on")
        await home.pass_time(2)
        assert home.value(CORES) == "on"


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (json.dumps(DOOR)[:-1], "it is not JSON"),
        (json.dumps(DOOR | {"~": 5}), "~: expected a topic, got 5"),
    ],
    ids=["no JSON", "an invalid key"],
)
async def test_an_invalid_announcement_changes_nothing(
    home: MqttHome, message: str, reason: str
) -> None:
    await take_over(home)
    await home.wait_for(CORES, "on")
    for _ in range(2):
        home.publish(f"homeassistant/{TOPIC}/config", message, retain=True)
        await home.settled()
    await home.pass_time(2)
    assert home.value(CORES) == "on"
    assert issues(home) == []
    [line] = [line for line in home.log() if "stays as it is" in line]
    assert reason in line
    await announce(home, TOPIC, DOOR)
    assert home.value(CORES) == "on"


async def test_an_announcement_that_moves_changes_nothing(home: MqttHome) -> None:
    await take_over(home)
    await home.wait_for(CORES, "on")
    home.publish(f"homeassistant/{TOPIC}/config", "", retain=True)
    await announce(home, "binary_sensor/moved", DOOR)
    await home.pass_time(2)
    await home.settled()
    assert home.value(CORES) == "on"
    assert issues(home) == []


async def test_what_did_not_come_again_after_the_start_is_unavailable(home: MqttHome) -> None:
    await take_over(home)
    await home.hass.config_entries.async_unload(entry_of(home).entry_id)
    home.publish(f"homeassistant/{TOPIC}/config", "", retain=True)
    await home.settled()
    await home.hass.config_entries.async_setup(entry_of(home).entry_id)
    await until(lambda: issues(home) == ["announced_no_longer"])
    assert home.value(CORES) == "unavailable"


async def test_a_disabled_entry_gives_back_too(home: MqttHome) -> None:
    subentry_id = await take_over(home)
    await home.hass.config_entries.async_set_disabled_by(
        entry_of(home).entry_id, ConfigEntryDisabler.USER
    )
    await home.hass.async_block_till_done()
    home.hass.config_entries.async_remove_subentry(entry_of(home), subentry_id)
    await home.hass.async_block_till_done()
    assert disabled_by(home, CORES) is None


async def test_what_the_user_disables_again_stays_disabled(home: MqttHome) -> None:
    subentry_id = await take_over(home)
    registry = er.async_get(home.hass)
    registry.async_update_entity(f"{CORES}_mqtt", disabled_by=None)
    await home.hass.async_block_till_done()
    registry.async_update_entity(f"{CORES}_mqtt", disabled_by=USER)
    home.hass.config_entries.async_remove_subentry(entry_of(home), subentry_id)
    await home.hass.async_block_till_done()
    assert disabled_by(home, f"{CORES}_mqtt") is USER


async def test_two_dialogues_replace_a_sensor_once(home: MqttHome) -> None:
    pages = [await choose(home, await pages_of(home, CORES), "keep") for _ in range(2)]
    await choose(home, pages[0], "replace")
    await home.hass.async_block_till_done()
    done = await choose(home, pages[1], "replace")
    assert (done["type"], done["reason"]) == (FlowResultType.ABORT, "already_replaced")
    assert er.async_get(home.hass).async_get(f"{CORES}_mqtt_mqtt") is None
    assert disabled_by(home, f"{CORES}_mqtt") is USER
    assert len(entry_of(home).subentries) == 1


async def test_a_sensor_needs_a_name(home: MqttHome) -> None:
    page = await choose(home, await begin(home), "read")
    page = await enter(home, page, {"name": "  ", "state_topic": "a"})
    assert (page["step_id"], page["errors"]) == ("read", {"name": "empty_name"})


async def test_all_sensors_of_a_device_at_once(home: MqttHome) -> None:
    await announce(home, "binary_sensor/0x42/tamper", TAMPER)
    await home.wait_for("binary_sensor.door_tamper", "unknown")
    page = await hear(home, await choose(home, await begin(home), "discovered"))
    assert page["description_placeholders"]["count"] == "2"
    page = await enter(home, page, {})
    assert page["errors"] == {"base": "nothing_chosen"}
    (select,) = page["data_schema"].schema.values()
    options = select.config["options"]
    assert [option["label"] for option in options] == [
        "Door: Contact, Tamper",
        "Door Contact (binary_sensor.door_contact)",
        "Door Tamper (binary_sensor.door_tamper)",
    ]
    page = await enter(home, page, {"sensors": [options[0]["value"]]})
    assert page["step_id"] == "place"
    done = await choose(home, page, "replace")
    assert done["type"] is FlowResultType.CREATE_ENTRY
    await home.hass.async_block_till_done()
    await home.wait_for(CORES, "on")
    await home.settled()  # the other sensor subscribes, too
    home.publish("zigbee/door", json.dumps({"contact": True, "tamper": True}))
    await home.wait_for("binary_sensor.door_tamper", "on")
    await home.wait_for(CORES, "off")
    assert len(entry_of(home).subentries) == 2
    assert {ours(home, id_).device_id for id_ in (CORES, "binary_sensor.door_tamper")} == {
        ours(home).device_id
    }
    for subentry_id in [*entry_of(home).subentries]:
        home.hass.config_entries.async_remove_subentry(entry_of(home), subentry_id)
    await home.hass.async_block_till_done()
    assert disabled_by(home, CORES) is disabled_by(home, "binary_sensor.door_tamper") is None


async def test_announcements_that_come_slowly_are_waited_for(
    home: MqttHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(announced, "QUIET_S", 1.5)
    page = await choose(home, await begin(home), "discovered")
    for number in range(6):
        late = DOOR | {"uniq_id": f"late_{number}", "name": f"Late {number}"}
        topic = f"homeassistant/binary_sensor/late_{number}/config"
        home.publish(topic, json.dumps(late), retain=True)
        await asyncio.sleep(0.4)
    page = await hear(home, page)
    assert page["description_placeholders"]["count"] == "7"


async def test_links_are_stored_in_the_entry(home: MqttHome) -> None:
    """0.4.0 sets up no subentry with a key that it does not know."""
    subentry_id = await take_over(home)
    entry = entry_of(home)
    link = entry.data["announced"][subentry_id]
    assert link["unique_id"] == "0x42_contact"
    subentry = entry.subentries[subentry_id]
    assert "announced" not in subentry.data
    assert subentry.data["default_entity_id"] == CORES
    # One that is still in its subentry, because the entry was not set up when it was added.
    await home.hass.config_entries.async_unload(entry.entry_id)
    home.hass.config_entries.async_update_entry(entry, data={**entry.data, "announced": {}})
    home.hass.config_entries.async_update_subentry(
        entry, subentry, data={**subentry.data, "announced": link}
    )
    await home.hass.config_entries.async_setup(entry.entry_id)
    assert entry.data["announced"] == {subentry_id: link}
    assert "announced" not in entry.subentries[subentry_id].data
    await announce(home, TOPIC, DOOR | {"~": "zigbee/gate"})
    home.publish("zigbee/gate", json.dumps({"contact": True}), retain=True)
    await home.wait_for(CORES, "off")
    home.hass.config_entries.async_remove_subentry(entry, subentry_id)
    await home.hass.async_block_till_done()
    assert entry.data["announced"] == {}
