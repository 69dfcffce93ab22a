"""Everything of an appliance can be changed later, as its page says: each kind, each change."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
import json

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import entity_registry as er
import pytest
import pytest_asyncio

from custom_components.irhub.devices.device import Command, Device, Protocol, Taught
from custom_components.irhub.devices.kinds import Kind
from custom_components.irhub.devices.rules import protocol_rule
from custom_components.irhub.dialogues.draft import as_kind
from custom_components.irhub.entities.registries import async_show_devices, find_registered
from custom_components.irhub.entities.use import IrhubConfigEntry, Use
from custom_components.irhub.errors import StorageFailedError
from custom_components.irhub.ircodes import parse_text, read
from custom_components.irhub.ircodes.known import KnownAirConditioners
from custom_components.irhub.ircodes.protocols import PROTOCOLS
from tests.home import until
from virtual_home.hub import VirtualHub

from ..dialogue import Dialogue, add
from ..home import HDMI, NEC, POWER, RC5, RF, known
from ..remotes_of_protocols import shows
from .appliances import FILE, act, change
from .remotes import wait_for_button

pytestmark = pytest.mark.usefixtures("no_collection", "no_pauses", "no_double_clicks")

ID = "34ea34000001-0000abcd"
OTHER_MAC = "34:EA:34:00:00:02"
NAMES: Mapping[Kind, tuple[str, str]] = {
    Kind.TELEVISION: ("power", "volume up"),
    Kind.RECEIVER: ("power", "volume up"),
    Kind.PROJECTOR: ("on", "off"),
    Kind.PLAYER: ("power", "play"),
    Kind.FAN: ("off", "speed 1"),
    Kind.LIGHT: ("on", "off"),
    Kind.COVER: ("open", "close"),
    Kind.OTHER: ("open", "close"),
}
"""What two commands are called."""
RULES = ("taught", "protocol") if PROTOCOLS else ("taught",)
"""Air conditioners that have a rule in place of commands; 2026.7's library writes no protocol."""
EVERY = [*Kind, *RULES]


@cache
def device_of(what: str) -> Device:
    """Return a device of a kind, or of a rule."""
    device = Device(id=ID, name="Thing", entity=ID)
    if what == "taught":
        [reading, *_] = KnownAirConditioners.shipped().identify(shows("COOLIX", "cool", 24))
        rule = reading.rule()
        taught = Taught(data=rule.as_data())
        return replace(
            device,
            kind=Kind.AIR_CONDITIONER,
            rule=taught,
            capabilities=rule.capabilities.listed,
        )
    if what == "protocol":
        name = next(name for name in PROTOCOLS if protocol_rule(name, {}).off is not None)
        return replace(device, kind=Kind.AIR_CONDITIONER, rule=Protocol(name=name))
    names = NAMES.get(Kind(what), ("off", "cool auto 24"))
    packets = zip(names, (NEC, RC5), strict=True)
    commands = [
        Command(id=f"{ID}/{number}", name=name, packets=(parse_text(packet),))
        for number, (name, packet) in enumerate(packets)
    ]
    return as_kind(device.with_commands(*commands), Kind(what))


@dataclass
class House:
    """A home with an appliance."""

    hass: HomeAssistant
    hub: VirtualHub
    entry: ConfigEntry[Use]
    before: Device
    entities: set[str]
    """The unique ids of what Home Assistant shows of it."""

    @property
    def device(self) -> Device:
        """The device, as it is now."""
        return known(self.hass)[ID]

    async def page(self) -> Dialogue:
        """Open its page."""
        dialogue = await change(self.hass, self.entry)
        assert dialogue.step == "ready"
        return dialogue

    async def finish(self, dialogue: Dialogue) -> None:
        """Keep what was changed: it is the same device, with the same entity."""
        assert dialogue.step == "ready"
        await dialogue.submit(**{**dialogue.suggested, "then": "finish"})
        assert dialogue.shown["reason"] == "reconfigure_successful"
        await self.hass.async_block_till_done()
        [device] = known(self.hass).values()
        assert (device.id, device.name, device.entity) == (ID, "Thing", ID)
        assert len(self.entry.subentries) == 1


@pytest.fixture
def model() -> str:
    """Return the model of the hubs of these tests."""
    return "rm_mini"


@pytest_asyncio.fixture(name="house")
async def house_fixture(
    hass: HomeAssistant,
    request: pytest.FixtureRequest,
    lounge: VirtualHub,
    entry: IrhubConfigEntry,
) -> House:
    """Return a home with an appliance of the kind that the test names."""
    devices = known(hass)
    await devices.put(device_of(request.param))
    async_show_devices(hass, devices)
    await hass.async_block_till_done()
    return House(hass, lounge, entry, devices[ID], unique_ids(hass))


def unique_ids(hass: HomeAssistant) -> set[str]:
    """Return the unique ids of the appliance's entities."""
    registered = find_registered(hass, known(hass).get(ID) or device_of("other"))
    assert registered is not None
    of_device = er.async_entries_for_device(
        er.async_get(hass), registered.id, include_disabled_entities=True
    )
    return {entity.unique_id for entity in of_device}


