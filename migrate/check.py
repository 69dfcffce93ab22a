"""Loads the entries in a Home Assistant of its own, with the network out of reach."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
import errno
import logging
import os
from pathlib import Path
import re
import shutil
import socket
import sys
import tempfile
from typing import Any, Final, override

from homeassistant import bootstrap, loader
from homeassistant.config_entries import ConfigEntries
from homeassistant.core import HomeAssistant
from homeassistant.core_config import async_process_ha_core_config
from homeassistant.helpers import issue_registry
from homeassistant.helpers.translation import async_get_translations
from homeassistant.setup import async_setup_component

from .advice import OURS, is_cores, is_ours, is_smartirs
from .configuration import APPLIANCES, DOMAINS, Configuration, Raw, has_unread, secrets_in, without

_REFUSED: Final = "not contacted while the configuration is checked"
_UNREACHED: Final = (_REFUSED, "Error fetching ", "Timeout fetching ")
"""What comes of the refusal and is no fault; the latter are a coordinator's own words."""


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """What came of it."""

    entities: int
    failures: list[str]


async def check(configuration: Configuration, config_dir: Path) -> Loaded:
    """Set up what concerns us as Home Assistant does at its start.

    Nothing in the folder is touched, and no device is contacted: the entries are set up,
    their first contact is not awaited. Errors are what Home Assistant would log.
    """
    config = entries_of_ours(configuration)
    sys.addaudithook(_refuse_network)
    errors = Errors()
    logging.getLogger().addHandler(errors)
    with tempfile.TemporaryDirectory(prefix="migrate-") as folder:
        copy_codes(config, config_dir, Path(folder))
        hass = HomeAssistant(folder)
        try:
            await start(hass, config)
            errors.lines += await _repairs(hass)
            entities = len(hass.states.async_all(DOMAINS))
        finally:
            await hass.async_stop(force=True)
    inside = f"{os.path.relpath(config_dir, folder)}{os.sep}"  # noqa: ASYNC240  (pure text)
    secrets = secrets_in(config)
    failures = [
        without(secrets, line.replace(inside, ""))
        for line in dict.fromkeys(errors.lines)
        if not any(words in line for words in _UNREACHED)
    ]
    return Loaded(entities=entities, failures=failures)


def entries_of_ours(configuration: Configuration) -> dict[str, Any]:
    """Return a configuration of our entries, and of the blocks that theirs depend on."""
    config: dict[str, list[Raw]] = {}
    for entry in configuration.entries():
        by_others = is_cores(entry) or is_smartirs(entry)
        if is_ours(entry) and not by_others and not has_unread(entry.config):
            config.setdefault(entry.domain, []).append(entry.config)
    for block in configuration.blocks():
        if has_unread(block.config):
            continue
        config.setdefault(block.key.partition(" ")[0], []).append(block.config)
    return config


def copy_codes(config: dict[str, Any], config_dir: Path, folder: Path) -> None:
    """Copy the code files that appliances name to where Home Assistant looks for them."""
    for domain in APPLIANCES:
        for entry in config.get(domain, []):
            smartirs = f"custom_components/smartir/*codes/{domain}/{entry.get('device_code')}.json"
            named = [entry["file"]] if "file" in entry else config_dir.glob(smartirs)
            for name in named:
                path = Path(os.path.normpath(config_dir / str(name)))
                if not path.is_relative_to(config_dir) or not path.is_file():
                    continue
                copy = folder / path.relative_to(config_dir)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy)


async def start(
    hass: HomeAssistant,
    config: dict[str, Any],
    before: Callable[[HomeAssistant], Awaitable[None]] | None = None,
) -> None:
    """Set up what concerns us; `before` it, but after Home Assistant's own, call that."""
    hass.config.skip_pip = True
    loader.async_setup(hass)
    hass.config_entries = ConfigEntries(hass, config)
    await bootstrap.async_load_base_functionality(hass)
    hass.http = _NoServer()  # type: ignore[assignment]
    hass.config.components.add("http")
    for domain in bootstrap.CORE_INTEGRATIONS:
        await async_setup_component(hass, domain, config)
    await async_process_ha_core_config(hass, {})
    if before is not None:
        await before(hass)
    for domain in ("network", *config):
        await async_setup_component(hass, domain, config)
    await hass.async_block_till_done()


async def _repairs(hass: HomeAssistant) -> list[str]:
    """Return what the integrations found wrong; MQTT's state depends on what is not loaded here."""
    texts = await async_get_translations(hass, "en", "issues", OURS)
    return [
        texts[f"component.{issue.domain}.issues.{issue.translation_key}.description"].format(
            **(issue.translation_placeholders or {})
        )
        for issue in issue_registry.async_get(hass).issues.values()
        if issue.active and issue.domain in OURS - {"mqtt_binary"}
    ]


class _NoServer:
    """Stands in for Home Assistant's HTTP server: takes what is registered, listens nowhere."""

    def register_view(self, view: object) -> None:
        """Take a page that nobody will ask for."""


class Errors(logging.Handler):
    """Keeps what Home Assistant logs as an error while it loads."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []

    @override
    def emit(self, record: logging.LogRecord) -> None:
        message = re.sub(r", please check the docs at \S+", "", record.getMessage())
        cause = f": {record.exc_info[1]}" if record.exc_info and record.exc_info[1] else ""
        self.lines.append(f"{message}{cause}")


def _refuse_network(event: str, arguments: tuple[object, ...]) -> None:
    """Refuse, as an audit hook, to talk and to listen: a check must not poll or switch."""
    match event, arguments:
        case (
            ("socket.bind" | "socket.connect" | "socket.sendto" | "socket.sendmsg"),
            (socket.socket() as used, *_),
        ):
            if used.family in {socket.AF_INET, socket.AF_INET6}:
                raise OSError(errno.ENETUNREACH, _REFUSED)
        case "socket.getaddrinfo", _:
            raise socket.gaierror(socket.EAI_AGAIN, _REFUSED)
