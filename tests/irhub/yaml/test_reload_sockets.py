"""irhub.reload with entities that depend on what a device says it is."""

from datetime import timedelta
from pathlib import Path

from homeassistant.core import Event, EventStateChangedData, HomeAssistant, callback
from homeassistant.helpers.event import async_track_state_change_event
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    async_fire_time_changed,
)

from custom_components.irhub.hub.library import capabilities_of_type
from tests.home import until
from virtual_home.hub import VirtualHub

from ..home import our_hub
from .sockets import start, yaml

PLUG = "switch.broadlink_switch"
TEMPERATURE = "sensor.broadlink_sensor_temperature"


async def reload(hass: HomeAssistant) -> None:
    """Call the action."""
    await hass.services.async_call("irhub", "reload", blocking=True)
    await hass.async_block_till_done()


def living(hass: HomeAssistant) -> list[str]:
    """Return the entities that are more than a memory of the registry."""
    return [
        state.entity_id for state in hass.states.async_all() if not state.attributes.get("restored")
    ]


@pytest.mark.usefixtures("steady_time")  # a request that is sent again counts twice
async def test_after_a_reload_only_the_new_entities_poll(
    hass: HomeAssistant, config_dir: Path
) -> None:
    async with VirtualHub("mp1") as strip, VirtualHub("a1", mac="34:EA:34:00:00:02") as air:

        def change() -> None:
            """Let the devices report something else from now on."""
            air.state.temperature += 1
            strip.state.slots[0] = not strip.state.slots[0]

        def shown() -> bool:
            """Tell whether each reply has arrived: nothing is under way then."""
            power, celsius = hass.states.get(f"{PLUG}_slot_1"), hass.states.get(TEMPERATURE)
            return (
                power is not None
                and power.state == ("on" if strip.state.slots[0] else "off")
                and celsius is not None
                and celsius.state == str(air.state.temperature)
            )

        await start(
            hass,
            config_dir,
            yaml("switch", strip, timeout=20),
            yaml(
                "sensor",
                air,
                "monitored_conditions: [temperature, noise]",
                "scan_interval: 30",
                timeout=20,
            ),
        )
        await until(shown)
        assert strip.count("status") == air.count("sensors") == 1
        assert len(living(hass)) == 6
        change()
        await reload(hass)
        await until(shown)
        assert len(living(hass)) == 6
        assert strip.count("status") == air.count("sensors") == 2
        for polls in (3, 4, 5):
            change()
            async_fire_time_changed(hass, dt_util.utcnow() + timedelta(seconds=30))
            await until(shown)
            await hass.async_block_till_done()
            assert strip.count("status") == air.count("sensors") == polls


@pytest.mark.parametrize("model", ["sp2"])
async def test_a_device_that_answers_during_a_reload_leaves_no_ghost(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    virtual_hub.faults.silent = True
    await start(hass, config_dir, yaml("switch", virtual_hub), yaml("remote", virtual_hub))
    old = our_hub(hass, virtual_hub)

    @callback
    def answer(_event: Event[EventStateChangedData]) -> None:
        old.capabilities = capabilities_of_type(virtual_hub.devtype)
        for listener in list(old._listeners):  # noqa: SLF001  (as its connection does)
            listener()

    async_track_state_change_event(hass, "remote.broadlink", answer)
    (config_dir / "configuration.yaml").write_text("")
    await reload(hass)
    assert old.capabilities is not None
    assert living(hass) == []
