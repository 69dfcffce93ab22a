"""Command switches: two packets each, from YAML to what the hub transmits."""

import asyncio
from typing import Any

from homeassistant.core import HomeAssistant, State
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity_component import async_update_entity
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    mock_restore_cache,
)

from custom_components.irhub.ircodes import parse_text
from custom_components.irhub.ircodes.packet import to_hex
from tests.home import until
from virtual_home.hub import VirtualHub

from ..home import entry, our_hub, set_up
from ..ircodes.captured import captured
from ..switches import turn, value

ON, OFF = captured()[1:3]


@pytest.fixture
def model() -> str:
    """Return the model of the hub of these tests."""
    return "rm_mini"


def tv(**keys: object) -> dict[str, Any]:
    """Return a switch of the classic map."""
    return {"tv": {"command_on": ON.base64, "command_off": OFF.base64, **keys}}


@pytest.mark.parametrize("model", ["rm_pro"])
async def test_the_classic_map_sends_its_packets(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "switch", entry(virtual_hub, switches=tv(friendly_name="Philips TV")))
    state = hass.states.get("switch.tv")
    assert state is not None
    assert state.name == "Philips TV"
    assert state.state == "off"
    assert state.attributes["assumed_state"] is True
    await turn(hass, "on")
    assert value(hass) == "on"
    await turn(hass, "off")
    assert value(hass) == "off"
    assert virtual_hub.transmitted == [ON.packet, OFF.packet]


@pytest.mark.parametrize(
    ("kind", "model"),
    [
        (None, "rm4_pro"),
        ("rm", "rm_pro"),
        ("RM2", "rm4_mini"),
        ("rm_mini", "rm_mini"),
        ("rm_mini", "rm_mini_b"),
        ("rm_mini_shate", "rm_mini_shate"),
        ("rm_pro_phicomm", "rm_pro_phicomm"),
        ("rm2_home_plus", "rm2_home_plus"),
        ("rm2_home_plus_gdt", "rm2_home_plus_gdt"),
        ("rm2_pro_plus", "rm2_pro_plus"),
        ("rm2_pro_plus2", "rm2_pro_plus2"),
        ("rm2_pro_plus_bl", "rm2_pro_plus_bl"),
    ],
)
async def test_every_type_of_hub(
    hass: HomeAssistant, kind: str | None, virtual_hub: VirtualHub
) -> None:
    keys = {} if kind is None else {"type": kind}
    await set_up(hass, "switch", entry(virtual_hub, switches=tv(), **keys))
    await turn(hass, "on")
    assert virtual_hub.transmitted == [ON.packet]
    assert value(hass) == "on"


async def test_cores_list_of_switches(hass: HomeAssistant, virtual_hub: VirtualHub) -> None:
    switches = [
        {"name": "Philips TV", "command_on": ON.base64, "command_off": OFF.base64},
        {"name": "Philips TV", "command_on": OFF.base64},
    ]
    await set_up(hass, "switch", entry(virtual_hub, switches=switches))
    await turn(hass, "on", "switch.philips_tv")
    await turn(hass, "on", "switch.philips_tv_2")
    assert virtual_hub.transmitted == [ON.packet, OFF.packet]
    state = hass.states.get("switch.philips_tv_2")
    assert state is not None
    assert state.name == "Philips TV"


async def test_every_text_form_of_a_packet(hass: HomeAssistant, virtual_hub: VirtualHub) -> None:
    forms = {
        "base64": ON.base64,
        "unpadded": ON.base64.rstrip("="),
        "hex": to_hex(ON.packet),
        "prefixed": "hex: " + ON.packet.hex(" "),
    }
    switches = {slug: {"command_on": text} for slug, text in forms.items()}
    await set_up(hass, "switch", entry(virtual_hub, switches=switches))
    for slug in forms:
        await turn(hass, "on", f"switch.{slug}")
    assert virtual_hub.transmitted == [ON.packet] * len(forms)