every = pytest.mark.parametrize("house", EVERY, indirect=True)


async def learn(house: House, packet: bytes) -> None:
    """Learn a button."""
    dialogue = await (await house.page()).submit(then="learn_remote")
    await dialogue.submit(buttons=["light"])
    await wait_for_button(dialogue, "light")
    await house.hub.press_when_listening(packet)
    await dialogue.arrive("ready")
    await house.finish(dialogue)


@every
async def test_a_button_is_learned_and_learned_again(house: House) -> None:
    await learn(house, HDMI)
    first = house.device.by_name["light"]
    assert [read(packet).key for packet in first.packets] == [read(HDMI).key]
    await learn(house, POWER)
    again = house.device.by_name["light"]
    assert again.id == first.id
    assert read(again.packets[0]).key == read(POWER).key
    assert house.device.rule == house.before.rule
    assert house.before.by_name.items() <= house.device.by_name.items()


@pytest.mark.parametrize("house", RULES, indirect=True)
async def test_off_is_replaced_by_a_press(house: House) -> None:
    dialogue = await (await house.page()).submit(then="own_off")
    await dialogue.progress("press_off")
    await house.hub.press_when_listening(POWER)
    await dialogue.arrive("ready")
    await house.finish(dialogue)
    await act(house.hass, "climate", "turn_off", entity_id="climate.thing")
    assert read(house.hub.transmitted[-1]).key == read(POWER).key


@pytest.mark.parametrize("house", ["taught"], indirect=True)
async def test_a_rule_is_taught_more_states(house: House) -> None:
    """No lesson of it is kept: a state is pressed, or all of it is taught anew."""
    dialogue = await (await house.page()).submit(then="teach_more")
    assert dialogue.step == "not_kept"
    await dialogue.choose("press_state")
    await dialogue.submit(**{**dialogue.suggested, "mode": "heat", "temperature": 22})
    await dialogue.progress("press_this")
    await house.hub.press_when_listening(shows("COOLIX", "heat", 22))
    await dialogue.wait(lambda: dialogue.step in {"ready", "other_heard"})
    assert dialogue.step == "ready", dialogue.texts
    await (await dialogue.submit(then="teach_more")).choose("teach_anew")
    assert dialogue.step == "teach"


@pytest.mark.parametrize("house", [kind for kind in NAMES if kind.platform], indirect=True)
async def test_another_command_takes_over_a_function(house: House) -> None:
    dialogue = await (await house.page()).submit(then="functions")
    function, name = next((key, name) for key, name in dialogue.suggested.items() if name)
    assert isinstance(name, str)
    [other] = {*house.before.by_name} - {name}
    await dialogue.submit(**{function: other})
    assert dialogue.step == "ready"
    await house.finish(dialogue)
    assert house.device.functions[function] == house.before.by_name[other].id


@every
async def test_settings_are_changed(house: House) -> None:
    dialogue = await house.page()
    more = {**dialogue.suggested["more"], "emitter": ["infrared.other"]}
    events = "events" in dialogue.folded
    assert events is (bool(house.before.commands) or house.before.rule is not None)
    if events:
        more["events"] = True
    await dialogue.submit(more=more, then="finish")
    assert dialogue.shown["reason"] == "reconfigure_successful"
    settings = house.device.settings
    assert (settings.emitter, settings.events) == ("infrared.other", events)


@every
async def test_the_kind_is_changed(house: House) -> None:
    """What a rule sends fits nothing else, so other commands are asked for."""
    before = house.before
    other = Kind.FAN if before.kind is not Kind.FAN else Kind.LIGHT
    dialogue = await (await house.page()).submit(then="kind")
    await dialogue.submit(kind=other)
    if before.rule is not None:
        assert dialogue.step == "how"
        await dialogue.choose("user")
        assert dialogue.step == "ready", "nothing has changed yet"
        assert house.device == before
        await (await dialogue.submit(then="kind")).submit(kind=other)
        await dialogue.choose("learn_remote")
        await dialogue.submit(buttons=["off"])
        await wait_for_button(dialogue, "off")
        await house.hub.press_when_listening(POWER)
        await dialogue.arrive("ready")
    elif dialogue.step == "functions":
        await dialogue.submit(off=next(iter(before.by_name)))
    await house.finish(dialogue)
    device = house.device
    assert (device.kind, device.rule) == (other, None)
    await until(lambda: house.hass.states.get(f"{other.platform}.thing") is not None)
    registry = er.async_get(house.hass)
    assert registry.async_get(f"{before.kind.platform}.thing") is None


