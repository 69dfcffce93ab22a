"""Connection to core's MQTT integration: subscribe its members and report outages."""

import asyncio
from datetime import datetime
from enum import StrEnum
import logging
from typing import Final, Protocol

from homeassistant.config_entries import (
    SIGNAL_CONFIG_ENTRY_CHANGED,
    ConfigEntry,
    ConfigEntryChange,
    ConfigEntryState,
)
from homeassistant.core import (
    CALLBACK_TYPE,
    CoreState,
    HassJob,
    HassJobType,
    HomeAssistant,
    callback,
)
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.start import async_at_started
from homeassistant.helpers.typing import ConfigType
import voluptuous as vol

from . import mqtt
from .const import DOMAIN

_LOGGER = logging.getLogger(__name__)

ISSUE_ID: Final = "mqtt"
LEARN_MORE: Final = "https://www.home-assistant.io/integrations/mqtt/"

GRACE_S: Final = 5.0
"""Seconds without a broker before an outage is reported, so that restarts are not."""

TURN_S: Final = 0.01
"""Maximum time in seconds to occupy the event loop while many members subscribe or update."""


class ConnectionStatus(StrEnum):
    """Status of the connection to the broker."""

    CONNECTED = "connected"
    DISABLED = "disabled"
    DISCONNECTED = "disconnected"
    NOT_SET_UP = "not_set_up"
    REFUSED = "refused"


_TEXTS: Final[dict[ConnectionStatus | None, str]] = {
    ConnectionStatus.NOT_SET_UP: (
        "MQTT is not set up, so MQTT binary sensors are unavailable: "
        "add the MQTT integration under Settings, Devices & services"
    ),
    ConnectionStatus.DISABLED: (
        "MQTT is disabled, so MQTT binary sensors are unavailable: "
        "enable the MQTT integration under Settings, Devices & services"
    ),
    ConnectionStatus.DISCONNECTED: (
        "No connection to the MQTT broker, so MQTT binary sensors are unavailable: "
        "check that the broker runs and what the MQTT integration says"
    ),
    ConnectionStatus.REFUSED: (
        "Home Assistant refuses the mqtt: block in the YAML, so MQTT is not set up and MQTT "
        "binary sensors are unavailable: delete the block (broker, user name and password are "
        "no longer set in YAML), restart Home Assistant, then add the MQTT integration under "
        "Settings, Devices & services"
    ),
}


class Outage:
    """Reports a lasting outage with one warning and one repair issue."""

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._status: ConnectionStatus | None = None
        self._is_logged = False
        self._cancel: CALLBACK_TYPE | None = None
        self._job = HassJob(
            self._report,
            "mqtt_binary outage",
            job_type=HassJobType.Callback,
            cancel_on_shutdown=True,
        )

    @callback
    def report(self, status: ConnectionStatus | None) -> None:
        """Update the status; None while no member needs MQTT, for example during a reload."""
        if self._hass.state is not CoreState.running or status is self._status:
            return
        self._status = status
        if self._cancel is not None:
            self._cancel()
            self._cancel = None
        if status in (None, ConnectionStatus.CONNECTED):
            ir.async_delete_issue(self._hass, DOMAIN, ISSUE_ID)
            if status and self._is_logged:
                self._is_logged = False
                _LOGGER.info("MQTT is back, and with it the MQTT binary sensors")
        elif status is ConnectionStatus.DISCONNECTED and not self._is_logged:
            self._cancel = async_call_later(self._hass, GRACE_S, self._job)
        else:
            self._report()

    @callback
    def _report(self, _now: datetime | None = None) -> None:
        self._cancel = None
        if self._hass.state is not CoreState.running:
            return  # Home Assistant does not cancel this timer at shutdown, as the job requests
        if not self._is_logged:
            self._is_logged = True
            _LOGGER.warning(_TEXTS[self._status])
        ir.async_create_issue(
            self._hass,
            DOMAIN,
            ISSUE_ID,
            is_fixable=False,
            severity=ir.IssueSeverity.WARNING,
            learn_more_url=LEARN_MORE,
            translation_key=str(self._status),
        )


