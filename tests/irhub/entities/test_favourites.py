"""Favourites of an air conditioner, as scenes, and the time after which it turns itself off."""

import json

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import entity_registry as er
from homeassistant.util import dt as dt_util
import pytest

from custom_components.irhub.devices.device import Device
from custom_components.irhub.devices.exports import export_data
from custom_components.irhub.devices.rules import PacketRule
from custom_components.irhub.entities import device_setup, off_timer
from custom_components.irhub.entities.device_setup import async_rule_of
from custom_components.irhub.entities.use import IrhubConfigEntry
from tests.home import until
from virtual_home.hub import VirtualHub

from ..devices.actions import undo
from ..dialogue import add
from ..dialogues.appliances import begin, finish
from ..home import known
from ..ircodes.code_files import Codes, air_conditioner, bytes_of

pytestmark = pytest.mark.usefixtures("steady_time")

CODES = Codes()
FANS = ["low", "high"]
FILE = air_conditioner(
    {
        "off": CODES.packet(),
        "cool": CODES.nest(FANS, ["20", "21", "22"]),
        "heat": CODES.nest(FANS, ["20", "21", "22"]),
    },
    operationModes=["cool", "heat"],
    fanModes=FANS,
)
AC = "climate.study_ac"
SCENE = "scene.study_ac_evening"


def packet(*path: str) -> bytes:
    codes = FILE["commands"]
    for level in path:
        codes = codes[level]
    return bytes_of(codes)


async def act(hass: HomeAssistant, action: str, entity_id: str = AC, **data: object) -> None:
    domain, _, name = action.partition(".")
    data = {"entity_id": entity_id, **data}
    await hass.services.async_call(domain, name, data, blocking=True)


async def study(hass: HomeAssistant, hub: VirtualHub) -> IrhubConfigEntry:
    """Add a hub with an air conditioner that is on."""
    entry = await add(hass, hub)
    dialogue = await (await begin(hass, entry)).choose("file")
    await dialogue.submit(text=json.dumps(FILE))
    await dialogue.submit(name="Study AC", then="try_it")
    await dialogue.submit(command="off")
    await finish(hass, dialogue, AC)
    return entry


async def set_to(hass: HomeAssistant, mode: str, temperature: int, fan: str) -> None:
    await act(hass, "climate.set_temperature", hvac_mode=mode, temperature=temperature)
    await act(hass, "climate.set_fan_mode", fan_mode=fan)


def shown(hass: HomeAssistant) -> tuple[str, object, object]:
    state = hass.states.get(AC)
    assert state is not None
    return state.state, state.attributes.get("temperature"), state.attributes.get("fan_mode")


def off_at(hass: HomeAssistant) -> object:
    state = hass.states.get(AC)
    assert state is not None
    return state.attributes.get("off_at")


