"""Correcting a state that is assumed: it is shown and kept, and nothing is sent."""

from pathlib import Path
from typing import Any

from homeassistant.auth.const import GROUP_ID_READ_ONLY
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import HomeAssistantError, Unauthorized
from homeassistant.helpers import area_registry as ar, entity_registry as er
from homeassistant.helpers.restore_state import async_get
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    async_mock_restore_state_shutdown_restart,
)

from tests.home import until
from virtual_home.hub import VirtualHub

from ..home import entry, our_hub, set_up
from ..ircodes.code_files import Codes, air_conditioner, code_file, temperatures, write

TV = "media_player.den"
CODES = Codes()
FILES: dict[str, dict[str, Any]] = {
    "climate": air_conditioner(
        {
            "off": CODES.packet(),
            "cool": CODES.nest(["auto", "low"], temperatures(18, 30)),
            "heat": CODES.nest(["auto"], temperatures(20, 30)),
        },
        fanModes=["auto", "low"],
    ),
    "fan": code_file(
        CODES.nest(["power", "speed 1", "speed 2", "speed 3", "natural", "reverse", "oscillate"])
    ),
    "light": code_file(
        CODES.nest(["on", "off", "brighten", "dim", "colder", "warmer", "night"]),
        brightness=[64, 128, 192, 255],
        colorTemperature=[2700, 4600, 6500],
    ),
    "cover": code_file(CODES.nest(["open", "close", "stop"])),
    "media_player": code_file(
        CODES.nest(["power", "mute", "source HDMI 1", "source HDMI 2", "sound_mode Film"])
    ),
}


@pytest.fixture
def model() -> str:
    """Return the model of the hub of these tests."""
    return "rm4_mini"


async def start(hass: HomeAssistant, config_dir: Path, hub: VirtualHub, domain: str) -> None:
    """Have an appliance whose state nobody knows."""
    name = write(config_dir, f"codes/{domain}.json", FILES[domain])
    await set_up(hass, domain, entry(hub, name="Den", file=name, delay=0))
    await until(lambda: our_hub(hass, hub).available)
    await hass.async_block_till_done()


async def correct(hass: HomeAssistant, entity_id: str | list[str], **fields: object) -> None:
    data = {"entity_id": entity_id, **fields}
    await hass.services.async_call("irhub", "set_state", data, blocking=True)


def shown(hass: HomeAssistant, entity_id: str) -> dict[str, Any]:
    state = hass.states.get(entity_id)
    assert state is not None
    return {"state": state.state, **state.attributes}


@pytest.mark.parametrize(
    ("domain", "fields", "seen"),
    [
        ("climate", {"hvac_mode": "off"}, {"state": "off"}),
        ("climate", {"state": False}, {"state": "off"}),  # as YAML reads it without quotes
        (
            "climate",
            {"hvac_mode": "cool", "temperature": 24, "fan_mode": "low"},
            {"state": "cool", "temperature": 24, "fan_mode": "low"},
        ),
        ("climate", {"state": "heat"}, {"state": "heat", "fan_mode": "auto"}),
        (
            "fan",
            {"state": "on", "percentage": 60, "direction": "reverse", "oscillating": True},
            {"state": "on", "percentage": 66, "direction": "reverse", "oscillating": True},
        ),
        ("fan", {"state": "on", "preset_mode": "natural"}, {"preset_mode": "natural"}),
        (
            "light",
            {"state": "on", "brightness": 130, "color_temp_kelvin": 2700},
            {"state": "on", "brightness": 128, "color_temp_kelvin": 2700},
        ),
        ("light", {"state": "on", "effect": "night"}, {"effect": "night"}),
        ("cover", {"state": "closed"}, {"state": "closed"}),
        (
            "media_player",
            {"state": "on", "source": "HDMI 2", "sound_mode": "Film", "is_volume_muted": True},
            {"state": "on", "source": "HDMI 2", "sound_mode": "Film", "is_volume_muted": True},
        ),
        ("media_player", {"state": "off"}, {"state": "off"}),
    ],
)
async def test_a_corrected_state_is_shown_and_nothing_is_sent(
    hass: HomeAssistant,
    config_dir: Path,
    domain: str,
    fields: dict[str, Any],
    seen: dict[str, Any],
    *,
    virtual_hub: VirtualHub,
) -> None:
    await start(hass, config_dir, virtual_hub, domain)
    assert shown(hass, f"{domain}.den")["state"] == "unknown"
    await correct(hass, f"{domain}.den", **fields)
    assert shown(hass, f"{domain}.den").items() >= seen.items()
    assert virtual_hub.transmitted == []


