"""Which templates a stranger may announce: those whose work and output cannot explode.

Nothing bounds how long a template renders, and Jinja computes constants such as 9**9**9 while
it compiles. So only what is listed here may be used: what text or numbers grow by at most
once, the rest as often as one likes. What is left costs a power of the payload's length.
"""

from collections.abc import Iterator
from typing import Final

import jinja2
from jinja2 import nodes

from .template_source import parse

MAX_CHARACTERS: Final = 4_096
MAX_FACTOR: Final = 100_000
MAX_DIGITS: Final = 10  # to round to

_REFUSED_NODES: Final[dict[type[nodes.Node], str]] = {
    nodes.Pow: "**",
    nodes.Macro: "a macro",
    nodes.CallBlock: "a call block",
    nodes.Block: "a block",
    nodes.Import: "an import",
    nodes.FromImport: "an import",
    nodes.Include: "an include",
    nodes.Extends: "an extends",
}

# One after the other, each of them can double its text and more.
_GROWING: Final = {"join", "replace", "to_json", "tojson"}
_NUMBERS: Final = {"abs", "bitwise_and", "bitwise_or", "count", "float", "int", "length", "round"}
_FILTERS: Final = (
    _GROWING
    | _NUMBERS
    | {
        *("as_datetime", "as_timestamp", "bool", "capitalize", "contains", "d", "default"),
        *("first", "from_json", "has_value", "iif", "is_defined", "is_number", "is_state", "last"),
        *("list", "lower", "max", "min", "ord", "reverse", "sort", "state_attr", "states"),
        *("string", "sum", "title", "trim", "unique", "upper"),
    }
)
# These call the test that stands at this place of their arguments.
_PICKING: Final = {"reject": 0, "rejectattr": 1, "select": 0, "selectattr": 1}
_TESTS: Final = {
    *("boolean", "contains", "defined", "divisibleby", "eq", "equalto", "even", "false", "float"),
    *("ge", "greaterthan", "gt", "has_value", "in", "integer", "is_number", "is_state", "iterable"),
    *("le", "lessthan", "lower", "lt", "mapping", "ne", "none", "number", "odd", "sequence"),
    *("string", "true", "undefined", "upper"),
}
_FUNCTIONS: Final = {
    *("as_datetime", "as_timestamp", "bool", "float", "has_value", "iif", "int", "is_number"),
    *("is_state", "is_state_attr", "max", "min", "now", "state_attr", "states", "timedelta"),
    *("utcnow",),
}
_METHODS: Final = _GROWING | {
    *("capitalize", "count", "endswith", "find", "get", "isalnum", "isalpha", "isdigit", "islower"),
    *("isnumeric", "isupper", "items", "keys", "lower", "lstrip", "removeprefix", "removesuffix"),
    *("rstrip", "split", "startswith", "strip", "timestamp", "title", "total_seconds", "upper"),
    *("values",),
}


def why_refused(source: str) -> str | None:
    """Return what in a stranger's template could hold up Home Assistant or fill its memory.

    None if nothing is found.
    """
    if len(source) > MAX_CHARACTERS:
        return f"more than {MAX_CHARACTERS} characters"
    try:
        return next(_suspects(parse(source)), None)
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
    yield from _names(tree)
    yield from _calls(tree)
    yield from _assignments(tree)
    for product in tree.find_all(nodes.Mul):
        if not (_is_number(product.left) and _is_number(product.right)):
            yield "'*' with what may be no number, or one over 100000; use | int or | float"
    for remainder in tree.find_all(nodes.Mod):
        if not _is_number(remainder.left):
            yield "'%' with what may be no number; use | int or | float"


def _names(tree: nodes.Template) -> Iterator[str]:
    """Yield the filters and tests that are not listed, or grow a text twice."""
    for used in tree.find_all(nodes.Filter):
        if problem := _filter_problem(used):
            yield problem
    for test in tree.find_all(nodes.Test):
        if test.name not in _TESTS:
            yield f"the test '{test.name}'"
    growing = [used.name for used in tree.find_all(nodes.Filter) if used.name in _GROWING]
    growing += [used.attr for used in tree.find_all(nodes.Getattr) if used.attr in _GROWING]
    if len(growing) > 1:
        yield f"'{growing[0]}' and '{growing[1]}' in one template"


