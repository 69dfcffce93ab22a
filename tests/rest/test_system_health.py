"""The card under System information."""

from homeassistant.setup import async_setup_component
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]  # it has no stubs
    get_system_health_info,
)

from .home import RestHome


async def test_the_card(home: RestHome) -> None:
    assert await async_setup_component(home.hass, "system_health", {})
    await home.set_up(
        "- platform: rest\n  resource: URL/values?key=canary\n  name: a\n"
        "- platform: rest\n  resource: URL/values?key=canary\n  name: b\n"
    )
    await home.state(lambda state: "counter" in state.state, "sensor.a")
    assert await get_system_health_info(home.hass, "rest") == {
        "resources": 1,
        "sensors": 2,
        "failing": 0,
    }
    await home.endpoint.stop()
    await home.update("sensor.a")
    info = await get_system_health_info(home.hass, "rest")
    assert info["failing"] == f"{home.endpoint.url} (sensor.a, sensor.b)"
