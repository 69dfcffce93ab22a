"""The attributes a sensor is configured to take from a reply."""

from ast import literal_eval
from collections.abc import Mapping
from typing import Any

from homeassistant.helpers.typing import ConfigType
from homeassistant.util.json import JSON_DECODE_EXCEPTIONS, json_loads
from jsonpath import JSONPath  # type: ignore[import-untyped]  # it has no stubs

from .attributes import EMPTY, pick
from .const import CONF_JSON_ATTRS, CONF_JSON_ATTRS_PATH, CONF_JSON_ATTRS_TEMPLATE
from .rendering import Complain, Rendering
from .reply import Reply


class AttributeSource:
    """json_attributes with json_attributes_path, and json_attributes_template on top."""

    def __init__(self, config: ConfigType, complain: Complain) -> None:
        self._complain = complain
        self._keys: list[str] = config[CONF_JSON_ATTRS]
        path = config.get(CONF_JSON_ATTRS_PATH)
        self._path = None if path is None else JSONPath(path)
        template = config.get(CONF_JSON_ATTRS_TEMPLATE)
        self.rendering = (
            None if template is None else Rendering(CONF_JSON_ATTRS_TEMPLATE, template, complain)
        )

    def __bool__(self) -> bool:
        return bool(self._keys or self.rendering)

    def read(self, reply: Reply, variables: dict[str, Any]) -> dict[str, Any]:
        """Return the attributes; what the reply does not have is left out."""
        found = self._picked(reply) if self._keys else {}
        return found | self._rendered(self.rendering, variables) if self.rendering else found

    def _picked(self, reply: Reply) -> dict[str, Any]:
        try:
            found = pick(reply.json, self._keys, self._path)
        except ValueError as err:
            problem = str(err) if reply.body else EMPTY
            self._complain(CONF_JSON_ATTRS, f"{CONF_JSON_ATTRS}: {problem}")
            return {}
        self._complain(CONF_JSON_ATTRS, None)
        return found

    def _rendered(self, rendering: Rendering, variables: dict[str, Any]) -> dict[str, Any]:
        if (text := rendering.text(variables)) is None:
            return {}
        if (found := _dictionary(text)) is None:
            self._complain(
                CONF_JSON_ATTRS_TEMPLATE, f"{CONF_JSON_ATTRS_TEMPLATE} gave no dictionary"
            )
            return {}
        return found


def _dictionary(text: str) -> dict[str, Any] | None:
    """Read a dictionary as JSON, or as Jinja prints one."""
    found: object
    try:
        found = json_loads(text)
    except JSON_DECODE_EXCEPTIONS:
        try:
            found = literal_eval(text)
        except ValueError, TypeError, SyntaxError, MemoryError, RecursionError:
            return None
    return {str(key): value for key, value in found.items()} if isinstance(found, Mapping) else None
