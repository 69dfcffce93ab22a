"""The flow interface that pages use, for options flows and subentry flows of a hub's entry."""

from collections.abc import Sequence
from typing import Any, override

from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import callback
from homeassistant.data_entry_flow import AbortFlow, FlowResult

from .._common.markdown import EscapedPages
from ..entities.use import IrhubConfigEntry
from .form import with_double_click_guard


class EntryFlow[ContextT: Any, ResultT: FlowResult[Any, Any], HandlerT](
    EscapedPages[ContextT, ResultT, HandlerT]
):
    """A flow about a hub."""

    def __init__(self) -> None:
        super().__init__()
        self.receivers: Sequence[str] = ()
        """The ids of the receivers to use in this dialogue; empty until the user has chosen."""

    @property
    def entry(self) -> IrhubConfigEntry:
        """Return the hub's entry. Raise AbortFlow if it is not loaded any more."""
        handler: Any = self.handler
        entry: IrhubConfigEntry | None = self.hass.config_entries.async_get_entry(
            handler if isinstance(handler, str) else handler[0]
        )
        if entry is None or entry.state is not ConfigEntryState.LOADED:
            raise AbortFlow("not_loaded")
        return entry

    @callback
    @override
    def async_show_menu(self, **arguments: Any) -> ResultT:
        return with_double_click_guard(super().async_show_menu(**arguments))

    @callback
    @override
    def async_show_form(self, **arguments: Any) -> ResultT:
        return with_double_click_guard(super().async_show_form(**arguments))
