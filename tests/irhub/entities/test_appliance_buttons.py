"""What appliances mean for buttons: none of what they use, never a room's, no wall of them."""

from pathlib import Path
import time

from homeassistant.core import Event, EventStateChangedData, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
    issue_registry as ir,
    label_registry as lr,
)
import pytest

from custom_components.irhub.entities.use import IrhubConfigEntry
from custom_components.irhub.entry import async_remove_config_entry_device
from tests.home import until
from virtual_home.hub import VirtualHub

from ..buttons import buttons, devices, learn, press
from ..devices.files import put
from ..dialogue import add, add_of_before, entry_of
from ..home import known
from ..ircodes.code_files import Codes, bytes_of
from ..issues import mend
from ..yaml.configuration import configure as write_yaml, item, reload
from .appliances import appliance, settle

CODES = Codes()
MODES, FANS = ["cool", "heat", "dry", "fan_only"], ["auto", "low", "high"]
STATES = {
    f"{mode} {fan} {t}": CODES.packet() for mode in MODES for fan in FANS for t in range(18, 30)
}


def issue_of_ac(hass: HomeAssistant) -> tuple[str, str]:
    """Return which repair offers to make the device an air conditioner."""
    return "irhub", f"appliance_34ea34000001_{known(hass).named('ac').id}"


