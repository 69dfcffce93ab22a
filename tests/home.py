"""Home Assistant as its user sees it: YAML in, states, notifications and log out."""

import asyncio
from collections.abc import Callable, Mapping
import json
import logging
from pathlib import Path
from typing import Any

from homeassistant.components import persistent_notification
from homeassistant.core import Event, EventStateChangedData, HomeAssistant, State, callback
from homeassistant.helpers.event import async_track_state_change_event
from homeassistant.setup import async_setup_component
import pytest

PATIENCE_S = 20.0


async def until(condition: Callable[[], object], timeout: float = PATIENCE_S) -> None:
    """Wait until a condition is true; raise TimeoutError after `timeout` seconds."""
    async with asyncio.timeout(timeout):
        while not condition():  # noqa: ASYNC110  (what is waited for has no event)
            await asyncio.sleep(0.01)


class Home:
    """Home Assistant with its configuration.yaml, used as by its user."""

    def __init__(self, hass: HomeAssistant, caplog: pytest.LogCaptureFixture) -> None:
        self.hass = hass
        self.yaml = Path(hass.config.path("configuration.yaml"))
        self._caplog = caplog

    async def load(self, config: Mapping[str, Any]) -> None:
        """Set up all domains of a configuration."""
        for domain in config:
            assert await async_setup_component(self.hass, domain, dict(config))
        await self.hass.async_block_till_done()

    def write(self, config: str | Mapping[str, Any]) -> None:
        """Write configuration.yaml, for the reload services."""
        # JSON is YAML.
        self.yaml.write_text(config if isinstance(config, str) else json.dumps(config))

    def value(self, entity_id: str) -> str:
        """Return the current state."""
        state = self.hass.states.get(entity_id)
        assert state is not None, f"no {entity_id}"
        return state.state

    async def wait_for(
        self, entity_id: str, right: str | Callable[[State], object], timeout: float = PATIENCE_S
    ) -> State:
        """Wait until the state is `right`, or the function `right` is true for it; return it."""

        def is_right() -> bool:
            state = self.hass.states.get(entity_id)
            if state is None:
                return False
            return state.state == right if isinstance(right, str) else bool(right(state))

        try:
            await until(is_right, timeout)
        except TimeoutError:
            pytest.fail(f"{entity_id} stays {self.hass.states.get(entity_id)}\n{self.log()}")
        state = self.hass.states.get(entity_id)
        assert state is not None
        return state

    def changes(self, entity_id: str) -> list[str]:
        """Return a list to which each state written from now on is appended."""
        changes: list[str] = []

        @callback
        def changed(event: Event[EventStateChangedData]) -> None:
            if (state := event.data["new_state"]) is not None:
                changes.append(state.state)

        async_track_state_change_event(self.hass, entity_id, changed)
        return changes

    def log(self, level: int = logging.WARNING, name: str = "custom_components") -> list[str]:
        """Return our log messages of this level and above."""
        return [
            record.getMessage()
            for record in self._caplog.records
            if record.levelno >= level and record.name.startswith(name)
        ]

    @property
    def whole_log(self) -> str:
        """Return the whole log, including debug messages and other loggers."""
        return self._caplog.text


class Notices:
    """The persistent notifications: those shown now, and all that were ever shown."""

    def __init__(self) -> None:
        self.shown: dict[str, str] = {}
        self.history: list[str] = []

    @property
    def text(self) -> str | None:
        """Return the text of the notification shown now, if any."""
        return next(iter(self.shown.values()), None)

    @callback
    def changed(
        self,
        update: persistent_notification.UpdateType,
        notifications: dict[str, persistent_notification.Notification],
    ) -> None:
        """Record notifications that are created or removed."""
        for key, notification in notifications.items():
            if update is persistent_notification.UpdateType.REMOVED:
                self.shown.pop(key, None)
            else:
                self.shown[key] = notification["message"]
                self.history.append(notification["message"])
