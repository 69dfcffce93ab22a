"""Core's integrations and ours, side by side on the same topics, hubs and endpoints."""

from abc import ABC, abstractmethod
import asyncio
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
import itertools
import json
from types import MappingProxyType
from typing import Any, Final, override

from homeassistant.config_entries import ConfigEntry, ConfigEntryState, ConfigSubentryDataWithId
from homeassistant.const import EVENT_STATE_CHANGED, STATE_UNAVAILABLE, Platform
from homeassistant.core import Event, EventStateChangedData, HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    MockConfigEntry,
)

from tests.home import Home, until
from tests.irhub.dialogue import entry_of
from tests.irhub.home import HDMI, POWER, our_hub, our_status
from tests.mqtt_binary.home import MqttHome
from virtual_home.endpoint import Endpoint
from virtual_home.endpoint_answer import Answer
from virtual_home.hub import VirtualHub


class Side(Enum):
    """The owner of an integration: core or us."""

    OURS = "ours"
    CORES = "core's"

    @property
    def other(self) -> Side:
        """Return the other side."""
        return Side.CORES if self is Side.OURS else Side.OURS


BOTH: Final = tuple(Side)


class Pair(ABC):
    """Our integration and core's of the same kind, on the same resource."""

    yaml: Mapping[Side, dict[str, Any]]
    """The configuration of each side in configuration.yaml."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.hass: HomeAssistant = home.hass

    @property
    @abstractmethod
    def entities(self) -> dict[Side, list[tuple[Platform, str, str]]]:
        """Return domain, platform and unique id of each side's entities."""

    @abstractmethod
    async def start(self, side: Side) -> None:
        """Set one side up, from configuration.yaml and with its entry."""

    @abstractmethod
    async def reload(self, side: Side) -> None:
        """Reload one side."""

    @abstractmethod
    async def remove(self, side: Side) -> None:
        """Remove one side, which is no longer in configuration.yaml."""

    @abstractmethod
    async def check(self, *sides: Side) -> None:
        """Check that these sides receive new values, and that a command of each is sent once."""

    def ids(self, *sides: Side) -> list[str]:
        """Return the entity ids: the side that was set up first has the shorter ones."""
        registry = er.async_get(self.hass)
        found = [
            registry.async_get_entity_id(*key) for side in sides for key in self.entities[side]
        ]
        return [entity_id for entity_id in found if entity_id is not None]

    async def shows(self, right: str, sides: Iterable[Side], domain: Platform) -> None:
        """Wait until the entities of a domain have the right state."""
        ids = [found for found in self.ids(*sides) if found.startswith(f"{domain}.")]
        assert ids
        for entity_id in ids:
            await self.home.wait_for(entity_id, right)

    def is_there(self, entity_id: str) -> bool:
        """Return whether an entity is set up, not only registered."""
        state = self.hass.states.get(entity_id)
        return state is not None and state.state != STATE_UNAVAILABLE

    async def act(self, domain: str, action: str, **data: object) -> None:
        """Call an action, and wait for its end."""
        await self.hass.services.async_call(domain, action, data, blocking=True)

    async def add(self, entry: MockConfigEntry) -> None:
        """Add a config entry."""
        entry.add_to_hass(self.hass)
        assert await self.hass.config_entries.async_setup(entry.entry_id)

    def entry(self, domain: str) -> ConfigEntry[Any]:
        """Return the config entry of an integration."""
        [entry] = self.hass.config_entries.async_entries(domain)
        return entry


