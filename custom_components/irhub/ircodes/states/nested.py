"""States of nested commands: map levels of a code file to preset, fan, swing and temperature.

A path is a mode and the levels below it, usually in this order; each level may be missing. A head
lists the names of presets, fans and swings; a name may be in several of these lists, or in none.
`-` matches any value of a level. A mode that Home Assistant does not have becomes a preset of the
nearest mode.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations
import re
from typing import Final

from .capabilities import Levels
from .state import ATTRIBUTES, MODES, NAMED, State, mode_of, value

type Path = tuple[str, ...]
type _Order = tuple[str, ...]
"""The attributes of the levels below a mode."""
type _Arrangement = Callable[[Iterable[str], int], Iterable[_Order]]
type _Names = Mapping[str, str]
"""Casefolded name → name in the head."""

WHATEVER: Final = "-"
LOWEST: Final = 5.0
"""A lower number is a speed, not a temperature."""
NO_PRESET: Final = "none"
"""Home Assistant's name for no preset."""
_TEMPERATURE: Final = re.compile(r"(\d{1,3}(?:[.,]\d+)?)(?:°?[cf]|°)?", re.IGNORECASE)
_WORDS: Final = re.compile(r"[\W_]+")
_POWER: Final = {"off", "on", "toggle", "on_once", "power"}
"""Names at the level of modes that are not modes."""
_LEVEL_WORDS: Final = {"fan", "speed", "swing", "preset", "mode", "temp", "temperature"}
"""Possible prefixes of names: `fan_quiet`."""
_COMMON_NAMES: Final[Mapping[str, frozenset[str]]] = {
    level: frozenset(words.split())
    for level, words in {
        "fan": "auto automatic quiet silent lowest low medlow mid med middle medium medhigh high"
        " highest max min strong weak turbo powerful superhigh breeze natural 1 2 3 4 5 6 7 level1"
        " level2 level3 level4 level5 level6 f1 f2 f3 f4 f5 speed1 speed2 speed3 speed4 night",
        "swing": "auto on off swing stop still fix fixed move moving vertical horizontal both top"
        " up upper middle low lower down bottom wide left right center rotate all static swept",
        "preset": "none eco econo economy away boost comfort home sleep activity normal standard"
        " powerful turbo silent quiet night fresh ion clean hi dry ifeel",
    }.items()
}
"""Common names, for values that the head does not list."""
_NEAREST_MODES: Final[Mapping[str, frozenset[str]]] = {
    mode: frozenset(words.split())
    for mode, words in {
        "cool": "econo economy eco saver saving energy",
        "dry": "humidity humid dehumidify dehumidifier dehum moisture",
        "fan_only": "ion ionizer ioniser plasma sweep ventilation vent air fresh circulate"
        " circulation purify purifier clean",
    }.items()
}
"""Mode → words of modes that are nearest to it; "auto" for all others."""


def temperature_of(text: str) -> float | None:
    """Return the temperature of a text such as "24", "18.25", "21,5°C"; None for other texts."""
    match = _TEMPERATURE.fullmatch(text)
    degrees = float(match[1].replace(",", ".")) if match else 0.0
    return degrees if degrees >= LOWEST else None


def states_of(
    paths: Iterable[Path], levels: Levels, modes: Collection[str] = ()
) -> dict[Path, Sequence[State]]:
    """Return path → its possible states: one, or several if the path is ambiguous.

    `levels` are those of the head, `modes` its names of modes. Paths that are not states are
    omitted. All paths of a mode have the same order of levels, unless no order fits all of them. If
    the usual order fits no path, any other may. A name that is not in the head belongs to the level
    of the names next to it, or to the level where it is common.
    """
    paths_by_mode: dict[str, list[Path]] = {}
    for path in paths:
        if path[0].casefold() not in _POWER:
            paths_by_mode.setdefault(path[0], []).append(path)
    declared = {mode.casefold() for mode in modes}
    known = {level: _comparable(map(str, levels.values(level))) for level in NAMED}
    states: dict[Path, Sequence[State]] = {}
    others: dict[Path, Sequence[State]] = {}
    for name, mode_paths in paths_by_mode.items():
        if (mode := mode_of(name)) is not None:
            states |= _states_of_mode(mode, mode_paths, known)
        elif name.casefold() in declared or all(len(path) > 1 for path in mode_paths):
            others |= {
                path: [*dict.fromkeys(_as_preset(name, state) for state in path_states)]
                for path, path_states in _states_of_mode(
                    nearest_mode(name), mode_paths, known
                ).items()
            }
    modes_with_presets = {state.mode for path_states in others.values() for state in path_states}
    for path, path_states in states.items():
        if path_states[0].mode in modes_with_presets:
            states[path] = [
                replace(state, preset=state.preset or NO_PRESET) for state in path_states
            ]
    return states | others


def _states_of_mode(
    mode: str, paths: Sequence[Path], known: Mapping[str, _Names]
) -> dict[Path, Sequence[State]]:
    """Return the states of the paths below a mode."""
    stripped = {path: (path[0], *_without_prefixes(path, known)) for path in paths}
    resolved: dict[Path, Sequence[State]] = {}
    certain: dict[int, _Order] = {}
    for arrangement in (combinations, permutations):
        unresolved = [path for path in stripped.values() if path not in resolved]
        orders_by_path = {
            path: orders for path in unresolved if (orders := _orders([path], known, arrangement))
        }
        common = _orders([*orders_by_path], known, arrangement) if orders_by_path else []
        for path, orders in orders_by_path.items():
            states = [_state(mode, path, order, known) for order in common or orders]
            resolved[path] = [*dict.fromkeys(states)]
            if len(common or orders) == 1:
                certain.setdefault(len(path), (common or orders)[0])
    for path in stripped.values():
        order = certain.get(len(path), ())
        if path not in resolved and order and _has_temperature(path, order):
            resolved[path] = [_state(mode, path, order, known)]
    unresolved = [path for path in stripped.values() if path not in resolved]
    resolved |= _undeclared(mode, unresolved, known)
    return {
        path: resolved[stripped_path]
        for path, stripped_path in stripped.items()
        if stripped_path in resolved
    }


