"""Which templates' outputs may be remembered (to be seen in nothing but speed)."""

import pytest

from custom_components.mqtt_binary.template_source import depends_only_on_payload
from custom_components.mqtt_binary.value import MAX_KNOWN

from .conftest import Home

SENSOR = "binary_sensor.mqtt_binary_sensor"


@pytest.mark.parametrize(
    "template",
    [
        "{{ value }}",
        "{{ value_json.state | default('OFF') | upper }}",
        "{% if value_json.a is defined and value.startswith('x') %}ON{% endif %}",
        "{% set x = value | int %}{{ 'ON' if x > 5 else 'OFF' }}",
    ],
)
def test_pure(template: str) -> None:
    assert depends_only_on_payload(template)


@pytest.mark.parametrize(
    "template",
    [
        '{% if is_state(entity_id, "on") %}OFF{% else %}ON{% endif %}',
        "{{ states('sensor.x') }}",
        "{{ value if this.state == 'on' }}",
        "{{ now() }}",
        "{{ [1, 2] | random }}",
        "{{ 'sensor.x' | states }}",
        "{{ ['sensor.x'] | map('states') | list }}",
        "{{ 'sensor.x' is is_state('on') }}",
        "{% from 'x.jinja' import y %}{{ y(value) }}",
        "{{ oops",
        "{{ entity_id }}",
        "{{ name }}",
    ],
)
def test_not_pure(template: str) -> None:
    assert not depends_only_on_payload(template)


async def test_repeated_and_ever_new_payloads_read_alike(home: Home) -> None:
    await home.set_up(
        "{state_topic: a, value_template: '{{ value_json.s }}', json_attributes_topic: a}"
    )
    for number in range(3 * MAX_KNOWN):
        for state in ("ON", "OFF"):
            home.publish("a", f'{{"s": "{state}", "n": {number % (2 * MAX_KNOWN)}}}')
            await home.wait_for(SENSOR, state.lower())
            current = home.hass.states.get(SENSOR)
            assert current is not None
            assert current.attributes["n"] == number % (2 * MAX_KNOWN)