class Topics(Pair):
    """Binary sensors from YAML and from announcements, of the same topics."""

    YAML: Final = {"name": "Door", "state_topic": "hall/door", "unique_id": "door"}
    ANNOUNCED: Final = {
        "name": "Window",
        "state_topic": "hall/window",
        "unique_id": "window",
        "device": {"identifiers": ["hall"], "name": "Hall"},
    }
    DOMAINS: Final = {Side.OURS: "mqtt_binary", Side.CORES: "mqtt"}
    PREFIXES: Final = {Side.OURS: "mqtt_binary", Side.CORES: "homeassistant"}

    home: MqttHome
    yaml = MappingProxyType(
        {
            Side.OURS: {"binary_sensor": [{"platform": "mqtt_binary", **YAML}]},
            Side.CORES: {"mqtt": {"binary_sensor": [YAML]}},
        }
    )

    def __init__(self, home: MqttHome) -> None:
        super().__init__(home)
        self._core = home.make_entry(discovery=True)
        self._states = itertools.cycle(["on", "off"])

    @property
    @override
    def entities(self) -> dict[Side, list[tuple[Platform, str, str]]]:
        return {
            side: [(Platform.BINARY_SENSOR, domain, name) for name in ("door", "window")]
            for side, domain in self.DOMAINS.items()
        }

    @override
    async def start(self, side: Side) -> None:
        self._announce(side, json.dumps(self.ANNOUNCED))
        if side is Side.OURS:
            options = {"discovery_prefix": self.PREFIXES[side]}
            await self.add(MockConfigEntry(domain="mqtt_binary", options=options))
            await self.home.load(self.yaml[side])
            await self.act("mqtt_binary", "reload")  # where core has set the platform's domain up
        elif self._core.state is ConfigEntryState.LOADED:
            await self.act("mqtt", "reload")
        else:
            assert await self.hass.config_entries.async_setup(self._core.entry_id)

    @override
    async def reload(self, side: Side) -> None:
        await self.act(self.DOMAINS[side], "reload")
        if side is Side.OURS:
            await self.hass.config_entries.async_reload(self.entry("mqtt_binary").entry_id)

    async def reconnect(self) -> None:
        """Reload core's entry, which is the connection of both."""
        await self.hass.config_entries.async_reload(self._core.entry_id)

    @override
    async def remove(self, side: Side) -> None:
        ids = self.ids(side)
        self._announce(side, "")
        await self.act(self.DOMAINS[side], "reload")
        if side is Side.OURS:
            await self.hass.config_entries.async_remove(self.entry("mqtt_binary").entry_id)
        await until(lambda: not any(map(self.is_there, ids)))

    @override
    async def check(self, *sides: Side) -> None:
        await until(lambda: len(self.ids(*sides)) == len(sides) * 2)
        for _ in range(2):
            state = next(self._states)
            for topic in ("hall/door", "hall/window"):
                self.home.publish(topic, state.upper(), retain=True)
            await self.shows(state, sides, Platform.BINARY_SENSOR)

    def _announce(self, side: Side, payload: str) -> None:
        topic = f"{self.PREFIXES[side]}/binary_sensor/hall/window/config"
        self.home.publish(topic, payload, retain=True)


class SharedHub(Pair):
    """A config entry each of one hub."""

    DOMAINS: Final = {Side.OURS: "irhub", Side.CORES: "broadlink"}
    PACKETS: Final = {Side.OURS: POWER, Side.CORES: HDMI}

    yaml = MappingProxyType({side: {} for side in BOTH})

    def __init__(self, home: Home, hub: VirtualHub) -> None:
        super().__init__(home)
        self._hub = hub
        self._mac = hub.mac.replace(":", "").lower()
        self._degrees = itertools.count(10)

    @property
    @override
    def entities(self) -> dict[Side, list[tuple[Platform, str, str]]]:
        return {
            side: [
                (Platform.REMOTE, domain, self._mac),
                (Platform.SENSOR, domain, f"{self._mac}-temperature"),
            ]
            for side, domain in self.DOMAINS.items()
        }

    @override
    async def start(self, side: Side) -> None:
        if side is Side.OURS:
            await self.add(entry_of(self._hub))
            await until(lambda: our_hub(self.hass, self._hub).available)
            return
        data = {"host": self._hub.host, "mac": self._mac, "type": self._hub.devtype, "timeout": 5}
        title = self._hub.name
        await self.add(
            MockConfigEntry(domain="broadlink", title=title, unique_id=self._mac, data=data)
        )

    @override
    async def reload(self, side: Side) -> None:
        await self.hass.config_entries.async_reload(self.entry(self.DOMAINS[side]).entry_id)

    @override
    async def remove(self, side: Side) -> None:
        await self.hass.config_entries.async_remove(self.entry(self.DOMAINS[side]).entry_id)
        assert self.ids(side) == []

    @override
    async def check(self, *sides: Side) -> None:
        await until(lambda: len(self.ids(*sides)) == len(sides) * 2)
        self._hub.state.temperature = degrees = float(next(self._degrees))
        await asyncio.gather(*map(self._poll, sides))
        await self.shows(str(degrees), sides, Platform.SENSOR)
        await self.shows("on", sides, Platform.REMOTE)
        self._hub.logs.transmitted.clear()
        await asyncio.gather(*(self._send(side) for side in sides for _ in range(3)))
        assert Counter(self._hub.transmitted) == {self.PACKETS[side]: 3 for side in sides}
        for side in sides:
            await self._learn(side)

    async def _poll(self, side: Side) -> None:
        """Let a side poll now, as at its interval."""
        if side is Side.OURS:
            await until(lambda: our_hub(self.hass, self._hub).available)
            await our_status(self.hass, self._hub).async_refresh()
        else:
            device = self.hass.data["broadlink"].devices[self.entry("broadlink").entry_id]
            await device.update_manager.coordinator.async_refresh()

    def _remote(self, side: Side) -> str:
        [remote] = [found for found in self.ids(side) if found.startswith("remote.")]
        return remote

    async def _send(self, side: Side) -> None:
        text = b64encode(self.PACKETS[side]).decode()
        await self.act(
            "remote", "send_command", entity_id=self._remote(side), command=f"b64:{text}"
        )

    async def _learn(self, side: Side) -> None:
        """Learn a command, and send it by its name."""
        named = {"entity_id": self._remote(side), "device": "tv", "command": "power"}
        learning = asyncio.create_task(self.act("remote", "learn_command", **named))
        await self._hub.press_when_listening(self.PACKETS[side])
        await learning
        self._hub.logs.transmitted.clear()
        await self.act("remote", "send_command", **named)
        assert self._hub.transmitted == [self.PACKETS[side]]


