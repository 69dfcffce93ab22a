"""Configure a hub: an overview of what can be done, and the settings."""

from collections.abc import Mapping
from typing import Any, Final, override

from homeassistant.config_entries import SOURCE_USER, ConfigFlowResult, FlowType
from homeassistant.const import (
    CONF_SCAN_INTERVAL,
    CONF_TIMEOUT,
    MAJOR_VERSION,
    MINOR_VERSION,
    UnitOfFrequency,
    UnitOfTime,
)
from homeassistant.helpers.selector import (
    SelectSelector,
    SelectSelectorConfig,
    TextSelector,
)
import voluptuous as vol

from ..const import (
    APPLIANCE,
    CONF_COLLECTION,
    CONF_EMITTERS,
    CONF_FOLLOWED,
    CONF_FREQUENCY,
    CONF_LISTEN_FOR_OTHERS,
    CONF_MIN_GAP,
    FREQUENCIES_MHZ,
)
from ..entry import async_reload_soon
from ..errors import IrhubError, StorageFailedError, UserError
from ..hub.library import Capability
from ..schema import MAX_S, collection_source
from ..settings import Others
from .codes import CodesFlow
from .emitter import EmitterFlow
from .exchange import ExchangeFlow
from .follow import FollowFlow
from .form import number, out_of_range, sentence, show_form
from .last_heard import LastHeardFlow
from .learn import LearnFlow
from .share import ShareFlow

_UNPOLLED: Final = {
    Capability.TRANSMIT,
    Capability.LEARN,
    Capability.RADIO,
    Capability.MUTE_PLUG,
}
MAX_INTERVAL_S: Final = 24 * 60 * 60
CAN_HAND_OVER: Final = (MAJOR_VERSION, MINOR_VERSION) >= (2026, 9)
"""Whether the frontend goes on with another dialogue; an older one shows an empty dialogue."""

_LIMITS: Final[Mapping[str, tuple[float, float]]] = {
    CONF_TIMEOUT: (0.1, MAX_S),
    CONF_MIN_GAP: (0, MAX_S),
    CONF_SCAN_INTERVAL: (1, MAX_INTERVAL_S),
    CONF_FREQUENCY: FREQUENCIES_MHZ,
}


class IrhubOptionsFlow(
    LastHeardFlow, LearnFlow, CodesFlow, ExchangeFlow, ShareFlow, FollowFlow, EmitterFlow
):
    """Changes what can be changed of a hub that is there: its settings and its commands."""

    @override
    async def async_step_init(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Show what can be done with the hub."""
        self._problem = None
        if not self._hub.can(Capability.LEARN):
            return await self.async_step_settings()
        try:
            await self._devices.load()
        except StorageFailedError as err:
            error = await sentence(self.hass, err)
            return self.async_abort(reason="failed", description_placeholders={"error": error})
        learned = bool(self._devices)
        options = {
            "add_appliance": CAN_HAND_OVER,
            "learn": True,
            "last_heard": True,
            "try_command": learned,
            "rename": learned,
            "delete": learned,
            "restore": bool(self._devices.deleted),
            "follow": learned,
            "emitter": learned,
            "import_codes": True,
            "export_codes": learned,
            "share": learned,
            "settings": True,
        }
        return self.async_show_menu(
            step_id="init", menu_options=[step for step, shown in options.items() if shown]
        )

    async def async_step_add_appliance(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Leave for the dialogue that adds an appliance."""
        return self._close("add_appliance", then="hand_over")

    async def async_step_hand_over(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Hand over to the dialogue that adds an appliance."""
        entry = self._entry
        begun = await self.hass.config_entries.subentries.async_init(
            (entry.entry_id, APPLIANCE), context={"source": SOURCE_USER}
        )
        handed_over = self.async_abort(reason="finished")
        handed_over["next_flow"] = FlowType.CONFIG_SUBENTRIES_FLOW, begun["flow_id"]
        handed_over["result"] = entry  # whose dialogue comes, the frontend wants to know
        return handed_over

    async def async_step_settings(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Change the settings; the hub is then set up anew."""
        options = self._entry.options
        error = _wrong(user_input or {})
        if user_input is not None and error is None:
            kept = {key: options[key] for key in (CONF_FOLLOWED, CONF_EMITTERS) if key in options}
            entry = self._entry
            if self.hass.config_entries.async_update_entry(entry, options={**kept, **user_input}):
                async_reload_soon(self.hass, entry)
            # Of what is created, the frontend says in its own words that options were saved.
            return self.async_abort(reason="settings_kept")
        given = options if user_input is None else user_input
        return await show_form(self, "settings", self._settings(), given, error=error)

    def _settings(self) -> vol.Schema:
        """Return the form of the settings that mean something for this hub."""
        can = self._hub.capabilities or frozenset()
        seconds = UnitOfTime.SECONDS
        fields: dict[vol.Marker, object] = {vol.Optional(CONF_TIMEOUT): number(seconds)}
        if Capability.TRANSMIT in can:
            fields[vol.Optional(CONF_MIN_GAP)] = number(seconds)
        if can - _UNPOLLED:
            fields[vol.Optional(CONF_SCAN_INTERVAL)] = number(seconds)
        if Capability.RADIO in can:
            fields[vol.Optional(CONF_FREQUENCY)] = number(UnitOfFrequency.MEGAHERTZ)
        if Capability.LEARN in can:
            fields[vol.Optional(CONF_LISTEN_FOR_OTHERS)] = SelectSelector(
                SelectSelectorConfig(options=[*Others], translation_key=CONF_LISTEN_FOR_OTHERS)
            )
            fields[vol.Optional(CONF_COLLECTION)] = TextSelector()
        return vol.Schema(fields)


def _wrong(given: Mapping[str, Any]) -> IrhubError | None:
    """Return what is wrong with the settings."""
    try:
        collection_source(given.get(CONF_COLLECTION, ""))
    except vol.Invalid:
        return UserError("no_address", source=given[CONF_COLLECTION])
    return out_of_range(_LIMITS, given)