def _filter_problem(used: nodes.Filter) -> str | None:
    if used.name == "map":  # it applies any filter, given its name
        return "'map' but with attribute=" if used.args or used.dyn_args else None
    if used.name in _PICKING:
        return None if _picks(used) else f"'{used.name}' with a test that is not listed"
    if used.name not in _FILTERS:
        return f"the filter '{used.name}'"
    if used.name == "round" and not _rounds_a_little(used):
        return f"'round' but to at most {MAX_DIGITS} digits"
    return None


def _calls(tree: nodes.Template) -> Iterator[str]:
    """Yield the functions and methods that are not listed."""
    stored = {name.name for name in tree.find_all(nodes.Name) if name.ctx != "load"}
    for call in tree.find_all(nodes.Call):
        match call.node:
            case nodes.Name(name=name):
                if name not in _FUNCTIONS or name in stored:
                    yield f"'{name}()'"
            case nodes.Getattr(attr=name):
                if name not in _METHODS:
                    yield f"'{name}()'"
            case _:
                yield "a call of what has no name"


def _assignments(tree: nodes.Template) -> Iterator[str]:
    """Yield what is set from what was set: forty times x ~ x is a terabyte."""
    values: list[nodes.Node] = []
    targets: list[nodes.Node] = []
    for assigned in tree.find_all((nodes.Assign, nodes.AssignBlock, nodes.With)):
        match assigned:
            case nodes.Assign(target=target, node=value):
                targets.append(target)
                values.append(value)
            case nodes.AssignBlock(target=target):
                targets.append(target)
                # All of it but the target: a filter's arguments are part of the value.
                values += [part for part in assigned.iter_child_nodes() if part is not target]
            case nodes.With(targets=several, values=given):
                targets += several
                values += given
    names = {name for target in targets for name in _names_in(target)}
    for value in values:
        for name in names.intersection(_names_in(value)):
            yield f"'{name}' in what another variable is set to"


def _names_in(node: nodes.Node) -> Iterator[str]:
    if isinstance(node, nodes.Name):
        yield node.name
    yield from (name.name for name in node.find_all(nodes.Name))


def _is_number(node: nodes.Expr) -> bool:
    """Return whether the result can be nothing but a number, of a bounded size if constant."""
    match node:
        case nodes.Const(value=int() | float() as value):
            return abs(value) <= MAX_FACTOR
        case nodes.Filter(name=name, args=args, kwargs=[], dyn_args=None, dyn_kwargs=None):
            # A default could be a text.
            return name in _NUMBERS and all(_is_number(argument) for argument in args)
        case nodes.UnaryExpr(node=inner):
            return _is_number(inner)
        case nodes.Add() | nodes.Sub() | nodes.Mul() | nodes.Div() | nodes.FloorDiv() | nodes.Mod():
            return _is_number(node.left) and _is_number(node.right)
    return False


def _picks(used: nodes.Filter) -> bool:
    place = _PICKING[used.name]
    return used.dyn_args is None and all(
        isinstance(test, nodes.Const) and test.value in _TESTS
        for test in used.args[place : place + 1]
    )


def _rounds_a_little(used: nodes.Filter) -> bool:
    if used.kwargs or used.dyn_args or used.dyn_kwargs or len(used.args) > 1:
        return False
    return all(
        isinstance(digits, nodes.Const)
        and isinstance(digits.value, int)
        and 0 <= digits.value <= MAX_DIGITS
        for digits in used.args
    )


def _inner_loops(loop: nodes.For) -> Iterator[nodes.For]:
    for part in (*loop.body, *loop.else_):
        if isinstance(part, nodes.For):
            yield part
        yield from part.find_all(nodes.For)
