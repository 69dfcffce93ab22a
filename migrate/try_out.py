"""Tries a migrated home out: in a Home Assistant, on hubs, a broker and pages that answer."""

import asyncio
from collections.abc import AsyncGenerator
import contextlib
from dataclasses import dataclass
import errno
import json
import logging
import os
from pathlib import Path
import shutil
import socket
import sys
import tempfile
from typing import Final, Self

from homeassistant.components import mqtt
from homeassistant.components.remote import (  # type: ignore[attr-defined]  # its own name, since 2026.10 imported
    RemoteEntityFeature,
)
from homeassistant.const import STATE_UNAVAILABLE, STATE_UNKNOWN, Platform
from homeassistant.core import HomeAssistant, SupportsResponse
from homeassistant.exceptions import ServiceNotSupported
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import async_get_platforms
from homeassistant.helpers.storage import STORAGE_DIR
from homeassistant.util import slugify

from virtual_home.broker import Broker
from virtual_home.control import BUTTON
from virtual_home.endpoint import Endpoint
from virtual_home.hub import VirtualHub

from .advice import OURS
from .check import Errors, copy_codes, entries_of_ours, start
from .configuration import Call, Configuration, Raw, secrets_in, without

NOT_COPIED: Final = shutil.ignore_patterns(
    "*.db*", "*.log*", "backups", "custom_components_backup", "deps", "media", "tts", "www"
)
LEARNED: Final = ("irhub*", "broadlink_remote_*")
"""Files of Home Assistant's store."""
PATIENCE_S: Final = 15
RM4_PRO: Final = "rm4_pro"
PLUGS: Final = ("sp", "sc")
"""How the types of plugs begin."""
ANSWER: Final = {"value": 1}
USES: Final[dict[str, tuple[str, ...]]] = {
    Platform.BUTTON: ("press",),
    Platform.CLIMATE: ("turn_on", "turn_off"),
    Platform.COVER: ("open_cover", "close_cover"),
    Platform.FAN: ("turn_on", "turn_off"),
    Platform.LIGHT: ("turn_on", "turn_off"),
    Platform.MEDIA_PLAYER: ("turn_on", "turn_off"),
    Platform.REMOTE: ("turn_off", "turn_on"),
    Platform.SWITCH: ("turn_on", "turn_off"),
}
"""What a user does with an entity of ours, as far as it can."""
COMMAND: Final[Raw] = {"device": "tried out", "command": "power"}
"""Stored in the copy, and looked at by each action about commands."""


@dataclass(frozen=True, kw_only=True)
class Tried:
    """What came of it."""

    things: int
    failures: list[str]


def copy_home(config_dir: Path, target: Path) -> Path:
    """Copy what Home Assistant is configured by, and return the copy."""
    return Path(
        shutil.copytree(
            config_dir,
            target / "home",
            ignore=NOT_COPIED,
            symlinks=False,
            ignore_dangling_symlinks=True,
        )
    ).resolve()


async def try_out(configuration: Configuration, home: Path) -> Tried:
    """Start the copy of a home, use each thing of ours once, and say what does not work.

    Nothing but this machine is reached: each address of the home is one of a virtual hub, page
    or broker here.
    """
    config = entries_of_ours(configuration)
    secrets = secrets_in(config)
    sys.addaudithook(_refuse_others)
    async with _VirtualHome() as virtual:
        moved = await virtual.move_in(config)
        with tempfile.TemporaryDirectory(prefix="migrate-") as folder:
            (Path(folder) / "configuration.yaml").touch()  # which core's mqtt reads
            copy_codes(config, home, Path(folder))
            _copy_commands(home / STORAGE_DIR, Path(folder) / STORAGE_DIR)
            hass = HomeAssistant(folder)
            errors = Errors()
            logging.getLogger().addHandler(errors)
            try:
                await start(hass, moved, before=virtual.connect)
                logging.getLogger().removeHandler(errors)
                things = [
                    *[thing async for thing in _entities(hass, config)],
                    *[thing async for thing in _sent(hass, virtual, configuration)],
                    *[thing async for thing in _learned(hass, virtual)],
                    *[thing async for thing in _commanded(hass)],
                    *[thing async for thing in _requested(hass, config)],
                ]
            finally:
                await hass.async_stop(force=True)
    inside = f"{os.path.relpath(home, folder)}{os.sep}"  # noqa: ASYNC240  (pure text)
    things += [("not loaded", line.replace(inside, "")) for line in dict.fromkeys(errors.lines)]
    failures = [without(secrets, f"{name}: {virtual.told(why)}") for name, why in things if why]
    return Tried(things=len(things), failures=failures)


