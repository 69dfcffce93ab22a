"""The REST sensor as a user meets it: YAML in, states and attributes out."""

from homeassistant.core import HomeAssistant

from virtual_home.endpoint import Endpoint

from .conftest import SetUp, WaitFor


async def test_the_smallest_entry(
    hass: HomeAssistant, endpoint: Endpoint, set_up: SetUp, wait_for: WaitFor
) -> None:
    endpoint.set("/value", "21.5")
    await set_up("- platform: rest\n  resource: URL/value")
    state = await wait_for("sensor.rest_sensor", "21.5")
    assert state.name == "REST Sensor"
    assert dict(state.attributes) == {"friendly_name": "REST Sensor"}
    request = endpoint.received("/value")[0]
    assert (request.method, request.body) == ("GET", b"")