class Page(Pair):
    """A REST block and core's `scrape`, of one page; a switch and `rest_command`, to one URL."""

    def __init__(self, home: Home, endpoint: Endpoint) -> None:
        super().__init__(home)
        self._endpoint = endpoint
        self._degrees = itertools.count(10)
        self._url = f"{endpoint.url}/page"
        found = "{{ value | regex_findall('[0-9]+') | first }}"
        sensor = {"name": "degrees", "unique_id": "degrees", "value_template": found}
        command = {"resource": f"{endpoint.url}/command", "body_on": "ours"}
        polled = {"resource": self._url, "headers": {"By": "ours"}, "scan_interval": 86400}
        self.yaml = {
            Side.OURS: {
                "rest": [{**polled, "sensor": [sensor]}],
                "switch": [{"platform": "rest", "unique_id": "boiler", **command}],
            },
            Side.CORES: {
                "rest_command": {
                    "go": {"url": command["resource"], "method": "post", "payload": "core's"}
                }
            },
        }
        endpoint.set("/command", "OFF")
        self._set_page(0)

    @property
    @override
    def entities(self) -> dict[Side, list[tuple[Platform, str, str]]]:
        return {
            Side.OURS: [
                (Platform.SENSOR, "rest", "degrees"),
                (Platform.SWITCH, "rest", "boiler"),
            ],
            Side.CORES: [(Platform.SENSOR, "scrape", "scraped")],
        }

    @override
    async def start(self, side: Side) -> None:
        if side is Side.OURS:
            await self.home.load(self.yaml[side])
            await self.act("rest", "reload")
            return
        await self.home.load(self.yaml[side])
        await self.act("rest_command", "reload")
        await self.add(
            MockConfigEntry(
                domain="scrape",
                version=2,
                options={
                    "resource": self._url,
                    "method": "GET",
                    "auth": {},
                    "advanced": {"headers": {"By": "core's"}, "verify_ssl": True, "timeout": 10},
                },
                subentries_data=[
                    ConfigSubentryDataWithId(
                        data={"select": "b", "index": 0, "advanced": {}},
                        subentry_id="scraped",
                        subentry_type="entity",
                        title="scraped",
                        unique_id=None,
                    )
                ],
            )
        )

    @override
    async def reload(self, side: Side) -> None:
        if side is Side.OURS:
            await self.act("rest", "reload")
        else:
            await self.act("rest_command", "reload")
            await self.hass.config_entries.async_reload(self.entry("scrape").entry_id)

    @override
    async def remove(self, side: Side) -> None:
        ids = self.ids(side)
        if side is Side.OURS:
            await self.act("rest", "reload")
            assert not any(map(self.is_there, ids))
        else:
            await self.act("rest_command", "reload")
            await self.hass.config_entries.async_remove(self.entry("scrape").entry_id)
            assert not self.hass.services.has_service("rest_command", "go")

    @override
    async def check(self, *sides: Side) -> None:
        expected = sum(len(self.entities[side]) for side in sides)
        await until(lambda: len(self.ids(*sides)) == expected)
        await self.shows(str(self._shown), sides, Platform.SENSOR)  # the first poll is done
        degrees = next(self._degrees)
        self._set_page(degrees)
        self._endpoint.requests.clear()
        await asyncio.gather(*map(self._poll, sides))
        await self.shows(str(degrees), sides, Platform.SENSOR)
        polls = Counter(request.headers.get("By") for request in self._endpoint.received("/page"))
        assert polls == {side.value: 1 for side in sides}
        await asyncio.gather(*(self._command(side) for side in sides for _ in range(3)))
        commands = Counter(
            request.body.decode()
            for request in self._endpoint.received("/command")
            if request.method == "POST"
        )
        assert commands == {side.value: 3 for side in sides}

    async def _poll(self, side: Side) -> None:
        """Let a side poll now, as at its interval."""
        if side is Side.OURS:
            await async_setup_component(self.hass, "homeassistant", {})
            [sensor, _] = self.ids(side)
            await self.act("homeassistant", "update_entity", entity_id=sensor)
        else:
            await self.entry("scrape").runtime_data.async_refresh()

    async def _command(self, side: Side) -> None:
        if side is Side.OURS:
            [_, switch] = self.ids(side)
            await self.act("switch", "turn_on", entity_id=switch)
        else:
            await self.act("rest_command", "go")

    def _set_page(self, degrees: int) -> None:
        self._shown = degrees
        body = f"<html><b>{degrees}</b></html>".encode()
        self._endpoint.set("/page", Answer(body=body, content_type="text/html"))