def _copy_commands(store: Path, target: Path) -> None:
    """Copy what irhub has learned, and what it takes over from core's integration."""
    target.mkdir()
    for pattern in LEARNED:
        for path in store.glob(pattern):
            shutil.copy(path, target)


class _VirtualHome:
    """What stands in for the devices and servers of a home."""

    def __init__(self) -> None:
        self.hubs: dict[str, VirtualHub] = {}
        """By the host that the home has for them."""
        self.learners: set[str] = set()
        self._stack = contextlib.AsyncExitStack()
        self._endpoint = Endpoint()
        self._broker: Broker | None = None
        self._pages = 0

    async def __aenter__(self) -> Self:
        await self._stack.enter_async_context(self._endpoint)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def move_in(self, config: dict[str, list[Raw]]) -> dict[str, list[Raw]]:
        """Return the configuration with the addresses of what stands in."""
        entries = [entry for entries in config.values() for entry in entries]
        for host, mac in {
            (str(entry["host"]), str(entry["mac"]))
            for entry in entries
            if entry.get("platform") == "irhub" and {"host", "mac"} <= entry.keys()
        }:
            model = _model([entry for entry in entries if str(entry.get("host")) == host])
            self.learners |= {host} if model == RM4_PRO else set()
            hub = VirtualHub(model, host=f"127.0.0.{len(self.hubs) + 2}", mac=mac, name=host)
            self.hubs[host] = await self._stack.enter_async_context(hub)
        if any(entry.get("platform") == "mqtt_binary" for entry in entries):
            self._broker = await self._stack.enter_async_context(Broker(engine="amqtt"))
        return {
            domain: [self._moved(entry) for entry in entries] for domain, entries in config.items()
        }

    def _moved(self, entry: Raw) -> Raw:
        """Return an entry with our addresses; parts of a block have none of their own."""
        moved = dict(entry)
        if (hub := self.hubs.get(str(entry.get("host")))) is not None:
            moved |= {"host": hub.host, "port": hub.port}
        if "resource" in entry or "resource_template" in entry:
            moved.pop("resource_template", None)
            self._pages += 1
            self._endpoint.set(f"/{self._pages}", json.dumps(ANSWER))
            moved["resource"] = f"{self._endpoint.url}/{self._pages}"
        return moved

    def told(self, text: str) -> str:
        """Return a text with the home's own addresses."""
        for host, hub in self.hubs.items():
            text = text.replace(f"{hub.host}:{hub.port}", host).replace(hub.host, host)
        return text

    async def connect(self, hass: HomeAssistant) -> None:
        """Set MQTT up, as its dialogue does."""
        if self._broker is None:
            return
        answers: Raw = {"broker": self._broker.host, "port": self._broker.port, "protocol": "3.1.1"}
        flow = await hass.config_entries.flow.async_init("mqtt", context={"source": "user"})
        form = flow["data_schema"]
        if form and "other_settings" in form.schema:  # the oldest hosts do not ask for them
            answers["other_settings"] = {"set_client_cert": False, "set_ca_cert": "off"}
        done = await hass.config_entries.flow.async_configure(flow["flow_id"], answers)
        if done["type"] != "create_entry":
            raise RuntimeError(f"MQTT cannot be set up: {done.get('errors')}")


