"""A real Home Assistant inside the measured process, reduced to what the benchmark needs."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
import contextlib
from dataclasses import dataclass, field
import json
import logging
from pathlib import Path

from homeassistant.bootstrap import CORE_INTEGRATIONS, async_load_base_functionality
from homeassistant.config import async_hass_config_yaml
from homeassistant.config_entries import ConfigEntries
from homeassistant.core import HomeAssistant
from homeassistant.core_config import async_process_ha_core_config
from homeassistant.helpers.typing import ConfigType
from homeassistant.loader import (
    async_get_custom_components,
    async_get_integration,
    async_setup as async_setup_loader,
)
from homeassistant.setup import async_setup_component

from .case import Job

INTEGRATIONS = Path(__file__).parent.parent / "custom_components"
# Keeps traffic off the machine's real network; Home Assistant's HTTP client respects it.
LOOPBACK_ONLY = {"configured_adapters": ["lo"]}
CREATED = "2026-11-21T09:00:00+00:00"
LOG = "home-assistant.log"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A config entry as created by its integration's config flow."""

    domain: str
    title: str
    data: Mapping[str, object]
    options: Mapping[str, object] = field(default_factory=dict)
    unique_id: str | None = None
    version: int = 1
    disabled_by: str | None = None
    subentries: Sequence[Mapping[str, object]] = ()

    @property
    def entry_id(self) -> str:
        """Return its id."""
        return f"{self.domain}_{self.unique_id}"

    def stored(self) -> dict[str, object]:
        """Return the entry in Home Assistant's storage format."""
        return {
            **vars(self),
            "entry_id": self.entry_id,
            "minor_version": 1,
            "source": "user",
            "created_at": CREATED,
            "modified_at": CREATED,
            "discovery_keys": {},
            "pref_disable_new_entities": False,
            "pref_disable_polling": False,
            "subentries": [*self.subentries],
        }


def ours(job: Job, *names: str) -> list[Path]:
    """Return our integrations with these names in a run of ours, else none."""
    return [INTEGRATIONS / name for name in names] if job.ours else []


def write_config(
    job: Job,
    integrations: Sequence[Path],
    config: Mapping[str, object],
    entries: Sequence[Entry] = (),
) -> None:
    """Write configuration.yaml and stored entries, and install custom integrations."""
    custom = job.folder / "custom_components"
    custom.mkdir()
    # Without this file a `custom_components` elsewhere on the path would be found instead.
    (custom / "__init__.py").touch()
    for integration in integrations:
        (custom / integration.name).symlink_to(integration)
    # JSON is YAML
    (job.folder / "configuration.yaml").write_text(json.dumps(config))
    (job.folder / ".storage").mkdir()
    _store(job, "core.network", 1, LOOPBACK_ONLY)
    _store(job, "core.config_entries", 5, {"entries": [entry.stored() for entry in entries]})
    logging.basicConfig(filename=job.folder / LOG, level=logging.WARNING, force=True)


def _store(job: Job, key: str, minor_version: int, data: Mapping[str, object]) -> None:
    content = {"version": 1, "minor_version": minor_version, "key": key, "data": data}
    (job.folder / ".storage" / key).write_text(json.dumps(content))


@contextlib.asynccontextmanager
async def bare(folder: Path) -> AsyncGenerator[HomeAssistant]:
    """Yield a Home Assistant with its registries, before anything in its YAML is set up."""
    hass = HomeAssistant(str(folder))
    async_setup_loader(hass)
    hass.config.skip_pip = True
    hass.config_entries = ConfigEntries(hass, {})
    await async_get_custom_components(hass)
    await async_load_base_functionality(hass)
    for domain in sorted(CORE_INTEGRATIONS):
        await async_setup_component(hass, domain, {})
    await async_process_ha_core_config(hass, {})
    await async_setup_component(hass, "network", {})
    try:
        yield hass
    finally:
        await hass.async_stop(force=True)


async def set_up(hass: HomeAssistant, domains: Sequence[str]) -> None:
    """Set up these domains from configuration.yaml and their stored entries, and start."""
    config = await async_hass_config_yaml(hass)
    await asyncio.gather(*(_set_up(hass, domain, config) for domain in domains))
    await hass.async_block_till_done()
    await hass.async_start()


async def _set_up(hass: HomeAssistant, domain: str, config: ConfigType) -> None:
    if not await async_setup_component(hass, domain, config):
        raise RuntimeError(f"{domain} could not be set up")


@contextlib.asynccontextmanager
async def home_assistant(
    job: Job,
    integration: str,
    config: Mapping[str, object],
    domains: Sequence[str],
    entries: Sequence[Entry] = (),
) -> AsyncGenerator[HomeAssistant]:
    """Yield a started Home Assistant, with our version of `integration` in a run of ours."""
    write_config(job, ours(job, integration), config, entries)
    async with bare(job.folder) as hass:
        await set_up(hass, domains)
        if job.ours and (await async_get_integration(hass, integration)).is_built_in:
            raise RuntimeError(f"Home Assistant loaded its own {integration}")
        yield hass


def log_of(folder: Path) -> str:
    """Return the log of Home Assistant."""
    path = folder / LOG
    return path.read_text(errors="replace") if path.exists() else ""
