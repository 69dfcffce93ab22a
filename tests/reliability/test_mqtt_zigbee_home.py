"""Fifty devices as zigbee2mqtt announces them, taken over at once, through a bad week."""

from functools import partial

from homeassistant.helpers import entity_registry as er, issue_registry as ir
import pytest

from custom_components.mqtt_binary.core_sensors import following
from tests.home import until
from tests.mqtt_binary.dialogue import begin, choose, enter, entry_of, hear
from tests.mqtt_binary.home import MqttHome
from virtual_home.zigbee import Door, Publish, set_bridge

pytestmark = pytest.mark.reliability

DEVICES = 50


async def agree(home: MqttHome, doors: list[Door], state: str | None = None) -> None:
    """Wait until each sensor shows what its door is."""

    def wrong() -> list[str]:
        return [
            f"{door.entity_id} {home.value(door.entity_id)}"
            for door in doors
            if home.value(door.entity_id) != (state or door.state)
        ]

    await home.settled()
    await until(lambda: not wrong(), 60)


def publisher(home: MqttHome) -> Publish:
    """Return what publishes, acknowledged by the broker."""
    return partial(home.publish, qos=1)


def move(home: MqttHome, doors: list[Door]) -> None:
    """Open what is closed, and close what is open."""
    for door in doors:
        door.move(publisher(home))


type Taken = tuple[MqttHome, list[Door]]


@pytest.fixture
async def taken(bare_mqtt_home: MqttHome, monkeypatch: pytest.MonkeyPatch) -> Taken:
    """Return a home whose doors are all taken over, at once."""
    monkeypatch.setattr(following, "ABSENT_S", 3.0)
    home = bare_mqtt_home
    await home.device.connect()
    await home.start_mqtt(discovery=True)
    await home.load({"mqtt_binary": None})
    doors = [Door(number, f"Door {number}") for number in range(DEVICES)]
    set_bridge(publisher(home), "online")
    for door in doors:
        door.announce(publisher(home))
    await agree(home, doors)
    page = await hear(home, await choose(home, await begin(home), "discovered"))
    assert page["description_placeholders"]["count"] == str(DEVICES)
    (select,) = page["data_schema"].schema.values()
    chosen = [option["value"] for option in select.config["options"]]
    page = await enter(home, page, {"sensors": chosen})
    await choose(home, page, "replace")
    await home.hass.async_block_till_done()
    await agree(home, doors)
    return home, doors


async def test_all_are_taken_over_and_given_back(taken: Taken) -> None:
    home, doors = taken
    registry = er.async_get(home.hass)
    for door in doors:
        entry = registry.async_get(door.entity_id)
        assert entry is not None
        assert (entry.platform, entry.device_id is not None) == ("mqtt_binary", True)
    move(home, doors)
    await agree(home, doors)
    entry_ = entry_of(home)
    for subentry_id in [*entry_.subentries]:
        home.hass.config_entries.async_remove_subentry(entry_, subentry_id)
    await home.hass.async_block_till_done()
    for door in doors:
        entry = registry.async_get(door.entity_id)
        assert entry is not None
        assert (entry.platform, entry.disabled) == ("mqtt", False)


async def test_some_are_renamed_and_some_leave(taken: Taken) -> None:
    home, doors = taken
    for door in doors[:10]:
        door.rename(publisher(home), f"Gate {door.number}")
    for door in doors[10:15]:
        door.leave(publisher(home))
    await agree(home, doors)
    move(home, doors)
    await agree(home, doors)
    issues = [issue.translation_key for issue in ir.async_get(home.hass).issues.values()]
    assert issues.count("announced_no_longer") == 5
    assert "announced_otherwise" not in issues


async def test_the_bridge_and_the_broker_go_and_come_back(taken: Taken) -> None:
    home, doors = taken
    set_bridge(publisher(home), "offline")
    await agree(home, doors, "unavailable")
    set_bridge(publisher(home), "online")
    await agree(home, doors)
    # The broker has forgotten everything; the devices announce themselves anew.
    home.device.close()
    await home.broker.stop()
    await until(lambda: home.value(doors[0].entity_id) == "unavailable", 60)
    await home.broker.start()
    await home.device.connect()
    set_bridge(publisher(home), "online")
    for door in doors:
        door.announce(publisher(home))
    await agree(home, doors)
    move(home, doors)
    await agree(home, doors)


async def test_what_happens_while_it_does_not_run_is_followed_at_the_start(taken: Taken) -> None:
    home, doors = taken
    await home.hass.config_entries.async_unload(entry_of(home).entry_id)
    for door in doors[:10]:
        door.rename(publisher(home), f"Window {door.number}")
    for door in doors[10:12]:
        door.leave(publisher(home))
    await home.settled()
    await home.hass.config_entries.async_setup(entry_of(home).entry_id)
    await agree(home, doors)
    move(home, doors)
    await agree(home, doors)