async def test_names_ids_and_repeats(hass: HomeAssistant) -> None:
    async with VirtualHub("rm_mini", mac="34:EA:34:00:AB:CD") as hub:
        await set_up(
            hass,
            "switch",
            entry(
                hub,
                switches={
                    **tv(repeats=3),
                    "fan": {"command_on": ON.base64, "unique_id": "my fan"},
                },
            ),
        )
        registry = er.async_get(hass)
        assert registry.async_get_entity_id("switch", "irhub", "34ea3400abcd-tv") == "switch.tv"
        assert registry.async_get_entity_id("switch", "irhub", "my fan") == "switch.fan"
        state = hass.states.get("switch.fan")
        assert state is not None
        assert state.name == "fan"
        await turn(hass, "on")
        assert hub.transmitted == [ON.packet] * 3


@pytest.mark.parametrize("missing", [{}, {"command_off": None}, {"command_off": ""}])
async def test_a_missing_command_sends_nothing_and_changes_the_state(
    hass: HomeAssistant, missing: dict[str, Any], virtual_hub: VirtualHub
) -> None:
    switches = {"tv": {"command_on": ON.base64, **missing}}
    await set_up(hass, "switch", entry(virtual_hub, switches=switches))
    await turn(hass, "on")
    await turn(hass, "off")
    assert value(hass) == "off"
    assert virtual_hub.transmitted == [ON.packet]


async def test_the_last_state_is_restored(hass: HomeAssistant, virtual_hub: VirtualHub) -> None:
    mock_restore_cache(hass, [State("switch.tv", "on"), State("switch.fan", "unavailable")])
    fan = {"fan": {"command_on": ON.base64}}
    await set_up(hass, "switch", entry(virtual_hub, switches={**tv(), **fan}))
    assert value(hass) == "on"
    assert value(hass, "switch.fan") == "off"
    assert virtual_hub.transmitted == []


