"""An air conditioner that goes by a thermometer of Home Assistant instead of its own."""

import asyncio
from datetime import timedelta

from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    async_fire_time_changed,
)

from custom_components.irhub.entities.room_reports import INTERVAL
from custom_components.irhub.ircodes.known import KnownAirConditioners
from custom_components.irhub.ircodes.states import messages
from tests.home import until
from virtual_home.hub import VirtualHub

from ..dialogue import Dialogue, add
from ..dialogues.appliances import act, press_known

pytestmark = pytest.mark.usefixtures("no_pauses")

CLIMATE = "climate.air_conditioner"
THERMOMETER = "sensor.bedroom"
SENDING_S = 0.3
"""In which a report would have been sent."""


def measure(hass: HomeAssistant, degrees: object, unit: str = "°C") -> None:
    """Let the thermometer show something."""
    attributes = {"unit_of_measurement": unit, "device_class": "temperature"}
    hass.states.async_set(THERMOMETER, str(degrees), attributes)


async def thermostat(hass: HomeAssistant, hub: VirtualHub, name: str, **more: object) -> Dialogue:
    """Add the air conditioner of a known protocol by two presses, with these settings."""
    dialogue = await press_known(hass, await add(hass, hub), hub, name)
    folded = dialogue.folded
    suggested = dialogue.suggested["more"]
    await dialogue.submit(name="Air conditioner", then="finish", more={**suggested, **more})
    assert ("report_temperature" in folded) is (name != "GREE")
    await hass.async_block_till_done()
    return dialogue


def room_in(hub: VirtualHub, name: str) -> tuple[float | None, bool]:
    """Return the temperature that the last packet says, and whether it says nothing else."""
    [reading, *_] = KnownAirConditioners.shipped().identify(hub.transmitted[-1])
    assert reading.protocol == name
    room = reading.row.rule.room
    decoded = messages.read(hub.transmitted[-1])
    assert room is not None
    assert decoded is not None
    bits = decoded[1] & room.mask
    celsius = next((known for known, of in room.degrees.items() if of == bits), None)
    assert celsius is not None or bits == room.off
    return celsius, bool(decoded[1] & room.report)


async def later(hass: HomeAssistant, intervals: int = 1) -> None:
    """Let the time of a report come."""
    when = dt_util.utcnow() + intervals * INTERVAL + timedelta(seconds=1)
    async_fire_time_changed(hass, when)
    await asyncio.sleep(SENDING_S)


async def test_each_packet_says_what_the_thermometer_measures(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    """With the setting; then the temperature alone is sent every three minutes."""
    name = "ELECTRA_AC"
    measure(hass, 26.4)
    more = {"temperature_sensor": THERMOMETER, "report_temperature": True}
    await thermostat(hass, lounge, name, **more)
    await later(hass)
    assert not lounge.transmitted  # nobody has turned it on

    data = {"entity_id": CLIMATE, "hvac_mode": "cool", "temperature": 21}
    await act(hass, "climate", "set_temperature", **data)
    assert room_in(lounge, name) == (26.0, False)

    measure(hass, 25.0)
    await later(hass, 2)
    await until(lambda: room_in(lounge, name) == (25.0, True))
    count = len(lounge.transmitted)
    await later(hass, 3)
    await until(lambda: len(lounge.transmitted) == count + 1)  # it would forget

    measure(hass, "unavailable")
    await later(hass, 4)
    assert len(lounge.transmitted) == count + 1
    await act(hass, "climate", "set_temperature", entity_id=CLIMATE, temperature=22)
    assert room_in(lounge, name) == (None, False)

    measure(hass, 77.0, "°F")
    await later(hass, 5)
    await until(lambda: room_in(lounge, name) == (25.0, True))
    await act(hass, "climate", "turn_off", entity_id=CLIMATE)
    count = len(lounge.transmitted)
    await later(hass, 6)
    assert len(lounge.transmitted) == count


async def test_the_whole_state_is_sent_only_for_another_temperature(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    """MIDEA has no message that says the temperature alone: an air conditioner may beep."""
    name = "MIDEA"
    measure(hass, 26)
    more = {"temperature_sensor": THERMOMETER, "report_temperature": True}
    await thermostat(hass, lounge, name, **more)
    data = {"entity_id": CLIMATE, "hvac_mode": "cool", "temperature": 21}
    await act(hass, "climate", "set_temperature", **data)
    count = len(lounge.transmitted)
    await later(hass)
    assert len(lounge.transmitted) == count
    measure(hass, 24.8)
    await later(hass, 2)
    await until(lambda: room_in(lounge, name) == (25.0, False))
    assert len(lounge.transmitted) == count + 1


async def test_without_the_setting_nothing_of_it_is_sent(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    """The air conditioner measures by itself, as before."""
    measure(hass, 26)
    await thermostat(hass, lounge, "ELECTRA_AC", temperature_sensor=THERMOMETER)
    data = {"entity_id": CLIMATE, "hvac_mode": "cool", "temperature": 21}
    await act(hass, "climate", "set_temperature", **data)
    assert room_in(lounge, "ELECTRA_AC") == (None, False)
    await later(hass)
    assert len(lounge.transmitted) == 1


async def test_what_cannot_say_it_is_not_asked(hass: HomeAssistant, lounge: VirtualHub) -> None:
    """The setting is not offered where no bits of the room's temperature are known."""
    await thermostat(hass, lounge, "GREE")
