"""The history of a hub: changes are listed and undone, in the dialogue and by actions."""

from dataclasses import replace

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ServiceValidationError
import pytest

from custom_components.irhub.devices.device import Device
from custom_components.irhub.devices.kinds import Kind
from custom_components.irhub.devices.meanings import with_meanings
from custom_components.irhub.devices.store import DATA_DEVICES
from custom_components.irhub.entities.registries import async_show_devices
from custom_components.irhub.entities.use import IrhubConfigEntry
from tests.home import until
from virtual_home.hub import VirtualHub

from ..buttons import act, buttons, devices, learn, press
from ..dialogue import add, configure
from ..entities.appliances import settle
from ..home import HDMI, NEC, POWER, RC5, commands, known
from .actions import TV, changes, undo
from .taught import taught

IMPORTED = {"tv": {"power": NEC, "mute": RC5}, "fan": {"on": RC5}}


async def test_a_code_that_was_learned_again_comes_back_in_the_dialogue(
    hass: HomeAssistant,
    lounge: VirtualHub,
    entry: IrhubConfigEntry,
) -> None:
    dialogue = await configure(hass, entry)
    assert "history" not in dialogue.shown["menu_options"]
    await learn(hass, tv={"power": RC5})
    await learn(hass, tv={"power": NEC})
    dialogue = await (await configure(hass, entry)).choose("history")
    again, first = dialogue.fields["change"].config["options"]
    assert again["label"].endswith(" · Learned or imported again on tv: power.")
    assert first["label"].endswith(" · tv was added.")
    await dialogue.submit(change=again["value"])
    assert dialogue.step == "undo"
    assert "brings back the old codes" in dialogue.texts["changes"]
    await dialogue.choose("undo_now")
    assert dialogue.step == "undone"
    await hass.async_block_till_done()
    await press(hass, "button.tv_power")
    assert lounge.transmitted == [POWER]
    await dialogue.choose("history")
    undone, _ = dialogue.fields["change"].config["options"]
    assert " \N{ANTICLOCKWISE TOP SEMICIRCLE ARROW} · " in undone["label"]
    await dialogue.submit(change=undone["value"])
    await dialogue.choose("undo_now")
    await press(hass, "button.tv_power")
    assert lounge.transmitted == [POWER, HDMI]


async def test_a_device_without_commands_is_deleted_and_restored_without_a_number(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    """Its rule encodes what it sends."""
    await entry.runtime_data.devices.put(taught())
    dialogue = await (await configure(hass, entry)).choose("history")
    [added] = dialogue.fields["change"].config["options"]
    await dialogue.submit(change=added["value"])
    await dialogue.choose("undo_now")
    await dialogue.choose("history")
    [deleted] = dialogue.fields["change"].config["options"]
    assert deleted["label"].endswith(f" · {taught().name} was deleted.")
    await dialogue.submit()
    await dialogue.choose("restore")
    [restorable] = dialogue.fields["deleted"].config["options"]
    assert restorable["label"].startswith(f"{taught().name} · ")


async def test_what_came_later_is_named_and_stays(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    for packet in (RC5, NEC, RC5):
        await learn(hass, tv={"power": packet, "mute": NEC})
    dialogue = await (await configure(hass, entry)).choose("history")
    _, again, _ = dialogue.fields["change"].config["options"]
    await dialogue.submit(change=again["value"])
    await dialogue.choose("undo_now")
    assert dialogue.step == "undo"
    assert "Learned or imported again on tv: power." in dialogue.texts["problem"]
    assert commands(known(hass)) == {"tv": {"power": [POWER], "mute": [HDMI]}}
    await dialogue.choose("history")
    await dialogue.submit()
    assert dialogue.step == "init"


async def test_a_thermostat_or_player_goes_and_comes_with_its_change(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    def as_television(device: Device) -> Device:
        changed = replace(device, kind=Kind.TELEVISION, entity=device.id)
        return with_meanings(changed, device.commands.values())

    entry = await add(hass, lounge)
    await learn(hass, tv=TV)
    before = known(hass).named("tv")
    await known(hass).change(before, as_television)
    async_show_devices(hass, known(hass))
    await settle(hass, entry, "media_player.tv")
    [last, _] = await changes(hass)
    assert last["changes"] == ["The kind of tv was changed."]
    assert last["undo"] == ["Undoing this restores the old settings."]
    await undo(hass)
    await until(lambda: hass.states.get("media_player.tv") is None)
    await until(lambda: {"button.tv_power", "button.tv_vol_up"} <= buttons(hass).keys())
    assert known(hass).named("tv") == before
    assert not entry.subentries
    assert "tv" in devices(hass, entry)
    await undo(hass)
    await settle(hass, entry, "media_player.tv")
    await hass.services.async_call(
        "media_player", "turn_on", {"entity_id": "media_player.tv"}, blocking=True
    )
    assert lounge.transmitted == [POWER]


async def test_changes_of_the_same_write_are_a_single_entry(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    await learn(hass, tv=TV)
    await act(hass, "import_codes", codes={"tv": {"power": NEC, "mute": RC5}, "fan": {"on": RC5}})
    [imported, _] = await changes(hass)
    assert imported["changes"] == [
        "New on tv: mute.",
        "Learned or imported again on tv: power.",
        "fan was added.",
    ]
    assert [each["id"] for each in await changes(hass, device="fan")] == [imported["id"]]
    assert await changes(hass, device="radio") == []
    dialogue = await (await configure(hass, entry)).choose("history")
    assert dialogue.fields["change"].config["options"][0]["label"].endswith("tv: mute. (+2)")
    await act(hass, "rename_code", device="fan", new_device="ventilator")
    with pytest.raises(ServiceValidationError, match=r"fan was renamed to ventilator\."):
        await undo(hass, 1)
    await undo(hass, 0)
    assert (await undo(hass, 1))["id"] == imported["id"]
    assert commands(known(hass)) == {"tv": {"power": [POWER], "vol up": [HDMI]}}
    assert buttons(hass).keys() == {"button.tv_power", "button.tv_vol_up"}


async def test_it_is_there_after_a_restart(hass: HomeAssistant, entry: IrhubConfigEntry) -> None:
    await learn(hass, tv=TV)
    await act(hass, "rename_code", device="tv", command="power", new_command="on")
    await act(hass, "rename_code", device="tv", command="vol up", new_device="amplifier")
    before = await changes(hass)
    await hass.config_entries.async_unload(entry.entry_id)
    hass.data[DATA_DEVICES].clear()
    await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    assert await changes(hass) == before
    assert [each["changes"] for each in before] == [
        ["Moved from tv to amplifier: vol up."],
        ["Renamed on tv: power → on."],
        ["tv was added."],
    ]
    await undo(hass)
    await undo(hass, 1)
    assert commands(known(hass)) == {"tv": {"power": [POWER], "vol up": [HDMI]}}


async def test_a_change_that_is_gone_says_so(hass: HomeAssistant, entry: IrhubConfigEntry) -> None:
    await learn(hass, tv=TV)
    dialogue = await (await configure(hass, entry)).choose("history")
    [change] = dialogue.fields["change"].config["options"]
    await dialogue.submit(change=change["value"])
    await undo(hass)
    await dialogue.choose("undo_now")
    assert "not in the history any more" in dialogue.texts["problem"]
    assert not known(hass)
    await dialogue.choose("history")
    [change] = dialogue.fields["change"].config["options"]
    assert change["label"].endswith("tv was deleted, with its commands (2).")
