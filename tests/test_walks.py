"""The ways of data, counted: how many files and functions of ours it goes through, and of core's.

Each function that runs or goes on between the two ends is counted once, helpers and properties
included. docs/architecture.md has the table; a walk that is no longer as it says fails here.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
import inspect
from pathlib import Path
import re
import sys
from types import CodeType
from typing import Final

from aiohttp import web
import homeassistant
from homeassistant.components.broadlink import device as core_device
from homeassistant.core import HomeAssistant
from homeassistant.loader import DATA_CUSTOM_COMPONENTS
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    MockConfigEntry,
)

from custom_components.irhub.codes.codes import read_packet
from custom_components.irhub.packets.packet import air_time_s
from virtual_home.hub import VirtualHub

from .files import ROOT
from .irhub.home import POWER, RC5, entry as hub_entry, set_up, start
from .mqtt_binary.home import MqttHome
from .rest.home import RestHome

PAGE = ROOT / "docs/architecture.md"
OURS = ROOT / "custom_components"
CORE = Path(homeassistant.__file__).parent / "components"

TOOL: Final = 3  # coverage and profilers have the ones before
EVENTS: Final = (sys.monitoring.events.PY_START, sys.monitoring.events.PY_RESUME)
TOLERANCE: Final = 1.25
"""Home Assistant's versions differ, and a change of a function or two is no other walk."""
MQTT_CLIENT = {"client.py", "util.py"}
"""Core's connection, which its sensors and ours ride on alike."""

SENSOR = "- {platform: rest, resource: URL/x, name: x, value_template: '{{ value_json.a }}'}"
CONTACT = {"name": "x", "state_topic": "a", "value_template": "{{ value_json.s }}"}


@dataclass
class Walk:
    """The functions of an integration that run from `begin` to `end`."""

    is_ours: bool
    folder: Path = OURS
    functions: set[tuple[str, str]] = field(default_factory=set)
    is_on: bool = False

    def begin(self, ours: str, core: str) -> None:
        """Watch what runs from here on of our integration, or of core's."""
        self.folder = OURS / ours if self.is_ours else CORE / core
        self.functions.clear()
        sys.monitoring.use_tool_id(TOOL, "walks")
        for event in EVENTS:
            sys.monitoring.register_callback(TOOL, event, self._ran)
        sys.monitoring.set_events(TOOL, sum(EVENTS))
        self.is_on = True

    def end(self) -> tuple[int, int]:
        """Watch no more; return how many files and functions there were."""
        if self.is_on:
            sys.monitoring.set_events(TOOL, 0)
            sys.monitoring.free_tool_id(TOOL)
            self.is_on = False
        functions = {way for way in self.functions if way[0] not in MQTT_CLIENT}
        return len({file for file, _ in functions}), len(functions)

    def _ran(self, code: CodeType, _offset: int) -> None:
        path = Path(code.co_filename)
        is_function = code.co_flags & inspect.CO_NEWLOCALS and not code.co_name.startswith("<")
        if path.is_relative_to(self.folder) and is_function:
            self.functions.add((path.relative_to(self.folder).as_posix(), code.co_qualname))


@pytest.fixture(name="walk", params=["core", "ours"])
def walk_fixture(request: pytest.FixtureRequest, hass: HomeAssistant) -> Iterator[Walk]:
    """Walk through core's integration, then through ours."""
    walk = Walk(is_ours=request.param == "ours")
    if not walk.is_ours:
        hass.data[DATA_CUSTOM_COMPONENTS] = {}
    yield walk
    walk.end()


@pytest.fixture(name="check")
def check_fixture(walk: Walk) -> Callable[[str], None]:
    """Return what ends a walk and compares it with its row."""

    def check(name: str) -> None:
        counted = walk.end()
        row = re.search(rf"^\| {re.escape(name)} \| (.*) \|$", PAGE.read_text(), re.MULTILINE)
        assert row, f"no row for {name}: {counted}"
        numbers = [int(number) for number in re.findall(r"\d+", row[1])]
        said = numbers[:2] if walk.is_ours else numbers[2:]
        for now, then in zip(counted, said, strict=True):
            assert now <= then * TOLERANCE, (counted, sorted(walk.functions))
            assert now >= then / TOLERANCE, f"the page says more than {counted}"

    return check


