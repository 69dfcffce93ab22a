"""What the user is told while MQTT is missing: one warning, one Repairs issue."""

from datetime import datetime
import logging
from typing import Final

from homeassistant.core import (
    CALLBACK_TYPE,
    CoreState,
    HassJob,
    HassJobType,
    HomeAssistant,
    callback,
)
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.event import async_call_later

from .const import DOMAIN

_LOGGER = logging.getLogger(__package__)

ISSUE_ID: Final = "mqtt"
LEARN_MORE: Final = "https://www.home-assistant.io/integrations/mqtt/"

# A broker that restarts, or answers a moment after Home Assistant's start, is no outage.
GRACE_S: Final = 5.0

_TEXTS: Final = {
    "not_set_up": (
        "MQTT is not set up, so MQTT binary sensors are unavailable: "
        "add the MQTT integration under Settings, Devices & services"
    ),
    "disconnected": (
        "No connection to the MQTT broker, so MQTT binary sensors are unavailable: "
        "check that the broker runs and what the MQTT integration says"
    ),
}


class Outage:
    """Speaks up when a problem lasts, and once more when it is over."""

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._problem: str | None = None
        self._told = False
        self._cancel: CALLBACK_TYPE | None = None
        self._job = HassJob(
            self._tell, "mqtt_binary outage", job_type=HassJobType.Callback, cancel_on_shutdown=True
        )

    @callback
    def report(self, problem: str | None) -> None:
        """Note the present problem, or that there is none."""
        if self._hass.state is not CoreState.running:
            return
        if problem is None:
            self._over()
            return
        if problem == self._problem:
            return
        self._problem = problem
        if self._told:
            self._raise_issue()
        elif problem == "not_set_up":
            self._tell()
        elif self._cancel is None:
            self._cancel = async_call_later(self._hass, GRACE_S, self._job)

    def _over(self) -> None:
        self._problem = None
        self._stop_waiting()
        if self._told:
            self._told = False
            _LOGGER.info("MQTT is back, and with it the MQTT binary sensors")
            ir.async_delete_issue(self._hass, DOMAIN, ISSUE_ID)

    def _stop_waiting(self) -> None:
        if self._cancel is not None:
            self._cancel()
            self._cancel = None

    @callback
    def _tell(self, _now: datetime | None = None) -> None:
        self._stop_waiting()
        if self._problem is None:
            return
        self._told = True
        _LOGGER.warning(_TEXTS[self._problem])
        self._raise_issue()

    def _raise_issue(self) -> None:
        ir.async_create_issue(
            self._hass,
            DOMAIN,
            ISSUE_ID,
            is_fixable=False,
            severity=ir.IssueSeverity.WARNING,
            learn_more_url=LEARN_MORE,
            translation_key=f"mqtt_{self._problem}",
        )
