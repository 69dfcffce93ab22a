"""Emitters, receivers and sensors that the user gives other ids."""

from dataclasses import replace
from pathlib import Path

from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.storage import STORAGE_DIR
import pytest

from custom_components.irhub.devices.device import Device
from custom_components.irhub.devices.store import DATA_DEVICES
from custom_components.irhub.entities.use import IrhubConfigEntry
from tests.home import until
from virtual_home.hub import VirtualHub

from .dialogue import add, configure
from .dialogues.appliances import act
from .followed import REMOTE_CONTROL, follow_tv
from .home import HDMI, POWER, known, our_hub
from .infrared_entities import EMITTER, RECEIVER, Blaster
from .without_hub import NO_HUB, add_without_hub, import_codes, send

pytestmark = pytest.mark.usefixtures("no_hubs", "no_pauses")

NEW_EMITTER, NEW_RECEIVER = "infrared.shelf_emitter", "infrared.shelf_receiver"


@pytest.fixture
def model() -> str:
    """Return the model of the hub."""
    return "rm_mini"


async def rename(hass: HomeAssistant) -> None:
    """Give both other ids, as the settings of an entity do."""
    for old, new in ((RECEIVER, NEW_RECEIVER), (EMITTER, NEW_EMITTER)):
        er.async_get(hass).async_update_entity(old, new_entity_id=new)
        await hass.async_block_till_done()


async def test_the_receiver_of_a_hub_and_the_emitter_of_a_device(
    hass: HomeAssistant, lounge: VirtualHub, blaster: Blaster
) -> None:
    entry = await add(hass, lounge, receivers=[RECEIVER])
    events = await follow_tv(hass, entry)
    dialogue = await (await configure(hass, entry)).choose("emitter")
    await dialogue.submit(emitter=[EMITTER])
    await hass.async_block_till_done()
    changes = len(known(hass).history)
    await rename(hass)
    for is_restarted in (False, True):
        if is_restarted:
            await hass.config_entries.async_reload(entry.entry_id)
            await hass.async_block_till_done()
        await until(lambda: our_hub(hass, lounge).available)
        await until(lambda: not hass.states.is_state(REMOTE_CONTROL, "unavailable"))
        count = len(blaster.heard)
        data = {"entity_id": "remote.lounge", "device": "tv", "command": "power"}
        await act(hass, "remote", "send_command", **data)
        assert len(blaster.heard) == count + 1
        events.clear()
        blaster.press(HDMI)
        await until(lambda: [event for event in events if event["command"] == "hdmi"])
    assert entry.options["receivers"] == [NEW_RECEIVER]
    assert known(hass).named("tv").settings.emitters == (NEW_EMITTER,)
    # It is no change of the user's that could be undone.
    assert len(known(hass).history) == changes
    assert not lounge.transmitted


async def test_those_of_a_home_without_a_hub(hass: HomeAssistant, blaster: Blaster) -> None:
    entry = await add_without_hub(hass)
    options = {"default_emitters": [EMITTER], "receivers": [RECEIVER]}
    hass.config_entries.async_update_entry(entry, options={**entry.options, **options})
    await import_codes(hass, tv={"power": POWER.hex()})
    # Also while the entry is not set up.
    await hass.config_entries.async_unload(entry.entry_id)
    await rename(hass)
    await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    count = len(blaster.heard)
    await send(hass, device="tv", command="power")
    assert len(blaster.heard) == count + 1
    [receiver] = entry.runtime_data.hub.reception.receivers()
    assert receiver.id == NEW_RECEIVER
    assert receiver.available
    assert entry.options["default_emitters"] == [NEW_EMITTER]
    assert entry.unique_id == NO_HUB


@pytest.mark.parametrize("is_another_unreadable", [False, True])
async def test_a_hub_that_is_not_set_up(
    hass: HomeAssistant,
    entry: IrhubConfigEntry,
    config_dir: Path,
    caplog: pytest.LogCaptureFixture,
    *,
    is_another_unreadable: bool,
) -> None:
    """Its devices may not have been read since Home Assistant was started."""
    if is_another_unreadable:
        (config_dir / STORAGE_DIR / "irhub_devices_000000000001").mkdir(parents=True)
    sensor = er.async_get(hass).async_get_or_create("sensor", "test", "one")
    codes = {"tv": {"power": POWER.hex()}}
    await act(hass, "irhub", "import_codes", entity_id="remote.lounge", codes=codes)
    devices = known(hass)
    await devices.change(devices.named("tv"), lambda device: with_sensor(device, sensor.entity_id))
    await hass.config_entries.async_unload(entry.entry_id)
    hass.data[DATA_DEVICES].clear()  # as after a restart
    er.async_get(hass).async_update_entity(sensor.entity_id, new_entity_id="sensor.shelf")
    await hass.async_block_till_done()
    assert not hass.data[DATA_DEVICES]
    await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    assert known(hass).named("tv").settings.power_sensor == "sensor.shelf"
    assert ("could not be looked for" in caplog.text) is is_another_unreadable


@pytest.mark.usefixtures("entry")
async def test_the_sensors_of_an_appliance(hass: HomeAssistant) -> None:
    sensor = er.async_get(hass).async_get_or_create("sensor", "test", "one")
    codes = {"tv": {"power": POWER.hex()}}
    data = {"entity_id": "remote.lounge", "codes": codes}
    await act(hass, "irhub", "import_codes", **data)
    devices = known(hass)
    await devices.change(devices.named("tv"), lambda device: with_sensor(device, sensor.entity_id))
    er.async_get(hass).async_update_entity(sensor.entity_id, new_entity_id="sensor.shelf")
    await hass.async_block_till_done()
    assert known(hass).named("tv").settings.power_sensor == "sensor.shelf"


def with_sensor(device: Device, entity_id: str) -> Device:
    return replace(device, settings=replace(device.settings, power_sensor=entity_id))
