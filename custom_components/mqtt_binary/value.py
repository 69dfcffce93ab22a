"""Message → decode → template → match: from what arrived on state_topic to on, off, unknown."""

from enum import Enum
import logging
from typing import Final, Literal

from homeassistant.components.mqtt import ReceiveMessage
from homeassistant.exceptions import TemplateError
from homeassistant.helpers.template import Template

from .log_once import Complaints
from .payloads import shared_payloads
from .rendering import PayloadTooLongError, Renderer, uses_json
from .settings import Settings
from .template_failure import reason_of
from .template_source import depends_only_on_payload

_LOGGER = logging.getLogger(__package__)

# What a template says when it has no value; as a bare payload it is like any other.
NONE_OUTPUT: Final = "None"

# Remembered per sensor: enough for on, off and a few battery levels.
MAX_KNOWN: Final = 8
MAX_KNOWN_CHARACTERS: Final = 512


class Refusal(Enum):
    """The message is not for the sensor."""

    REFUSED = "refused"


REFUSED: Final = Refusal.REFUSED

type Value = bool | Literal[Refusal.REFUSED] | None


class ValueReader:
    """Reads the value from a message on state_topic."""

    __slots__ = (
        "_as_delivered",
        "_as_text",
        "_complaints",
        "_known",
        "_renderer",
        "_template",
        "_with_json",
    )

    def __init__(self, settings: Settings, renderer: Renderer, complaints: Complaints) -> None:
        payloads = shared_payloads(settings.payload_on, settings.payload_off, settings.encoding)
        self._as_text = payloads.as_text
        self._as_delivered = payloads.as_delivered
        self._template = settings.value_template
        # Most devices repeat themselves: payload → value, where nothing else matters.
        self._known: dict[str | bytes | bytearray, Value] | None = (
            {}
            if self._template is not None and depends_only_on_payload(self._template.template)
            else None
        )
        self._with_json = self._template is not None and uses_json(self._template)
        self._renderer = renderer
        self._complaints = complaints

    def read(self, message: ReceiveMessage) -> Value:
        """Return on (true), off (false) or unknown (None), or `REFUSED` for no change."""
        payload = message.payload
        if self._template is not None:
            if self._known is not None and payload in self._known:
                self._complaints.settle("value")
                self._complaints.settle("value_template")
                return self._known[payload]
            return self._render(self._template, message)
        value: Value = self._as_delivered.get(payload, REFUSED)  # type: ignore[arg-type]
        if value is not REFUSED:
            self._complaints.settle("value")
            return value
        # Not the bytes of a payload of ours; perhaps another spelling of its text, which
        # encodings like UTF-16 have.
        try:
            text = self._renderer.text_of(payload)
        except (UnicodeError, PayloadTooLongError) as err:
            return self._undecodable(message, err)
        self._complaints.settle("value")
        return self._match(text, message)

    def _render(self, template: Template, message: ReceiveMessage) -> Value:
        try:
            seen = self._renderer.value_of(message.payload)
        except (UnicodeError, PayloadTooLongError) as err:
            return self._undecodable(message, err)
        self._complaints.settle("value")
        try:
            output = self._renderer.render(template, seen, with_json=self._with_json)
        except TemplateError as err:
            problem = reason_of(err, template)
            self._complaints.about("value_template", message.topic, problem)
            return REFUSED
        self._complaints.settle("value_template")
        value = self._value_of(output, message)
        if self._known is not None and len(message.payload) <= MAX_KNOWN_CHARACTERS:
            if len(self._known) == MAX_KNOWN:
                self._known.clear()
            self._known[message.payload] = value
        return value

    def _value_of(self, output: str, message: ReceiveMessage) -> Value:
        if not output:
            return REFUSED
        if output == NONE_OUTPUT and output not in self._as_text:
            return None
        return self._match(output, message)

    def _match(self, text: str, message: ReceiveMessage) -> Value:
        value: Value = self._as_text.get(text, REFUSED)
        if value is REFUSED and _LOGGER.isEnabledFor(logging.DEBUG):
            _LOGGER.debug(
                "%d characters from topic %s are neither payload_on nor payload_off: ignored",
                len(text),
                message.topic,
            )
        return value

    def _undecodable(self, message: ReceiveMessage, problem: Exception) -> Value:
        self._complaints.about("value", message.topic, problem)
        return REFUSED