@every
async def test_another_file_replaces_the_commands(house: House) -> None:
    names = NAMES.get(house.before.kind, ())
    text = json.dumps({"other": dict(zip(names, (RC5, NEC), strict=True))} if names else FILE)
    dialogue = await (await house.page()).submit(then="another_way")
    await dialogue.choose("file")
    await dialogue.submit(text=text)
    await house.finish(dialogue)
    device = house.device
    assert (device.kind, device.rule) == (house.before.kind, None)
    if names:
        assert {name: item.id for name, item in device.by_name.items()} == {
            name: item.id for name, item in house.before.by_name.items()
        }
        assert device.by_name != house.before.by_name
    else:
        assert device.capabilities or device.commands


@every
async def test_a_device_is_moved_to_another_hub(house: House, attic: VirtualHub) -> None:
    """Codes, settings and entities are what they were, whichever hub it is."""
    hass, before = house.hass, house.before
    assert "move" not in (await house.page()).fields["then"].config["options"]
    registry = er.async_get(hass)
    named = [entity for entity in registry.entities.values() if entity.unique_id in house.entities]
    for entity in named:
        registry.async_update_entity(entity.entity_id, name="Called so")
    other = await add(hass, attic)
    entities = house.entities | {f"{ID}-delivery"}
    assert unique_ids(hass) == entities, "a second receiver hears what is sent"
    dialogue = await (await house.page()).submit(then="move")
    assert [hub["label"] for hub in dialogue.fields["hub"].config["options"]] == ["Attic"]
    await dialogue.submit()
    assert dialogue.step == "ready", "nothing was chosen"
    await (await dialogue.submit(then="move")).submit(hub=other.entry_id)
    assert (dialogue.type, dialogue.shown["reason"]) == (FlowResultType.ABORT, "moved")
    assert dialogue.texts == {"device": "Thing", "hub": "Attic"}
    await hass.async_block_till_done()
    assert not known(hass)
    assert not known(hass).deleted
    assert not house.entry.subentries
    assert other.runtime_data.devices[ID] == before
    assert unique_ids(hass) == entities
    now = {entity.entity_id for entity in registry.entities.values() if entity.name}
    assert now == {entity.entity_id for entity in named}
    assert {registry.entities[id_].config_entry_id for id_ in now} == {other.entry_id}
    await until(lambda: all(map(hass.states.get, now)))

    dialogue = await (await change(hass, other)).submit(then="try_it")
    command = dialogue.fields["command"].config["options"][0]
    await dialogue.submit(command=command if isinstance(command, str) else command["value"])
    assert attic.transmitted
    assert not house.hub.transmitted


async def test_radio_commands_are_listed_before_a_move_to_a_hub_without_radio(
    hass: HomeAssistant,
) -> None:
    """Nothing of it is lost, and where all would be, it stays where it is."""
    async with (
        VirtualHub("rm4_pro", name="Lounge") as hub,
        VirtualHub("rm_mini", mac=OTHER_MAC, name="Attic") as attic,
    ):
        entry, other = await add(hass, hub), await add(hass, attic)
        devices = known(hass)
        by_radio = Command(id=f"{ID}/2", name="stop", packets=(parse_text(RF),))
        device = device_of("cover").with_commands(by_radio)
        await devices.put(device)
        async_show_devices(hass, devices)
        await hass.async_block_till_done()
        dialogue = await (await change(hass, entry)).submit(then="move")
        await dialogue.submit(hub=other.entry_id)
        assert dialogue.step == "move_in_part"
        assert dialogue.texts == {"hub": "Attic", "commands": "stop", "problem": ""}
        await dialogue.choose("ready")
        assert devices[ID] == device
        await (await dialogue.submit(then="move")).submit(hub=other.entry_id)
        await dialogue.choose("move_now")
        assert dialogue.shown["reason"] == "moved"
        await hass.async_block_till_done()
        assert other.runtime_data.devices[ID] == device

        await other.runtime_data.devices.delete(device)
        await devices.put(replace(device, commands={by_radio.id: by_radio}, functions={}))
        async_show_devices(hass, devices)
        dialogue = await (await change(hass, entry)).submit(then="move")
        await dialogue.submit(hub=other.entry_id)
        assert dialogue.error == "Attic has no radio, so it can send nothing of Thing"


async def test_a_device_stays_with_its_hub_if_the_move_cannot_be_stored(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, lounge: VirtualHub, attic: VirtualHub
) -> None:
    entry, other = await add(hass, lounge), await add(hass, attic)
    devices = known(hass)
    await devices.put(device_of("television"))
    async_show_devices(hass, devices)
    await hass.async_block_till_done()
    entities = unique_ids(hass)
    dialogue = await (await change(hass, entry)).submit(then="move")

    async def full(*_: object) -> None:
        raise StorageFailedError("cannot_save", file="devices", error="no space left")

    monkeypatch.setattr(other.runtime_data.devices, "put", full)
    await dialogue.submit(hub=other.entry_id)
    assert dialogue.step == "move"
    assert "no space left" in dialogue.error
    await hass.async_block_till_done()
    assert ID in devices
    assert len(entry.subentries) == 1
    assert not other.subentries
    assert unique_ids(hass) == entities
