"""Configure a hub: the menu of all actions, and the settings."""

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar, Final, override

from homeassistant.const import (
    CONF_SCAN_INTERVAL,
    CONF_TIMEOUT,
    UnitOfFrequency,
    UnitOfTime,
)
from homeassistant.helpers.selector import TextSelector
import voluptuous as vol

from ..const import (
    CONF_COLLECTION,
    CONF_DEFAULT_EMITTERS,
    CONF_EMITTERS,
    CONF_FOLLOWED,
    CONF_FREQUENCY,
    CONF_LISTEN_FOR_OTHERS,
    CONF_MIN_GAP,
    CONF_RECEIVERS,
    FREQUENCIES_MHZ,
)
from ..entry import async_reload_soon
from ..errors import IrhubError, UserError
from ..hub.library import NOT_READ, Capability
from ..schema import MAX_S, collection_source
from ..settings import Others
from .choose import ChooseDevicePage
from .closing import CAN_HAND_OVER, AddAppliancePage, FinishPage
from .codes import DeletePage, RenamePage, RestorePage, TryCommandPage
from .emitter import EmitterPage
from .exchange import ImportPage
from .follow import FollowPage, followable, plain_devices
from .form import emitter_selector, number, out_of_range, select
from .history import HistoryPage
from .last_heard import LastHeardPage
from .learn import LearnPage
from .page import Answers, EndPage, HubPage, LeadsTo, Page, Shown, option
from .receiver import receiver_selector
from .share import SharePage, export_all

MAX_INTERVAL_S: Final = 24 * 60 * 60
_LIMITS: Final[Mapping[str, tuple[float, float]]] = {
    CONF_TIMEOUT: (0.1, MAX_S),
    CONF_MIN_GAP: (0, MAX_S),
    CONF_SCAN_INTERVAL: (1, MAX_INTERVAL_S),
    CONF_FREQUENCY: FREQUENCIES_MHZ,
}


class SettingsPage(HubPage):
    """Changes the settings that apply to this hub, and reloads its entry."""

    @override
    async def show(self) -> Shown:
        capabilities = self.hub.capabilities or frozenset()
        seconds = UnitOfTime.SECONDS
        fields: dict[vol.Marker, object] = {vol.Optional(CONF_TIMEOUT): number(seconds)}
        if self.hub.reception.own is None:
            fields = {vol.Optional(CONF_DEFAULT_EMITTERS): emitter_selector()}
        if Capability.TRANSMIT in capabilities:
            fields[vol.Optional(CONF_MIN_GAP)] = number(seconds)
        if capabilities - NOT_READ:
            fields[vol.Optional(CONF_SCAN_INTERVAL)] = number(seconds)
        if Capability.RADIO in capabilities:
            fields[vol.Optional(CONF_FREQUENCY)] = number(UnitOfFrequency.MEGAHERTZ)
        reception, chosen = self.hub.reception, self.entry.options.get(CONF_RECEIVERS, ())
        if len(reception.choices) > 1 or chosen:
            fields[vol.Optional(CONF_RECEIVERS)] = receiver_selector(
                reception, chosen, multiple=True
            )
        if Capability.LEARN in capabilities:
            fields[vol.Optional(CONF_LISTEN_FOR_OTHERS)] = select(
                Others, as_list=True, translation_key=CONF_LISTEN_FOR_OTHERS
            )
        if Capability.TRANSMIT in capabilities:
            fields[vol.Optional(CONF_COLLECTION)] = TextSelector()
        suggested = self.entry.options if self.answers is None else self.answers
        return await self.form("settings", fields, suggested)

    @override
    async def submit(self, answers: Answers) -> Page:
        if (error := _error_in(answers)) is not None:
            raise error
        entry, options = self.entry, self.entry.options
        unchanged = {key: options[key] for key in (CONF_FOLLOWED, CONF_EMITTERS) if key in options}
        if self.hass.config_entries.async_update_entry(entry, options={**unchanged, **answers}):
            async_reload_soon(self.hass, entry)
        # Not `async_create_entry`, for which the frontend shows its own message.
        return EndPage(self, "settings_kept")


class OverviewPage(HubPage):
    """The menu of all actions."""

    leads_to: ClassVar[LeadsTo] = {
        "learn": LearnPage,
        "last_heard": LastHeardPage,
        "try_command": partial(ChooseDevicePage, step="try_command", make_page=TryCommandPage),
        "rename": partial(ChooseDevicePage, step="rename", make_page=RenamePage),
        "delete": partial(ChooseDevicePage, step="delete", make_page=DeletePage),
        "restore": RestorePage,
        "history": HistoryPage,
        "follow": FollowPage,
        "emitter": partial(
            ChooseDevicePage, step="emitter", make_page=EmitterPage, devices_of=plain_devices
        ),
        "import_codes": ImportPage,
        "export_codes": export_all,
        "share": SharePage,
        "settings": SettingsPage,
        "add_appliance": AddAppliancePage,
        "finish": FinishPage,
    }

    @override
    async def show(self) -> Shown | Page:
        if not self.hub.can(Capability.TRANSMIT):
            return SettingsPage(self)
        await self.devices.load()
        learned = bool(self.devices)
        options = {
            "add_appliance": CAN_HAND_OVER,
            "learn": True,
            "last_heard": True,
            "try_command": learned,
            "rename": learned,
            "delete": learned,
            "restore": bool(self.devices.deleted),
            "history": bool(self.devices.history),
            "follow": bool(followable(self.devices)),
            "emitter": bool(plain_devices(self.devices)),
            "import_codes": True,
            "export_codes": learned,
            "share": learned,
            "settings": True,
        }
        return self.menu("init", options)

    @option
    async def init(self) -> Page:
        """Show the menu again."""
        return self


def _error_in(settings: Mapping[str, Any]) -> IrhubError | None:
    """Return the error in the settings, if any."""
    try:
        collection_source(settings.get(CONF_COLLECTION, ""))
    except vol.Invalid:
        return UserError("no_address", source=settings[CONF_COLLECTION])
    return out_of_range(_LIMITS, settings)
