"""The storage of learned commands: never lost, never silently wrong."""

import asyncio
import json
import os
from pathlib import Path
import signal
import sys
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component
import pytest

from custom_components.irhub.devices.exports import codes_data
from custom_components.irhub.devices.journal import MOST_REPLACED
from custom_components.irhub.devices.store import DATA_DEVICES
from custom_components.irhub.ircodes import to_base64
from tests.files import ROOT
from tests.home import until
from virtual_home.hub import VirtualHub

from ..home import FAN, HDMI, NEC, POWER, RC5, commands, entry, known, set_up, start
from .files import CODES, put, stored, written

REMOTE = "remote.broadlink"
OLDER = "irhub_remote_34ea34000001_codes"
TURNS = f"{CODES}_turns"
CORE = "broadlink_remote_34ea34000001_codes"


def turns(hass: HomeAssistant, config_dir: Path) -> dict[str, int]:
    """Return names of commands → which packet comes next."""
    names = {
        id_: command.name
        for device in known(hass).values()
        for id_, command in device.commands.items()
    }
    return {names[id_]: index for id_, index in stored(config_dir, TURNS).items()}


async def restart(hass: HomeAssistant) -> None:
    """Forget what is in memory, as the end of the process does."""
    await hass.async_block_till_done()  # what is written in the background is on the disk then
    [devices] = hass.data[DATA_DEVICES].values()
    devices._loaded = False  # noqa: SLF001  (a restart of Home Assistant, in short)
    await devices.load()


async def remote(hass: HomeAssistant, service: str, **data: object) -> None:
    await hass.services.async_call("remote", service, {"entity_id": REMOTE, **data}, blocking=True)


async def send(hass: HomeAssistant, device: str, command: str) -> None:
    await remote(hass, "send_command", device=device, command=command)


async def teach(hass: HomeAssistant, device: str, command: str, *texts: str) -> None:
    data = {"entity_id": REMOTE, "codes": {device: {command: list(texts)}}}
    await hass.services.async_call("irhub", "import_codes", data, blocking=True)


async def test_a_learned_command_is_on_the_disk_when_the_call_returns(
    hass: HomeAssistant, config_dir: Path, hub: VirtualHub
) -> None:
    learn = asyncio.create_task(
        remote(hass, "learn_command", device="tv", command=["power", "hdmi"], timeout=1)
    )
    await hub.press_when_listening(HDMI)
    armed = hub.count("learn")
    await hub.until(lambda: hub.count("learn") > armed)
    # At once, not after the last one.
    assert written(config_dir) == {"tv": {"power": to_base64(HDMI)}}
    with pytest.raises(HomeAssistantError, match="Not learned: hdmi"):
        await learn
    assert written(config_dir) == {"tv": {"power": to_base64(HDMI)}}


async def test_turns_survive_a_restart(
    hass: HomeAssistant, config_dir: Path, hub: VirtualHub
) -> None:
    await teach(hass, "tv", "power", RC5, NEC)
    await send(hass, "tv", "power")
    await hass.async_block_till_done()
    assert turns(hass, config_dir) == {"power": 1}
    await restart(hass)
    await send(hass, "tv", "power")
    await restart(hass)
    await send(hass, "tv", "power")
    assert hub.transmitted == [POWER, HDMI, POWER]


