"""Templates on a reply: rendered safely, with errors that do not repeat the reply."""

from typing import Any, Protocol

from homeassistant.exceptions import TemplateError
from homeassistant.helpers.template import MAX_TEMPLATE_OUTPUT, Template, result_as_boolean
import jinja2

from .._common.shared_environment import shared_environment
from .._common.template_errors import reason

_NO_JSON = "'value_json' is undefined"


class Report(Protocol):
    """Takes a YAML key and what is wrong under it: nothing, when all is well."""

    def __call__(self, subject: str, /, *problems: str) -> None:
        """Warn of what is news."""


class ReplyTemplate:
    """One template of one entity, under its YAML key."""

    def __init__(self, key: str, template: Template, report: Report) -> None:
        self.is_static = template.is_static
        self._key = key
        self._template = template
        self._compiled: jinja2.Template | None = None
        self._report = report

    def text(self, variables: dict[str, Any]) -> str | None:
        """Return the text, or None when the template failed, or prints nothing for lack of JSON."""
        source = self._template.template
        if self.is_static:
            return source
        environment = shared_environment(self._template.hass)
        warnings: list[str] = []
        try:
            if self._compiled is None:
                self._compiled = environment.compile(self._template)
            text = environment.render(self._compiled, source, variables, warnings.append)
        except Exception as err:  # noqa: BLE001  (a template may raise anything)
            self._failed(TemplateError(err))
            return None
        if len(text) > MAX_TEMPLATE_OUTPUT:
            self._failed(
                TemplateError(f"its output is longer than {MAX_TEMPLATE_OUTPUT} characters")
            )
            return None
        self._report(self._key, *[f"{self._key} warns: {warning}" for warning in warnings])
        # Without JSON, `{{ value_json }}` prints nothing, which is no value.
        return text if text or _NO_JSON not in warnings else None

    def truth(self, variables: dict[str, Any]) -> bool | None:
        """Return whether the result is a yes, or None when the template failed.

        Whatever is undefined makes it fail.
        """
        try:
            result = self._template.async_render(variables, parse_result=True, strict=True)
        except TemplateError as err:
            self._failed(err)
            return None
        self._report(self._key)
        return result_as_boolean(result)

    def _failed(self, err: TemplateError) -> None:
        self._report(self._key, f"{self._key} failed: {reason(err, self._template.template)}")
