"""Door sensors as zigbee2mqtt publishes them: announcement, availability and state, retained."""

from dataclasses import dataclass
import json
from typing import Any, Protocol

BRIDGE = "zigbee2mqtt/bridge/state"


class Publish(Protocol):
    """Publishes a message on a broker."""

    def __call__(self, topic: str, payload: str, *, retain: bool) -> None:
        """Publish."""


@dataclass
class Door:
    """A door sensor in the network of a bridge."""

    number: int
    name: str
    contact: bool = True
    is_there: bool = True

    @property
    def entity_id(self) -> str:
        """Return the default entity id of its sensor."""
        return f"binary_sensor.door_{self.number}_contact"

    @property
    def config_topic(self) -> str:
        """Return the topic of its discovery message; renaming does not change it."""
        return f"homeassistant/binary_sensor/0x{self.number:04x}/contact/config"

    @property
    def announcement(self) -> dict[str, Any]:
        """Return its discovery message."""
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

    @property
    def state(self) -> str:
        """Return the expected state of its sensor."""
        return "unavailable" if not self.is_there else "off" if self.contact else "on"

    def announce(self, publish: Publish) -> None:
        """Publish the announcement, the availability and the state."""
        publish(self.config_topic, json.dumps(self.announcement), retain=True)
        publish(f"zigbee2mqtt/{self.name}/availability", "online", retain=True)
        self._report(publish)

    def move(self, publish: Publish) -> None:
        """Open the door if it is closed, and close it if it is open."""
        self.contact = not self.contact
        if self.is_there:
            self._report(publish)

    def rename(self, publish: Publish, name: str) -> None:
        """Move to the topics of another name, and clear the old ones."""
        old_name, self.name = self.name, name
        self.announce(publish)
        publish(f"zigbee2mqtt/{old_name}", "", retain=True)
        publish(f"zigbee2mqtt/{old_name}/availability", "", retain=True)

    def leave(self, publish: Publish) -> None:
        """Leave the network."""
        self.is_there = False
        for topic in (self.config_topic, f"zigbee2mqtt/{self.name}"):
            publish(topic, "", retain=True)

    def _report(self, publish: Publish) -> None:
        publish(f"zigbee2mqtt/{self.name}", json.dumps({"contact": self.contact}), retain=True)


def set_bridge(publish: Publish, state: str) -> None:
    """Publish whether the bridge is "online" or "offline"."""
    publish(BRIDGE, json.dumps({"state": state}), retain=True)