class Neighbourhood:
    """Pairs of neighbours in one process, with one configuration.yaml."""

    def __init__(self, home: Home, pairs: list[Pair]) -> None:
        self._home = home
        self._pairs = pairs
        self._written = {Side.OURS: False, Side.CORES: False}

    async def start(self, *sides: Side) -> None:
        """Set sides up in parallel."""
        self._write(**{side.name: True for side in sides})
        await asyncio.gather(*(pair.start(side) for side in sides for pair in self._pairs))
        await self._home.hass.async_block_till_done()

    async def reload(self, *sides: Side) -> None:
        """Reload sides in parallel."""
        await asyncio.gather(*(pair.reload(side) for side in sides for pair in self._pairs))
        await self._home.hass.async_block_till_done()

    async def remove(self, side: Side) -> None:
        """Remove a side."""
        self._write(**{side.name: False})
        await asyncio.gather(*(pair.remove(side) for pair in self._pairs))
        await self._home.hass.async_block_till_done()

    async def reconnect(self) -> None:
        """Interrupt the connection that both sides of a pair share."""
        for pair in self._pairs:
            if isinstance(pair, Topics):
                await pair.reconnect()

    async def check(self, *sides: Side) -> None:
        """Check that these sides work."""
        await asyncio.gather(*(pair.check(*sides) for pair in self._pairs))

    @contextmanager
    def undisturbed(self, side: Side) -> Iterator[None]:
        """Fail if a state of this side changes in the meantime."""
        ids = {entity_id for pair in self._pairs for entity_id in pair.ids(side)}
        changes = []

        @callback
        def changed(event: Event[EventStateChangedData]) -> None:
            old, new = event.data["old_state"], event.data["new_state"]
            if event.data["entity_id"] in ids and (old and old.state) != (new and new.state):
                changes.append((old, new))

        stop = self._home.hass.bus.async_listen(EVENT_STATE_CHANGED, changed)
        yield
        stop()
        assert ids
        assert changes == []

    def _write(self, **sides: bool) -> None:
        self._written |= {Side[name]: there for name, there in sides.items()}
        # Core's `rest_command.reload` fails where the key is missing.
        yaml: dict[str, Any] = {"rest_command": {}}
        for side in BOTH:
            if self._written[side]:
                for pair in self._pairs:
                    yaml |= pair.yaml[side]
        self._home.write(yaml)
