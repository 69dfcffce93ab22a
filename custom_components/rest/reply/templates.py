"""Templates on a reply, with errors that do not contain text of the reply."""

from collections.abc import Callable, Iterator, Set as AbstractSet, ValuesView
from functools import partial
import re
from typing import Any, Protocol

from homeassistant.exceptions import TemplateError
from homeassistant.helpers.template import (
    MAX_TEMPLATE_OUTPUT,
    Template,
    TemplateEnvironment,
    result_as_boolean,
)
import jinja2

from .._common.shared_environment import shared_environment
from .._common.template_errors import reason

_NO_JSON = "'value_json' is undefined"
_EXPRESSION = re.compile(r"\{\{[-+]?(.*?)[-+]?\}\}", re.DOTALL)


class Report(Protocol):
    """Callback for the problems of a YAML key; without problems, it is cleared."""

    def __call__(self, subject: str, /, *problems: str) -> None:
        """Log new problems."""


class PartTemplate:
    """A template that returns a part of a reply as a native value instead of text."""

    def __init__(self, key: str, template: Template) -> None:
        self._key = key
        self._template = template
        self._expression: Callable[..., object] | None = None

    def part(self, variables: dict[str, Any]) -> object:
        """Return the part. Raise ValueError with the reason if there is none.

        A template that is more than a single expression is rendered, and its output parsed.
        """
        source = self._template.template
        try:
            if self._expression is None:
                self._expression = self._compiled(source)
            part = self._expression(variables)
            if isinstance(
                part, Iterator | ValuesView | AbstractSet
            ):  # of `select`, `.values()`, `set`
                part = list(part)
        except Exception as err:  # noqa: BLE001  (a template may raise anything)
            raise ValueError(f"{self._key} failed: {reason(TemplateError(err), source)}") from None
        if isinstance(part, jinja2.Undefined):
            raise ValueError(f"{self._key} failed: what it names is not in the reply")  # noqa: TRY004
        return part

    def _compiled(self, source: str) -> Callable[..., object]:
        if match := _EXPRESSION.fullmatch(source.strip()):
            environment = TemplateEnvironment(self._template.hass, strict=True)
            try:
                return environment.compile_expression(match[1], undefined_to_none=False)
            except jinja2.TemplateSyntaxError:
                pass  # more than one expression
        return partial(self._template.async_render, parse_result=True, strict=True)


class ReplyTemplate:
    """A template of one entity, with its YAML key."""

    def __init__(self, key: str, template: Template, report: Report) -> None:
        self.is_static = template.is_static
        self._key = key
        self._template = template
        self._compiled: jinja2.Template | None = None
        self._report = report

    def text(self, variables: dict[str, Any]) -> str | None:
        """Return the text; None if the template failed, or printed nothing for lack of JSON."""
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
        # Without JSON, `{{ value_json }}` prints an empty text, which is not a value.
        return text if text or _NO_JSON not in warnings else None

    def truth(self, variables: dict[str, Any]) -> bool | None:
        """Return whether the result is true; None if the template failed.

        Undefined variables make it fail.
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
