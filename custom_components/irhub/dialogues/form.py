"""Pages that stand a double click, forms, and our errors as a dialogue shows them."""

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
"""So soon after a page has changed nobody has read it: a click was meant for the one before."""
_DRAWN_S: Final = 1.0
"""How long after a step the frontend has certainly drawn its page."""

_CHOICE: Final = "next_step_id"
"""What a click on an option of a menu sends."""


class _Schema(vol.Schema):
    """Takes an option of the menu before, which was clicked twice, for a look at the page."""

    @override
    def __call__(self, data: Any, **more: Any) -> Any:
        """Return what was answered, None where only the page is to be shown."""
        try:
            return super().__call__(data, **more)
        except vol.Invalid:
            if _CHOICE in data:
                return None
            raise


def clicked_twice[Page: FlowResult[Any, Any]](page: Page) -> Page:
    """Return a page that a second click shows once more.

    Home Assistant's frontend takes clicks until the next page is there, and closes the dialogue
    when that page does not know the option.
    """
    if isinstance(schema := page.get("data_schema"), vol.Schema):
        page["data_schema"] = _Schema(schema.schema)
    return page


@callback
def look_again(flow: FlowHandler[Any, Any, Any]) -> CALLBACK_TYPE:
    """Let the frontend look again at a page that changes while it is drawn.

    That of 2026.7 misses the change, and goes on to say that the hub is being connected.
    Return what ends that.
    """

    @callback
    def look(_now: datetime) -> None:
        flow.async_notify_flow_changed()

    return async_call_later(flow.hass, _DRAWN_S, look)


def number(unit: str) -> NumberSelector:
    """Return a field for a number. It has no limits: Home Assistant would not name them."""
    return NumberSelector(
        NumberSelectorConfig(step="any", mode=NumberSelectorMode.BOX, unit_of_measurement=unit)
    )


def emitter_selector() -> EntitySelector:
    """Return a field for other emitters; receivers are of the same domain."""
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
    called: Callable[[str], str] | None = None,
) -> SelectSelector:
    """Return a field to choose from: it drops down, unless `as_list`.

    `custom`: one may type what it has not. `called` returns what an option is called.
    """
    config = SelectSelectorConfig(
        options=[*options]
        if called is None
        else [SelectOptionDict(value=choice, label=called(choice)) for choice in options],
        multiple=multiple,
        mode=SelectSelectorMode.LIST if as_list else SelectSelectorMode.DROPDOWN,
        custom_value=custom,
    )
    if translation_key is not None:
        config["translation_key"] = translation_key
    return SelectSelector(config)


def out_of_range(
    limits: Mapping[str, tuple[float, float]], given: Mapping[str, Any]
) -> UserError | None:
    """Return what is wrong with the first number that is beyond its limits."""
    for key, (lowest, highest) in limits.items():
        if (value := given.get(key)) is not None and not lowest <= value <= highest:
            return UserError(
                "out_of_range", value=f"{value:g}", lowest=f"{lowest:g}", highest=f"{highest:g}"
            )
    return None


def host_error(text: str) -> str:
    """Return what is wrong with a host."""
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
