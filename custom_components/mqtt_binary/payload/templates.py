"""Templates over a message: `value`, `value_json`, `entity_id`, `name`, `this`."""

from functools import cached_property
from typing import Any, Final

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import TemplateError
from homeassistant.helpers.template import Template, TemplateStateFromEntityId
from homeassistant.util.json import JSON_DECODE_EXCEPTIONS, json_loads
import jinja2

from .._common.shared_environment import SharedEnvironment, shared_environment
from .._common.template_errors import reason
from ..mqtt import ReceiveMessage
from .problems import Part, Problems
from .text import UnreadablePayloadError, text_of, value_of

NOT_JSON: Final = object()


class SharedRenderer:
    """What the templates of all sensors share: Jinja's environment, and the JSON parsed last."""

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._text: str | bytes | None = None
        self._json: object = NOT_JSON

    def parse(self, text: str | bytes) -> object:
        """Return the JSON value of a text, or `NOT_JSON`; many sensors read one message."""
        if text is not self._text:
            try:
                self._json = json_loads(text)
            except JSON_DECODE_EXCEPTIONS:
                self._json = NOT_JSON
            self._text = text
        return self._json

    @cached_property
    def environment(self) -> SharedEnvironment:
        """Jinja's environment, made with the first template: most sensors have none."""
        return shared_environment(self._hass)

    def variables_of(self, entity_id: str, name: str | None) -> dict[str, Any]:
        """Return the variables that do not depend on the message."""
        this = TemplateStateFromEntityId(self._hass, entity_id)
        return {"entity_id": entity_id, "name": name, "this": this}


class Templates:
    """Turns the messages of one sensor into the text that counts."""

    def __init__(self, shared: SharedRenderer, problems: Problems) -> None:
        self._shared = shared
        self._problems = problems
        self._encoding = ""
        self._name: str | None = None
        # Both are made with the first template: most of thousands of sensors have none.
        self._variables: dict[str, Any] | None = None
        self._compiled: dict[Template, jinja2.Template] | None = None

    def configure(self, encoding: str, entity_id: str, name: str | None) -> None:
        """Set what the sensor is called and how its payloads are encoded."""
        self._encoding = encoding
        self._problems.entity_id = entity_id
        self._name = name
        self._variables = self._compiled = None

    def text(self, part: Part, template: Template | None, message: ReceiveMessage) -> str | None:
        """Return the payload, or what the template makes of it, stripped; None if it is ignored.

        Where Jinja gives up, for example because the payload is no JSON, the payload is taken
        as it is, as core does: some devices mix JSON and plain payloads.
        """
        try:
            if template is None:
                return text_of(message.payload, self._encoding)
            value = value_of(message.payload, self._encoding)
            try:
                return self._render(template, value)
            except (jinja2.TemplateError, RecursionError) as err:
                text = text_of(message.payload, self._encoding)
                problem = reason(TemplateError(err), template.template)
                self._problems.taken_raw(part, message, problem)
                return text
            except Exception as err:  # noqa: BLE001  (whatever a function in a template raises)
                problem = reason(TemplateError(err), template.template)
                self._problems.ignored(part, message, problem)
                return None
        except UnreadablePayloadError as err:
            self._problems.ignored(part, message, str(err))
            return None

    def parse(self, text: str) -> object:
        """Return the JSON value of a text, or `NOT_JSON`."""
        return self._shared.parse(text)

    def _render(self, template: Template, value: str | bytes) -> str:
        if self._variables is None or self._compiled is None:
            self._variables = self._shared.variables_of(self._problems.entity_id, self._name)
            self._compiled = {}
        environment = self._shared.environment
        if (compiled := self._compiled.get(template)) is None:
            compiled = self._compiled[template] = environment.compile(template)
        variables = {**self._variables, "value": value}
        if (parsed := self._shared.parse(value)) is not NOT_JSON:
            variables["value_json"] = parsed
        return environment.render(
            compiled, template.template, variables, self._problems.template_warns
        )
