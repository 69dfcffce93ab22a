"""A thousand sensors."""

import json

from tests.home import until

from .home import MqttHome

COUNT = 1000


async def test_a_thousand_sensors_each_on_its_topic(home: MqttHome) -> None:
    await home.set_up(*[{"state_topic": f"s/{n}", "name": f"s{n}"} for n in range(COUNT)])
    states = home.hass.states
    for n in range(COUNT):
        home.publish(f"s/{n}", "ON" if n % 2 else "OFF")
    await until(lambda: not any(s.state == "unknown" for s in states.async_all()))
    for n in range(COUNT):
        assert home.value(f"binary_sensor.s{n}") == ("on" if n % 2 else "off")


async def test_a_thousand_sensors_on_one_topic(home: MqttHome) -> None:
    await home.set_up(
        *[
            {
                "state_topic": "all",
                "name": f"s{n}",
                "value_template": f"{{{{ value_json.states[{n}] }}}}",
            }
            for n in range(COUNT)
        ]
    )
    home.publish("all", json.dumps({"states": ["ON", "OFF"] * (COUNT // 2)}))
    states = home.hass.states
    await until(lambda: not any(s.state == "unknown" for s in states.async_all()))
    assert home.value("binary_sensor.s0") == "on"
    assert home.value(f"binary_sensor.s{COUNT - 1}") == "off"
