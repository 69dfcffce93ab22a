"""Registry of the media players, for the remote entities beside them."""

from typing import Final

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.dispatcher import async_dispatcher_connect, async_dispatcher_send
from homeassistant.util.hass_dict import HassKey

from ..const import DOMAIN
from ..settings import Mac
from .device_entity import DeviceEntity

_PLAYERS: HassKey[list[DeviceEntity]] = HassKey(f"{DOMAIN}_players")
_CHANGED: Final = f"{DOMAIN}_players"
_OF: Final = "player "


@callback
def async_register_player(hass: HomeAssistant, player: DeviceEntity) -> CALLBACK_TYPE:
    """Register a player. Return a function that unregisters it."""
    players = hass.data.setdefault(_PLAYERS, [])
    players.append(player)
    async_dispatcher_send(hass, _CHANGED)

    @callback
    def unregister() -> None:
        players.remove(player)
        async_dispatcher_send(hass, _CHANGED)

    return unregister


@callback
def async_track_players(hass: HomeAssistant, changed: CALLBACK_TYPE) -> CALLBACK_TYPE:
    """Call `changed` when a player is added or removed. Return a function that unsubscribes."""
    return async_dispatcher_connect(hass, _CHANGED, changed)


@callback
def players_of(hass: HomeAssistant, mac: Mac) -> list[DeviceEntity]:
    """Return the players of a hub."""
    return [player for player in hass.data.get(_PLAYERS, ()) if player.use.settings.mac == mac]


def remote_id(player_id: str) -> str:
    """Return the unique id of the remote beside a player, in hexadecimal digits.

    After a downgrade, 0.3.0 parses the unique id of each remote as a MAC address.
    """
    return f"{_OF}{player_id}".encode().hex()


def player_id(remote_id: str) -> str | None:
    """Return the unique id of a remote's player; None if the remote is that of a hub."""
    try:
        text = bytes.fromhex(remote_id).decode()
    except ValueError:
        return None
    return text.removeprefix(_OF) if text.startswith(_OF) else None
