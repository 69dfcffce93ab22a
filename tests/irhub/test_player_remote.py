"""The remote of a player: its commands without the name of a device, its power the player's."""

from dataclasses import replace
from pathlib import Path

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
import pytest

from custom_components.irhub.devices.kinds import Kind
from custom_components.irhub.entities.use import IrhubConfigEntry
from tests.home import until
from virtual_home.hub import VirtualHub

from .buttons import learn
from .dialogue import add, add_of_before
from .entities.appliances import appliance
from .followed import pressed
from .home import known, our_hub
from .ircodes.code_files import Codes, bytes_of
from .yaml.configuration import configure as write_yaml, item, living, reload, start

CODES = Codes()
TV = {
    name: CODES.packet()
    for name in ("power", "Volume+", "Volume-", "mute", "hdmi 1", "Netflix", "netflix 2")
}
REMOTE, PLAYER = "remote.tv", "media_player.tv"


def packets(*names: str) -> list[bytes]:
    return [bytes_of(TV[name]) for name in names]


async def act(hass: HomeAssistant, service: str, entity_id: str = REMOTE, **data: object) -> None:
    domain = entity_id.partition(".")[0]
    data = {"entity_id": entity_id, **data}
    await hass.services.async_call(domain, service, data, blocking=True)


async def send(hass: HomeAssistant, *commands: str, **data: object) -> None:
    data = {"command": [*commands], "delay_secs": 0, **data}
    await act(hass, "send_command", REMOTE, **data)


def states(hass: HomeAssistant) -> list[str | None]:
    found = map(hass.states.get, (PLAYER, REMOTE))
    return [None if state is None else state.state for state in found]


async def television(hass: HomeAssistant, hub: VirtualHub) -> IrhubConfigEntry:
    """Add a hub with a television."""
    entry = await add(hass, hub)
    await learn(hass, tv=TV)
    await add_of_before(hass, entry, appliance("tv", "media_player"))
    await until(lambda: hass.states.get(REMOTE) is not None)
    await until(lambda: our_hub(hass, hub).available and states(hass) == ["unknown"] * 2)
    return entry


async def test_commands_need_no_device(hass: HomeAssistant, lounge: VirtualHub) -> None:
    await television(hass, lounge)
    await send(hass, "volume_up", "VolumeDown", "Netflix", num_repeats=2)
    assert lounge.transmitted == packets("Volume+", "Volume-", "Netflix") * 2
    direct = f"b64:{TV['mute']}"
    await send(hass, direct, device="tv")
    assert lounge.transmitted[6:] == packets("mute")


async def test_power_is_the_players(hass: HomeAssistant, lounge: VirtualHub) -> None:
    await television(hass, lounge)
    await act(hass, "turn_on")
    assert states(hass) == ["on", "on"]
    await act(hass, "turn_on", PLAYER)  # its power toggles: it is on already
    assert lounge.transmitted == packets("power")
    await act(hass, "turn_off", PLAYER)
    assert states(hass) == ["off", "off"]
    await act(hass, "turn_off")
    await act(hass, "toggle")
    assert states(hass) == ["on", "on"]
    await send(hass, "power")  # that is what it says of the player, too
    assert states(hass) == ["off", "off"]
    assert lounge.transmitted == packets(*["power"] * 4)


async def test_it_is_of_the_device_and_nothing_for_rooms(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    await television(hass, lounge)
    registry = er.async_get(hass)
    remote, player = registry.async_get(REMOTE), registry.async_get(PLAYER)
    assert remote is not None
    assert player is not None
    # 0.3.0 takes it for a MAC address, and must not stumble over it.
    decoded = bytes.fromhex(remote.unique_id).decode()
    assert decoded == f"player {known(hass).named('tv').entity}"
    assert remote.device_id == player.device_id
    assert remote.config_subentry_id == player.config_subentry_id
    assert await async_setup_component(hass, "homeassistant", {})
    target = {"device_id": remote.device_id}
    await hass.services.async_call("homeassistant", "turn_on", target, blocking=True)
    assert lounge.transmitted == packets("power")


@pytest.mark.parametrize(
    ("service", "data"),
    [
        ("send_command", {"command": "power", "device": "Radio"}),
        ("learn_command", {"command": "power", "device": "tv"}),
        ("delete_command", {"command": "power", "device": "tv"}),
    ],
)
async def test_it_does_no_more_than_send(
    hass: HomeAssistant, service: str, data: dict[str, str], lounge: VirtualHub
) -> None:
    await television(hass, lounge)
    with pytest.raises(ServiceValidationError, match="the remote of its hub learns"):
        await act(hass, service, REMOTE, **data)
    assert lounge.transmitted == []


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("net flix", "has no command net flix"),
        ("b64:nonsense", "not a code"),
        ("NETFLIX", "it has"),
    ],
)
async def test_what_is_not_there_is_refused_before_anything_is_sent(
    hass: HomeAssistant, command: str, reason: str, lounge: VirtualHub
) -> None:
    await television(hass, lounge)
    await learn(hass, tv={"netflix": CODES.packet()})  # besides Netflix
    with pytest.raises(ServiceValidationError, match=reason):
        await send(hass, "power", command)
    assert lounge.transmitted == []


