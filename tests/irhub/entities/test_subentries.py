"""All entities of a device are in its subentry, whichever platform adds its own first."""

from collections.abc import Iterable
from itertools import permutations

from homeassistant.config_entries import ConfigEntries
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr, entity_registry as er
import pytest

from custom_components.irhub.devices.store import DATA_DEVICES
from custom_components.irhub.entities.use import IrhubConfigEntry
from tests.home import until
from virtual_home.hub import VirtualHub

from ..buttons import learn
from ..dialogue import add, configure
from ..dialogues.appliances import change
from ..ircodes.code_files import Codes
from .appliances import appliance

CODES = Codes()
TV = {name: CODES.packet() for name in ("power", "Volume+", "Volume-", "Netflix", "Aspect")}
PLATFORMS = (Platform.BUTTON, Platform.EVENT, Platform.MEDIA_PLAYER, Platform.REMOTE)
"""Those that have entities of a television."""
ENTITIES = {"button.tv_aspect", "event.tv_remote_control", "media_player.tv", "remote.tv"}

type Registered = dict[str, tuple[str, str | None, str | None]]


def registered(hass: HomeAssistant, entry: IrhubConfigEntry) -> Registered:
    """Return id, subentry and area of the television and of its entities in the registries."""
    [device] = [
        device
        for device in dr.async_entries_for_config_entry(dr.async_get(hass), entry.entry_id)
        if device.name == "tv"
    ]
    if hasattr(device, "config_subentry_id"):  # since 2026.9
        subentries = {device.config_subentry_id}
    else:
        subentries = device.config_entries_subentries[entry.entry_id]
    [subentry] = subentries
    entities = er.async_entries_for_device(
        er.async_get(hass), device.id, include_disabled_entities=True
    )
    return {
        "": (device.id, subentry, device.area_id),
        **{each.entity_id: (each.id, each.config_subentry_id, each.area_id) for each in entities},
    }


def shown(hass: HomeAssistant) -> set[str]:
    """Return the entities of the television that are there, and not only known of."""
    states = [state for id_ in ENTITIES if (state := hass.states.get(id_)) is not None]
    return {state.entity_id for state in states if state.state != "unavailable"}


async def all_there(hass: HomeAssistant, entities: Iterable[str] = ENTITIES) -> None:
    """Wait until the television has all these entities."""
    wanted = {*entities}
    try:
        await until(lambda: shown(hass) == wanted)
    except TimeoutError:
        pytest.fail(f"missing: {wanted - shown(hass)}, too many: {shown(hass) - wanted}")
    await hass.async_block_till_done()


async def television(hass: HomeAssistant, hub: VirtualHub) -> IrhubConfigEntry:
    """Have a television with a button beside what its entity uses."""
    entry = await add(hass, hub)
    await learn(hass, tv=TV)
    await show(hass, entry)
    await all_there(hass, ENTITIES - {"event.tv_remote_control"})
    return entry


async def show(hass: HomeAssistant, entry: IrhubConfigEntry) -> None:
    """Give the television an entity."""
    subentry = appliance("tv", "media_player", buttons=["Aspect"])
    hass.config_entries.async_add_subentry(entry, subentry)
    await hass.config_entries.async_reload(entry.entry_id)


async def follow(hass: HomeAssistant, entry: IrhubConfigEntry) -> None:
    """Tick that presses are events: on the television's page, or the hub's where it has none."""
    if entry.subentries:
        dialogue = await change(hass, entry)
        await dialogue.submit(more={**dialogue.suggested["more"], "events": True}, then="finish")
    else:
        dialogue = await (await configure(hass, entry)).choose("follow")
        await dialogue.submit(followed=["tv"])
    await until(lambda: "event.tv_remote_control" in shown(hass))
    await hass.async_block_till_done()


async def restart(hass: HomeAssistant, entry: IrhubConfigEntry) -> None:
    """Set the hub up anew with what is on the disk, as a restart does."""
    assert await hass.config_entries.async_unload(entry.entry_id)
    hass.data[DATA_DEVICES].clear()
    assert await hass.config_entries.async_setup(entry.entry_id)


async def test_a_device_that_is_followed_keeps_its_entities(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    entry = await television(hass, lounge)
    before = registered(hass, entry)
    await follow(hass, entry)
    await all_there(hass)
    after = registered(hass, entry)
    assert after.items() >= before.items()
    assert after.keys() == {"", *ENTITIES}
    [subentry] = entry.subentries
    assert {of for _, of, _ in after.values()} == {subentry}


async def test_the_registry_stays_whichever_platform_is_first(
    hass: HomeAssistant, lounge: VirtualHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    forward = ConfigEntries.async_forward_entry_setups

    entry = await television(hass, lounge)
    await follow(hass, entry)
    await all_there(hass)
    before = registered(hass, entry)
    for number, order in enumerate(permutations(PLATFORMS)):

        async def in_order(
            entries: ConfigEntries,
            entry: IrhubConfigEntry,
            platforms: Iterable[Platform],
            order: tuple[Platform, ...] = order,
        ) -> None:
            """Set platforms up one after the other, which Home Assistant does at once."""
            for platform in (*order, *({*platforms} - {*order})):
                await forward(entries, entry, [platform])

        monkeypatch.setattr(ConfigEntries, "async_forward_entry_setups", in_order)
        if number % 2:
            await restart(hass, entry)
        else:
            await hass.config_entries.async_reload(entry.entry_id)
        await all_there(hass)
        assert registered(hass, entry) == before, order


async def test_a_followed_device_gets_an_entity_and_loses_it(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    buttons = {"button.tv_power", "button.tv_volume_up", "button.tv_volume_down"}
    await learn(hass, tv=TV)
    await follow(hass, entry)
    before = registered(hass, entry)
    assert {of for _, of, _ in before.values()} == {None}
    await show(hass, entry)
    await all_there(hass)
    after = registered(hass, entry)
    assert after.keys() == {"", *ENTITIES}
    [subentry] = entry.subentries
    assert {of for _, of, _ in after.values()} == {subentry}
    for kept in ("", "button.tv_aspect", "event.tv_remote_control"):
        assert after[kept][0] == before[kept][0]

    hass.config_entries.async_remove_subentry(entry, subentry)
    await all_there(hass, {"button.tv_aspect", "event.tv_remote_control"})
    await until(lambda: registered(hass, entry).keys() >= buttons)
    assert {of for _, of, _ in registered(hass, entry).values()} == {None}


async def test_devices_that_0_4_0_separated_are_joined_again(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    entry = await television(hass, lounge)
    await follow(hass, entry)
    await all_there(hass)
    before = registered(hass, entry)
    assert await hass.config_entries.async_unload(entry.entry_id)
    devices, entities = dr.async_get(hass), er.async_get(hass)
    entities.async_update_entity("event.tv_remote_control", config_subentry_id=None)
    if (device := devices.async_get(before[""][0])) is not None:
        if hasattr(device, "config_subentry_id"):  # since 2026.9
            devices.async_update_device(device.id, new_config_subentry_id=None)
        else:
            devices.async_update_device(
                device.id, add_config_entry_id=entry.entry_id, add_config_subentry_id=None
            )
    await hass.async_block_till_done()
    assert await hass.config_entries.async_setup(entry.entry_id)
    await all_there(hass)
    assert registered(hass, entry) == before
