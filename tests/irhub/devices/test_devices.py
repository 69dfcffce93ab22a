"""Devices as things: told what they are, renamed by id, deleted and brought back, moved whole."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import Mock

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import device_registry as dr, entity_registry as er, issue_registry as ir
import pytest

from custom_components.irhub.actions.deletion import deleted_issue
from custom_components.irhub.devices.journal import KEPT_BYTES
from custom_components.irhub.devices.kinds import Kind
from custom_components.irhub.entities.use import IrhubConfigEntry
from custom_components.irhub.entry import async_remove_config_entry_device
from custom_components.irhub.ircodes import from_timings, to_base64
from tests.home import until
from virtual_home.hub import VirtualHub

from ..buttons import act, buttons, devices, learn, press
from ..dialogue import add, add_of_before, configure
from ..dialogues.appliances import begin
from ..entities.appliances import appliance, settle
from ..home import HDMI, NEC, POWER, RC5, commands, known
from ..issues import MAC, mend
from .actions import TV, respond

OTHER_MAC = "34:EA:34:00:00:02"


async def have_television(hass: HomeAssistant, entry: IrhubConfigEntry) -> None:
    """Have a television with its entity, as its user has made it."""
    await learn(hass, tv=TV)
    await add_of_before(
        hass,
        entry,
        appliance("tv", "media_player", functions={"toggle": "power"}, power_delay=3),
    )
    await settle(hass, entry, "media_player.tv")


async def test_functions_of_a_template_are_kept(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    dialogue = await (await begin(hass, entry, "television")).choose("learn_remote")
    names = dialogue.suggested["buttons"]
    await dialogue.submit(name="set", buttons=[names[0], names[4]])
    await dialogue.arrive("press")
    await lounge.press_when_listening(POWER)
    await until(lambda: "set" in commands(known(hass)))
    device = known(hass).named("set")
    assert device.kind is Kind.TELEVISION
    assert device.functions == {"toggle": device.by_name[names[0]].id}


async def test_the_pencil_names_a_device_everywhere(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    await learn(hass, tv=TV)
    registry = dr.async_get(hass)
    registry.async_update_device(devices(hass, entry)["tv"].id, name_by_user="Bedroom TV")
    dialogue = await (await configure(hass, entry)).choose("try_command")
    assert dialogue.texts["device"] == "Bedroom TV"
    for name in ("Bedroom TV", "tv"):  # automations that name it as before go on
        await hass.services.async_call(
            "remote",
            "send_command",
            {"entity_id": "remote.lounge", "device": name, "command": "power"},
            blocking=True,
        )
    assert lounge.transmitted == [POWER, POWER]
    await act(hass, "rename_code", device="Bedroom TV", new_device="Attic TV")
    assert devices(hass, entry)["Attic TV"].name_by_user is None


async def test_a_renamed_device_keeps_its_entities(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    await learn(hass, tv=TV)
    await act(hass, "rename_code", device="tv", new_device="set")
    await act(hass, "rename_code", device="set", command="power", new_command="on")
    assert buttons(hass) == {"button.tv_power": "set on", "button.tv_vol_up": "set vol up"}
    await press(hass, "button.tv_power")
    assert lounge.transmitted == [POWER]
    assert devices(hass, entry).keys() == {"Lounge", "set"}


async def test_a_deleted_device_is_brought_back_whole(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    await have_television(hass, entry)
    before = known(hass).named("tv")
    await act(hass, "delete_codes", device="tv")
    await until(lambda: hass.states.get("media_player.tv") is None)
    assert not known(hass)
    assert not entry.subentries
    with pytest.raises(ServiceValidationError, match="of these devices something was: tv"):
        await act(hass, "restore_codes", device="fan")
    assert await respond(hass, "restore_codes", entity_id="remote.lounge", device="tv") == {
        "restored": 2
    }
    await settle(hass, entry, "media_player.tv")
    assert known(hass).named("tv") == before
    assert not known(hass).deleted
    await hass.services.async_call(
        "media_player", "turn_on", {"entity_id": "media_player.tv"}, blocking=True
    )
    assert lounge.transmitted == [POWER]


async def test_a_deleted_device_is_found_by_the_name_that_its_user_gave_it(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    await learn(hass, tv=TV)
    registry = dr.async_get(hass)
    registry.async_update_device(devices(hass, entry)["tv"].id, name_by_user="Bedroom TV")
    bedroom = {"device": "Bedroom TV"}
    await act(hass, "delete_codes", **bedroom, command="power")
    assert "power" not in known(hass).named("tv").by_name
    await act(hass, "restore_codes", **bedroom, command="power")
    assert "power" in known(hass).named("tv").by_name

    await act(hass, "delete_codes", **bedroom)
    await hass.async_block_till_done()
    assert "tv" not in devices(hass, entry)
    dialogue = await (await configure(hass, entry)).choose("restore")
    [option] = dialogue.fields["deleted"].config["options"]
    assert option["label"].startswith("Bedroom TV (")
    with pytest.raises(ServiceValidationError, match="of these devices something was: Bedroom"):
        await act(hass, "restore_codes", device="fan")
    await act(hass, "restore_codes", **bedroom)
    assert known(hass).named("tv").by_name.keys() == TV.keys()


async def test_a_previous_code_is_restored_in_the_dialogue(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    await learn(hass, tv={"power": RC5})
    await learn(hass, tv={"power": NEC})
    dialogue = await (await configure(hass, entry)).choose("restore")
    [option] = dialogue.fields["deleted"].config["options"]
    assert option["label"].startswith("tv (power) \N{ANTICLOCKWISE OPEN CIRCLE ARROW} · 20")
    await dialogue.submit(deleted=[option["value"]])
    await hass.async_block_till_done()
    await press(hass, "button.tv_power")
    assert lounge.transmitted == [POWER]


async def test_deleted_commands_are_restored_in_the_dialogue(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    await learn(hass, tv=TV)
    before = known(hass).named("tv")
    await hass.services.async_call(
        "remote",
        "delete_command",
        {"entity_id": "remote.lounge", "device": "tv", "command": "power"},
        blocking=True,
    )
    await hass.async_block_till_done()
    assert buttons(hass).keys() == {"button.tv_vol_up"}
    dialogue = await (await configure(hass, entry)).choose("restore")
    [deleted] = known(hass).deleted.values()
    [option] = dialogue.fields["deleted"].config["options"]
    assert option["value"] == deleted.id
    assert option["label"].startswith("tv (power) · 20")
    await dialogue.submit(deleted=[deleted.id])
    assert dialogue.step == "restored"
    await hass.async_block_till_done()
    assert known(hass).named("tv").commands == before.commands
    assert buttons(hass).keys() == {"button.tv_vol_up", "button.tv_power"}


async def test_home_assistants_own_button_can_be_undone(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    await have_television(hass, entry)
    registered = devices(hass, entry)["tv"]
    assert await async_remove_config_entry_device(hass, entry, registered)
    await hass.async_block_till_done()
    assert not known(hass)
    [deleted] = known(hass).deleted.values()
    issue = ir.async_get(hass).async_get_issue("irhub", deleted_issue(deleted.id))
    assert issue is not None
    assert issue.translation_placeholders is not None
    assert issue.translation_placeholders["count"] == "2"
    dialogue = await mend(hass, deleted_issue(deleted.id))
    assert dialogue.texts["device"] == "tv"
    await dialogue.choose("restore")
    await settle(hass, entry, "media_player.tv")
    assert known(hass).named("tv").settings.power_delay == 3


@pytest.mark.usefixtures("entry")
async def test_a_wrong_clock_loses_no_deletion(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A board without a battery may begin in 1970, and learn the time later."""
    await learn(hass, tv=TV)
    await act(hass, "delete_codes", device="tv")
    for days in (3_000, -20_000):
        then = datetime.now(UTC) + timedelta(days=days)
        clock = Mock(now=Mock(return_value=then))
        monkeypatch.setattr("custom_components.irhub.devices.journal.datetime", clock)
        await learn(hass, fan={f"on {days}": RC5})
    await act(hass, "restore_codes", device="tv")
    assert known(hass).named("tv").by_name.keys() == TV.keys()


