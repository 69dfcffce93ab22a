"""Sensors in the place of core's over restarts of a real Home Assistant, and in 0.4.0."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any
import zipfile

import pytest

from demo.client import CallError, Client, Json
from demo.host import ROOT, Host
from demo.walk import set_up_mqtt
from virtual_home.broker import Broker
from virtual_home.contact import Contact
from virtual_home.zigbee import Door, Publish, set_bridge

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

DEVICES = 50
OLD = Path(__file__).parent / "updated" / "mqtt_binary-0.4.0.zip"
YAML = """
homeassistant:
  time_zone: UTC
  auth_providers:
    - type: homeassistant
http:
  server_host: 127.0.0.1
  server_port: !secret http_port
frontend:
config:
logger:
  default: warning
mqtt_binary:
"""
SETTINGS = (
    *("aliases", "area_id", "categories", "device_class", "device_id", "hidden_by", "icon"),
    *("labels", "name"),
)
"""What the user can set for an entity, and its device."""
IDENTITY = ("id", "platform", "unique_id", "config_subentry_id")
ABSENT_S = 60.0
"""How long ours waits for an announcement after the start."""


class Zigbee:
    """A Home Assistant, and doors that zigbee2mqtt publishes."""

    def __init__(self, host: Host, publish: Publish, doors: list[Door]) -> None:
        self.host = host
        self.publish = publish
        self.doors = doors
        self.client: Client

    async def begin(self, broker: Broker) -> None:
        """Set MQTT up, and wait for the sensors that core makes of the doors."""
        self.client = await self.host.client()
        await set_up_mqtt(self.client, broker)
        set_bridge(self.publish, "online")
        for door in self.doors:
            door.announce(self.publish)
        await self.agree(self.doors)

    async def start(self, integrations: Path | None = None) -> None:
        """Start again, with other integrations in the place of the present ones if given."""
        if integrations is not None:
            link = self.host.config / "custom_components"
            link.unlink()
            link.symlink_to(integrations)
        await self.host.start()
        self.client = await self.host.client()

    async def agree(self, doors: Iterable[Door], *, within: float = 60) -> None:
        """Wait until the sensor of each door shows its state."""
        expected = {door.entity_id: door.state for door in doors}

        def shown() -> dict[str, str | None]:
            return {id_: self.client.states.get(id_, {}).get("state") for id_ in expected}

        with suppress(CallError):
            await self.client.wait(lambda: shown() == expected, within=within)
        assert shown() == expected

    async def move(self) -> None:
        """Open or close every door; wait until the sensors show it."""
        for door in self.doors:
            door.move(self.publish)
        await self.agree(self.doors)

    async def registered(self, *keys: str) -> dict[str, dict[str, Any]]:
        """Return some keys of the registry entries, by entity id."""
        ids = [door.entity_id for door in self.doors]
        command = {"type": "config/entity_registry/get_entries", "entity_ids": ids}
        entries: dict[str, Json | None] = await self.client.command(command)
        return {id_: {key: entry[key] for key in keys} for id_, entry in entries.items() if entry}

    async def entry_id(self) -> str:
        """Return the config entry of ours."""
        command = {"type": "config_entries/get", "domain": "mqtt_binary"}
        [entry] = await self.client.command(command)
        return str(entry["entry_id"])

    async def set_by_user(self) -> None:
        """Set what a user can set, for every other sensor."""
        area = await self.client.command({"type": "config/area_registry/create", "name": "Hall"})
        label = await self.client.command({"type": "config/label_registry/create", "name": "Safe"})
        for door in self.doors[::2]:
            change = {
                "aliases": [f"way {door.number}"],
                "area_id": area["area_id"],
                "device_class": "window",
                "icon": "mdi:gate",
                "labels": [label["label_id"]],
                "name": f"Mine {door.number}",
            }
            command = {"type": "config/entity_registry/update", "entity_id": door.entity_id}
            await self.client.command(command | change)

    async def take_over(self) -> None:
        """Let ours take the place of all of core's sensors, in their dialogue."""
        chosen = [entry["id"] for entry in (await self.registered("id")).values()]
        page = await self.client.config_flow(
            [await self.entry_id(), "added_sensor"],
            {"next_step_id": "discovered"},
            {"sensors": chosen},
            {"next_step_id": "replace"},
            path="/api/config/config_entries/subentries/flow",
        )
        assert page["type"] == "create_entry"
        for door in self.doors:
            await self.wait_platform(door, "mqtt_binary")
        await self.agree(self.doors)

    async def wait_platform(self, door: Door, platform: str) -> None:
        """Wait until the sensor of a door is of a platform."""
        command = {"type": "config/entity_registry/get_entries", "entity_ids": [door.entity_id]}
        async with asyncio.timeout(60):
            while True:
                entry = (await self.client.command(command))[door.entity_id]
                if entry is not None and entry["platform"] == platform:
                    return
                await asyncio.sleep(0.2)

    async def repairs(self) -> list[str]:
        """Return what the repairs of ours are about, sorted."""
        answer = await self.client.command({"type": "repairs/list_issues"})
        issues = [issue for issue in answer["issues"] if issue["domain"] == "mqtt_binary"]
        return sorted(issue["translation_key"] for issue in issues)


