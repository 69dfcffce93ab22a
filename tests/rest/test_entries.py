"""Config entries, which core's rest is about to get, are core's: ours passes them through."""

from collections.abc import AsyncGenerator
import importlib
import sys

from homeassistant.components import rest as core
from homeassistant.components.rest import (
    binary_sensor as core_binary_sensor,
    sensor as core_sensor,
)
from homeassistant.config_entries import HANDLERS, ConfigEntryState
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.loader import async_get_integration
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]  # it has no stubs
    MockConfigEntry,
)

import custom_components.rest
from custom_components.rest import binary_sensor, sensor

from . import core_with_entries as stand_in
from .home import RestHome

FLOW = "homeassistant.components.rest.config_flow"
OUR_FLOW = "custom_components.rest.config_flow"


@pytest.fixture
async def core_has_entries(home: RestHome, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[None]:
    """Give core's rest what it is about to have."""
    for name in ("async_setup_entry", "async_unload_entry", "async_migrate_entry"):
        monkeypatch.setattr(core, name, getattr(stand_in, name), raising=False)
    monkeypatch.setattr(core_sensor, "async_setup_entry", stand_in.set_up_sensor, raising=False)
    monkeypatch.setattr(
        core_binary_sensor, "async_setup_entry", stand_in.set_up_binary_sensor, raising=False
    )
    handler = HANDLERS.get("rest")
    monkeypatch.setitem(sys.modules, FLOW, stand_in.config_flow())
    monkeypatch.delitem(sys.modules, OUR_FLOW, raising=False)
    integration = await async_get_integration(home.hass, "rest")
    integration.manifest["config_flow"] = True
    yield
    integration.manifest.pop("config_flow")
    HANDLERS.pop("rest", None)
    if handler:
        HANDLERS["rest"] = handler


@pytest.mark.usefixtures("core_has_entries")
async def test_an_entry_comes_and_goes(home: RestHome) -> None:
    flows = home.hass.config_entries.flow
    shown = await flows.async_init("rest", context={"source": "user"})
    assert shown["type"] is FlowResultType.FORM
    made = await flows.async_configure(shown["flow_id"], {})
    assert made["type"] is FlowResultType.CREATE_ENTRY
    await home.hass.async_block_till_done()
    await home.state("7", "sensor.of_entry")
    await home.state("on", "binary_sensor.of_entry")
    (entry,) = home.hass.config_entries.async_entries("rest")
    assert entry.supported_subentry_types.keys() == {"sensor"}
    assert await home.hass.config_entries.async_unload(entry.entry_id)
    assert home.hass.states.get("sensor.of_entry") is None
    assert await home.hass.config_entries.async_setup(entry.entry_id)
    await home.state("7", "sensor.of_entry")
    assert await home.hass.config_entries.async_remove(entry.entry_id)


@pytest.mark.usefixtures("core_has_entries")
async def test_an_entry_is_migrated(home: RestHome) -> None:
    importlib.import_module(OUR_FLOW)
    entry = MockConfigEntry(domain="rest", version=1, data={"old": "5"})
    entry.add_to_hass(home.hass)
    assert await home.hass.config_entries.async_setup(entry.entry_id)
    await home.state("5", "sensor.of_entry")
    assert entry.state is ConfigEntryState.LOADED
    assert entry.version == 2


@pytest.mark.usefixtures("core_has_entries")
async def test_a_reload_leaves_entries_alone(home: RestHome) -> None:
    home.endpoint.set("/x", "1")
    importlib.import_module(OUR_FLOW)
    entry = MockConfigEntry(domain="rest", version=2, data={"value": "5"})
    entry.add_to_hass(home.hass)
    config = {"rest": [{**home.url("/x"), "sensor": [{"name": "of yaml"}]}]}
    await home.load(config)
    await home.state("1", "sensor.of_yaml")
    await home.state("5", "sensor.of_entry")
    changes = home.changes("sensor.of_entry")
    await home.reload({"rest": [{**home.url("/x"), "sensor": [{"name": "other"}]}]})
    await home.state("1", "sensor.other")
    assert home.hass.states.get("sensor.of_yaml") is None
    await home.state("5", "sensor.of_entry")
    assert not changes


def test_without_them_nothing_is_there() -> None:
    """Home Assistant asks by `hasattr`."""
    for module, cores in (
        (custom_components.rest, core),
        (sensor, core_sensor),
        (binary_sensor, core_binary_sensor),
    ):
        for name in ("async_setup_entry", "async_unload_entry", "async_migrate_entry"):
            assert hasattr(module, name) is hasattr(cores, name)
