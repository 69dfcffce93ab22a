"""What the user reads while a hub learns: persistent notifications, one per hub."""

from homeassistant.components import persistent_notification
from homeassistant.core import HomeAssistant, callback

from .hub import Hub
from .learning import Step

_TITLES = {
    "press": "Learn command",
    "hold": "Sweep frequency",
    "again": "Learn command",
}


@callback
def ask(hass: HomeAssistant, hub: Hub, step: Step, button: str, *, second: bool = False) -> None:
    """Ask for a button press. `button` reads like "the button" or "the 'power' button"."""
    match step:
        case "hold":
            message = f"Press and hold {button}."
        case "press" if not second:
            message = f"Press {button}."
        case _:
            message = f"Press {button} again."
    tell(hass, hub, message, _TITLES[step])


@callback
def tell(hass: HomeAssistant, hub: Hub, message: str, title: str = "Learn command") -> None:
    """Show a text in place of the one before."""
    persistent_notification.async_create(hass, message, title, _notification_id(hub))


@callback
def dismiss(hass: HomeAssistant, hub: Hub) -> None:
    """Take the notification away."""
    persistent_notification.async_dismiss(hass, _notification_id(hub))


def _notification_id(hub: Hub) -> str:
    return f"irhub_learn_{hub.settings.mac}"