@asynccontextmanager
async def zigbee(folder: Path, devices: int) -> AsyncIterator[Zigbee]:
    """Run a Home Assistant whose core has discovered doors; it has logged no error of ours."""
    template = folder / "template"
    template.mkdir()
    (template / "configuration.yaml").write_text(YAML)
    async with AsyncExitStack() as stack:
        broker = await stack.enter_async_context(Broker())
        bridge = await stack.enter_async_context(Contact(broker.host, broker.port))
        host = await stack.enter_async_context(Host(template, {}))
        doors = [Door(number, f"Door {number}") for number in range(devices)]
        home = Zigbee(host, bridge.publish, doors)
        await home.begin(broker)
        yield home
        ours = [line for line in host.log().splitlines() if "custom_components" in line]
        assert not [line for line in ours if " ERROR " in line]


async def test_what_happens_while_home_assistant_is_down_is_followed(tmp_path: Path) -> None:
    async with zigbee(tmp_path, DEVICES) as home:
        await home.set_by_user()
        settings = await home.registered(*SETTINGS)
        await home.take_over()
        assert await home.registered(*SETTINGS) == settings
        await home.move()
        before = await home.registered(*IDENTITY, *SETTINGS)

        await home.host.stop()
        renamed, removed, others = home.doors[:10], home.doors[10:15], home.doors[15:]
        for door in renamed:
            door.rename(home.publish, f"Gate {door.number}")
        for door in removed:
            door.leave(home.publish)
        for door in others[:10]:
            door.move(home.publish)
        await home.start()

        await home.agree([*renamed, *others])
        await home.agree(home.doors, within=ABSENT_S + 30)
        assert await home.repairs() == ["announced_no_longer"] * len(removed)
        await home.move()
        assert await home.registered(*IDENTITY, *SETTINGS) == before

        # Nothing of this is only in memory.
        await home.host.stop()
        await home.start()
        await home.agree([*renamed, *others])
        assert await home.registered(*IDENTITY, *SETTINGS) == before


async def test_0_4_0_goes_on_with_the_sensors(tmp_path: Path) -> None:
    with zipfile.ZipFile(OLD) as old:
        old.extractall(tmp_path)
    async with zigbee(tmp_path, 5) as home:
        await home.take_over()
        before = await home.registered(*IDENTITY)

        await home.host.stop()
        await home.start(tmp_path / "custom_components")
        await home.agree(home.doors)
        await home.move()
        assert await home.registered(*IDENTITY) == before
        # Deleting one gives core's sensor back.
        deleted = home.doors.pop()
        subentry = before.pop(deleted.entity_id)["config_subentry_id"]
        command = {"type": "config_entries/subentries/delete", "subentry_id": subentry}
        await home.client.command({**command, "entry_id": await home.entry_id()})
        await home.wait_platform(deleted, "mqtt")
        await home.client.wait_state(deleted.entity_id, deleted.state, within=60)

        await home.host.stop()
        home.doors[0].rename(home.publish, "Gate")
        await home.start(ROOT / "custom_components")
        await home.agree([*home.doors, deleted])
        await home.move()
        assert await home.registered(*IDENTITY) == before
        assert await home.repairs() == []
