"""The states of nested commands: which level of a code file is preset, fan, swing, temperature.

A path is a mode and what stands below it, usually in this order, each level there or not. A head
lists the names of presets, fans and swings; a name may stand in several of these lists. `-` is for
whatever that level is.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, permutations
import re
from typing import Final

from .capabilities import Capabilities
from .state import ATTRIBUTES, NAMED, State, mode_of, value

type Path = tuple[str, ...]
type _Order = tuple[str, ...]
"""The levels below a mode."""
type _Arranged = Callable[[Iterable[str], int], Iterable[_Order]]
type _Names = Mapping[str, str]
"""A level's names as they are compared → as the head has them."""

WHATEVER: Final = "-"
LOWEST: Final = 5.0
"""A number below is a speed, not a temperature."""
_TEMPERATURE: Final = re.compile(r"(\d{1,3}(?:[.,]\d+)?)(?:°?[cf]|°)?", re.IGNORECASE)


def temperature_of(text: str) -> float | None:
    """Return the temperature that a text is: "24", "18.25", "21,5°C"; None if it is none."""
    match = _TEMPERATURE.fullmatch(text)
    degrees = float(match[1].replace(",", ".")) if match else 0.0
    return degrees if degrees >= LOWEST else None


def states_of(paths: Iterable[Path], capabilities: Capabilities) -> dict[Path, Sequence[State]]:
    """Return path → the states it may be: one, or several where nothing says which.

    What is no path of a state is left out. All paths of a mode have the same levels, unless
    none fit all of them. Where the usual order fits none, any other may. A name that the head does
    not have is of the level that the others at its place are of.
    """
    of_modes: dict[str, list[Path]] = {}
    for path in paths:
        mode = mode_of(path[0])
        if mode is not None and mode in capabilities:
            of_modes.setdefault(mode, []).append(path)
    levels = capabilities.levels
    known = {level: _comparable(map(str, levels.values(level))) for level in NAMED}
    states: dict[Path, Sequence[State]] = {}
    for mode, of_mode in of_modes.items():
        certain: dict[int, _Order] = {}
        for arranged in (combinations, permutations):
            left = [path for path in of_mode if path not in states]
            good = {path: orders for path in left if (orders := _orders([path], known, arranged))}
            common = _orders([*good], known, arranged) if good else []
            for path, orders in good.items():
                read = [_state(mode, path, order, known) for order in common or orders]
                states[path] = [*dict.fromkeys(read)]
                if len(common or orders) == 1:
                    certain.setdefault(len(path), (common or orders)[0])
        for path in of_mode:
            order = certain.get(len(path), ())
            if path not in states and order and _has_temperature(path, order):
                states[path] = [_state(mode, path, order, known)]
    return states


def path_of(state: State, levels: Iterable[str]) -> Path:
    """Return where a state stands in a file that has these of preset, fan and swing.

    Each stands there in each mode: SmartIR goes by the head, not by what it finds.
    """
    degrees = WHATEVER if state.temperature is None else f"{state.temperature:g}"
    return (state.mode, *(str(value(state, level) or WHATEVER) for level in levels), degrees)


def _comparable(names: Iterable[str]) -> _Names:
    return {name.casefold(): name for name in names}


def _orders(
    paths: Sequence[Path], known: Mapping[str, _Names], arranged: _Arranged
) -> list[_Order]:
    """Return the levels that paths can have; a shorter path has the first of them."""
    deepest = max(map(len, paths)) - 1
    return [
        order
        for order in arranged(ATTRIBUTES, deepest)
        if all(
            _may_be(name, level, known)
            for path in paths
            for name, level in zip(path[1:], order, strict=False)
        )
    ]


def _has_temperature(path: Path, order: _Order) -> bool:
    """Return whether there is a temperature where an order has one."""
    return all(
        level != "temperature" or _may_be(name, level, {})
        for name, level in zip(path[1:], order, strict=False)
    )


def _may_be(name: str, level: str, known: Mapping[str, _Names]) -> bool:
    if name == WHATEVER:
        return True
    if level == "temperature":
        return temperature_of(name) is not None
    return name.casefold() in known[level]


def _state(mode: str, path: Path, order: _Order, known: Mapping[str, _Names]) -> State:
    names = {level: name for level, name in zip(order, path[1:], strict=False) if name != WHATEVER}

    def named(level: str) -> str | None:
        return known[level].get(names[level].casefold(), names[level]) if level in names else None

    return State(
        mode=mode,
        preset=named("preset"),
        fan=named("fan"),
        swing=named("swing"),
        temperature=temperature_of(names.get("temperature", "")),
    )