def _model(entries: list[Raw]) -> str:
    """Return what kind of hub serves some entries."""
    types = {str(entry.get("type", "")).lower() for entry in entries}
    conditions = {str(name) for entry in entries for name in entry.get("monitored_conditions", ())}
    if any(name.startswith(PLUGS) for name in types):
        return "sp2s"
    if "mp1" in types or any("slots" in entry for entry in entries):
        return "mp1"
    return "a1" if conditions & {"air_quality", "light", "noise"} else RM4_PRO


type Outcome = tuple[str, str]
"""A thing's name, and why it does not work; empty where it does."""


async def _entities(hass: HomeAssistant, config: dict[str, list[Raw]]) -> AsyncGenerator[Outcome]:
    """Use each entity of ours."""
    await _publish(hass, config)
    for domain in sorted(OURS):
        for platform in async_get_platforms(hass, domain):
            for entity in list(platform.entities.values()):
                yield entity.entity_id, await _use(hass, entity, domain)


async def _use(hass: HomeAssistant, entity: Entity, domain: str) -> str:
    """Use an entity as a user does; return what is wrong."""
    missing = {STATE_UNAVAILABLE}
    # what a template reads cannot be guessed
    if domain == "mqtt_binary" and entity.settings.value_template is None:  # type: ignore[attr-defined]
        missing.add(STATE_UNKNOWN)
    end = hass.loop.time() + PATIENCE_S
    while (state := _state(hass, entity)) in missing and hass.loop.time() < end:  # noqa: ASYNC110  (of several causes)
        await asyncio.sleep(0.05)
    if state in missing:
        return "it is unavailable" if state == STATE_UNAVAILABLE else "it does not take payload_on"
    platform = entity.platform.domain
    for service in USES.get(platform, ()):
        if why := await _called(hass, platform, service, {"entity_id": entity.entity_id}):
            return f"{service}: {why}"
    return ""


def _state(hass: HomeAssistant, entity: Entity) -> str:
    state = hass.states.get(entity.entity_id)
    return STATE_UNAVAILABLE if state is None else state.state


async def _publish(hass: HomeAssistant, config: dict[str, list[Raw]]) -> None:
    """Say what the devices of MQTT say when they come, and let the broker keep it."""
    if mqtt.DATA_MQTT in hass.data:
        await mqtt.async_wait_for_mqtt_client(hass)
    for entry in config.get(Platform.BINARY_SENSOR, []):
        if entry.get("platform") != "mqtt_binary":
            continue
        if topic := entry.get("availability_topic"):
            await mqtt.async_publish(
                hass, topic, str(entry.get("payload_available", "online")), retain=True
            )
        payload = entry.get("payload_on", "ON")
        first = payload[0] if isinstance(payload, list) else payload
        await mqtt.async_publish(hass, str(entry["state_topic"]), str(first), retain=True)


async def _sent(
    hass: HomeAssistant, virtual: _VirtualHome, configuration: Configuration
) -> AsyncGenerator[Outcome]:
    """Do what scripts and automations send, once each."""
    for call in configuration.sent():
        data = _data_of(call)
        hub = virtual.hubs.get(str(data.get("host")))
        if hub is not None:
            data["host"] = f"{hub.host}:{hub.port}"
        yield (
            f"{call.place.text(configuration.config_dir)}  {call.action}",
            await _called(hass, "irhub", "send", data),
        )


async def _learned(hass: HomeAssistant, virtual: _VirtualHome) -> AsyncGenerator[Outcome]:
    """Learn with each hub."""
    for host in sorted(virtual.learners):
        hub = virtual.hubs[host]
        if not hub.arrived:
            continue  # none of its entries was loaded, which is told
        pressing = asyncio.create_task(_press(hub))
        why = await _called(hass, "irhub", "learn", {"host": f"{hub.host}:{hub.port}"})
        pressing.cancel()
        yield f"{host}  irhub.learn", why


