"""A file that a newer version has written, or that is wrong in one place: nothing of it is lost."""

from collections.abc import Iterator
from contextlib import contextmanager
import json
from pathlib import Path
import resource
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir
import pytest

from custom_components.irhub.ircodes import to_base64
from virtual_home.hub import VirtualHub

from ..buttons import act, learn
from ..dialogue import add
from ..home import HDMI, NEC, POWER, RC5, known, start
from ..issues import issues, mend

FILE = "irhub_devices_34ea34000001"
POWER_OF_TV = {"id": "34ea34000001-00000001", "name": "power", "packets": [to_base64(POWER)]}
TV = {
    "id": "34ea34000001-0000000a",
    "name": "tv",
    "kind": "television",
    "commands": [POWER_OF_TV],
    "functions": {"toggle": POWER_OF_TV["id"]},
    "entity": "34ea34000001-0000000a",
}
NEWER: dict[str, Any] = {
    "mac": "34ea34000001",
    "devices": [
        TV
        | {
            "kind": "holodeck",
            "colour": {"red": 1},
            "levels": {"modes": ["cool"], "fans": ["low"], "humidities": [40, 50]},
            "settings": {"delay": 1.5, "delay_after": 2, "repeats": "twice", "buttons": []},
            "commands": [
                POWER_OF_TV | {"learned": "2027-01-01"},
                {"id": "34ea34000001-00000002", "name": "scan", "sequence": ["power", "mute"]},
                {
                    "id": "34ea34000001-00000003",
                    "name": "cosy",
                    "packets": [to_base64(HDMI)],
                    "state": {"mode": "cosy", "temperature": 21},
                },
            ],
            "functions": {"toggle": POWER_OF_TV["id"], "scan": "34ea34000001-00000002"},
        },
        TV
        | {
            "id": "34ea34000001-0000000b",
            "name": "air",
            "kind": "air_conditioner",
            "commands": [],
            "functions": {},
            "entity": None,
            "rule": {"computed": {"by": "a newer rule"}},
        },
    ],
    "deleted": [
        {
            "id": "34ea34000001-0000000c",
            "when": "2026-11-01T00:00:00+00:00",
            "why": "by hand",
            "device": TV | {"id": "34ea34000001-0000000d", "colour": "red"},
            "replaced": False,
        }
    ],
    "taken_over": {},
    "rooms": ["lounge"],
}


def put(config_dir: Path, data: dict[str, Any]) -> Path:
    path = config_dir / ".storage" / FILE
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"version": 1, "minor_version": 2, "key": FILE, "data": data}))
    return path


def data_of(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(path.read_text())["data"]
    return data


def by_name(data: dict[str, Any]) -> dict[str, Any]:
    return {device["name"]: device for device in data["devices"]}


async def test_what_is_known_is_used_and_the_rest_stays(
    hass: HomeAssistant, lounge: VirtualHub, config_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = put(config_dir, NEWER)
    await add(hass, lounge)
    assert not [*path.parent.glob("*.corrupt.*")]
    assert issues(hass) == []
    assert caplog.text.count("does not understand, does not use, and leaves as it is: ") == 1
    tv = known(hass).named("tv")
    assert (tv.settings.delay, tv.settings.repeats) == (1.5, 1)
    assert tv.capabilities["cool"].fans == ("low",)
    for command in ("power", "cosy"):
        data = {"device": "tv", "command": command}
        await hass.services.async_call("irhub", "send", data, blocking=True)
    assert lounge.transmitted == [POWER, HDMI]
    await learn(hass, fan={"on": RC5})  # and the file is written
    after, before = data_of(path), NEWER
    assert after["rooms"] == before["rooms"]
    for name, device in by_name(before).items():
        assert by_name(after)[name] == {
            key: value for key, value in device.items() if value not in (None, {})
        } | {"commands": by_name(after)[name]["commands"]}
        commands = {each["id"]: each for each in by_name(after)[name]["commands"]}
        assert commands == {each["id"]: each for each in device["commands"]}
    [deleted], [was] = after["deleted"], before["deleted"]
    assert deleted == was | {"label": "", "write": 0}


async def test_what_is_changed_here_counts(
    hass: HomeAssistant, lounge: VirtualHub, config_dir: Path
) -> None:
    path = put(config_dir, NEWER)
    await add(hass, lounge)
    await act(hass, "rename_code", device="tv", new_device="set")
    await act(hass, "delete_codes", device="set", command="cosy")
    await act(hass, "delete_codes", device="air")
    after = by_name(data_of(path))["set"]
    assert (after["kind"], after["colour"]) == ("holodeck", {"red": 1})
    assert [each["name"] for each in after["commands"]] == ["power", "scan"]
    await act(hass, "restore_codes", device="air")
    assert by_name(data_of(path))["air"]["rule"] == {"computed": {"by": "a newer rule"}}


async def test_a_rule_of_a_newer_version_affects_its_device_alone(
    hass: HomeAssistant, config_dir: Path, lounge: VirtualHub
) -> None:
    [_, air] = NEWER["devices"]
    broken = {**air, "id": "34ea34000001-0000000e", "name": "broken", "rule": {"taught": {}}}
    entities = [{**each, "entity": each["id"]} for each in (air, broken)]
    put(config_dir, NEWER | {"devices": [*entities, TV]})
    await add(hass, lounge)
    await hass.services.async_call(
        "media_player", "turn_on", {"entity_id": "media_player.tv"}, blocking=True
    )
    assert lounge.transmitted == [POWER]
    failed = [f"failed_climate_{each['id']}" for each in entities]
    assert issues(hass) == failed
    texts = [ir.async_get(hass).async_get_issue("irhub", issue) for issue in failed]
    placeholders = [(each and each.translation_placeholders) or {} for each in texts]
    assert [each["device"] for each in placeholders] == ["air", "broken"]
    assert "newer version" in placeholders[0]["error"]
    await (await mend(hass, failed[0])).choose("leave")
    await (await mend(hass, failed[1])).choose("delete")
    await hass.async_block_till_done()
    assert {device.name for device in known(hass).values()} == {"air", "tv"}
    assert {each.device.name for each in known(hass).deleted.values()} == {"broken", "tv"}


@contextmanager
def full_disk() -> Iterator[None]:
    """Let no file be written beyond a few bytes, as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_one_wrong_device_on_a_full_disk_costs_no_other(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    path = put(config_dir, NEWER | {"devices": [{**TV, "entity": None}, {"name": "radio"}]})
    before = path.read_bytes()
    with full_disk():
        await start(hass, virtual_hub)
    assert f"could not be written to .storage/{FILE}" in caplog.text
    assert path.read_bytes() == before
    assert not [*path.parent.glob("*.corrupt.*")]
    remote = {"entity_id": "remote.broadlink", "device": "tv", "command": "power"}
    await hass.services.async_call("remote", "send_command", remote, blocking=True)
    assert virtual_hub.transmitted == [POWER]
    codes = {"entity_id": "remote.broadlink", "codes": {"fan": {"on": NEC}}}
    await hass.services.async_call("irhub", "import_codes", codes, blocking=True)
    [backup] = path.parent.glob("*.corrupt.*")
    assert backup.read_bytes() == before, "what could not be read is kept"
    assert [*by_name(data_of(path))] == ["tv", "fan"]
    assert f"damaged_file_{FILE}" in issues(hass)
