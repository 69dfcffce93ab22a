"""The discovery prefix: no sensor is made twice as long as it is not core's."""

from collections.abc import Callable

from homeassistant.config_entries import (
    SIGNAL_CONFIG_ENTRY_CHANGED,
    ConfigEntry,
    ConfigEntryChange,
)
from homeassistant.const import CONF_DISCOVERY
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.dispatcher import async_dispatcher_connect

from .. import mqtt
from ..const import DOMAIN

ISSUE_ID = "same_prefix"


def is_cores(hass: HomeAssistant, prefix: str) -> bool:
    """Return whether core's discovery listens there too, so sensors would be made twice.

    While MQTT is not set up, its prefix is the one that it will have if nobody changes it.
    """
    entries = hass.config_entries.async_entries(mqtt.DOMAIN)
    return any(
        options.get(CONF_DISCOVERY, mqtt.DEFAULT_DISCOVERY)
        and options.get(mqtt.CONF_DISCOVERY_PREFIX, mqtt.DEFAULT_PREFIX) == prefix
        for options in [{**entry.data, **entry.options} for entry in entries] or [{}]
    )


@callback
def async_watch(hass: HomeAssistant, prefix: str) -> Callable[[], None]:
    """Tell by a Repairs issue when core is given our prefix; call the result to stop."""

    @callback
    def check() -> None:
        if is_cores(hass, prefix):
            ir.async_create_issue(
                hass,
                DOMAIN,
                ISSUE_ID,
                is_fixable=False,
                severity=ir.IssueSeverity.WARNING,
                translation_key=ISSUE_ID,
                translation_placeholders={"prefix": prefix},
            )
        else:
            ir.async_delete_issue(hass, DOMAIN, ISSUE_ID)

    @callback
    def changed(_change: ConfigEntryChange, entry: ConfigEntry) -> None:
        if entry.domain == mqtt.DOMAIN:
            check()

    check()
    unsubscribe = async_dispatcher_connect(hass, SIGNAL_CONFIG_ENTRY_CHANGED, changed)

    @callback
    def stop() -> None:
        unsubscribe()
        ir.async_delete_issue(hass, DOMAIN, ISSUE_ID)

    return stop