async def test_a_deletion_is_forgotten_after_many_changes(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, lounge: VirtualHub
) -> None:
    monkeypatch.setattr("custom_components.irhub.devices.journal.KEPT_WRITES", 5)
    await add(hass, lounge)
    await learn(hass, tv=TV)
    await act(hass, "delete_codes", device="tv")
    for number in range(5):
        assert known(hass).deleted
        if number == 3:
            known(hass)._loaded = False  # noqa: SLF001  (as a restart does)
            await known(hass).load()
        await learn(hass, fan={f"on {number}": RC5})
    assert not known(hass).deleted


async def test_deleted_devices_take_little_space(
    hass: HomeAssistant, lounge: VirtualHub, config_dir: Path
) -> None:
    """An automation may import and delete all day: 120 times it was 10 MB of file."""
    path = config_dir / ".storage" / "irhub_devices_34ea34000001"
    await add(hass, lounge)
    await learn(hass, tv=TV)
    await act(hass, "delete_codes", device="tv")
    codes: dict[str, str] = {}
    for number in range(25):
        long = from_timings([500 + number, -500] * 400)
        codes = {f"key {key}": to_base64(long) for key in range(80)}
        await act(hass, "import_codes", codes={"air": codes})
        await act(hass, "delete_codes", device="air")
        assert len([*known(hass).deleted.values()][-1].device.commands) == 80
        assert path.stat().st_size < 1.25 * KEPT_BYTES
    assert path.stat().st_size > KEPT_BYTES / 2, "as much as there is room for"
    await known(hass).restore([*known(hass).deleted][-1])
    assert [*known(hass).named("air").by_name] == [*codes]


