"""What the documentation shows is valid."""

from pathlib import Path
import re
from typing import Any

from homeassistant.config import async_process_component_config
from homeassistant.core import HomeAssistant
from homeassistant.loader import async_get_integration
from homeassistant.util.yaml import load_yaml, parse_yaml
import pytest

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLES = sorted((DOCS / "examples" / "irhub").glob("*.yaml"))
PAGES = [*sorted(DOCS.glob("irhub*.md")), DOCS / "appliances.md"]
YAML_BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)


def platforms(config: object) -> dict[str, list[Any]]:
    """Return the domains of a YAML text that have entries of irhub."""
    if not isinstance(config, dict):
        return {}
    return {
        domain: entries
        for domain, entries in config.items()
        if isinstance(entries, list)
        and any(isinstance(item, dict) and item.get("platform") == "irhub" for item in entries)
    }


async def check(hass: HomeAssistant, config: dict[str, list[Any]]) -> None:
    """Validate entries as Home Assistant does at its start."""
    assert config
    for domain, entries in config.items():
        integration = await async_get_integration(hass, domain)
        result = await async_process_component_config(hass, {domain: entries}, integration)
        assert not [str(info.exception) for info in result.exception_info_list]
        assert result.config is not None
        assert len(result.config[domain]) == len(entries)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
async def test_every_example_is_valid(hass: HomeAssistant, path: Path) -> None:
    await check(hass, platforms(await hass.async_add_executor_job(load_yaml, str(path))))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
async def test_every_entry_on_a_page_is_valid(hass: HomeAssistant, path: Path) -> None:
    text = await hass.async_add_executor_job(path.read_text, "utf-8")
    for block in entries_of(text):
        await check(hass, block)


def entries_of(page: str) -> list[dict[str, list[Any]]]:
    """Return the entries of irhub in each block of YAML that has some."""
    blocks = (platforms(parse_yaml(block)) for block in YAML_BLOCK.findall(page))
    return [block for block in blocks if block]


def test_there_are_examples_and_pages() -> None:
    assert EXAMPLES
    with_entries = {path.name for path in PAGES if entries_of(path.read_text("utf-8"))}
    assert with_entries >= {"appliances.md", "irhub_reference.md"}
