"""A Jinja environment shared by the templates of all entities of an integration."""

from collections.abc import Callable
import logging
from typing import Any
from weakref import WeakValueDictionary

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.template import Template, TemplateEnvironment
from homeassistant.util.hass_dict import HassKey
import jinja2

from .template_errors import without_payload


class SharedEnvironment:
    """Renders templates and reports undefined variables to the entity that renders.

    Home Assistant logs each use of an undefined variable, with every message or reply. With a
    `log_fn` of its own, `Template.async_render` creates an environment per template, which takes
    43 KB and more than a millisecond.
    """

    def __init__(self, hass: HomeAssistant) -> None:
        self._environment = TemplateEnvironment(hass, log_fn=self._undefined)
        self._compiled: WeakValueDictionary[str, jinja2.Template] = WeakValueDictionary()
        self._source = ""
        self._warn: Callable[[str], None] | None = None

    def compile(self, template: Template) -> jinja2.Template:
        """Return a template, which Home Assistant has validated, compiled.

        Templates with the same source share the result while any of them refers to it.
        """
        environment, source = self._environment, template.template
        if (compiled := self._compiled.get(source)) is None:
            code = environment.template_cache.get(source) or environment.compile(source)
            # Not `from_string`: it wraps the globals, which makes rendering seven times slower.
            compiled = jinja2.Template.from_code(environment, code, environment.globals)
            self._compiled[source] = compiled
        return compiled

    def render(
        self,
        template: jinja2.Template,
        source: str,
        variables: dict[str, Any],
        warn: Callable[[str], None],
    ) -> str:
        """Return the output, stripped. Raise any exception of the template.

        `warn` is called for each undefined variable that is printed or tested for truth.
        """
        self._source = source
        self._warn = warn
        return template.render(variables).strip()

    def _undefined(self, level: int, message: str) -> None:
        # Messages at error level are raised, too.
        if level < logging.ERROR and self._warn is not None:
            self._warn(without_payload(message, self._source))


_SHARED: HassKey[SharedEnvironment] = HassKey(__name__)  # separate for each integration's copy


@callback
def shared_environment(hass: HomeAssistant) -> SharedEnvironment:
    """Return the environment of this Home Assistant instance."""
    if (shared := hass.data.get(_SHARED)) is None:
        shared = hass.data[_SHARED] = SharedEnvironment(hass)
    return shared
