"""The link to core's MQTT integration: is it there, is the broker, and who wants to know."""

from enum import StrEnum
from typing import Protocol

from homeassistant.components import mqtt
from homeassistant.config_entries import (
    SIGNAL_CONFIG_ENTRY_CHANGED,
    ConfigEntry,
    ConfigEntryChange,
    ConfigEntryState,
)
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.start import async_at_started

from .outage import Outage


class Status(StrEnum):
    """How things stand."""

    CONNECTED = "connected"
    DISCONNECTED = "disconnected"
    NOT_SET_UP = "not_set_up"


class Member(Protocol):
    """A sensor, or discovery: whoever subscribes to topics."""

    async def async_subscribe(self) -> None:
        """Subscribe: MQTT is set up, connected or not."""

    def unsubscribe(self) -> None:
        """Unsubscribe: MQTT is about to go, or the member is."""

    def connection_changed(self) -> None:
        """Take note: the broker was lost or is back."""


class Connection:
    """Watches core's MQTT for its members.

    Core keeps subscriptions over a lost broker. It loses track of who may end them when its
    config entry is reloaded, so they are ended before and made again after.
    """

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self.connected = False
        self.status = Status.NOT_SET_UP
        self.set_up = False
        self._members: dict[Member, None] = {}
        self._outage = Outage(hass)

    @callback
    def start(self) -> None:
        """Watch, for as long as Home Assistant runs."""
        hass = self._hass
        async_dispatcher_connect(hass, SIGNAL_CONFIG_ENTRY_CHANGED, self._entry_changed)
        mqtt.async_subscribe_connection_status(hass, self._connection_changed)
        async_at_started(hass, self._started)
        self._evaluate()

    def members_of[MemberT](self, kind: type[MemberT]) -> list[MemberT]:
        """Return the members of a kind."""
        return [member for member in self._members if isinstance(member, kind)]

    async def async_join(self, member: Member) -> None:
        """Subscribe the member now or once MQTT is there, until it leaves."""
        self._members[member] = None
        if self.set_up:
            await member.async_subscribe()
        if len(self._members) == 1:
            self._evaluate()

    @callback
    def leave(self, member: Member) -> None:
        """Unsubscribe the member, for good."""
        self._members.pop(member, None)
        member.unsubscribe()
        if not self._members:
            self._evaluate()

    @callback
    def _started(self, _hass: HomeAssistant) -> None:
        self._evaluate()

    @callback
    def _connection_changed(self, _connected: bool) -> None:
        self._evaluate()

    @callback
    def _entry_changed(self, _change: ConfigEntryChange, entry: ConfigEntry) -> None:
        if entry.domain == mqtt.DOMAIN:
            self._evaluate()

    @callback
    def _evaluate(self) -> None:
        hass = self._hass
        if hass.is_stopping:
            return
        entries = hass.config_entries.async_entries(
            mqtt.DOMAIN, include_ignore=False, include_disabled=False
        )
        set_up = any(entry.state is ConfigEntryState.LOADED for entry in entries)
        connected = set_up and mqtt.is_connected(hass)
        if not entries:
            self.status = Status.NOT_SET_UP
        else:
            self.status = Status.CONNECTED if connected else Status.DISCONNECTED

        if set_up is not self.set_up:
            self.set_up = set_up
            if set_up:
                _ = hass.async_create_task(self._subscribe_all(), "mqtt_binary subscribe")
            else:
                for member in self._members:
                    member.unsubscribe()
        if connected is not self.connected:
            self.connected = connected
            for member in list(self._members):
                member.connection_changed()
        self._outage.report(self._problem())

    def _problem(self) -> str | None:
        if not self._members or self.status is Status.CONNECTED:
            return None
        return self.status.value

    async def _subscribe_all(self) -> None:
        for member in list(self._members):
            if self.set_up and member in self._members:
                await member.async_subscribe()
