"""A damaged store: what can be read is used, the rest is kept and reported, nothing is lost."""

import json
import os
from pathlib import Path
from random import Random
import signal

from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir
import pytest

from custom_components.irhub.devices.exports import codes_data
from custom_components.irhub.devices.store import Devices
from custom_components.irhub.ircodes import parse_text, to_base64
from custom_components.irhub.settings import Mac
from tests.irhub.devices.files import CODES
from tests.irhub.home import FAN, HDMI, POWER
from virtual_home.hub import VirtualHub

from .nursery import nursery

pytestmark = pytest.mark.reliability

MAC = "34ea34000001"
DAMAGES = 300
TYPES = "irhub.device_types"
DAMAGED_TYPES = (
    b"",
    b"{",
    b"[]",
    b"{}",
    b"null",
    b'{"version": 1}',
    b'{"version": 1, "data": 5}',
    b'{"version": 99, "minor_version": 1, "key": "x", "data": {}}',
    b"\xff\xfe",
)


async def whole(hass: HomeAssistant) -> tuple[Path, bytes]:
    """Store two devices' commands; return the file and what is in it."""
    codes = Devices(hass, Mac(MAC))
    await codes.load()
    await codes.store({"tv": {"power": [POWER, HDMI], "mute": [HDMI]}, "fan": {"on": [FAN]}})
    path = Path(hass.config.path(".storage", CODES))
    return path, path.read_bytes()  # noqa: ASYNC240  (a small file)


def as_used(stored: list[str] | str) -> list[str] | str:
    """Return stored packets without what stands behind the length that they now announce."""
    if isinstance(stored, list):
        return [str(as_used(text)) for text in stored]
    try:
        return to_base64(parse_text(stored))
    except ValueError:
        return stored


async def check(hass: HomeAssistant, path: Path, damaged: bytes) -> bool:
    """Load a damaged file; return whether a backup was made. Nothing of it may be lost."""
    path.write_bytes(damaged)  # noqa: ASYNC240  (a small file)
    codes = Devices(hass, Mac(MAC))
    await codes.load()
    backups = list(path.parent.glob(f"{CODES}.corrupt.*"))
    issue = ir.async_get(hass).async_get_issue("irhub", f"damaged_file_{CODES}")
    if not backups:
        assert issue is None
        stored = json.loads(damaged)["data"]["devices"]
        assert codes_data(codes.values()) == {
            device["name"]: {
                command["name"]: as_used(
                    command["packets"] if len(command["packets"]) > 1 else command["packets"][0]
                )
                for command in device["commands"]
                if "packets" in command
            }
            for device in stored
            if any("packets" in command for command in device["commands"])
        }
        # What has another key there may be of a newer version: it is written back as it is.
        await codes.store({"new": {"on": [FAN]}})
        written = json.loads(path.read_bytes())["data"]["devices"]  # noqa: ASYNC240
        for device, after in zip(stored, written, strict=False):
            for command in device["commands"]:
                assert "packets" in command or command in after["commands"]
        return False
    [backup] = backups
    assert backup.read_bytes() == damaged
    assert issue is not None
    assert issue.translation_placeholders == {"file": CODES, "backup": backup.name}
    await codes.store({"new": {"on": [FAN]}})  # it goes on working
    backup.unlink()
    ir.async_delete_issue(hass, "irhub", f"damaged_file_{CODES}")
    return True


async def test_a_file_cut_at_any_length_is_kept(hass: HomeAssistant) -> None:
    path, content = await whole(hass)
    for length in range(len(content.rstrip())):
        assert await check(hass, path, content[:length]), length


async def test_a_file_with_any_byte_damaged_is_read_or_kept(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    path, content = await whole(hass)
    random = Random(1)
    kept = 0
    for _ in range(DAMAGES):
        damaged = bytearray(content)
        damaged[random.randrange(len(damaged))] = random.randrange(256)
        kept += await check(hass, path, bytes(damaged))
    assert 0 < kept < DAMAGES
    assert caplog.text.count("is damaged and was kept as") == kept
    assert "Traceback" not in caplog.text


async def test_a_name_that_stands_twice_loses_neither(hass: HomeAssistant) -> None:
    """JSON keeps the last of them silently: an edit by hand must not cost the first."""
    path, _ = await whole(hass)
    twice = b'{"version": 1, "data": {"tv": {"on": "JgA="}, "tv": {"off": "JgA="}}}'
    assert await check(hass, path, twice)


async def test_damaged_device_types_do_not_stop_the_set_up(tmp_path: Path) -> None:
    """In processes of their own: the test package's Home Assistant reads no store."""
    path = tmp_path / ".storage" / TYPES
    path.parent.mkdir()
    async with VirtualHub() as hub, nursery(tmp_path, hub) as children:
        for content in DAMAGED_TYPES:
            path.write_bytes(content)
            pid = await children.fork()
            assert await children.say() == {"codes": {}}, content
            os.kill(pid, signal.SIGKILL)
            while await children.say() is not None:
                pass
