"""A thousand sensors."""

import json

from .conftest import Home

COUNT = 1000


async def test_a_thousand_sensors_each_on_its_topic(home: Home) -> None:
    await home.set_up(*[{"state_topic": f"s/{n}", "name": f"s{n}"} for n in range(COUNT)])
    states = home.hass.states
    for n in range(COUNT):
        home.publish(f"s/{n}", "ON" if n % 2 else "OFF")
    await home.until(lambda: not any(s.state == "unknown" for s in states.async_all()))
    for n in range(COUNT):
        assert home.state(f"binary_sensor.s{n}") == ("on" if n % 2 else "off")


async def test_a_thousand_sensors_on_one_topic(home: Home) -> None:
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
    await home.until(lambda: not any(s.state == "unknown" for s in states.async_all()))
    assert home.state("binary_sensor.s0") == "on"
    assert home.state(f"binary_sensor.s{COUNT - 1}") == "off"