@pytest.mark.usefixtures("entry")
async def test_the_last_deletion_is_kept_however_large(hass: HomeAssistant) -> None:
    for name in ("air", "heat"):
        long = from_timings([500, -500] * 900)
        codes = {f"key {key}": to_base64(long) for key in range(400)}
        await act(hass, "import_codes", codes={name: codes})
    await known(hass).delete_all()
    assert {each.device.name for each in known(hass).deleted.values()} == {"air", "heat"}


async def test_a_hub_that_comes_back_keeps_its_entities(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    await have_television(hass, entry)
    er.async_get(hass).async_update_entity("media_player.tv", new_entity_id="media_player.den")
    await hass.async_block_till_done()
    await hass.config_entries.async_remove(entry.entry_id)
    entry = await add(hass, lounge)
    await settle(hass, entry, "media_player.den")
    assert buttons(hass) == {}
    await hass.services.async_call(
        "media_player", "turn_on", {"entity_id": "media_player.den"}, blocking=True
    )
    assert lounge.transmitted == [POWER]


async def test_devices_move_to_another_hub_whole(
    hass: HomeAssistant, lounge: VirtualHub, attic: VirtualHub
) -> None:
    entry, other = await add(hass, lounge), await add(hass, attic)
    await have_television(hass, entry)
    exported = await respond(hass, "export_codes", entity_id="remote.lounge")
    assert exported["codes"].keys() == {"tv"}
    # A copy, while the first is there, has ids of its own.
    await act(hass, "import_codes", entity_id="remote.attic", codes=exported)
    await until(lambda: len(other.subentries) == 1)
    await until(lambda: hass.states.get("media_player.tv_2") is not None)
    [copy] = known(hass, "34ea34000002").values()
    [first] = known(hass).values()
    assert (copy.name, copy.kind, copy.settings) == (first.name, first.kind, first.settings)
    assert copy.id != first.id
    assert commands(known(hass)) == commands(known(hass, "34ea34000002"))
    await settle(hass, other, "media_player.tv_2")
    await hass.services.async_call(
        "media_player", "turn_on", {"entity_id": "media_player.tv_2"}, blocking=True
    )
    assert attic.transmitted == [POWER]
    assert lounge.transmitted == []


async def test_devices_of_a_dead_hub_continue_at_its_replacement(hass: HomeAssistant) -> None:
    """As docs/irhub.md says: export, remove, delete its commands, add the other one, import."""
    async with VirtualHub(name="Lounge") as hub:
        entry = await add(hass, hub)
        await have_television(hass, entry)
    exported = await respond(hass, "export_codes", entity_id="remote.lounge")
    device_id = known(hass).named("tv").id
    await hass.config_entries.async_remove(entry.entry_id)
    await hass.async_block_till_done()
    await (await mend(hass, f"kept_codes_{MAC}")).choose("delete")
    async with VirtualHub(mac=OTHER_MAC, name="Lounge") as successor:
        other = await add(hass, successor)
        await act(hass, "import_codes", entity_id="remote.lounge", codes=exported)
        await until(lambda: len(other.subentries) == 1)
        await settle(hass, other, "media_player.tv")
        assert known(hass, "34ea34000002").named("tv").id == device_id
        await hass.services.async_call(
            "media_player", "turn_on", {"entity_id": "media_player.tv"}, blocking=True
        )
        assert successor.transmitted == [POWER]


@pytest.mark.usefixtures("entry")
@pytest.mark.parametrize(
    "wrong",
    [
        {"devices": []},
        {"devices": [{"name": "tv"}]},
        {"devices": [{"id": "a", "name": "tv", "commands": [{"id": "b"}]}]},
        {"devices": [{"id": "a", "name": "", "commands": []}]},
        {"devices": [{"id": "a", "name": "tv", "kind": "house", "commands": []}]},
    ],
)
async def test_what_is_no_export(hass: HomeAssistant, wrong: dict[str, Any]) -> None:
    with pytest.raises(ServiceValidationError):
        await act(hass, "import_codes", codes=wrong)
    assert not known(hass)


async def test_a_learned_command_gets_its_meaning_when_it_is_named(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    await have_television(hass, entry)
    await learn(hass, tv={"A1": NEC})
    assert "mute" not in known(hass).named("tv").functions
    await act(hass, "rename_code", device="tv", command="A1", new_command="mute")
    await hass.services.async_call(
        "media_player",
        "volume_mute",
        {"entity_id": "media_player.tv", "is_volume_muted": True},
        blocking=True,
    )
    assert lounge.transmitted == [HDMI]


async def test_a_hub_that_cannot_be_read_keeps_its_devices_in_the_registry(
    hass: HomeAssistant, config_dir: Path, entry: IrhubConfigEntry
) -> None:
    await learn(hass, tv=TV)
    assert await hass.config_entries.async_unload(entry.entry_id)
    path = config_dir / ".storage" / "irhub_devices_34ea34000001"
    kept = path.read_text()
    path.unlink()
    path.mkdir()
    known(hass)._loaded = False  # noqa: SLF001  (as a restart does)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    assert devices(hass, entry).keys() == {"Lounge", "tv"}
    path.rmdir()
    path.write_text(kept)
