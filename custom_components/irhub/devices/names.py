"""Names of commands → functions: "Volume+", "lauter", "hdmi 2", "forward low", "cool auto 24".

The known names are those in `functions`, in English, German, Dutch, Spanish and French.
"""

from collections.abc import Iterable, Mapping
from functools import cache

from .kinds import Kind
from .name_parsing import words_of

type Functions = Mapping[str, str]
"""Function, possibly with a value ("source HDMI 2", "digit 5") → command."""


def functions_of(kind: Kind, names: Iterable[str]) -> dict[str, str]:
    """Return function → name for the names with a known function; the first of each counts."""
    known = _known(kind)
    functions: dict[str, str] = {}
    for name in names:
        words = words_of(name)
        function = known.get(words) or kind.traits.function_with_value(name, words)
        if function is not None:
            functions.setdefault(function, name)
    return functions


def with_toggle(functions: Functions, same: Mapping[str, object]) -> dict[str, str]:
    """Return the functions, with `toggle` in place of `on` and `off` if their packets are equal.

    `same` maps commands to packets.
    """
    on, off = functions.get("on"), functions.get("off")
    if on is None or off is None or same[on] != same[off]:
        return {**functions}
    return {**{key: functions[key] for key in functions if key not in ("on", "off")}, "toggle": on}


@cache
def _known(kind: Kind) -> Mapping[str, str]:
    known = {**kind.traits.functions, **kind.traits.keys}
    return {phrase: key for key, function in known.items() for phrase in function.names.split("|")}