async def _press(hub: VirtualHub) -> None:
    """Press a button repeatedly: the hub listens for followed devices before it learns."""
    while True:
        await hub.press_when_listening(BUTTON)
        await asyncio.sleep(1)


async def _commanded(hass: HomeAssistant) -> AsyncGenerator[Outcome]:
    """Call each action about commands once for each remote of a hub."""
    for platform in async_get_platforms(hass, "irhub"):
        if platform.domain != Platform.REMOTE:
            continue
        for entity_id, entity in platform.entities.items():
            if not (entity.supported_features or 0) & RemoteEntityFeature.LEARN_COMMAND:
                continue  # it is a player's: its hub's has the commands
            target: Raw = {"entity_id": entity_id}
            imported = {**target, **COMMAND, "codes": BUTTON.hex()}
            for domain, action, data in (
                ("irhub", "import_codes", imported),
                ("irhub", "rename_code", {**target, **COMMAND, "new_command": "on"}),
                ("irhub", "delete_codes", {**target, "device": COMMAND["device"]}),
                ("irhub", "restore_codes", {**target, "device": COMMAND["device"]}),
                ("irhub", "export_codes", target),
                ("remote", "send_command", {**target, **COMMAND, "command": "on"}),
            ):
                yield f"{entity_id}  {domain}.{action}", await _called(hass, domain, action, data)


async def _requested(hass: HomeAssistant, config: dict[str, list[Raw]]) -> AsyncGenerator[Outcome]:
    """Repeat each request, and send one notification by each `rest` entry."""
    for platform in async_get_platforms(hass, "rest"):
        if platform.domain in {Platform.SENSOR, Platform.BINARY_SENSOR}:
            for entity_id in platform.entities:
                data = {"entity_id": entity_id}
                yield f"{entity_id}  rest.request", await _called(hass, "rest", "request", data)
    for entry in config.get(Platform.NOTIFY, []):
        if entry.get("platform") == "rest":
            action = slugify(str(entry.get("name", "notify")))
            why = await _called(hass, "notify", action, {"message": "Tried out"})
            yield f"notify.{action}", why


def _data_of(call: Call) -> dict[str, Raw]:
    data = call.config.get("data", call.config.get("data_template"))
    return dict(data) if isinstance(data, dict) else {}


async def _called(hass: HomeAssistant, domain: str, service: str, data: dict[str, Raw]) -> str:
    """Call an action; return what it says if it fails."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            await hass.services.async_call(
                domain,
                service,
                data,
                blocking=True,
                return_response=hass.services.supports_response(domain, service)
                is not SupportsResponse.NONE,
            )
    except ServiceNotSupported:
        return ""  # it has no such button
    except TimeoutError:
        return f"it did not end within {PATIENCE_S} s"
    except Exception as err:  # noqa: BLE001  (whatever it is, the user is to know)
        return str(err) or type(err).__name__
    return ""


def _refuse_others(event: str, arguments: tuple[object, ...]) -> None:
    """Refuse, as an audit hook, what leaves this machine."""
    match event, arguments:
        case (
            ("socket.connect" | "socket.sendto" | "socket.sendmsg"),
            (socket.socket() as used, tuple() as address, *_),
        ):
            if used.family in {socket.AF_INET, socket.AF_INET6} and not _is_here(address[0]):
                raise OSError(errno.ENETUNREACH, "not contacted while the home is tried out")
        case "socket.getaddrinfo", (host, *_):
            if not _is_here(host):
                raise socket.gaierror(socket.EAI_AGAIN, "not looked up while the home is tried out")


def _is_here(host: object) -> bool:
    return host is None or str(host).startswith("127.") or host in {"localhost", "::1"}
