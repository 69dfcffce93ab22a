"""An infrared proxy of ESPHome in Home Assistant, added as a user adds it."""

from homeassistant.config_entries import SOURCE_USER
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.setup import async_setup_component

from custom_components.irhub.ircodes import from_timings, to_timings
from tests.home import until
from virtual_home.esphome import EsphomeProxy

EMITTER = "infrared.proxy_emitter"
RECEIVER = "infrared.proxy_receiver"
THERMOSTAT = "climate.air_conditioner"
"""What its tests make of a press that it has received."""


async def add_proxy(hass: HomeAssistant, proxy: EsphomeProxy) -> None:
    """Add the device in the user interface, by its address."""
    # What each home has, and esphome uses.
    assert await async_setup_component(hass, "homeassistant", {})
    assert await async_setup_component(hass, "ffmpeg", {"ffmpeg": {"ffmpeg_bin": "/bin/true"}})
    flows = hass.config_entries.flow
    shown = await flows.async_init("esphome", context={"source": SOURCE_USER})
    answers = {"host": proxy.host, "port": proxy.port}
    shown = await flows.async_configure(shown["flow_id"], answers)
    while shown["type"] is FlowResultType.FORM:
        shown = await flows.async_configure(shown["flow_id"], {})
    assert shown["type"] is FlowResultType.CREATE_ENTRY, shown
    await until(lambda: hass.states.get(EMITTER) and hass.states.get(RECEIVER))
    await hass.async_block_till_done()


async def press(proxy: EsphomeProxy, packet: bytes) -> None:
    """Press a button of a remote control in front of the receiver."""
    await proxy.press(to_timings(packet))


def transmitted(proxy: EsphomeProxy) -> list[bytes]:
    """Return the packets that the emitter was told to transmit."""
    return [from_timings(timings) for timings in proxy.transmitted]
