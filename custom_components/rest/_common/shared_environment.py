"""One Jinja environment for the templates of all entities of an integration."""

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
    """Renders templates, and tells the entity at work what is undefined.

    Home Assistant logs each use of an undefined variable, with every message or reply. Told to
    log elsewhere, `Template.async_render` makes an environment for each template, which takes
    43 KB and more than a millisecond.
    """

    def __init__(self, hass: HomeAssistant) -> None:
        self._environment = TemplateEnvironment(hass, log_fn=self._undefined)
        self._compiled: WeakValueDictionary[str, jinja2.Template] = WeakValueDictionary()
        self._source = ""
        self._warn: Callable[[str], None] | None = None

    def compile(self, template: Template) -> jinja2.Template:
        """Return a template that Home Assistant has found valid, ready to be rendered.

        All that have the same source share it for as long as one of them keeps it.
        """
        environment, source = self._environment, template.template
        if (compiled := self._compiled.get(source)) is None:
            code = environment.template_cache.get(source) or environment.compile(source)
            # Not `from_string`: it wraps the globals, and each rendering takes seven times as long.
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
        """Return the output, stripped. Raise what the template raises.

        `warn` hears of each undefined variable that is printed or asked for a truth.
        """
        self._source = source
        self._warn = warn
        return template.render(variables).strip()

    def _undefined(self, level: int, message: str) -> None:
        # What is at error level is raised, too.
        if level < logging.ERROR and self._warn is not None:
            self._warn(without_payload(message, self._source))


_SHARED: HassKey[SharedEnvironment] = HassKey(__name__)  # each integration's copy has its own


@callback
def shared_environment(hass: HomeAssistant) -> SharedEnvironment:
    """Return the environment of this Home Assistant."""
    if (shared := hass.data.get(_SHARED)) is None:
        shared = hass.data[_SHARED] = SharedEnvironment(hass)
    return shared
