"""Repair flows for sensors whose device announces other values, or no longer announces them."""

from typing import Any

from homeassistant.components.repairs import RepairsFlow, RepairsFlowResult
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir

from ._common.markdown import EscapedPages
from .const import DOMAIN
from .core_sensors.following import FOLLOWERS, Follower

type Input = dict[str, str] | None


async def async_create_fix_flow(
    _hass: HomeAssistant, issue_id: str, data: dict[str, str | int | float | None] | None
) -> RepairsFlow:
    """Return the flow for an issue."""
    ids = data or {}
    entry_id, subentry_id = str(ids["entry_id"]), str(ids["subentry_id"])
    if issue_id.startswith("announced_otherwise"):
        return OtherwiseFlow(entry_id, subentry_id)
    return NoLongerFlow(entry_id, subentry_id)


class _Flow(EscapedPages[Any, RepairsFlowResult, str], RepairsFlow):
    """Lets the user decide about a sensor."""

    _options: tuple[str, ...]

    def __init__(self, entry_id: str, subentry_id: str) -> None:
        self._entry_id = entry_id
        self._subentry_id = subentry_id

    async def async_step_init(self, _user_input: Input = None) -> RepairsFlowResult:
        """Show the choices."""
        issue = ir.async_get(self.hass).async_get_issue(DOMAIN, self.issue_id)
        return self.async_show_menu(
            step_id="init",
            menu_options=self._options,
            description_placeholders=(issue and issue.translation_placeholders) or {},
        )

    @property
    def _follower(self) -> Follower | None:
        return self.hass.data.get(FOLLOWERS, {}).get(self._entry_id)


class OtherwiseFlow(_Flow):
    """The device announces other values for keys that the user has changed."""

    _options = ("take", "leave")

    async def async_step_take(self, _user_input: Input = None) -> RepairsFlowResult:
        """Apply the announced values."""
        return self._resolve(accept=True)

    async def async_step_leave(self, _user_input: Input = None) -> RepairsFlowResult:
        """Keep the user's values until the announcement changes again."""
        return self._resolve(accept=False)

    def _resolve(self, *, accept: bool) -> RepairsFlowResult:
        if (follower := self._follower) is not None:
            follower.resolve(self._subentry_id, accept=accept)
        return self.async_create_entry(data={})


class NoLongerFlow(_Flow):
    """The device does not announce the sensor any more."""

    _options = ("delete", "keep")

    async def async_step_delete(self, _user_input: Input = None) -> RepairsFlowResult:
        """Delete the sensor."""
        entry = self.hass.config_entries.async_get_entry(self._entry_id)
        if entry is not None and self._subentry_id in entry.subentries:
            self.hass.config_entries.async_remove_subentry(entry, self._subentry_id)
        return self.async_create_entry(data={})

    async def async_step_keep(self, _user_input: Input = None) -> RepairsFlowResult:
        """Keep the sensor, which stops following announcements."""
        if (follower := self._follower) is not None:
            follower.unlink(self._subentry_id)
        return self.async_create_entry(data={})