def _undeclared(
    mode: str, paths: Sequence[Path], known: Mapping[str, _Names]
) -> dict[Path, Sequence[State]]:
    """Return the states of paths with names that are not in the head, by their common meaning."""
    states: dict[Path, Sequence[State]] = {}
    for length in sorted({*map(len, paths)}):
        same_length = [path for path in paths if len(path) == length]
        order = max(
            permutations(ATTRIBUTES, length - 1) if length - 1 <= len(ATTRIBUTES) else (),
            key=lambda order: _likelihood(same_length, order, known),
            default=(),
        )
        if order and _likelihood(same_length, order, known) > 0:
            for path in same_length:
                if _has_temperature(path, order):
                    states[path] = [_state(mode, path, order, known)]
    return states


def _likelihood(paths: Sequence[Path], order: _Order, known: Mapping[str, _Names]) -> float:
    """Return how well an order of levels fits paths; 0 or less if it does not."""
    total = 0.0
    for index, level in enumerate(order, 1):
        names = {path[index] for path in paths} - {WHATEVER}
        matching = sum(
            _matches_level(name, level, known)
            or (level != "temperature" and name.casefold() in _COMMON_NAMES[level])
            for name in names
        )
        if not matching and names:
            return 0.0
        total += matching / len(names) if names else 0.0
    # If several orders fit, prefer SmartIR's: fan, swing and temperature, rarely a preset.
    usual_positions = [index for index, level in enumerate(_LIKELY) if level in order]
    in_order = [*order] == [_LIKELY[index] for index in usual_positions]
    return total + 0.1 * in_order - 0.01 * sum(usual_positions)


_LIKELY: Final = ("fan", "swing", "preset", "temperature")


def _without_prefixes(path: Path, known: Mapping[str, _Names]) -> Iterable[str]:
    """Yield the names below a mode without repeated prefixes: heat → auto → `heat_auto_16`."""
    prefixes = {word for word in _WORDS.split(path[0].casefold()) if word} | _LEVEL_WORDS
    for name in path[1:]:
        words = [word for word in _WORDS.split(name.casefold()) if word]
        remaining = [*words]
        while len(remaining) > 1 and remaining[0] in prefixes:
            remaining = remaining[1:]
        stripped = "_".join(remaining)
        is_known = any(_matches_level(stripped, level, known) for level in ATTRIBUTES)
        is_known_unstripped = any(_matches_level(name, level, known) for level in ATTRIBUTES)
        yield stripped if is_known and not is_known_unstripped else name
        prefixes |= {*words}


def _as_preset(name: str, state: State) -> State:
    """Return the state for a mode that Home Assistant does not have."""
    preset = None if state.preset in (None, NO_PRESET) else state.preset
    return replace(state, preset=name if preset is None else f"{name} {preset}")


def nearest_mode(name: str) -> str:
    """Return Home Assistant's mode that is nearest to another one."""
    words = [word for word in _WORDS.split(name.casefold()) if word]
    for word in words:
        if (mode := mode_of(word)) is not None:
            return mode
    for mode, mode_words in _NEAREST_MODES.items():
        if mode_words & {*words}:
            return mode
    return MODES[-1]


def path_of(state: State, levels: Iterable[str]) -> Path:
    """Return the path of a state in a file whose head has these of preset, fan and swing.

    All levels are present in each mode: SmartIR follows the head, not the nesting.
    """
    degrees = WHATEVER if state.temperature is None else f"{state.temperature:g}"
    return (state.mode, *(str(value(state, level) or WHATEVER) for level in levels), degrees)


def _comparable(names: Iterable[str]) -> _Names:
    return {name.casefold(): name for name in names}


def _orders(
    paths: Sequence[Path], known: Mapping[str, _Names], arrangement: _Arrangement
) -> list[_Order]:
    """Return the orders of levels that fit all paths; a shorter path has the first levels."""
    deepest = max(map(len, paths)) - 1
    return [
        order
        for order in arrangement(ATTRIBUTES, deepest)
        if all(
            _matches_level(name, level, known)
            for path in paths
            for name, level in zip(path[1:], order, strict=False)
        )
    ]


def _has_temperature(path: Path, order: _Order) -> bool:
    """Return whether the path has a temperature where the order requires one."""
    return all(
        level != "temperature" or _matches_level(name, level, {})
        for name, level in zip(path[1:], order, strict=False)
    )


def _matches_level(name: str, level: str, known: Mapping[str, _Names]) -> bool:
    if name == WHATEVER:
        return True
    if level == "temperature":
        return temperature_of(name) is not None
    return name.casefold() in known[level]


def _state(mode: str, path: Path, order: _Order, known: Mapping[str, _Names]) -> State:
    names = {level: name for level, name in zip(order, path[1:], strict=False) if name != WHATEVER}

    def name_of(level: str) -> str | None:
        return known[level].get(names[level].casefold(), names[level]) if level in names else None

    return State(
        mode=mode,
        preset=name_of("preset"),
        fan=name_of("fan"),
        swing=name_of("swing"),
        temperature=temperature_of(names.get("temperature", "")),
    )
