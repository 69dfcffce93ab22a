"""Hubs as emitters and transmitters of core's platforms, used by core's integrations."""

from typing import Any

from homeassistant.components import infrared, radio_frequency
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
from infrared_protocols.commands.nec import NECCommand  # type: ignore[import-untyped]
import pytest
from rf_protocols.codes.honeywell.string_lights import CODES  # type: ignore[import-untyped]

from custom_components.irhub.ircodes import from_timings, to_timings
from custom_components.irhub.ircodes.packet import TICK_US
from tests.home import until
from virtual_home.hub import VirtualHub

from .home import entry, our_hub, set_up
from .raw import Raw, RawRadio
from .switches import turn

EMITTER = "infrared.broadlink_infrared"
RECEIVER = "infrared.broadlink_infrared_receiver"
TRANSMITTER = "radio_frequency.broadlink_radio"


@pytest.fixture
def model() -> str:
    """Return the model of the hub of these tests."""
    return "rm_mini"


async def online(hass: HomeAssistant, hub: VirtualHub) -> None:
    """Wait until Home Assistant has a session with the hub."""
    await until(lambda: our_hub(hass, hub).available)
    await hass.async_block_till_done()


async def user_flow(hass: HomeAssistant, domain: str, **answers: str) -> None:
    """Set an integration of core up as a user does in the browser."""
    result: Any = await hass.config_entries.flow.async_init(domain, context={"source": "user"})
    if result["type"] is FlowResultType.MENU:
        step = {"next_step_id": answers.pop("device_type")}
        result = await hass.config_entries.flow.async_configure(result["flow_id"], step)
    result = await hass.config_entries.flow.async_configure(result["flow_id"], answers)
    assert result["type"] is FlowResultType.CREATE_ENTRY
    await hass.async_block_till_done()


@pytest.mark.parametrize("model", ["rm_mini", "rm_pro", "rm4_pro"])
async def test_a_button_of_cores_lg_integration_transmits_its_nec_frame(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "infrared", entry(virtual_hub))
    await online(hass, virtual_hub)
    await user_flow(hass, "lg_infrared", device_type="tv", infrared_entity_id=EMITTER)
    button = next(
        registered.entity_id
        for registered in er.async_get(hass).entities.values()
        if registered.platform == "lg_infrared" and registered.unique_id.endswith("_power_on")
    )
    await hass.services.async_call("button", "press", {"entity_id": button}, blocking=True)
    (packet,) = virtual_hub.transmitted
    assert packet[:2] == b"\x26\x00"
    command = NECCommand.from_raw_timings(to_timings(packet))
    assert command is not None
    # The television's own remote control sends the same (data/packets.tsv).
    assert (command.address & 0xFF, command.command) == (0x04, 0xC4)
    state = hass.states.get(EMITTER)
    assert state is not None
    assert state.state not in ("unknown", "unavailable")


async def test_cores_lg_integration_hears_the_televisions_own_remote(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "infrared", entry(virtual_hub))
    await online(hass, virtual_hub)
    await user_flow(
        hass,
        "lg_infrared",
        device_type="tv",
        infrared_entity_id=EMITTER,
        infrared_receiver_entity_id=RECEIVER,
    )
    (event,) = hass.states.async_entity_ids("event")
    command = NECCommand(address=0xFB04, command=0xC4)
    await virtual_hub.press_when_listening(from_timings([*command.get_raw_timings(), -90000]))

    def event_type() -> object:
        state = hass.states.get(event)
        return state and state.attributes["event_type"]

    await until(lambda: event_type() == "power_on")
    assert virtual_hub.transmitted == []


async def test_timings_keep_their_length(hass: HomeAssistant, virtual_hub: VirtualHub) -> None:
    await set_up(hass, "infrared", entry(virtual_hub, name="Lounge"))
    await online(hass, virtual_hub)
    timings = [9000, -4500, 560, -1690, 560, -45000, 10, -20, 560]
    await infrared.async_send_command(hass, "infrared.lounge", Raw(timings))
    for sent, wanted in zip(to_timings(virtual_hub.transmitted[0]), timings, strict=True):
        assert abs(sent - wanted) <= max(TICK_US / 2 + 0.5, TICK_US - abs(wanted) + 0.5)


