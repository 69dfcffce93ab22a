"""The state table, row by row, over a real broker."""

from .conftest import Home

SENSOR = "binary_sensor.mqtt_binary_sensor"


async def test_starts_unknown_and_follows_the_payloads(home: Home) -> None:
    await home.set_up("state_topic: home/door")
    assert home.state(SENSOR) == "unknown"
    home.publish("home/door", "ON")
    await home.wait_for(SENSOR, "on")
    home.publish("home/door", "OFF")
    await home.wait_for(SENSOR, "off")