async def test_a_rest_reply(rest_home: RestHome, walk: Walk, check: Callable[[str], None]) -> None:
    async def answer(_request: web.Request) -> web.Response:
        walk.begin("rest", "rest")
        return web.json_response({"a": 2})

    rest_home.endpoint.set("/x", {"a": 1}, answer)
    await rest_home.set_up(SENSOR)
    await rest_home.state("1", "sensor.x")
    await rest_home.update("sensor.x")
    await rest_home.state("2", "sensor.x")
    check("a REST reply → state")


async def test_a_rest_entry(rest_home: RestHome, walk: Walk, check: Callable[[str], None]) -> None:
    rest_home.endpoint.set("/x", {"a": 1})
    walk.begin("rest", "rest")
    await rest_home.set_up(SENSOR)
    check("a YAML entry → REST sensor")


async def test_an_mqtt_message(
    bare_mqtt_home: MqttHome, walk: Walk, check: Callable[[str], None]
) -> None:
    await set_up_contact(bare_mqtt_home, walk)
    bare_mqtt_home.publish("a", '{"s": "OFF"}')
    await bare_mqtt_home.wait_for("binary_sensor.x", "off")
    walk.begin("mqtt_binary", "mqtt")
    bare_mqtt_home.publish("a", '{"s": "ON"}')
    await bare_mqtt_home.wait_for("binary_sensor.x", "on")
    check("an MQTT message → state")


async def test_an_mqtt_entry(
    bare_mqtt_home: MqttHome, walk: Walk, check: Callable[[str], None]
) -> None:
    await set_up_contact(bare_mqtt_home, walk, is_walked=True)
    check("a YAML entry → MQTT binary sensor")


async def set_up_contact(home: MqttHome, walk: Walk, *, is_walked: bool = False) -> None:
    """Set up a sensor, where YAML has it."""
    if not walk.is_ours:
        home.write({"mqtt": {"binary_sensor": [CONTACT]}})
        home.make_entry()
    else:
        await home.start_mqtt()
    if is_walked:
        walk.begin("mqtt_binary", "mqtt")
    if walk.is_ours:
        await home.set_up(CONTACT)
    else:
        assert home.entry is not None
        assert await home.hass.config_entries.async_setup(home.entry.entry_id)
        await home.settled()


async def test_an_infrared_command(
    hass: HomeAssistant, walk: Walk, check: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with VirtualHub("rm4_pro") as hub:
        await set_up_hub(hass, hub, walk, monkeypatch)
        command = {"entity_id": remote_of(hass), "command": "b64:" + RC5}
        for remembered in (read_packet, air_time_s):
            remembered.cache_clear()  # other tests have sent the same packet
        walk.begin("irhub", "broadlink")
        await hass.services.async_call("remote", "send_command", command, blocking=True)
        check("an action → packet sent")
        assert hub.transmitted == [POWER]


async def test_a_learned_packet(
    hass: HomeAssistant, walk: Walk, check: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with VirtualHub("rm4_pro") as hub:
        await set_up_hub(hass, hub, walk, monkeypatch)
        names = {"entity_id": remote_of(hass), "device": "tv", "command": "power", "timeout": 10}
        learning = hass.async_create_task(
            hass.services.async_call("remote", "learn_command", names, blocking=True)
        )
        await hub.press_when_listening(POWER)
        walk.begin("irhub", "broadlink")
        await learning
        check("a learned packet → disk")


async def test_a_hub_entry(hass: HomeAssistant, walk: Walk, check: Callable[[str], None]) -> None:
    async with VirtualHub("rm4_pro") as hub:
        if walk.is_ours:  # core has no YAML
            walk.begin("irhub", "broadlink")
            await set_up(hass, "remote", hub_entry(hub))
            check("a YAML entry → remote")


async def set_up_hub(
    hass: HomeAssistant, hub: VirtualHub, walk: Walk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Set up a remote that is connected to a virtual hub."""
    if walk.is_ours:
        await start(hass, hub)
        return
    monkeypatch.setattr(core_device, "DEFAULT_PORT", hub.port)
    mac = hub.mac.replace(":", "").lower()
    data = {"host": hub.host, "mac": mac, "type": hub.devtype, "timeout": 5, "name": "x"}
    entry = MockConfigEntry(domain="broadlink", unique_id=mac, data=data)
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()


def remote_of(hass: HomeAssistant) -> str:
    (remote,) = hass.states.async_entity_ids("remote")
    return remote
