"""A rule that comes from a file is confirmed by one press of the remote control."""

from dataclasses import replace
from functools import partial
import json

from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
import pytest

from custom_components.irhub.devices.exports import export_text, whole_devices
from custom_components.irhub.entities.use import IrhubConfigEntry
from custom_components.irhub.ircodes import OFF, State
from tests.home import until
from virtual_home.hub import VirtualHub

from ..devices.taught import CONTROL, taught
from ..dialogue import Dialogue, configure
from ..home import POWER, known
from ..remotes_of_protocols import shows
from .appliances import begin, change

pytestmark = pytest.mark.usefixtures("no_pauses")

HEATING = State(mode="heat", fan="medium", temperature=19.5)
ADVICE = "*Confirm by one press*"


async def open_shared_device(hass: HomeAssistant, entry: IrhubConfigEntry) -> Dialogue:
    """Add the air conditioner of a shared file, up to its page."""
    dialogue = await (await begin(hass, entry)).choose("file")
    await dialogue.submit(text=export_text([taught()]))
    assert dialogue.step == "ready"
    return dialogue


def next_steps(dialogue: Dialogue) -> list[str]:
    """Return what can follow the page of the device."""
    options: list[str] = dialogue.fields["then"].config["options"]
    return options


async def press(dialogue: Dialogue, hub: VirtualHub, packet: bytes) -> None:
    """Press the remote control when the page asks for it."""
    await dialogue.progress("press_to_confirm")
    await hub.press_when_listening(packet)


async def test_a_press_confirms_a_rule(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    """Also of a state that was never pressed when it was taught."""
    dialogue = await open_shared_device(hass, entry)
    assert ADVICE in dialogue.texts["note"]
    assert next_steps(dialogue)[0] == "confirm_press"
    await dialogue.submit(name="Bedroom", then="confirm_press")
    await press(dialogue, lounge, CONTROL.packet(HEATING, 40, 90))
    await dialogue.arrive("ready")
    assert "Confirmed by a press: Heat, 19.5 °C" in dialogue.texts["note"]
    assert ADVICE not in dialogue.texts["note"]
    assert "confirm_press" not in next_steps(dialogue)
    await dialogue.submit(name="Bedroom", then="finish")
    assert dialogue.type is FlowResultType.CREATE_ENTRY
    await until(partial(hass.states.get, "climate.bedroom"))


async def test_a_press_of_another_remote_control_is_described(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    """What it says is named if its protocol is known; the device can be kept all the same."""
    dialogue = await open_shared_device(hass, entry)
    await dialogue.submit(name="Bedroom", then="confirm_press")
    for packet, problem in (
        (shows("COOLIX", "cool", 24), "COOLIX"),
        (POWER, "for another remote control"),
        (CONTROL.packet(OFF), "Off was pressed"),
    ):
        await press(dialogue, lounge, packet)
        await dialogue.arrive("not_confirmed")
        assert problem in dialogue.texts["problem"]
        if packet is POWER:
            await dialogue.choose("back")
            assert ADVICE in dialogue.texts["note"]
            await dialogue.submit(name="Bedroom", then="confirm_press")
        else:
            await dialogue.choose("confirm_press")
    await press(dialogue, lounge, POWER)
    await dialogue.arrive("not_confirmed")
    await dialogue.choose("finish")
    assert dialogue.type is FlowResultType.CREATE_ENTRY
    await until(partial(hass.states.get, "climate.bedroom"))


async def test_a_rule_may_be_confirmed_later(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    """The page of the device says so until a press confirms it, also after a reload."""
    dialogue = await open_shared_device(hass, entry)
    await dialogue.submit(name="Bedroom", then="finish")
    assert dialogue.type is FlowResultType.CREATE_ENTRY
    await until(partial(hass.states.get, "climate.bedroom"))
    await hass.config_entries.async_reload(entry.entry_id)
    await until(lambda: entry.runtime_data.hub.available)
    dialogue = await change(hass, entry)
    assert ADVICE in dialogue.texts["note"]
    assert next_steps(dialogue)[0] == "confirm_press"
    await dialogue.submit(then="confirm_press")
    await press(dialogue, lounge, CONTROL.packet(HEATING))
    await dialogue.arrive("ready")
    assert "Confirmed by a press: Heat, 19.5 °C" in dialogue.texts["note"]
    await dialogue.submit(then="finish")
    await hass.config_entries.async_reload(entry.entry_id)
    dialogue = await change(hass, entry)
    assert dialogue.texts["note"] == ""
    assert next_steps(dialogue)[0] == "finish"


async def test_an_imported_rule_is_confirmed_on_the_page_of_its_device(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    """Somebody else has confirmed it or not: here nobody has."""
    codes = json.loads(export_text([taught()]))
    await hass.services.async_call(
        "irhub", "import_codes", {"entity_id": "remote.lounge", "codes": codes}, blocking=True
    )
    await hass.async_block_till_done()
    [device] = known(hass).values()
    assert device.unconfirmed
    exported = whole_devices(export_text([replace(device, unconfirmed=False)]))
    assert exported is not None
    assert exported.devices[0].unconfirmed
    dialogue = await change(hass, entry)
    assert ADVICE in dialogue.texts["note"]


async def test_an_import_lists_rules_to_confirm(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    dialogue = await (await configure(hass, entry)).choose("import_codes")
    await dialogue.submit(text=export_text([taught()]))
    await dialogue.choose("import_now")
    assert ADVICE in dialogue.texts["own"]
    assert taught().name in dialogue.texts["own"]
