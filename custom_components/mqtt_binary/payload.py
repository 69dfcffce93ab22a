"""What messages say: on, off or unknown; attributes; whether the device is there.

Core's MQTT client decodes a message once per topic, as the first of the topic's subscribers asked
for. So a sensor can get text that another encoding was used for, bytes where it asked for text,
and text where it asked for bytes. What cannot be decoded as we asked is dropped by the client,
with a warning of its own.
"""

from enum import Enum
import logging
from typing import Any, Final, Literal

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import TemplateError
from homeassistant.helpers.json import json_bytes
from homeassistant.helpers.template import Template, TemplateStateFromEntityId
from homeassistant.util.json import JSON_DECODE_EXCEPTIONS, json_loads
import jinja2

from ._common.log_once import LogOnce
from ._common.shared_environment import shared_environment
from ._common.template_errors import reason
from .mqtt import BLOCKED_ATTRIBUTES, ReceiveMessage
from .settings import AvailabilityTopic, Settings

_LOGGER = logging.getLogger(__name__)

MAX_LENGTH: Final = 1024 * 1024
"""What is longer is not parsed as JSON nor shown to a template: it would hold up the event loop,
and is hardly a binary sensor's message."""

NONE_OUTPUT: Final = "None"
"""What a template gives for unknown; without a template it is a payload like any other."""

NOT_JSON: Final = object()

RAW_ENCODING: Final = "utf-8"

type Payload = str | bytes | bytearray

type Part = Literal["value", "availability", "attributes"]
"""What of a sensor a message is for."""


class Refusal(Enum):
    """The message is not for the sensor."""

    REFUSED = "refused"


REFUSED: Final = Refusal.REFUSED

type Value = bool | Literal[Refusal.REFUSED] | None


class UnreadablePayloadError(ValueError):
    """A payload cannot be used; the text says why, without the payload."""


def check_encoding(name: str) -> None:
    """Raise LookupError or ValueError unless this is a text encoding, or '' for none."""
    # Refuses codecs that do not yield text, such as "hex", too.
    "".encode(name or RAW_ENCODING)


def text_of(payload: Payload, encoding: str) -> str:
    """Return the payload as text. Raise UnreadablePayloadError."""
    if isinstance(payload, str):
        return payload
    try:
        return payload.decode(encoding or RAW_ENCODING)
    except UnicodeError as err:
        raise UnreadablePayloadError(f"it is no {encoding or RAW_ENCODING} text") from err


class LatestJson:
    """The JSON that was parsed last: many sensors read one message."""

    def __init__(self) -> None:
        self._text: str | bytes | None = None
        self._value: object = NOT_JSON

    def parse(self, text: str | bytes) -> object:
        """Return the JSON value of a text, or `NOT_JSON`."""
        if text is not self._text:
            try:
                self._value = json_loads(text)
            except JSON_DECODE_EXCEPTIONS:
                self._value = NOT_JSON
            self._text = text
        return self._value


class Rendering:
    """The templates of one sensor: `value`, `value_json`, `entity_id`, `name`, `this`."""

    def __init__(self, hass: HomeAssistant, entity_id: str, name: str | None) -> None:
        self.environment = shared_environment(hass)
        self.compiled: dict[str, jinja2.Template] = {}
        self.variables: dict[str, Any] = {
            "entity_id": entity_id,
            "name": name,
            "this": TemplateStateFromEntityId(hass, entity_id),
        }


class Reader:
    """Reads the messages of one sensor.

    Of those it cannot use, a problem is a warning once; at debug level every message is named,
    with its topic and length. No payload is shown.
    """

    _settings: Settings
    _entity_id: str
    _name: str | None

    def __init__(self, hass: HomeAssistant, json: LatestJson) -> None:
        self._hass = hass
        self._json = json
        # Both are made when needed first: most sensors have neither templates nor problems.
        self._rendering: Rendering | None = None
        self._log_once: LogOnce | None = None

    def configure(self, settings: Settings, entity_id: str, name: str | None) -> None:
        """Set how to read, and what the sensor is called."""
        self._settings = settings
        self._entity_id = entity_id
        self._name = name
        self._rendering = None

    def value(self, message: ReceiveMessage) -> Value:
        """Return on (true), off (false) or unknown (None), or `REFUSED` for no change."""
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

    def availability(self, topic: AvailabilityTopic, message: ReceiveMessage) -> bool | None:
        """Return whether the device is there, or None if the message means neither."""
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
        """Return the attributes, without those that would shadow the state's own.

        Return None, and say why, if it is no JSON dictionary that Home Assistant can store.
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
                # What is nested too deeply can be read, but the state machine cannot pass it on.
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
        """Return the payload, or what the template makes of it; None if it cannot be used."""
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

        Where Jinja gives up, for example because the payload is no JSON, return the payload as
        it is, as core does: some devices mix JSON and plain payloads.
        """
        source = template.template
        payload, encoding = message.payload, self._settings.encoding
        value: str | bytes
        if encoding:
            value = text_of(payload, encoding)
        else:
            value = payload.encode(RAW_ENCODING) if isinstance(payload, str) else bytes(payload)
        rendering = self._rendering
        if rendering is None:
            rendering = self._rendering = Rendering(self._hass, self._entity_id, self._name)
        try:
            if (compiled := rendering.compiled.get(source)) is None:
                compiled = rendering.compiled[source] = rendering.environment.compile(template)
            variables = {**rendering.variables, "value": value}
            if (parsed := self._json.parse(value)) is not NOT_JSON:
                variables["value_json"] = parsed
            return rendering.environment.render(compiled, source, variables, self._template_warns)
        except (jinja2.TemplateError, RecursionError) as err:
            text = text_of(payload, encoding)
            problem = reason(TemplateError(err), source)
            self._warn(
                part,
                f"the template failed, the payload is taken as it is ({part}): {problem}",
                message,
            )
            return text
        except Exception as err:  # noqa: BLE001  (whatever a function in a template raises)
            self._ignored(part, message, reason(TemplateError(err), source))
            return None

    def _ignored(self, part: Part, message: ReceiveMessage, why: str) -> None:
        """Say why a message was ignored that should have been understood."""
        self._warn(part, f"ignored a message ({part}): {why}", message)

    def _template_warns(self, warning: str) -> None:
        """Pass on what a template stumbled over but rendered."""
        self._warn("template", f"a template warns: {warning}")

    def _warn(self, subject: str, problem: str, message: ReceiveMessage | None = None) -> None:
        if self._log_once is None:
            self._log_once = LogOnce(_LOGGER)
        detail = "" if message is None else _where(message)
        self._log_once.report(subject, f"{self._entity_id}: {problem}", detail=detail)

    def _not_for_us(self, part: Part, message: ReceiveMessage, why: str) -> None:
        """Say at debug level why a message was ignored that others may understand."""
        if _LOGGER.isEnabledFor(logging.DEBUG):
            _LOGGER.debug(
                "%s: ignored a message (%s): %s%s", self._entity_id, part, why, _where(message)
            )


def _where(message: ReceiveMessage) -> str:
    return f" (topic {message.topic}, length {len(message.payload)})"
