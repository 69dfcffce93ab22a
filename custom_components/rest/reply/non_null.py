"""Render templates in which no part may be null, such as the values of a login.

A template prints null as the text "None", so that "Bearer None" would be sent as a token.

Jinja's `finalize` is not sufficient: it is applied to the output, after `~` has joined parts.
"""

from collections.abc import Mapping

from homeassistant.exceptions import TemplateError
from homeassistant.helpers.template import Template, TemplateEnvironment
from jinja2 import Template as CompiledTemplate, nodes

from .._common.template_errors import reason

_FILTER = "_non_null"


class _NullError(Exception):
    """A part of the text is null."""


def render_non_null(template: Template, variables: Mapping[str, object]) -> str:
    """Return the text. Raise ValueError with the reason if it fails or a part is null or undefined.

    Creating the environment takes a millisecond, which is needed only once per login.
    """
    source = template.template
    try:
        environment = TemplateEnvironment(template.hass, strict=True)
        environment.filters[_FILTER] = _not_null
        tree = environment.parse(source)
        printing: list[nodes.Output | nodes.Concat] = [
            *tree.find_all(nodes.Output),
            *tree.find_all(nodes.Concat),
        ]
        for node in printing:
            node.nodes = [
                part
                if isinstance(part, nodes.TemplateData)
                else nodes.Filter(part, _FILTER, [], [], None, None, lineno=part.lineno)
                for part in node.nodes
            ]
        tree.set_environment(environment)
        code = environment.compile(tree, name=_FILTER)
        compiled = CompiledTemplate.from_code(environment, code, environment.globals)
        text = compiled.render(variables).strip()
    except _NullError:
        text = ""
    except Exception as err:  # noqa: BLE001  (a template may raise anything)
        raise ValueError(f"failed: {reason(TemplateError(err), source)}") from None
    if text in ("", "None"):
        raise ValueError("is empty")
    return text


def _not_null(value: object) -> object:
    if value is None:
        raise _NullError
    return value