async def test_it_comes_and_goes_with_the_player(hass: HomeAssistant, lounge: VirtualHub) -> None:
    registry = er.async_get(hass)
    entry = await television(hass, lounge)
    registry.async_update_entity(PLAYER, new_entity_id="media_player.telly")
    await until(lambda: hass.states.get("media_player.telly") is not None)
    await until(lambda: hass.states.is_state(REMOTE, "unknown"))
    await act(hass, "turn_on")
    assert hass.states.is_state("media_player.telly", "on")
    assert hass.states.is_state(REMOTE, "on")

    await known(hass).rename(known(hass).named("tv"), "Telly")
    await until(lambda: hass.states.get(REMOTE).name == "Telly")  # type: ignore[union-attr]
    await send(hass, "mute", device="Telly")
    assert lounge.transmitted == packets("power", "mute")

    [subentry] = entry.subentries
    hass.config_entries.async_remove_subentry(entry, subentry)
    await until(lambda: hass.states.get(REMOTE) is None)
    assert registry.async_get(REMOTE) is None
    await hass.async_block_till_done()


async def test_a_player_that_became_a_fan_has_no_remote(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    await television(hass, lounge)
    tv = known(hass).named("tv")
    await known(hass).change(tv, lambda device: replace(device, kind=Kind.FAN))
    await until(lambda: er.async_get(hass).async_get(REMOTE) is None)


@pytest.mark.parametrize(
    ("kind", "device_class"),
    [(Kind.TELEVISION, "tv"), (Kind.RECEIVER, "receiver"), (Kind.PROJECTOR, "projector")],
)
async def test_home_assistant_calls_it_by_its_kind(
    hass: HomeAssistant, kind: Kind, device_class: str, lounge: VirtualHub
) -> None:
    await television(hass, lounge)
    tv = known(hass).named("tv")
    await known(hass).change(tv, lambda device: replace(device, kind=kind))
    await until(
        lambda: (
            (state := hass.states.get(PLAYER)) is not None
            and state.attributes.get("device_class") == device_class
        )
    )


async def test_a_player_of_yaml_has_a_remote_too(
    hass: HomeAssistant, config_dir: Path, lounge: VirtualHub
) -> None:
    await start(hass, config_dir, "remote:", item(lounge, "name: Hub"))
    await until(lambda: hass.states.is_state("remote.hub", "on"))
    await hass.services.async_call(
        "irhub",
        "import_codes",
        {"entity_id": "remote.hub", "codes": {"telly": TV}},
        blocking=True,
    )
    both = "remote:", item(lounge, "name: Hub"), "media_player:"
    write_yaml(config_dir, *both, item(lounge, "name: TV", "device: telly", "unique_id: my-tv"))
    for _ in range(2):
        await reload(hass)
        await until(lambda: states(hass) == ["unknown"] * 2)
    await send(hass, "volume_up")
    await act(hass, "turn_on")
    assert lounge.transmitted == packets("Volume+", "power")
    assert states(hass) == ["on", "on"]
    # Its id is none of a hub: it is taken for none.
    data = {"entity_id": REMOTE}
    with pytest.raises(ServiceValidationError, match=r"these are: remote\.hub"):
        await hass.services.async_call(
            "irhub", "export_codes", data, blocking=True, return_response=True
        )
    write_yaml(config_dir, "remote:", item(lounge, "name: Hub"))
    await reload(hass)
    await until(lambda: REMOTE not in living(hass))
    assert "remote.hub" in living(hass)


async def test_a_press_of_the_real_remote_is_followed(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    await learn(hass, tv=TV)
    await add_of_before(hass, entry, appliance("tv", "media_player", follow=True))
    await until(lambda: states(hass) == ["unknown"] * 2)
    await until(lambda: lounge.receiver.listening is not None)
    await act(hass, "turn_on")  # from now on it is known what its one button does
    await lounge.press_when_listening(pressed(bytes_of(TV["power"])))
    await until(lambda: states(hass) == ["off", "off"])


async def test_entities_of_a_silent_hub_are_unavailable(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    entry = await television(hass, lounge)
    lounge.faults.silent = True
    entry.runtime_data.own_hub.connection.check_now()
    await until(lambda: states(hass) == ["unavailable", "unavailable"])
    lounge.faults.silent = False
    entry.runtime_data.own_hub.connection.check_now()
    await until(lambda: states(hass) == ["unknown"] * 2)


async def test_it_names_its_hub_to_actions(hass: HomeAssistant, lounge: VirtualHub) -> None:
    await television(hass, lounge)
    data = {"hub": REMOTE, "device": "tv", "command": "mute"}
    await hass.services.async_call("irhub", "send", data, blocking=True)
    assert lounge.transmitted == packets("mute")
