"""Templates over a payload: `value`, `value_json`, `entity_id`, `name`, `this`."""

import logging
import re
from typing import Any, Final

from homeassistant.core import HomeAssistant
from homeassistant.helpers.template import Template, TemplateStateFromEntityId
from homeassistant.util.json import JSON_DECODE_EXCEPTIONS, json_loads

from .template_failure import without_payload
from .text import MAX_BYTES, Encoding, to_bytes

_LOGGER = logging.getLogger(__package__)

NOT_JSON: Final = object()

MAX_WARNINGS: Final = 20  # of one sensor's templates; more are at debug level

_NOTHING: Final[frozenset[str]] = frozenset()

_USES_JSON = re.compile(r"value_json|import|include")


def uses_json(template: Template) -> bool:
    """Return whether a template can see `value_json`: it names it, or what it imports may."""
    return _USES_JSON.search(template.template) is not None


class PayloadTooLongError(ValueError):
    """A payload of more than `MAX_BYTES`."""

    def __init__(self, length: int) -> None:
        super().__init__(f"{length} bytes are more than the {MAX_BYTES} that are parsed")


def _short[PayloadT: str | bytes | bytearray](payload: PayloadT) -> PayloadT:
    if len(payload) > MAX_BYTES:
        raise PayloadTooLongError(len(payload))
    return payload


class JsonMemo:
    """The JSON of the text parsed last: many sensors and templates read one message."""

    __slots__ = ("_json", "_text")

    def __init__(self) -> None:
        self._text: str | bytes | None = None
        self._json: object = NOT_JSON

    def parse(self, text: str | bytes) -> object:
        """Return the parsed value, or `NOT_JSON`."""
        if text is not self._text:
            try:
                self._json = json_loads(text)
            except JSON_DECODE_EXCEPTIONS:
                self._json = NOT_JSON
            self._text = text
        return self._json


class Renderer:
    """Renders a sensor's templates; made anew when the sensor's id or name changes."""

    __slots__ = (
        "_encoding",
        "_entity_id",
        "_hass",
        "_json",
        "_name",
        "_source",
        "_variables",
        "_warned",
    )

    def __init__(
        self,
        hass: HomeAssistant,
        json: JsonMemo,
        encoding: Encoding,
        entity_id: str,
        name: str | None,
    ) -> None:
        self._hass = hass
        self._json = json
        self._encoding = encoding
        self._entity_id = entity_id
        self._name = name
        self._source = ""
        # Both stay empty in a sensor without a template, which most are.
        self._warned = _NOTHING
        self._variables: dict[str, Any] = {}

    def value_of(self, payload: str | bytes | bytearray) -> str | bytes:
        """Return what a template sees as `value`: text, or bytes with `encoding: ''`.

        Raises UnicodeError and PayloadTooLongError.
        """
        return to_bytes(_short(payload)) if self._encoding.raw else self.text_of(payload)

    def text_of(self, payload: str | bytes | bytearray) -> str:
        """Return the payload as text. Raises UnicodeError and PayloadTooLongError."""
        return self._encoding.decode(_short(payload))

    def render(self, template: Template, value: str | bytes, *, with_json: bool = True) -> str:
        """Return the output, stripped. Raises TemplateError.

        `with_json` may be false for a template that `uses_json` denies: it saves the parsing.
        """
        variables = self._variables
        if not variables:
            variables["entity_id"] = self._entity_id
            variables["name"] = self._name
            variables["this"] = TemplateStateFromEntityId(self._hass, self._entity_id)
        variables["value"] = value
        if with_json and (parsed := self._json.parse(value)) is not NOT_JSON:
            variables["value_json"] = parsed
        else:
            variables.pop("value_json", None)
        self._source = template.template
        output: str = template.async_render(variables, parse_result=False, log_fn=self._log)
        return output.strip()

    def parse(self, text: str | bytes) -> object:
        """Return the JSON value of `text`, or `NOT_JSON`."""
        return self._json.parse(text)

    def _log(self, level: int, message: str) -> None:
        """Pass on an undefined variable once; core would repeat it, and the payload in it."""
        if level >= logging.ERROR:
            return  # it also comes as a TemplateError
        message = without_payload(message, self._source)
        new = message not in self._warned and len(self._warned) < MAX_WARNINGS
        if new:
            self._warned |= {message}
        _LOGGER.log(
            logging.WARNING if new else logging.DEBUG,
            "%s: a template warns: %s",
            self._entity_id,
            message,
        )
