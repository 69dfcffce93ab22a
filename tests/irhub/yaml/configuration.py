"""A configuration.yaml: written, started with, reloaded."""

from pathlib import Path

from homeassistant.config import async_hass_config_yaml
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component

from virtual_home.hub import VirtualHub


def item(virtual: VirtualHub, *lines: str) -> str:
    """Return a YAML list item of any irhub platform."""
    return "\n    ".join(
        (
            "  - platform: irhub",
            f"host: {virtual.host}",
            f"port: {virtual.port}",
            f"mac: '{virtual.mac}'",
            "timeout: 1",
            *lines,
        )
    )


def configure(config_dir: Path, *lines: str) -> None:
    (config_dir / "configuration.yaml").write_text("\n".join(lines))


async def start(hass: HomeAssistant, config_dir: Path, *lines: str) -> None:
    """Start as Home Assistant does: from configuration.yaml."""
    configure(config_dir, *lines)
    config = await async_hass_config_yaml(hass)
    assert await async_setup_component(hass, "homeassistant", {})
    for domain in config:
        assert await async_setup_component(hass, domain, config)
    await hass.async_block_till_done()


def living(hass: HomeAssistant) -> list[str]:
    """Return the entities there are, without those the registry merely remembers."""
    return [
        state.entity_id for state in hass.states.async_all() if not state.attributes.get("restored")
    ]


async def reload(hass: HomeAssistant) -> None:
    await hass.services.async_call("irhub", "reload", {}, blocking=True)
    await hass.async_block_till_done()
