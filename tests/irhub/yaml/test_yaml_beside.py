"""One hub in YAML and in the user interface: moved from one to the other, or in both."""

from pathlib import Path

from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr, entity_registry as er
import pytest

from custom_components.irhub.entities.use import IrhubConfigEntry
from custom_components.irhub.hub.hubs import DATA_HUBS
from tests.home import until
from virtual_home.hub import VirtualHub

from ..dialogue import add, entry_of
from ..home import POWER, RC5
from .configuration import configure, item, living, reload, start

REMOTE = "remote.lounge"


def yaml(hub: VirtualHub, *more: str) -> tuple[str, ...]:
    """Return a YAML of a remote and a sensor."""
    return (
        "remote:",
        item(hub, "name: Lounge"),
        "sensor:",
        item(hub, "name: Lounge", "monitored_conditions: [temperature]"),
        *more,
    )


def registered(hass: HomeAssistant, entity_id: str) -> er.RegistryEntry:
    found = er.async_get(hass).async_get(entity_id)
    assert found is not None
    return found


def customize(hass: HomeAssistant) -> None:
    """Do what a user may have done to the remote."""
    er.async_get(hass).async_update_entity(
        REMOTE, new_entity_id="remote.sofa", name="Sofa", area_id="living_room"
    )


def is_customized(hass: HomeAssistant) -> bool:
    found = registered(hass, "remote.sofa")
    state = hass.states.get("remote.sofa")
    assert state is not None
    return (found.name, found.area_id, state.name) == ("Sofa", "living_room", "Sofa")


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]


async def test_from_yaml_to_the_user_interface(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture, lounge: VirtualHub
) -> None:
    await start(hass, config_dir, *yaml(lounge))
    await until(lambda: hass.states.is_state("sensor.lounge_temperature", "21.5"))
    customize(hass)
    await hass.async_block_till_done()
    before = set(living(hass))

    # The new entry leaves to YAML what YAML has.
    entry = await add(hass, lounge)
    assert set(living(hass)) == before | {
        "infrared.lounge_infrared",
        "button.lounge_listen_for_others",
        "infrared.lounge_receiver",
        "radio_frequency.lounge_radio",
    }
    assert registered(hass, "remote.sofa").config_entry_id is None
    assert lounge.count("auth") == 1

    # YAML goes; the entry takes over, under the same entity ids.
    configure(config_dir)
    await reload(hass)
    await until(lambda: hass.states.is_state("sensor.lounge_temperature", "21.5"))
    assert set(living(hass)) == before | {
        "infrared.lounge_infrared",
        "button.lounge_listen_for_others",
        "sensor.lounge_listening_for",
        "infrared.lounge_receiver",
        "radio_frequency.lounge_radio",
    }
    assert is_customized(hass)
    for entity_id in before:
        assert registered(hass, entity_id).config_entry_id == entry.entry_id
        assert registered(hass, entity_id).device_id is not None
    assert errors(caplog) == []


async def test_from_the_user_interface_to_yaml(
    hass: HomeAssistant,
    config_dir: Path,
    caplog: pytest.LogCaptureFixture,
    lounge: VirtualHub,
    entry: IrhubConfigEntry,
) -> None:
    await until(lambda: hass.states.is_state("sensor.lounge_temperature", "21.5"))
    customize(hass)
    await hass.async_block_till_done()
    await hass.config_entries.async_remove(entry.entry_id)
    assert living(hass) == []
    await start(hass, config_dir, *yaml(lounge))
    await reload(hass)
    assert set(living(hass)) == {"remote.sofa", "sensor.lounge_temperature"}
    assert is_customized(hass)
    assert not dr.async_get(hass).devices
    assert errors(caplog) == []


async def test_in_both_from_the_start(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture, lounge: VirtualHub
) -> None:
    entry = entry_of(lounge)
    entry.add_to_hass(hass)
    await start(hass, config_dir, *yaml(lounge))
    await until(lambda: hass.states.is_state("sensor.lounge_temperature", "21.5"))
    assert len(hass.data[DATA_HUBS].hubs) == 1
    assert lounge.count("auth") == 1
    assert registered(hass, REMOTE).config_entry_id is None
    assert registered(hass, "infrared.lounge_infrared").config_entry_id == entry.entry_id

    # The entry goes, YAML stays as it was.
    await hass.config_entries.async_remove(entry.entry_id)
    await hass.async_block_till_done()
    assert set(living(hass)) == {REMOTE, "sensor.lounge_temperature"}
    await hass.services.async_call(
        "irhub", "send", {"host": f"{lounge.host}:{lounge.port}", "packet": RC5}, blocking=True
    )
    assert lounge.transmitted == [POWER]
    assert lounge.count("auth") == 1
    assert errors(caplog) == []


async def test_yaml_that_comes_later(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture, lounge: VirtualHub
) -> None:
    await start(hass, config_dir)
    entry: IrhubConfigEntry = await add(hass, lounge)
    ours = entry.runtime_data.own_hub
    configure(config_dir, *yaml(lounge, "button:", item(lounge)))
    await reload(hass)
    await until(lambda: hass.states.is_state("sensor.lounge_temperature", "21.5"))
    assert registered(hass, REMOTE).config_entry_id is None
    assert set(living(hass)) == {
        REMOTE,
        "sensor.lounge_temperature",
        "infrared.lounge_infrared",
        "infrared.lounge_receiver",
        "radio_frequency.lounge_radio",
    }
    assert ours.closed  # for both were set up anew
    await reload(hass)  # nothing has changed for the entry: it stays
    assert len(hass.data[DATA_HUBS].hubs) == 1
    await hass.services.async_call(
        "irhub",
        "import_codes",
        {"entity_id": REMOTE, "codes": {"tv": {"power": RC5}}},
        blocking=True,
    )
    await hass.async_block_till_done()
    assert registered(hass, "button.tv_power").config_entry_id is None
    assert errors(caplog) == []


async def test_a_mac_address_in_the_other_byte_order_is_the_same_hub(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture, lounge: VirtualHub
) -> None:
    lines = [line.replace(lounge.mac, "01:00:00:34:EA:34") for line in yaml(lounge)]
    await start(hass, config_dir, *lines)
    await until(lambda: hass.states.is_state("sensor.lounge_temperature", "21.5"))
    await hass.services.async_call(
        "irhub",
        "import_codes",
        {"entity_id": REMOTE, "codes": {"tv": {"power": RC5}}},
        blocking=True,
    )
    customize(hass)
    await hass.async_block_till_done()
    entry = await add(hass, lounge)
    configure(config_dir)
    await reload(hass)
    assert is_customized(hass)
    assert registered(hass, "remote.sofa").config_entry_id == entry.entry_id
    assert hass.states.get("button.tv_power") is not None
    assert errors(caplog) == []
