"""Read value, attributes and availability from messages."""

from enum import Enum
from functools import cached_property
import logging
from typing import Any, Final, Literal

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import TemplateError
from homeassistant.helpers.json import json_bytes
from homeassistant.helpers.template import Template
import jinja2

from .._common.log_once import LogOnce
from .._common.template_errors import reason
from ..mqtt import BLOCKED_ATTRIBUTES, ReceiveMessage
from ..settings import AvailabilityTopic, Settings
from .templates import Templates
from .text import NOT_JSON, LatestJson, UnreadablePayloadError, template_value, text_of

_LOGGER = logging.getLogger(__name__)

MAX_LENGTH: Final = 1024 * 1024
"""Longer payloads are neither parsed as JSON nor passed to templates, since they would block the
event loop and are hardly meant for a binary sensor."""

NONE_OUTPUT: Final = "None"
"""Template output that means unknown; without a template it is an ordinary payload."""

type Part = Literal["value", "availability", "attributes"]
"""The part of a sensor that a message updates."""


class Refusal(Enum):
    """Result for a message that does not change the sensor."""

    REFUSED = "refused"


REFUSED: Final = Refusal.REFUSED

type Value = bool | Literal[Refusal.REFUSED] | None


class Reader:
    """Reads the messages of one sensor.

    Each problem is logged once as a warning; at debug level every ignored message is logged with
    topic and length. Payloads are never logged.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        json: LatestJson,
        settings: Settings,
        entity_id: str,
        name: str | None,
    ) -> None:
        self._hass = hass
        self._json = json
        self._settings = settings
        self._entity_id = entity_id
        self._name = name

    @cached_property
    def _templates(self) -> Templates:
        """Return the template renderer, created on demand since most sensors have no template."""
        return Templates(self._hass, self._json, self._entity_id, self._name, self._template_warns)

    @cached_property
    def _log_once(self) -> LogOnce:
        """Return the problem log, created on demand since most sensors have no problems."""
        return LogOnce(_LOGGER)

    def value(self, message: ReceiveMessage) -> Value:
        """Return on (True), off (False) or unknown (None), or `REFUSED` for no change."""
        settings = self._settings
        template = settings.value_template
        if message.retain and settings.ignore_retained:
            why = "it is retained"
        elif (text := self._text("value", template, message)) is None:
            return REFUSED
        elif template is not None and not text:
            why = "the template's output is empty"
        elif text in settings.payload_on:
            return True
        elif text in settings.payload_off:
            return False
        elif template is not None and text == NONE_OUTPUT:
            return None
        else:
            why = "neither payload_on nor payload_off"
        self._not_for_us("value", message, why)
        return REFUSED

    def output(self, message: ReceiveMessage) -> str | None:
        """Return the text that `value` compares with the payloads, None if there is none."""
        return self._text("value", self._settings.value_template, message)

    def availability(self, topic: AvailabilityTopic, message: ReceiveMessage) -> bool | None:
        """Return whether the device is available, or None if the payload means neither."""
        payload = self._text("availability", topic.template, message)
        if payload == topic.available:
            return True
        if payload == topic.not_available:
            return False
        if payload is not None:
            self._not_for_us(
                "availability", message, "neither payload_available nor payload_not_available"
            )
        return None

    def attributes(self, message: ReceiveMessage) -> dict[str, Any] | None:
        """Return the attributes, without those that would shadow the entity's own.

        Return None, and log why, if the payload is not a JSON object that can be stored.
        """
        text = self._text("attributes", self._settings.json_attributes_template, message)
        if text is None:
            return None
        parsed = self._json.parse(text)
        if isinstance(parsed, dict):
            attributes = {
                name: content for name, content in parsed.items() if name not in BLOCKED_ATTRIBUTES
            }
            try:
                # Too deeply nested attributes can be parsed, but not serialised by Home Assistant.
                json_bytes(attributes)
            except TypeError as err:
                problem = str(err)
            else:
                return attributes
        elif parsed is NOT_JSON:
            problem = "Erroneous JSON"
        else:
            problem = "JSON result was not a dictionary"
        self._ignored("attributes", message, problem)
        return None

    def _text(self, part: Part, template: Template | None, message: ReceiveMessage) -> str | None:
        """Return the payload or the output of the template; None if it cannot be used."""
        payload = message.payload
        if len(payload) > MAX_LENGTH:
            self._ignored(part, message, f"it is longer than {MAX_LENGTH} bytes")
            return None
        try:
            if template is None:
                return text_of(payload, self._settings.encoding)
            return self._render(part, template, message)
        except UnreadablePayloadError as err:
            self._ignored(part, message, str(err))
            return None

    def _render(self, part: Part, template: Template, message: ReceiveMessage) -> str | None:
        """Return a template's output, stripped, or None if a function in it fails.

        If Jinja raises, for example because the payload is not JSON, return the payload unchanged,
        as core does: some devices mix JSON and plain payloads.
        """
        payload, encoding = message.payload, self._settings.encoding
        value = template_value(payload, encoding)
        try:
            return self._templates.render(template, value)
        except (jinja2.TemplateError, RecursionError) as err:
            text = text_of(payload, encoding)
            problem = reason(TemplateError(err), template.template)
            self._warn(
                part,
                f"the template failed, the payload is taken as it is ({part}): {problem}",
                message,
            )
            return text
        except Exception as err:  # noqa: BLE001  (a template may raise anything)
            self._ignored(part, message, reason(TemplateError(err), template.template))
            return None

    def _ignored(self, part: Part, message: ReceiveMessage, why: str) -> None:
        """Log why a message that should be valid was ignored."""
        self._warn(part, f"ignored a message ({part}): {why}", message)

    def _template_warns(self, warning: str) -> None:
        """Log a warning of a template that was rendered nevertheless."""
        self._warn("template", f"a template warns: {warning}")

    def _warn(self, subject: str, problem: str, message: ReceiveMessage | None = None) -> None:
        detail = "" if message is None else _where(message)
        self._log_once.report(subject, f"{self._entity_id}: {problem}", detail=detail)

    def _not_for_us(self, part: Part, message: ReceiveMessage, why: str) -> None:
        """Log at debug level why a message, which may be meant for others, was ignored."""
        if _LOGGER.isEnabledFor(logging.DEBUG):
            _LOGGER.debug(
                "%s: ignored a message (%s): %s%s", self._entity_id, part, why, _where(message)
            )


def _where(message: ReceiveMessage) -> str:
    return f" (topic {message.topic}, length {len(message.payload)})"
