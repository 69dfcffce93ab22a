"""The broker dies and comes back, again and again, while sensors report."""

import asyncio
import random

import pytest

from tests.home import until
from tests.mqtt_binary.home import Device, MqttHome
from tests.mqtt_binary.logged import warnings

pytestmark = pytest.mark.reliability

SENSORS = 50
KILLS = 20


class Reporter:
    """A device with many sensors: reports changes, and all values when it connects again."""

    def __init__(self, home: MqttHome) -> None:
        self._home = home
        self.values = dict.fromkeys(range(SENSORS), False)
        self.reports = 0
        self._random = random.Random(7)

    def _report(self, sensor: int) -> None:
        self.reports += 1
        value = "ON" if self.values[sensor] else "OFF"
        self._home.device.publish(f"s/{sensor}", value, qos=sensor % 2, retain=True)

    async def connect(self) -> None:
        """Connect anew and report everything once."""
        self._home.device = Device(self._home.broker)
        self._home.publish = self._home.device.publish
        await self._home.device.connect()
        for sensor in self.values:
            self._report(sensor)

    async def report_changes(self) -> None:
        """Change at random, until cancelled; the broker may vanish at any time."""
        while True:
            for _ in range(self._random.randrange(1, 20)):
                sensor = self._random.randrange(SENSORS)
                self.values[sensor] = not self.values[sensor]
                self._report(sensor)
            await asyncio.sleep(0.001)

    def shown_by(self, home: MqttHome) -> bool:
        """Return whether every sensor shows its last value."""
        return all(
            home.value(f"binary_sensor.s{sensor}") == ("on" if value else "off")
            for sensor, value in self.values.items()
        )


async def test_the_last_state_of_every_sensor_after_each_of_20_broker_crashes(
    mqtt_home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    """A crash in the middle of traffic makes sensors unavailable, its end brings the truth."""
    await mqtt_home.set_up(
        *({"state_topic": f"s/{n}", "name": f"s{n}", "qos": n % 3} for n in range(SENSORS))
    )
    reporter = Reporter(mqtt_home)
    for _ in range(KILLS):
        mqtt_home.device.close()
        await reporter.connect()
        traffic = asyncio.create_task(reporter.report_changes())
        await until(lambda: mqtt_home.value("binary_sensor.s0") != "unavailable")
        await asyncio.sleep(random.uniform(0, 0.05))
        await mqtt_home.broker.stop()
        traffic.cancel()
        await until(
            lambda: all(
                mqtt_home.value(f"binary_sensor.s{sensor}") == "unavailable"
                for sensor in range(SENSORS)
            )
        )
        await mqtt_home.broker.start()
        mqtt_home.device.close()
        await reporter.connect()
        await until(lambda: reporter.shown_by(mqtt_home))
        traffic = asyncio.create_task(reporter.report_changes())
        await asyncio.sleep(0.05)
        traffic.cancel()
        await until(lambda: reporter.shown_by(mqtt_home))
    assert reporter.reports > KILLS * SENSORS
    assert not warnings(caplog)
