"""What can be done about a locked hub, and about the commands of one that was removed."""

from homeassistant.components.repairs import RepairsFlow, RepairsFlowResult
from homeassistant.const import CONF_MAC
from homeassistant.core import HomeAssistant
import voluptuous as vol

from .config_flow.form import sentence
from .errors import HubError, StorageFailedError
from .hub.connection import locked_issue
from .hub.hubs import DATA_HUBS


async def async_create_fix_flow(
    _hass: HomeAssistant, issue_id: str, data: dict[str, str | int | float | None] | None
) -> RepairsFlow:
    """Return the dialogue of an issue."""
    mac = str((data or {})[CONF_MAC])
    return LockedFlow(mac) if issue_id == locked_issue(mac) else KeptCodesFlow(mac)


class LockedFlow(RepairsFlow):
    """Tries again after the user has unlocked the hub."""

    def __init__(self, mac: str) -> None:
        self._mac = mac

    async def async_step_init(self, _user_input: dict[str, str] | None = None) -> RepairsFlowResult:
        """Say how to unlock it."""
        return self._form()

    async def async_step_confirm(
        self, _user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """See whether the hub lets us in now."""
        if (hub := self.hass.data[DATA_HUBS].get(self._mac)) is not None:
            try:
                await hub.connection.connect()
            except HubError as err:
                return self._form(await sentence(self.hass, err))
        return self.async_create_entry(data={})

    def _form(self, error: str | None = None) -> RepairsFlowResult:
        hub = self.hass.data[DATA_HUBS].get(self._mac)
        return self.async_show_form(
            step_id="confirm",
            data_schema=vol.Schema({}),
            errors={} if error is None else {"base": "failed"},
            description_placeholders={
                "hub": "" if hub is None else hub.label,
                "error": error or "",
            },
        )


class KeptCodesFlow(RepairsFlow):
    """Asks what becomes of the commands of a hub that was removed."""

    def __init__(self, mac: str) -> None:
        self._mac = mac

    async def async_step_init(self, _user_input: dict[str, str] | None = None) -> RepairsFlowResult:
        """Ask."""
        return self.async_show_menu(step_id="init", menu_options=["delete", "keep"])

    async def async_step_delete(
        self, _user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Delete the commands and their files."""
        try:
            await self.hass.data[DATA_HUBS].codes(self._mac).remove()
        except StorageFailedError as err:
            return self.async_abort(
                reason="failed",
                description_placeholders={"error": await sentence(self.hass, err)},
            )
        return self.async_create_entry(data={})

    async def async_step_keep(self, _user_input: dict[str, str] | None = None) -> RepairsFlowResult:
        """Leave everything where it is."""
        return self.async_create_entry(data={})