@pytest.mark.parametrize(
    ("domain", "fields", "sentence"),
    [
        (
            "climate",
            {},
            "Say what climate.den is really set to; it has: fan_mode, hvac_mode, temperature",
        ),
        (
            "climate",
            {"temperature": 22},
            "It is not known whether climate.den is on: give its hvac_mode, too (cool, heat, off)",
        ),
        (
            "climate",
            {"hvac_mode": "dry"},
            "The hvac_mode of climate.den cannot be dry; it can be: cool, heat, off",
        ),
        (
            "climate",
            {"hvac_mode": "heat", "temperature": 18},
            "The temperature of climate.den cannot be 18; it can be: 20 \N{EN DASH} 30",
        ),
        (
            "climate",
            {"hvac_mode": "heat", "fan_mode": "low"},
            "The fan_mode of climate.den cannot be low; it can be: auto",
        ),
        (
            "climate",
            {"hvac_mode": "off", "temperature": 22},
            "climate.den has no temperature while it is off; it has: \N{EN DASH}",
        ),
        ("fan", {"state": "cool"}, "The state of fan.den cannot be cool; it can be: off, on"),
        (
            "fan",
            {"state": "off", "percentage": 50},
            "fan.den has no percentage while it is off; it has: direction, oscillating",
        ),
        (
            "media_player",
            {"state": "on", "source": "HDMI 3"},
            "The source of media_player.den cannot be HDMI 3; it can be: HDMI 1, HDMI 2",
        ),
        (
            "cover",
            {"state": "open", "hvac_mode": "cool"},
            "two or more values in the same group of exclusion 'state'",
        ),
        ("light", {"state": "on", "fan_mode": "low"}, "light.den has no fan_mode while it is on"),
    ],
)
async def test_a_state_that_is_impossible_is_named_with_the_possible_ones(
    hass: HomeAssistant,
    config_dir: Path,
    domain: str,
    fields: dict[str, Any],
    sentence: str,
    *,
    virtual_hub: VirtualHub,
) -> None:
    await start(hass, config_dir, virtual_hub, domain)
    with pytest.raises(Exception) as caught:  # noqa: PT011 - of the schema, or of ours
        await correct(hass, f"{domain}.den", **fields)
    assert sentence in str(caught.value)
    assert shown(hass, f"{domain}.den")["state"] == "unknown"


async def test_a_television_whose_hub_is_away_is_corrected_and_stays_so_after_a_restart(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    await start(hass, config_dir, virtual_hub, "media_player")
    virtual_hub.faults.silent = True
    our_hub(hass, virtual_hub).connection.check_now()
    await until(lambda: shown(hass, TV)["state"] == "unavailable")
    await correct(hass, TV, state="on", source="HDMI 1")
    await async_mock_restore_state_shutdown_restart(hass)
    virtual_hub.faults.silent = False
    our_hub(hass, virtual_hub).connection.check_now()
    await until(lambda: shown(hass, TV)["state"] == "on")
    kept = async_get(hass).last_states[TV].extra_data
    assert kept is not None
    assert kept.as_dict() == {"is_on": True, "kept": {"source": "HDMI 1", "channel": None}}


async def test_a_correction_counts_in_the_same_script(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    await start(hass, config_dir, virtual_hub, "climate")
    context = Context()
    for domain, action, mode in (
        ("climate", "set_hvac_mode", "cool"),
        ("irhub", "set_state", "off"),
        ("climate", "set_hvac_mode", "cool"),
    ):
        data = {"entity_id": "climate.den", "hvac_mode": mode}
        await hass.services.async_call(domain, action, data, blocking=True, context=context)
    assert len(virtual_hub.transmitted) == 2


async def test_an_entity_of_an_area_that_cannot_be_off_does_not_hinder_the_others(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    switch = {"switches": {"amplifier": {"command_on": CODES.packet()}}}
    await start(hass, config_dir, virtual_hub, "media_player")
    await set_up(hass, "switch", entry(virtual_hub, **switch))
    area = ar.async_get(hass).async_create("Den")
    registry = er.async_get(hass)
    registry.async_update_entity(TV, area_id=area.id)
    registry.async_update_entity("switch.amplifier", area_id=area.id)
    for_all = {"area_id": area.id, "state": "on"}
    await hass.services.async_call("irhub", "set_state", for_all, blocking=True)
    assert [shown(hass, id_)["state"] for id_ in (TV, "switch.amplifier")] == ["on", "on"]
    assert virtual_hub.transmitted == []
    with pytest.raises(HomeAssistantError, match=r"switch\.amplifier has no source"):
        await correct(hass, ["switch.amplifier", TV], state="on", source="HDMI 1")
    assert shown(hass, TV)["source"] == "HDMI 1"
    with pytest.raises(HomeAssistantError, match=r"Of remote\.lamp, irhub assumes no state"):
        await correct(hass, "remote.lamp", state="off")
    other = ar.async_get(hass).async_create("Attic")
    with pytest.raises(HomeAssistantError, match="Nothing that was chosen"):
        await hass.services.async_call(
            "irhub", "set_state", {"area_id": other.id, "state": "on"}, blocking=True
        )


async def test_only_a_user_who_may_control_a_device_may_correct_it(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    await start(hass, config_dir, virtual_hub, "cover")
    await hass.auth.async_create_user("owner")
    reader = await hass.auth.async_create_user("reader", group_ids=[GROUP_ID_READ_ONLY])
    with pytest.raises(Unauthorized):
        await hass.services.async_call(
            "irhub",
            "set_state",
            {"entity_id": "cover.den", "state": "open"},
            blocking=True,
            context=Context(user_id=reader.id),
        )
    assert shown(hass, "cover.den")["state"] == "unknown"


async def test_degrees_fahrenheit_are_those_of_the_codes(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    hass.config.units = US_CUSTOMARY_SYSTEM
    await start(hass, config_dir, virtual_hub, "climate")
    await correct(hass, "climate.den", hvac_mode="cool", temperature=72)
    assert shown(hass, "climate.den")["temperature"] == 72
    with pytest.raises(HomeAssistantError, match=r"cannot be 22; it can be: 64 . 86"):
        await correct(hass, "climate.den", hvac_mode="cool", temperature=22)


async def test_a_timer_goes_on_unless_it_is_off(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    await start(hass, config_dir, virtual_hub, "climate")
    data = {"entity_id": "climate.den", "duration": {"minutes": 5}}
    await hass.services.async_call("irhub", "turn_off_in", data, blocking=True)
    await correct(hass, "climate.den", hvac_mode="cool")
    assert "off_at" in shown(hass, "climate.den")
    await correct(hass, "climate.den", hvac_mode="off")
    assert "off_at" not in shown(hass, "climate.den")
