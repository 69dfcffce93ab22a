"""Fifty devices as zigbee2mqtt announces them, taken over at once, through a bad week."""

from dataclasses import dataclass
import json
from typing import Any

from homeassistant.helpers import entity_registry as er, issue_registry as ir
import pytest

from custom_components.mqtt_binary.core_sensors import following
from tests.home import until
from tests.mqtt_binary.home import MqttHome
from tests.mqtt_binary.test_subentries import begin, choose, enter, entry_of, hear

pytestmark = pytest.mark.reliability

DEVICES = 50
BRIDGE = "zigbee2mqtt/bridge/state"


@dataclass
class Door:
    """A door sensor, and what zigbee2mqtt publishes of it."""

    number: int
    name: str
    contact: bool = True
    is_there: bool = True

    @property
    def entity_id(self) -> str:
        """Return the id that its sensor got at first."""
        return f"binary_sensor.door_{self.number}_contact"

    @property
    def config_topic(self) -> str:
        """Return where it is announced, which no rename changes."""
        return f"homeassistant/binary_sensor/0x{self.number:04x}/contact/config"

    @property
    def announcement(self) -> dict[str, Any]:
        """Return how it is announced."""
        return {
            "name": "Contact",
            "state_topic": f"zigbee2mqtt/{self.name}",
            "value_template": "{{ value_json.contact }}",
            "payload_on": False,
            "payload_off": True,
            "device_class": "door",
            "availability": [
                {"topic": BRIDGE, "value_template": "{{ value_json.state }}"},
                {"topic": f"zigbee2mqtt/{self.name}/availability"},
            ],
            "availability_mode": "all",
            "unique_id": f"0x{self.number:04x}_contact",
            "device": {"identifiers": [f"0x{self.number:04x}"], "name": self.name},
        }

    def publish(self, home: MqttHome) -> None:
        """Publish all of it."""
        for topic, payload in (
            (self.config_topic, json.dumps(self.announcement)),
            (f"zigbee2mqtt/{self.name}/availability", "online"),
            (f"zigbee2mqtt/{self.name}", json.dumps({"contact": self.contact})),
        ):
            home.publish(topic, payload, qos=1, retain=True)

    def rename(self, home: MqttHome, name: str) -> None:
        """Move to new topics, and clear the old ones."""
        old, self.name = self.name, name
        self.publish(home)
        home.publish(f"zigbee2mqtt/{old}", "", qos=1, retain=True)
        home.publish(f"zigbee2mqtt/{old}/availability", "", qos=1, retain=True)

    def remove(self, home: MqttHome) -> None:
        """Leave the network."""
        self.is_there = False
        for topic in (self.config_topic, f"zigbee2mqtt/{self.name}"):
            home.publish(topic, "", qos=1, retain=True)

    @property
    def state(self) -> str:
        """Return what its sensor is to show."""
        return "unavailable" if not self.is_there else "off" if self.contact else "on"


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


def move(home: MqttHome, doors: list[Door]) -> None:
    """Open what is closed, and close what is open."""
    for door in doors:
        if door.is_there:
            door.contact = not door.contact
            payload = json.dumps({"contact": door.contact})
            home.publish(f"zigbee2mqtt/{door.name}", payload, qos=1, retain=True)


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
    home.publish(BRIDGE, json.dumps({"state": "online"}), qos=1, retain=True)
    for door in doors:
        door.publish(home)
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
        door.rename(home, f"Gate {door.number}")
    for door in doors[10:15]:
        door.remove(home)
    await agree(home, doors)
    move(home, doors)
    await agree(home, doors)
    issues = [issue.translation_key for issue in ir.async_get(home.hass).issues.values()]
    assert issues.count("announced_no_longer") == 5
    assert "announced_otherwise" not in issues


async def test_the_bridge_and_the_broker_go_and_come_back(taken: Taken) -> None:
    home, doors = taken
    home.publish(BRIDGE, json.dumps({"state": "offline"}), qos=1, retain=True)
    await agree(home, doors, "unavailable")
    home.publish(BRIDGE, json.dumps({"state": "online"}), qos=1, retain=True)
    await agree(home, doors)
    # The broker has forgotten everything; the devices announce themselves anew.
    home.device.close()
    await home.broker.stop()
    await until(lambda: home.value(doors[0].entity_id) == "unavailable", 60)
    await home.broker.start()
    await home.device.connect()
    home.publish(BRIDGE, json.dumps({"state": "online"}), qos=1, retain=True)
    for door in doors:
        door.publish(home)
    await agree(home, doors)
    move(home, doors)
    await agree(home, doors)


async def test_what_happens_while_it_does_not_run_is_followed_at_the_start(taken: Taken) -> None:
    home, doors = taken
    await home.hass.config_entries.async_unload(entry_of(home).entry_id)
    for door in doors[:10]:
        door.rename(home, f"Window {door.number}")
    for door in doors[10:12]:
        door.remove(home)
    await home.settled()
    await home.hass.config_entries.async_setup(entry_of(home).entry_id)
    await agree(home, doors)
    move(home, doors)
    await agree(home, doors)