async def test_an_area_or_a_device_presses_no_commands(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    attic = ar.async_get(hass).async_create("Attic")
    entry = await add(hass, lounge)
    await learn(hass, tv={"power": CODES.packet(), "mute": CODES.packet()})
    device_id = devices(hass, entry)["tv"].id
    dr.async_get(hass).async_update_device(device_id, area_id=attic.id)
    label = lr.async_get(hass).async_create("Every evening").label_id
    er.async_get(hass).async_update_entity("button.tv_mute", labels={label})
    both: dict[str, str | list[str]] = {"area_id": attic.id, "entity_id": "button.tv_power"}
    for target in ({"area_id": attic.id}, {"device_id": device_id}):
        with pytest.raises(ServiceValidationError, match="pressed by its own name only"):
            await hass.services.async_call("button", "press", target, blocking=True)
    assert lounge.transmitted == []
    await press(hass, "button.tv_power")
    assert len(lounge.transmitted) == 1
    with pytest.raises(ServiceValidationError, match=r"button\.tv_mute is pressed"):
        await hass.services.async_call("button", "press", both, blocking=True)
    assert len(lounge.transmitted) == 2
    await hass.services.async_call("button", "press", {"label_id": label}, blocking=True)
    assert len(lounge.transmitted) == 3


async def test_the_page_of_a_room_shows_what_is_for_people(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    """A category keeps an entity from generated dashboards."""
    await learn(hass, tv={"power": CODES.packet()})
    shown = {
        entity.entity_id
        for entity in er.async_entries_for_config_entry(er.async_get(hass), entry.entry_id)
        if entity.entity_category is None
    }
    assert {"button.tv_power", "remote.lounge"} <= shown
    assert not {each for each in shown if each.startswith(("infrared.", "radio_frequency."))}


async def test_state_buttons_of_an_older_version_are_offered_a_thermostat(
    hass: HomeAssistant, config_dir: Path, lounge: VirtualHub
) -> None:
    stored = {**STATES, "off": CODES.packet(), "ionizer": CODES.packet()}
    put(config_dir, "irhub_remote_34ea34000001_codes", {"ac": stored})
    entry = entry_of(lounge)
    entry.add_to_hass(hass)
    registry = er.async_get(hass)
    device = dr.async_get(hass).async_get_or_create(
        config_entry_id=entry.entry_id, identifiers={("irhub", "34ea34000001-ac")}, name="ac"
    )
    for name in STATES:  # as 0.2.0 has left them
        registry.async_get_or_create(
            "button",
            "irhub",
            f"34ea34000001-ac/{name.replace(' ', '%20')}",
            config_entry=entry,
            device_id=device.id,
        )
    assert await hass.config_entries.async_setup(entry.entry_id)
    await until(lambda: entry.runtime_data.hub.available)
    await hass.async_block_till_done()
    # Nothing vanishes unasked, and no new ones come to so many.
    assert len(buttons(hass)) == len(STATES)
    issue = ir.async_get(hass).async_get_issue(*issue_of_ac(hass))
    assert issue is not None
    assert issue.translation_placeholders == {"device": "ac", "count": str(len(STATES))}

    dialogue = await mend(hass, issue_of_ac(hass)[1])
    assert dialogue.texts["count"] == str(len(STATES))
    await dialogue.choose("make")
    await settle(hass, entry, "climate.ac")
    assert buttons(hass) == {}
    assert ir.async_get(hass).async_get_issue(*issue_of_ac(hass)) is None
    assert devices(hass, entry)["ac"].id == device.id
    await hass.services.async_call(
        "climate",
        "set_temperature",
        {"entity_id": "climate.ac", "hvac_mode": "heat", "temperature": 25},
        blocking=True,
    )
    assert lounge.transmitted == [bytes_of(STATES["heat auto 25"])]


async def test_entities_of_yaml_have_no_buttons_for_their_commands(
    hass: HomeAssistant, lounge: VirtualHub, config_dir: Path
) -> None:
    states = {name: packet for name, packet in STATES.items() if name.startswith("cool")}
    await add(hass, lounge)
    await learn(hass, ac={**states, "off": CODES.packet(), "turbo": CODES.packet()})
    assert len(buttons(hass)) == 38
    assert ir.async_get(hass).async_get_issue(*issue_of_ac(hass)) is not None
    write_yaml(config_dir, "climate:", item(lounge, "name: Office", "device: ac"))
    await reload(hass)
    await until(lambda: hass.states.is_state("climate.office", "unknown"))
    await until(lambda: sorted(buttons(hass)) == ["button.ac_turbo"])
    assert ir.async_get(hass).async_get_issue(*issue_of_ac(hass)) is None
    await hass.services.async_call(
        "climate", "turn_on", {"entity_id": "climate.office"}, blocking=True
    )
    assert lounge.transmitted == [bytes_of(STATES["cool auto 22"])]
    write_yaml(config_dir)
    await reload(hass)
    await until(lambda: len(buttons(hass)) == 38)


async def test_left_as_it_is(hass: HomeAssistant, entry: IrhubConfigEntry) -> None:
    few = dict(list(STATES.items())[:50])
    await learn(hass, ac=few)
    assert len(buttons(hass)) == 50
    await (await mend(hass, issue_of_ac(hass)[1])).choose("leave")
    assert len(buttons(hass)) == 50
    assert not entry.subentries


@pytest.mark.usefixtures("entry")
async def test_an_imported_file_makes_no_wall_of_buttons(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    await learn(hass, ac=STATES, tv={"power": CODES.packet()})
    assert buttons(hass).keys() == {"button.tv_power"}
    await hass.services.async_call(
        "remote",
        "send_command",
        {"entity_id": "remote.lounge", "device": "ac", "command": "dry low 20"},
        blocking=True,
    )
    assert lounge.transmitted == [bytes_of(STATES["dry low 20"])]


async def test_deleting_the_device_of_an_appliance(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    await learn(hass, ac=STATES)
    await add_of_before(hass, entry, appliance("ac", "climate"))
    await settle(hass, entry, "climate.ac")
    assert await async_remove_config_entry_device(hass, entry, devices(hass, entry)["ac"])
    await hass.async_block_till_done()
    assert not entry.runtime_data.devices
    assert not entry.subentries


async def test_a_renamed_device_stays_an_appliance(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    await learn(hass, tv={"power": CODES.packet(), "vol up": CODES.packet()})
    functions = {"toggle": "power", "volume_up": "vol up"}
    subentry = appliance("tv", "media_player", functions=functions)
    await add_of_before(hass, entry, subentry)
    await settle(hass, entry, "media_player.tv")
    rename = {"entity_id": "remote.lounge", "device": "tv"}
    await hass.services.async_call(
        "irhub",
        "rename_code",
        {**rename, "command": "power", "new_command": "on and off"},
        blocking=True,
    )
    await hass.async_block_till_done()
    await settle(hass, entry, "media_player.tv")
    await hass.services.async_call(
        "irhub", "rename_code", {**rename, "new_device": "television"}, blocking=True
    )
    await hass.async_block_till_done()
    await settle(hass, entry, "media_player.tv")
    await hass.services.async_call(
        "media_player", "turn_on", {"entity_id": "media_player.tv"}, blocking=True
    )
    assert len(lounge.transmitted) == 1
    assert buttons(hass) == {}
    [subentry] = entry.subentries.values()
    assert subentry.title == "television"


async def test_a_command_that_moves_to_another_appliance(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, entry: IrhubConfigEntry
) -> None:
    await learn(hass, tv={"power": CODES.packet()}, box={"vol up": CODES.packet()})
    for device in ("tv", "box"):
        await add_of_before(hass, entry, appliance(device, "media_player"))
        await settle(hass, entry, f"media_player.{device}")
    await hass.services.async_call(
        "irhub",
        "rename_code",
        {
            "entity_id": "remote.lounge",
            "device": "box",
            "command": "vol up",
            "new_device": "tv",
        },
        blocking=True,
    )
    await hass.async_block_till_done()
    assert "A listener to learned commands failed" not in caplog.text
    assert [each.title for each in entry.subentries.values()] == ["tv", "box"]


async def test_2689_states_take_less_than_a_second_and_a_single_entity(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    fans, swings = ["auto", "low", "mid", "high", "turbo"], ["off", "on", "up", "down"]
    states = {
        f"{mode} {fan} {swing} {t}": CODES.packet()
        for mode in ("cool", "heat", "dry", "fan_only", "auto")
        for fan in fans
        for swing in swings
        for t in range(16, 43)
    }
    states = dict(list(states.items())[:2688]) | {"off": CODES.packet()}
    written: list[str] = []

    @callback
    def changed(event: Event[EventStateChangedData]) -> None:
        written.append(event.data["entity_id"])

    entry = await add(hass, lounge)
    await learn(hass, ac=states)
    before = set(er.async_get(hass).entities)
    began = time.thread_time()
    await add_of_before(hass, entry, appliance("ac", "climate"))
    await settle(hass, entry, "climate.ac")
    added = time.thread_time() - began
    assert {*er.async_get(hass).entities} - before == {"climate.ac"}
    assert added < 1
    hass.bus.async_listen("state_changed", changed)
    lounge.faults.silent = True
    with pytest.raises(HomeAssistantError):
        await hass.services.async_call(
            "climate", "turn_on", {"entity_id": "climate.ac"}, blocking=True
        )
    await until(lambda: hass.states.is_state("climate.ac", "unavailable"))
    await hass.async_block_till_done()
    assert written.count("climate.ac") == 1
    assert len(written) < 10