async def test_an_emitter_follows_its_hub(hass: HomeAssistant) -> None:
    async with VirtualHub("rm_mini", mac="34:EA:34:00:AB:CD") as hub:
        hub.faults.silent = True
        await set_up(hass, "infrared", entry(hub, timeout=0.2))
        state = hass.states.get(EMITTER)
        assert state is not None
        assert state.state == "unavailable"
        with pytest.raises(HomeAssistantError, match="does not answer"):
            await infrared.async_send_command(hass, EMITTER, Raw([560, -560]))
        hub.faults.clear()
        await infrared.async_send_command(hass, EMITTER, Raw([560, -560]))
        state = hass.states.get(EMITTER)
        assert state is not None
        assert state.state not in ("unknown", "unavailable")
        registered = er.async_get(hass).async_get(EMITTER)
        assert registered is not None
        assert registered.unique_id == "34ea3400abcd"


@pytest.mark.parametrize(
    ("timings", "complaint"),
    [([], "no durations"), ([560, 0, 560], "duration 2 is 0"), ([560, -9_000_000], "9000000 µs")],
)
async def test_a_command_that_is_no_packet_says_why(
    hass: HomeAssistant, timings: list[int], complaint: str, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "infrared", entry(virtual_hub))
    with pytest.raises(HomeAssistantError, match=complaint) as error:
        await infrared.async_send_command(hass, EMITTER, Raw(timings))
    assert EMITTER in str(error.value)
    assert virtual_hub.transmitted == []


@pytest.mark.parametrize("model", ["a1"])
async def test_a_device_without_an_emitter_says_so(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "infrared", entry(virtual_hub))
    with pytest.raises(HomeAssistantError, match="cannot transmit"):
        await infrared.async_send_command(hass, EMITTER, Raw([560, -560]))


async def test_an_emitter_and_a_switch_share_the_queue(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "infrared", entry(virtual_hub, min_gap=0.05))
    await set_up(
        hass, "switch", entry(virtual_hub, switches={"tv": {"command_on": "raw:+560 -560"}})
    )
    await infrared.async_send_command(hass, EMITTER, Raw([600, -600]))
    await turn(hass, "on")
    first, second = virtual_hub.logs.transmitted
    assert second.at - first.at >= 0.05
    assert virtual_hub.count("auth") == 1


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_a_light_of_cores_radio_integration_transmits_its_code(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "radio_frequency", entry(virtual_hub))
    await online(hass, virtual_hub)
    await user_flow(hass, "honeywell_string_lights", transmitter=TRANSMITTER)
    (light,) = hass.states.async_entity_ids("light")
    await hass.services.async_call("light", "turn_on", {"entity_id": light}, blocking=True)
    (packet,) = virtual_hub.transmitted
    command = await CODES.async_load_command("turn_on")
    assert packet[:2] == bytes((0xB2, command.repeat_count))
    for sent, wanted in zip(to_timings(packet), command.get_raw_timings(), strict=True):
        assert abs(sent - wanted) <= TICK_US / 2 + 0.5


@pytest.mark.parametrize("model", ["rm_pro"])
@pytest.mark.parametrize(("frequency", "kind"), [(433_920_000, 0xB2), (315_000_000, 0xD7)])
async def test_the_band_decides_the_packets_type(
    hass: HomeAssistant, frequency: int, kind: int, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "radio_frequency", entry(virtual_hub))
    command = RawRadio([350, -1050], frequency)
    await radio_frequency.async_send_command(hass, TRANSMITTER, command)
    assert virtual_hub.transmitted[0][:2] == bytes((kind, 4))


async def test_a_radio_command_a_hub_cannot_transmit(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "radio_frequency", entry(virtual_hub))
    with pytest.raises(HomeAssistantError, match="has no radio"):
        await radio_frequency.async_send_command(
            hass, TRANSMITTER, RawRadio([350, -1050], 433_920_000)
        )
    with pytest.raises(HomeAssistantError, match="duration 2 is 0"):
        await radio_frequency.async_send_command(hass, TRANSMITTER, RawRadio([350, 0], 433_920_000))
    assert virtual_hub.transmitted == []


@pytest.mark.parametrize("domain", ["infrared", "radio_frequency"])
@pytest.mark.parametrize("keys", [{"mac": "nonsense"}, {"colour": "red"}, {"timeout": 0}])
async def test_wrong_yaml_names_the_key(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, domain: str, keys: dict[str, Any]
) -> None:
    await async_setup_component(hass, domain, {domain: [entry(VirtualHub(port=80), **keys)]})
    assert next(iter(keys)) in caplog.text
    assert caplog.text.count("Invalid config") == 1
    assert not hass.states.async_all()
