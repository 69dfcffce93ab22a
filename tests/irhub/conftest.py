"""A Home Assistant with a configuration folder of its own, and what its user is shown."""

from pathlib import Path

from homeassistant.components import persistent_notification
from homeassistant.core import HomeAssistant, callback
import pytest


@pytest.fixture(autouse=True)
def config_dir(hass: HomeAssistant, tmp_path: Path) -> Path:
    """Give each test its own `.storage`: the test package shares one between all."""
    hass.config.config_dir = str(tmp_path)
    return tmp_path


class Notices:
    """The persistent notifications: those on the screen, and all there ever were."""

    def __init__(self) -> None:
        self.shown: dict[str, str] = {}
        self.history: list[str] = []

    @property
    def text(self) -> str | None:
        """The one on the screen, if there is one."""
        return next(iter(self.shown.values()), None)

    @callback
    def changed(
        self,
        update: persistent_notification.UpdateType,
        notifications: dict[str, persistent_notification.Notification],
    ) -> None:
        """Take note of what Home Assistant shows or takes away."""
        for key, notification in notifications.items():
            if update is persistent_notification.UpdateType.REMOVED:
                self.shown.pop(key, None)
            else:
                self.shown[key] = notification["message"]
                self.history.append(notification["message"])


@pytest.fixture
def notices(hass: HomeAssistant) -> Notices:
    """Watch the persistent notifications."""
    watched = Notices()
    persistent_notification.async_register_callback(hass, watched.changed)
    return watched
