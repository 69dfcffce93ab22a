"""An infrared proxy of ESPHome, over its native API: receiver, emitter, and what goes wrong."""

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.event import async_track_state_change_event
import pytest

from custom_components.irhub.entities.use import Use
from custom_components.irhub.ircodes import OFF, State, to_timings
from tests.home import until
from virtual_home.esphome import EsphomeProxy

from ..dialogue import configure
from ..dialogues.appliances import act, begin, finish
from ..esphome_proxy import EMITTER, RECEIVER, THERMOSTAT, press, transmitted
from ..followed import REMOTE_CONTROL, follow
from ..home import HDMI, POWER, known
from ..learning import learn
from ..remotes_of_protocols import shows, state_in
from ..without_hub import NO_HUB, import_codes, send

pytestmark = pytest.mark.usefixtures("no_hubs", "no_pauses")


async def test_a_thermostat_of_two_presses(
    hass: HomeAssistant, proxy: EsphomeProxy, entry_with_proxy: ConfigEntry[Use]
) -> None:
    dialogue = await (await begin(hass, entry_with_proxy)).choose("press_button")
    await dialogue.progress("press_state")
    await press(proxy, shows("COOLIX", "cool", 24))
    await dialogue.arrive("heard")
    await dialogue.choose("known_state")
    await dialogue.progress("press_another")
    await press(proxy, shows("COOLIX", "cool", 22))
    await dialogue.arrive("ready")
    await finish(hass, dialogue, THERMOSTAT, name="Air conditioner")
    await act(
        hass, "climate", "set_temperature", entity_id=THERMOSTAT, hvac_mode="cool", temperature=21
    )
    await until(lambda: proxy.transmitted)
    state = state_in(transmitted(proxy)[-1])
    assert isinstance(state, State)
    assert (state.mode, state.temperature) == ("cool", 21)
    await act(hass, "climate", "turn_off", entity_id=THERMOSTAT)
    await until(lambda: len(proxy.transmitted) > 1)
    assert state_in(transmitted(proxy)[-1]) is OFF


async def test_a_command_is_learned_sent_and_followed(
    hass: HomeAssistant, proxy: EsphomeProxy, entry_with_proxy: ConfigEntry[Use]
) -> None:
    dialogue = await learn(await configure(hass, entry_with_proxy), "power")
    await press(proxy, POWER)
    await dialogue.arrive("heard")
    assert "Proxy Receiver" in dialogue.texts["heard"]
    await dialogue.choose("keep")
    await hass.async_block_till_done()
    events = await follow(hass, entry_with_proxy)
    await press(proxy, POWER)
    await until(lambda: events)
    assert (events[0]["command"], events[0]["receiver"]) == ("power", "Proxy Receiver")

    await send(hass, device="tv", command="power")
    await until(lambda: proxy.transmitted)
    packets = known(hass, NO_HUB).named("tv").by_name["power"].packets
    assert proxy.transmitted[0] in [to_timings(packet) for packet in packets]


async def test_it_goes_while_it_learns_and_is_followed_when_it_returns(
    hass: HomeAssistant, proxy: EsphomeProxy, entry_with_proxy: ConfigEntry[Use]
) -> None:
    await import_codes(hass, tv={"power": POWER.hex(), "hdmi": HDMI.hex()})
    events = await follow(hass, entry_with_proxy)
    dialogue = await learn(await configure(hass, entry_with_proxy), "mute")
    await proxy.lose_power()
    await dialogue.arrive("learn")
    assert dialogue.error == "The infrared receiver Proxy Receiver is not available"
    await until(lambda: hass.states.is_state(REMOTE_CONTROL, "unavailable"))
    call = {"device": "tv", "command": "power"}
    with pytest.raises(HomeAssistantError, match=EMITTER):
        await hass.services.async_call("irhub", "send", call, blocking=True)
    await proxy.power_up()
    await until(lambda: not hass.states.is_state(REMOTE_CONTROL, "unavailable"))
    await press(proxy, HDMI)
    await until(lambda: events)
    assert events[0]["command"] == "hdmi"
    await send(hass, device="tv", command="power")
    await until(lambda: len(proxy.transmitted) == 1)


@pytest.mark.parametrize("how", ["bytes", "half a message", "an unknown message", "captures"])
async def test_garbage_hurts_only_itself(
    hass: HomeAssistant, proxy: EsphomeProxy, entry_with_proxy: ConfigEntry[Use], how: str
) -> None:
    await import_codes(hass, tv={"power": POWER.hex(), "hdmi": HDMI.hex()})
    events = await follow(hass, entry_with_proxy)
    states: list[str] = []
    async_track_state_change_event(
        hass, RECEIVER, callback(lambda event: states.append(event.data["new_state"].state))
    )
    match how:
        case "bytes":
            proxy.send_bytes(bytes(range(255, 0, -1)))
        case "half a message":
            proxy.send_bytes(b"\0\xff")
            proxy.drop_clients()
        case "an unknown message":
            proxy.send_bytes(b"\0\x03\xff\x07abc")
        case _:
            for timings in ([], [0], [-5], [560] * 4000, [2**31 - 1, -(2**31)], [560, -560, 560]):
                proxy.receive(timings)
    if how in ("bytes", "half a message"):
        await until(lambda: "unavailable" in states)
        await until(lambda: not hass.states.is_state(RECEIVER, "unavailable"))
    await press(proxy, HDMI)
    await until(lambda: events)
    assert [event["command"] for event in events] == ["hdmi"]
