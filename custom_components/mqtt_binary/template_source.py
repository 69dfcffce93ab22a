"""What can be told of a template from its source, without compiling or rendering it."""

from functools import lru_cache
from typing import Final

import jinja2
from jinja2 import meta, nodes

_ENVIRONMENT = jinja2.Environment(
    autoescape=True, extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"]
)

_VARIABLES: Final = {"value", "value_json"}

# What gives the same answer for the same question, today and tomorrow.
_FILTERS: Final = {
    *("abs", "bool", "capitalize", "count", "d", "default", "first", "float", "from_json", "int"),
    *("join", "last", "length", "list", "lower", "replace", "round", "string", "title", "to_json"),
    *("tojson", "trim", "upper"),
}
_TESTS: Final = {
    *("boolean", "defined", "divisibleby", "eq", "equalto", "even", "false", "ge", "greaterthan"),
    *("gt", "in", "le", "lessthan", "lt", "mapping", "ne", "none", "number", "odd", "sequence"),
    *("string", "true", "undefined"),
}


def parse(source: str) -> nodes.Template:
    """Return the syntax tree. Raises jinja2.TemplateError, RecursionError and ValueError."""
    return _ENVIRONMENT.parse(source)


@lru_cache(maxsize=256)
def depends_only_on_payload(source: str) -> bool:
    """Return whether the template reads nothing but `value` and `value_json`.

    False where that is not certain: no states, times or random choices may be missed.
    """
    try:
        tree = parse(source)
        undeclared = meta.find_undeclared_variables(tree)
    except jinja2.TemplateError, RecursionError:
        return False
    return (
        undeclared <= _VARIABLES
        and not any(tree.find_all((nodes.Import, nodes.FromImport, nodes.Include, nodes.Extends)))
        and all(node.name in _FILTERS for node in tree.find_all(nodes.Filter))
        and all(node.name in _TESTS for node in tree.find_all(nodes.Test))
    )
