"""Platforms in YAML whose entities depend on what a device says it is."""

from pathlib import Path

from homeassistant.config import async_hass_config_yaml
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component

from virtual_home.hub import VirtualHub


def yaml(domain: str, hub: VirtualHub, *lines: str, timeout: int = 1) -> str:
    """Return a domain with one entry.

    A hub whose reply takes longer than the timeout, on a busy machine, is asked once more.
    """
    return "\n    ".join(
        (
            f"{domain}:\n  - platform: irhub",
            f"host: {hub.host}",
            f"port: {hub.port}",
            f"mac: '{hub.mac}'",
            f"timeout: {timeout}",
            *lines,
        )
    )


async def start(hass: HomeAssistant, config_dir: Path, *domains: str) -> None:
    """Start from a configuration.yaml."""
    (config_dir / "configuration.yaml").write_text("\n".join(domains))
    config = await async_hass_config_yaml(hass)
    for domain in config:
        assert await async_setup_component(hass, domain, config)
    await hass.async_block_till_done()
