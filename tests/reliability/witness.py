"""Search everything visible to users, automations and log files for canaries (test secrets)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
import json
import logging
from pathlib import Path
from typing import Any

from homeassistant.components import persistent_notification
from homeassistant.const import EVENT_CALL_SERVICE, EVENT_HOMEASSISTANT_FINAL_WRITE, MATCH_ALL
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.json import ExtendedJSONEncoder
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]  # it has no stubs
    get_system_health_info,
)
import voluptuous as vol

# Core's own lines, which repeat what they are given, and where to find the same in core.
CORES_OWN_LINES = (
    ("homeassistant.components.mqtt", "Received message on"),
    ("homeassistant.components.mqtt", "Can't decode payload"),
    ("homeassistant.core", f"Event {EVENT_CALL_SERVICE}"),
)


@dataclass
class Witness:
    """Records all visible texts, by the place where they were visible."""

    hass: HomeAssistant
    caplog: pytest.LogCaptureFixture
    texts: list[tuple[str, str]] = field(default_factory=list)

    def watch(self) -> None:
        """Record everything from now on, including the debug log."""
        self.caplog.set_level(logging.DEBUG)
        self.hass.bus.async_listen(MATCH_ALL, self._event)
        persistent_notification.async_register_callback(self.hass, self._notified)

    def configure(self, yaml: str) -> None:
        """Write configuration.yaml, for the reload actions."""
        Path(self.hass.config.path("configuration.yaml")).write_text(yaml)

    def store(self, name: str, content: object) -> None:
        """Put a file where Home Assistant stores things."""
        Path(self.hass.config.path(".storage", name)).write_text(json.dumps(content))

    async def call(self, domain: str, service: str, **data: object) -> None:
        """Call an action and record its error; responses are not recorded."""
        responds = self.hass.services.supports_response(domain, service).value != "none"
        try:
            await self.hass.services.async_call(
                domain, service, data, blocking=True, return_response=responds
            )
        except (HomeAssistantError, vol.Invalid) as err:
            self.texts.append(("error", str(err)))

    async def look(self, *domains: str) -> None:
        """Record states, repairs and system health, and let Home Assistant write its stores."""
        for state in self.hass.states.async_all():
            self.texts.append(("state", repr(state.as_dict())))
        for issue in ir.async_get(self.hass).issues.values():
            self.texts.append(("repair", repr(issue)))
        for domain in domains:
            info: Mapping[str, Any] = await get_system_health_info(self.hass, domain)
            self.texts.append(("system health", repr(info)))
        self.hass.bus.async_fire(EVENT_HOMEASSISTANT_FINAL_WRITE)
        await self.hass.async_block_till_done()

    def stored(self, by_design: str) -> None:
        """Record all files of the configuration, except those with secrets `by_design` (a glob)."""
        folder = Path(self.hass.config.path(".storage"))
        files = {path for path in folder.rglob("*") if path.is_file()}
        assert files
        for path in files - set(folder.glob(by_design)):
            self.texts.append((f".storage/{path.name}", path.read_text(errors="replace")))

    def leaks(self, *canaries: str) -> list[str]:
        """Return the places where a canary is visible, with the text around it."""
        lines = [
            (f"log of {record.name}", record.getMessage() + (record.exc_text or ""))
            for record in self.caplog.records
            if not any(
                record.name.startswith(name) and words in record.getMessage()
                for name, words in CORES_OWN_LINES
            )
        ]
        return sorted(
            {
                f"{place}: {text[:400]}"
                for place, text in [*self.texts, *lines]
                for canary in canaries
                if canary.lower() in text.lower()
            }
        )

    @callback
    def _event(self, event: Event) -> None:
        if event.event_type != EVENT_CALL_SERVICE:  # it repeats what its caller said
            text = json.dumps(event.as_dict(), cls=ExtendedJSONEncoder)
            self.texts.append((f"event {event.event_type}", text))

    @callback
    def _notified(
        self,
        _update: persistent_notification.UpdateType,
        notifications: dict[str, persistent_notification.Notification],
    ) -> None:
        self.texts.extend(("notification", repr(each)) for each in notifications.values())