async def test_turns_survive_a_crash_in_the_middle_of_a_sequence(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    (config_dir / "configuration.yaml").write_text("")
    await start(hass, virtual_hub)
    await teach(hass, "tv", "power", RC5, NEC)
    sending = asyncio.create_task(
        remote(
            hass,
            "send_command",
            device="tv",
            command=["power"],
            num_repeats=1_000_000_000_000,  # nor does it matter how many were to follow
            delay_secs=60,
        )
    )
    await until((config_dir / ".storage" / TURNS).exists)
    assert turns(hass, config_dir) == {"power": 1}
    assert virtual_hub.transmitted == [POWER]
    await hass.services.async_call("irhub", "reload", {}, blocking=True)
    with pytest.raises(HomeAssistantError, match="was closed"):
        await sending
    assert virtual_hub.transmitted == [POWER]


async def test_core_s_commands_are_copied_once(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    learned = {"tv": {"power": RC5, "mute": [RC5, NEC]}, "fan": {"off": NEC.rstrip("=")}}
    core = put(config_dir, CORE, learned)
    before = core.read_bytes()
    await start(hass, virtual_hub)
    assert f"Copied 3 learned commands of 2 devices from {CORE}" in caplog.text
    await remote(hass, "send_command", device="fan", command="off")
    assert virtual_hub.transmitted == [HDMI]
    assert written(config_dir) == {  # without what stands behind the length
        "tv": {"power": to_base64(POWER), "mute": [to_base64(POWER), to_base64(HDMI)]},
        "fan": {"off": to_base64(HDMI)},
    }
    await remote(hass, "delete_command", device="tv", command=["power", "mute"])
    await restart(hass)
    assert set(written(config_dir)) == {"fan"}
    assert core.read_bytes() == before
    assert caplog.text.count("Copied") == 1


async def test_values_of_cores_file_that_are_no_packets_are_named(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    put(config_dir, CORE, {"tv": {"power": RC5, "mute": "nonsense", "menu": 7}, "fan": []})
    await start(hass, virtual_hub)
    await send(hass, "tv", "power")
    assert f"{CORE}: these are not packets and were left there: fan, tv → menu, tv → mute" in [
        record.getMessage() for record in caplog.records if record.levelname == "ERROR"
    ]


async def test_core_may_know_the_mac_in_the_other_order(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    put(config_dir, "broadlink_remote_01000034ea34_codes", {"tv": {"power": RC5}})
    await start(hass, virtual_hub)
    await send(hass, "tv", "power")
    assert virtual_hub.transmitted == [POWER]


async def test_a_damaged_file_of_core_is_left_alone(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    core = put(config_dir, CORE, {})
    core.write_text("{")
    await start(hass, virtual_hub)
    assert "could not be taken over" in caplog.text
    await teach(hass, "tv", "power", RC5)
    await send(hass, "tv", "power")
    assert virtual_hub.transmitted == [POWER]
    assert core.read_text() == "{"


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 1}', '{"version": 1, "data": []}'])
async def test_a_damaged_file_is_kept_and_reported(
    hass: HomeAssistant,
    config_dir: Path,
    caplog: pytest.LogCaptureFixture,
    content: str,
    virtual_hub: VirtualHub,
) -> None:
    path = put(config_dir, CODES, {})
    path.write_text(content)
    await start(hass, virtual_hub)
    [backup] = path.parent.glob(f"{CODES}.corrupt.*")
    assert backup.read_text() == content
    assert f"{path} is damaged and was kept as {backup.name}" in caplog.text
    [issue] = [found for (domain, _), found in _issues(hass) if domain == "irhub"]
    assert issue.translation_placeholders == {"file": CODES, "backup": backup.name}
    await teach(hass, "tv", "power", RC5)
    await send(hass, "tv", "power")
    assert virtual_hub.transmitted == [POWER]
    assert "Traceback" not in caplog.text


def _issues(hass: HomeAssistant) -> list[tuple[tuple[str, str], ir.IssueEntry]]:
    return list(ir.async_get(hass).issues.items())


async def test_the_good_part_of_an_odd_file_is_used(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    tv = {"id": "a", "name": "tv", "commands": [{"id": "b", "name": "power", "packets": [RC5]}]}
    fan = {"id": "c", "name": "fan", "commands": [{"id": "d", "name": "on", "packets": ["x"]}]}
    odd = {
        "mac": "34ea34000001",
        "devices": [tv, fan, {"name": "radio"}, [], {**tv, "name": "odd", "colour": "red"}],
        "deleted": [],
        "taken_over": {},
    }
    path = put(config_dir, CODES, odd)
    await start(hass, virtual_hub)
    [backup] = path.parent.glob(f"{CODES}.corrupt.*")
    assert json.loads(backup.read_text())["data"] == odd
    assert "not devices: [], fan, odd, radio" in caplog.text
    await send(hass, "tv", "power")
    assert virtual_hub.transmitted == [POWER]
    assert [*written(config_dir)] == ["tv"]


async def test_what_is_no_packet_in_an_older_file_is_left_there(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    odd = {"tv": {"power": RC5, "mute": 5, "up": "nonsense!"}, "fan": [], "radio": {"on": []}}
    before = put(config_dir, OLDER, odd).read_bytes()
    await start(hass, virtual_hub)
    assert "were left there: fan, radio → on, tv → mute, tv → up" in caplog.text
    await send(hass, "tv", "power")
    assert virtual_hub.transmitted == [POWER]
    assert written(config_dir) == {"tv": {"power": to_base64(POWER)}}
    assert (config_dir / ".storage" / OLDER).read_bytes() == before


async def test_damaged_turns_begin_anew(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    put(config_dir, OLDER, {"tv": {"power": [RC5, NEC]}})
    put(config_dir, TURNS, {"34ea34000001-tv/power": "x"})
    await start(hass, virtual_hub)
    await send(hass, "tv", "power")
    assert virtual_hub.transmitted == [POWER]
    assert "Traceback" not in caplog.text


async def test_a_newer_file_is_not_touched(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    path = put(config_dir, CODES, {"tv": {"power": RC5}}, version=2)
    before = path.read_bytes()
    await start(hass, virtual_hub)
    assert "has version 2, known is 1" in caplog.text
    with pytest.raises(HomeAssistantError, match="cannot be read"):
        await teach(hass, "tv", "power", NEC)
    assert path.read_bytes() == before


async def test_what_cannot_be_written_is_not_reported_as_learned(
    hass: HomeAssistant, config_dir: Path, hub: VirtualHub
) -> None:
    await teach(hass, "tv", "power", RC5)
    folder = config_dir / ".storage"
    folder.rename(config_dir / "gone")
    folder.write_text("in the way")  # root may write anywhere, but not into a file
    with pytest.raises(HomeAssistantError, match="could not be written"):
        await teach(hass, "tv", "mute", NEC)
    learn = asyncio.create_task(
        remote(hass, "learn_command", device="tv", command=["mute", "hdmi"])
    )
    await hub.press_when_listening(POWER)
    with pytest.raises(HomeAssistantError, match=r"Not learned: mute: .*could not be written"):
        await learn
    with pytest.raises(HomeAssistantError, match="has no command mute; it has: power"):
        await send(hass, "tv", "mute")
    folder.unlink()
    (config_dir / "gone").rename(folder)
    await teach(hass, "tv", "mute", NEC)
    assert set(written(config_dir)["tv"]) == {"power", "mute"}


async def test_a_turn_that_cannot_be_written_costs_no_send_and_is_tried_again(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture, hub: VirtualHub
) -> None:
    """What went out is reported as gone out, and goes on alternating."""
    await teach(hass, "tv", "power", RC5, NEC)
    folder = config_dir / ".storage"
    folder.rename(config_dir / "gone")
    folder.write_text("in the way")
    for _ in range(2):
        await send(hass, "tv", "power")
        await hass.async_block_till_done()
    assert hub.transmitted == [POWER, HDMI]
    logged = [record for record in caplog.records if "comes next" in record.getMessage()]
    assert [record.levelname for record in logged] == ["WARNING", "DEBUG"]
    folder.unlink()
    (config_dir / "gone").rename(folder)
    await send(hass, "tv", "power")
    assert hub.transmitted == [POWER, HDMI, POWER]
    await hass.async_block_till_done()
    assert turns(hass, config_dir) == {"power": 1}


async def test_what_is_stored_is_reported_as_stored(
    hass: HomeAssistant, config_dir: Path, hub: VirtualHub
) -> None:
    """Whose turn it is cannot be written: the command is learned and counts all the same."""
    await teach(hass, "tv", "power", RC5, NEC)
    await send(hass, "tv", "power")
    await until((config_dir / ".storage" / TURNS).exists)
    (config_dir / ".storage" / TURNS).unlink()
    (config_dir / ".storage" / TURNS).mkdir()  # root may write anywhere, but no file there
    await teach(hass, "tv", "power", NEC, RC5)  # begins with the first one again
    await send(hass, "tv", "power")
    assert hub.transmitted == [POWER, HDMI]


async def test_the_docs_name_the_files_that_are_written(
    hass: HomeAssistant, config_dir: Path, hub: VirtualHub
) -> None:
    await teach(hass, "tv", "power", RC5, NEC)
    await send(hass, "tv", "power")
    assert hub.transmitted
    await until((config_dir / ".storage" / TURNS).exists)
    written_files = [path.name for path in (config_dir / ".storage").glob("irhub_*")]
    docs = (ROOT / "docs" / "irhub_reference.md").read_text(encoding="utf-8")
    mac = str(known(hass).mac)
    assert len(written_files) == 2
    for name in written_files:
        assert f"`.storage/{name.replace(mac, '<mac>')}`" in docs


def learned(hass: HomeAssistant) -> dict[str, Any]:
    """Return devices → commands → packets as texts."""
    return codes_data(known(hass).values())


async def change(hass: HomeAssistant, service: str, **data: object) -> None:
    """Call an action that changes commands."""
    data = {"entity_id": REMOTE, **data}
    await hass.services.async_call("irhub", service, data, blocking=True)


async def test_a_renamed_command_keeps_its_packets_and_its_turn(
    hass: HomeAssistant, config_dir: Path, hub: VirtualHub
) -> None:
    await teach(hass, "tv", "power", RC5, NEC)
    await send(hass, "tv", "power")
    await change(hass, "rename_code", device="tv", command="power", new_command="standby")
    await change(hass, "rename_code", device="tv", command="standby", new_device="projector")
    assert written(config_dir) == {"projector": {"standby": [to_base64(POWER), to_base64(HDMI)]}}
    await restart(hass)
    await send(hass, "projector", "standby")
    assert hub.transmitted == [POWER, HDMI]


async def test_a_whole_device_is_renamed_and_its_commands_move_to_another(
    hass: HomeAssistant, config_dir: Path, hub: VirtualHub
) -> None:
    await teach(hass, "tv", "power", RC5)
    await teach(hass, "tv", "hdmi", NEC)
    await teach(hass, "projector", "off", RC5)
    await change(hass, "rename_code", device="tv", new_device="television")
    assert list(written(config_dir)) == ["television", "projector"]
    before = written(config_dir)
    with pytest.raises(ServiceValidationError, match="There is a device projector already"):
        await change(hass, "rename_code", device="television", new_device="projector")
    assert written(config_dir) == before
    for command in ("power", "hdmi"):
        data = {"device": "television", "command": command, "new_device": "projector"}
        await change(hass, "rename_code", **data)
    assert set(written(config_dir)["projector"]) == {"off", "power", "hdmi"}
    await send(hass, "projector", "hdmi")
    assert hub.transmitted == [HDMI]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"device": "tv", "command": "power"}, "The new name is missing"),
        ({"device": "tv", "new_command": "x"}, "The key command is missing"),
        ({"device": "tv", "command": "mute", "new_command": "x"}, "has no command mute"),
        ({"device": "lamp", "new_device": "x"}, "No device lamp was learned; there are: fan, tv"),
        ({"device": "tv", "command": "power", "new_command": "off"}, "these commands already: off"),
        ({"device": "tv", "new_device": "fan"}, "There is a device fan already"),
        (
            {"device": "tv", "command": "off", "new_device": "fan"},
            "fan has these commands already: off",
        ),
    ],
)
@pytest.mark.usefixtures("hub")
async def test_what_cannot_be_renamed_stays(
    hass: HomeAssistant, data: dict[str, str], sentence: str
) -> None:
    await teach(hass, "tv", "power", RC5)
    await teach(hass, "tv", "off", NEC)
    await teach(hass, "fan", "off", NEC)
    before = learned(hass)
    with pytest.raises(ServiceValidationError, match=sentence):
        await change(hass, "rename_code", **data)
    assert learned(hass) == before


@pytest.mark.usefixtures("hub")
async def test_the_same_name_again_changes_nothing(hass: HomeAssistant) -> None:
    await teach(hass, "tv", "power", RC5)
    await change(hass, "rename_code", device="tv", command="power", new_command="power")
    await change(hass, "rename_code", device="tv", new_device="tv")
    assert learned(hass) == {"tv": {"power": to_base64(POWER)}}


async def test_commands_are_deleted_singly_or_with_their_device(
    hass: HomeAssistant, hub: VirtualHub
) -> None:
    for command in ("power", "mute", "hdmi"):
        await teach(hass, "tv", command, RC5)
    await teach(hass, "fan", "off", NEC)
    hub.faults.silent = True  # it takes no hub to delete
    with pytest.raises(ServiceValidationError, match="no command off; it has: hdmi, mute, power"):
        await change(hass, "delete_codes", device="tv", command=["mute", "off"])
    await change(hass, "delete_codes", device="tv", command="mute")
    assert set(learned(hass)["tv"]) == {"power", "hdmi"}
    await change(hass, "delete_codes", device="tv")
    assert set(learned(hass)) == {"fan"}
    with pytest.raises(ServiceValidationError, match="No device tv was learned"):
        await change(hass, "delete_codes", device="tv")


async def test_a_file_in_which_a_name_stands_twice_is_kept_aside(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    """An edit by hand: JSON would take the last of the two, and the first be gone."""
    tv = {"id": "a", "name": "tv", "commands": [{"id": "b", "name": "power", "packets": [RC5]}]}
    data = {"mac": "34ea34000001", "devices": [tv], "deleted": [], "taken_over": {}}
    path = put(config_dir, CODES, data)
    text = path.read_text().replace('"devices":', '"devices": [], "devices":')
    path.write_text(text)
    await start(hass, virtual_hub)
    [backup] = path.parent.glob(f"{CODES}.corrupt.*")
    assert backup.read_text() == text
    assert "the name 'devices' stands twice in one place" in caplog.text
    assert not known(hass)
    assert [issue for (_, issue), _ in _issues(hass)] == [f"damaged_file_{CODES}"]


async def test_listeners_are_called_at_every_change(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    put(config_dir, CORE, {"tv": {"power": RC5}})
    assert await async_setup_component(hass, "irhub", {})
    notified: list[dict[str, list[str]]] = []

    def note() -> None:
        notified.append({device: [*commands] for device, commands in learned(hass).items()})

    def fail() -> None:
        raise RuntimeError("a listener")

    known(hass).async_add_listener(fail)
    forget = known(hass).async_add_listener(note)
    await set_up(hass, "remote", entry(virtual_hub))
    assert notified == [{"tv": ["power"]}]  # taken over
    await teach(hass, "tv", "mute", NEC)
    await change(hass, "rename_code", device="tv", command="mute", new_command="silence")
    await change(hass, "delete_codes", device="tv", command="power")
    with pytest.raises(ServiceValidationError):
        await change(hass, "delete_codes", device="fan")
    assert notified[1:] == [
        {"tv": ["power", "mute"]},
        {"tv": ["power", "silence"]},
        {"tv": ["silence"]},
    ]
    forget()
    await change(hass, "delete_codes", device="tv")
    assert len(notified) == 4
    assert "A listener to learned commands failed" in caplog.text


async def test_all_devices_of_a_hub_are_deleted(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    put(config_dir, OLDER, {"fan": {"on": RC5}})
    await start(hass, virtual_hub)
    await teach(hass, "tv", "power", RC5, NEC)
    await send(hass, "tv", "power")
    before, notified = dict(known(hass)), list[bool]()
    known(hass).async_add_listener(lambda: notified.append(not known(hass)))
    await known(hass).delete_all()
    await known(hass).delete_all()  # nothing is there to delete
    assert notified == [True]
    assert written(config_dir) == {}
    await known(hass).restore(*known(hass).deleted)
    assert dict(known(hass)) == before
    await send(hass, "tv", "power")  # begins anew
    assert virtual_hub.transmitted == [POWER, POWER]


async def test_learning_again_keeps_the_previous_code(hass: HomeAssistant, hub: VirtualHub) -> None:
    await teach(hass, "tv", "power", RC5)
    await teach(hass, "tv", "power", RC5)  # the same: nothing is replaced
    assert not known(hass).deleted
    await teach(hass, "tv", "power", NEC)
    [former] = known(hass).deleted.values()
    assert former.replaced
    await change(hass, "restore_codes", device="tv", command="power")
    await send(hass, "tv", "power")
    assert hub.transmitted == [POWER]
    [former] = known(hass).deleted.values()  # what it was until now
    assert [*former.device.by_name["power"].packets] == [HDMI]
    with pytest.raises(ServiceValidationError, match="Nothing of that name"):
        await change(hass, "restore_codes", device="tv", command="mute")
    with pytest.raises(ServiceValidationError):
        await change(hass, "restore_codes")  # all that was deleted: nothing was
    await change(hass, "delete_codes", device="tv")
    await change(hass, "restore_codes", device="tv")
    assert commands(known(hass)) == {"tv": {"power": [POWER]}}


@pytest.mark.usefixtures("hub")
async def test_one_command_of_what_was_deleted_comes_back_alone(hass: HomeAssistant) -> None:
    for name, packet in (("power", RC5), ("mute", NEC), ("hdmi", RC5)):
        await teach(hass, "tv", name, packet)
    before = known(hass).named("tv")
    await change(hass, "delete_codes", device="tv")
    for named in (["power", "menu"], "menu"):  # menu is not there: nothing comes back
        with pytest.raises(ServiceValidationError, match="Nothing of that name"):
            await change(hass, "restore_codes", device="tv", command=named)
        assert not known(hass)
    await change(hass, "restore_codes", device="tv", command="mute")
    assert commands(known(hass)) == {"tv": {"mute": [HDMI]}}
    assert known(hass).named("tv").id == before.id
    await change(hass, "restore_codes", command=["power"])
    assert commands(known(hass)) == {"tv": {"mute": [HDMI], "power": [POWER]}}
    await change(hass, "restore_codes", device="tv")
    assert dict(known(hass).named("tv").commands) == dict(before.commands)
    assert not known(hass).deleted


@pytest.mark.usefixtures("hub")
async def test_a_command_comes_back_as_it_was_last(hass: HomeAssistant) -> None:
    """Of each command the last deletion counts, whichever of them went together."""
    for packet in (RC5, NEC):
        await teach(hass, "tv", "power", packet)
        await teach(hass, "tv", "mute", RC5)
        await change(hass, "delete_codes", device="tv")
    await change(hass, "restore_codes", device="tv", command=["mute", "power"])
    assert commands(known(hass)) == {"tv": {"mute": [POWER], "power": [HDMI]}}
    [left] = known(hass).deleted.values()
    assert [*left.device.by_name["power"].packets] == [POWER]


@pytest.mark.usefixtures("hub")
async def test_what_is_imported_again_and_again_does_not_grow(hass: HomeAssistant) -> None:
    await known(hass).store({"tv": {"power": [POWER], "mute": [FAN]}})
    for _ in range(MOST_REPLACED + 2):
        for packet in (HDMI, POWER):
            await known(hass).store({"tv": {"power": [packet]}})
    former = [each.device.by_name["power"].packets for each in known(hass).deleted.values()]
    assert former == MOST_REPLACED * [(POWER,), (HDMI,)]  # two commands: the last of each


@pytest.mark.usefixtures("hub")
async def test_a_cancelled_change_is_finished(hass: HomeAssistant, config_dir: Path) -> None:
    await teach(hass, "tv", "power", RC5, NEC)
    await send(hass, "tv", "power")
    deleting = asyncio.create_task(known(hass).delete_named("tv", ["power"]))
    await asyncio.sleep(0)
    deleting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await deleting
    await hass.async_block_till_done()
    assert written(config_dir) == {}
    assert stored(config_dir, TURNS) == {}


async def test_turns_are_taken_over_from_core(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    put(config_dir, CORE, {"tv": {"power": [RC5, NEC], "mute": RC5}, "fan": {"on": [RC5, NEC]}})
    put(config_dir, CORE.replace("codes", "flags"), {"tv": 1, "fan": 0, "lamp": 1})
    await start(hass, virtual_hub)
    assert turns(hass, config_dir)["power"] == 1
    for _ in range(2):
        await send(hass, "tv", "power")
    await send(hass, "fan", "on")
    assert virtual_hub.transmitted == [HDMI, POWER, POWER]


async def test_a_damaged_file_of_turns_loses_no_command(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    put(config_dir, CORE, {"tv": {"power": [RC5, NEC]}})
    flags = put(config_dir, CORE.replace("codes", "flags"), {})
    flags.write_text("{")
    await start(hass, virtual_hub)
    await send(hass, "tv", "power")
    assert virtual_hub.transmitted == [POWER]
    assert "could not be taken over" in caplog.text
    assert flags.read_text() == "{"


@pytest.mark.usefixtures("hub")
async def test_fifty_changes_at_once_are_all_kept(hass: HomeAssistant, config_dir: Path) -> None:
    await asyncio.gather(*(teach(hass, "tv", f"key {n}", RC5) for n in range(50)))
    assert len(written(config_dir)["tv"]) == 50


@pytest.mark.usefixtures("hub")
async def test_of_twenty_deletions_at_once_a_single_one_succeeds(
    hass: HomeAssistant,
) -> None:
    await teach(hass, "tv", "power", RC5)
    _, *outcomes = await asyncio.gather(
        teach(hass, "lamp", "on", NEC),  # being written while they arrive
        *(remote(hass, "delete_command", device="tv", command="power") for _ in range(20)),
        return_exceptions=True,
    )
    assert outcomes.count(None) == 1
    errors = [outcome for outcome in outcomes if outcome is not None]
    assert all(isinstance(error, ServiceValidationError) for error in errors), errors


async def test_a_kill_leaves_the_old_file_or_the_new(tmp_path: Path) -> None:
    path = tmp_path / "codes"
    script = (
        "import sys, itertools, pathlib\n"
        "from custom_components.irhub.devices import files as code_file\n"
        "path = pathlib.Path(sys.argv[1])\n"
        "for n in itertools.count():\n"
        "    code_file._write(path, {str(n): {'power': 'x' * 100_000}})\n"
        "    print(n, flush=True)\n"
    )
    for _ in range(2):
        writer = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            script,
            path,
            stdout=asyncio.subprocess.PIPE,
            cwd=Path(__file__).parents[3],
        )
        assert writer.stdout is not None
        reported = -1
        for _ in range(5):
            reported = int(await writer.stdout.readline())
        os.kill(writer.pid, signal.SIGKILL)
        rest = (await writer.stdout.read()).split()
        await writer.wait()
        data = json.loads(path.read_text())["data"]
        assert int(next(iter(data))) >= int(rest[-1] if rest else reported)
