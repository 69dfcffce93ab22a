"""The home of the MQTT tests."""

import pytest

from .home import MqttHome


@pytest.fixture
def bare_home(bare_mqtt_home: MqttHome) -> MqttHome:
    """Return a home in which core's MQTT integration is not set up."""
    return bare_mqtt_home


@pytest.fixture
def home(mqtt_home: MqttHome) -> MqttHome:
    """Return a home in which core's MQTT integration is connected."""
    return mqtt_home
