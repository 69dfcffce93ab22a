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
import pytest

from custom_components.irhub import code_file
from custom_components.irhub.packet import to_base64
from custom_components.irhub.registry import DATA_REGISTRY
from virtual_home.hub import VirtualHub

from .home import HDMI, NEC, POWER, RC5, start, until

REMOTE = "remote.broadlink"
CODES = "irhub_remote_34ea34000001_codes"
TURNS = "irhub_remote_34ea34000001_flags"
CORE = "broadlink_remote_34ea34000001_codes"


def put(config_dir: Path, name: str, data: object, version: int = 1) -> Path:
    """Write a file as Home Assistant's store does."""
    path = config_dir / ".storage" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"version": version, "key": name, "data": data}))
    return path


def stored(config_dir: Path, name: str) -> Any:  # noqa: ANN401  (JSON)
    return json.loads((config_dir / ".storage" / name).read_text())


async def restart(hass: HomeAssistant) -> None:
    """Forget what is in memory, as the end of the process does."""
    registry = hass.data[DATA_REGISTRY]
    [codes] = registry._codes.values()  # noqa: SLF001  (a restart of Home Assistant, in short)
    codes._loaded = False  # noqa: SLF001
    await codes.load()


async def remote(hass: HomeAssistant, service: str, **data: object) -> None:
    await hass.services.async_call("remote", service, {"entity_id": REMOTE, **data}, blocking=True)


async def send(hass: HomeAssistant, device: str, command: str) -> None:
    await remote(hass, "send_command", device=device, command=command)


async def teach(hass: HomeAssistant, device: str, command: str, *texts: str) -> None:
    data = {"entity_id": REMOTE, "codes": {device: {command: list(texts)}}}
    await hass.services.async_call("irhub", "import_codes", data, blocking=True)


async def test_a_learned_command_is_on_the_disk_when_the_call_returns(
    hass: HomeAssistant, config_dir: Path
) -> None:
    async with VirtualHub() as hub:
        await start(hass, hub)
        learn = asyncio.create_task(
            remote(hass, "learn_command", device="tv", command=["power", "hdmi"], timeout=1)
        )
        await hub.press_when_listening(POWER)
        await hub.until(lambda: hub.count("learn") == 2)
        assert stored(config_dir, CODES) == {  # at once, not after the last one
            "version": 1,
            "minor_version": 1,
            "key": CODES,
            "data": {"tv": {"power": to_base64(POWER)}},
        }
        with pytest.raises(HomeAssistantError, match="Not learned: hdmi"):
            await learn
        assert stored(config_dir, CODES)["data"] == {"tv": {"power": to_base64(POWER)}}


async def test_whose_turn_it_is_survives_a_restart(hass: HomeAssistant, config_dir: Path) -> None:
    async with VirtualHub() as hub:
        await start(hass, hub)
        await teach(hass, "tv", "power", RC5, NEC)
        await send(hass, "tv", "power")
        assert stored(config_dir, TURNS)["data"] == {"tv": {"power": 1}}
        await restart(hass)
        await send(hass, "tv", "power")
        await restart(hass)
        await send(hass, "tv", "power")
        assert hub.transmitted == [POWER, HDMI, POWER]


async def test_whose_turn_it_is_survives_a_crash_in_the_middle_of_a_sequence(
    hass: HomeAssistant, config_dir: Path
) -> None:
    async with VirtualHub() as hub:
        (config_dir / "configuration.yaml").write_text("")
        await start(hass, hub)
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
        assert stored(config_dir, TURNS)["data"] == {"tv": {"power": 1}}
        assert hub.transmitted == [POWER]
        await hass.services.async_call("irhub", "reload", {}, blocking=True)
        with pytest.raises(HomeAssistantError, match="was closed"):
            await sending
        assert hub.transmitted == [POWER]


