"""An update from 0.1.0 in a real Home Assistant: codes, entities and history stay."""

import asyncio
import contextlib
from datetime import UTC, datetime
import json
from pathlib import Path
import shutil
import sys
import time
from typing import Any
import zipfile

import pytest

from demo.client import CallError, Client, Json
from demo.host import ROOT, Host
from demo.walk import set_up_mqtt
from virtual_home.control import BUTTON
from virtual_home.home import Home

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

UPDATED = Path(__file__).parent / "updated"
OURS = {"rest", "mqtt_binary", "irhub"}
WINDOW = "binary_sensor.kitchen_window"
"""Named by its user; 0.1.0 called it binary_sensor.window."""


async def entries(client: Client) -> dict[str, tuple[str, str]]:
    """Return our entities as Home Assistant's registry has them."""
    listed: list[Json] = await client.command({"type": "config/entity_registry/list"})
    return {
        entry["entity_id"]: (entry["platform"], entry["unique_id"])
        for entry in listed
        if entry["platform"] in OURS
    }


async def history(client: Client, entity_id: str, since: str) -> list[str]:
    """Return the states that the recorder kept of an entity."""
    answer = await client.command(
        {
            "type": "history/history_during_period",
            "start_time": since,
            "entity_ids": [entity_id],
            "minimal_response": True,
            "no_attributes": True,
            "significant_changes_only": False,
        }
    )
    return [state["s"] for state in answer.get(entity_id, [])]


async def recorded_until(client: Client, since: str, state: str) -> list[str]:
    """Return the window's history as soon as the recorder has written this state."""
    deadline = time.monotonic() + 30
    states = await history(client, WINDOW, since)
    while states[-1:] != [state]:
        assert time.monotonic() < deadline, states
        await asyncio.sleep(0.2)  # the recorder writes in the background
        states = await history(client, WINDOW, since)
    return states


async def publish_until(home: Home, client: Client, payload: str, state: str) -> Json:
    """Publish, unretained, until the window's sensor has subscribed and says so."""
    while True:
        home.contact.publish("home/update", payload)
        with contextlib.suppress(CallError):
            return await client.wait_state(WINDOW, state, within=1)


async def learn(client: Client, home: Home) -> None:
    """Learn one command from the hub, with a press of a button."""
    data = {"entity_id": "remote.lounge", "device": "television", "command": "power"}
    press = home.hubs["lounge"].press_when_listening(BUTTON)
    await asyncio.gather(client.call("remote.learn_command", data), press)


def codes(config: Path) -> dict[str, Any]:
    """Return what the files of learned codes hold."""
    files = (config / ".storage").glob("*_codes")
    return {path.name: json.loads(path.read_text())["data"] for path in files}


async def install(config: Path) -> str:
    """Install the present tree over what is there, as a user does."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(ROOT / "scripts" / "install"), str(config)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output
    return output.decode()


async def test_codes_entities_and_history_stay(tmp_path: Path) -> None:
    with zipfile.ZipFile(UPDATED / "home-integrations-0.1.0.zip") as old:
        old.extractall(tmp_path)
    custom_components = tmp_path / "custom_components"
    template = tmp_path / "template"
    template.mkdir()
    shutil.copy(UPDATED / "configuration.yaml", template)
    async with (
        Home() as home,
        Host(template, home.secrets(), integrations=custom_components) as host,
    ):
        client = await host.client()
        await set_up_mqtt(client, home.broker)
        await client.command(
            {
                "type": "config/entity_registry/update",
                "entity_id": "binary_sensor.window",
                "new_entity_id": WINDOW,
                "name": "Kitchen window",
            }
        )
        await client.wait_state(WINDOW, lambda state: state["state"] == "unknown")
        began = datetime.now(UTC).isoformat()
        await publish_until(home, client, "ON", "on")
        await client.wait_state("remote.lounge", "on")
        home.hubs["lounge"].quirks.noise = False  # 0.1.0 takes it for the button
        await learn(client, home)
        home.hubs["lounge"].quirks.noise = True
        for name in ("television", "lamp", "aquarium"):
            await client.call("switch.turn_on", {"entity_id": f"switch.{name}"})
            await client.wait_state(f"switch.{name}", "on")
        before, learned = await entries(client), codes(host.config)
        assert {platform for platform, _ in before.values()} == OURS
        assert learned
        recorded = await recorded_until(client, began, "on")
        seen = {*client.states}

        await host.stop()
        link = host.config / "custom_components"
        link.unlink()
        shutil.copytree(custom_components, link)
        output = await install(host.config)
        assert output.count("over 0.1.0") == len(OURS)
        await host.start()
        client = await host.client()

        await client.wait_state("remote.lounge", "on")
        await client.wait_state(WINDOW, "on")
        await client.wait_state("switch.television", "on")
        await client.wait_state("switch.lamp", "on")
        await client.wait_state("switch.aquarium", "on")
        after = await entries(client)
        assert {name: after.get(name) for name in before} == before
        assert {name for name in seen if name.split(".")[0] in {"sensor", "switch"}} <= {
            *client.states
        }
        assert client.states[WINDOW]["attributes"]["friendly_name"] == "Kitchen window"
        await publish_until(home, client, "OFF", "off")
        kept = await recorded_until(client, began, "off")
        assert kept[: len(recorded)] == recorded

        assert {name: codes(host.config).get(name) for name in learned} == learned
        data = {"entity_id": "remote.lounge", "device": "television", "command": "power"}
        await client.call("remote.send_command", data)
        assert home.hubs["lounge"].transmitted[-1] == BUTTON
        ours = [line for line in host.log().splitlines() if "custom_components" in line]
        assert not [line for line in ours if " ERROR " in line]