class Member(Protocol):
    """A subscriber of topics: a sensor or discovery."""

    async def async_subscribe(self) -> None:
        """Subscribe to all missing topics. MQTT is set up, but may not be connected."""

    def unsubscribe(self) -> None:
        """Unsubscribe, since MQTT is being unloaded or the member is leaving."""

    def connection_changed(self) -> None:
        """Handle a lost or restored connection to the broker."""


class Connection:
    """Watches core's MQTT for its members, also before core has set it up.

    Core keeps subscriptions when the broker is lost. When its config entry is reloaded, it cannot
    unsubscribe them any more, so members unsubscribe before and subscribe again after a reload.
    """

    def __init__(self, hass: HomeAssistant, config: ConfigType) -> None:
        """Take the whole YAML, to find out why core's MQTT was not set up."""
        self._hass = hass
        self._yaml = {mqtt.DOMAIN: config[mqtt.DOMAIN]} if mqtt.DOMAIN in config else {}
        self._refused = False
        self.connected = False
        self.status = ConnectionStatus.NOT_SET_UP
        self.set_up = False
        self._members: dict[Member, None] = {}
        self._updating = False
        self._outdated = False
        self._outage = Outage(hass)

    @callback
    def start(self) -> None:
        """Start watching, until Home Assistant stops."""
        hass = self._hass
        async_dispatcher_connect(hass, SIGNAL_CONFIG_ENTRY_CHANGED, self._entry_changed)
        mqtt.async_subscribe_connection_status(hass, self._connection_changed)
        async_at_started(hass, self._started)
        self._evaluate()

    def members_of[MemberT](self, kind: type[MemberT]) -> list[MemberT]:
        """Return the members of a class."""
        return [member for member in self._members if isinstance(member, kind)]

    async def async_join(self, member: Member) -> None:
        """Add a member, which is subscribed whenever MQTT is set up, until it leaves."""
        self._members[member] = None
        if self.set_up:
            await member.async_subscribe()
        if len(self._members) == 1:
            self._evaluate()

    @callback
    def leave(self, member: Member) -> None:
        """Unsubscribe and remove a member."""
        self._members.pop(member, None)
        member.unsubscribe()
        if not self._members:
            self._evaluate()

    @callback
    def _started(self, hass: HomeAssistant) -> None:
        self._refused = mqtt.DOMAIN not in hass.config.components and not _is_valid(self._yaml)
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
        entries = hass.config_entries.async_entries(mqtt.DOMAIN, include_ignore=False)
        enabled = [entry for entry in entries if entry.disabled_by is None]
        set_up = any(entry.state is ConfigEntryState.LOADED for entry in enabled)
        connected = set_up and mqtt.is_connected(hass)
        if connected:
            self.status = ConnectionStatus.CONNECTED
        elif self._refused:
            self.status = ConnectionStatus.REFUSED
        elif enabled:
            self.status = ConnectionStatus.DISCONNECTED
        else:
            self.status = ConnectionStatus.DISABLED if entries else ConnectionStatus.NOT_SET_UP

        if self.set_up and not set_up:
            for member in self._members:
                member.unsubscribe()
        if set_up is not self.set_up or connected is not self.connected:
            self.set_up = set_up
            self.connected = connected
            self._outdated = True
            if not self._updating:
                _ = hass.async_create_task(self._update_members(), "mqtt_binary connection")
        self._outage.report(self.status if self._members else None)

    async def _update_members(self) -> None:
        """Let all members subscribe and update, yielding to other tasks in between."""
        self._updating = True
        loop = self._hass.loop
        try:
            while self._outdated:
                self._outdated = False
                turn_ends = loop.time() + TURN_S
                for member in list(self._members):
                    if member not in self._members:
                        continue
                    if self.set_up:
                        await member.async_subscribe()
                    member.connection_changed()
                    if loop.time() > turn_ends:
                        await asyncio.sleep(0)
                        turn_ends = loop.time() + TURN_S
        finally:
            self._updating = False


def _is_valid(yaml: ConfigType) -> bool:
    try:
        mqtt.CONFIG_SCHEMA(yaml)
    except vol.Invalid:
        return False
    return True