async def test_core_s_commands_are_copied_once(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    learned = {"tv": {"power": RC5, "mute": [RC5, NEC]}, "fan": {"off": NEC.rstrip("=")}}
    core = put(config_dir, CORE, learned)
    before = core.read_bytes()
    async with VirtualHub() as hub:
        await start(hass, hub)
        assert f"Copied 3 learned commands of 2 devices from {CORE}" in caplog.text
        await remote(hass, "send_command", device="fan", command="off")
        assert hub.transmitted == [HDMI]
        assert stored(config_dir, CODES)["data"] == learned
        await remote(hass, "delete_command", device="tv", command=["power", "mute"])
        await restart(hass)
        assert set(stored(config_dir, CODES)["data"]) == {"fan"}
    assert core.read_bytes() == before
    assert caplog.text.count("Copied") == 1


async def test_core_may_know_the_mac_in_the_other_order(
    hass: HomeAssistant, config_dir: Path
) -> None:
    put(config_dir, "broadlink_remote_01000034ea34_codes", {"tv": {"power": RC5}})
    async with VirtualHub() as hub:
        await start(hass, hub)
        await send(hass, "tv", "power")
        assert hub.transmitted == [POWER]


async def test_a_damaged_file_of_core_is_left_alone(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    core = put(config_dir, CORE, {})
    core.write_text("{")
    async with VirtualHub() as hub:
        await start(hass, hub)
        assert "Core's learned commands could not be copied" in caplog.text
        await teach(hass, "tv", "power", RC5)
        await send(hass, "tv", "power")
        assert hub.transmitted == [POWER]
    assert core.read_text() == "{"


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 1}', '{"version": 1, "data": []}'])
async def test_a_damaged_file_is_kept_and_reported(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture, content: str
) -> None:
    path = put(config_dir, CODES, {})
    path.write_text(content)
    async with VirtualHub() as hub:
        await start(hass, hub)
        [backup] = path.parent.glob(f"{CODES}.corrupt.*")
        assert backup.read_text() == content
        assert f"{path} is damaged and was kept as {backup.name}" in caplog.text
        [issue] = [found for (domain, _), found in _issues(hass) if domain == "irhub"]
        assert issue.translation_placeholders == {"file": CODES, "backup": backup.name}
        await teach(hass, "tv", "power", RC5)
        await send(hass, "tv", "power")
        assert hub.transmitted == [POWER]
    assert "Traceback" not in caplog.text


def _issues(hass: HomeAssistant) -> list[tuple[tuple[str, str], ir.IssueEntry]]:
    return list(ir.async_get(hass).issues.items())


async def test_the_good_part_of_an_odd_file_is_used(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    odd = {"tv": {"power": RC5, "mute": 5}, "fan": [], "radio": {"on": []}}
    path = put(config_dir, CODES, odd)
    async with VirtualHub() as hub:
        await start(hass, hub)
        [backup] = path.parent.glob(f"{CODES}.corrupt.*")
        assert json.loads(backup.read_text())["data"] == odd
        assert "not packets: tv → mute, fan, radio → on" in caplog.text
        await send(hass, "tv", "power")
        assert hub.transmitted == [POWER]
        assert stored(config_dir, CODES)["data"] == {"tv": {"power": RC5}}


async def test_a_stored_text_that_is_no_packet(hass: HomeAssistant, config_dir: Path) -> None:
    put(config_dir, CODES, {"tv": {"power": "nonsense!"}})
    async with VirtualHub() as hub:
        await start(hass, hub)
        with pytest.raises(HomeAssistantError, match="command power of device tv is not a packet"):
            await send(hass, "tv", "power")
        assert hub.transmitted == []


async def test_damaged_turns_begin_anew(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    put(config_dir, CODES, {"tv": {"power": [RC5, NEC]}})
    put(config_dir, TURNS, {"tv": {"power": "x"}, "fan": 1})
    async with VirtualHub() as hub:
        await start(hass, hub)
        await send(hass, "tv", "power")
        assert hub.transmitted == [POWER]
    assert "Traceback" not in caplog.text


async def test_a_newer_file_is_not_touched(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = put(config_dir, CODES, {"tv": {"power": RC5}}, version=2)
    before = path.read_bytes()
    async with VirtualHub() as hub:
        await start(hass, hub)
        assert "has version 2, known is 1" in caplog.text
        with pytest.raises(HomeAssistantError, match="cannot be read"):
            await teach(hass, "tv", "power", NEC)
    assert path.read_bytes() == before


async def test_what_cannot_be_written_is_not_reported_as_learned(
    hass: HomeAssistant, config_dir: Path
) -> None:
    async with VirtualHub() as hub:
        await start(hass, hub)
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
        assert set(stored(config_dir, CODES)["data"]["tv"]) == {"power", "mute"}


async def test_a_turn_that_cannot_be_written_is_tried_again(
    hass: HomeAssistant, config_dir: Path
) -> None:
    async with VirtualHub() as hub:
        await start(hass, hub)
        await teach(hass, "tv", "power", RC5, NEC)
        folder = config_dir / ".storage"
        folder.rename(config_dir / "gone")
        folder.write_text("in the way")
        with pytest.raises(HomeAssistantError, match="could not be written"):
            await send(hass, "tv", "power")
        folder.unlink()
        (config_dir / "gone").rename(folder)
        await send(hass, "tv", "power")
        assert hub.transmitted == [POWER, HDMI]
        assert stored(config_dir, TURNS)["data"] == {"tv": {"power": 0}}


async def test_fifty_changes_at_once_are_all_kept(hass: HomeAssistant, config_dir: Path) -> None:
    async with VirtualHub() as hub:
        await start(hass, hub)
        await asyncio.gather(*(teach(hass, "tv", f"key {n}", RC5) for n in range(50)))
        assert len(stored(config_dir, CODES)["data"]["tv"]) == 50


async def test_of_twenty_deletions_at_once_one_deletes_and_the_others_say_so(
    hass: HomeAssistant,
) -> None:
    async with VirtualHub() as hub:
        await start(hass, hub)
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
        "from custom_components.irhub import code_file\n"
        "path = pathlib.Path(sys.argv[1])\n"
        "for n in itertools.count():\n"
        "    code_file.write(path, {str(n): {'power': 'x' * 100_000}})\n"
        "    print(n, flush=True)\n"
    )
    for _ in range(2):
        writer = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            script,
            path,
            stdout=asyncio.subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        )
        assert writer.stdout is not None
        reported = -1
        for _ in range(5):
            reported = int(await writer.stdout.readline())
        os.kill(writer.pid, signal.SIGKILL)
        rest = (await writer.stdout.read()).split()
        await writer.wait()
        data = code_file.read(path)
        assert data is not None
        assert int(next(iter(data))) >= int(rest[-1] if rest else reported)