async def test_an_offline_hub_is_a_clear_error_and_nothing_changes(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    virtual_hub.faults.silent = True
    await set_up(hass, "switch", entry(virtual_hub, switches=tv(), timeout=0.2))
    assert value(hass) == "off"
    with pytest.raises(HomeAssistantError, match="does not answer") as error:
        await turn(hass, "on")
    assert f"{virtual_hub.host}:{virtual_hub.port}" in str(error.value)
    await async_update_entity(hass, "switch.tv")
    assert value(hass) == "off"
    virtual_hub.faults.clear()
    await turn(hass, "on")
    assert value(hass) == "on"
    assert virtual_hub.transmitted == [ON.packet]


async def test_the_state_changes_only_after_the_hub_confirmed(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "switch", entry(virtual_hub, switches=tv()))
    await until(lambda: our_hub(hass, virtual_hub).available)
    virtual_hub.faults.slow = 0.1
    switching = asyncio.create_task(turn(hass, "on"))
    await virtual_hub.until(lambda: bool(virtual_hub.transmitted))
    assert value(hass) == "off"
    await switching
    assert value(hass) == "on"
    virtual_hub.faults.errors.append(-3)
    with pytest.raises(HomeAssistantError, match="refused"):
        await turn(hass, "off")
    await async_update_entity(hass, "switch.tv")  # writes the state
    assert value(hass) == "on"


async def test_two_entries_may_use_the_same_hub(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    fan = {"fan": {"command_on": OFF.base64}}
    await set_up(
        hass, "switch", entry(virtual_hub, switches=tv()), entry(virtual_hub, switches=fan)
    )
    await asyncio.gather(turn(hass, "on"), turn(hass, "on", "switch.fan"))
    assert sorted(virtual_hub.transmitted) == sorted([ON.packet, OFF.packet])
    assert virtual_hub.count("auth") == 1


@pytest.mark.parametrize("domain", ["switch", "sensor", "infrared", "radio_frequency"])
async def test_an_entry_with_another_mac_for_the_same_host_is_refused(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, domain: str
) -> None:
    async with VirtualHub("rm4_pro", mac="34:EA:34:00:00:01") as hub:
        await set_up(hass, "remote", entry(hub))
        keys: dict[str, dict[str, Any]] = {
            "sensor": {"monitored_conditions": ["temperature"]},
            "switch": {"switches": tv()},
        }
        other = entry(hub, **keys.get(domain, {})) | {"mac": "34:EA:34:00:00:02"}
        await set_up(hass, domain, other)
        assert hass.states.async_entity_ids() == ["remote.broadlink"]
        assert "34:EA:34:00:00:01 and 34:EA:34:00:00:02" in caplog.text
        assert "Traceback" not in caplog.text


@pytest.mark.parametrize("nothing", [{}, None, []])
async def test_an_empty_list_of_switches(
    hass: HomeAssistant, nothing: object, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "switch", entry(virtual_hub, switches=nothing))
    await until(lambda: our_hub(hass, virtual_hub).available)
    assert not hass.states.async_all()


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_a_bare_entry_makes_a_hub(hass: HomeAssistant, virtual_hub: VirtualHub) -> None:
    await set_up(hass, "switch", entry(virtual_hub))
    await until(lambda: our_hub(hass, virtual_hub).available)
    await our_hub(hass, virtual_hub).transmit([ON.packet])
    assert virtual_hub.transmitted == [ON.packet]
    assert not hass.states.async_all()


@pytest.mark.parametrize("model", ["a1"])
async def test_a_device_that_cannot_transmit_says_so(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "switch", entry(virtual_hub, switches=tv()))
    with pytest.raises(HomeAssistantError, match="cannot transmit"):
        await turn(hass, "on")
    assert value(hass) == "off"


@pytest.mark.parametrize(
    ("keys", "complaints"),
    [
        (
            {"switches": {"tv": {"command_on": "nonsense!"}}},
            (
                "not a code in Base64/hex/Pronto/Tuya",
                "'switches->tv->command_on->(value not shown)'",
            ),
        ),
        (
            {"switches": {"tv": {"command_on": ON.base64, "command_off": ON.base64[:20]}}},
            ("incomplete", "'switches->tv->command_off->(value not shown)'"),
        ),
        (
            {"switches": [{"name": "TV", "command_on": "nonsense!"}]},
            (
                "TV: not a code in Base64/hex/Pronto/Tuya",
                "'switches->0->command_on->(value not shown)'",
            ),
        ),
        ({"switches": {"tv": {"command_on": 2600}}}, ("2600 is not text; write the packet in",)),
        ({"switches": {"tv": {"command_on": [ON.base64]}}}, ("a list is not text",)),
        ({"switches": {"tv": [ON.base64]}}, ("'switches->tv->(value not shown)'",)),
        ({"switches": [ON.base64]}, ("'switches->0->(value not shown)'",)),
        ({"switches": tv(repeats=ON.base64)}, ("'switches->tv->repeats->(value not shown)'",)),
        ({"switches": tv(repeats=99)}, ("'switches->tv->repeats', got 99",)),
        ({"switches": {"Big TV": {"command_on": ON.base64}}}, ("Big TV", "big_tv")),
        ({"switches": {"tv": {"comand_on": ON.base64}}}, ("comand_on", "switches->tv")),
        ({"switches": [{"command_on": ON.base64}]}, ("name",)),
        ({"switches": "tv"}, ("switches",)),
        ({"switches": tv(repeats=0)}, ("repeats",)),
        ({"type": "rm5"}, ("type",)),
        ({"slots": {"slot_5": "Lamp"}}, ("slot_5",)),
        ({"retry": -1}, ("retry",)),
        ({"host": "http://hub"}, ("host",)),
    ],
)
async def test_wrong_yaml_names_the_switch_and_the_key(
    hass: HomeAssistant,
    caplog: pytest.LogCaptureFixture,
    keys: dict[str, Any],
    complaints: tuple[str, ...],
) -> None:
    await async_setup_component(hass, "switch", {"switch": [entry(VirtualHub(port=80), **keys)]})
    await hass.async_block_till_done()
    for complaint in complaints:
        assert complaint in caplog.text
    assert caplog.text.count("Invalid config") == 1
    assert "Traceback" not in caplog.text
    for packet in (ON.base64, OFF.base64):
        assert packet[:24] not in caplog.text
    assert not hass.states.async_all()


def test_the_packets_are_those_of_real_remotes() -> None:
    assert parse_text(ON.base64) == ON.packet != OFF.packet
