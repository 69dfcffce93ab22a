"""Form fields, protection against double clicks, and validation messages."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, Final, override

from homeassistant.core import CALLBACK_TYPE, callback
from homeassistant.data_entry_flow import FlowHandler, FlowResult
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.selector import (
    EntitySelector,
    EntitySelectorConfig,
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
import voluptuous as vol

from ..errors import UserError
from ..schema import host

DOUBLE_CLICK_S: Final = 0.5
"""A click within this many seconds of a page change is meant for the page before."""
_DRAW_TIME_S: Final = 1.0
"""Seconds after which the frontend has certainly drawn a page."""

_CHOICE: Final = "next_step_id"
"""Key of the data that a click on a menu option sends."""


class _Schema(vol.Schema):
    """Treats a second click on an option of the menu before as a refresh of the form."""

    @override
    def __call__(self, data: Any, **more: Any) -> Any:
        """Return the validated answers, or None to show the page again."""
        try:
            return super().__call__(data, **more)
        except vol.Invalid:
            if _CHOICE in data:
                return None
            raise


def with_double_click_guard[Page: FlowResult[Any, Any]](page: Page) -> Page:
    """Return a page that a second click on the menu before shows again.

    Home Assistant's frontend accepts clicks until the next page arrives, and closes the dialogue
    if that page does not have the option.
    """
    if isinstance(schema := page.get("data_schema"), vol.Schema):
        page["data_schema"] = _Schema(schema.schema)
    return page


@callback
def refresh_later(flow: FlowHandler[Any, Any, Any]) -> CALLBACK_TYPE:
    """Make the frontend refresh a page that may change while it is drawn; return a cancel function.

    The frontend of 2026.7 misses such a change and keeps showing that the hub is being connected.
    """

    @callback
    def refresh(_now: datetime) -> None:
        flow.async_notify_flow_changed()

    return async_call_later(flow.hass, _DRAW_TIME_S, refresh)


def number(unit: str) -> NumberSelector:
    """Return a number field, without limits: Home Assistant's error would not name them."""
    return NumberSelector(
        NumberSelectorConfig(step="any", mode=NumberSelectorMode.BOX, unit_of_measurement=unit)
    )


def emitter_selector() -> EntitySelector:
    """Return a field for emitters; the domain has receivers, too."""
    return EntitySelector(
        EntitySelectorConfig(domain="infrared", device_class="emitter", multiple=True)
    )


def select(
    options: Iterable[str],
    *,
    multiple: bool = False,
    as_list: bool = False,
    translation_key: str | None = None,
    custom: bool = False,
    label_of: Callable[[str], str] | None = None,
) -> SelectSelector:
    """Return a selection field: a drop-down, or a list if `as_list`.

    `custom` allows values that are not options. `label_of` returns the label of an option.
    """
    config = SelectSelectorConfig(
        options=[*options]
        if label_of is None
        else [SelectOptionDict(value=choice, label=label_of(choice)) for choice in options],
        multiple=multiple,
        mode=SelectSelectorMode.LIST if as_list else SelectSelectorMode.DROPDOWN,
        custom_value=custom,
    )
    if translation_key is not None:
        config["translation_key"] = translation_key
    return SelectSelector(config)


def out_of_range(
    limits: Mapping[str, tuple[float, float]], values: Mapping[str, Any]
) -> UserError | None:
    """Return the error for the first number outside its limits, if any."""
    for key, (lowest, highest) in limits.items():
        if (value := values.get(key)) is not None and not lowest <= value <= highest:
            return UserError(
                "out_of_range", value=f"{value:g}", lowest=f"{lowest:g}", highest=f"{highest:g}"
            )
    return None


def host_error(text: str) -> str:
    """Return the error key for an invalid host."""
    if "/" in text:
        return "host_is_url"
    name = text.strip().rpartition(":")[0]
    return "invalid_port" if name and ":" not in name and _is_host(name) else "invalid_host"


def _is_host(name: str) -> bool:
    try:
        host(name)
    except vol.Invalid:
        return False
    return True
