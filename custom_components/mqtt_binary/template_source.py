"""What can be told of a template from its source, without compiling or rendering it."""

from functools import lru_cache
from typing import Final

import jinja2
from jinja2 import meta, nodes

# A string times more than this is no text for a sensor.
MAX_FACTOR: Final = 100_000

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


@lru_cache(maxsize=256)
def depends_only_on_payload(source: str) -> bool:
    """Return whether the template reads nothing but `value` and `value_json`.

    False where that is not certain: no states, times or random choices may be missed.
    """
    try:
        tree = _ENVIRONMENT.parse(source)
        undeclared = meta.find_undeclared_variables(tree)
    except jinja2.TemplateError:
        return False
    return (
        undeclared <= _VARIABLES
        and not any(tree.find_all((nodes.Import, nodes.FromImport, nodes.Include, nodes.Extends)))
        and all(node.name in _FILTERS for node in tree.find_all(nodes.Filter))
        and all(node.name in _TESTS for node in tree.find_all(nodes.Test))
    )


def computes_hugely(source: str) -> bool:
    """Return whether compiling the template could hold up Home Assistant or fill its memory.

    Jinja computes constants such as 9**9**9 while it compiles, unbounded.
    """
    try:
        tree = _ENVIRONMENT.parse(source)
    except jinja2.TemplateError:
        return False
    return any(tree.find_all(nodes.Pow)) or any(
        isinstance(factor, nodes.Const)
        and isinstance(factor.value, int | float)
        and abs(factor.value) > MAX_FACTOR
        for product in tree.find_all(nodes.Mul)
        for factor in (product.left, product.right)
    )
