"""Templates on a reply: rendered safely, with errors that do not repeat the reply."""

from collections.abc import Callable
import logging
import re
from typing import Any, Final, cast

from homeassistant.exceptions import TemplateError
from homeassistant.helpers.template import Template, result_as_boolean

_FAILED: Final = object()

type Complain = Callable[[str, str | None], None]

_QUOTED = re.compile(r"[\"'].*[\"']", re.DOTALL)
_TEXT = re.compile(r"\b(?:value|import|include|extends)\b")
_UNDEFINED = re.compile(r"'([\w.]+ object|[\w.]+)' (?:is undefined|has no attribute '([^']*)')")


def reason_of_template(err: TemplateError, source: str) -> str:
    """Return what a template stumbled over, without anything it took from a reply.

    Names stay when they stand in the template's own source; any other quoted text goes.
    """
    return _safe(str(err), source)


def _safe(message: str, source: str) -> str:
    if found := _UNDEFINED.search(message):
        subject, attribute = found.groups()
        if (subject.endswith(" object") or subject in source) and (
            attribute is None or attribute in source
        ):
            return message if len(message) < len(found[0]) + 40 else found[0]
    return _QUOTED.sub("'…'", message)


class Rendering:
    """One template of one sensor, under its YAML key."""

    def __init__(
        self, key: str, template: Template, complain: Complain, *, strict: bool = False
    ) -> None:
        self.is_static = template.is_static
        self.reads_text = not template.is_static and bool(_TEXT.search(template.template))
        """Whether it may read the variable `value`, by itself or in a template it imports."""
        self._key = key
        self._template = template
        self._complain = complain
        self._strict = strict
        self._clean = True

    def text(self, variables: dict[str, Any]) -> str | None:
        """Return the text, or None after complaining."""
        result = self._render(variables, parse_result=False)
        return None if result is _FAILED else str(result)

    def truth(self, variables: dict[str, Any]) -> bool | None:
        """Return whether the result is a yes, or None after complaining."""
        result = self._render(variables, parse_result=True)
        return None if result is _FAILED else result_as_boolean(result)

    def _render(self, variables: dict[str, Any], *, parse_result: bool) -> object:
        """Complain with the key and a message, or the key and None when all is well."""
        self._clean = True
        try:
            result = self._template.async_render(
                variables, parse_result=parse_result, strict=self._strict, log_fn=self._log
            )
        except TemplateError as err:
            reason = reason_of_template(err, self._template.template)
            self._complain(self._key, f"{self._key} failed: {reason}")
            return _FAILED
        if self._clean:
            self._complain(self._key, None)
        return cast("object", result)

    def _log(self, level: int, message: str) -> None:
        """Hear of an undefined variable. An error also arrives as an exception."""
        self._clean = False
        if level < logging.ERROR:
            message = _safe(message, self._template.template)
            self._complain(self._key, f"{self._key} warns: {message}")
