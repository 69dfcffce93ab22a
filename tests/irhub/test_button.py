"""A button for each learned command."""

import asyncio
from pathlib import Path

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import area_registry as ar, device_registry as dr, entity_registry as er
from homeassistant.helpers.icon import async_get_icons
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import (  # type: ignore[import-untyped]
    WebSocketGenerator,
)

from custom_components.irhub.devices.store import DATA_DEVICES
from custom_components.irhub.entities.use import IrhubConfigEntry
from tests.home import until
from virtual_home.hub import VirtualHub

from .buttons import REMOTE, act, buttons, devices, learn, press
from .dialogue import add
from .home import HDMI, NEC, POWER, RC5, commands, entry as yaml_entry, our_hub, set_up
from .hub.logged import logged
from .yaml.configuration import configure as write_yaml, item, living, reload, start


async def test_buttons_come_with_commands_and_go_with_them(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    assert buttons(hass) == {}
    await learn(hass, television={"power": RC5, "mute": NEC}, fan={"off": NEC})
    assert buttons(hass) == {
        "button.television_power": "television power",
        "button.television_mute": "television mute",
        "button.fan_off": "fan off",
    }
    found = devices(hass, entry)
    assert found.keys() == {"Lounge", "television", "fan"}
    assert found["television"].via_device_id == found["Lounge"].id
    await press(hass, "button.television_mute")
    assert lounge.transmitted == [HDMI]

    await act(hass, "delete_codes", device="television", command="mute")
    await act(hass, "delete_codes", device="fan")
    assert buttons(hass) == {"button.television_power": "television power"}
    assert devices(hass, entry).keys() == {"Lounge", "television"}
    assert er.async_get(hass).async_get("button.fan_off") is None


@pytest.mark.usefixtures("entry")
async def test_learning_makes_a_button(hass: HomeAssistant, lounge: VirtualHub) -> None:
    call = hass.async_create_task(
        hass.services.async_call(
            "remote",
            "learn_command",
            {"entity_id": REMOTE, "device": "tv", "command": "power"},
            blocking=True,
        )
    )
    await lounge.press_when_listening(POWER)
    await call
    await hass.async_block_till_done()
    await press(hass, "button.tv_power")
    assert lounge.transmitted == [POWER]


async def test_a_button_follows_its_command(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    await learn(hass, tv={"power": RC5, "mute": NEC})
    registry = er.async_get(hass)
    registry.async_update_entity("button.tv_mute", icon="mdi:volume-off")
    await act(hass, "rename_code", device="tv", command="mute", new_command="silence")
    assert buttons(hass)["button.tv_mute"] == "tv silence"
    await press(hass, "button.tv_mute")
    assert lounge.transmitted == [HDMI]

    # The whole device: it stays the same one, wherever the user has put it.
    dr.async_get(hass).async_update_device(devices(hass, entry)["tv"].id, area_id="attic")
    before = devices(hass, entry)["tv"].id
    await act(hass, "rename_code", device="tv", new_device="television")
    assert buttons(hass) == {
        "button.tv_mute": "television silence",
        "button.tv_power": "television power",
    }
    assert devices(hass, entry).keys() == {"Lounge", "television"}
    assert devices(hass, entry)["television"].id == before
    assert devices(hass, entry)["television"].area_id == "attic"

    # One command to another device.
    await act(hass, "rename_code", device="television", command="power", new_device="amplifier")
    assert buttons(hass)["button.tv_power"] == "amplifier power"
    amplifier = devices(hass, entry)["amplifier"]
    assert amplifier.via_device_id == devices(hass, entry)["Lounge"].id
    moved = registry.async_get("button.tv_power")
    assert moved is not None
    assert moved.device_id == amplifier.id

    # The same after a restart.
    assert await hass.config_entries.async_reload(entry.entry_id)
    await hass.async_block_till_done()
    assert buttons(hass) == {
        "button.tv_mute": "television silence",
        "button.tv_power": "amplifier power",
    }
    kept = registry.async_get("button.tv_mute")
    assert kept is not None
    assert kept.icon == "mdi:volume-off"


@pytest.mark.usefixtures("entry")
async def test_button_and_remote_take_turns(hass: HomeAssistant, lounge: VirtualHub) -> None:
    await learn(hass, tv={"power": [RC5, NEC]})
    await press(hass, "button.tv_power")
    await hass.services.async_call(
        "remote",
        "send_command",
        {"entity_id": REMOTE, "device": "tv", "command": "power"},
        blocking=True,
    )
    await press(hass, "button.tv_power")
    assert lounge.transmitted == [POWER, HDMI, POWER]


async def test_names_that_could_be_confused(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    odd = {
        "a-b": {"c": RC5},
        "a": {"b-c": RC5},
        "a/b": {"c%": RC5},
        "Küche ☕": {"ein/aus": NEC},
    }
    await act(hass, "import_codes", codes=odd)
    assert set(buttons(hass).values()) == {"a-b c", "a b-c", "a/b c%", "Küche ☕ ein/aus"}
    assert devices(hass, entry).keys() == {"Lounge", *odd}
    await press(hass, "button.kuche_ein_aus")
    assert lounge.transmitted == [HDMI]


@pytest.mark.usefixtures("entry")
async def test_a_hub_that_is_off(hass: HomeAssistant, lounge: VirtualHub) -> None:
    await learn(hass, tv={"power": RC5})
    lounge.faults.silent = True
    with pytest.raises(HomeAssistantError, match="does not answer: is it plugged in"):
        await press(hass, "button.tv_power")
    await until(lambda: hass.states.is_state("button.tv_power", "unavailable"))


async def test_deleting_the_device_deletes_its_commands(
    hass: HomeAssistant, hass_ws_client: WebSocketGenerator, entry: IrhubConfigEntry
) -> None:
    await learn(hass, tv={"power": RC5}, fan={"off": NEC})
    assert await async_setup_component(hass, "config", {})
    client = await hass_ws_client(hass)
    for name, allowed in (("tv", True), ("Lounge", False)):
        # The name that it has on all versions.
        await client.send_json_auto_id(
            {
                "type": "config/device_registry/remove_config_entry",
                "device_id": devices(hass, entry)[name].id,
                "config_entry_id": entry.entry_id,
            }
        )
        assert (await client.receive_json())["success"] is allowed
        await hass.async_block_till_done()
    assert devices(hass, entry).keys() == {"Lounge", "fan"}
    assert commands(entry.runtime_data.devices).keys() == {"fan"}
    assert buttons(hass) == {"button.fan_off": "fan off"}


async def test_commands_deleted_meanwhile_leave_no_button(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    await learn(hass, tv={"power": RC5}, fan={"off": NEC})
    stored = entry.runtime_data.devices
    assert await hass.config_entries.async_unload(entry.entry_id)
    await stored.delete_named("tv")
    assert await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    assert buttons(hass).keys() == {"button.fan_off"}
    assert er.async_get(hass).async_get("button.tv_power") is None
    assert devices(hass, entry).keys() == {"Lounge", "fan"}


async def test_a_file_that_cannot_be_read_costs_no_button(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture, entry: IrhubConfigEntry
) -> None:
    await learn(hass, tv={"power": RC5})
    assert await hass.config_entries.async_unload(entry.entry_id)
    path = config_dir / ".storage" / "irhub_devices_34ea34000001"
    kept = path.read_text()
    path.unlink()
    path.mkdir()
    hass.data[DATA_DEVICES].clear()  # as a restart does
    assert await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    assert logged(caplog, "cannot be read") == 1  # by the remote and the buttons together
    assert er.async_get(hass).async_get("button.tv_power") is not None
    path.rmdir()
    path.write_text(kept)
    await learn(hass, fan={"off": NEC})
    assert buttons(hass).keys() == {"button.tv_power", "button.fan_off"}


async def test_buttons_in_yaml_have_no_devices(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    platforms = ("remote:", item(virtual_hub, "name: Lounge"), "button:", item(virtual_hub))
    await start(hass, config_dir, *platforms)
    await until(lambda: our_hub(hass, virtual_hub).available)
    await learn(hass, tv={"power": RC5, "mute": NEC})
    assert buttons(hass) == {"button.tv_power": "tv power", "button.tv_mute": "tv mute"}
    await press(hass, "button.tv_power")
    assert virtual_hub.transmitted == [POWER]
    await act(hass, "rename_code", device="tv", command="mute", new_command="silence")
    assert buttons(hass)["button.tv_mute"] == "tv silence"
    await act(hass, "delete_codes", device="tv", command="power")
    assert buttons(hass) == {"button.tv_mute": "tv silence"}
    assert not dr.async_get(hass).devices

    await reload(hass)
    assert buttons(hass) == {"button.tv_mute": "tv silence"}
    write_yaml(config_dir, "remote:", item(virtual_hub, "name: Lounge"))
    await reload(hass)
    assert living(hass) == ["remote.lounge"]
    await learn(hass, tv={"power": RC5})
    assert buttons(hass) == {}


async def test_a_button_of_yaml_for_a_hub_of_two_macs(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    await set_up(
        hass, "button", yaml_entry(virtual_hub), yaml_entry(virtual_hub, mac="34:EA:34:00:00:02")
    )
    assert "name different devices" in caplog.text


async def test_what_is_learned_while_the_entry_is_reloaded_gets_its_button(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, lounge: VirtualHub
) -> None:
    entry = await add(hass, lounge)
    stored = entry.runtime_data.devices

    async def learn_after(turns: int) -> None:
        for _ in range(turns):
            await asyncio.sleep(0)
        await stored.store({"television": {f"channel {turns}": [POWER]}})

    for turns in range(0, 60, 2):
        await asyncio.gather(hass.config_entries.async_reload(entry.entry_id), learn_after(turns))
        await hass.async_block_till_done()
        assert f"button.television_channel_{turns}" in buttons(hass)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


@pytest.mark.usefixtures("entry")
async def test_signs_are_distinguished_in_the_entity_id(hass: HomeAssistant) -> None:
    await learn(hass, tv={"vol +": RC5, "vol -": NEC, "Channel+": RC5})
    assert buttons(hass) == {
        "button.tv_volume_up": "tv vol +",
        "button.tv_volume_down": "tv vol -",
        "button.tv_channel_up": "tv Channel+",
    }


@pytest.mark.usefixtures("entry")
@pytest.mark.parametrize(
    ("command", "key"),
    [
        ("power", "toggle"),
        ("lauter", "volume_up"),
        ("Vol-", "volume_down"),
        ("channel up", "next"),
        ("hoch", "up"),
        ("zurück", "back"),
        ("7", "digit_7"),
        ("hdmi 2", "source"),
        ("speed 3", "command"),
    ],
)
async def test_the_icon_says_what_it_does(hass: HomeAssistant, command: str, key: str) -> None:
    await learn(hass, tv={command: RC5})
    [entity_id] = buttons(hass)
    entity = er.async_get(hass).async_get(entity_id)
    assert entity is not None
    assert entity.translation_key == key
    icons = await async_get_icons(hass, "entity", {"irhub"})
    assert key in icons["irhub"]["button"]


async def test_the_icon_of_a_known_function_needs_no_name(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    device = {
        "id": "fan",
        "name": "Fan",
        "kind": "fan",
        "commands": [{"id": "fan-1", "name": "B7", "packets": [RC5]}],
        "functions": {"oscillate": "fan-1"},
    }
    await add(hass, lounge)
    await act(hass, "import_codes", codes={"devices": [device]})
    entity = er.async_get(hass).async_get("button.fan_b7")
    assert entity is not None
    assert entity.translation_key == "oscillate"
    icons = await async_get_icons(hass, "entity", {"irhub"})
    assert "oscillate" in icons["irhub"]["button"]


async def test_the_page_of_a_device_links_to_its_hub(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    await learn(hass, tv={"power": RC5})
    link = str(devices(hass, entry)["tv"].configuration_url)
    page, _, shown = link.partition("#config_entry=")
    assert page == "homeassistant://config/integrations/integration/irhub"
    assert shown == entry.entry_id


async def test_a_learned_device_is_in_the_hubs_area(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    registry, area = dr.async_get(hass), ar.async_get(hass).async_create("Parlour")
    registry.async_update_device(devices(hass, entry)["Lounge"].id, area_id=area.id)
    await learn(hass, tv={"power": RC5})
    assert devices(hass, entry)["tv"].area_id == area.id
    # Where the user has put it afterwards, it stays.
    registry.async_update_device(devices(hass, entry)["tv"].id, area_id=None)
    await learn(hass, tv={"mute": NEC})
    assert devices(hass, entry)["tv"].area_id is None
