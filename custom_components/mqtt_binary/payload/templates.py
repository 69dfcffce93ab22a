"""The templates of a sensor."""

from collections.abc import Callable
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers.template import Template, TemplateStateFromEntityId
import jinja2

from .._common.shared_environment import shared_environment
from .text import NOT_JSON, LatestJson


class Templates:
    """Renders the templates of one sensor.

    Variables: `value`, `value_json` (for JSON payloads), `entity_id`, `name` and `this`.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        json: LatestJson,
        entity_id: str,
        name: str | None,
        warn: Callable[[str], None],
    ) -> None:
        """Call `warn` for each undefined variable that a template uses."""
        self._environment = shared_environment(hass)
        self._json = json
        self._warn = warn
        self._compiled: dict[str, jinja2.Template] = {}
        self._variables: dict[str, Any] = {
            "entity_id": entity_id,
            "name": name,
            "this": TemplateStateFromEntityId(hass, entity_id),
        }

    def render(self, template: Template, value: str | bytes) -> str:
        """Return the output, stripped. Raise any exception of the template."""
        source = template.template
        if (compiled := self._compiled.get(source)) is None:
            compiled = self._compiled[source] = self._environment.compile(template)
        variables = {**self._variables, "value": value}
        if (parsed := self._json.parse(value)) is not NOT_JSON:
            variables["value_json"] = parsed
        return self._environment.render(compiled, source, variables, self._warn)
