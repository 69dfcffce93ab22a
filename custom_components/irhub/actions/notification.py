"""The persistent notification during learning by an action, one for each hub."""

from homeassistant.components import persistent_notification
from homeassistant.core import callback

from .._common.markdown import escaped, escaped_values
from ..errors import IrhubError, common_texts, sentence
from ..hub.learning import Step
from ..hub.transceiver import Transceiver


class LearnNotification:
    """Asks the user to press a button. Created by `async_learn_notification`."""

    def __init__(self, hub: Transceiver, texts: dict[str, str]) -> None:
        self._hass = hub.hass
        self._id = f"irhub_learn_{hub.settings.mac}"
        self._texts = texts
        self._is_shown = False
        """Whether this object shows it: another call may show the hub's notification."""

    @callback
    def show_step(self, step: Step, command: str | None = None) -> None:
        """Show what to do next; replaces the previous text."""
        button = (
            self._text("any_button")
            if command is None
            else self._text("button", command=escaped(f"'{command}'"))
        )
        title = "sweep_title" if step is Step.HOLD else "learn_title"
        self._show(self._text(f"{step}_button", button=button), title)

    @callback
    def show(self, key: str, **placeholders: str) -> None:
        """Show a text; replaces the previous one."""
        self._show(self._text(key, **escaped_values(placeholders)))

    async def async_show_error(self, err: IrhubError) -> None:
        """Show an error; replaces the previous text."""
        self._show(escaped(await sentence(self._hass, err)))

    @callback
    def dismiss(self) -> None:
        """Dismiss the notification."""
        if self._is_shown:
            self._is_shown = False
            persistent_notification.async_dismiss(self._hass, self._id)

    def _show(self, message: str, title: str = "learn_title") -> None:
        self._is_shown = True
        persistent_notification.async_create(self._hass, message, self._text(title), self._id)

    def _text(self, key: str, **placeholders: str) -> str:
        return self._texts[key].format(**placeholders)


async def async_learn_notification(hub: Transceiver) -> LearnNotification:
    """Return the notification of a hub, in Home Assistant's language."""
    return LearnNotification(hub, await common_texts(hub.hass))