async def test_a_favourite_is_a_scene_of_its_device(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    entry = await study(hass, lounge)
    with pytest.raises(ServiceValidationError, match="is not known: set it first"):
        await act(hass, "irhub.save_favourite", name="Evening")
    await set_to(hass, "heat", 21, "high")
    await act(hass, "irhub.save_favourite", name=" Evening ")
    await hass.async_block_till_done()
    registry = er.async_get(hass)
    scene, climate = registry.async_get(SCENE), registry.async_get(AC)
    assert scene is not None
    assert climate is not None
    assert scene.device_id == climate.device_id
    assert scene.config_subentry_id == climate.config_subentry_id

    await act(hass, "climate.turn_off")
    await hass.config_entries.async_reload(entry.entry_id)
    await until(lambda: hass.states.is_state(AC, "off"))
    sent = len(lounge.transmitted)
    await act(hass, "scene.turn_on", SCENE)
    assert lounge.transmitted[sent:] == [packet("heat", "high", "21")]
    assert shown(hass) == ("heat", 21, "high")

    await set_to(hass, "cool", 20, "low")
    await act(hass, "irhub.save_favourite", name="Evening")  # in place of that one
    await act(hass, "climate.turn_off")
    await act(hass, "scene.turn_on", SCENE)
    assert shown(hass) == ("cool", 20, "low")

    with pytest.raises(ServiceValidationError, match="no favourite Night; it has: Evening"):
        await act(hass, "irhub.delete_favourite", name="Night")
    await act(hass, "irhub.delete_favourite", name="Evening")
    await hass.async_block_till_done()
    assert registry.async_get(SCENE) is None
    assert hass.states.get(SCENE) is None
    await undo(hass, 0)
    await until(lambda: hass.states.get(SCENE) is not None)


async def test_favourites_go_along_with_an_export(hass: HomeAssistant) -> None:
    async with VirtualHub(name="Lounge") as hub:
        await study(hass, hub)
        await set_to(hass, "heat", 21, "high")
        await act(hass, "irhub.save_favourite", name="Evening")
        exported = export_data(known(hass).values())
    mac = "34:EA:34:00:00:02"
    async with VirtualHub(mac=mac, name="Attic") as attic:
        await add(hass, attic)
        data = {"entity_id": "remote.attic", "codes": exported}
        await hass.services.async_call("irhub", "import_codes", data, blocking=True)
        await until(lambda: len(hass.states.async_entity_ids("scene")) == 2)
        [copy] = {*hass.states.async_entity_ids("scene")} - {SCENE}
        await until(lambda: not hass.states.is_state(copy, "unavailable"))
        await until(lambda: len(hass.states.async_entity_ids("climate")) == 2)
        await act(hass, "scene.turn_on", copy)
        assert attic.transmitted == [packet("heat", "high", "21")]


async def test_it_turns_itself_off(hass: HomeAssistant, lounge: VirtualHub) -> None:
    await study(hass, lounge)
    await set_to(hass, "cool", 20, "low")
    await act(hass, "irhub.turn_off_in", duration={"minutes": 1})
    before = off_at(hass)
    assert isinstance(before, str)
    await act(hass, "irhub.turn_off_in", duration={"seconds": 1})
    assert before > str(off_at(hass))
    await until(lambda: hass.states.is_state(AC, "off"))
    assert lounge.transmitted[-1] == packet("off")
    assert off_at(hass) is None
    with pytest.raises(ServiceValidationError, match="is already off"):
        await act(hass, "irhub.turn_off_in", duration={"seconds": 1})


async def test_whoever_changes_it_wants_it_as_it_is(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    await study(hass, lounge)
    await set_to(hass, "cool", 20, "low")
    await act(hass, "irhub.turn_off_in", duration={"hours": 1})
    await act(hass, "climate.set_fan_mode", fan_mode="high")
    assert off_at(hass) is None
    await act(hass, "irhub.turn_off_in", duration={"hours": 1})
    await act(hass, "irhub.turn_off_in", duration=0)
    assert off_at(hass) is None


async def test_what_was_to_happen_meanwhile_is_done_after_a_restart(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    entry = await study(hass, lounge)
    await set_to(hass, "cool", 20, "low")
    await act(hass, "irhub.turn_off_in", duration={"seconds": 2})
    before = off_at(hass)
    await hass.config_entries.async_reload(entry.entry_id)
    await until(lambda: hass.states.is_state(AC, "cool"))
    assert off_at(hass) == before
    await until(lambda: hass.states.is_state(AC, "off"))

    await set_to(hass, "cool", 20, "low")
    await act(hass, "irhub.turn_off_in", duration={"seconds": 0.2})
    await hass.config_entries.async_unload(entry.entry_id)
    await until(lambda: hass.states.is_state(AC, "unavailable"))
    sent = len(lounge.transmitted)
    await hass.config_entries.async_setup(entry.entry_id)
    await until(lambda: hass.states.is_state(AC, "off"))
    assert lounge.transmitted[sent:] == [packet("off")]


async def test_an_overdue_timer_turns_off_at_once_if_the_hub_is_available(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, lounge: VirtualHub
) -> None:
    """The hub may be connected before the entity is added, for example if its rule loads slowly."""
    entry = await study(hass, lounge)
    await set_to(hass, "cool", 20, "low")
    await act(hass, "irhub.turn_off_in", duration={"seconds": 0.2})
    due = dt_util.parse_datetime(str(off_at(hass)))
    assert due is not None
    await hass.config_entries.async_unload(entry.entry_id)
    await until(lambda: hass.states.is_state(AC, "unavailable"))
    sent = len(lounge.transmitted)

    async def load_slowly(hass: HomeAssistant, device: Device) -> PacketRule | None:
        await until(lambda: entry.runtime_data.hub.available and dt_util.utcnow() > due)
        return await async_rule_of(hass, device)

    monkeypatch.setattr(device_setup, "async_rule_of", load_slowly)
    await hass.config_entries.async_setup(entry.entry_id)
    await until(lambda: hass.states.is_state(AC, "off"))
    assert lounge.transmitted[sent:] == [packet("off")]


async def test_what_was_to_happen_while_the_hub_was_away_is_done_when_it_is_back(
    hass: HomeAssistant,
    lounge: VirtualHub,
) -> None:
    entry = await study(hass, lounge)
    await set_to(hass, "cool", 20, "low")
    lounge.faults.silent = True
    entry.runtime_data.own_hub.connection.check_now()
    await act(hass, "irhub.turn_off_in", duration={"seconds": 1})
    await until(lambda: hass.states.is_state(AC, "unavailable"))
    lounge.faults.silent = False
    await until(lambda: hass.states.is_state(AC, "off"), 60)
    assert lounge.transmitted[-1] == packet("off")


async def test_what_is_long_over_is_not_done_any_more(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, lounge: VirtualHub
) -> None:
    entry = await study(hass, lounge)
    await set_to(hass, "cool", 20, "low")
    await act(hass, "irhub.turn_off_in", duration={"seconds": 0.2})
    await hass.config_entries.async_unload(entry.entry_id)
    monkeypatch.setattr(off_timer, "TOO_LATE", off_timer.TOO_LATE * 0)
    await until(lambda: hass.states.is_state(AC, "unavailable"))
    sent = [*lounge.transmitted]
    await hass.config_entries.async_setup(entry.entry_id)
    await until(lambda: hass.states.is_state(AC, "cool"))
    await until(lambda: off_at(hass) is None)
    assert lounge.transmitted == sent
    assert shown(hass) == ("cool", 20, "low")
