"""What can be told of a template from its source, without compiling or rendering it."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import jinja2
from jinja2 import meta, nodes

# A string times more than this is no text for a sensor.
MAX_FACTOR: Final = 100_000

# What repeats, calls itself or is computed while it compiles, without need for on and off.
_REFUSED_NODES: Final[dict[type[nodes.Node], str]] = {
    nodes.Pow: "**",
    nodes.Macro: "a macro",
    nodes.CallBlock: "a call block",
    nodes.Import: "an import",
    nodes.FromImport: "an import",
    nodes.Include: "an include",
    nodes.Extends: "an extends",
}
_REFUSED_NAMES: Final = {
    *("center", "expandtabs", "format", "indent", "lipsum", "ljust", "namespace", "product"),
    *("range", "rjust", "wordwrap", "zfill"),
}

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
    except jinja2.TemplateError, RecursionError:
        return False
    return (
        undeclared <= _VARIABLES
        and not any(tree.find_all((nodes.Import, nodes.FromImport, nodes.Include, nodes.Extends)))
        and all(node.name in _FILTERS for node in tree.find_all(nodes.Filter))
        and all(node.name in _TESTS for node in tree.find_all(nodes.Test))
    )


def why_refused(source: str) -> str | None:
    """Return what in a stranger's template could hold up Home Assistant or fill its memory.

    None if nothing is found. Jinja computes constants such as 9**9**9 while it compiles, and
    nothing bounds how long a template renders.
    """
    try:
        tree = _ENVIRONMENT.parse(source)
        return next(_suspects(tree), None)
    except jinja2.TemplateError:
        return None  # the validation says what is wrong
    except (RecursionError, ValueError) as err:  # nested too deeply; too many digits
        return str(err)


def _suspects(tree: nodes.Template) -> Iterator[str]:
    for kind, what in _REFUSED_NODES.items():
        if any(tree.find_all(kind)):
            yield what
    for loop in tree.find_all(nodes.For):
        if loop.recursive or next(iter(_inner_loops(loop)), None) is not None:
            yield "a loop in a loop"
    for name in (
        *(node.name for node in tree.find_all(nodes.Name)),
        *(node.name for node in tree.find_all(nodes.Filter)),
        *(node.name for node in tree.find_all(nodes.Test)),
        *(node.attr for node in tree.find_all(nodes.Getattr)),
    ):
        if name in _REFUSED_NAMES or name.startswith("regex"):
            yield f"'{name}'"
    for product in tree.find_all(nodes.Mul):
        if any(_is_huge(factor) for factor in (product.left, product.right)):
            yield f"a factor over {MAX_FACTOR}"


def _is_huge(factor: nodes.Expr) -> bool:
    return (
        isinstance(factor, nodes.Const)
        and isinstance(factor.value, int | float)
        and abs(factor.value) > MAX_FACTOR
    )


def _inner_loops(loop: nodes.For) -> Iterator[nodes.For]:
    for part in (*loop.body, *loop.else_):
        if isinstance(part, nodes.For):
            yield part
        yield from part.find_all(nodes.For)
