"""Template errors, without any text of the payload or reply that was rendered."""

import re

from homeassistant.exceptions import TemplateError

# From the first quote to the last: a payload may contain quotes itself.
_QUOTED = re.compile(r"[\"'].*[\"']", re.DOTALL)
# Python's messages about types: they contain type names and an operator, but no value.
_OF_TYPES = re.compile(
    r"TypeError: (?:"
    r"unsupported operand type\(s\) for [^\s'\"]+: '\w+' and '\w+'"
    r"|'[<>=]+' not supported between instances of '\w+' and '\w+'"
    r"|can only concatenate \w+ \(not \"\w+\"\) to \w+"
    r"|must be \w+, not \w+"
    r"|'\w+' object (?:is not \w+|cannot be interpreted as an integer)"
    r"|bad operand type for [^:\s]+ ?[+\-~]?(?:\(\))?: '\w+'"
    r")"
)
_UNDEFINED = re.compile(r"'(?:[\w.]+ object|([\w.]+))' (?:is undefined|has no attribute '([^']*)')")


def reason(err: TemplateError, source: str) -> str:
    """Return the error of the template `source` without text of a payload."""
    return without_payload(str(err), source)


def without_payload(message: str, source: str) -> str:
    """Return Jinja's message; quoted texts are kept only if they are types or names in `source`."""
    if _OF_TYPES.fullmatch(message):
        return message
    undefined = _UNDEFINED.search(message)
    if undefined and all(name in (None, "None") or name in source for name in undefined.groups()):
        return undefined[0]
    return _QUOTED.sub("'…'", message)
